package rules

import (
	"bytes"
	"fmt"
	"regexp"
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
	c.tests()
	for _, f := range c.Files {
		list := f.weakened()
		if len(list) == 0 {
			continue
		}
		h := list[0]
		h.File = f.Path
		h.Fix = "restore the assertion, and correct the code; where the old expectation was wrong, assert the right value"
		if n := len(list) - 1; n > 0 {
			h.Detail += fmt.Sprintf("; and %d more in this file", n)
		}
		report(h)
	}
}

// maxHunk is how many lines of one side of a hunk are compared: what is larger was written anew.
const maxHunk = 60

func (f *File) weakened() (list []Hit) {
	if f.Head == nil || !f.hadTests() {
		return nil
	}
	all := sync.OnceValue(func() []*Assertion { return assertionsOf(f.Head, f.Added()) })
	strong := sync.OnceValue(func() []string { return strongSubjects(all()) })
	added := sync.OnceValue(func() map[string]bool { return assertionKeys(all()) })
	waitsItself := sync.OnceValue(func() bool { return has(f.Head.Code, "NUnit.Framework") })
	isThere := func(s *Assertion) bool { return added()[s.key] }
	asked := 0 // how often all that is exact was looked through
	isStrong := func(subject string) bool {
		asked++
		return asked <= maxPlaces && stillStrong(strong(), subject)
	}
	for _, hunk := range f.Hunks() {
		if len(hunk.Added) == 0 || max(len(hunk.Removed), len(hunk.Added)) > maxHunk {
			continue
		}
		removed := assertionsOf(f.Base, hunk.Removed)
		if len(removed) == 0 {
			continue
		}
		list = append(list, f.callsLeft(removed, hunk.Added, waitsItself)...)
		fresh := assertionsOf(f.Head, hunk.Added)
		if onlyLiterals(removed, fresh) {
			continue
		}
		for i, now := range fresh {
			was, how := now.accepts(removed, i, len(fresh)), "the assertion accepts more than before"
			if i < len(removed) && len(fresh) <= len(removed) && now.begins(removed[i]) {
				was, how = removed[i], "of the assertion only the first part is left"
			}
			if was == nil || isThere(was) {
				if was = now.weakens(removed); was == nil || isThere(was) || isStrong(now.about(was)) ||
					slices.ContainsFunc(fresh, func(s *Assertion) bool { return s.expects(was, now) }) {
					continue
				}
				how = fmt.Sprintf("the assertion about %s compared with %s and says less now: %s", clip(now.about(was), 60), was.matcher,
					now.matcher)
			}
			list = append(list, now.hit(was, how))
		}
	}
	return list
}

// callsLeft finds assertions of which a place has only the call, the comparison or a message left. Most assertions of
// NUnit wait for what they are about themselves.
func (f *File) callsLeft(removed []*Assertion, added []linediff.Line, waitsItself func() bool) (list []Hit) {
	for _, l := range added {
		if len(l.Text) > maxStatementBytes || isArgument(f.Head, l.Number) {
			continue
		}
		key := strings.TrimRight(liveKey(f.Head, l.Number), ";")
		call := key
		for _, start := range []string{"await", "let_=", "_="} {
			call = strings.TrimPrefix(call, start)
		}
		isAsserted := asserts(f.Head, l.Number)
		for _, was := range removed {
			how := ""
			switch {
			case has(key, ".rejects", ".resolves.", ".doesNotReject(", "Async<", "Async(") && !begins(key, "await") && oneOf(was.key, "await"+call, "return"+call) &&
				(has(key, "ThatAsync", "MultipleAsync") || !begins(key, "Assert.") || !waitsItself()):
				how = "nothing waits for the assertion any more"
			case was.silenced(call):
				how = "the failure counts no more, or in some builds only"
			case isAsserted:
			case was.isAbout(call, bytes.TrimLeft(l.Text, " \t")) && !f.isLookedAt(l.Number):
				how = "the assertion is gone, and its call stays"
			}
			if how != "" {
				list = append(list, Hit{Line: l.Number, Was: was.line(), Now: string(l.Text), Detail: how})
			}
		}
	}
	return list
}

// isLookedAt reports whether a line lies in a block that must end with an error, or of which Ruby keeps the value.
func (f *File) isLookedAt(line int) bool {
	around := f.Head.Enclosing(line)
	if len(around) == 0 || around[len(around)-1] == line {
		return false
	}
	n := around[len(around)-1]
	head := f.Head.CodeLine(n)
	kind, _ := findAssertion(f.Lang(), head[:min(len(head), maxStatementBytes)])
	name, _ := setOn(f.Head, n)
	return kind == sureAssertion || (name != "" && f.Lang() == source.Ruby)
}

// quieter are what some assertions begin with, and what says the same, but fails nothing.
var quieter = map[source.Lang][][2]string{
	source.Go: {{".Error", ".Log"}, {".Fatal", ".Log"}, {".Error", ".Skip"}, {".Fatal", ".Skip"},
		{".FailNow(", ".SkipNow("}, {".Equal(t,", ".ObjectsAreEqual("}},
	source.CSharp: {{"Assert.That(", "Warn.Unless("}}, source.Rust: {{"assert", "debug_assert"}},
}

// silenced reports whether a call says what an assertion says, but fails nothing.
func (s *Assertion) silenced(call string) bool {
	return slices.ContainsFunc(quieter[plainLang(s.lang)], func(pair [2]string) bool {
		before, after, found := strings.Cut(s.key, pair[0])
		return found && call == before+pair[1]+after
	})
}

// isAbout reports whether a line has no more than the call or the comparison that an assertion is about.
func (s *Assertion) isAbout(call string, line []byte) bool {
	if begins(line, "let _ =") && ends(s.key, "("+call+")", ","+call+")") {
		return true
	}
	if (s.rank < partial && !begins(s.matcher, "NoError")) || begins(s.matcher, "not.") {
		return false
	}
	if s.lang == source.Python && has(line, "=") && s.key == "assert"+call {
		return true
	}
	if left, right, compares := strings.Cut(call, "=="); compares { // a comparison alone
		terms := s.terms()
		return slices.Contains(terms, left) && slices.Contains(terms, strings.TrimPrefix(right, "="))
	}
	return slices.ContainsFunc(s.subjects, func(subject string) bool {
		return strings.TrimPrefix(subject, "await") == call && (has(subject, "(") || has(line, "="))
	})
}

// between are the lines of a list with the numbers from one to another.
func between(lines []linediff.Line, from, to int) []linediff.Line {
	place := func(number int) int {
		i, _ := slices.BinarySearchFunc(lines, number, func(l linediff.Line, n int) int { return l.Number - n })
		return i
	}
	return lines[place(from):place(max(from, to+1))]
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
// error.
func onlyLiterals(removed, added []*Assertion) bool {
	return slices.EqualFunc(removed, added, func(was, now *Assertion) bool {
		return shape(was.code) == shape(now.code) && !now.loosens(was) && !now.widens(was)
	})
}

// accepts finds the removed assertion that was the same but accepted less: another number, or another error in the same
// place.
func (s *Assertion) accepts(removed []*Assertion, place, places int) *Assertion {
	for _, was := range removed {
		if s.loosens(was) || s.gainsTolerance(was) {
			return was
		}
	}
	if places <= len(removed) && s.widens(removed[place]) {
		return removed[place]
	}
	return nil
}

// saysMore matches what an assertion goes on with, where that says more.
var saysMore = input.Lazily(`^\.(?:with|once|twice|exactly|times|and|that|which|have|include|equal|is[A-Z]|has[A-Z]|contains|And|Which)`)

// begins reports whether an assertion is only the first part of another one: without a link of its chain, or without
// the value of a property.
func (s *Assertion) begins(was *Assertion) bool {
	if rest, is := strings.CutPrefix(was.key, s.key); is && s.rank > unclear {
		return saysMore().MatchString(rest)
	}
	start, isCall := strings.CutSuffix(s.key, ")")
	return isCall && begins(plainName(s.matcher), "property", "attribute") && begins(was.key, start+",") && !begins(was.key, start+",)")
}

// weakens finds the removed assertion that this one says less than.
func (s *Assertion) weakens(removed []*Assertion) *Assertion {
	for _, was := range removed {
		if s.rank != unclear && was.rank > s.rank && (was.rank == exact || (was.rank == partial && s.isPresence())) &&
			!begins(was.matcher, "not.", "assert_not_") && !isIn(plainName(was.matcher), nothings) && s.about(was) != "" && !s.same(was) {
			return was
		}
	}
	return nil
}

// expects reports whether an assertion compares something else with the same literal: a line was inserted before it.
// Where that line denies something, the other assertion may look for the literal as a part.
func (s *Assertion) expects(was, inserted *Assertion) bool {
	isExact := s.rank == exact || has(strings.ToLower(inserted.matcher), "not")
	return isExact && len(was.expected) > 0 && slices.Equal(s.expected, was.expected)
}

// about is the subject that two assertions share, "" for none. A constant that something was compared with is none.
func (s *Assertion) about(was *Assertion) string {
	for i, subject := range was.subjects {
		if c := at(subject, 0); i == 0 && len(was.subjects) > 1 && c >= 'A' && c <= 'Z' && !has(subject, "(", "[") {
			continue
		}
		for _, now := range s.subjects {
			// Another function with the same arguments that answers itself says all that there is to know.
			isAnswer := begins(s.matcher, "not.") || (bare(now) == now && oneOf(plainName(s.matcher), "true", "false"))
			if now == subject || bare(now) == subject || (s.rank == exists && !isAnswer && isSource(bare(now), subject)) {
				return subject
			}
		}
	}
	return ""
}

// isSource reports whether a call has the same arguments as a subject, with a literal among them.
func isSource(call, subject string) bool {
	_, args, _ := strings.Cut(call, "(")
	return strings.ContainsAny(args, `"'`) && ends(subject, "("+args)
}

// wrapped matches a subject of which only a part is asked for: how many it has, whether it is there.
var wrapped = input.Lazily(`^(?:len|Object\.keys)\((.*)\)$|^(.*)(?:\.(?:len\(\)|size\(\)|[Ll]ength|[Cc]ount|size|is_some\(\)|is_ok\(\)|` +
	`isPresent\(\)|present\?|nil\?|is_empty\(\)|isNotEmpty\(\)|Any\(\)|empty\?)|!)$`)

func bare(subject string) string {
	subject = strings.TrimPrefix(subject, "typeof")
	if m := wrapped().FindStringSubmatch(subject); m != nil {
		return m[1] + m[2]
	}
	return subject
}

// same reports whether an assertion that looks looser says the same: x == true and x, x == None and x is None.
func (s *Assertion) same(was *Assertion) bool {
	matcher := strings.ToLower(s.matcher)
	switch {
	case s.rank == exists && s.opposite(was),
		isIn(plainName(s.matcher), lengths) && slices.Equal(s.expected, []string{"0"}), // nothing is there now
		begins(matcher, "noerror") && has(was.matcher, "Error", "errors."),             // nothing fails now
		s.matcher == was.matcher && len(s.expected) > len(was.expected) && // it asks for more arguments
			slices.Equal(s.expected[:len(was.expected)], was.expected):
		return true
	}
	for _, e := range was.expected {
		switch e {
		case "true", "True", "false", "False", "nil", "null", "None", "undefined", "Some(true)":
			return !has(matcher, "defined", "notn") && !oneOf(matcher, "or", "||")
		case `""`, "''", "[]", "{}", "0", "[]string{}":
			isMore := has(matcher, "contain", "include") || (matcher == ">" && !begins(strings.Join(s.expected, ""), "-"))
			return (s.rank == exists || isMore) && !oneOf(matcher, "or", "||") && !has(matcher, "defined")
		}
	}
	return false
}

// isPresence reports whether an assertion only says that its subject is there.
func (s *Assertion) isPresence() bool {
	return s.truth || isIn(plainName(s.matcher), presence+"notnullvalue notempty truthy exists not != ")
}

// opposite reports whether an assertion says that something is not what it was before: the behavior changed. Or it asks
// whether a truth value is true, in a language where only those can be asked.
func (s *Assertion) opposite(was *Assertion) bool {
	if s.truth && s.lang != source.Python && !isScript(s.lang) && s.lang != source.Ruby {
		return slices.Contains(was.subjects, s.subjects[0])
	}
	terms := s.terms()
	return len(terms) > 1 && slices.Equal(terms, was.terms())
}

// strongSubjects are what some assertions are exact about.
func strongSubjects(assertions []*Assertion) (list []string) {
	for _, s := range assertions {
		if s.rank == exact {
			list = append(list, s.subjects...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// stillStrong reports whether an added assertion is exact about a subject, or about a part of it.
func stillStrong(strong []string, subject string) bool {
	return slices.ContainsFunc(strong[:min(len(strong), 10_000)], func(s string) bool {
		return hasWord([]byte(s), subject)
	})
}

// raised matches the error that a test expects; its groups are the error and what is known of its text.
var raised = input.Lazily(`(?s)(?:^|\W)(?:Test\(expected ?= ?|(?:(?:assert_)?raises|assertRaises(?:Regex)?|assertThrows|toThrow(?:Error)?|isInstanceOf)\(|(?:assert|should)?Throws?(?:Any)?(?:Async)?<|assertFailsWith<|Throws\.(?:(?:TypeOf|InstanceOf)<)?|` +
	`raise_error[ (]*|should_panic[ (]*|shouldThrowAny)\s*([^,)>\n\]]*)(.*)`)

// broad are the errors that nearly every error is.
const broad = "  Exception BaseException Throwable RuntimeException Error StandardError Exception.class Throwable.class RuntimeException.class System.Exception "

// widens reports whether an assertion accepts every error, or one without its text, where it accepted one.
func (s *Assertion) widens(was *Assertion) bool {
	before, after := raised().FindSubmatch(was.text), raised().FindSubmatch(s.text)
	if before == nil || after == nil {
		return false
	}
	old, now := string(bytes.TrimSpace(before[1])), string(bytes.TrimSpace(after[1]))
	switch {
	case isIn(old, broad), has(was.text, "ThrowAny"):
		return false
	case isIn(now, broad), begins(now, "{") && has(s.text, "ThrowAny"):
		return true
	}
	// Who names the error compares its text below.
	hasText := has(squeeze(nil, after[2]), "match=", ")as") || has(s.text, "Regex(")
	return now == old && has(squeeze(nil, before[2]), "match=") && (!hasText || has(after[2], `".*"`))
}

// What stands before a number that says how far a value may be away. With precise, less is more.
var (
	tolerant = input.Lazily(`((?:delta=|rel=|abs=|rtol=|atol=|abs_tol=|rel_tol=|epsilon=|delta:|tolerance:|[tT]hreshold:|maxDiffPixel\w*:|[wW]ithin\(|offset\(|\babs\(.*\)<=?)|(?:InDelta|InEpsilon|assert_in_delta|BeApproximately\().*,)([-.e_\d]+)`)
	precise  = input.Lazily(`((?:places=|decimal=|precision:|(?:toBeCloseTo|assertAlmostEqual)\(.*,|Assert\.Equal\(.*,.*,))([-.e_\d]+)`)
	third    = input.Lazily(`(assertEquals\((?:[^,()]|\([^()]*\))*,.*,)([-.e_\d]+)[fFdD]?\);?$`) // of JUnit
)

// numbers are those behind what a pattern matches in an assertion, and the assertion without them.
func numbers(pattern *regexp.Regexp, key string) (list []float64, rest string) {
	for _, m := range pattern.FindAllStringSubmatch(key, -1) {
		if n, err := strconv.ParseFloat(strings.ReplaceAll(m[2], "_", ""), 64); err == nil {
			list = append(list, n)
		}
	}
	return list, pattern.ReplaceAllString(key, "$1#")
}

// isWide reports whether an assertion names a tolerance of one or more.
func isWide(key string) bool {
	list, _ := numbers(tolerant(), key)
	return len(list) > 0 && slices.Max(list) >= 1
}

// gainsTolerance reports whether an assertion accepts what is away by one or more, and accepted nothing else.
func (s *Assertion) gainsTolerance(was *Assertion) bool {
	if was.rank != exact || s.about(was) == "" {
		return false
	}
	if isWide(s.key) {
		return !isWide(was.key)
	}
	// assertEquals(5, x) becomes assertEquals(5, x, 100.0)
	rest, more := strings.CutPrefix(s.key, strings.TrimSuffix(was.key, ")")+",")
	delta, err := strconv.ParseFloat(strings.TrimRight(rest, ")fFdD"), 64)
	return more && has(s.key, "assertEquals(") && err == nil && delta >= 1
}

// loosens reports whether an assertion is the same but for a number that says how exact it is.
func (s *Assertion) loosens(was *Assertion) bool {
	grows := func(pattern *regexp.Regexp, from, to string) bool {
		before, same := numbers(pattern, from)
		after, rest := numbers(pattern, to)
		return same == rest && len(before) == len(after) && slices.Compare(after, before) > 0
	}
	differ := 0
	for at(was.key, differ) == at(s.key, differ) && differ < len(s.key) {
		differ++
	}
	isNumber := func(key string) bool { return strings.IndexByte("-.e_0123456789", at(key, differ)) >= 0 }
	return was.key != s.key && (isNumber(was.key) || isNumber(s.key)) &&
		(grows(tolerant(), was.key, s.key) || grows(third(), was.key, s.key) || grows(precise(), s.key, was.key))
}
