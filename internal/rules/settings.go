package rules

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findCheckConfig finds settings of compilers and checkers that demand less than before.
func findCheckConfig(c *Change, report func(Hit)) {
	heads := map[string]int{} // the highest level in any file: a setting may have moved
	for _, f := range c.Files {
		for key, s := range settingsOf(f.Head) {
			heads[key] = max(heads[key], s.level)
		}
	}
	for _, f := range c.Files {
		if f.Base != nil && f.Head != nil {
			weakerSettings(f, heads, report)
		}
	}
}

// setting is what a file demands.
type setting struct {
	level  int // more is stricter; 0 is off
	line   int
	needed bool // without it nothing else demands it
}

// settingsOf are the settings of a version of a file by name; nil for a file without any.
func settingsOf(v *source.File) map[string]setting {
	if v == nil || foreign(v.Path) || isExample(v.Path) {
		return nil
	}
	all := map[string]setting{}
	switch base := strings.ToLower(path.Base(v.Path)); {
	case strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json"):
		typeScriptSettings(v, all)
	case base == ".editorconfig", base == ".globalconfig":
		severities(v, all)
	case strings.HasSuffix(base, ".props"), strings.HasSuffix(base, ".targets"), strings.HasSuffix(base, ".csproj"):
		projectSettings(v, all)
	case base == ".rubocop.yml":
		for _, m := range membersOf(parseYAML(v)) {
			copSettings(m, all)
		}
	case base == ".pre-commit-config.yaml", base == ".pre-commit-config.yml":
		hooks(parseYAML(v), all)
	case base == "codecov.yml", base == ".codecov.yml":
		informational(parseYAML(v), "", all)
	}
	return all
}

// weakerSettings compares both versions of a file.
func weakerSettings(f *File, heads map[string]int, report func(Hit)) {
	was, now := settingsOf(f.Base), settingsOf(f.Head)
	var less []string
	hit := Hit{File: f.Path, Fix: "restore the setting, or let a person approve that it goes"}
	for _, key := range sortedKeys(was) {
		old := was[key]
		next, there := now[key]
		if there && next.level >= old.level || !there && (!old.needed || old.level == 0) || heads[key] >= old.level || renamedHook(key, was, now) {
			continue
		}
		if less = append(less, key); len(less) == 1 {
			hit.Was = string(f.Base.Line(old.line))
			if hit.Line = next.line; there {
				hit.Now = string(f.Head.Line(next.line))
			} else {
				hit.Base, hit.Line = true, old.line
			}
		}
	}
	for _, key := range sortedKeys(now) {
		if _, there := was[key]; there || now[key].level > 0 {
			continue
		}
		if less = append(less, key); len(less) == 1 {
			hit.Line, hit.Now = now[key].line, string(f.Head.Line(now[key].line))
		}
	}
	if len(less) > 0 {
		hit.Subject, hit.Others = less[0], less[1:]
		hit.Detail = "demands less than before: " + listed(less)
		report(hit)
	}
}

// strictOptions are the options of TypeScript that find mistakes.
const strictOptions = ` strict noImplicitAny strictNullChecks strictFunctionTypes strictBindCallApply strictPropertyInitialization noImplicitThis ` +
	`useUnknownInCatchVariables alwaysStrict noUnusedLocals noUnusedParameters noImplicitReturns noFallthroughCasesInSwitch noUncheckedIndexedAccess ` +
	`exactOptionalPropertyTypes noImplicitOverride `

func typeScriptSettings(v *source.File, all map[string]setting) {
	root := parseJSON(v)
	for _, m := range membersOf(below(root, "compilerOptions")) {
		if strings.Contains(strictOptions, " "+m.Key+" ") && m.Value != nil && m.Value.Kind == input.KindBool {
			all[m.Key] = setting{flagLevel(m.Value.Bool), m.Pos.Line, below(root, "extends") == nil}
		}
	}
}

func flagLevel(on bool) int {
	if on {
		return 1
	}
	return 0
}

// severityNames are in the order of their strictness.
var severityNames = []string{"none", "silent", "suggestion", "warning", "error"}

// severities reads what an analyzer of .NET does with a diagnostic, by section.
func severities(v *source.File, all map[string]setting) {
	section, n := "", 0
	for raw := range bytes.Lines(v.Text) {
		n++
		line := strings.TrimSpace(string(raw[:min(len(raw), maxShellLine)]))
		if strings.HasPrefix(line, "[") {
			section = line
		}
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		least := 0 // a new style that only editors see is no diagnostic that is off
		if _, after, has := strings.Cut(value, ":"); has {
			value, least = after, 1
		} else if !strings.HasSuffix(key, ".severity") {
			continue
		}
		value, _, _ = strings.Cut(value, " ")
		if level := slices.Index(severityNames, strings.ToLower(value)); level >= 0 {
			all[key+" "+section] = setting{max(0, level-1) + least, n, false}
		}
	}
}

// projectSettings reads the properties of .NET that make warnings count.
func projectSettings(v *source.File, all map[string]setting) {
	for n := 1; n <= v.Lines(); n++ {
		line := v.Line(n)
		if len(line) > maxShellLine || bytes.IndexByte(line, '<') < 0 {
			continue
		}
		for _, name := range [...]string{"TreatWarningsAsErrors", "CodeAnalysisTreatWarningsAsErrors", "MSBuildTreatWarningsAsErrors", "EnforceCodeStyleInBuild", "EnableNETAnalyzers", "RunAnalyzers", "Nullable"} {
			if value, ok := element(line, name); ok {
				all[name] = setting{flagLevel(oneOf(strings.ToLower(value), "true", "enable")), n, true}
			}
		}
	}
}

// element is the content of an element of XML that a line has.
func element(line []byte, name string) (string, bool) {
	_, rest, ok := bytes.Cut(line, []byte("<"+name))
	if !ok || len(rest) == 0 || rest[0] != '>' && rest[0] != ' ' {
		return "", false
	}
	_, rest, ok = bytes.Cut(rest, []byte(">"))
	value, _, closed := bytes.Cut(rest, []byte("</"))
	return strings.TrimSpace(string(value)), ok && closed
}

// copSettings reads whether a cop of RuboCop is on, and how much it allows.
func copSettings(m input.Member, all map[string]setting) {
	for _, option := range membersOf(m.Value) {
		text := textOf(option.Value)
		switch {
		case option.Key == "Enabled" && (text == "true" || text == "false"):
			all[m.Key] = setting{flagLevel(text == "true"), option.Pos.Line, false}
		case option.Key == "DisabledByDefault":
			all[m.Key+"/DisabledByDefault"] = setting{flagLevel(text != "true"), option.Pos.Line, false}
		case option.Key == "Max":
			if most, err := strconv.Atoi(text); err == nil && most >= 0 {
				all[m.Key+"/Max"] = setting{max(1, 1_000_000-most), option.Pos.Line, false}
			}
		}
	}
}

// hooks reads the checks that run before a commit.
func hooks(root *input.Node, all map[string]setting) {
	repos := below(root, "repos")
	if repos == nil {
		return
	}
	for _, repo := range repos.Items {
		list := below(repo, "hooks")
		if list == nil {
			continue
		}
		for _, hook := range list.Items {
			if id := textOf(below(hook, "id")); id != "" {
				all["the hook "+id] = setting{1, hook.Pos.Line, true}
			}
		}
	}
}

// renamedHook reports whether a hook has a new name that contains the one before, such as local-ruff.
func renamedHook(key string, was, now map[string]setting) bool {
	id, is := strings.CutPrefix(key, "the hook ")
	if !is {
		return false
	}
	for name := range now {
		if _, there := was[name]; !there && strings.Contains(name, id) {
			return true
		}
	}
	return false
}

// informational reads whether the states of Codecov count.
func informational(n *input.Node, name string, all map[string]setting) {
	for _, m := range membersOf(n) {
		key := strings.TrimPrefix(name+"."+m.Key, ".")
		switch text := textOf(m.Value); m.Key {
		case "informational":
			all[key] = setting{flagLevel(text != "true"), m.Pos.Line, false}
		case "require_ci_to_pass":
			all[key] = setting{flagLevel(text != "false" && text != "no"), m.Pos.Line, false}
		}
		informational(m.Value, key, all)
	}
}
