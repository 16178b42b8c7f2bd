package rules

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// rank tells how much an assertion says about its subject.
type rank int8

const (
	unclear rank = iota // not understood
	exists              // that it is there, true, called, without error
	partial             // something about it: what it contains, its type, its size, a bound
	exact               // what it is
)

// meaning is what an assertion says.
type meaning struct {
	rank     rank
	subjects []string // what it is about, without blanks
	matcher  string   // the word that compares
	truth    bool     // it says that its subject is true, or false
	expected []string // what it is compared with, where that is a literal, without blanks
	sides    []span   // the two that must be equal, or the one that must be true or false, or there
	want     certainty
	present  bool // it says no more than that its side is there
}

// meaningOf reads the surest assertion of a statement.
func meaningOf(s statement) (c meaning) {
	lang, all := s.lang, span{s.code, s.text}
	if lang == source.Go {
		if c, ok := goCondition(all); ok {
			return c
		}
	}
	kind, start, word, rest := s.surest()
	if kind == noAssertion {
		return c
	}
	switch {
	case beginsWithWord(word, "should") && lang != source.Python, lang == source.Ruby && beginsWithWord(word, "must") &&
		at(s.code, start-1) == '.':
		return suffixMeaning(all.cut(0, start), word, rest)
	case word == "assert" && (lang == source.Python || (lang == source.Java && nextByte(rest.code) != '(' && at(rest.code, 0) != '.')):
		return expressionMeaning(firstOf(rest))
	case lang == source.Python && at(s.code, start-1) == '.' && mocked().MatchString(word):
		return mockMeaning(all.cut(0, start-1), word, rest)
	case beginsWithWord(word, "expect") && lang != source.Python, word == "assertThat":
		return chainMeaning(lang, rest, ends(word, "WithOffset")) // ExpectWithOffset(1, x)
	}
	return callMeaning(lang, word, rest)
}

// isUnderstood reports whether it is known what an assertion says about what.
func (c *meaning) isUnderstood() bool { return c.rank != unclear && len(c.subjects) > 0 }

// mocked matches the assertions of Python's mocks.
var mocked = input.Lazily(`^assert_(?:(?:not_)?(?:called|awaited)|any_call|has_calls)`)

// mockMeaning reads mock.assert_called_once_with(x).
func mockMeaning(mock span, word string, rest span) meaning {
	c := meaning{rank: exact, matcher: word, subjects: []string{mock.trim().key()}}
	if oneOf(strings.TrimSuffix(word, "_once"), "assert_called", "assert_awaited") {
		c.rank = exists
	}
	args, _, _ := arguments(rest)
	specific := func(arg span) bool {
		name, value, named := strings.Cut(arg.key(), "=")
		return !isAnything(value) && (named || !isAnything(name))
	}
	if len(args) > 0 && !slices.ContainsFunc(args, specific) {
		c.rank = exists
	}
	return c
}

// firstOf is the condition of a keyword assertion, without its message.
func firstOf(rest span) span {
	first := split(rest, ",")[0]
	return first.cut(0, len(bytes.TrimSuffix(first.code, []byte(";")))).trim()
}

// link is a part of a chain of calls: .name(args)
type link struct {
	name   string
	args   []span
	called bool
}

// links are the parts of a chain.
func links(s span) []link {
	var list []link
	for len(list) < 20 {
		s = s.trim()
		i := 0
		for i < len(s.code) && (s.code[i] == '.') {
			i++
		}
		end := i + source.WordEnd(s.code[i:])
		if i == 0 || end == i {
			break
		}
		l := link{name: string(s.code[i:end])}
		s = s.cut(end, len(s.code))
		if args, rest, ok := arguments(s); ok {
			l.args, l.called, s = args, true, rest
		}
		list = append(list, l)
		if !l.called && len(s.code) > 0 && (s.code[0] == ' ' || s.code[0] == '\n') {
			// Ruby: a matcher without brackets.
			if word := words(s.trim()); word.name != "" {
				list = append(list, word)
			}
			break
		}
	}
	return list
}

// words is a call without brackets: eq 1
func words(s span) link {
	end := source.WordEnd(s.code)
	l := link{name: string(s.code[:end])}
	rest := s.cut(end, len(s.code))
	if args, _, ok := arguments(rest); ok {
		l.args = args
	} else if rest = rest.trim(); len(rest.code) > 0 {
		l.args = split(rest, ",")
	}
	return l
}

// chainMeaning reads expect(x).toBe(1), assertThat(x).isEqualTo(1), expect(x).to eq(1), Expect(x).To(Equal(1)).
func chainMeaning(lang source.Lang, rest span, isOffset bool) (c meaning) {
	args, tail, ok := arguments(rest)
	if ok && isOffset && len(args) > 0 {
		args = args[1:]
	}
	if !ok || len(args) == 0 {
		return c
	}
	if lang == source.Java && len(args) == 2 { // assertThat(x, is(1))
		return matcherMeaning(args[:1], words(args[1]), false)
	}
	return linksMeaning(args[:1], links(tail))
}

// linksMeaning is that of the matcher in a chain which says most about some subjects.
func linksMeaning(subjects []span, list []link) (c meaning) {
	negated := false
	for i, l := range list {
		switch name := plainName(l.name); {
		case isIn(name, " resolves rejects "):
			defer func() { c.sides = nil }()
		// Expect(x).To(Equal(1)), expect(x).to(eq(1))
		case isIn(name, " not notto tonot shouldnot to should eventually ") && len(l.args) > 0:
			return matcherMeaning(subjects, words(l.args[0]), negated || has(name, "not"))
		case isIn(name, " not notto tonot shouldnot to should eventually "):
			negated = negated || has(name, "not")
		case l.called || i == len(list)-1:
			if best := matcherMeaning(subjects, l, negated); best.rank > c.rank {
				c = best
			}
		}
	}
	return c
}

// suffixMeaning reads x.Should().Be(1), x.ShouldBe(1), x.should eq(1).
func suffixMeaning(subject span, word string, rest span) (c meaning) {
	subject = subject.cut(0, len(bytes.TrimRight(subject.code, ".!? \n")))
	start := len(subject.code)
	for depth := 0; start > 0 && (depth < 0 || strings.IndexByte("([;{}=\n", subject.code[start-1]) < 0); start-- {
		depth += depthOf(subject.code[start-1 : start])
	}
	if i := bytes.LastIndex(subject.code, []byte("await ")); i >= start {
		start = i + len("await ")
	}
	if subject = subject.cut(start, len(subject.code)).trim(); len(subject.code) == 0 {
		return c
	}
	args, tail, isCall := arguments(rest)
	list := links(tail)
	switch {
	case !oneOf(word, "Should", "should"): // x.ShouldBeOfType<T>().ShouldBe(1)
		list = append([]link{{word, args, true}}, list...)
	case !isCall:
		list = []link{words(rest.trim())}
	}
	return linksMeaning([]span{subject}, list)
}

// The plain names of matchers that say that two values are equal, or one true, false or there.
const (
	equals   = " equal equals eq eql be equalto sameas same strictequal deepequal deepstrictequal exactly is areequal aresame "
	affirmed = " truthy true "
	presence = " notnull notnil notnone defined "
	absent   = " null undefined nil "
	denied   = " falsy falsey false "
)

// matcherMeaning is the meaning of a matcher about subjects.
func matcherMeaning(subjects []span, m link, negated bool) (c meaning) {
	name := plainName(m.name)
	c.matcher = m.name
	c.rank = rankOf(name)

	if negated || begins(name, "not") {
		if c.rank = exists; m.name == "" {
			c.rank = unclear
		} else if negated {
			c.matcher = "not." + m.name
			if has(name, "called") {
				c.rank = exact // no call at all
			}
		}
	}
	switch {
	case name == "be" && len(m.args) > 0 && begins(m.args[0].code, "<", ">"): // be > 1
		c.rank = min(c.rank, partial)
	case isIn(name, absent) == negated && isIn(name, absent+presence) && len(m.args) == 0: // JUnit 4 has a message before it
		c.sides, c.present = subjects, true
	case negated:
	case isIn(name, equals) && len(m.args) > 0:
		c.sides = []span{subjects[0], m.args[0]}
	case isIn(name, affirmed):
		c.sides, c.want = subjects, always
	case isIn(name, denied):
		c.sides, c.want = subjects, notEver
	}
	if begins(subjects[0].code, "typeof ") {
		c.rank, c.matcher = min(c.rank, partial), "typeof"
	}
	c.subjects = keys(subjects)
	for _, a := range m.args {
		c.expected = append(c.expected, a.key())
		if isAnything(a.key()) {
			c.rank = min(c.rank, exists)
		} else if len(m.args) == 1 && begins(a.key(), "expect.any(", "expect.objectContaining(", "expect.arrayContaining(", "expect.string") {
			c.rank = min(c.rank, partial)
			c.matcher, _, _ = strings.Cut(a.key(), "(")
		}
	}
	return c
}

// plainName is the name of a matcher as the lists have it: without the words in front of one that is listed.
func plainName(matcher string) string {
	name := strings.ToLower(strings.ReplaceAll(matcher, "_", ""))
	if !ends(name, "notbe") {
		name = strings.Replace(name, "notbe", "not", 1)
	}
	for rest := name; rankByName()[name] == unclear; name = rest {
		for _, words := range []string{"debug", "prop", "assert", "should", "must", "tohavebeen", "tohave", "to", "have", "has", "is", "be"} {
			if rest = strings.TrimPrefix(name, words); rest != name && rest != "" {
				break
			}
			rest = name
		}
		if rest == name {
			break
		}
	}
	return name
}

// isAnything reports whether an expected value is equal to every value.
func isAnything(key string) bool {
	return isIn(key, " expect.anything() ANY mock.ANY unittest.mock.ANY mock.Anything anything any() ")
}

// callMeaning reads assertEqual(a, b), require.NoError(t, err), assert_eq!(a, b), Assert.Equal(1, x), Assert.That(x,
// Is.EqualTo(1)).
func callMeaning(lang source.Lang, word string, rest span) (c meaning) {
	if at(rest.code, 0) == '.' {
		end := 1 + source.WordEnd(rest.code[1:])
		word, rest = string(rest.code[1:end]), rest.cut(end, len(rest.code))
	}
	args, after, ok := arguments(rest)
	if !ok && lang == source.Ruby {
		args, ok = split(rest.trim(), ","), true
	}
	if !ok || len(args) == 0 {
		return c
	}
	if tail := links(after); len(tail) > 0 {
		if word == "verify" && tail[0].called && !has(args[len(args)-1].code, "never") { // verify(x).save(1)
			return mockMeaning(args[0], tail[0].name, after.cut(bytes.IndexByte(after.code, '('), len(after.code)))
		}
		defer func() { c.sides = nil }()
	}
	if lang == source.Go && (oneOf(string(args[0].code), "t", "b") || ends(args[0].code, "T()")) {
		args = args[1:]
	}
	if word == "That" && len(args) >= 2 {
		point := []byte(".")
		return linksMeaning(args[:1], links(span{append(point, args[1].code...), append(point, args[1].text...)}))
	}
	if len(args) == 0 {
		return c
	}
	name := plainName(word)
	switch name {
	case "assert", "true", "ok", "that":
		open := bytes.IndexByte(args[0].code, '(')
		if c, isCall := goCall(args[0]); isCall && lang == source.Go && closing(args[0].code, open) == len(args[0].code)-1 {
			return c
		}
		return expressionMeaning(args[0])
	case "false":
		c = matcherMeaning(args[:1], link{name: word}, false)
		c.rank, c.truth, c.sides, c.want = exists, true, args[:1], notEver
		return c
	case "called", "calledonce", "calledwith", "calledoncewith", "calls", "notcalled":
		return c // the subject stands before it
	}
	c = matcherMeaning(args[:1], link{name: name, args: args[1:]}, false)
	c.matcher = word
	if c.rank = rankOf(name); c.rank >= partial && len(args) > 1 && !isIn(name, lengths) {
		// Which of the two is expected depends on the framework.
		c.subjects, c.expected = nil, nil
		c.compare(args[:2])
	}
	return c
}

// ranks are the matchers by what they say, in lower case without underscores.
var ranks = [...]string{
	exists: `received defined truthy falsy called returned throw inthedocument visible noerror true false exists exist falsey present
		valid ok ne error occurred succeed throwexception raiseerror doesnotthrow anyerror some err refutenil
		refuteempty nonnull any`,
	partial: lengths + `contain containequal match matchobject greaterthan greaterthanorequal lessthan lessthanorequal instanceof
		property typeof closeto contains notcontains greater greaterorequal less lessorequal in notin instance regex
		notregex matches startswith endswith containall include includes bea an kindof attributes superset subset
		elementsmatch greaterthanorequalto lessthanorequalto sizegreaterthan item containsstring messagecontaining
		errorcontains regexp type assignablefrom countgreaterthan oftype assignableto startwith endwith positive
		countequal greaterequal lessequal between inrange lastcalledwith single operator containsanyof notsameas oneof
		valuegreaterthan containtext areequivalent`,
	exact: nothings + `be equal strictequal equals equalvalues exactly eq same equalto is eql deepequal deepstrictequal jsoneq yamleq
		dictequal listequal setequal tupleequal multilineequal countequals almostequal indelta inepsilon inline
		matchinlinesnapshot matchsnapshot calledwith calledtimes return text value url nthcalledwith throwerror
		errorscontain containexactly matcharray equalerror erroris arrayequals areequal aresame sameas
		equaltoignoringcase equivalentto equivalent allclose arrayequal framesequal containsinanyorder tostring
		containsexactlyinanyorder strictlyequalto cmp snapshot containsexactly equalbycomparingto`,
}

const (
	nothings = " nil null nullvalue empty none undefined nan nullorempty zero " // the exact matchers that compare with nothing
	lengths  = " len lenf length size count "                                   // those that ask how long something is
)

var rankByName = sync.OnceValue(func() map[string]rank {
	names := map[string]rank{}
	for l, list := range ranks {
		for name := range strings.FieldsSeq(list) {
			names[name] = rank(l)
		}
	}
	return names
})

// rankOf is the rank of a matcher by its plain name.
func rankOf(name string) rank {
	if r := rankByName()[name]; r != unclear || !begins(name, "not") {
		return r
	}
	return exists
}
