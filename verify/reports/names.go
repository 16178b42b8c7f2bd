package reports

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// MaxTestNames is how many names of a report are kept.
const MaxTestNames = 200_000

// TestName names a case of a test report, and says how its runs ended. Cases with one name count as runs of one case.
type TestName struct {
	Group                   string // its class, suite or package
	Name                    string
	Passed, Failed, Skipped int32
	Failing                 bool   // the last run that passed or failed has failed
	Error                   string // the first line of its first failure; "" when there is none, or too many tests fail
}

// Ran reports whether it passed or failed, at least once.
func (t *TestName) Ran() bool { return t.Passed+t.Failed > 0 }

// TestNames are the cases of a test report that have a name, in their order, each once.
type TestNames struct {
	Names []TestName
	More  bool // there are more than [MaxTestNames], or longer ones than a whole report may be
	// Broken are the packages, suites, modules and files that did not load, as the report calls them.
	Broken []string
	// Why has the line of the error of each of them, where the report gives it.
	Why map[string]string
	// Ended has, for each package that a panic ended, what it panicked with: the tests after it did not run.
	Ended map[string]string
	// GoesOn is true for a runner that runs the others then.
	GoesOn bool

	at          map[[2]string]int32
	bytes, most int64 // of the names, and how many there may be
	errors      int   // how many names have an error
}

// The limits of errors that are kept.
const (
	maxTestErrors = 1000
	maxTestError  = 300 // bytes
)

// ReadTestNames lists the cases of a test report. Do not use the list if there are errors.
func ReadTestNames(r io.Reader, limits input.Limits) (*TestNames, *input.Errors) {
	report, errs := ReadTests(r, limits, true)
	if report == nil {
		return &TestNames{}, errs
	}
	return report.Names, errs
}

func (t *TestNames) add(c testCase) {
	if last := len(t.Names) - 1; last >= 0 && t.Names[last].Group == c.where {
		c.where = t.Names[last].Group // one text for all of a package
	}
	key := [2]string{c.where, c.name}
	i, known := t.at[key]
	switch {
	case c.name == "":
		return
	case !known && (len(t.Names) == MaxTestNames || t.bytes+int64(len(c.where)+len(c.name)) > t.most):
		t.More = true
		return
	case !known:
		i, t.bytes = int32(len(t.Names)), t.bytes+int64(len(c.where)+len(c.name))
		t.at[key] = i
		t.Names = append(t.Names, TestName{Group: c.where, Name: c.name})
	}
	n := &t.Names[i]
	switch c.outcome {
	case casePassed, caseFlaky:
		n.Passed, n.Failing = n.Passed+1, false
	case caseSkipped:
		n.Skipped++
	case caseFailed:
		n.Failed, n.Failing = n.Failed+1, true
		if n.Error == "" && t.errors < maxTestErrors {
			t.errors++
			n.Error = input.CutTo(strings.Clone(c.error), maxTestError)
		}
	}
}

// broke notes what did not load, and the line of the error, "" when it is unknown.
func (t *TestNames) broke(name, why string) {
	if t != nil && len(t.Broken) < maxTestErrors {
		t.Broken = append(t.Broken, name)
		t.because(name, why)
	}
}

// because notes why something did not load.
func (t *TestNames) because(name, why string) {
	if t == nil || why == "" || !slices.Contains(t.Broken, name) {
		return
	}
	if t.Why == nil {
		t.Why = map[string]string{}
	}
	t.Why[name] = cmp.Or(t.Why[name], input.CutTo(strings.Clone(why), maxTestError))
}

// firstLine is the first line of a text that is not blank.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// StableName writes a name without what differs from run to run: numbers and addresses in brackets.
func StableName(name string) string {
	if !strings.ContainsAny(name, "[(") && !strings.Contains(name, "0x") {
		return name
	}
	var out strings.Builder
	depth := 0
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && isWord(name[end]) {
			end++
		}
		if end > i {
			out.WriteString(stableWord(name[i:end], depth > 0))
			i = end
			continue
		}
		switch c := name[i]; {
		case c == '[' || c == '(':
			depth++
		case (c == ']' || c == ')') && depth > 0:
			depth--
		}
		out.WriteByte(name[i])
		i++
	}
	return out.String()
}

func isWord(c byte) bool {
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80
}

// stableWord writes # for the numbers of a word.
func stableWord(word string, inBrackets bool) string {
	const digits = "0123456789"
	address := strings.HasPrefix(word, "0x")
	if (!inBrackets && !address) || !strings.ContainsAny(word, digits) {
		return word
	}
	if address || strings.Trim(word, digits+"abcdefABCDEF") == "" {
		return "#"
	}
	var out strings.Builder
	for i := range len(word) {
		switch number := strings.IndexByte(digits, word[i]) >= 0; {
		case !number:
			out.WriteByte(word[i])
		case i == 0 || strings.IndexByte(digits, word[i-1]) < 0:
			out.WriteByte('#')
		}
	}
	return out.String()
}

// FunctionOf is the name of the test that a case is a row or a subtest of: TestA of TestA/b, test_a of test_a[1-2]. A name
// of several words is that of a test by itself.
func FunctionOf(name string) string {
	if i := strings.IndexAny(name, "/[("); i > 0 && !strings.Contains(name[:i], " ") {
		return name[:i]
	}
	return name
}
