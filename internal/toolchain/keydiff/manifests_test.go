package keydiff

import (
	"strings"
	"testing"
)

// TestManifests compares versions of manifests: an attack beside the honest change that looks like it. was and now take the place
// of the word HERE, or of SPOT where the text has both.
func TestManifests(t *testing.T) {
	const (
		cargo = "[package]\nname = 'p'\nversion = '1.0.0'\n[dependencies]\na = '1'\nb = {path = '../b', version = '1'}\nHERE\n"
		pom   = "<project><modelVersion>4.0.0</modelVersion><parent><groupId>g</groupId><version>1</version></parent><properties>" +
			"<skipTests>false</skipTests>HERE</properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId>" +
			"<version>${a.version}</version></dependency></dependencies><build><plugins><plugin><version>${p.version}</version></plugin>" +
			"</plugins></build></project>"
		deps     = "<project><dependencies>HERE</dependencies></project>"
		one      = "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1.0</version></dependency>"
		project  = "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup>HERE</PropertyGroup></Project>"
		items    = "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup>HERE</ItemGroup></Project>"
		packages = `<PackageReference Include="A" Version="1.0" />`
		gems     = "source 'https://rubygems.org'\ngem 'rails', '7.0'\nHERE\ngroup :test do\n  gem 'rspec'\nend\npath 'vendor' do\n  gem 'own'\nend\n"
		tested   = "<Project><ItemGroup><PackageReference Include=\"xunit\" /></ItemGroup><PropertyGroup>HERE</PropertyGroup></Project>"
		sources  = "<Project><ItemGroup><Reference Include=\"xunit\" />HERE</ItemGroup></Project>"
		solution = "Project(\"{F}\") = \"A\", \"A/A.csproj\", \"{1}\"\nEndProject\nHERE\nGlobal\n{1}.Debug|Any CPU.Build.0 = Debug|Any CPU\nEndGlobal\n"
		makefile = "FLAGS = $(MORE)\ntest:\n\tgo test $(FLAGS) ./...\nHERE\n"
		tox      = "[tox]\nenvlist = py{39,310}\n[testenv]\ndeps =\n    a\nHERE\n"
		setup    = "setup(\n  name='a',\n  install_requires=[\n    'a',\nHERE\n  ],\n)\n"
		mix      = "defmodule A.MixProject do\n  use Mix.Project\n  @version \"1.0.0\"\n  def project do\n    [\n      app: :a,\n      version: @version,\n" +
			"      deps: deps()\n    ]\n  end\n  defp deps do\n    [\n      HERE\n      {:a, \"~> 1.0\"}\n    ]\n  end\nend\n"
		viteConfig = "import { defineConfig } from 'vite'\nexport default defineConfig({\n  base: '/',\nHERE\n})\n"
		gradled    = "plugins {\n  id 'java'\n}\nversion = '1.0'\ndependencies {\n  implementation 'a:b:1.0'\nHERE\n}\ntest {\n  useJUnitPlatform()\n}\n"
	)
	plugin := func(name string) string {
		return "<project><build><plugins><plugin><artifactId>maven-" + name + "-plugin</artifactId>HERE</plugin></plugins></build></project>"
	}
	for _, c := range []struct{ file, text, was, now, want string }{
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"~2.0.0-rc.1 || >=3 <4","b":"1.0 - 2.x","c":"next","d":"*","e":"catalog:"`, "dependencies"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"file:../a"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"devDependencies":{HERE}}`, ``, `"a":"link:./a"`, "devDependencies; source of devDependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"npm:b@^1"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"npm:@x/b@^1"`, `"a":"npm:@x/b@^2"`, "dependencies"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"npm:b@^1"`, `"a":"npm:c@^1"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"user/repo"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"../a"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"."`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":"1.tgz"`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"^1"`, `"a":{"b":1}`, "dependencies; source of dependencies.a"},
		{"package.json", `{"dependencies":{HERE}}`, `"a":"file:../a","b":"1"`, `"a":"file:../a","b":"2"`, "dependencies"},
		{"package.json", `{"dependencies":HERE}`, `{}`, `["file:../a"]`, "dependencies; source of dependencies"},
		{"package.json", `{"a":1HERE}`, ``, `,"version.x":1`, `"version.x"`},
		{"composer.json", `{"require":{HERE}}`, `"a/b":"^1.0"`, `"a/b":"2.*@stable"`, "require"},
		{"composer.json", `{"require":{HERE}}`, `"a/b":"^1.0"`, `"a/b":"dev-fork as 1.0"`, `require; source of require."a/b"`},
		{"composer.json", `{"a":1HERE}`, ``, `,"repositories":[{"type":"path"}],"description":"x"`, "description; repositories"},
		{"pnpm-workspace.yaml", "catalog:\n  a: HERE\n", "^1", "^2", "catalog"},
		{"pnpm-workspace.yaml", "catalog:\n  a: HERE\n", "^1", "'link:../a'", "catalog; source of catalog.a"},
		{"pnpm-workspace.yaml", "catalogs:\n  x:\n    a: HERE\n", "^1", "^2", "catalogs"},
		{"pnpm-workspace.yaml", "catalogs:\n  x:\n    a: HERE\n", "^1", "'npm:b@1'", "catalogs; source of catalogs.x.a"},
		{"go.mod", "module m\nHERE\n", "", "require (\n\ta.b/c v1.0.0 // indirect\n)", "require"},
		{"go.mod", "module m\nHERE\n", "", "ignore ./tests", "ignore"},
		{"go.mod", "module m\nHERE\n", "", "godebug default=go1.21", "godebug"},
		{"pyproject.toml", "[project]\ndependencies = [HERE]\n", "'a>=1'", "'a>=2; python_version < \"4\"', 'b[x]~=1.0'", "project.dependencies"},
		{"pyproject.toml", "[project]\ndependencies = [HERE]\n", "'a>=1'", "'a @ file:///a'", "project.dependencies; source of project.dependencies"},
		{"pyproject.toml", "[dependency-groups]\nHERE\n", "", "x = ['a>=1', {include-group = 'y'}]", "dependency-groups.x"},
		{"pyproject.toml", "[dependency-groups]\nHERE\n", "", "x = ['a@git+https://b/c']", "dependency-groups.x; source of dependency-groups.x"},
		{"pyproject.toml", "[tool.poetry.group.x.dependencies]\nHERE\n", "a = '1'", "a = {version = '^2', extras = ['x']}", "tool.poetry.group"},
		{"pyproject.toml", "[tool.poetry.group.x.dependencies]\nHERE\n", "a = '1'", "a = {path = 'x'}", "source of tool.poetry.group.x; tool.poetry.group"},
		{"Cargo.toml", cargo, "", "c = {version = '1', features = ['x'], optional = true}", "dependencies.c.features; dependencies.c.optional; dependencies.c.version"},
		{"Cargo.toml", strings.Replace(cargo, "version = '1'}", "version = 'SPOT'}", 1), "1", "2", "dependencies.b.version"},
		{"Cargo.toml", cargo, "", "c = {path = 'c'}", "dependencies.c.path; source of dependencies.c"},
		{"Cargo.toml", cargo, "", "c = {version = '1', package = 'd'}", "dependencies.c.package; dependencies.c.version; source of dependencies.c"},
		{"Cargo.toml", cargo, "", "[workspace.dependencies]\nc = {git = 'https://c'}", "source of workspace.dependencies.c; workspace.dependencies.c"},
		{"Cargo.toml", cargo, "", "[patch.crates-io]\na = {path = 'a'}", "patch.crates-io.a"},
		{"Cargo.toml", "[package]\nversion = '1'\nHERE\n", "", "autotests = false\ndescription = 'x'", "package.autotests; package.description"},
		{"pom.xml", pom, "<a.version>1</a.version>", "<!-- new --><a.version>2.0-rc1</a.version>", "dependencies"},
		{"pom.xml", pom, "<a.version>1</a.version>", "<a.version>file</a.version>", "dependencies; properties.\"a.version\""},
		{"pom.xml", pom, "<p.version>1</p.version>", "<p.version>2</p.version>", ""},
		{"pom.xml", pom, "<p.version>2</p.version>", "<p.version>1</p.version>", `lower version of "p.version"`},
		{"pom.xml", pom, "", "<p.version>1</p.version>", `properties."p.version"`},
		{"pom.xml", pom, "", "<surefire.version>2</surefire.version>", `properties."surefire.version"`},
		{"pom.xml", strings.Replace(pom, ">false<", ">SPOT<", 1), "false", "true", "properties.skipTests"},
		{"pom.xml", strings.Replace(pom, "</version></plugin>", "</version>SPOT</plugin>", 1), "",
			"<configuration><testFailureIgnore>true</testFailureIgnore></configuration>", "build.plugins"},
		{"pom.xml", strings.Replace(pom, "<build>", "SPOT<build>", 1), "", "<profiles><profile/></profiles><description>x</description>", "description; profiles.profile"},
		{"pom.xml", strings.Replace(pom, "<version>1</version></parent>", "SPOT</parent>", 1), "<version>1</version>", "<version>2</version>", "parent.version"},
		{"pom.xml", strings.Replace(pom, "<version>1</version></parent>", "SPOT</parent>", 1), "", "<relativePath>x</relativePath>", "parent.relativePath"},
		{"pom.xml", deps, one, strings.Replace(one, "1.0", "[1.1,2)", 1) + "\n" + strings.Replace(one, ">a<", ">b<", 1), "dependencies"},
		{"pom.xml", deps, one, strings.Replace(one, "</version>", "</version><scope>test</scope><exclusions><exclusion><artifactId>x</artifactId></exclusion></exclusions>", 1), "dependencies"},
		{"pom.xml", deps, one, strings.Replace(one, "</version>", "</version><systemPath>${basedir}/a.jar</systemPath>", 1), "dependencies; source of dependencies"},
		{"pom.xml", deps, one, strings.Replace(one, "</version>", "</version><scope>system</scope>", 1), "dependencies; source of dependencies"},
		{"a.csproj", project, "<Version>1.0</Version>", "<Version>1.1</Version><Description>x</Description>", "PropertyGroup.Version"},
		{"a.csproj", project, "<Version>1.0</Version>", "<Version>$([System.IO.File]::ReadAllText('x'))</Version>", "PropertyGroup.Version; source of PropertyGroup.Version"},
		{"a.csproj", project, "", "<IsTestProject>false</IsTestProject>", "PropertyGroup.IsTestProject"},
		{"a.csproj", items, packages, strings.Replace(packages, "1.0", "1.1", 1), "ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "/>", "><PrivateAssets>all</PrivateAssets></PackageReference>", 1), "ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "Include", "Remove", 1), "ItemGroup.PackageReference; source of ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "\"A\"", "\"@(X)\"", 1), "ItemGroup.PackageReference; source of ItemGroup.PackageReference"},
		{"a.csproj", items, packages, packages + `<Compile Remove="Tests/**" />`, "ItemGroup.Compile; source of ItemGroup.Compile"},
		{"a.csproj", "<Project>HERE</Project>", "", `<ItemGroup Condition="true">` + packages + "</ItemGroup>", "ItemGroup.PackageReference"},
		{"a.csproj", "<Project>HERE</Project>", "", `<Target Name="VSTest" />`, "Target"},
		{"Directory.Packages.props", items, "", `<PackageVersion Include="A" Version="2.0" />`, "ItemGroup.PackageVersion"},
		{"Gemfile", gems, "", "# new\ngem \"pg\", \"~> 1.5\", '>= 1.5.3' # note", "dependencies"},
		{"Gemfile", gems, "", "gem 'pg', path: 'x'", "code"},
		{"Gemfile", gems, "", "gem 'pg', \"#{system('x')}\"", "code"},
		{"Gemfile", gems, "", "gem 'pg', git: 'https://x'", "code"},
		{"Gemfile", strings.Replace(gems, "gem 'own'", "gem 'own'\nSPOT", 1), "", "gem 'rspec'", "code"},
		{"Gemfile", strings.Replace(gems, "gem 'rspec'", "gem 'rspec'SPOT", 1), "", ", '3.0'", "dependencies"},
		{"Gemfile", gems, "", "if ENV['X']\ngem 'pg'\nend", "code"},
		{"Gemfile", gems, "# a", "# a\rsystem 'x'", "code"},
		{"Gemfile", gems, "# a", "", ""},
		{"build.gradle", gradled, "", "  testImplementation(\"c:d:1.2\") // note", "dependencies"},
		{"build.gradle.kts", gradled, "", "api(libs.c.d)", "dependencies"},
		{"build.gradle", gradled, "", "  testImplementation files('x.jar')", "tests"},
		{"build.gradle", gradled, "", "  implementation \"c:d:${x}\"", "code"},
		{"build.gradle", strings.Replace(gradled, "'1.0'", "'SPOT'", 1), "1.0", "1.1", "dependencies"},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "ignoreFailures = true", "tests"},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "exclude 'a:b'", "tests"},
		{"build.gradle", gradled, "// a", `// \u000a test.enabled = false`, "tests"},
		{"build.gradle", gradled, "// a", "// test.enabled = false", ""},
		{"build.gradle", gradled, "", "  testImplementation projects.a.b\n  api project(':a')\n  implementation platform('a:b:1')", "dependencies"},
		{"build.gradle", "allprojects {\n  version = 'HERE'\n}\n", "1.0", "1.1", "dependencies"},
		{"build.gradle", gradled + "android {\n  compileSdk = SPOT\n}\n", "35", "36", "code"},
		{"build.gradle", gradled + "tasks.withType<Test> {\n  maxHeap = SPOT\n}\n", "1", "2", "tests"},
		{"build.gradle", gradled + "SPOT\n", "", "apply from: 'x.gradle'", "tests"},
		{"build.gradle", gradled + "SPOT\n", "import a.b.Test", "import a.b.TestC", ""},
		{"settings.gradle.kts", "include(\n  ':a',\nHERE)\n", "", "':b', 'c'\n", ""},
		{"settings.gradle.kts", "include(\n  ':a',\nHERE)\n", "':b', 'c'\n", "", "fewer projects"},
		{"settings.gradle", "include 'a'\nHERE\n", "", "apply from: 'x.gradle'", "tests"},
		{"settings.gradle", "include 'a'\nHERE\n", "", "project(':a').projectDir = file('b')", "tests"},
		{"gradle.properties", "a=1\nHERE\n", "version=1.0", "version=1.1-SNAPSHOT\n# note\nPOM_NAME=a b", "dependencies"},
		{"gradle.properties", "a=1\nHERE\n", "", "skipTests=true", "code"},
		{"gradle.properties", "a=1\nHERE\n", "", "systemProp.version=1", "code"},
		{"gradle.properties", "a=1\nHERE\n", "version=1", "version=1\\\nx=2", "code; dependencies"},
		{"Makefile", makefile, "", "docs: a\n\techo b", "code"},
		{"Makefile", makefile, "", "\techo b", "tests"},
		{"Makefile", makefile, "", "include x.mk", "tests"},
		{"Makefile", makefile, "", "-include x.mk", "tests"},
		{"Makefile", makefile, "", "CHECK = true", "tests"},
		{"Makefile", makefile, "", "FLAGS = -short", "tests"},
		{"Makefile", makefile, "", "FLAGS += -short", "tests"},
		{"Makefile", makefile, "", "MORE = -short", "tests"},
		{"Makefile", makefile, "", "OUT = x", "code"},
		{"Makefile", makefile, "", "%: x\n\techo", "tests"},
		{"Makefile", makefile, "", "te$(E)t: x\n\techo", "tests"},
		{"Makefile", makefile, "", "clean:\n\trm -f a", "code"},
		{"Makefile", makefile, "", "$(eval test: ; true)", "tests"},
		{"Makefile", makefile, "", "SHELL = /bin/true", "tests"},
		{"Makefile", makefile, "", "docs: ; echo", "code"},
		{"justfile", "test:\n  go test {{flags}}\nHERE\n", "", "flags := '-short'", "tests"},
		{"justfile", "test:\n  go test {{flags}}\nHERE\n", "", "docs:\n  echo", "code"},
		{"mix.exs", mix, "HERE", "HERE", ""},
		{"mix.exs", strings.Replace(mix, "1.0.0", "SPOT", 1), "1.0.0", "1.1.0-dev", "dependencies"},
		{"mix.exs", mix, "", "{:b, \"~> 1.0 or ~> 2.0\", only: [:dev, :test], runtime: false},", "dependencies"},
		{"mix.exs", mix, "", "{:b, path: \"../b\"},", "code"},
		{"mix.exs", mix, "", "{:b, github: \"a/b\"},", "code"},
		{"mix.exs", mix, "", "{:b, \"#{System.halt(0)}\"},", "code"},
		{"mix.exs", mix, "", "System.halt(0)", "code"},
		{"mix.exs", mix, "", "halt", "code"},
		{"mix.exs", strings.Replace(mix, "deps: deps()", "SPOTdeps: deps()", 1), "", "test_paths: [\"x\"],\n      ", "code"},
		{"mix.exs", strings.Replace(mix, "deps: deps()", "SPOTdeps: deps()", 1), "", "elixir: \"~> 1.14\",\n      ", "dependencies"},
		{"mix.exs", mix, "", "# test_paths\rhalt", "code"},
		{"setup.py", setup, "", "    'b>=1,<2',", "dependencies"},
		{"setup.py", setup, "", "    'b @ file:///b',", "code"},
		{"setup.py", setup + "SPOT\n", "", "os.system('x')", "code"},
		{"setup.py", setup, "", "    os.system('x'),", "code"},
		{"tox.ini", tox, "", "    py310: b>=1", "dependencies"},
		{"tox.ini", tox, "", "    b @ file:///b", "source of testenv.deps"},
		{"tox.ini", tox, "", "    -r b.txt", "source of testenv.deps"},
		{"tox.ini", tox, "", "    b.zip", "source of testenv.deps"},
		{"tox.ini", tox, "", "commands = true", "testenv.commands"},
		{"tox.ini", tox, "", "[min]\ndeps = a", "dependencies"},
		{"tox.ini", tox, "", "[PYTEST]\naddopts = -k x", "testenv.PYTEST.addopts"},
		{"tox.ini", tox, "", "[pytest]\naddopts = -k x", "pytest.addopts"},
		{"tox.ini", strings.Replace(tox, "py{39,310}", "SPOT", 1), "py{39,310}", "py{39,310,311},docs", ""},
		{"tox.ini", strings.Replace(tox, "py{39,310}", "SPOT", 1), "py{39,310}", "py310,py311", ""},
		{"tox.ini", strings.Replace(tox, "py{39,310}", "SPOT", 1), "py{39,310}", "py39", "fewer environments"},
		{"tox.ini", strings.Replace(tox, "py{39,310}", "SPOT", 1), "py39,lint", "py39", "fewer environments"},
		{"setup.cfg", "[metadata]\nversion = HERE\n", "1", "2", "description"},
		{"setup.cfg", "[metadata]\nname = a\nHERE", "", "[options]\ninstall_requires =\n  b>=1", "dependencies"},
		{"setup.cfg", "[metadata]\nname = a\nHERE", "", "[tool:pytest]\ntestpaths = x", "tool.pytest.testpaths"},
		{"setup.cfg", "[metadata]\nname = a\nHERE", "", "[options.entry_points]\npytest11 =\n  a = b", "options.entry_points.pytest11"},
		{"setup.cfg", "[metadata]\nname = a\nHERE", "", "[aliases]\ntest = x", "aliases.test"},
		{"go.mod", "module m\nHERE\n", "go 1.21", "go 1.22.1\ntoolchain go1.23.0", "toolchain"},
		{"go.mod", "module m\nHERE\n", "go 1.21", "go 1.20", "lower version of go"},
		{"go.mod", "module m\nHERE\n", "go 1.9", "go 1.10", ""},
		{"go.mod", "module m\ngo 1.21\nHERE\n", "toolchain go1.22.0", "toolchain go1.23.0", ""},
		{"go.mod", "module m\ngo 1.21\nHERE\n", "toolchain go1.22.0", "toolchain go1.23.0-mine", "toolchain"},
		{"go.mod", "module m\ngo 1.21\nHERE\n", "", "tool a.b/c", "tool"},
		{"go.mod", "module m\ngo 1.21\nHERE\n", "", "exclude a.b/c v1.0.0", "exclude"},
		{"Cargo.toml", cargo, "", "[target.'cfg(unix)'.dev-dependencies]\nc = '1'", "target.dev-dependencies"},
		{"Cargo.toml", cargo, "", "[target.'cfg(unix)'.dev-dependencies]\nc = {path = '../c'}", "source of target.dev-dependencies.c; target.dev-dependencies"},
		{"Cargo.toml", cargo, "", "[target.x86]\nrunner = 'true'", "target.runner"},
		{"Cargo.toml", cargo + "[features]\na = []\nb = [SPOT]\n", "", "'dep:c'", "features.b"},
		{"Cargo.toml", cargo + "[features]\na = []\nb = [SPOT]\n", "", "'a'", "features.b; fewer features"},
		{"Cargo.toml", cargo + "[features]\na = []\nb = [SPOT]\n", "'x'", "", "features.b; fewer features"},
		{"Cargo.toml", cargo + "[features]\ndefault = [SPOT]\n", "", "'x'", "features.default; fewer features"},
		{"Cargo.toml", cargo, "", "[features]\nnew = ['x']", "features.new"},
		{"Cargo.toml", cargo, "", "[[test]]\nname = 'a'\nharness = false", "test"},
		{"Cargo.toml", cargo, "", "[replace]\n'a:1.0.0' = {path = 'a'}", `replace."a:1.0.0".path`},
		{"Cargo.toml", cargo, "", "[lib]\ntest = false", "lib.test"},
		{"Cargo.toml", "[package]\nHERE\n", "", "build = 'x.rs'", "package.build"},
		{"Cargo.toml", "[package]\nHERE\n", "", "rust-version = '1.80'\nmetadata.docs.rs = {a = 1}", "package.metadata.docs; package.rust-version"},
		{"composer.json", `{HERE}`, `"extra":{"branch-alias":{"a":"1"}}`, `"extra":{"branch-alias":{"a":"2"}}`, "extra.branch-alias"},
		{"composer.json", `{HERE}`, `"extra":{"a":1}`, `"extra":{"a":2}`, "extra.a"},
		{"composer.json", `{HERE}`, `"config":{"sort-packages":true}`, `"config":{"sort-packages":false,"allow-plugins":true}`, "config.allow-plugins; config.sort-packages"},
		{"composer.json", `{HERE}`, `"config":true`, `"config":{"allow-plugins":true}`, "config"},
		{"composer.json", `{HERE}`, ``, `"scripts":{"post-install-cmd":"x"},"autoload-dev":{"files":["x.php"]}`, "autoload-dev; scripts"},
		{"pom.xml", plugin("surefire"), "<version>3.0.0</version>", "<version>3.1.0</version>", ""},
		{"pom.xml", plugin("surefire"), "<version>3.10.0</version>", "<version>3.9.0</version>", "lower version of maven-surefire-plugin"},
		{"pom.xml", plugin("surefire"), "<version>3</version>", "<version>3</version><configuration><skipTests>true</skipTests></configuration>", "build.plugins"},
		{"pom.xml", plugin("surefire"), "", "<dependencies><dependency><artifactId>x</artifactId></dependency></dependencies>", "build.plugins"},
		{"pom.xml", plugin("javadoc"), "", "<configuration><doclint>none</doclint></configuration>", ""},
		{"pom.xml", plugin("javadocs"), "", "<configuration><doclint>none</doclint></configuration>", "build.plugins"},
		{"pom.xml", "<project>HERE</project>", "", "<repositories><repository><url>x</url></repository></repositories>", "repositories.repository"},
		{"pom.xml", "<project>HERE</project>", "", "<pluginRepositories><pluginRepository><url>x</url></pluginRepository></pluginRepositories>", "pluginRepositories.pluginRepository"},
		{"pom.xml", "<project>HERE</project>", "<modules><module>a</module></modules>", "<modules/>", "modules; modules.module"},
		{"pom.xml", "<project><scm>HERE</scm></project>", "<tag>HEAD</tag>", "<tag>v1</tag>", "scm"},
		{"pom.xml", "<project><properties>HERE</properties></project>", "<maven.compiler.release>11</maven.compiler.release>",
			"<maven.compiler.release>17</maven.compiler.release>", ""},
		{"pom.xml", "<project><properties>HERE</properties></project>", "<maven.compiler.release>17</maven.compiler.release>",
			"<maven.compiler.release>11</maven.compiler.release>", `lower version of "maven.compiler.release"`},
		{"pom.xml", "<project>HERE</project>", "<properties><a>1</a></properties>", "<properties><a>&#49;</a><!-- --></properties>", ""},
		{"pom.xml", "<project>HERE</project>", "", "<x:build xmlns:x=\"u\"><x:plugins/></x:build>", "build.plugins; source of build"},
		{"a.csproj", project, "<TargetFramework>net8.0</TargetFramework>", "<TargetFrameworks>net9.0;net8.0</TargetFrameworks>", "PropertyGroup.Version"},
		{"a.csproj", tested, "<TargetFramework>net8.0</TargetFramework>", "<TargetFrameworks>net9.0;net10.0</TargetFrameworks>", ""},
		{"a.csproj", tested, "<TargetFrameworks>net8.0;net48</TargetFrameworks>", "<TargetFrameworks>net9.0</TargetFrameworks>", "fewer target frameworks"},
		{"a.csproj", tested, "", "<DefineConstants>X</DefineConstants>", "PropertyGroup.DefineConstants"},
		{"a.csproj", project, "", "<DefineConstants>X</DefineConstants>", "PropertyGroup.Version"},
		{"a.csproj", project, "", "<NoWarn>$(NoWarn);CS1591</NoWarn>", "PropertyGroup.Version"},
		{"a.csproj", tested, "", "<NoWarn>$(NoWarn);CS1591</NoWarn>", "PropertyGroup.NoWarn"},
		{"a.csproj", project, "", "<SelfContained>true</SelfContained><AssemblyVersion>$(VersionPrefix.Substring(0,3)).0.0</AssemblyVersion>", "PropertyGroup.Version"},
		{"a.csproj", tested, "", "<SelfContained>true</SelfContained>", "PropertyGroup.SelfContained"},
		{"a.csproj", project, "", "<RestoreSources>x</RestoreSources>", "PropertyGroup.RestoreSources"},
		{"Directory.Build.props", project, "", "<SelfContained>true</SelfContained>", "PropertyGroup.SelfContained"},
		{"Directory.Build.props", project, "", "<DefineConstants>X</DefineConstants>", "PropertyGroup.DefineConstants"},
		{"a.csproj", sources, "", `<Compile Include="b\c-d.cs"><SubType>Code</SubType></Compile>`, ""},
		{"a.csproj", sources, `<Compile Include="b\c.cs" />`, `<Compile Include="b\d.cs" />`, "fewer files of tests"},
		{"a.csproj", items, `<Compile Include="b\c.cs" />`, `<Compile Include="b\d.cs" />`, ""},
		{"a.csproj", items, "", `<Compile Include="b\*.cs" Exclude="b\d.cs" />`, "ItemGroup.Compile; source of ItemGroup.Compile"},
		{"a.csproj", items, "", `<Reference Include="System.Core" />`, "ItemGroup.Reference"},
		{"a.csproj", items, "", `<Reference Include="A"><HintPath>..\..\packages\A.1.2\lib\net45\A.dll</HintPath></Reference>`, "ItemGroup.Reference"},
		{"a.csproj", items, "", `<Reference Include="xunit.core"><HintPath>..\tools\xunit.core.dll</HintPath></Reference>`, "ItemGroup.Reference; source of ItemGroup.Reference"},
		{"a.csproj", items, "", `<ProjectReference Include="..\a\a.csproj"><Project>{1}</Project><Name>a</Name></ProjectReference>`, ""},
		{"a.csproj", items, "", `<Content Include="a.txt" /><Folder Include="a" />`, ""},
		{"a.csproj", items, "", `<Content Include="xunit.runner.json"><CopyToOutputDirectory>Always</CopyToOutputDirectory></Content>`, "ItemGroup.Content; source of ItemGroup.Content"},
		{"a.slnx", "<Solution>HERE</Solution>", "", `<Folder Name="/a/"><File Path="README.md" /><Project Path="a/a.csproj" /></Folder>`, ""},
		{"a.slnx", "<Solution>HERE</Solution>", `<Project Path="a/a.csproj" />`, "", "fewer projects"},
		{"a.slnx", "<Solution>HERE</Solution>", `<Project Path="a/a.csproj" />`, `<Project Path="a/a.csproj"><Build Project="false" /></Project>`, "fewer projects; solution"},
		{"global.json", `{"sdk":{"version":"8.0.100"},"msbuild-sdks":{"A":"HERE"}}`, "1.2.0", "1.10.0", ""},
		{"global.json", `{"sdk":{"version":"8.0.100"},"msbuild-sdks":{"A":"HERE"}}`, "1.2.0", "1.1.9", "lower version of A"},
		{"global.json", `{"sdk":{"version":"8.0.100"},"msbuild-sdks":{HERE}}`, "", `"A":"1.0"`, "msbuild-sdks"},
		{"a.csproj", project, "", "<NoWarn>$([System.IO.File]::ReadAllText('x'))</NoWarn>", "PropertyGroup.Version; source of PropertyGroup.Version"},
		{"a.csproj", project, "", "<RunSettingsFilePath>x</RunSettingsFilePath>", "PropertyGroup.RunSettingsFilePath"},
		{"a.csproj", project, "", "<noWarn>x</noWarn>", "PropertyGroup.Version"},
		{"a.csproj", tested, "", "<noWarn>x</noWarn>", "PropertyGroup.noWarn"},
		{"a.csproj", items, "", `<ProjectReference Include="..\a\a.csproj" />`, ""},
		{"a.csproj", items, `<ProjectReference Include="..\a\a.csproj" />`, `<ProjectReference Include="..\b\b.csproj" />`, "fewer references to projects"},
		{"a.csproj", items, "", `<ProjectReference Include="..\a\a.csproj" OutputItemType="Analyzer" />`, "ItemGroup.ProjectReference; source of ItemGroup.ProjectReference"},
		{"a.csproj", items, "", `<Using Include="Xunit" />`, ""},
		{"a.csproj", items, `<Using Include="Xunit" />`, `<Using Include="Fake" />`, "fewer namespaces"},
		{"a.csproj", items, "", `<Using Include="Fake.Assert" Alias="Assert" />`, "ItemGroup.Using; source of ItemGroup.Using"},
		{"a.csproj", items, "", `<None Include="../README.md" Pack="true" PackagePath="/" />`, ""},
		{"a.csproj", items, "", `<None Include="x.json" Pack="true" CopyToOutputDirectory="Always" />`, "ItemGroup.None; source of ItemGroup.None"},
		{"a.fsproj", project, "", "<IsTestProject>false</IsTestProject>", "PropertyGroup.IsTestProject"},
		{"Directory.Build.props", project, "", "<VSTestTestCaseFilter>x</VSTestTestCaseFilter>", "PropertyGroup.VSTestTestCaseFilter"},
		{"a.csproj", "<Project>HERE</Project>", "", `<PropertyGroup Condition="'$(A)' == 'b'"><LangVersion>12</LangVersion></PropertyGroup>`, "PropertyGroup.Version"},
		{"a.csproj", "<Project>HERE</Project>", "", `<PropertyGroup Condition="$([System.IO.File]::Exists('x'))"><LangVersion>12</LangVersion></PropertyGroup>`, "PropertyGroup"},
		{"a.sln", solution, "", "Project(\"{F}\") = \"B\", \"B/B.csproj\", \"{2}\"\nEndProject\n{2}.Debug|Any CPU.Build.0 = Debug|Any CPU", ""},
		{"a.sln", solution, "", "{1}.Debug|Any CPU.ActiveCfg = None|Any CPU", "builds"},
		{"a.sln", strings.Replace(solution, "{1}.Debug|Any CPU.Build.0 = Debug|Any CPU", "SPOT", 1), "{1}.Debug|Any CPU.Build.0 = Debug|Any CPU", "", "builds"},
		{"a.sln", strings.Replace(solution, "\"A/A.csproj\"", "SPOT", 1), "\"A/A.csproj\"", "\"B/B.csproj\"", "fewer projects"},
		{"global.json", `{"sdk":{HERE}}`, `"version":"8.0.100"`, `"version":"9.0.100","rollForward":"latestMinor"`, "sdk.rollForward"},
		{"global.json", `{"sdk":{HERE}}`, `"version":"8.0.100"`, `"version":"7.0.100"`, "lower version of sdk"},
		{"global.json", `{"sdk":{"version":"8.0.100"}HERE}`, ``, `,"test":{"runner":"x"}`, "test"},
		{".nvmrc", "HERE\n", "v20.1.0", "v22", ""},
		{".nvmrc", "HERE\n", "22", "20", `lower version of the tool`},
		{".nvmrc", "HERE\n", "22", "lts/iron", "content"},
		{".python-version", "HERE\n", "3.9", "3.10\n", ""},
		{".tool-versions", "nodejs 20.1.0\nHERE\n", "ruby 3.2.0", "ruby 3.10.0 # new", "content"},
		{".tool-versions", "nodejs 20.1.0\nHERE\n", "ruby 3.2.0", "ruby 3.10.0", ""},
		{".tool-versions", "nodejs 20.1.0\nHERE\n", "ruby 3.2.0", "ruby path:/opt/ruby", "content"},
		{".sdkmanrc", "HERE\n", "java=17.0.1-tem", "java=21.0.2-tem", ""},
		{"rust-toolchain.toml", "[toolchain]\nchannel = HERE\n", `"1.80"`, `"1.81.0"`, ""},
		{"rust-toolchain.toml", "[toolchain]\nchannel = HERE\n", `"1.80"`, `"stable"`, "content"},
		{"rust-toolchain.toml", "[toolchain]\nchannel = \"1.80\"\nHERE\n", "", `path = "/x"`, "content"},
		{"gradle-wrapper.properties", "distributionUrl=https\\://HERE.zip\n", "services.gradle.org/distributions/gradle-8.9-bin", "services.gradle.org/distributions/gradle-8.10-bin", ""},
		{"gradle-wrapper.properties", "distributionUrl=https\\://HERE.zip\n", "services.gradle.org/distributions/gradle-8.9-bin", "services.gradle.org/distributions/gradle-7.9-bin", "lower version of distributionUrl"},
		{"gradle-wrapper.properties", "distributionUrl=https\\://HERE.zip\n", "services.gradle.org/distributions/gradle-8.9-bin", "example.org/distributions/gradle-8.10-bin", "content"},
		{"gradle-wrapper.properties", "HERE\n", "distributionSha256Sum=" + strings.Repeat("a", 64), "distributionSha256Sum=" + strings.Repeat("0", 64), ""},
		{"gradle-wrapper.properties", "HERE\n", "distributionSha256Sum=" + strings.Repeat("a", 64), "", "content"},
		{"vite.config.ts", viteConfig, "", "build: { minify: false },", "code"},
		{"vite.config.mts", viteConfig, "", "server: {\n  port: 1,\n},", "code"},
		{"vite.config.ts", viteConfig, "", "test: { exclude: ['**'] },", "tests"},
		{"vite.config.ts", viteConfig, "", "/*\n// */ test: {},", "code; tests"},
		{"vite.config.ts", viteConfig, "", "// test: {},", ""},
		{"vite.config.ts", viteConfig, "", "a: `\n// `, test: {},", "code; tests"},
		{"vite.config.ts", "SPOT\n" + viteConfig, "", "import vue from '@vitejs/plugin-vue'", "dependencies"},
		{"vite.config.ts", "SPOT\n" + viteConfig, "", "import own from './own'", "tests"},
		{"vite.config.ts", viteConfig, "", "resolve: { alias: { a: './b' } },", "tests"},
		{"setup.py", setup + "SPOT\n", "", "a = \"\"\"\n# \"\"\"; os.system('x')", "code"},
		{"build.gradle", gradled + "SPOT\n", "", "/*\n// */ test.enabled = false", "code; tests"},
		{"build.gradle.kts", gradled + "SPOT\n", "", "tasks.javadoc {\n  isEnabled = false\n}", "code"},
		{"build.gradle.kts", gradled + "SPOT\n", "", "tasks.javadoc {\n  tasks.test { isEnabled = false }\n}", "code; tests"},
		{"build.gradle.kts", gradled + "SPOT\n", "", "tasks.compileJava {\n  isEnabled = false\n}", "code; tests"},
		{"build.gradle.kts", "plugins {\n  HERE\n}\n", "", "id(\"com.example.test-conventions\") version \"1.0\"", ""},
		{"build.gradle.kts", "plugins {\n  HERE\n}\n", "id(\"com.example.test-conventions\")", "", "fewer settings of tests"},
		{"build.gradle.kts", "plugins {\n  HERE\n}\n", "id(\"jacoco-report\") version \"2.0\"", "id(\"jacoco-report\") version \"2.1\"", ""},
		{"build.gradle.kts", "plugins {\n  HERE\n}\n", "id(\"jacoco-report\") version \"2.0\"", "id(\"jacoco-report\") version \"1.9\"", "lower version of id(\"jacoco-report\")"},
		{"build.gradle.kts", "plugins {\n  HERE\n}\n", "id(\"com.example.shadow\")", "", "code"},
		{"build.gradle", strings.Replace(gradled, "useJUnitPlatform()", "SPOT", 1), "useJUnitPlatform()", "", "fewer settings of tests"},
		{"build.gradle", gradled + "SPOT", "", "integrationTest {\n  useJUnitPlatform()\n}\n", "tests"},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "jvmArgs(\"--add-opens=java.base/java.net=ALL-UNNAMED\")", ""},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "jvmArgs(\"-Dfast=true\")", "tests"},
		{"build.gradle", strings.Replace(gradled, "test {", "SPOT {\ntest {", 1) + "}\n", "x.all", "if (false)", "code; fewer settings of tests"},
		{"build.gradle", gradled + "SPOT\n", "", "description = 'tests of a'", "dependencies"},
		{"build.gradle", gradled + "SPOT\n", "", "description = \"${test.enabled = false}\"", "tests"},
		{"settings.gradle.kts", "pluginManagement {\n  repositories {\n    mavenCentral()\n    HERE\n  }\n}\n", "", "google()", ""},
		{"settings.gradle.kts", "pluginManagement {\n  repositories {\n    mavenCentral()\n    HERE\n  }\n}\n", "", "maven(\"https://x\")", "tests"},
		{"gradle.properties", "a=1\nHERE\n", "", "org.gradle.jvmargs=-Xmx2g -Dfile.encoding=UTF-8\nandroid.newDsl=false", "dependencies"},
		{"gradle.properties", "a=1\nHERE\n", "", "org.gradle.jvmargs=-Xmx2g -DskipTests=true", "code"},
		{"pom.xml", plugin("compiler"), "", "<configuration><release>17</release><compilerArgs><arg>-Xlint</arg></compilerArgs></configuration>", ""},
		{"pom.xml", plugin("compiler"), "", "<configuration><testExcludes><testExclude>**</testExclude></testExcludes></configuration>", "build.plugins"},
		{"pom.xml", plugin("checkstyle"), "", "<configuration><skip>true</skip></configuration>", "build.plugins"},
		{"pom.xml", plugin("checkstyle"), "", "<configuration><configLocation>x</configLocation></configuration>", ""},
		{"pom.xml", plugin("enforcer"), "<executions><execution><goals><goal>enforce</goal></goals></execution></executions>", "", "fewer goals of maven-enforcer-plugin"},
		{"pom.xml", "<project><build><plugins>HERE</plugins></build></project>", "<plugin><artifactId>maven-gpg-plugin</artifactId></plugin>", "", ""},
		{"pom.xml", "<project><build><plugins>HERE</plugins></build></project>", "<plugin><artifactId>maven-checkstyle-plugin</artifactId></plugin>", "", "build.plugins"},
		{"requirements.txt", "a==1\nHERE\n", "", "b[x]>=1,<2; python_version < '4' # note", "dependencies"},
		{"requirements.txt", "a==1\nHERE\n", "", "-e ./b", "code"},
		{"requirements.txt", "a==1\nHERE\n", "", "b.whl", "code"},
		{"requirements.txt", "a==1\nHERE\n", "", "b @ file:///b", "code"},
		{"requirements.txt", "a==1\nHERE\n", "", "--index-url=https://x", "code"},
	} {
		place := "HERE"
		if strings.Contains(c.text, "SPOT") {
			place, c.text = "SPOT", strings.Replace(c.text, "HERE", "", 1)
		}
		before, after := strings.Replace(c.text, place, c.was, 1), strings.Replace(c.text, place, c.now, 1)
		got, err := KindOf(c.file).Changed([]byte(before), []byte(after))
		if err != nil || strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q instead of %q: %q, %v; want %s", c.file, c.now, c.was, got, err, c.want)
		}
	}
}

func TestXMLUnreadable(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "two roots": "<a/><a/>", "cut": "<a>", "another end": "<a></b>", "a document type": "<!DOCTYPE a><a/>",
		"deep": strings.Repeat("<a>", 200) + strings.Repeat("</a>", 200), "another encoding": `<?xml version="1.0" encoding="UTF-7"?><a/>`, "an entity": "<a>&x;</a>",
	} {
		if keys, err := KindOf("pom.xml").Changed([]byte("<a/>"), []byte(text)); err == nil {
			t.Errorf("%s: %q", name, keys)
		}
	}
}

// TestLargeManifests reads large files in which each part is short: what grows with the square would not end.
func TestLargeManifests(t *testing.T) {
	for file, part := range map[string]string{
		"pom.xml": "x<!---->", "a.csproj": "<ItemGroup><A/></ItemGroup>", "Gemfile": "group :a do\n", "build.gradle": "a {\n", "requirements.txt": "a==1\n", "mix.exs": "def a do\n",
		"tox.ini": "[testenv:a]\n", "a.sln": "{1}.a = b\n", "setup.py": "a = [\n", "settings.gradle": "include 'a'\n",
	} {
		size := 256 << 10
		if file == "pom.xml" {
			size = 3 << 20
		}
		text := strings.Repeat(part, size/len(part))
		if strings.HasPrefix(part, "x") || strings.HasPrefix(part, "<") {
			text = "<Project>" + text + "</Project>"
		}
		if _, err := KindOf(file).Changed([]byte(text), []byte(text+"\n")); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
