package rules

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// findSkippedTest finds tests that ran at the merge base and are skipped at the head, whatever the machine.
func findSkippedTest(c *Change, report func(Hit)) {
	marked(c, report, "skipped now", "remove the skip, and fix what the test finds", func(head *testCase) bool {
		return head.ranBefore() && !head.disabled
	})
}

// findSkippedNewTest finds new tests that never run.
func findSkippedNewTest(c *Change, report func(Hit)) {
	marked(c, report, "new, and skipped", "let the test run, or leave it out until it can", func(head *testCase) bool {
		return head.twin == nil && !head.disabled
	})
}

// ranBefore reports whether a test of the head ran at the base.
func (t *testCase) ranBefore() bool { return t.twin != nil && t.twin.twin == t && t.twin.mark == 0 }

// marked reports the tests of the head that a mark keeps from running, a hit for each file.
func marked(c *Change, report func(Hit), what, fix string, wanted func(head *testCase) bool) {
	for _, f := range c.tests().files {
		var found []*testCase
		for _, one := range f.head {
			if one.mark > 0 && !one.Group && wanted(one) {
				found = append(found, one)
			}
		}
		if len(found) == 0 {
			continue
		}
		h := hitOn(found, what)
		h.Line, h.Now, h.Fix = found[0].mark, string(f.Head.Line(found[0].mark)), fix
		report(h)
	}
}

// hitOn makes a hit on some tests of a file; its place is that of the first.
func hitOn(tests []*testCase, what string) Hit {
	h := Hit{File: tests[0].in.Path, Line: tests[0].Line, Subject: tests[0].Name}
	for _, one := range tests[1:] {
		h.Others = append(h.Others, one.Name)
	}
	verb := " is "
	if len(tests) > 1 {
		verb = " are "
	}
	h.Detail = listNames(tests) + verb + what
	return h
}

// listNames names a few tests, and counts the others.
func listNames(tests []*testCase) string {
	const most, longest = 3, 80
	var names []string
	for _, one := range tests[:min(len(tests), most)] {
		name := clip(one.Name, longest)
		if strings.Contains(name, " ") {
			name = input.Quote(name) // a sentence in a sentence
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if more := int64(len(tests) - most); more > 0 {
		list += " and " + input.Plural(more, "more test")
	}
	return list
}
