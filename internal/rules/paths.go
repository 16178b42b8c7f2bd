package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// inDir reports whether a path lies in a directory with one of some names, which are in lower case.
func inDir(name, dirs string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(path.Dir(name)), "/"), func(dir string) bool { return isIn(dir, dirs) })
}

const (
	fromElsewhere = " vendor node_modules third_party "
	testInput     = " testdata fixtures __fixtures__ "
)

// isForeign reports whether a file is minified, or copied from another project.
func isForeign(name string) bool { return has(name, ".min.") || inDir(name, fromElsewhere) }

// foreign reports whether a path is of code that others maintain, or of the input of tests.
func foreign(name string) bool {
	return inDir(name, fromElsewhere+testInput+" test-data test_data testscripts ")
}

// isExample reports whether a configuration belongs to a test, an example or something from elsewhere.
func isExample(name string) bool {
	return foreign(name) || inDir(name, " examples example samples playground templates ")
}

// isVendored reports whether a path is in a directory of code from elsewhere, or of code that a program wrote.
func isVendored(name string) bool {
	base := path.Base(name)
	return begins(base, "zz_generated") || has(base, ".gen.", ".generated.", ".pb.", "_pb2.", "_pb2_grpc.", ".g.", ".Designer.", ".min.",
		"_generated.", "worker-configuration.") || inDir(name, fromElsewhere+
		" third-party thirdparty _vendor generated __generated__ gen dist lcov-report antlr4 playground playgrounds ")
}

// isProduction reports whether a path is that of code which is no test, configuration, example or tool of the build.
func isProduction(name string) bool {
	return source.LangOf(name) != source.None && !source.IsTest(name) && !isVendored(name) && !isConfig(path.Base(name)) &&
		!inDir(name, testInput+" testenv mocks mock example examples docs doc benchmark benchmarks bench benches scripts eng ci .github .ci "+
			"playground playgrounds samples sample hack ")
}

// isConfig reports whether a file is the configuration of a tool, or a part of the build.
func isConfig(base string) bool {
	base = strings.ToLower(base)
	if has(base, ".config.", ".setup.", ".conf.") || begins(base, ".") {
		return true
	}
	return isIn(base, " conftest.py setup.py noxfile.py tasks.py build.rs gulpfile.js gruntfile.js rakefile.rb setuptests.ts setuptests.js sitecustomize.py manage.py fabfile.py magefile.go ")
}
