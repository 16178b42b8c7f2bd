package rules

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findSwallowedCheck finds commands that run a check and cannot fail any more.
func findSwallowedCheck(c *Change, report func(Hit)) {
	was := map[string]int{} // how many could not fail before
	for _, f := range c.scripted() {
		for _, check := range f.had {
			if check.MayFail != "" {
				was[check.Program]++
			}
		}
	}
	for _, f := range c.scripted() {
		var found firstHit
		looked := 0 // how many pipes were followed: no person writes more
		for _, check := range f.has {
			if check.MayFail == "" {
				continue
			}
			if was[check.Program]--; was[check.Program] < 0 && !f.isHeard(check.MayFail, &looked) {
				found.add(f.hit(0, check.Line, check.Program, "the result of "+check.Program+" is ignored: "+check.MayFail, fixSoft))
			}
		}
		did := map[string]string{} // what scripts of package.json did, by name
		for _, s := range f.removed {
			if !doesNothing(s.text) {
				did[s.name] = s.text
			}
		}
		for _, s := range f.added {
			switch was := did[s.name]; {
			case was != "" && namesCheck(s.name) && doesNothing(s.text):
				hit := f.hit(0, s.line, s.name, "the script "+s.name+" does nothing any more", fixRestore)
				hit.Was = was
				found.add(hit)
			case has(s.text, ".fail_on_error = false"): // of Rake
				found.add(f.hit(0, s.line, "", "the result of a task is ignored", fixSoft))
			default:
				if check, how := f.unheard(s); check != "" {
					found.add(f.hit(0, s.line, check, "the result of "+check+" does not count behind "+how, fixSoft))
				}
			}
		}
		if f.stopsNoMore() && found.count == 0 {
			if all := f.checks(f.all); len(all) > 1 {
				found.add(f.hit(0, all[0].Line, all[0].Program, "the result of "+all[0].Program+" is ignored: set -e is gone", fixSoft))
			}
		}
		found.report(report)
	}
}

// stops reports whether a script ends where one of its commands fails, from this line on.
func stops(s script) bool {
	words := strings.Fields(s.text)
	return len(words) > 1 && begins(words[0]+words[1], "set-") && (has(words[1], "e") || has(s.text, "errexit"))
}

// stopsNoMore reports whether a shell script stopped where a command failed, and does not any more.
func (f *scripted) stopsNoMore() bool {
	goesOn := func(s script) bool { return has(s.text, "set +e") }
	return f.Head != nil && scriptKind(f.File) == "shell" && slices.ContainsFunc(f.removed, stops) && !slices.ContainsFunc(f.all, stops) &&
		!slices.ContainsFunc(f.removed, goesOn) && !has(f.Head.Text, "sh -e")
}

// unheard is the first check behind a line from which on no failure counts, and that line: set +e, a trap, and the end
// of a script.
func (f *scripted) unheard(from script) (check, how string) {
	const most = 50 // lines behind it
	how = strings.TrimSpace(from.text)
	isEnd := how == "exit 0"
	if !oneOf(scriptKind(f.File), "shell", "yaml") || !(isEnd || ends(how, "set +e") || (begins(how, "trap ") && has(how, "exit 0"))) {
		return "", ""
	}
	at, _ := slices.BinarySearchFunc(f.all, from.line, func(s script, line int) int { return s.line - line })
	for _, s := range f.all[min(at+1, len(f.all)):min(at+most, len(f.all))] {
		switch text := strings.TrimSpace(s.text); {
		case text == how, has(text, "$?", "PIPESTATUS", "${?}"):
			return "", ""
		case has(text, "set -e"), text != "" && indentOf([]byte(s.text)) < indentOf([]byte(from.text)), isEnd && check != "":
			return check, how // the end of a block
		case check == "":
			check = strings.Join(checksIn(text), " ")
		}
	}
	return check, how
}

// isHeard reports whether something else looks at a result that a pipe hides.
func (f *scripted) isHeard(how string, looked *int) bool {
	if !begins(how, "| ") || *looked == 100 {
		return false
	}
	*looked++
	return has(f.Head.Text, "pipefail", "shell: bash", "PIPESTATUS") ||
		bytes.Count(f.Head.Text, []byte(how[strings.LastIndexByte(how, ' ')+1:])) > 1
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

// scriptFiles are the names of files with commands, by how they contain them: in Makefiles and for tox, a line that
// begins with - may fail.
var scriptFiles = []struct{ kind, names string }{
	{"shell", "*.sh *.bash *.zsh *.bats dockerfile containerfile *.dockerfile"},
	{"make", "makefile gnumakefile justfile .justfile *.mk *.just"},
	{"tox", "tox.ini"},
	{"rspec", ".rspec"},
	{"package", "package.json composer.json pyproject.toml deno.json deno.jsonc"},
	{"calls", "noxfile.py tasks.py rakefile *.rake"},
	{"yaml", ".gitlab-ci.y*ml azure-pipelines.y*ml bitbucket-pipelines.y*ml taskfile.y*ml lefthook.y*ml .lefthook.y*ml .travis.y*ml " +
		"appveyor.y*ml .appveyor.y*ml .cirrus.y*ml buildspec.y*ml cloudbuild.y*ml .drone.y*ml .woodpecker.y*ml"},
}

// scriptKind tells from its name, or from its first line, how a file contains commands; "" for one without.
func scriptKind(f *File) string {
	for _, s := range scriptFiles {
		if isNamed(f.Path, s.names) {
			return s.kind
		}
	}
	switch {
	case isFlow(f.Path), ends(f.Path, ".yml", ".yaml") &&
		begins(f.Path, ".circleci/", ".gitlab/", ".azure-pipelines/", "eng/pipelines/", ".buildkite/", ".woodpecker/"):
		return "yaml"
	case begins(f.Path, ".husky/"), f.Head != nil && !has(f.Path[strings.LastIndexByte(f.Path, '/')+1:], ".") && shebang().Match(restOf(f.Head.Text, 0)):
		return "shell"
	}
	return ""
}

var shebang = input.Lazily(`^#!.*sh\s*$`)

// Check is a command that runs a check.
type Check struct {
	File    *File
	Line    int
	Program string // with the word that makes it a check, as [checkOf] names it
	Args    []string
	MayFail string // how its failure does not count, "" where it does
	script  string // of package.json that has it
	retried bool   // it is tried again where it fails
}

// script is a line with commands, joined with those that continue it, or a script of package.json, which has a name.
type script struct {
	name, text string
	line       int
}

// scripted is a file with commands.
type scripted struct {
	*File
	from           *File    // it, or the workflow that got its name
	was, all       []script // of the merge base and of the head
	removed, added []script
	had, has       []Check // of what the change removes and adds
}

// scripted are the touched files with commands.
func (c *Change) scripted() []*scripted {
	if c.scripts != nil {
		return c.scripts
	}
	c.scripts = []*scripted{}
	for _, f := range c.Files {
		s := &scripted{File: f, from: f}
		p, isRead := c.flowsOf().byFile[f]
		if isRead && p.was.text != nil {
			s.from = p.was.file
		}
		if foreign(f.Path) || scriptKind(f) == "" || c.isGenerated(f) {
			continue
		}
		s.was, s.all = s.from.scripts(s.from.Base), f.scripts(f.Head)
		s.added, s.removed = cancel(s.all, s.was, func(s script) string {
			text := strings.TrimSpace(s.text)
			if has(text, "uses:") { // another version is no other action
				text, _, _ = strings.Cut(text, "@")
			}
			return s.name + "\x00" + text
		})
		s.had, s.has = s.from.checks(s.removed), f.checks(s.added)
		c.scripts = append(c.scripts, s)
	}
	return c.scripts
}

// scripts are those of a version of a file.
func (f *File) scripts(v *source.File) (list []script) {
	kind := scriptKind(f)
	if kind == "package" { // however many of them stand on a line
		for _, s := range settingsOf(v) {
			if leadsToOne(s.Keys, "scripts/* tasks/* tool/hatch/envs/*/scripts/* tool/pdm/scripts/* tool/poe|taskipy/tasks/*") {
				list = append(list, script{s.Keys[len(s.Keys)-1], s.Value, s.Line})
			}
		}
		return list
	}
	if kind == "rspec" && v != nil { // options alone
		return []script{{line: 1, text: "rspec " + string(bytes.Join(bytes.Fields(v.Text[:min(len(v.Text), maxShellLine)]), []byte(" ")))}}
	}
	const most = 20 // lines that are joined
	goesOn := false
	for n := 1; v != nil && n <= v.Lines(); n++ {
		line := bytes.TrimRight(v.Line(n)[:min(len(v.Line(n)), maxShellLine)], " \t\r")
		text := string(bytes.TrimSuffix(line, []byte("\\"))) + " "
		last := len(list) - 1
		goesOn = goesOn || (kind == "yaml" && begins(bytes.TrimLeft(line, " "), "||"))
		if goesOn && last >= 0 && n-list[last].line < most && len(list[last].text) < maxShellLine {
			list[last].text += text
		} else {
			list = append(list, script{line: n, text: text})
		}
		goesOn = ends(line, "\\")
	}
	return list
}

// checks are those that some scripts run.
func (f *File) checks(list []script) (all []Check) {
	for _, s := range list {
		all = append(all, f.checksOf(s)...)
	}
	return all
}

// checksOf are the checks that a script runs.
func (f *File) checksOf(s script) (all []Check) {
	text := strings.TrimSpace(s.text)
	isItem := isFlow(f.Path) && begins(text, "- ") && !begins(text, "- run:", "- uses:") // of a list of paths or of names
	if isItem || begins(text, "#", "//") {
		return nil
	}
	kind := scriptKind(f)
	mayFail := begins(strings.TrimLeft(text, "@"), "-") && !begins(text, "--") &&
		(kind == "tox" || (kind == "make" && !begins(s.text, "-", "@")))
	if _, command, is := strings.Cut(text, "= -"); is && kind == "tox" {
		text, mayFail = command, true
	}
	if m := programCall().FindStringSubmatch(text); kind == "calls" && m != nil {
		mayFail = has(text, "success_codes", "warn=True", "warn = True")
		text = strings.NewReplacer(`", "`, " ", "', '", " ", `"`, " ", "'", " ").Replace(m[1])
	}
	if m := makeProgram().FindStringSubmatch(text); kind == "make" && m != nil { // $(GO) test
		text = m[1] + strings.ReplaceAll(strings.ToLower(m[2]), "_", "-") + m[3]
	}
	text = yamlCommand(text)
	commands := shellCommands(text)
	fails := make([]bool, len(commands)+1) // whether one from here on fails after all
	for i := len(commands) - 1; i >= 0; i-- {
		fails[i] = fails[i+1] || failsLater(commands[i:i+1])
	}
	for i, c := range commands {
		program := checkOf(c.words)
		if program == "" {
			continue
		}
		how := cmp.Or(ignored(commands, i, fails), ignoring(c.words, program))
		switch {
		case how != "":
		case mayFail && kind == "calls":
			how = "any exit code is fine"
		case mayFail:
			how = "the line begins with -"
		case c.after == "|" && i+1 < len(commands) && len(commands[i+1].words) > 0 && isIn(commands[i+1].words[0], " tee cat tail head sed awk tr "):
			how = "| " + strings.Join(commands[i+1].words, " ")
		}
		all = append(all, Check{
			File: f, Line: s.line, script: s.name, Program: program, Args: checkArguments(c.words, program), MayFail: how,
			retried: oneOf(c.words[0], "until", "retry") || has(text, "&& break") ||
				(c.after == "||" && i+1 < len(commands) && checkOf(commands[i+1].words) == program),
		})
	}
	return all
}

// makeProgram matches a program that a variable of make names.
var makeProgram = input.Lazily(`^([@-]*)\$[({](\w+)[)}](.*)`)

// programCall matches a call of nox, invoke or Rake that runs a command.
var programCall = input.Lazily(`(?:\.run|\bsh)[ (]+["'](.*)`)

// yamlCommand removes what is before a command on a line of YAML.
func yamlCommand(line string) string {
	line = strings.TrimPrefix(line, "- ")
	for _, key := range [...]string{"run:", "script:", "bash:", "cmd:", "command:", "entry:"} {
		if rest, ok := strings.CutPrefix(line, key); ok {
			line = strings.TrimSpace(rest)
			if begins(line, "&") && has(line, " ") { // an anchor
				_, line, _ = strings.Cut(line, " ")
			}
			if n := len(line); n > 1 && (line[0] == '"' || line[0] == '\'') && line[n-1] == line[0] {
				line = line[1 : n-1]
			}
		}
	}
	return line
}

// ignored says how what follows a command makes its result irrelevant; "" when it does not. fails tells whether one of
// the commands from a place on fails.
func ignored(commands []command, i int, fails []bool) string {
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
		if succeeds(next.words) && next.after != "&&" && !fails[i+1] {
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

// doesNothing reports whether all commands of a script only succeed.
func doesNothing(script string) bool {
	for _, c := range shellCommands(script) {
		if !succeeds(c.words) {
			return false
		}
	}
	return true
}

// command is one command of a line of shell.
type command struct {
	words []string
	after string // the operator behind it: &&, ||, ;, |, & or nothing
}

// shellCommands cuts a line of shell into its commands. Quotes are kept together, and what they contain is no command.
func shellCommands(line string) []command {
	var list []command
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	end := func(operator string) {
		endWord()
		if len(words) > 0 || operator == "||" {
			list = append(list, command{words, operator})
			words = nil
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' || c == '"':
			close := strings.IndexByte(line[i+1:], c)
			if close < 0 {
				close = len(line) - i - 1
			}
			word.WriteString(line[i+1 : i+1+close])
			inWord = true
			i += close + 1
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			inWord = true
		case c == ' ' || c == '\t':
			endWord()
		case c == '#' && !inWord:
			end("")
			return list
		case begins(line[i:], "&&"), begins(line[i:], "||"):
			end(line[i : i+2])
			i++
		case c == '>' && begins(line[i:], ">&"), c == '&' && begins(line[i:], "&>"):
			i++
		case c == ';' || c == '|' || c == '&':
			end(string(c))
		case c == '(' || c == ')' || c == '`':
			end("")
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end("")
	return list
}

// checkOf names the check that a command runs, such as "go test" or "eslint"; "" for any other command.
func checkOf(words []string) string {
	words = unwrapped(words)
	if len(words) == 0 || slices.Contains(words, "--version") {
		return ""
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(words[0]), ".cmd"), ".bat")
	switch {
	case oneOf(name, "node", "tsx") && slices.Contains(words, "--test"):
		return "node --test"
	case name == "go" && len(words) > 2 && oneOf(words[1], "run", "tool"):
		name, _, _ = strings.Cut(path.Base(words[2]), "@")
		words = words[2:]
	}
	if begins(name, "python") || oneOf(name, "ruby", "node", "php", "bash", "sh", "pwsh") {
		return scriptCheck(words[1:])
	}
	if found := checkerOf(name, words[1:]); found != "" {
		if name == "go" && slices.Contains(words, "-list") {
			return "" // it runs nothing
		}
		return found
	}
	if isIn(name, scriptRunners) {
		return runnerCheck(name, words[1:])
	}
	switch action, _, isAction := strings.Cut(words[0], "@"); {
	case isAction && isCheckAction(action):
		return action
	case has(words[0], "/") && !isAction:
		return scriptCheck(words)
	}
	return ""
}

// runnerCheck names the target or script that a runner such as make or npm runs, when it checks something.
func runnerCheck(name string, words []string) string {
	known := map[string]bool{} // programs that nothing behind them makes checks
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case isIn(w, " -F --filter -C --prefix --dir --cwd -w workspace -f --directory -p --project "):
			i++
			continue
		case begins(w, "-"), isIn(w, " run exec x dlx "):
			continue
		}
		if !known[w] {
			if found := checkerOf(path.Base(w), words[i+1:]); found != "" {
				return found
			}
			known[w] = true
		}
		if name == "npm" && (w == "ci") { // it installs
			return ""
		}
		if namesCheck(w) || (name == "npm" && w == "t") {
			return name + " " + w
		}
		if name != "make" {
			return ""
		}
	}
	return ""
}

// checkerOf finds a program among the checkers.
func checkerOf(name string, rest []string) string {
	if len(name) < 2 || len(name) > 20 {
		return ""
	}
	at := strings.Index(" "+checkers, " "+name+"/")
	if at < 0 {
		return ""
	}
	subs, _, _ := strings.Cut(checkers[at+len(name)+1:], " ")
	if subs == "*" {
		return name
	}
	for _, w := range rest {
		w = strings.TrimPrefix(w, ":")
		if begins(w, "-", "+") {
			continue
		}
		if _, last, nested := cutAtLast(w, ":"); nested { // a task of a project of Gradle
			w = last
		}
		isGradle := has(name, "gradle")
		if has(","+subs+",", ","+w+",") || (isGradle && ends(w, "Test") && !has(w, " ")) {
			return name + " " + w
		}
		if !isGradle && !has(name, "mvn") {
			return ""
		}
	}
	return ""
}

func cutAtLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// unwrapped removes variables, shellWrappers with their options and durations, and signs of make before a command.
func unwrapped(words []string) []string {
	wrapped := false // what follows a wrapper may belong to it
	for i, w := range words {
		if wrapped && (isIn(w, wrapperWords) || begins(w, "-") || isDigit(at(w, 0)) || isIn(words[max(i, 1)-1], wrapperValues)) {
			continue
		}
		if begins(w, "!") || (len(w) > 1 && (w[0] == '@' || (w[0] == '-' && source.IsWord(w[1])))) {
			w = strings.TrimLeft(w, "@-!")
		}
		if wrapped = isIn(w, shellWrappers); wrapped || w == "" || w == "-" || isAssignment(w) {
			continue
		}
		if w != words[i] {
			return append([]string{w}, words[i+1:]...)
		}
		return words[i:]
	}
	return nil
}

func isAssignment(w string) bool {
	name, _, assigned := strings.Cut(w, "=")
	return assigned && name != "" && wordEnd(name) == len(name)
}

// scriptCheck names the script that a command runs, when its name says that it checks something.
func scriptCheck(words []string) string {
	for i, w := range words {
		switch {
		case w == "-m" && i+1 < len(words):
			return checkOf(words[i+1:])
		case w == "-c", w == "-e", begins(w, "/usr/", "/opt/"), has(w, "RUNNER_TEMP"): // a text, or a program of the machine
			return ""
		case begins(w, "-"):
			continue
		}
		if base := path.Base(w); namesCheck(strings.TrimSuffix(base, path.Ext(base))) {
			return base
		}
		return ""
	}
	return ""
}

// checksIn lists the checks that a script runs, each once.
func checksIn(script string) []string {
	var found []string
	known := map[string]bool{"": true}
	for _, c := range commandsIn(strings.ReplaceAll(script, "\\\n", " ")) {
		if name := checkOf(c.words); !known[name] {
			known[name] = true
			found = append(found, name)
		}
	}
	return found
}

// commandsIn are the commands of the lines of a script.
func commandsIn(script string) (list []command) {
	for line := range strings.SplitSeq(script, "\n") {
		if line == "exit 0" { // nothing runs behind it
			break
		}
		list = append(list, shellCommands(line[:min(len(line), maxShellLine)])...)
	}
	return list
}

// maxShellLine is the longest line that is read as shell, in bytes.
const maxShellLine = 8 << 10
