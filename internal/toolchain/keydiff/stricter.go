package keydiff

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// movement is a way in which a setting of a checker may change: what it leads to sees as much as before, or more.
type movement struct {
	keys func() *regexp.Regexp // dotted keys of the setting, as [tomlKey] writes them
	ok   func(old, now any) bool
}

// movements say how the settings of checkers may change. Any other change of them counts. The keys of a file that is
// for one checker alone begin with its name.
var movements = []movement{
	{input.Lazily(`^(?:tool\.(?:ruff\.(?:select|lint\.(?:extend-)?select)|tox\.env_list)|workspace\.members)$`), widens},
	{input.Lazily(`^(?:tool\.(?:ruff\.extend-select|mypy\.enable_error_code|pylint\..*\.?enable|pyright\.strict|coverage\.run\.patch)|` +
		`golangci\.(?:(?:linters|formatters)\.enable|formatters\.settings\.gofmt\.rewrite-rules))$`), gains},
	{input.Lazily(`^tool\.ruff\.(?:lint\.)?(?:ignore|extend-ignore|(?:extend-)?per-file-ignores\..+)$`), lessIgnored},
	{input.Lazily(`^(?:tool\.(?:ruff\.(?:lint\.)?extend-exclude|mypy\.(?:disable_error_code|exclude)|` +
		`pylint\..*\.?disable|pyright\.ignore|coverage\.report\.exclude_also)|` +
		`golangci\.(?:linters\.(?:disable|exclusions\.(?:rules|paths|presets))|issues\.exclude(?:-rules|-dirs|-files)?)|` +
		`rubocop\."?\w+/[\w/]+"?\.Exclude)$`), onlyLoses},
	{input.Lazily(`^(?:tool\.coverage\.report\.(?:exclude_lines|exclude_also)|rubocop\.(?:AllCops\.Exclude|"?\w+/[\w/]+"?\.Allowed\w+))$`), narrows},
	{input.Lazily(`^(?:tool\.(?:coverage\.report\.(?:fail_under|precision)|mypy\.python_version|ruff\.target-version|pyright\.pythonVersion|pytest\.(?:ini_options\.)?minversion)|` +
		`rubocop\.AllCops\.TargetRubyVersion|package\.edition)$`), rises},
	{input.Lazily(`^rubocop\."?(?:Metrics|Layout)/\w+"?\.Max$`), falls},
	{input.Lazily(`^(?:tool\.(?:mypy\.(?:strict|warn_\w+|disallow_\w+|check_untyped_defs|no_implicit_\w+|strict_\w+|extra_checks)|coverage\.run\.branch|` +
		`pytest\.(?:ini_options\.)?(?:xfail_strict|strict))|rubocop\."?\w+/[\w/]+"?\.Enabled)$`), turnsOn},
	{input.Lazily(`^tool\.mypy\.(?:ignore_missing_imports|ignore_errors|allow_\w+|implicit_\w+)$`), func(old, now any) bool { return old == true && now != true }},
	{input.Lazily(`^tool\.hatch\.build\.(?:targets\.\w+\.)?hooks\.[\w-]+\.dependencies$`), func(old, now any) bool { return source(old, true) == nil && source(now, true) == nil }},
	{input.Lazily(`^tool\.pytest\.(?:ini_options\.)?filterwarnings$`), warnsMore},
	{input.Lazily(`^tool\.pytest\.(?:ini_options\.)?addopts$`), runsAsMuch},
	{input.Lazily(`^(?:(?:workspace\.)?lints\.\w+\..+|tool\.pyright\.(?:report\w+|typeCheckingMode))$`), sterner},
	{input.Lazily(`^(?:tool\.(?:ruff\.(?:show-fixes|show-source|output-format|src|format\.(?:quote-style|indent-style|docstring-code-\w+|line-ending|skip-magic-trailing-comma)|(?:lint\.)?(?:isort\..+|ignore-init-module-imports))|hatch\.build\.targets\.(?:sdist\.(?:include|exclude|only-include)|\w+\.core-metadata-version)|coverage\.report\.(?:show_missing|skip_covered|skip_empty|sort|format)|pytest\.(?:ini_options\.)?(?:markers|asyncio_default_\w+_loop_scope|log_(?:cli_|file_)?(?:level|format|date_format)|console_output_style|faulthandler_timeout)|tox\.env\.[^.]+\.description|coverage\.html\..+)|` +
		`golangci\.run\.timeout|rubocop\.(?:AllCops\.(?:SuggestExtensions|DisplayCopNames)|"?\w+/[\w/]+"?\.Description))$`), func(any, any) bool { return true }},
}

// stricter reports whether a checker sees at least as much as before after a setting below a key changed.
func stricter(key string, old, now any) bool {
	if reflect.DeepEqual(old, now) {
		return true
	}
	for _, m := range movements {
		if m.keys().MatchString(key) {
			return m.ok(old, now)
		}
	}
	was, isTable := asTable(old)
	is, both := asTable(now)
	return isTable && both && len(was)+len(is) > 0 &&
		!slices.ContainsFunc(keysOf(was, is), func(name string) bool { return !stricter(key+"."+tomlKey(name), was[name], is[name]) })
}

// within reports whether each entry of a list is in the other one; nothing is an empty list.
func within(list, in any) bool {
	a, isList := list.([]any)
	b, both := in.([]any)
	there := entries(b)
	return (isList || list == nil) && (both || in == nil) && !slices.ContainsFunc(a, func(v any) bool { return !there[entryKey(v)] })
}

// entries are those of a list, each as [entryKey] writes it.
func entries(list []any) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, v := range list {
		set[entryKey(v)] = true
	}
	return set
}

// entryKey writes a value with its types, and tables in the order of their keys.
func entryKey(v any) string { return fmt.Sprintf("%#v", v) }

func gains(old, now any) bool { return within(old, now) }

// widens is [gains] of a list whose absence is no empty list, but another one.
func widens(old, now any) bool { return old != nil && within(old, now) }

// settingsOfNew leaves out of a configuration of golangci-lint the settings of linters that only the new one enables: a
// linter that did not run saw nothing.
func settingsOfNew(old, now map[string]any) {
	linters := tomlTable(old, "linters")
	enabled, isList := linters["enable"].([]any)
	after, _ := tomlTable(now, "linters")["enable"].([]any)
	others := !slices.Contains([]any{nil, "none", "standard"}, linters["default"]) || linters["enable-all"] != nil || linters["presets"] != nil || linters["fast"] != nil
	if !isList || others {
		return
	}
	before := entries(enabled)
	for _, linter := range after {
		name, _ := linter.(string)
		if !before[entryKey(linter)] && !slices.Contains(golangciDefault, name) {
			for _, root := range []map[string]any{old, now} {
				without(tomlTable(root, "linters"), "settings", name)
				without(root, "linters-settings", name)
			}
		}
	}
}

// without deletes a member of a table in another one, and the table if nothing else is in it.
func without(root map[string]any, table, name string) {
	settings := tomlTable(root, table)
	if _, there := settings[name]; there && len(settings) == 1 {
		delete(root, table)
	}
	delete(settings, name)
}

// golangciDefault are linters that run where nothing enables them, by another name too, and the table of those that are
// loaded.
var golangciDefault = []string{"custom", "gosec", "mnd", "err113", "errcheck", "gosimple", "govet", "ineffassign", "staticcheck", "stylecheck", "typecheck", "unused"}

func onlyLoses(old, now any) bool { return within(now, old) }

// lessIgnored is [onlyLoses] of codes of rules, where a longer one may take the place of its beginning.
func lessIgnored(old, now any) bool {
	const longest = 100 // letters of a code
	was, _ := old.([]any)
	list, isList := now.([]any)
	starts := map[string]bool{}
	for _, of := range was {
		start, _ := of.(string)
		starts[start] = true
	}
	return onlyLoses(old, slices.DeleteFunc(slices.Clone(list), func(v any) bool {
		code, _ := v.(string)
		for end := 1; end <= min(len(code), longest); end++ {
			if starts[code[:end]] {
				return true
			}
		}
		return false
	})) && (isList || now == nil)
}

// narrows is [widens] the other way round.
func narrows(old, now any) bool { return now != nil && within(now, old) }

func rises(old, now any) bool {
	a, b := number(old), number(now)
	was, isFloat := old.(float64)
	if is, both := now.(float64); isFloat && both {
		return was <= is
	}
	return a != nil && b != nil && slices.Compare(a, b) <= 0
}

func falls(old, now any) bool { return rises(now, old) }

func turnsOn(old, now any) bool { return now == true || (old == false && now == nil) }

// oneWarning is a filter that makes an error, or that lets one deprecation pass by the words it begins with.
var oneWarning = input.Lazily(`^\s*error|^(?:ignore|default|once): ?\w{2}[\w.]{2}(?:[\w ,()'"=>/.-]|\\[().]){8,}:(?:[\w.]+\.)?\w*(?:Deprecation|Future)Warning(?::[\w.]*)?$`)

func mayCome(filter any) bool {
	text, _ := filter.(string)
	return oneWarning().MatchString(text)
}

// warnsMore reports whether filters of warnings went that make no error, or came that do or say which deprecation
// passes. The last one that matches counts, so that the order stays.
func warnsMore(old, now any) bool {
	was, isList := old.([]any)
	is, both := now.([]any)
	if !isList || (!both && now != nil) {
		return false
	}
	for _, v := range was {
		for len(is) > 0 && v != is[0] && mayCome(is[0]) {
			is = is[1:]
		}
		if filter, isText := v.(string); len(is) > 0 && v == is[0] {
			is = is[1:]
		} else if !isText || strings.HasPrefix(strings.TrimSpace(filter), "e") {
			return false
		}
	}
	return !slices.ContainsFunc(is, func(filter any) bool { return !mayCome(filter) })
}

var (
	shows = input.Lazily(`^-(?:r[a-zA-Z]+|v+|q+|l|-showlocals|-tb=\w+|-durations=\d+|-color=\w+)$`)
	// checksMore is an option that may come. Any other mode of import lets a file beside the tests take the place of a
	// package.
	checksMore = input.Lazily(`^--(?:strict|strict-markers|strict-config|import-mode=importlib)$`)
)

// runsAsMuch reports whether options of pytest differ only in what it shows, or check more.
func runsAsMuch(old, now any) bool {
	was := options(old)
	return slices.Equal(was, slices.DeleteFunc(options(now), func(o string) bool { return checksMore().MatchString(o) && !slices.Contains(was, o) }))
}

// options are those of pytest without those that say what it shows. A text with quotes is one option.
func options(v any) (list []string) {
	entries, _ := v.([]any)
	for _, entry := range entries {
		list = append(list, fmt.Sprint(entry))
	}
	if text, _ := v.(string); strings.ContainsAny(text, "\"'\\") {
		list = []string{text}
	} else {
		list = append(list, strings.Fields(text)...)
	}
	return slices.DeleteFunc(list, shows().MatchString)
}

// number reads a number or a version of a language, such as 3.10 and py310.
func number(v any) []int {
	switch v := v.(type) {
	case int64:
		return []int{int(v)}
	case float64:
		return numbers(strconv.FormatFloat(v, 'f', -1, 64))
	case json.Number:
		return numbers(v.String())
	case string:
		if minor, isPython := strings.CutPrefix(v, "py3"); isPython {
			return numbers("3." + minor)
		}
		return numbers(v)
	}
	return nil
}

// scales are the levels of lints of Cargo, of reports of Pyright and of its modes, from the mildest on; without one, a
// lint has any.
var scales = [][][]any{
	{{"allow"}, nil, {"warn"}, {"deny"}, {"forbid"}},
	{{"none", false}, {"information"}, {"warning"}, {"error", true}},
	{{"off"}, {"basic"}, {"standard"}, {"strict"}},
}

// sterner compares levels. A lint of Cargo may say its level in a table, with a priority that stays.
func sterner(old, now any) bool {
	was, wasTable := old.(map[string]any)
	is, isTable := now.(map[string]any)
	if wasTable && now != nil && (!isTable || !reflect.DeepEqual(was["priority"], is["priority"])) {
		return false
	}
	if wasTable && len(was) <= 2 && len(is) <= 2 {
		if old = was["level"]; isTable {
			now = is["level"]
		}
	}
	return slices.ContainsFunc(scales, func(levels [][]any) bool {
		level := func(v any) int {
			return slices.IndexFunc(levels, func(same []any) bool { return slices.Contains(same, v) })
		}
		was, is := level(old), level(now)
		switch {
		case old == nil:
			return is >= 3
		case now == nil:
			return was == 0
		}
		return was >= 0 && is >= was
	})
}

// checkerKeys are the keys of a file of one checker that may see less than before: of the top level.
func checkerKeys(checker string, read func(data []byte) (map[string]any, error)) reader {
	return func(before, after []byte) ([]string, error) {
		old, now, err := both(read, before, after)
		if err != nil {
			return nil, err
		}
		if checker == "golangci" {
			settingsOfNew(old, now)
		}
		return tomlDiff([]string{}, "", old, now, 1, func(key string, old, now any) bool { return stricter(checker+"."+key, old, now) }), nil
	}
}

var (
	describesRule = input.Lazily(`^( +)Description: [A-Za-z]`)
	blockScalar   = input.Lazily(`[|>][\d+-]*[ \t]*(?:#.*)?\r?\n`)
)

// withoutDescriptions leaves out further lines of a description in plain words: what is deeper than its key can be
// nothing else.
func withoutDescriptions(data []byte) []byte {
	if blockScalar().Match(data) {
		return data
	}
	var kept strings.Builder
	margin := -1
	for line := range strings.Lines(string(data)) {
		if text := strings.TrimLeft(line, " "); margin >= 0 && len(line)-len(text) > margin && !strings.ContainsAny(text, "#:\t\r") {
			continue
		}
		margin = -1
		if m := describesRule().FindStringSubmatch(line); m != nil && !strings.ContainsAny(line, "#\r") {
			margin = len(m[1])
		}
		kept.WriteString(line)
	}
	return []byte(kept.String())
}

// yamlTree reads a YAML mapping with all that is in it.
func yamlTree(data []byte) (map[string]any, error) {
	if strings.Contains(string(data), "<%") {
		return nil, errors.New("it may be a template, which RuboCop runs in comments too")
	}
	members, err := input.YAMLMembers(withoutDescriptions(data))
	if err != nil {
		return nil, err
	}
	tree := make(map[string]any, len(members))
	for name, raw := range members {
		var value any
		if err := json.Unmarshal([]byte(raw), &value); err != nil {
			return nil, err
		}
		tree[name] = value
	}
	return tree, nil
}

var (
	neonErrors = input.Lazily(`^[ \t]+ignoreErrors:$`)
	neonLevel  = input.Lazily(`^[ \t]+level: (\d+)$`)
	neonCount  = input.Lazily(`^count: ([1-9]\d{0,2})$`)
)

// mostIgnored is how many bytes of errors, each as often as it is ignored, are compared one by one.
const mostIgnored = 16 << 20

// readNeon reads a file of PHPStan: errors that are ignored, which may go or be fewer, and the rest.
func readNeon(text string) map[string]string {
	if strings.Contains(text, "'''") || strings.Contains(text, `"""`) || strings.ContainsAny(text, oddLine) {
		return map[string]string{"content": text}
	}
	var rest, level strings.Builder
	var ignored []string
	entry, times := "", 0   // 0 for an entry without a count, which ignores any number
	section, item := -1, -1 // indentations
	var below []string      // the lines of the entry behind its first
	size := 0               // of all that is ignored
	end := func() {
		entry = strings.Join(append([]string{entry}, below...), "\x00")
		size += len(entry) * max(1, times)
		if entry != "" && times == 0 {
			ignored = append(ignored, entry)
		}
		for i := range times {
			if size < mostIgnored {
				ignored = append(ignored, entry+" "+strconv.Itoa(i))
			}
		}
		entry, times, below = "", 0, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if bare == "" || bare[0] == '#' {
			continue
		}
		if section >= 0 && indent <= section {
			section = -1
		}
		isItem := section >= 0 && bare[0] == '-' && (item < 0 || indent == item)
		switch count := neonCount().FindStringSubmatch(bare); {
		case isItem:
			end()
			entry, item = bare, indent
		case section >= 0 && indent > item && entry != "" && count != nil:
			times, _ = strconv.Atoi(count[1]) // three digits
		case section >= 0 && indent > item && entry != "":
			below = append(below, bare)
		case neonLevel().MatchString(line):
			level.WriteString(bare + "\n")
			rest.WriteString(strings.TrimRight(line, "0123456789") + "\n") // where it is
		default:
			rest.WriteString(line + "\n")
			section = -1
			if neonErrors().MatchString(line) {
				section, item = indent, -1
			}
		}
	}
	end()
	if size >= mostIgnored {
		return map[string]string{"content": text}
	}
	if strings.Count(level.String(), "\n") > 1 {
		rest.WriteString(level.String())
	}
	return map[string]string{
		more + "ignored errors": sorted(ignored), "content": rest.String(),
		lowerVersion + "level": strings.ReplaceAll(level.String(), "level: ", ""),
	}
}
