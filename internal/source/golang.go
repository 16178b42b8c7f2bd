package source

import (
	"bytes"
	"strings"
)

// golang finds the functions that go test runs, the methods of suites, and what they give to Run with a literal name.
func (d *finder) golang() {
	if !strings.HasSuffix(d.Path, "_test.go") {
		return
	}
	b, specs := d.brackets(), bytes.Contains(d.Text, []byte("ginkgo"))
	for at := 0; at < len(d.Code); {
		switch c := d.Code[at]; {
		case c == '.' && bytes.HasPrefix(d.Code[at:], []byte(".Run(")):
			at = d.subtest(at)
		case IsWord(c):
			word, end := d.word(at)
			switch {
			case string(word) == "func" && b.openAt(at) == none:
				end = d.goFunc(at, end)
			case specs && d.byteAt(end) == '(' && d.byteAt(at-1) != '.':
				if group, known := ginkgoCall(string(word)); known {
					end = d.javaScriptTest(at, end, group, true)
				}
			}
			at = end
		default:
			at++
		}
	}
}

// ginkgoCall reports whether a function of Ginkgo declares a test, or a group of them. A table is one test.
func ginkgoCall(word string) (group, known bool) {
	word = strings.TrimLeft(word, "FPX")
	group = oneOf(word, "Describe Context When")
	return group, group || oneOf(word, "It Specify DescribeTable")
}

// goFunc reads the head of a function and returns where to go on.
func (d *finder) goFunc(from, at int) int {
	receiver, method := "", false
	if at = d.skip(at); d.byteAt(at) == '(' {
		end := d.past(at)
		receiver, method = goReceiver(d.Code[at:end]), true
		for at = end; d.byteAt(at) == ' ' || d.byteAt(at) == '\t'; at++ {
		}
	}
	word, end := d.word(at)
	open := end
	if d.byteAt(open) == '[' {
		open = d.past(open)
	}
	if d.byteAt(open) != '(' {
		return end
	}
	shut := d.past(open)
	parameters := bytes.TrimSpace(d.Code[open+1 : max(shut-1, open+1)])
	body := d.goBody(shut)
	if body == none || !goTestName(string(word), parameters, method) {
		return shut
	}
	last := d.past(body) - 1
	d.leave(from)
	name := string(word)
	if receiver != "" {
		name = receiver + " > " + name
	}
	d.enter(d.name(name), from, body, last, false)
	return body
}

// goBody is the offset of the brace that begins the body of a function, behind its parameters.
func (d *finder) goBody(at int) int {
	if at = d.skip(at); d.byteAt(at) == '(' {
		at = d.skip(d.past(at))
	}
	if d.byteAt(at) == '{' {
		return at
	}
	return none
}

// goReceiver is the type of a receiver such as (s *Suite).
func goReceiver(code []byte) string {
	code = bytes.Trim(code, "() \t\r\n")
	if i := bytes.IndexByte(code, '['); i >= 0 {
		code = code[:i]
	}
	return string(code[bytes.LastIndexAny(code, " *\t")+1:])
}

// goTestName reports whether go test, or a suite, runs a function.
func goTestName(name string, parameters []byte, method bool) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		rest, found := strings.CutPrefix(name, prefix)
		if !found || (rest != "" && rest[0] >= 'a' && rest[0] <= 'z') {
			continue
		}
		kind := goParameter(parameters)
		switch {
		case method:
			return prefix != "Example" && (len(parameters) == 0 || kind == "C")
		case prefix == "Example":
			return len(parameters) == 0
		}
		return kind == prefix[:1]
	}
	return false
}

// goParameter is the T of t *testing.T, "" for anything else.
func goParameter(code []byte) string {
	star := bytes.IndexByte(code, '*')
	if star < 0 || bytes.IndexByte(code, ',') >= 0 {
		return ""
	}
	code = bytes.TrimSpace(code[star+1:])
	return string(code[bytes.LastIndexByte(code, '.')+1:])
}

// subtest reads t.Run("name", func(…) {…}) and returns where to go on.
func (d *finder) subtest(at int) int {
	open := at + len(".Run")
	d.leave(at)
	parent := d.scope()
	first := d.skip(open + 1)
	quote := d.byteAt(first)
	if parent.test == none || (quote != '"' && quote != '`') {
		return open
	}
	n := bytes.IndexByte(d.Code[first+1:], quote)
	if n < 0 {
		return open
	}
	comma := d.skip(first + n + 2)
	function := d.skip(comma + 1)
	if d.byteAt(comma) != ',' {
		return open
	}
	word, end := d.word(function)
	if string(word) != "func" || d.byteAt(end) != '(' {
		return open
	}
	body := d.goBody(d.past(end))
	if body == none {
		return open
	}
	d.enter(d.name(squeeze(d.Text[first+1:first+1+n])), d.wordStart(at), body, d.past(open)-1, false)
	return body
}
