package rules

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findCheckConfig finds settings of compilers and checkers that demand less than before.
func findCheckConfig(c *Change, report func(Hit)) {
	files := c.degrees(func(v *source.File) map[string][]degree { return degreesOf(v, strictness) })
	heads := map[string]degree{} // the strictest in any file: a setting may have moved
	for _, f := range files {
		for name, list := range f.now {
			if best, known := heads[name]; !known || best.milder(list[0]) {
				heads[name] = list[0]
			}
		}
	}
	for _, f := range c.Files {
		if isNamed(f.Path, vitestFiles+" "+gradleFiles) { // what one run includes may be left out of another
			for _, s := range settingsOf(f.Head) {
				if leads(s.Keys, "**/include*") {
					heads["include "+strings.TrimRight(s.Value, ".*")] = degree{}
				}
			}
		}
	}
	for _, f := range files {
		if f.Base != nil && f.Head != nil {
			f.milderSettings(heads, report)
		}
	}
}

// milderSettings compares both versions of a file.
func (f *gradedFile) milderSettings(heads map[string]degree, report func(Hit)) {
	var less []string
	var hit Hit
	add := func(name string, was, now int) {
		if less = append(less, name); len(less) == 1 {
			hit = f.hit(was, now, name, "", "restore the setting, or let a person approve that it goes")
		}
	}
	const most = 100 // settings of a file that are followed: no person changes more
	tried := 0
	for _, name := range slices.Sorted(maps.Keys(f.was)) {
		was, now := f.was[name][:1], f.now[name] // the first one is for all files
		_, is, isMilder := milder(was, now[:min(1, len(now))])
		old := was[0]
		if len(now) == 0 {
			isMilder = old.needed && old.value > 0
			if isMilder {
				tried++
				isMilder = tried > most || !f.isMeant(name, old.line)
			}
		}
		if best, anywhere := heads[name]; isMilder && (!anywhere || best.milder(old)) {
			add(name, old.line, is.line)
		}
	}
	tried = 0
	for _, name := range slices.Sorted(maps.Keys(f.now)) {
		_, value, _ := strings.Cut(name, " ")
		_, isElsewhere := heads["include "+strings.TrimRight(value, ".*")]
		if first := f.now[name][0]; first.value > 0 || f.was[name] != nil || isElsewhere || !f.mayMiss(name) {
			continue
		} else if tried++; tried > most || !f.isPartial(name, first.line) {
			add(name, 0, first.line)
		}
	}
	if len(less) > 0 {
		hit.Others, hit.Detail = less[1:], "demands less than before: "+listed(less)
		report(hit)
	}
}

// mayMiss reports whether a setting that is new demands less than its absence: a family of Ruff is missed where the
// file chose it.
func (f *gradedFile) mayMiss(name string) bool {
	family, is := strings.CutPrefix(name, "ignore ")
	if is && isNamed(f.Path, ruffFiles) {
		return chooses(f.was, family)
	}
	return !isIn(name, " xfail_strict failsOnError AllCops.NewCops ")
}

// isPartial reports whether a new object of ESLint leaves files out: only its own rules are not for them. Or whether a
// file of tests is named beside patterns.
func (f *gradedFile) isPartial(name string, line int) bool {
	if begins(name, "testMatch ", "include ") {
		isPattern := func(l linediff.Line) bool { return has(l.Text, "*.", "*s", "*t") }
		return !slices.ContainsFunc(f.Removed(), isPattern) || slices.ContainsFunc(f.Added(), isPattern)
	}
	return begins(name, "ignores ") && slices.ContainsFunc(f.Added(), func(l linediff.Line) bool {
		from, to := min(l.Number, line), max(l.Number, line)
		return to-from < 100 && has(l.Text, "rules:", "files:", "languageOptions:") && !slices.ContainsFunc(between(f.Added(), from, to), func(l linediff.Line) bool {
			return from < to && has(l.Text, "}") && indentOf(l.Text) < indentOf(f.Head.Line(line)) // another object begins
		}) && (from == to || !has(f.Head.Line(line), "{"))
	})
}

// chooses reports whether a file of Ruff has chosen a family of rules.
func chooses(settings map[string][]degree, family string) bool {
	for end := range min(len(family), maxKey) + 1 {
		if settings[family[:end]] != nil {
			return true
		}
	}
	return settings["ALL"] != nil
}

// isMeant reports whether something that is not named any more is still done: a family of Ruff by one that contains it,
// a hook with a new name that contains the one before, such as local-ruff, or by another one in its place, or a linter
// that runs by default.
func (f *gradedFile) isMeant(name string, line int) bool {
	id, isHook := strings.CutPrefix(name, "the hook ")
	isAll := !has(f.Head.Text, `"include"`) || has(f.Head.Text, `"*`) // files
	if isAll && isNamed(f.Path, "tsconfig*.json") && has(name, "test", "spec") {
		return true
	}
	added := f.inPlaceOf(line)
	isHook = isHook && !slices.ContainsFunc(added, func(l linediff.Line) bool { return noEntry().Match(l.Text) })
	dir, family := "/"+path.Base(name), strings.TrimRight(name, "0123456789")
	for other, now := range f.now {
		switch {
		case f.was[other] != nil:
		case ends(strings.TrimRight(other, "/"), dir), isHook && has(other, id), // a directory that moved, a hook that was renamed
			begins(name, other+"/"), other == ".": // a directory around it
			return true
		case isHook && !petty().MatchString(other), strings.TrimRight(other, "0123456789") == family,
			isNamed(f.Path, mypyFiles) && has(other, "/") && !begins(other, name+"/"):
			if len(between(added, now[0].line, now[0].line)) > 0 {
				return true
			}
		}
	}
	usual := isIn(name, " errcheck govet ineffassign staticcheck unused gosimple typecheck stylecheck ")
	return chooses(f.now, name) || (usual && f.now["linters.disable-all"] == nil && len(f.now["default"]) == 0)
}

// noEntry matches the command of a hook that does nothing.
var noEntry = input.Lazily(`\bentry:\s*["']?(?:/bin/)?(?:true|echo|:|exit 0)(?:["'\s]|$)`)

// petty matches hooks that look at the form of files only, and replace no other.
var petty = input.Lazily(`the hook (?:check-|fix-|trailing-|end-of-|mixed-|detect-|name-|no-commit)`)

// inPlaceOf are the lines of the head that stand where one of the merge base stood.
func (f *File) inPlaceOf(line int) []linediff.Line {
	for _, h := range f.Hunks() {
		if len(between(h.Removed, line, line)) > 0 {
			return h.Added
		}
	}
	return nil
}

// findBlanketSuppression finds what switches a checker off for a whole file, or for all that it could say.
func findBlanketSuppression(c *Change, report func(Hit)) {
	for _, list := range c.newFindings(false, scanSuppressions) {
		report(list[0].file.hit(0, list[0].line, "", "everything is suppressed: "+kinds(list),
			"correct what the checker finds, or name the one rule on the one line"))
	}
}

// blanket are words that silence all that a checker says, where what follows them on their line matches.
type blanket struct {
	langs, words string // languages, and the extensions of other files; the words have bars between them
	stands       standing
	rest         func() *regexp.Regexp
	until        string // what a later word that ends it has in place of disable
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
	{" go python ", "nolint|ruff: noqa|flake8: noqa", inComment, noList, ""},
	{" python ", "type: ignore|type:ignore", beforeCode, noCode, ""},
	{" python .sh .bash .swift ", "pylint: disable|pylint:disable|shellcheck disable|swiftlint:disable", inComment, allOf, ""},
	{" python " + scripts, "pylint: skip-file|pylint:skip-file|mypy: ignore-errors|@ts-nocheck", inComment, noValue, ""},
	{scripts + " .css .scss .less ", "eslint-disable|oxlint-disable|tslint:disable|stylelint-disable", inComment, noRule, "enable"},
	{" python ", "pyright:", inComment, input.Lazily(`^\s*(?:basic|off)\s*$`), ""},
	{" .ex .exs .php ", "credo:disable-for-this-file|phpcs:ignoreFile", inComment, noRule, ""},
	{" .php ", "@psalm-suppress|phpcs:disable", inComment, input.Lazily(`^\s*(?:all\b|$)`), "enable"},
	{" .c .h .cc .cpp .cxx .hpp ", "NOLINTBEGIN", inComment, noRule, ""},
	{scripts, "biome-ignore", inComment, input.Lazily(`^-all(?: lint)?:`), ""},
	{scripts, "deno-lint-ignore", inComment, input.Lazily(`^-file\s*$`), ""},
	{" ruby ", "rubocop:disable", onOwnLine, allOf, "enable all"},
	{" ruby ", "add_filter", inCode, input.Lazily(`^[ (]*["']/?(?:lib|app|src)/?["']`), ""}, // of SimpleCov
	{" csharp ", "ReSharper disable", inComment, input.Lazily(`^\s*All`), "restore All"},
	{" rust ", "allow(|expect(", inAttribute, lints, ""},
	{" java ", "@SuppressWarnings|@Suppress(|@file:Suppress", inCode, input.Lazily(`(?i)"all"`), ""},
	{" csharp ", "#pragma warning disable", inCode, input.Lazily(`^\s*(?:$|//)`), "restore"},
}

var lints = input.Lazily(`^(?:[^)]*[,\s])?(?:warnings|clippy::all)\s*(?:[,)]|$)`)

// scanSuppressions finds what silences all that a checker says.
func scanSuppressions(f *File, v *source.File, found func(line int, kind string)) {
	if isVendored(f.Path) || isExample(f.Path) || ends(f.Path, ".d.ts", ".d.mts", ".d.cts", ".pyi") {
		return
	}
	lang := string(v.Lang)
	if v.Lang == source.None {
		lang = strings.ToLower(path.Ext(v.Path))
	}
	top := len(v.Code) - len(bytes.TrimLeft(v.Code, " \t\r\n\"'")) // a text that says what a file is for is no code
	for _, b := range blankets {
		if lang == "" || !isIn(lang, b.langs) {
			continue
		}
		for word := range strings.SplitSeq(b.words, "|") {
			last := sync.OnceValue(func() int { return b.ends(v, word) })
			places := 0
			for pos := range placesOf(v.Text, word) {
				if b.standsAt(v, pos, pos+len(word), top) {
					places++
					if b.rest().Match(restOf(v.Text, pos+len(word))) && (b.until == "" || last() < pos) {
						found(v.LineAt(pos), strings.Trim(word, "("))
					}
				}
				if places == maxPlaces {
					break
				}
			}
		}
	}
}

// ends is the last offset of what ends a blanket that a word began.
func (b *blanket) ends(v *source.File, word string) int {
	until := []byte(strings.Replace(word, "disable", b.until, 1))
	last := bytes.LastIndex(v.Text, until)
	for last >= 0 && v.Lang != source.None && b.stands != inCode && !v.InComment(last) {
		last = bytes.LastIndex(v.Text[:last], until)
	}
	return last
}

// standsAt reports whether a word of a blanket stands where it counts.
func (b *blanket) standsAt(v *source.File, pos, end, top int) bool {
	line := bytes.TrimSpace(lineOf(v.Code, pos))
	switch b.stands {
	case inCode:
		return v.Code[pos] != ' '
	case inAttribute:
		return v.Code[pos] != ' ' && begins(line, "#")
	}
	if (v.Lang != source.None && !v.InComment(pos)) || (b.stands == onOwnLine && len(line) > 0) ||
		(b.stands == beforeCode && pos >= top) || source.IsWord(at(v.Text, end)) {
		return false
	}
	// Only what begins a comment stands before it; a comment in a comment that stands alone is an example: "#   # noqa".
	start := v.Text[max(0, pos-maxNear):pos]
	start = bytes.TrimRight(start[bytes.LastIndexByte(start, '\n')+1:], " \t")
	return ends(start, "#", "/", "*", "!", "-") && (!ends(start, "#") || len(start) == 1 || len(line) > 0)
}
