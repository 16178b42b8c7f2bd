package rules

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSwallowedCheck finds commands that run a check and cannot fail any more.
func findSwallowedCheck(c *Change, report func(Hit)) {
	for _, f := range c.Files {
		if f.Head == nil || foreign(f.Path) {
			continue
		}
		switch kind := scriptKind(f); kind {
		case noScript:
		case packageScripts:
			swallowedInPackage(f, report)
		default:
			swallowedInScript(f, kind, report)
		}
	}
}

const fixSwallowed = "let the command fail, and fix what it finds"

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
	case "package.json":
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
	case ".gitlab-ci", "azure-pipelines", "bitbucket-pipelines", "Taskfile", "lefthook", ".lefthook", ".travis", "appveyor", ".appveyor", ".cirrus", "buildspec", "cloudbuild", ".drone", ".woodpecker":
		return true
	}
	return begins(name, ".circleci/", ".gitlab/", ".azure-pipelines/", "eng/pipelines/", ".buildkite/", ".woodpecker/")
}

// swallowedInScript compares the commands of the lines that a change added with those that it removed.
func swallowedInScript(f *File, kind kindOfScript, report func(Hit)) {
	was := map[string]bool{} // the swallowed checks of removed lines
	if f.Base != nil {
		for _, line := range f.Removed() {
			if len(line.Text) <= maxShellLine && worthReading(line.Text) {
				for _, s := range swallowedIn(string(line.Text), kind) {
					was[s.check] = true
				}
			}
		}
	}
	hit, more := Hit{}, 0
	last := 0
	for _, line := range f.Added() {
		if line.Number <= last || len(line.Text) > maxShellLine || !worthReading(line.Text) {
			continue
		}
		text, end := logicalLine(f.Head, line.Number, kind)
		last = end
		for _, s := range swallowedIn(text, kind) {
			if was[s.check] {
				continue
			}
			if more++; more == 1 {
				hit = Hit{File: f.Path, Line: line.Number, Subject: s.check, Now: string(line.Text), Detail: "the result of " + s.check + " is ignored: " + s.how, Fix: fixSwallowed}
			}
		}
	}
	if check, line := uncheckedBlock(f, kind); check != "" {
		if more++; more == 1 {
			hit = Hit{File: f.Path, Line: line, Subject: check, Now: string(f.Head.Line(line)), Detail: "the result of " + check + " is ignored: set +e", Fix: fixSwallowed}
		}
	}
	if more > 0 {
		reportFirst(hit, more, report)
	}
}

// reportFirst reports the first of several places of a file.
func reportFirst(hit Hit, count int, report func(Hit)) {
	if count > 1 {
		hit.Detail += "; " + input.Plural(int64(count), "place") + " in this file"
	}
	report(hit)
}

// worthReading is a cheap filter: the line may ignore a result, or be the end of one that does.
func worthReading(line []byte) bool {
	trimmed := bytes.TrimLeft(line, " \t@")
	return has(line, "||", "; ", "--exit-zero", "--passWithNoTests", "--pass-with-no-tests") || begins(trimmed, "-") ||
		has(line, "--collect-only", "--co ", "--issues-exit-code")
}

// logicalLine joins a line with those that it continues, and with those that continue it.
func logicalLine(v *source.File, number int, kind kindOfScript) (text string, end int) {
	const most = 20
	first, end := number, number
	continued := func(n int) bool {
		return ends(bytes.TrimRight(v.Line(n), " \t"), "\\") || kind == yamlScript && begins(bytes.TrimLeft(v.Line(n+1), " "), "||")
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

// swallowed is a check whose result is ignored.
type swallowed struct{ check, how string }

// swallowedIn lists the checks of a line whose result is ignored.
func swallowedIn(line string, kind kindOfScript) []swallowed {
	if len(line) > maxShellLine {
		return nil
	}
	trimmed := strings.TrimSpace(line)
	if begins(trimmed, "#") {
		return nil
	}
	dash := lineMayFail(line, kind)
	if kind == yamlScript {
		trimmed = yamlCommand(trimmed)
	}
	if kind == toxFile {
		if _, after, ok := strings.Cut(trimmed, "= -"); ok {
			trimmed, dash = after, true
		}
	}
	var found []swallowed
	commands := shellCommands(trimmed)
	for i, c := range commands {
		check := checkOf(c.words)
		if check == "" {
			continue
		}
		how := ignored(commands, i)
		if how == "" {
			how = ignoring(c.words, check)
		}
		if how == "" && dash {
			how = "the line begins with -"
		}
		if how != "" {
			found = append(found, swallowed{check, how})
		}
	}
	return found
}

// lineMayFail reports whether make, just or tox ignores the result of a line.
func lineMayFail(line string, kind kindOfScript) bool {
	switch kind {
	case makefile:
		rest := strings.TrimLeft(line, " \t")
		return rest != line && (begins(rest, "-", "@-")) && !begins(rest, "--")
	case toxFile:
		return begins(strings.TrimSpace(line), "- ") || begins(strings.TrimSpace(line), "-") && !begins(strings.TrimSpace(line), "--")
	}
	return false
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
			if w == "exit" && (k+1 == len(c.words) || c.words[k+1] != "0") || oneOf(w, "false", "return") || has(w, "$?") || w == "}" {
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

// ignoring names the option with which a check reports nothing; "" for none.
func ignoring(words []string, check string) string {
	for i, w := range words {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "--exit-zero", "--collect-only", "--co":
			if name == "--exit-zero" || begins(check, "pytest") {
				return w
			}
		case "--issues-exit-code":
			if value == "0" || i+1 < len(words) && value == "" && words[i+1] == "0" {
				return name + "=0"
			}
		}
	}
	return ""
}

// uncheckedBlock finds a check after an added set +e, when nothing keeps its result and nothing sets -e again.
func uncheckedBlock(f *File, kind kindOfScript) (check string, line int) {
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
			if has(text, "set -e") || kind == yamlScript && begins(strings.TrimSpace(text), "- ") {
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

// swallowedInPackage compares the scripts of two versions of package.json.
func swallowedInPackage(f *File, report func(Hit)) {
	was, before := map[string]string{}, map[string]bool{}
	for _, s := range settingsOf(f.Base) {
		if leads(s.Keys, "scripts/*") {
			was[s.Keys[1]] = s.Value
			for _, ignored := range swallowedIn(s.Value, shellScript) {
				before[ignored.check] = true
			}
		}
	}
	hit, count := Hit{}, 0
	for _, s := range settingsOf(f.Head) {
		if leads(s.Keys, "scripts/*") && s.Value != was[s.Keys[1]] {
			if h := swallowedInEntry(f, s, was[s.Keys[1]], before); h.Detail != "" {
				if count++; count == 1 {
					hit = h
				}
			}
		}
	}
	if count > 0 {
		reportFirst(hit, count, report)
	}
}

// swallowedInEntry judges one script of package.json.
func swallowedInEntry(f *File, s Setting, old string, before map[string]bool) Hit {
	name, script := s.Keys[1], s.Value
	hit := Hit{File: f.Path, Line: s.Line, Subject: name, Was: old, Now: string(f.Head.Line(s.Line)), Fix: fixSwallowed}
	if namesCheck(name) && old != "" && doesNothing(script) && !doesNothing(old) {
		hit.Detail, hit.Fix = "the script "+name+" does nothing any more", "restore the script"
		return hit
	}
	for _, s := range swallowedIn(script, shellScript) {
		if !before[s.check] {
			hit.Detail = "the result of " + s.check + " is ignored in the script " + name + ": " + s.how
			return hit
		}
	}
	if has(script, "--passWithNoTests") && old != "" && !has(old, "--passWithNoTests") {
		hit.Detail = "the script " + name + " passes when no test ran: --passWithNoTests"
	}
	return hit
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
