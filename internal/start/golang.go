package start

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/toolchain"
)

const (
	goTest       = `(?m)^func Test(?:[^a-z\s(]\w*)?\(\w+ \*testing\.T\)`
	goConstraint = `(?m)^//(?:go:build| \+build) `
	// goSystem is the end of the name of a file that is built for one system only.
	goSystem = `_(?:windows|darwin|freebsd|netbsd|openbsd|solaris|plan9|js|wasm|wasip1|android|ios|aix|illumos|dragonfly|arm64|arm|386|s390x|ppc64le|riscv64)(?:_\w+)?_test\.go$`
)

// golang finds the modules that have tests. A module without tests would prove nothing.
func (s *starter) golang() {
	modules := s.usable("go.mod", s.dirsOf(toolchain.Go.Manifests...))
	system := regexp.MustCompile(goSystem)
	e, r := toolchain.RunnerOf([]string{"go", "test"})
	for _, dir := range modules {
		tests := s.count(goTest, func(p string) bool {
			return strings.HasSuffix(p, "_test.go") && moduleOf(p, modules) == dir && !isSample(p) && !system.MatchString(p)
		}, goConstraint)
		if tests == 0 {
			continue
		}
		c := &criterion{id: r.ID, cwd: dir, run: r.Run, why: r.Why, ecosystem: e}
		if tests <= maxGoTests {
			c.counted(&r.Report, tests, dir)
		} else {
			c.none = "a report of go test -json on more than " + strconv.Itoa(maxGoTests) + " tests can be larger than the gate reads"
		}
		c.run = words(c.run, []string{"./..."})
		s.add(c)
		s.tool("go")
	}
}

// maxGoTests is how many tests a report of go test -json holds: it has at most 16 MiB, and a test with its subtests took
// 15 KiB in this repository.
const maxGoTests = 500

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
