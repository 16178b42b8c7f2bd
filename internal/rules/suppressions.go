package rules

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findBlanketSuppression finds what switches a checker off for a whole file, or for all that it could say.
func findBlanketSuppression(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanSuppressions) {
		report(list[0].file.hit(0, list[0].line, "", "everything is suppressed: "+kinds(list),
			"correct what the checker finds, or name the one rule on the one line"))
	}
}

// isProse reports whether a file is documentation.
func isProse(name string) bool {
	return isIn(strings.ToLower(path.Ext(name)), " .md .mdx .rst .txt .adoc .html .ipynb .snap .svg .json .lock .sum .csv .patch .diff ")
}

// blanket is a word that silences all that a checker says, where what follows it on its line matches.
type blanket struct {
	langs, word string // languages, and the extensions of other files
	stands      standing
	rest        func() *regexp.Regexp
	until       string // a later word that ends it
}

// standing says where a blanket stands.
type standing byte

const (
	inComment  standing = iota // at the start of a comment
	onOwnLine                  // of one with no code on its line
	beforeCode                 // of one with no code before it
	inCode
	inAttribute // of Rust
)

const scripts = " javascript typescript .vue .svelte .astro "

var (
	noList  = input.Lazily(`^\s*(?:[^:\s]|$|:all)`)
	noValue = input.Lazily(`^\s*(?:[^=\s]|$)`)
	noRule  = input.Lazily(`^\s*(?:$|\*/|-->|-- )`)
	noCode  = input.Lazily(`^\s*(?:[^\[\s]|$)`)
	allOf   = input.Lazily(`^\s*[=-]?all`)
)

var blankets = []blanket{
	{" go ", "nolint", inComment, noList, ""},
	{" python ", "ruff: noqa", inComment, noList, ""},
	{" python ", "flake8: noqa", inComment, noList, ""},
	{" python ", "type: ignore", beforeCode, noCode, ""},
	{" python ", "type:ignore", beforeCode, noCode, ""},
	{" python ", "pylint: disable", inComment, allOf, ""},
	{" python ", "pylint:disable", inComment, allOf, ""},
	{" python ", "pylint: skip-file", inComment, noValue, ""},
	{" python ", "pylint:skip-file", inComment, noValue, ""},
	{" python ", "mypy: ignore-errors", inComment, noValue, ""},
	{scripts, "eslint-disable", inComment, noRule, "eslint-enable"},
	{scripts, "oxlint-disable", inComment, noRule, "oxlint-enable"},
	{scripts, "tslint:disable", inComment, noRule, "tslint:enable"},
	{scripts + " .css .scss .less ", "stylelint-disable", inComment, noRule, "stylelint-enable"},
	{scripts, "@ts-nocheck", inComment, noValue, ""},
	{scripts, "biome-ignore", inComment, input.Lazily(`^-all(?: lint)?:`), ""},
	{scripts, "deno-lint-ignore", inComment, input.Lazily(`^-file\s*$`), ""},
	{" ruby ", "rubocop:disable", onOwnLine, allOf, "rubocop:enable all"},
	{" csharp ", "ReSharper disable", inComment, input.Lazily(`^\s*All`), "ReSharper restore All"},
	{" .sh .bash ", "shellcheck disable", inComment, allOf, ""},
	{" .swift ", "swiftlint:disable", inComment, allOf, ""},
	{" rust ", "allow(", inAttribute, lints, ""},
	{" rust ", "expect(", inAttribute, lints, ""},
	{" java ", "@SuppressWarnings", inCode, input.Lazily(`(?i)"all"`), ""},
	{" java ", "@Suppress(", inCode, input.Lazily(`(?i)"all"`), ""},
	{" java ", "@file:Suppress", inCode, input.Lazily(`(?i)"all"`), ""},
	{" csharp ", "#pragma warning disable", inCode, input.Lazily(`^\s*(?:$|//)`), "#pragma warning restore"},
}

var lints = input.Lazily(`^(?:[^)]*[,\s])?(?:warnings|clippy::all)\s*(?:[,)]|$)`)

// scanSuppressions finds what silences all that a checker says.
func scanSuppressions(f *File, v *source.File, found func(line int, kind string)) {
	if isVendored(f.Path) || isProse(f.Path) {
		return
	}
	lang := string(v.Lang)
	if v.Lang == source.None {
		lang = strings.ToLower(path.Ext(v.Path))
	}
	top := len(v.Code) - len(bytes.TrimLeft(v.Code, " \t\r\n\"'")) // a text that says what a file is for is no code
	for i := range blankets {
		b := &blankets[i]
		if lang == "" || !isIn(lang, b.langs) {
			continue
		}
		last := sync.OnceValue(func() int { return b.ends(v) })
		places := 0
		everyPlace(v.Text, b.word, func(pos int) bool {
			if b.standsAt(v, pos, top) {
				places++
				if b.rest().Match(restOf(v.Text, pos+len(b.word))) && (b.until == "" || last() < pos) {
					found(v.LineAt(pos), strings.Trim(b.word, "("))
				}
			}
			return places < maxPlaces
		})
	}
}

// ends is the last offset of the word that ends a blanket.
func (b *blanket) ends(v *source.File) int {
	last := bytes.LastIndex(v.Text, []byte(b.until))
	for last >= 0 && v.Lang != source.None && b.stands != inCode && !v.InComment(last) {
		last = bytes.LastIndex(v.Text[:last], []byte(b.until))
	}
	return last
}

// standsAt reports whether the word of a blanket stands at an offset where it counts.
func (b *blanket) standsAt(v *source.File, pos, top int) bool {
	line := bytes.TrimSpace(lineOf(v.Code, pos))
	switch b.stands {
	case inCode:
		return v.Code[pos] != ' '
	case inAttribute:
		return v.Code[pos] != ' ' && begins(line, "#")
	}
	if (v.Lang != source.None && !v.InComment(pos)) || (b.stands == onOwnLine && len(line) > 0) ||
		(b.stands == beforeCode && pos >= top) {
		return false
	}
	// Only what begins a comment stands before it; a comment in a comment that stands alone is an example: "#   # noqa".
	before := bytes.TrimRight(v.Text[max(0, pos-20):pos], " \t")
	start := v.Text[max(0, pos-maxNear):pos]
	start = bytes.TrimRight(start[bytes.LastIndexByte(start, '\n')+1:], " \t")
	return len(before) > 0 && bytes.IndexByte([]byte("#/*!-"), before[len(before)-1]) >= 0 &&
		!source.IsWord(at(v.Text, pos+len(b.word))) &&
		(!ends(start, "#") || len(start) == 1 || len(line) > 0)
}
