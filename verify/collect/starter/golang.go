package starter

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	goTest       = `(?m)^func Test(?:[^a-z\s(]\w*)?\(\w+ \*testing\.T\)`
	goConstraint = `(?m)^//(?:go:build| \+build) `
	// goSystem is the end of the name of a file that is built for one system only.
	goSystem = `_(?:windows|darwin|freebsd|netbsd|openbsd|solaris|plan9|js|wasm|wasip1|android|ios|aix|illumos|dragonfly|arm64|arm|386|s390x|ppc64le|riscv64)(?:_\w+)?_test\.go$`
)

// golang finds the modules that have tests. A module without tests would prove nothing.
func (s *starter) golang() {
	modules := s.usable("go.mod", s.dirsOf("go.mod"))
	system := regexp.MustCompile(goSystem)
	for _, dir := range modules {
		tests := s.count(goTest, func(p string) bool {
			return strings.HasSuffix(p, "_test.go") && moduleOf(p, modules) == dir && !isAside(p) && !system.MatchString(p)
		}, goConstraint)
		if tests == 0 {
			continue
		}
		c := &criterion{id: "go", cwd: dir, why: "go test; -count=1, because a cached result is not a run"}
		if tests <= maxReported {
			c.report, c.tests = reportPath("go-test.json", dir), floor(tests)
		}
		c.run = goCommand("./...", from(dir, c.report), c.report != "")
		s.tool("go")
		s.add(c)
		if dir == "." {
			s.goControl(c.report != "")
		}
	}
}

// maxReported is how many tests may write their events to a report. Each writes about 12 kB with its subtests, and the gate
// reads reports of at most 16 MiB.
const maxReported = 400

// goCommand runs go test. With a report, it writes its events to a file, which is printed when a test fails.
func goCommand(packages, report string, reports bool) []string {
	if !reports {
		return []string{"go", "test", "-count=1", packages}
	}
	report = shellQuote(report)
	return []string{"sh", "-c", "go test -count=1 -json " + packages + " > " + report + "; s=$?; [ $s = 0 ] || cat " + report + "; exit $s"}
}

// goControl derives a negative control: the same command on a test that fails on purpose. go test leaves out directories that
// begin with a dot unless they are named, so this test disturbs no other command.
func (s *starter) goControl(reports bool) {
	const file = controls + "/must_fail_test.go"
	s.extra = append(s.extra, File{file, []byte(`// Package controls contains a test that fails on purpose: the negative control of .closeout/scope_contract.json. If it passes,
// the command that runs the tests cannot fail, and proves nothing. go test ./... leaves this directory out.
package controls

import "testing"

func TestMustFail(t *testing.T) { t.Fatal("this test fails on purpose") }
`)})
	s.add(&criterion{
		id: "go-red", run: goCommand("./"+file, evidence+"/go-red.json", reports), cwd: ".", proves: s.criteria[len(s.criteria)-1].id,
		why: "the negative control: a test that fails on purpose must fail the command",
	})
}

// controls is the directory of the files that must fail.
const controls = ".closeout/controls"

// moduleOf is the innermost of some directories that contains a path; "" when none does.
func moduleOf(p string, dirs []string) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if slices.Contains(dirs, dir) {
			return dir
		}
		if dir == "." {
			return ""
		}
	}
}
