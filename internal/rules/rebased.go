package rules

import (
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// RebasedExpectation states where a change adapts what tests expect to what its code does.
var RebasedExpectation = &Rule{
	ID: "closeout/rebased-expectation", Title: "Tests expect other values since the code changed", Severity: input.Info,
	Languages: programLanguages,
	Find: func(c *Change, report func(Hit)) {
		if !c.changesProgram() {
			return
		}
		for _, f := range c.Files {
			if f.Base == nil || !f.hasTests() {
				continue
			}
			if list := f.rebased(); len(list) > 0 {
				report(Hit{
					File: f.Path, Line: list[0].line, Was: list[0].was, Now: list[0].now,
					Detail: input.Plural(int64(len(list)), "assertion") + " with other values than before",
					Fix:    "check that the new values are right, and not only what the code gives now",
				})
			}
		}
	},
}

// changesProgram reports whether a change touches code that is no test.
func (c *Change) changesProgram() bool {
	for _, f := range c.Files {
		if f.Lang() != source.None && !source.IsTest(f.Path) {
			return true
		}
	}
	return false
}

// rebased pairs the assertions of each place that differ only in literals.
func (f *File) rebased() (list []weaker) {
	for _, hunk := range f.Hunks() {
		if len(hunk.Removed) == 0 || len(hunk.Added) == 0 {
			continue
		}
		were := map[string][]*stated{}
		for _, s := range f.statements(f.Base, hunk.Removed) {
			key := shape(s.code)
			were[key] = append(were[key], s)
		}
		if len(were) == 0 {
			continue
		}
		for _, now := range f.statements(f.Head, hunk.Added) {
			key := shape(now.code)
			if was := were[key]; len(was) > 0 {
				if were[key] = was[1:]; was[0].line() != now.line() {
					list = append(list, weaker{line: now.first, was: was[0].line(), now: now.line()})
				}
			}
		}
	}
	return list
}

// shape is a piece of code without blanks and with # for each literal.
func shape(codeText []byte) string {
	var b strings.Builder
	for i := 0; i < len(codeText); i++ {
		c := codeText[i]
		switch {
		case isSpace(c):
		case source.IsWord(c):
			end := i
			for end < len(codeText) && source.IsWord(codeText[end]) {
				end++
			}
			if word := string(codeText[i:end]); c >= '0' && c <= '9' || oneOf(word, "true", "false", "True", "False", "nil", "null", "None", "undefined") {
				b.WriteByte('#')
			} else {
				b.WriteString(word)
				b.WriteByte(' ')
			}
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
