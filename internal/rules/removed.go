package rules

// findDisabledTest finds tests whose code is still there, but that no runner sees any more.
func findDisabledTest(c *Change, report func(Hit)) {
	marked(c, report, "out of every run now", "let the test run again, and fix what it finds", func(head *testCase) bool {
		return head.ranBefore() && head.disabled
	})
	reportGone(c, report, fateDisabled, "still there, but no test runner sees it", "give the test back its name and place, and fix what it finds")
}

// findRemovedTest finds tests that are gone.
func findRemovedTest(c *Change, report func(Hit)) {
	reportGone(c, report, fateRemoved, "deleted", "restore the test, or say in the description why it is not needed")
}

// reportGone reports tests that are gone, a hit for each file.
func reportGone(c *Change, report func(Hit), wanted fate, what, fix string) {
	byFile := map[*File][]*testCase{}
	fates := c.fates()
	for _, one := range c.tests().gone {
		if got, _ := fates.of(one); got == wanted && (one.mark == 0 || wanted != fateRemoved) { // one that was skipped checked nothing
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
