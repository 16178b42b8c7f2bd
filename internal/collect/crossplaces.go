package collect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// The limits of a search for the functions of tests. Beyond them there are no places: a test that was not looked for is none
// outside of the test paths.
const (
	maxPlaces     = 2000     // cases
	maxPlaceFiles = 5000     // files that are read
	maxPlaceFile  = 1 << 20  // bytes of each
	maxPlaceBytes = 32 << 20 // bytes of all
)

// addPlaces notes where the functions of cases stand: at the head those that fail, for a person, and in the base those
// that passed there, and do not pass with the new code or are gone. The judge needs these to tell a test that does not
// run from one outside of the test paths. Where the files cannot be listed there are no places, and each is judged as
// one of a test path.
func (f *Found) addPlaces(c *Comparison, k *Contracts, known *facts.Facts) {
	if k.Policy == nil {
		return
	}
	if list := c.placesAt(c.Head, k, f.failing()); len(list) > 0 {
		known.TestPlaces = list
	}
	if len(known.Cross) == 0 || len(c.MergeBases) != 1 {
		return
	}
	absent, others := f.fallen()
	if len(absent)+len(others) == 0 || len(absent) > maxPlaces {
		return
	}
	list := c.placesAt(c.MergeBases[0], k, append(absent, others...))
	for i := range known.Cross {
		known.Cross[i].Places = list
	}
}

// placesAt lists where the functions of cases stand in the test paths of a commit; nil where not all of them can be read.
func (c *Comparison) placesAt(commit string, k *Contracts, cases []*reports.TestName) []facts.CrossPlace {
	tracked, ok := c.Objects.(interface {
		Tracked(commit string) ([]change.Change, error)
	})
	if !ok || len(cases) == 0 {
		return nil
	}
	files, err := tracked.Tracked(commit)
	if err != nil {
		return nil
	}
	files = slices.DeleteFunc(files, func(file change.Change) bool {
		return !isFile(file.NewMode) || !k.Policy.TestPath(file.Path)
	})
	if len(files) > maxPlaceFiles {
		return nil
	}
	places, size := rules.Places{}, 0
	for _, file := range files {
		text, err := c.Objects.Blob(file.NewID, maxPlaceFile)
		if size += len(text); size > maxPlaceBytes {
			return nil
		}
		if err == nil {
			places.Add(source.Parse(file.Path, text))
		}
	}
	list := []facts.CrossPlace{} // not nil: the places were looked for
	for _, t := range cases[:min(len(cases), maxPlaces)] {
		if found := places.Of(t.Group, t.Name); len(found) > 0 {
			// Of several that it may be, may_change is about each.
			i := slices.IndexFunc(found, func(at rules.Place) bool { return !k.Policy.MayChange(at.File) })
			at := found[max(i, 0)]
			list = append(list, facts.CrossPlace{Suite: t.Group, Name: t.Name, File: at.File, Line: int64(at.Line)})
		}
	}
	return list
}

// failing lists the first cases that fail at the head, as the judge names them.
func (f *Found) failing() []*reports.TestName {
	var list []*reports.TestName
	for _, name := range f.testReports {
		head := readTests(f.TestReport(name))
		for i := range head.Failing {
			if t := &head.Failing[i]; t.Group != "" && t.Name != "" {
				list = append(list, &reports.TestName{Group: t.Group, Name: t.Name})
			}
		}
	}
	return list
}

// fallen lists the cases that passed on the base, and do not pass on another tree: first those that did not run on the
// new code.
func (f *Found) fallen() (absent, others []*reports.TestName) {
	for _, name := range f.testReports {
		old, head := readNames(f.CrossReport(check.OldTestsTree, name)), f.headNames(name)
		// One run serves both trees of a change to tests alone.
		base := cmp.Or(readNames(f.CrossReport(check.BaseTree, name)), old)
		if base == nil || head == nil {
			continue
		}
		inOld, inHead := reports.Follow(base, cmp.Or(old, head)), reports.Follow(base, head)
		for _, t := range base.PassedCases() {
			old, _ := inOld.StateOf(t)
			head, _ := inHead.StateOf(t)
			named := strings.TrimSpace(t.Name) != "" && (t.Group == "" || strings.TrimSpace(t.Group) != "")
			switch {
			case !named || (old == reports.CasePassed && head == reports.CasePassed):
			case old == reports.CaseAbsent:
				absent = append(absent, t)
			default:
				others = append(others, t)
			}
		}
	}
	return absent, others
}

// readTests reads a test report; an empty one when there is none that can be read.
func readTests(open verify.Opener) *reports.TestReport {
	if open == nil {
		return &reports.TestReport{}
	}
	limits := input.DefaultLimits()
	data, err := verify.Input{Open: open}.Read(limits.RulesBytes)
	if err != nil {
		return &reports.TestReport{}
	}
	report, _ := reports.ParseTests(data, limits)
	return cmp.Or(report, &reports.TestReport{})
}

// headNames are those of a test report of the head, which is read once; nil when there is none that can be read.
func (f *Found) headNames(name string) *reports.TestNames {
	if _, known := f.names[name]; !known {
		if f.names == nil {
			f.names = map[string]*reports.TestNames{}
		}
		f.names[name] = readNames(f.TestReport(name))
	}
	return f.names[name]
}

// readNames reads the names of a test report; nil when there is none that can be read.
func readNames(open verify.Opener) *reports.TestNames {
	if open == nil {
		return nil
	}
	names, _ := testNames(open)
	return names
}
