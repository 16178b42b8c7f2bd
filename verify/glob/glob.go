// Package glob compiles the path patterns of a contract.
//
// The language is doublestar v4 on slash paths, without its pitfalls:
//
//   - "X/**" matches everything below X, never X itself, which may have become a symlink or a submodule;
//   - the parser expands braces, to at most [MaxAlternatives] per pattern, so that "a*{,b}" matches "a", which doublestar
//     would miss;
//   - a pattern that can never match a git path ("/a", "./a", "a//b", "a/", "..") is refused, and so is a misleading one:
//     "!a", a "**" next to other text, classes that can match a slash, classes and braces without effect.
//
// [Parse] refuses a pattern with an [Error] that says what to write instead. [Compile] and [CompileFolded] make a [Set] of
// parsed patterns; a set answers as if every pattern were tried in order, in much less time.
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

// MaxAlternatives is the maximum number of alternatives of one pattern, including duplicates.
const MaxAlternatives = 256

// Pattern is a valid pattern. The zero value matches nothing.
type Pattern struct {
	written      string
	alternatives []string // without braces, as doublestar reads them; no duplicates
	literal      string   // the one path, when isLiteral
	isLiteral    bool
}

// Error says why a text is not a pattern. All fields are set.
type Error struct {
	Message  string // what is wrong
	Found    string // the wrong text
	Expected string // what is allowed
	Fix      string // what to write instead
}

// Error returns all four fields in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: found %s, expected %s; %s", e.Message, e.Found, e.Expected, e.Fix)
}

// Parse parses a pattern. The error is an *Error about the first problem. MaxBytes and MaxAlternatives limit the work for any
// text.
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

// readTokens checks the text as a whole and splits it into tokens.
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

// checkText refuses a text that is not a short line.
func checkText(pattern string) *Error {
	switch {
	case pattern == "":
		return &Error{"the pattern is empty", quote(pattern), "a path or a pattern of paths", `name the files, as in "src/**"`}
	case len(pattern) > MaxBytes:
		return &Error{"the pattern is too long", fmt.Sprintf("%d bytes", len(pattern)), fmt.Sprintf("at most %d bytes", MaxBytes),
			"split it into several patterns"}
	case !utf8.ValidString(pattern):
		return &Error{"the pattern is not valid UTF-8", quote(pattern), "UTF-8 text",
			"save the file as UTF-8; a path that is not UTF-8 can only be matched by a pattern for its directory"}
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return &Error{"the pattern contains a control character", quote(pattern), "printable characters",
			"remove the character; a pattern is one line"}
	}
	return checkForeign(pattern)
}

// checkForeign refuses what people write who take a pattern for something else: a text with blanks around it, a path of
// their machine, a regular expression, a variable. A name with such a beginning or end is written with a backslash.
func checkForeign(pattern string) *Error {
	drive := len(pattern) > 2 && pattern[1] == ':' && (pattern[2] == '\\' || pattern[2] == '/')
	switch trimmed := strings.TrimSpace(pattern); {
	case trimmed != pattern && !strings.HasSuffix(pattern, `\ `):
		return &Error{"a blank is at the beginning or the end of the pattern", quote(pattern), "a pattern without it", "write " + quote(trimmed)}
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		return &Error{"the pattern begins in the home directory", quote(pattern), "a path from the root of the repository", fromRoot}
	case drive:
		return &Error{"the pattern begins with a drive", quote(pattern), "a path from the root of the repository", fromRoot}
	case strings.HasPrefix(pattern, "^") || (strings.HasSuffix(pattern, "$") && !strings.HasSuffix(pattern, `\$`)):
		return &Error{"this is a regular expression", quote(pattern), "a pattern of paths", `write a pattern: "*" for any name, "**" for any directories, as in "src/**/*.go"`}
	case strings.Contains(pattern, "${"):
		return &Error{"a pattern has no variables", quote(pattern), "a pattern of paths", "write what the variable contains"}
	}
	return checkBackslashes(pattern)
}

// fromRoot is what to write instead of a path of one machine.
const fromRoot = `write the path from the root of the repository, with "/" between directories, as in "src/**"`

// checkBackslashes refuses backslashes between directories: before a letter or a digit one escapes nothing, and
// before "**" it would make a star of the name.
func checkBackslashes(pattern string) *Error {
	for i, inClass := 0, false; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '[' || c == ']':
			inClass = c == '['
		case c == '\\':
			r, _ := utf8.DecodeRuneInString(pattern[i+1:])
			if !inClass && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.HasPrefix(pattern[i+1:], "**")) {
				return &Error{"a backslash does not separate directories", quote(pattern), `"/" between directories`, slashesFix(pattern)}
			}
			i++
		}
	}
	return nil
}

func slashesFix(pattern string) string {
	slashes := strings.ReplaceAll(pattern, `\`, "/")
	if _, err := Parse(slashes); err != nil {
		return `write "/" in place of each backslash`
	}
	return "write " + quote(slashes)
}

// checkExclusion refuses "!x", which means "all but x" in gitignore and a name that begins with "!" in doublestar.
func checkExclusion(alternative string) *Error {
	rest, found := strings.CutPrefix(alternative, "!")
	if !found {
		return nil
	}
	return &Error{"a pattern cannot exclude", quote(alternative), "a pattern that does not begin with \"!\"",
		fmt.Sprintf("add %s to forbidden_files; a name that begins with \"!\" is written %s", quote(rest), quote(`\!`+rest))}
}

// String returns the pattern as written; "" for the zero value.
func (p Pattern) String() string { return p.written }

// Literal returns the only path that the pattern matches, without escapes; ok is false when the pattern contains a
// metacharacter, including classes of one character and braces.
func (p Pattern) Literal() (path string, ok bool) { return p.literal, p.isLiteral }

// AndBelow returns the pattern for a list that denies or protects: an alternative without a metacharacter also matches
// everything below its path. A person who forbids "scripts" means the directory.
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

// probes are improbable paths: a file in the root and one three directories deep, without and with an extension.
var probes = [][2]string{
	{"zqxjvkwy", "zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv"},
	{"zqxjvkwy.zqxj", "zqxjvkwy/wyqzjvkx/xkvwqyjz/jzqwxykv.zqxj"},
}

// Alternatives is the number of alternatives of the pattern, without duplicates.
func (p Pattern) Alternatives() int { return len(p.alternatives) }

// Universal reports whether the pattern matches nearly everything: it matches improbable paths at depth one and at depth four.
func (p Pattern) Universal() bool {
	if !slices.ContainsFunc(p.alternatives, mayProbe) {
		return false // the usual case, of which a contract may have thousands
	}
	set := Compile([]Pattern{p})
	for _, probe := range probes {
		if set.Match(probe[0]) && set.Match(probe[1]) {
			return true
		}
	}
	return false
}

// Names reports whether the pattern names a directory or something below it, ignoring case: by more than "*" or "**", which name
// nothing.
func (p Pattern) Names(dir string) bool {
	depth := strings.Count(dir, "/") + 1
	return slices.ContainsFunc(p.alternatives, func(alternative string) bool {
		parts := strings.Split(strings.TrimPrefix(alternative, "**/"), "/")
		if len(parts) < depth || strings.Trim(parts[0], "*") == "" {
			return false
		}
		start, err := Parse(strings.Join(parts[:depth], "/"))
		return err == nil && CompileFolded([]Pattern{start}).Match(dir)
	})
}

// mayProbe reports whether the literal text at the start of an alternative lets it match a probe.
func mayProbe(alternative string) bool {
	if end := strings.IndexAny(alternative, special); end >= 0 {
		alternative = alternative[:end]
	}
	return strings.HasPrefix(probes[1][0], alternative)
}

func quote(s string) string { return strconv.Quote(s) }
