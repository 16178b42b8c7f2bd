package source

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// marked is how a language marks tests: the byte with which a mark begins, the marks, and how others end.
type marked struct {
	begin       byte
	names, ends string
}

var markedTests = map[Lang]marked{
	Java: {'@', " TestFactory TestTemplate Theory TestCase ", "Test"},
	CSharp: {'[', " TestCase TestCaseSource Property TestCaseAttribute TestCaseSourceAttribute PropertyAttribute ",
		"Test Fact Theory TestMethod TestAttribute FactAttribute TheoryAttribute TestMethodAttribute"},
	Rust: {'#', " test rstest test_case case bench quickcheck gtest proptest test_matrix parameterized ", "_test"},
}

// isTest reports whether a mark makes a test of what follows it.
func (m marked) isTest(name string) bool {
	if oneOf(name, m.names) {
		return true
	}
	for end := range strings.FieldsSeq(m.ends) {
		if strings.HasSuffix(name, end) {
			return !oneOf(name, " BeforeTest AfterTest NoTest NotTest NonTest SkipTest SkippedTest IgnoreTest IgnoredTest DisabledTest NeedsTest ")
		}
	}
	return false
}

// java finds the methods with annotations or attributes that make them tests, in Java, Kotlin, C# and Rust, and those
// that JUnit 3 runs because of their names.
func (d *finder) java() {
	mark := markedTests[d.Lang].begin
	for at := 0; at < len(d.Code); {
		c := d.Code[at]
		switch {
		case c == mark && d.isTestMark(at):
			at = d.method(d.declaration(at), at)
		case IsWord(c):
			word, end := d.word(at)
			switch string(word) {
			case "class", "record", "struct", "object", "interface", "mod":
				if (string(word) == "mod") == (d.Lang == Rust) {
					end = d.class(at, end)
				}
			case "void", "fun":
				end = d.junit3(at, end)
			}
			at = end
		default:
			at++
		}
	}
}

// isTestMark reports whether an annotation or a list of attributes makes a test of a method.
func (d *finder) isTestMark(at int) bool {
	known := markedTests[d.Lang]
	switch d.Lang {
	case Java:
		if d.byteAt(at+1) == '[' { // @[Test Ignore] of Kotlin
			list := d.Code[at+2 : max(at+2, d.brackets().mateAt(at+1))]
			return slices.ContainsFunc(strings.FieldsFunc(string(list), func(r rune) bool { return !IsWord(byte(r)) }), known.isTest)
		}
		name, _ := d.dotted(at + 1)
		return known.isTest(name)
	case Rust:
		at++
	}
	if end := d.brackets().mateAt(at); end > at {
		conditional := false // #[cfg_attr(…, test)]
		for at++; at < end; {
			at = d.skip(at)
			name, next := d.dotted(at)
			if known.isTest(name) {
				return true
			}
			if at = d.Until(max(next, at), end, ",:") + 1; d.Lang == Rust && name != "cfg_attr" && !conditional {
				return false
			}
			if name == "cfg_attr" {
				conditional, at = true, d.Until(d.skip(next)+1, end, ",")+1
			}
		}
	}
	return false
}

// dotted is the last part of a name such as org.junit.Test, and where it ends.
func (d *finder) dotted(at int) (string, int) {
	for {
		word, end := d.word(at)
		switch {
		case len(word) > 0 && d.byteAt(end) == '.':
			at = end + 1
		case len(word) > 0 && d.Lang == Rust && d.byteAt(end) == ':' && d.byteAt(end+1) == ':':
			at = end + 2
		default:
			return string(word), end
		}
	}
}

// declaration is where the declaration begins that has a mark, or a word, at an offset: with the marks and modifiers in
// front of it.
func (d *finder) declaration(at int) int {
	if d.Code[at] == '[' {
		return d.Statement(d.past(at))
	}
	return d.Statement(at + 1)
}

func isModifier(word string) bool {
	return oneOf(word, " public private protected internal static final abstract async sealed partial virtual override unsafe extern new open suspend"+
		" inline data inner default synchronized readonly file pub export ")
}

// class notes a class, and returns where to go on.
func (d *finder) class(from, at int) int {
	if before := d.byteAt(from - 1); before == '.' || before == ':' {
		return at
	}
	start := d.skip(at)
	word, end := d.word(start)
	if len(word) == 0 {
		return at
	}
	body := d.Until(end, len(d.Code), "{;})=\n")
	for next := d.skip(body); d.byteAt(body) == '\n' && d.headGoesOn(body, next); next = d.skip(body) {
		body = d.Until(next, len(d.Code), "{;})=\n")
	}
	if d.byteAt(body) != '{' {
		return body
	}
	d.leave(from)
	d.enterClass(string(word), d.declaration(from), body+1, d.past(body)-1)
	if bytes.Contains(d.Code[end:body], []byte("TestCase")) {
		d.scopes[len(d.scopes)-1].kind = 't'
	}
	return body
}

// headGoesOn reports whether the head of a class goes on behind a line end: in Kotlin a class needs no body.
func (d *finder) headGoesOn(at, next int) bool {
	if c := d.byteAt(next); c == '{' || c == '(' || !d.endsStatement(d.lastBefore(at), c) {
		return true
	}
	word, _ := d.word(next)
	from, to, _ := d.methodName(next)
	return string(word) == "where" || string(d.Code[from:to]) == "constructor"
}

// enterClass notes a class, or a module of Rust, between two offsets. body is where its body begins.
func (d *finder) enterClass(own string, from, body, end int) {
	outer := d.scope()
	s := scope{end: end, name: outer.name, level: outer.level + 1}
	if (d.Lang == Rust && !oneOf(own, " test tests ")) || (d.Lang != Rust && s.level > 1) {
		s.name = d.name(own)
	}
	s.test = d.add(cmp.Or(s.name, own), from, body, end, true)
	d.scopes = append(d.scopes, s)
}

// junit3 notes void testX() in a class that extends TestCase, and returns where to go on.
func (d *finder) junit3(from, at int) int {
	d.leave(from)
	word, end := d.word(d.skip(at))
	if d.scope().kind != 't' || !bytes.HasPrefix(word, []byte("test")) || d.byteAt(end) != '(' ||
		d.byteAt(d.skip(end+1)) != ')' {
		return at
	}
	return d.method(d.declaration(from), from)
}

// method notes the method whose mark is at an offset, and returns where to go on.
func (d *finder) method(from, mark int) int {
	nameFrom, nameTo, open := d.methodName(mark)
	if open == none {
		return max(nameTo, mark+1)
	}
	body, last := d.methodBody(d.past(open))
	d.leave(mark)
	d.enter(d.name(string(bytes.Trim(d.Text[nameFrom:nameTo], "`"))), from, body, last, false)
	if d.Code[body] == '{' {
		return body + 1
	}
	return last + 1
}

// methodName goes over marks, modifiers and types to the name in front of the parameters. open is none where no method
// is declared, and then to is where to go on.
func (d *finder) methodName(at int) (from, to, open int) {
	from, to = at, at
	for at < len(d.Code) {
		switch c := d.Code[at]; {
		case isBlank(c):
			at++
		case c == '@' && d.Lang == Java:
			_, at = d.dotted(at + 1)
			for d.byteAt(at) == ':' { // @field:Name
				_, at = d.dotted(at + 1)
			}
			if next := d.skip(at); d.byteAt(next) == '(' {
				at = d.past(next)
			}
			from, to = at, at
		case c == '[':
			at = d.past(at)
			if d.Lang != Java {
				from, to = at, at
			}
		case c == '<':
			if next := d.typeArguments(at); next != none {
				at = next
			} else {
				at++
			}
		case c == '`':
			n := bytes.IndexByte(d.Code[at+1:], '`')
			if n < 0 {
				return at, at + 1, none
			}
			from, to = at, at+n+2
			at = to
		case IsWord(c):
			word, end := d.word(at)
			if (oneOf(string(word), " class interface struct enum object record import package mod impl trait namespace ") && to > from) || oneOf(string(word), " class interface enum import package impl trait mod ") {
				return at, at, none
			}
			if d.byteAt(at-1) != '#' { // r#name
				from = at
			}
			to, at = end, end
		case c == '(':
			switch isName := to > from && !isModifier(string(d.Code[from:to])); {
			case d.Lang != Rust && isName, d.Lang == Rust && d.wordBefore(from) == "fn":
				return from, to, at
			case isName:
				return at, at, none
			}
			at = d.past(at)
		case c == '#' && d.Lang == Rust:
			at++
		case c == ';' || c == '{' || c == '}' || c == '=' || c == ')':
			return at, at, none
		default:
			at++
		}
	}
	return at, at, none
}

// methodBody finds the body of a method behind its parameters, and the last byte of the method.
func (d *finder) methodBody(at int) (body, last int) {
	for ; ; at++ {
		at = d.Until(at, len(d.Code), "{;=})@\n")
		switch c := d.byteAt(at); {
		case c == '{':
			return at, d.past(at) - 1
		case c == ';' || (c == '=' && d.Lang != Rust):
			return at, d.expressionEnd(at)
		case c != '=' && (c != '\n' || (isKotlin(d.Path) && strings.IndexByte("{:=", d.byteAt(d.skip(at))) < 0)):
			return at - 1, at - 1 // it has none
		}
	}
}

// expressionEnd is the last byte of the method whose body is an expression. In Kotlin it ends with a line.
func (d *finder) expressionEnd(at int) int {
	for ; ; at++ {
		at = d.Until(at, len(d.Code), ";})\n")
		switch c := d.byteAt(at); {
		case c == ';':
			return at
		case c != '\n' || (isKotlin(d.Path) && !d.kotlinContinues(at)):
			return at - 1
		}
	}
}

// kotlinContinues reports whether an expression goes on behind a line end.
func (d *finder) kotlinContinues(at int) bool {
	return d.byteAt(d.lastBefore(at)) == '=' || strings.IndexByte(".?+&|", d.byteAt(d.skip(at))) >= 0
}
