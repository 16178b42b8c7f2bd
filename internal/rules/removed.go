package rules

import (
	"slices"

	"github.com/closeout-gate/closeout/verify/input"
)

// DisabledTest finds tests whose code is still there, but that no runner sees any more.
var DisabledTest = &Rule{
	ID: "closeout/disabled-test", Title: "A test is still there, but no test runner sees it", Severity: input.Block, Topic: "test", Languages: testLanguages,
	Find: func(c *Change, report func(Hit)) {
		marked(c, report, "out of every run now", "let the test run again, and fix what it finds", func(head *testCase) bool {
			return head.ranBefore() && head.disabled
		})
		reportGone(c, report, []fate{fateDisabled}, "still there, but no test runner sees it", "give the test back its name and place, and fix what it finds", nil)
	},
}

// RemovedTest finds tests that are gone.
var RemovedTest = &Rule{
	ID: "closeout/removed-test", Title: "A test is deleted, and the code that it tests changes", Severity: input.Block, Review: true, Topic: "test", Languages: testLanguages,
	Find: func(c *Change, report func(Hit)) {
		reportGone(c, report, []fate{fateRemoved}, "deleted, and the code that it tests changes", "restore the test, and fix what it finds", c.fates().isPlain)
	},
}

// DroppedTest finds the other tests that are gone.
var DroppedTest = &Rule{
	ID: "closeout/dropped-test", Title: "A test is deleted", Severity: input.Warn, Review: true, Topic: "test", Languages: testLanguages,
	Find: func(c *Change, report func(Hit)) {
		reportGone(c, report, []fate{fateRemoved, withSomeCode}, "deleted", "restore the test, or say in the description why it is not needed", func(t *testCase) bool {
			got, _ := c.fates().of(t)
			return got == withSomeCode || !c.fates().isPlain(t)
		})
	},
}

// reportGone reports tests that are gone, a hit for each file.
func reportGone(c *Change, report func(Hit), wanted []fate, what, fix string, also func(t *testCase) bool) {
	byFile := map[*File][]*testCase{}
	fates := c.fates()
	for _, one := range c.tests().gone {
		if got, _ := fates.of(one); slices.Contains(wanted, got) && (also == nil || also(one)) {
			byFile[one.in] = append(byFile[one.in], one)
		}
	}
	for _, f := range c.Files {
		gone := byFile[f]
		if len(gone) == 0 {
			continue
		}
		h := hitOn(gone, what)
		if f.isDeleted() {
			h.Detail += "; the whole file is deleted"
		}
		h.Base, h.Was, h.Fix = true, string(gone[0].of.Line(gone[0].Line)), fix
		report(h)
	}
}
