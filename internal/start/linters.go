package start

import (
	"cmp"
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// linter is a linter whose configuration is tracked: a rule of the rule report.
type linter struct {
	id    string
	run   []string
	sarif []string // options that let it write SARIF into the rule report; nil when it has none
}

const rulesReport = evidence + "/rule_report.json"

// fixing is a script of package.json that changes files instead of judging them.
const fixing = `--(?:fix|write|apply)\b`

// findLinters finds the linters. A configuration alone does not say that the code keeps to it, so a linter counts only if its
// configuration selects rules, or if something else in the repository calls it.
func (s *starter) findLinters() {
	s.golangci()
	s.ruff()
	s.jsLinter()
	s.clippy()
	if gems := s.text(s.first(".", "Gemfile")); s.has(".rubocop.yml") && names(gems, "rubocop") {
		s.linters = append(s.linters, linter{id: "rubocop", run: []string{"bundle", "exec", "rubocop"}})
	}
	if (len(s.linters) > 0 && s.linters[0].sarif == nil) || len(s.linters) > 1 {
		s.extra = append(s.extra, File{rulesScript, []byte(lintScript)})
	}
}

func (s *starter) golangci() {
	config := s.first(".", ".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
	switch {
	case config == "":
	case !s.has("go.mod"):
		s.note(config + " was left out: there is no go.mod beside it")
	default:
		l, major := linter{id: "golangci-lint", run: []string{"golangci-lint", "run"}}, ""
		if matches(golangciV2, s.text(config)) {
			major, l.sarif = "/v2", []string{"--output.sarif.path=" + rulesReport}
		}
		s.linters = append(s.linters, l)
		version := cmp.Or(s.versionIn(golangciVersion), "latest")
		s.prepare(".", `GOBIN="$HOME/.local/bin" go install github.com/golangci/golangci-lint`+major+"/cmd/golangci-lint@"+version)
	}
}

const (
	golangciV2 = `(?m)^\s*"?version"?\s*[:=]\s*["']?2`
	// golangciVersion and ruffVersion are where a workflow and a hook say which version of the linter the code keeps to.
	golangciVersion = `golangci/golangci-lint-action@[^\n]*\n(?:[^\n]*\n){0,4}?\s+version: ["']?(v\d+\.\d+(?:\.\d+)?)\b`
	ruffVersion     = `/ruff-pre-commit["']?\s*\n\s+rev: ["']?v?(\d+\.\d+\.\d+)\b`
)

// versionIn is what a pattern finds in the workflows and hooks; "" when it finds nothing.
func (s *starter) versionIn(text string) string {
	pattern := regexp.MustCompile(text)
	for _, f := range s.files {
		if isCaller(f.Path) {
			if m := pattern.FindStringSubmatch(s.text(f.Path)); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// ruff counts when its configuration selects rules, or when something calls ruff check.
func (s *starter) ruff() {
	own := s.first(".", "ruff.toml", ".ruff.toml")
	config := s.toml(own)
	project := s.toml("pyproject.toml")
	if own == "" {
		config = project.tableAt("tool", "ruff")
	}
	if own == "" && config == nil {
		return
	}
	selects := config["lint"] != nil || config["select"] != nil || config["extend-select"] != nil
	if !selects && !s.called("ruff check", "ruff-check", "id: ruff", "ruff-pre-commit") {
		s.note("ruff was left out: its configuration selects no rules, and no workflow calls ruff check")
		return
	}
	p := &pyProject{starter: s, dir: ".", config: project}
	p.environment()
	run := []string{"ruff", "check"}
	if p.prefix != nil && p.declares("ruff") != "" {
		run = p.with(run...)
	} else if p.manager == nil || p.manager.Name != "poetry" || p.config.tableAt("tool", "poetry", "group") == nil {
		install := "pipx install ruff"
		if version := s.versionIn(ruffVersion); version != "" {
			install += "==" + version
		}
		s.prepare(".", install)
	} else {
		run = p.with(run...)
	}
	l := linter{id: "ruff", run: run}
	if !matches(`^0\.[01]\.`, s.versionIn(ruffVersion)) { // older ones may write no SARIF
		l.sarif = []string{"--output-format", "sarif", "--output-file", rulesReport}
	}
	s.linters = append(s.linters, l)
}

// called reports whether a workflow, a hook or a task of the repository contains one of some texts.
func (s *starter) called(texts ...string) bool {
	return s.any(func(p string) bool {
		return isCaller(p) && slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(s.text(p), t) })
	})
}

// isCaller reports whether a path is a workflow, or a file of hooks or tasks.
func isCaller(p string) bool {
	return path.Dir(p) == ".github/workflows" ||
		slices.Contains([]string{"Makefile", "justfile", "tox.ini", "noxfile.py", ".pre-commit-config.yaml", "Taskfile.yml", "package.json"}, p)
}

// jsLinter is the script lint of package.json, where it judges and changes nothing, else ESLint on the whole directory.
func (s *starter) jsLinter() {
	config := s.any(func(p string) bool {
		return path.Dir(p) == "." && (strings.HasPrefix(p, "eslint.config.") || strings.HasPrefix(p, ".eslintrc") || strings.HasPrefix(p, "biome.json"))
	})
	if !s.has("package.json") {
		return
	}
	pkg := s.json("package.json")
	if pkg == nil || (!config && pkg.At("eslintConfig").Kind != input.KindObject) {
		return
	}
	m, _ := s.managerOf(".", pkg)
	script := strings.TrimSpace(pkg.At("scripts", "lint").Text)
	if strings.Contains(script, "--cache") {
		s.leaves(".eslintcache")
	}
	switch {
	case script != "" && !matches(placeholder, script) && !matches(fixing, script):
		s.linters = append(s.linters, linter{id: "lint", run: words(m.Run, []string{"lint"})})
	case depends(pkg, "eslint"):
		s.linters = append(s.linters, linter{id: "eslint", run: words(m.Exec, []string{"eslint", "."})})
	case script != "":
		s.note("the script lint of package.json was left out: " + input.Quote(script) + " changes files")
	default:
		s.note("the configuration of a JavaScript linter was left out: package.json neither calls it nor depends on it")
	}
}

func (s *starter) clippy() {
	if !s.has("Cargo.toml") {
		return
	}
	manifest := s.toml("Cargo.toml")
	lints := manifest.tableAt("lints", "clippy") != nil || manifest.tableAt("workspace", "lints", "clippy") != nil
	config := s.first(".", "clippy.toml", ".clippy.toml")
	if config != "" || lints {
		s.linters = append(s.linters, linter{id: "clippy", run: []string{"cargo", "clippy", "--workspace", "--all-targets"}})
	}
}

const rulesScript = ".closeout/rules.sh"

// lintScript is the command of rules.run for several linters, or for one without SARIF: a row for each of them, which
// its arguments name.
//
//go:embed rules.sh
var lintScript string

// asArgument is a linter as an argument of the script.
func (l *linter) asArgument() string {
	words := make([]string, len(l.run))
	for i, w := range l.run {
		words[i] = input.ShellWord(w)
	}
	return l.id + ": " + strings.Join(words, " ")
}
