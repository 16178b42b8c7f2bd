package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findWeakenedAssertion finds assertions that say less about the same value than those that they replace.
func findWeakenedAssertion(c *Change, report func(Hit)) {
	left := map[*File][]weaker{}
	for _, f := range c.tests().files {
		if f.Base != nil && f.Head != nil {
			left[f.File] = c.valuesLeft(f)
		}
	}
	for _, f := range c.Files {
		if list := append(f.weakened(), left[f]...); len(list) > 0 {
			report(weakenedHit(f, list))
		}
	}
}

// weaker is a pair of assertions about the same.
type weaker struct {
	line     int
	was, now string
	how      string
}

func weakenedHit(f *File, list []weaker) Hit {
	h := Hit{
		File: f.Path, Line: list[0].line, Was: list[0].was, Now: list[0].now, Detail: list[0].how,
		Fix: "restore the assertion, and correct the code; where the old expectation was wrong, assert the right value",
	}
	if n := len(list) - 1; n > 0 {
		h.Detail += fmt.Sprintf("; and %d more in this file", n)
	}
	return h
}

// maxHunk is how many lines of one side of a hunk are compared: what is larger was written anew.
const maxHunk = 60

func (f *File) weakened() (list []weaker) {
	if f.Head == nil || !f.hadTests() {
		return nil
	}
	var strong []string // what added assertions are exact about
	known := false
	added := sync.OnceValue(f.addedKeys)
	for _, hunk := range f.Hunks() {
		if len(hunk.Removed) == 0 || len(hunk.Added) == 0 || max(len(hunk.Removed), len(hunk.Added)) > maxHunk {
			continue
		}
		removed := f.statements(f.Base, hunk.Removed)
		if len(removed) == 0 {
			continue
		}
		list = append(list, f.callsLeft(removed, hunk)...)
		fresh := f.statements(f.Head, hunk.Added)
		if len(fresh) == 0 || onlyLiterals(removed, fresh) {
			continue
		}
		f.read(removed)
		f.read(fresh)
		for i, now := range fresh {
			if was := now.accepts(removed, i, len(fresh)); was != nil && !added()[lineKey([]byte(was.line()))] {
				list = append(list, weaker{now.first, was.line(), now.line(), "the assertion accepts more than before"})
				continue
			}
			was := now.weakens(removed)
			if was == nil || added()[lineKey([]byte(was.line()))] ||
				slices.ContainsFunc(fresh, func(s *assertStatement) bool { return s.expects(was) }) {
				continue
			}
			if !known {
				known, strong = true, f.strongSubjects()
			}
			if !stillStrong(strong, now.about(was)) {
				list = append(list, weaker{now.first, was.line(), now.line(), now.describe(was)})
			}
		}
	}
	return list
}

// callsLeft finds assertions of which a place has only the call, the comparison or a message left.
func (f *File) callsLeft(removed []*assertStatement, hunk Hunk) (list []weaker) {
	bare, waited := map[string]linediff.Line{}, map[string]*assertStatement{}
	for _, was := range removed {
		if key := string(bytes.TrimRight(squeeze(nil, was.text), ";")); has(key, ".rejects.", ".resolves.") {
			for _, start := range []string{"await", "return"} {
				if rest, waits := strings.CutPrefix(key, start); waits {
					waited[rest] = was
				}
			}
		}
	}
	for _, l := range hunk.Added {
		if was := waited[strings.TrimRight(liveKey(f.Head, l.Number), ";")]; was != nil && !isArgument(f.Head, l.Number) {
			list = append(list, weaker{l.Number, was.line(), string(l.Text), "nothing waits for the assertion any more"})
		}
		if len(l.Text) <= maxStatementBytes && !isAssertion(f.Lang(), f.Head.CodeLine(l.Number)) &&
			!isArgument(f.Head, l.Number) {
			key := liveKey(f.Head, l.Number)
			for _, start := range []string{"await", "let_=", "_="} {
				key = strings.TrimPrefix(key, start)
			}
			bare[key] = l
		}
	}
	if len(bare) == 0 {
		return list
	}
	f.read(removed)
	for _, was := range removed {
		key := string(bytes.TrimRight(squeeze(nil, was.text), ";"))
		for _, quiet := range [][2]string{{".Error", ".Log"}, {".Fatal", ".Log"}, {".Error(", ".Skip("},
			{".Fatal(", ".Skip("}, {".Errorf", ".Skipf"}, {".Fatalf", ".Skipf"}} {
			if l, left := bare[strings.Replace(key, quiet[0], quiet[1], 1)]; left && f.Lang() == source.Go &&
				has(key, quiet[0]) {
				list = append(list, weaker{l.Number, was.line(), string(l.Text), "the failure is only a message now"})
				break
			}
		}
		subjects := was.subjects
		if comparison, is := strings.CutPrefix(key, "assert"); is && f.Lang() == source.Python {
			subjects = append(slices.Clip(subjects), comparison)
		}
		for _, subject := range subjects {
			l, left := bare[strings.TrimPrefix(subject, "await")]
			if left && was.level >= partial && !begins(was.matcher, "not.") && (has(subject, "(") || has(string(l.Text), "=")) {
				list = append(list, weaker{l.Number, was.line(), string(l.Text), "the assertion is gone, and its call stays"})
			}
		}
	}
	return list
}

// valuesLeft finds variables that an assertion looked at, and that tests still set, but that nothing looks at any more.
func (c *Change) valuesLeft(f *testFile) (list []weaker) {
	for _, one := range f.head {
		was := one.twin
		if one.Group || was == nil || was.in != one.in || one.mark > 0 || one.End-one.Body > maxBody {
			continue
		}
		if before, now := lookInto(was), lookInto(one); now.assertions == 0 || now.assertions >= before.assertions {
			continue
		}
		removed := linesFrom(f.Removed(), was.Body)
		removed = removed[:len(removed)-len(linesFrom(removed, was.End+1))]
		claims := f.claims(f.Base, removed[:min(len(removed), maxHunk)])
		for _, s := range claims {
			if s.level < partial || len(s.subjects) == 0 || wordEnd([]byte(s.subjects[0])) != len(s.subjects[0]) {
				continue
			}
			if line := one.unseen(s.subjects[0]); line > 0 {
				list = append(list, weaker{line, s.line(), string(f.Head.Line(line)),
					"the assertion is gone, and nothing looks at " + s.subjects[0] + " any more"})
			}
		}
	}
	return list
}

// linesFrom are the lines of a list from a number on.
func linesFrom(lines []linediff.Line, number int) []linediff.Line {
	i, _ := slices.BinarySearchFunc(lines, number, func(l linediff.Line, n int) int { return l.Number - n })
	return lines[i:]
}

var setShape = input.Lazily(`^(?:(?:const|let|var|val|final|auto|int|long|double|boolean|bool|string|String|let mut|\w+(?:<[^=]*>)?)\s+)?(?:mut\s+)?(\w+)(?:\s*:\s*[^=]+)?\s*:?=[^=]`)

// unseen is the line of a test that sets a variable which no other line looks at; 0 for any other.
func (t *testCase) unseen(name string) (line int) {
	for n := t.Body; n <= t.End; n++ {
		code := bytes.TrimSpace(t.of.CodeLine(n))
		if len(code) > maxStatementBytes || (wordAt(code, []byte(name)) < 0 && wordAt(t.of.Line(n), []byte(name)) < 0) {
			continue
		}
		switch m := setShape().FindSubmatch(code); {
		case oneOf(string(bytes.TrimRight(squeeze(nil, code), ";")), "_="+name, "let_="+name, "void"+name, name):
		case m != nil && string(m[1]) == name && line == 0 && wordAt(code[bytes.IndexByte(code, '='):], []byte(name)) < 0:
			line = n
		default:
			return 0
		}
	}
	return line
}

// addedKeys are the added lines without blanks: an assertion among them was only moved or indented.
func (f *File) addedKeys() map[string]bool {
	keys := map[string]bool{}
	for _, l := range f.Added() {
		keys[lineKey(l.Text)] = true
	}
	return keys
}

// onlyLiterals reports whether assertions differ from those before in literals only, of which none is a tolerance or an
// error. It saves the reading of them.
func onlyLiterals(removed, added []*assertStatement) bool {
	if len(removed) != len(added) {
		return false
	}
	for i, s := range added {
		if shape(removed[i].code) != shape(s.code) || s.loosens(removed[i]) {
			return false
		}
	}
	return true
}

// assertStatement is an assertion in its place.
type assertStatement struct {
	lang source.Lang
	claim
	statement
	guarded bool // it is reached only where it is true
}

func (s *assertStatement) line() string { return strings.Join(strings.Fields(string(s.text)), " ") }

// claims are the assertions that changed lines belong to.
func (f *File) claims(v *source.File, lines []linediff.Line) []*assertStatement {
	list := f.statements(v, lines)
	f.read(list)
	return list
}

// read finds out what assertions say. What is not understood can still expect an error.
func (f *File) read(list []*assertStatement) {
	for _, s := range list {
		s.claim, _ = claimOf(f.Lang(), s.statement)
	}
}

// statements are the assertions that changed lines belong to, unread.
func (f *File) statements(v *source.File, lines []linediff.Line) (list []*assertStatement) {
	last := 0
	for _, l := range lines {
		if l.Number <= last || len(l.Text) > maxStatementBytes {
			continue
		}
		s, ok := f.statementOf(v, l.Number)
		if !ok {
			continue
		}
		last = s.last
		list = append(list, &assertStatement{lang: f.Lang(), statement: s})
	}
	return list
}

// statementOf is the assertion that a line belongs to.
func (f *File) statementOf(v *source.File, line int) (s statement, ok bool) {
	for first := line; first > 0 && first > line-10; first-- {
		text := v.CodeLine(first)
		if len(text) > maxStatementBytes {
			return s, false
		}
		if !isAssertion(f.Lang(), text) && !isGoFailure(f.Lang(), v, first) {
			continue
		}
		s, ok = statementAt(v, first)
		return s, ok && s.last >= line
	}
	return s, false
}

// isGoFailure reports whether a line is the condition of a failure: if got != want { and t.Fatal below.
func isGoFailure(lang source.Lang, v *source.File, line int) bool {
	if lang != source.Go {
		return false
	}
	s := span{v.CodeLine(line), v.Line(line)}.trim()
	if len(s.code) < 5 || string(s.code[:3]) != "if " || s.code[len(s.code)-1] != '{' {
		return false
	}
	kind, start := findAssertion(lang, v.CodeLine(line+1))
	return kind == sureAssertion && goFailure(wordBefore(v.CodeLine(line+1), start),
		string(v.CodeLine(line + 1)[start:start+wordEnd(v.CodeLine(line + 1)[start:])]))
}

// accepts finds the removed assertion that was the same but accepted less: another number, or another error in the same
// place.
func (s *assertStatement) accepts(removed []*assertStatement, place, places int) *assertStatement {
	for _, was := range removed {
		if s.loosens(was) || s.gainsTolerance(was) || s.echoes(was) {
			return was
		}
	}
	if places == len(removed) && s.widens(removed[place]) {
		return removed[place]
	}
	return nil
}

// weakens finds the removed assertion that this one says less than.
func (s *assertStatement) weakens(removed []*assertStatement) *assertStatement {
	for _, was := range removed {
		if s.level != unclear && was.level > s.level && (was.level == exact || (was.level == partial && s.isPresence())) &&
			!isNothing(was.matcher) && s.about(was) != "" && !s.same(was) {
			return was
		}
	}
	return nil
}

// expects reports whether an assertion compares something else with the same literal: a line was inserted before it.
func (s *assertStatement) expects(was *assertStatement) bool {
	return s.level == exact && len(was.expected) > 0 && slices.Equal(s.expected, was.expected)
}

// about is the subject that two assertions share, "" for none.
func (s *assertStatement) about(was *assertStatement) string {
	for _, subject := range was.subjects {
		for _, now := range s.subjects {
			if now == subject || bare(now) == subject {
				return subject
			}
		}
	}
	return ""
}

// wrappers are what stands around a subject of which only a part is asked for.
var wrappers = [][2]string{
	{"len(", ")"}, {"", ".length"}, {"", ".len()"}, {"", ".size()"}, {"", ".Count"}, {"", ".Length"}, {"", ".size"},
	{"", ".count"}, {"", ".is_some()"}, {"", ".is_ok()"},
	{"", ".isPresent()"}, {"", ".present?"}, {"", ".nil?"}, {"", ".is_empty()"}, {"", ".Any()"}, {"", ".empty?"},
	{"Object.keys(", ")"}, {"", "!"},
}

func bare(subject string) string {
	for _, w := range wrappers {
		if rest, found := strings.CutPrefix(subject, w[0]); found {
			if rest, found = strings.CutSuffix(rest, w[1]); found {
				return rest
			}
		}
	}
	return subject
}

// same reports whether an assertion that looks looser says the same: x == true and x, x == None and x is None.
func (s *assertStatement) same(was *assertStatement) bool {
	matcher := strings.ToLower(s.matcher)
	if s.level == exists && s.opposite(was) {
		return true
	}
	for _, e := range was.expected {
		switch e {
		case "true", "True", "false", "False", "nil", "null", "None", "undefined", "Some(true)":
			return !has(matcher, "defined", "notn") && !oneOf(matcher, "or", "||")
		case `""`, "''", "[]", "{}", "0", "[]string{}":
			return s.level == exists && !oneOf(matcher, "or", "||") && !has(matcher, "defined")
		}
	}
	return false
}

// isPresence reports whether an assertion only says that its subject is there.
func (s *assertStatement) isPresence() bool {
	name := strings.ToLower(strings.ReplaceAll(s.matcher, "_", ""))
	return s.truth || has(" notnil notnull notempty notbenull notbeempty isnotnull isnotnone isnotempty tobedefined tobetruthy exists isnotnil isnot != ", " "+strings.TrimPrefix(name, "assert")+" ")
}

// opposite reports whether an assertion says that something is not what it was before: the behavior changed. Or it asks
// whether a truth value is true, in a language where only those can be asked.
func (s *assertStatement) opposite(was *assertStatement) bool {
	if s.truth && s.lang != source.Python && !isScript(s.lang) && s.lang != source.Ruby {
		return slices.Contains(was.subjects, s.subjects[0])
	}
	all := func(s *assertStatement) []string {
		return slices.Sorted(slices.Values(slices.Concat(s.subjects, s.expected)))
	}
	return len(s.subjects)+len(s.expected) > 1 && slices.Equal(all(s), all(was))
}

func (s *assertStatement) describe(was *assertStatement) string {
	return fmt.Sprintf("the assertion about %s compared with %s and says less now: %s", clip(s.about(was), 60),
		was.matcher, s.matcher)
}

// strongSubjects are what the added assertions of a file are exact about.
func (f *File) strongSubjects() (list []string) {
	for _, s := range f.claims(f.Head, f.Added()) {
		if s.level == exact {
			list = append(list, s.subjects...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// stillStrong reports whether an added assertion is exact about a subject, or about a part of it.
func stillStrong(strong []string, subject string) bool {
	for _, s := range strong[:min(len(strong), 10_000)] {
		if i := strings.Index(s, subject); i >= 0 {
			if end := i + len(subject); (i == 0 || !source.IsWord(s[i-1])) && (end == len(s) || !source.IsWord(s[end])) {
				return true
			}
		}
	}
	return false
}

// raising are what begins the name of an error that a test expects, and what ends it.
var raising = []string{
	"raises(", "assertRaises(", "assertRaisesRegex(", "assertThrows(", "Throws<", "ThrowsAsync<", "ThrowAsync<", "Throw<",
	"raise_error(", "raise_error", "toThrow(",
	"toThrowError(", "isInstanceOf(", "should_panic",
}

// broad are the errors that nearly every error is.
const broad = " Exception BaseException Throwable RuntimeException Error StandardError Exception.class Throwable.class RuntimeException.class System.Exception "

// raised is the error that a statement expects, and what is known of its text.
func raised(s *statement) (class, rest string, ok bool) {
	for _, word := range raising {
		i := bytes.Index(s.code, []byte(word))
		if i < 0 || (i > 0 && source.IsWord(s.code[i-1])) {
			continue
		}
		tail := s.text[i+len(word):]
		if last := word[len(word)-1]; last != '(' && last != '<' {
			tail = bytes.TrimLeft(tail, " (")
		}
		tail = bytes.TrimLeft(tail, " \t\r\n")
		if len(tail) == 0 {
			return "", "", true
		}
		end := bytes.IndexAny(tail, ",)>\n]")
		if end < 0 {
			return "", "", false
		}
		return strings.TrimSpace(string(tail[:end])), string(squeeze(nil, tail[end:])), true
	}
	return "", "", false
}

// widens reports whether an assertion accepts every error, or one without its text, where it accepted one.
func (s *assertStatement) widens(was *assertStatement) bool {
	before, beforeRest, ok := raised(&was.statement)
	if !ok || before == "" || isIn(before, broad) {
		return false
	}
	after, afterRest, ok := raised(&s.statement)
	if !ok {
		return false
	}
	if after == "" || isIn(after, broad) {
		return true
	}
	// Who names the error compares its text below.
	return after == before && has(beforeRest, "match=") && !has(afterRest, "match=", ")as")
}

// tolerances are the names of arguments that say how far a value may be away. With those of the second list, less is
// more.
var (
	tolerances = []string{"delta=", "rel=", "abs=", "rtol=", "atol=", "abs_tol=", "rel_tol=", "epsilon=", "delta:",
		"tolerance:", "within("}
	precisions = []string{"places=", "decimal=", "precision:"}
)

// isWide reports whether an assertion names a tolerance of one or more.
func isWide(key string) bool {
	for _, name := range slices.Concat(tolerances, []string{"offset("}) {
		for _, rest, found := strings.Cut(key, name); found; _, rest, found = strings.Cut(rest, name) {
			end := 0
			for end < len(rest) && isNumber(rest[end]) {
				end++
			}
			if tolerance, err := strconv.ParseFloat(rest[:end], 64); err == nil && tolerance >= 1 {
				return true
			}
		}
	}
	return false
}

// gainsTolerance reports whether an assertion accepts what is away by one or more, and accepted nothing else.
func (s *assertStatement) gainsTolerance(was *assertStatement) bool {
	if was.level != exact || s.about(was) == "" {
		return false
	}
	before, after := string(squeeze(nil, was.text)), string(squeeze(nil, s.text))
	if isWide(after) {
		return !isWide(before)
	}
	rest, more := strings.CutPrefix(after, strings.TrimSuffix(strings.TrimRight(before, ";"), ")")+",") // assertEquals(5, x) becomes assertEquals(5, x, 100.0)
	delta, err := strconv.ParseFloat(strings.TrimRight(rest, ";)fFdD"), 64)
	return more && has(after, "assertEquals(") && err == nil && delta >= 1
}

// echoes reports whether an assertion compares what it is about with itself, where it was compared with a literal.
func (s *assertStatement) echoes(was *assertStatement) bool {
	if was.level != exact || len(was.expected) == 0 {
		return false
	}
	before, after := string(squeeze(nil, was.text)), string(squeeze(nil, s.text))
	for _, subject := range was.subjects {
		if has(subject, "(") && strings.Count(before, subject) == 1 && strings.Count(after, subject) == 2 &&
			strings.Replace(before, was.expected[0], subject, 1) == after {
			return true
		}
	}
	return false
}

// loosens reports whether an assertion is the same but for a number that says how exact it is.
func (s *assertStatement) loosens(was *assertStatement) bool {
	before, after := string(squeeze(nil, was.text)), string(squeeze(nil, s.text))
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for start > 0 && isNumber(before[start-1]) {
		start--
	}
	for end > 0 && isNumber(before[len(before)-end]) {
		end--
	}
	x, errX := strconv.ParseFloat(before[start:max(start, len(before)-end)], 64)
	y, errY := strconv.ParseFloat(after[start:max(start, len(after)-end)], 64)
	if errX != nil || errY != nil || x == y {
		return false
	}
	return (y > x && isTolerance(after[:start])) || (y < x && isPrecision(after[:start]))
}

func isNumber(c byte) bool { return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' }

func isTolerance(before string) bool {
	for _, name := range tolerances {
		if ends(before, name) {
			return true
		}
	}
	return ends(before, ",") && (has(before, "InDelta", "InEpsilon", "assert_in_delta"))
}

func isPrecision(before string) bool {
	for _, name := range precisions {
		if ends(before, name) {
			return true
		}
	}
	return ends(before, ",") && (has(before, "toBeCloseTo(", "assertAlmostEqual("))
}
