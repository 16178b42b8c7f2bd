package reports

import (
	"github.com/closeout-gate/closeout/verify/input"
)

// MaxTestNames is how many names of a report are kept.
const MaxTestNames = 200_000

// TestName names a case of a test report.
type TestName struct {
	Group string // its class, suite or package
	Name  string
	Ran   bool // it passed or failed, at least once
}

// TestNames are the cases of a test report that have a name, in their order, each once.
type TestNames struct {
	Names []TestName
	More  bool // there are more than [MaxTestNames]

	at map[[2]string]int32
}

// ParseTestNames lists the cases of a test report. Do not use the list if there are errors.
func ParseTestNames(data []byte, limits input.Limits) (*TestNames, *input.Errors) {
	book := newCaseBook()
	book.listed = &TestNames{at: map[[2]string]int32{}}
	_, errs := parseTests(data, limits, book)
	book.listed.at = nil
	return book.listed, errs
}

func (t *TestNames) add(c testCase) {
	key := [2]string{c.where, c.name}
	i, known := t.at[key]
	switch {
	case c.name == "":
		return
	case !known && len(t.Names) == MaxTestNames:
		t.More = true
		return
	case !known:
		i = int32(len(t.Names))
		t.at[key] = i
		t.Names = append(t.Names, TestName{Group: c.where, Name: c.name})
	}
	t.Names[i].Ran = t.Names[i].Ran || c.outcome != caseSkipped
}
