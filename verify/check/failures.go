package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// Failure is a test that failed, or an error in the output of a command.
type Failure struct {
	Name  string // of the test; "" when only a place is known
	Error string
	Place Place // in the repository; zero when it is unknown
}

// title is where a failure is, and the name of the test. A name of several words is quoted.
func (f *Failure) title() string {
	name := f.Name
	if strings.Contains(name, " ") {
		name = strconv.Quote(name)
	}
	if f.Place.Path == "" {
		return name
	}
	at := f.Place.Path
	if f.Place.Pos.Line > 0 {
		at += fmt.Sprintf(":%d", f.Place.Pos.Line)
	}
	return strings.TrimSpace(at + " " + name)
}

// Reported lists what failed according to the test report of a criterion.
func Reported(p *Pass, c *contract.Criterion) []Failure {
	file := p.Tests[c.TestReport]
	if c.TestReport == "" || c.ExpectFail || file == nil || file.Report == nil {
		return nil
	}
	var list []Failure
	root := p.RootOf(file)
	for _, t := range file.Report.Failing {
		f := Failure{Name: reports.WithoutRoot(t.Name, root), Error: reports.WithoutRoot(t.Error, root)}
		f.Place = placeOf(p, c, root, &t)
		list = append(list, f)
	}
	if len(list) == 0 && file.Report.FirstFailed != "" { // a suite or package that has no case
		list = []Failure{{Name: reports.WithoutRoot(file.Report.FirstFailed, root)}}
	}
	return list
}

// Printed is what failed according to the output of a command.
func Printed(p *Pass, c *contract.Criterion, f *Finding) []Failure {
	if f.Output == nil || c.ExpectFail {
		return nil
	}
	said := Failure{Name: f.Output.Test, Error: f.Output.Error, Place: placeOf(p, c, "", &reports.TestFailure{Spots: f.Output.Spots})}
	if file, name, found := strings.Cut(said.Name, "::"); found && file != "" && strings.HasSuffix(said.Place.Path, file) {
		said.Name = name
	}
	if said.Name == "" && said.Place.Path == "" {
		return nil
	}
	return []Failure{said}
}

// Describe names in a finding what failed, places it at the first of them, and returns the first for the message.
func Describe(f *Finding, list []Failure) string {
	first := &list[0]
	var titles []string
	for i := range list {
		titles = append(titles, list[i].title())
	}
	failed := strings.Join(input.First(titles, 5), "; ")
	f.Actual += "; failed: " + failed
	switch {
	case first.Name == "":
		f.Fix = "fix the error at " + first.title()
	case len(list) == 1:
		f.Fix = "make " + first.title() + " pass"
	default:
		f.Fix = "make these tests pass: " + failed
	}
	if first.Place.Path != "" {
		f.Shown, f.Input = first.Place, Tests
	}
	names := func(text string) bool { return text != "" && strings.Contains(first.Error, text) }
	switch {
	case first.Error == "":
		return ": " + first.title()
	case names(first.Name) || (first.Name == "" && names(first.Place.Path)): // as in the summary of pytest, or the line of a compiler
		return ": " + first.Error
	}
	return ": " + first.title() + ": " + first.Error
}

// FailedTests says how many tests of a report failed: "1 of 298 tests".
func FailedTests(r *reports.TestReport) string {
	if r.Failed == 0 {
		return "tests"
	}
	return fmt.Sprintf("%d of %s", r.Failed, input.Plural(r.Tests, "test"))
}

// placeOf finds the first line that is in the repository among those that a failure names, best in the file where its test stands. A
// report calls files as its runner does: from the root of the machine, from the directory of the command, or by their last part alone.
func placeOf(p *Pass, c *contract.Criterion, root string, t *reports.TestFailure) Place {
	best := testPlace(p, t)
	home, named := best.Path, false
	known := append([]string{home}, knownFiles(p)...)
	for _, s := range t.Spots {
		file := reports.WithoutRoot(s.File, root)
		if strings.HasPrefix(file, "/") || strings.Contains(file, ":") {
			file = longestEnd(file, known) // another root, such as that of a container
		} else {
			file = relative(file, c.Cwd, directoryOf(p, t.Group), known)
		}
		if file != "" && (!named || file == home) {
			best, named = Place{Path: file, Pos: input.Pos{Line: s.Line, Column: min(s.Line, 1)}}, true
		}
		if file != "" && file == home {
			break
		}
	}
	return best
}

// testPlace is where the collector found the function of a test; zero when it did not.
func testPlace(p *Pass, t *reports.TestFailure) Place {
	if p.Facts == nil || t.Name == "" {
		return Place{}
	}
	for _, at := range p.Facts.TestPlaces {
		if at.Suite == t.Group && at.Name == t.Name {
			return Place{Path: at.File, Pos: input.Pos{Line: int(at.Line), Column: 1}}
		}
	}
	return Place{}
}

// knownFiles are paths that the head has.
func knownFiles(p *Pass) []string {
	var list []string
	if p.Facts != nil {
		for _, at := range p.Facts.TestPlaces {
			list = append(list, at.File)
		}
	}
	for i := range p.Changes {
		if p.Changes[i].Status != change.Deleted {
			list = append(list, p.Changes[i].Path)
		}
	}
	return list
}

// longestEnd is the longest of the known paths that a path ends with; "" for none.
func longestEnd(file string, known []string) string {
	best := ""
	for _, k := range known {
		if len(k) > len(best) && strings.HasSuffix(file, "/"+k) {
			best = k
		}
	}
	return best
}

// relative is the path in the repository of a file that a runner names, "" when it is none.
func relative(file, cwd, dir string, known []string) string {
	below := path.Join(cwd, file)
	switch {
	case slices.Contains(known, below):
		return below
	case below == ".." || strings.HasPrefix(below, "../"):
		return ""
	case !strings.Contains(file, "/") && dir != "":
		return path.Join(dir, file)
	case !strings.Contains(file, "/") && slices.Contains(bareNames, path.Ext(file)):
		i := slices.IndexFunc(known, func(k string) bool { return path.Base(k) == file })
		if i < 0 {
			return ""
		}
		return known[i]
	}
	return below
}

// bareNames are the extensions of languages whose failures name a file without its directory.
var bareNames = []string{".go", ".java", ".kt", ".scala", ".groovy"}

// directoryOf is the directory of a package of Go that is called after the repository, "" for other groups.
func directoryOf(p *Pass, group string) string {
	if p.Facts == nil || p.Facts.Subject.Repository == "" {
		return ""
	}
	_, rest, found := strings.Cut(group, "/")
	own, isOwn := strings.CutPrefix(strings.ToLower(rest), strings.ToLower(p.Facts.Subject.Repository))
	if !found || !isOwn || (own != "" && own[0] != '/') {
		return ""
	}
	own = rest[len(rest)-len(own):]
	if major, after, _ := strings.Cut(strings.TrimPrefix(own, "/"), "/"); isMajor(major) {
		own = after
	}
	return cmp.Or(path.Clean(strings.TrimPrefix(own, "/")), ".")
}

// isMajor tells the part of the path of a module of Go that is its major version, as v2.
func isMajor(part string) bool {
	number, found := strings.CutPrefix(part, "v")
	n, err := strconv.Atoi(number)
	return found && err == nil && n >= 2
}
