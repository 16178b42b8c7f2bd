// Package glob compiles the path patterns of a contract.
//
// The language is doublestar v4 on slash paths, with its traps taken out before anything is matched:
//
//   - "X/**" is what lies below X, never X itself, which may have become a symlink or a submodule;
//   - braces are expanded when a pattern is parsed, at most [MaxAlternatives] a pattern; doublestar never sees one, and so
//     "a*{,b}" matches "a", which it would miss;
//   - what can never name a git path ("/a", "./a", "a//b", "a/", "..") is refused, and so is what reads as more or less
//     than it is: "!a", a "**" glued to other text, classes that can match a slash, classes and braces without effect.
//
// [Parse] refuses a pattern with an [Error] that says what to write instead. [Compile] and [CompileFolded] make a [Set]
// out of parsed patterns; a set answers as if every pattern were tried in turn, in far less time.
package glob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is the longest pattern, in bytes.
const MaxBytes = 256

// MaxAlternatives is how many patterns the braces of one pattern may stand for, duplicates counted.
const MaxAlternatives = 256

// Pattern is a valid pattern. The zero value matches nothing.
type Pattern struct {
	written      string
	alternatives []string // without braces, as doublestar reads them; no duplicates
	literal      string   // the one path, when isLiteral
	isLiteral    bool
}

// Error says why a text is no pattern. All fields are set.
type Error struct {
	Message  string // what is wrong
	Found    string // what stands there
	Expected string // what may stand there
	Fix      string // what to write instead
}

// Error returns all four fields in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: found %s, expected %s; %s", e.Message, e.Found, e.Expected, e.Fix)
}

// Parse reads a pattern. The error is an *Error, about the first thing that is wrong. The work is bounded by MaxBytes and
// MaxAlternatives, whatever the text.
func Parse(pattern string) (Pattern, error) {
	tokens, problem := readTokens(pattern)
	if problem != nil {
		return Pattern{}, problem
	}
	alternatives, problem := expand(tokens)
	if problem != nil {
		return Pattern{}, problem
	}
	for _, alternative := range alternatives {
		if problem := checkPath(alternative); problem != nil {
			return Pattern{}, problem
		}
	}
	p := Pattern{written: pattern, alternatives: alternatives}
	p.literal, p.isLiteral = literalOf(tokens)
	return p, nil
}

// readTokens checks the text as a whole and cuts it into tokens.
func readTokens(pattern string) ([]token, *Error) {
	if problem := checkText(pattern); problem != nil {
		return nil, problem
	}
	if problem := checkExclusion(pattern); problem != nil {
		return nil, problem
	}
	tokens, problem := scan(pattern)
	if problem != nil {
		return nil, problem
	}
	return tokens, checkBraces(tokens)
}

// checkText refuses what is no short line of text.
func checkText(pattern string) *Error {
	switch {
	case pattern == "":
		return &Error{"the pattern is empty", quote(pattern), "a path or a pattern of paths", `name the files, as in "src/**"`}
	case len(pattern) > MaxBytes:
		return &Error{"the pattern is too long", fmt.Sprintf("%d bytes", len(pattern)), fmt.Sprintf("at most %d bytes", MaxBytes),
			"split it into several patterns"}
	case !utf8.ValidString(pattern):
		return &Error{"the pattern is not valid UTF-8", quote(pattern), "UTF-8 text",
			"save the file as UTF-8; a path that is not UTF-8 can only be covered by the folder it lies in"}
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return &Error{"the pattern holds a control character", quote(pattern), "printable characters",
			"take the character out; one pattern is one line"}
	}
	return nil
}

// checkExclusion refuses "!x", which gitignore reads as "all but x" and doublestar as a name that begins with "!".
func checkExclusion(alternative string) *Error {
	rest, found := strings.CutPrefix(alternative, "!")
	if !found {
		return nil
	}
	return &Error{"a pattern cannot exclude", quote(alternative), "a pattern that does not begin with \"!\"",
		fmt.Sprintf("put %s into forbidden_files; a name that begins with \"!\" is written %s", quote(rest), quote(`\!`+rest))}
}

// String returns the pattern as it was written; "" for the zero value.
func (p Pattern) String() string { return p.written }

// Literal returns the path that the pattern names, its escapes resolved; ok is false when it has a metacharacter and so
// may name several. A class of one character and braces count as metacharacters.
func (p Pattern) Literal() (path string, ok bool) { return p.literal, p.isLiteral }

// AndBelow returns the pattern for a list that denies or protects: an alternative without a metacharacter also matches
// what lies below the path that it names. Who forbids "scripts" means the folder, and cannot know that it names no file.
func (p Pattern) AndBelow() Pattern {
	wide := p
	wide.alternatives = slices.Clone(p.alternatives)
	for _, alternative := range p.alternatives {
		if _, ok := literalOf(tokensOf(alternative)); ok {
			wide.alternatives = append(wide.alternatives, alternative+"/**")
		}
	}
	return wide
}

// probes are paths that no repository has: a file in the root and one three folders deep, without and with an extension.
var probes = [][2]string{
	{"zqxjvkwy", "zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv"},
	{"zqxjvkwy.zqxj", "zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv.zqxj"},
}

// Alternatives is how many patterns the braces make of this one, duplicates left out.
func (p Pattern) Alternatives() int { return len(p.alternatives) }

// Universal reports whether the pattern lets in about everything: it matches paths that nobody can have meant, at depth
// one and at depth four.
func (p Pattern) Universal() bool {
	set := Compile([]Pattern{p})
	for _, probe := range probes {
		if set.Match(probe[0]) && set.Match(probe[1]) {
			return true
		}
	}
	return false
}

func quote(s string) string { return strconv.Quote(s) }
