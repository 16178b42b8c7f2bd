package rules

import (
	"bytes"
	"path"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
)

// findBlanketSuppression finds what switches a checker off for a whole file, or for all that it could say.
func findBlanketSuppression(c *Change, report func(Hit)) {
	c.suppressions(func(list []mark) {
		report(Hit{
			File: list[0].file.Path, Line: list[0].line, Now: list[0].text(), Detail: "everything is suppressed: " + kinds(list),
			Fix: "correct what the checker finds, or name the one rule on the one line",
		})
	})
}

func (c *Change) suppressions(found func([]mark)) {
	for _, list := range c.fresh(false, scanSuppressions) {
		found(list)
	}
}

// isProse reports whether a file is documentation.
func isProse(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".rst", ".txt", ".adoc", ".html", ".ipynb", ".snap", ".svg", ".json", ".lock", ".sum", ".csv", ".patch", ".diff":
		return true
	}
	return false
}

const jsDirectives = "eslint-disable @ts-nocheck biome-ignore oxlint-disable deno-lint-ignore tslint:disable stylelint-disable"

// directives are the words that begin a comment which can silence all that a checker says, by language and by extension.
var directives = map[string]string{
	"go":         "nolint",
	"python":     "type:␣ignore type:ignore ruff:␣noqa flake8:␣noqa pylint:␣disable pylint:disable pylint:␣skip-file pylint:skip-file mypy:␣ignore-errors",
	"javascript": jsDirectives,
	"typescript": jsDirectives,
	"csharp":     "ReSharper␣disable",
	"ruby":       "rubocop:disable",
	".sh":        "shellcheck␣disable", ".bash": "shellcheck␣disable", ".swift": "swiftlint:disable",
	".css": "stylelint-disable", ".scss": "stylelint-disable", ".less": "stylelint-disable",
	".vue": jsDirectives, ".svelte": jsDirectives, ".astro": jsDirectives,
}

// attributes are the same as code.
var attributes = map[source.Lang]string{
	source.Rust:   "allow( [expect(",
	source.Java:   "@SuppressWarnings @Suppress( @file:Suppress( @SuppressFBWarnings",
	source.CSharp: "#pragma␣warning␣disable",
}

// tableOf are the words of a list.
func tableOf(list string) []string {
	out := strings.Fields(list)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "␣", " ")
	}
	return out
}

// scanSuppressions finds what silences all that a checker says.
func scanSuppressions(f *File, v *source.File, found func(line int, kind string)) {
	if isVendored(f.Path) || isProse(f.Path) {
		return
	}
	s := &suppressed{File: v, last: map[string]int{}}
	key := string(v.Lang)
	if v.Lang == source.None {
		key = strings.ToLower(path.Ext(v.Path))
	}
	scanDirectives(v, directives[key], func(pos int, word string) {
		if s.blanket(pos, word) {
			found(v.LineAt(pos), word)
		}
	})
	for _, word := range tableOf(attributes[v.Lang]) {
		eachPlace(v.Code, word, func(pos int) {
			if v.Lang == source.Rust && !begins(bytes.TrimSpace(lineOf(v.Code, pos)), "#") {
				return
			}
			if s.blanketAttribute(pos, word) {
				found(v.LineAt(pos), strings.Trim(word, "[("))
			}
		})
	}
}

// suppressed is a file in which a comment can end what another began.
type suppressed struct {
	*source.File
	last  map[string]int // the offset of the last place of a word
	start int            // 1 + the offset of the first code
}

// follows reports whether a word stands anywhere after an offset of a text: in Code, or in a comment of Text.
func (v *suppressed) follows(text []byte, word string, pos int) bool {
	last, known := v.last[word]
	if !known {
		last = bytes.LastIndex(text, []byte(word))
		for last >= 0 && v.Lang != source.None && v.Code[last] != word[0] && !v.InComment(last) {
			last = bytes.LastIndex(text[:last], []byte(word))
		}
		v.last[word] = last
	}
	return last > pos
}

// first reports whether no code stands before an offset; the text that says what a file is for is none.
func (v *suppressed) first(pos int) bool {
	if v.start == 0 {
		v.start = 1 + len(v.Code) - len(bytes.TrimLeft(v.Code, " \t\r\n\"'"))
	}
	return pos < v.start
}

// eachRemark gives the places of a word in comments, or where they are not known in all of the file.
func eachRemark(v *source.File, word string, found func(pos int)) {
	places := 0
	everyPlace(v.Text, word, func(pos int) bool {
		if v.Lang == source.None || v.InComment(pos) {
			found(pos)
			places++
		}
		return places < maxPlaces
	})
}

// scanDirectives finds the words of a list that begin a comment.
func scanDirectives(v *source.File, list string, found func(pos int, word string)) {
	for _, word := range tableOf(list) {
		eachRemark(v, word, func(pos int) {
			if beginsComment(v, v.Text, pos) && !source.IsWord(at(v.Text, pos+len(word))) {
				found(pos, word)
			}
		})
	}
}

// beginsComment reports whether only the characters that begin a comment, and blanks, stand before an offset.
func beginsComment(v *source.File, text []byte, pos int) bool {
	i := pos
	for i > 0 && pos-i < 20 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	if i == 0 || bytes.IndexByte([]byte("#/*!-"), text[i-1]) < 0 || text[i-1] == '-' && at(text, i-2) != '-' {
		return false
	}
	// A comment in a comment that stands alone is an example: "#   # noqa".
	start := max(0, i-1-maxNear)
	start += bytes.LastIndexByte(text[start:i-1], '\n') + 1
	return text[i-1] != '#' || len(bytes.TrimSpace(text[start:i-1])) == 0 || v.Lang != source.None && len(bytes.TrimSpace(lineOf(v.Code, pos))) > 0
}

// argument is what follows a directive in its comment, up to the description.
func argument(text []byte, pos int, word string) string {
	rest := string(bytes.TrimSpace(restOf(text, pos+len(word))))
	rest, _, _ = strings.Cut(rest, "*/")
	rest, _, _ = strings.Cut(rest, "-->")
	rest, _, _ = strings.Cut(rest, "-- ")
	return strings.TrimSpace(rest)
}

// isBlanket reports whether a comment silences all that a checker says, about a line or about the file.
func (v *suppressed) blanket(pos int, word string) bool {
	arg := argument(v.Text, pos, word)
	alone := v.Lang == source.None || len(bytes.TrimSpace(lineOf(v.Code, pos))) == 0
	switch word {
	case "nolint":
		return !begins(arg, ":") || begins(arg, ":all")
	case "eslint-disable", "oxlint-disable", "tslint:disable", "stylelint-disable":
		return arg == "" && !v.follows(v.Text, strings.ReplaceAll(word, "disable", "enable"), pos)
	case "@ts-nocheck", "mypy: ignore-errors", "pylint: skip-file", "pylint:skip-file":
		return arg == "" || arg[0] != '='
	case "biome-ignore":
		return begins(arg, "-all lint:", "-all:")
	case "deno-lint-ignore":
		return arg == "-file"
	case "ruff: noqa", "flake8: noqa":
		return !begins(arg, ":")
	case "type: ignore", "type:ignore":
		return alone && !begins(arg, "[") && v.first(pos)
	case "pylint: disable", "pylint:disable", "shellcheck disable":
		return arg == "=all"
	case "rubocop:disable":
		return alone && begins(arg, "all") && !v.follows(v.Text, "rubocop:enable all", pos)
	case "ReSharper disable":
		return begins(arg, "All") && !v.follows(v.Text, "ReSharper restore All", pos)
	case "swiftlint:disable":
		return begins(arg, "all")
	}
	return false
}

// isBlanketAttribute is the same for code.
func (v *suppressed) blanketAttribute(pos int, word string) bool {
	rest := strings.TrimSpace(string(restOf(v.Text, pos+len(word))))
	rest = rest[:min(len(rest), 200)]
	switch v.Lang {
	case source.Rust:
		list, _, _ := strings.Cut(rest, ")")
		for lint := range strings.SplitSeq(list, ",") {
			if lint = strings.TrimSpace(lint); oneOf(lint, "warnings", "clippy::all") {
				return true
			}
		}
	case source.Java:
		return has(strings.ToLower(rest), `"all"`)
	case source.CSharp:
		if word == "#pragma warning disable" {
			bare := rest == "" || begins(rest, "//")
			return bare && !v.follows(v.Code, "#pragma warning restore", pos)
		}
	}
	return false
}
