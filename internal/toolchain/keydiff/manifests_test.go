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
		gradled  = "plugins {\n  id 'java'\n}\nversion = '1.0'\ndependencies {\n  implementation 'a:b:1.0'\nHERE\n}\ntest {\n  useJUnitPlatform()\n}\n"
	)
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
		{"pom.xml", pom, "<p.version>1</p.version>", "<p.version>2</p.version>", `properties."p.version"`},
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
		{"a.csproj", project, "<Version>1.0</Version>", "<Version>1.1</Version><Description>x</Description>", "PropertyGroup.Description; PropertyGroup.Version"},
		{"a.csproj", project, "<Version>1.0</Version>", "<Version>$([System.IO.File]::ReadAllText('x'))</Version>", "PropertyGroup.Version; source of PropertyGroup.Version"},
		{"a.csproj", project, "", "<IsTestProject>false</IsTestProject>", "PropertyGroup.IsTestProject"},
		{"a.csproj", items, packages, strings.Replace(packages, "1.0", "1.1", 1), "ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "/>", "><PrivateAssets>all</PrivateAssets></PackageReference>", 1), "ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "Include", "Remove", 1), "ItemGroup.PackageReference; source of ItemGroup.PackageReference"},
		{"a.csproj", items, packages, strings.Replace(packages, "\"A\"", "\"@(X)\"", 1), "ItemGroup.PackageReference; source of ItemGroup.PackageReference"},
		{"a.csproj", items, packages, packages + `<Compile Remove="Tests/**" />`, "ItemGroup.Compile; source of ItemGroup.Compile"},
		{"a.csproj", "<Project>HERE</Project>", "", `<ItemGroup Condition="true">` + packages + "</ItemGroup>", "ItemGroup"},
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
		{"build.gradle", gradled, "", "  testImplementation files('x.jar')", "code"},
		{"build.gradle", gradled, "", "  implementation \"c:d:${x}\"", "code"},
		{"build.gradle", strings.Replace(gradled, "'1.0'", "'SPOT'", 1), "1.0", "1.1", "dependencies"},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "ignoreFailures = true", "code"},
		{"build.gradle", strings.Replace(gradled, "useJUnit", "SPOT\nuseJUnit", 1), "", "exclude 'a:b'", "code"},
		{"build.gradle", gradled, "// a", `// \u000a test.enabled = false`, "code"},
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
		"pom.xml": "x<!---->", "a.csproj": "<ItemGroup><A/></ItemGroup>", "Gemfile": "group :a do\n", "build.gradle": "a {\n", "requirements.txt": "a==1\n",
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
