package rules

import (
	"bytes"
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSwallowedCheck finds commands that run a check and cannot fail any more.
func findSwallowedCheck(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if f.Head == nil || foreign(f.Path) || scriptKind(f) == noScript {
			continue
		}
		was := map[string]int{} // how many could not fail before
		for _, check := range f.changedChecks(true) {
			if check.MayFail != "" {
				was[check.Program]++
			}
		}
		var found firstHit
		swallowed := func(line int, program, how string) {
			found.add(f.hit(0, line, program, "the result of "+program+" is ignored: "+how,
				"let the command fail, and fix what it finds"))
		}
		for _, check := range f.changedChecks(false) {
			if check.MayFail == "" {
				continue
			}
			if was[check.Program]--; was[check.Program] < 0 {
				swallowed(check.Line, check.Program, check.MayFail)
			}
		}
		if program, line := uncheckedBlock(f); program != "" {
			swallowed(line, program, "set +e")
		}
		if scriptKind(f) == packageScripts {
			f.idleScripts(&found)
		}
		found.report(report)
	}
}

// firstHit is the first of several hits of a file.
type firstHit struct {
	Hit
	count int64
}

func (h *firstHit) add(hit Hit) {
	if h.count++; h.count == 1 {
		h.Hit = hit
	}
}

func (h *firstHit) report(report func(Hit)) {
	if h.count > 1 {
		h.Detail += "; " + input.Plural(h.count, "place") + " in this file"
	}
	if h.count > 0 {
		report(h.Hit)
	}
}

// kindOfScript is how a file contains commands.
type kindOfScript int

const (
	noScript kindOfScript = iota
	shellScript
	makefile // a line that begins with - may fail
	toxFile
	yamlScript
	dockerfile
	packageScripts // package.json
)

// scriptKind tells from its name, or from its first line, how a file contains commands.
func scriptKind(f *File) kindOfScript {
	base := path.Base(f.Path)
	switch base {
	case "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", ".justfile":
		return makefile
	case "package.json", "composer.json":
		return packageScripts
	case "tox.ini":
		return toxFile
	case "Dockerfile", "Containerfile":
		return dockerfile
	}
	switch ext := path.Ext(base); ext {
	case ".sh", ".bash", ".zsh", ".bats":
		return shellScript
	case ".mk", ".just":
		return makefile
	case ".yml", ".yaml":
		if runsCommands(f.Path) {
			return yamlScript
		}
	case ".dockerfile":
		return dockerfile
	case "":
		if text := f.Head.Text; begins(text, "#!") {
			first, _, _ := bytes.Cut(text[:min(len(text), 100)], []byte("\n"))
			if ends(bytes.TrimSpace(first), "sh") {
				return shellScript
			}
		}
	}
	if begins(f.Path, ".husky/") {
		return shellScript
	}
	return noScript
}

// runsCommands reports whether a YAML file contains commands that a build runs.
func runsCommands(name string) bool {
	if isFlow(name) {
		return true
	}
	switch strings.TrimSuffix(path.Base(name), path.Ext(name)) {
	case ".gitlab-ci", "azure-pipelines", "bitbucket-pipelines", "Taskfile", "lefthook", ".lefthook", ".travis",
		"appveyor", ".appveyor", ".cirrus", "buildspec", "cloudbuild", ".drone", ".woodpecker":
		return true
	}
	return begins(name, ".circleci/", ".gitlab/", ".azure-pipelines/", "eng/pipelines/", ".buildkite/", ".woodpecker/")
}

// logicalLine joins a line with those that it continues, and with those that continue it.
func logicalLine(v *source.File, number int, kind kindOfScript) (text string, end int) {
	const most = 20
	first, end := number, number
	continued := func(n int) bool {
		return ends(bytes.TrimRight(v.Line(n), " \t"), "\\") ||
			(kind == yamlScript && begins(bytes.TrimLeft(v.Line(n+1), " "), "||"))
	}
	for first > 1 && number-first < most && continued(first-1) {
		first--
	}
	for end < v.Lines() && end-number < most && continued(end) {
		end++
	}
	var b strings.Builder
	for n := first; n <= end; n++ {
		line := v.Line(n)
		b.Write(bytes.TrimSuffix(bytes.TrimRight(line[:min(len(line), maxShellLine)], " \t"), []byte("\\")))
		b.WriteByte(' ')
	}
	return b.String(), end
}

// Check is a command that runs a check.
type Check struct {
	File    *File
	Line    int
	Program string // with the word that makes it a check, as [checkOf] names it
	Args    []string
	MayFail string   // how its failure does not count, "" where it does
	retried bool     // it is tried again where it fails
	names   []string // what tests must be called, by option
}

// script is a line with commands, joined with those that continue it, or a script of package.json, which has a name.
type script struct {
	name, text string
	line       int
}

// scripts are those of a version of a file that begin on some lines, or all that it has.
func (f *File) scripts(v *source.File, lines iter.Seq[int]) (list []script) {
	if scriptKind(f) == packageScripts { // however many of them stand on a line
		for _, s := range settingsOf(v) {
			if leads(s.Keys, "scripts/*") {
				list = append(list, script{s.Keys[1], s.Value, s.Line})
			}
		}
		return list
	}
	last := 0
	for n := range lines {
		if n > last && len(v.Line(n)) <= maxShellLine {
			s := script{line: n}
			s.text, last = logicalLine(v, n, scriptKind(f))
			list = append(list, s)
		}
	}
	return list
}

// allScripts are the scripts of a version of a file.
func (f *File) allScripts(v *source.File) []script {
	return f.scripts(v, func(yield func(int) bool) {
		for n := 1; v != nil && n <= v.Lines() && yield(n); n++ {
		}
	})
}

// changedScripts are the scripts that a change removes from a file, or adds to it.
func (f *File) changedScripts(base bool) []script {
	v, other, lines := f.Head, f.Base, f.Added()
	if base {
		v, other, lines = f.Base, f.Head, f.Removed()
	}
	list := f.scripts(v, func(yield func(int) bool) {
		for i := 0; i < len(lines) && yield(lines[i].Number); i++ {
		}
	})
	if scriptKind(f) == packageScripts {
		same := map[script]bool{}
		for _, s := range f.allScripts(other) {
			same[script{s.name, s.text, 0}] = true
		}
		list = slices.DeleteFunc(list, func(s script) bool { return same[script{s.name, s.text, 0}] })
	}
	return list
}

// changedChecks are the checks of the scripts that a change removes from a file, or adds to it.
func (f *File) changedChecks(base bool) (all []Check) {
	for _, s := range f.changedScripts(base) {
		all = append(all, f.checksOf(s)...)
	}
	return all
}

// checksOf are the checks that a script runs.
func (f *File) checksOf(s script) (all []Check) {
	text := strings.TrimSpace(s.text)
	if begins(text, "#", "//") {
		return nil
	}
	kind := scriptKind(f)
	mayFail := begins(strings.TrimLeft(text, "@"), "-") && !begins(text, "--") &&
		(kind == toxFile || (kind == makefile && !begins(s.text, "-", "@")))
	if _, command, is := strings.Cut(text, "= -"); is && kind == toxFile {
		text, mayFail = command, true
	}
	text = yamlCommand(text)
	commands := shellCommands(text)
	for i, c := range commands {
		program := checkOf(c.words)
		if program == "" {
			continue
		}
		how := cmp.Or(ignored(commands, i), ignoring(c.words, program))
		if mayFail && how == "" {
			how = "the line begins with -"
		}
		all = append(all, Check{
			File: f, Line: s.line, Program: program, Args: checkArguments(c.words, program), MayFail: how,
			retried: oneOf(c.words[0], "until", "retry") || has(text, "&& break") ||
				(c.after == "||" && i+1 < len(commands) && checkOf(commands[i+1].words) == program),
		})
	}
	return all
}

// yamlCommand removes what is before a command on a line of YAML.
func yamlCommand(line string) string {
	line = strings.TrimPrefix(line, "- ")
	for _, key := range [...]string{"run:", "script:", "bash:", "cmd:", "command:", "entry:"} {
		if rest, ok := strings.CutPrefix(line, key); ok {
			line = strings.TrimSpace(rest)
			if n := len(line); n > 1 && (line[0] == '"' || line[0] == '\'') && line[n-1] == line[0] {
				line = line[1 : n-1]
			}
		}
	}
	return line
}

// ignored says how what follows a command makes its result irrelevant; "" when it does not.
func ignored(commands []command, i int) string {
	after := commands[i].after
	for after == "|" && i+1 < len(commands) { // the result of the last command of a pipe counts, or of any
		i++
		after = commands[i].after
	}
	if i+1 >= len(commands) {
		return ""
	}
	next := commands[i+1]
	switch after {
	case "||":
		if succeeds(next.words) && next.after != "&&" && !failsLater(commands[i+1:]) {
			return "|| " + strings.Join(next.words, " ")
		}
	case ";":
		if succeeds(next.words) && i+2 == len(commands) && !oneOf(next.words[0], "echo", "printf") {
			return "; " + strings.Join(next.words, " ")
		}
	}
	return ""
}

// failsLater reports whether a later command of the line fails after all, or keeps the result.
func failsLater(commands []command) bool {
	for _, c := range commands {
		for k, w := range c.words {
			if (w == "exit" && (k+1 == len(c.words) || c.words[k+1] != "0")) || oneOf(w, "false", "return") || has(w, "$?") ||
				w == "}" {
				return true
			}
		}
	}
	return false
}

// succeeds reports whether a command always ends well and does nothing of use.
func succeeds(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "true", ":", "/bin/true":
		return true
	case "exit":
		return len(words) > 1 && words[1] == "0"
	case "echo", "printf":
		return !slices.ContainsFunc(words, func(w string) bool { return has(w, ">", "GITHUB_") }) // it keeps the result
	}
	return false
}

// uncheckedBlock finds a check after an added set +e, when nothing keeps its result and nothing sets -e again.
func uncheckedBlock(f *File) (check string, line int) {
	kind := scriptKind(f)
	if kind != shellScript && kind != yamlScript {
		return "", 0
	}
	const most = 30 // lines after set +e
	for _, added := range f.Added() {
		if !ends(bytes.TrimSpace(added.Text), "set +e") {
			continue
		}
		check = ""
		for n := added.Number + 1; n <= f.Head.Lines() && n <= added.Number+most; n++ {
			text := string(f.Head.Line(n)[:min(len(f.Head.Line(n)), maxShellLine)])
			if has(text, "$?", "PIPESTATUS", "${?}") {
				check = ""
				break
			}
			if has(text, "set -e") || (kind == yamlScript && begins(strings.TrimSpace(text), "- ")) {
				break
			}
			if found := checksIn(text); check == "" && len(found) > 0 {
				check = found[0]
			}
		}
		if check != "" {
			return check, added.Number
		}
	}
	return "", 0
}

// idleScripts finds scripts of package.json that checked something and do nothing any more.
func (f *File) idleScripts(found *firstHit) {
	was := map[string]string{}
	for _, s := range f.allScripts(f.Base) {
		was[s.name] = s.text
	}
	for _, s := range f.changedScripts(false) {
		if old := was[s.name]; namesCheck(s.name) && old != "" && doesNothing(s.text) && !doesNothing(old) {
			hit := f.hit(0, s.line, s.name, "the script "+s.name+" does nothing any more", "restore the script")
			hit.Was = old
			found.add(hit)
		}
	}
}

// doesNothing reports whether all commands of a script only succeed.
func doesNothing(script string) bool {
	for _, c := range shellCommands(script) {
		if !succeeds(c.words) {
			return false
		}
	}
	return true
}
