package start

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
		s.add(&criterion{id: "go", cwd: dir, run: goCommand("./..."), why: "go test; -count=1, because a cached result is not a run"})
		s.tool("go")
		if dir == "." {
			s.goControl()
		}
	}
}

// goCommand runs go test. It can write a report only to standard output, instead of the text that people read when a test fails,
// so there is none.
func goCommand(packages string) []string { return []string{"go", "test", "-count=1", packages} }

// goControl derives a negative control: the same command on a test that fails on purpose. go test leaves out directories that
// begin with a dot unless they are named, so this test disturbs no other command.
func (s *starter) goControl() {
	const file = controls + "/must_fail_test.go"
	s.extra = append(s.extra, File{file, []byte(`// Package controls contains a test that fails on purpose: the negative control of .closeout/scope_contract.json. If it passes,
// the command that runs the tests cannot fail, and proves nothing. go test ./... leaves this directory out.
package controls

import "testing"

func TestMustFail(t *testing.T) { t.Fatal("this test fails on purpose") }
`)})
	s.add(&criterion{
		id: "go-red", run: goCommand("./" + file), cwd: ".", proves: s.criteria[len(s.criteria)-1].id,
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
