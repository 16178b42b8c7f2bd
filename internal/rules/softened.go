package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// findSoftenedWorkflow finds checks of a workflow that do not run any more, or whose failure does not count.
func findSoftenedWorkflow(c *Change, report func(Hit)) {
	set := c.flowsOf()
	for _, p := range set.pairs {
		if p.now != nil {
			set.softSteps(p, report)
			softJobs(p, report)
			narrowedEvents(p, report)
		}
		c.removedChecks(p, report)
	}
	for _, f := range c.Files {
		softPipeline(f, report)
	}
}

const (
	fixSoft    = "let the check count, and fix what it finds"
	fixRestore = "restore the check, or say in the contract that it goes"
)

// softKeys are inputs of actions that make a failure count when they are true, or not count when they are false.
var softKeys = []struct{ key, strict, soft string }{
	{"fail_ci_if_error", "true", "false"}, {"fail-on-error", "true", "false"}, {"fail_on_error", "true", "false"}, {"fail-on-failure", "true", "false"},
	{"soft_fail", "false", "true"}, {"soft-fail", "false", "true"}, {"exit-code", "1", "0"},
}

// softSteps compares each check of the head with the same step at the merge base.
func (set *flowSet) softSteps(p flowPair, report func(Hit)) {
	for _, s := range p.now.steps() {
		soft, off := isTrue(textOf(s.node.Member("continue-on-error"))), isFalse(textOf(s.node.Member("if")))
		with := s.node.Member("with")
		if !soft && !off && with == nil {
			continue
		}
		was := set.before(s, p)
		if len(was) == 0 {
			continue
		}
		had := func(is func(*input.Node) bool) bool {
			return slices.ContainsFunc(was, func(o *flowStep) bool { return is(o.node) })
		}
		title := "the step " + input.Quote(s.title())
		switch {
		case soft && s.isCheck() && !had(func(n *input.Node) bool { return isTrue(textOf(n.Member("continue-on-error"))) }):
			report(p.now.hit(keyLine(s.node, "continue-on-error"), s.title(), title+" may fail without a failure of the job", fixSoft))
		case off && s.isCheck() && !had(func(n *input.Node) bool { return isFalse(textOf(n.Member("if"))) }):
			report(p.now.hit(keyLine(s.node, "if"), s.title(), title+" never runs", fixSoft))
		}
		for _, k := range softKeys {
			if textOf(below(with, k.key)) == k.soft && had(func(n *input.Node) bool { return textOf(below(n, "with", k.key)) == k.strict }) {
				report(p.now.hit(keyLine(with, k.key), s.title(), title+" passes when its check fails: "+k.key+" is "+k.soft, fixSoft))
			}
		}
	}
}

// before finds a step of the head at the merge base: in its workflow, or else in any other that the change touches.
func (set *flowSet) before(s *flowStep, p flowPair) []*flowStep {
	find := func(w *flow) (found []*flowStep) {
		for _, o := range w.steps() {
			if s.same(o) {
				found = append(found, o)
			}
		}
		return found
	}
	if j := p.was.job(s.job.id); j != nil {
		if found := find(&flow{jobs: []*flowJob{j}}); len(found) > 0 {
			return found
		}
	}
	if found := find(p.was); len(found) > 0 || p.was != nil {
		return found
	}
	for _, other := range set.pairs {
		if found := find(other.was); len(found) > 0 {
			return found
		}
	}
	return nil
}

// softJobs compares the jobs of two versions.
func softJobs(p flowPair, report func(Hit)) {
	for _, j := range p.now.jobs {
		was := p.was.job(j.id)
		if was == nil || !j.isCheck() && !was.isCheck() && j.node.Member("uses") == nil {
			continue
		}
		if key := "continue-on-error"; isTrue(textOf(j.node.Member(key))) && !isTrue(textOf(was.node.Member(key))) {
			report(p.now.hit(keyLine(j.node, key), j.id, "the job "+input.Quote(j.id)+" may fail without a failure of the workflow", fixSoft))
		}
		if isFalse(textOf(j.node.Member("if"))) && !isFalse(textOf(was.node.Member("if"))) {
			report(p.now.hit(keyLine(j.node, "if"), j.id, "the job "+input.Quote(j.id)+" never runs", fixSoft))
		}
	}
}

// expression removes what is around an expression of a workflow.
func expression(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "${{"); ok && strings.Count(text, "${{") == 1 {
		text = strings.TrimSpace(strings.TrimSuffix(rest, "}}"))
	}
	for begins(text, "(") && ends(text, ")") && strings.Count(text, "(") == 1 {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	return text
}

// isTrue reports whether an expression is true whatever happens.
func isTrue(text string) bool {
	text = expression(text)
	switch text {
	case "true", "always()", "!false", "1":
		return true
	}
	left, right, ok := strings.Cut(text, "==")
	return ok && isFlowLiteral(left) && strings.TrimSpace(left) == strings.TrimSpace(right)
}

// isFalse reports whether an expression is false whatever happens.
func isFalse(text string) bool {
	text = expression(text)
	if has(text, "||") {
		for part := range strings.SplitSeq(text, "||") {
			if !isFalse(part) {
				return false
			}
		}
		return true
	}
	if has(text, "&&") {
		for part := range strings.SplitSeq(text, "&&") {
			if isFalse(part) {
				return true
			}
		}
		return false
	}
	switch text {
	case "false", "''", "!true", "0", "null", "!always()", "cancelled() == success()":
		return true
	}
	left, right, equals := strings.Cut(text, "==")
	if !equals {
		left, right, _ = strings.Cut(text, "!=")
		return isFlowLiteral(left) && strings.TrimSpace(left) == strings.TrimSpace(right)
	}
	left, right = strings.TrimSpace(left), strings.TrimSpace(right)
	if isFlowLiteral(left) && isFlowLiteral(right) {
		return left != right
	}
	return left == "github.event_name" && isFlowLiteral(right) && !has(events, " "+strings.Trim(right, "'")+" ")
}

// events are all events that start a workflow.
const events = ` branch_protection_rule check_run check_suite create delete deployment deployment_status discussion discussion_comment fork gollum ` +
	`image_version issue_comment issues label merge_group milestone page_build public pull_request pull_request_review pull_request_review_comment ` +
	`pull_request_target push registry_package release repository_dispatch schedule status watch workflow_call workflow_dispatch workflow_run `

func isFlowLiteral(text string) bool {
	text = strings.TrimSpace(text)
	return oneOf(text, "true", "false") || len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' && strings.Count(text, "'") == 2 ||
		text != "" && strings.Trim(text, "0123456789.") == ""
}

// removedChecks finds checks that a workflow ran at the merge base and that nothing in the change runs now.
func (c *Change) removedChecks(p flowPair, report func(Hit)) {
	was := p.was.steps()
	if p.was == nil || !slices.ContainsFunc(was, func(s *flowStep) bool { return len(s.checks) > 0 }) {
		return
	}
	kept := map[string]bool{}
	for _, s := range p.now.steps() {
		for _, name := range s.checks {
			kept[checkClass(name)] = kept[checkClass(name)] || !hasCheck(was, name)
			kept[" "+name] = true
		}
	}
	var gone []*flowStep
	var names []string
	for _, s := range was {
		if p.now == nil && !p.was.judges() || runsOtherwise(s, p.now) {
			continue
		}
		for _, name := range s.checks {
			if !kept[" "+name] && !kept[checkClass(name)] && !slices.Contains(names, name) && !actionRuns(p.now, name) {
				gone, names = append(gone, s), append(names, name)
			}
		}
	}
	if len(gone) == 0 || c.movesChecks(p, names) {
		return
	}
	line := gone[0].node.Pos.Line
	if gone[0].node.Member("run") != nil {
		line = commandLine(gone[0], names[0])
	}
	detail := "the workflow does not run " + listed(names) + " any more"
	if p.now == nil {
		detail = "the workflow is deleted, and nothing in the change runs " + listed(names)
	}
	report(p.was.hit(line, names[0], detail, fixRestore))
}

// actionRuns reports whether a workflow uses an action that has the name of a check, such as cargo-semver-checks-action.
func actionRuns(w *flow, check string) bool {
	name := strings.ReplaceAll(check, " ", "-")
	return slices.ContainsFunc(w.steps(), func(s *flowStep) bool {
		action, _, _ := strings.Cut(textOf(s.node.Member("uses")), "@")
		return has(check, " ") && has(path.Base(action), name)
	})
}

// judges reports whether a workflow runs for each change before it lands.
func (w *flow) judges() bool { return w.event("pull_request") != nil || w.event("merge_group") != nil }

// runsOtherwise reports whether the step is still there and runs the same program in another way.
func runsOtherwise(s *flowStep, now *flow) bool {
	for _, o := range now.steps() {
		if key := textOf(s.node.Member("name")); key == "" || key != textOf(o.node.Member("name")) {
			continue
		}
		for _, check := range s.checks {
			program, _, _ := strings.Cut(check, " ")
			rest, same := strings.CutPrefix(strings.TrimSpace(textOf(o.node.Member("run"))), program+" ")
			if same && len(o.checks) == 0 && has(strings.ToLower(rest), "test") {
				return true
			}
		}
	}
	return false
}

// commandLine is the line on which a step runs a check.
func commandLine(s *flowStep, check string) int {
	run := s.node.Member("run")
	for one := range strings.SplitSeq(textOf(run), "\n") {
		if slices.Contains(checksIn(one), check) {
			return flowLine(s.job.flow.text, run, strings.TrimSpace(one))
		}
	}
	return run.Pos.Line
}

func hasCheck(steps []*flowStep, name string) bool {
	return slices.ContainsFunc(steps, func(s *flowStep) bool { return slices.Contains(s.checks, name) })
}

// checkClass tells tests from other checks: one linter may replace another, but no linter replaces tests.
func checkClass(name string) string {
	if has(name, "test") || oneOf(name, "jest", "vitest", "mocha", "ava", "tap", "tox", "nox", "rspec", "minitest", "phpunit", "ctest", "karma", "ginkgo") ||
		has(name, "spec", "e2e") || ends(name, "verify") || begins(name, "playwright", "cypress") {
		return "test"
	}
	return "lint"
}

// movesChecks reports whether the change brings what may run the checks elsewhere: another workflow or action, or a script.
func (c *Change) movesChecks(p flowPair, names []string) bool {
	for _, other := range c.flowsOf().pairs {
		if other.now == nil {
			continue
		}
		for _, j := range other.now.jobs {
			if uses := textOf(j.node.Member("uses")); uses != "" && !slices.ContainsFunc(jobsOf(other.was), func(o *flowJob) bool { return actionOf(textOf(o.node.Member("uses"))) == actionOf(uses) }) {
				return true
			}
		}
		for _, s := range other.now.steps() {
			if s.runsElsewhere() && !slices.ContainsFunc(append(other.was.steps(), p.was.steps()...), s.equal) {
				return true
			}
			if other != p && slices.ContainsFunc(s.checks, func(name string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return n == name || checkClass(n) == checkClass(name) }) && !hasCheck(other.was.steps(), name)
			}) {
				return true
			}
		}
	}
	for _, f := range c.Files {
		if f.Head == nil || isFlow(f.Path) || scriptKind(f) == noScript {
			continue
		}
		for _, line := range f.Added() {
			if len(line.Text) > maxShellLine {
				continue
			}
			for _, name := range checksIn(scriptLine(f, string(line.Text))) {
				if slices.Contains(names, name) {
					return true
				}
			}
		}
	}
	return false
}

// scriptLine is a line of a script, or the script of a line of package.json.
func scriptLine(f *File, line string) string {
	if scriptKind(f) == packageScripts {
		if _, script, ok := strings.Cut(line, `": "`); ok {
			return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(script), ","), `"`)
		}
	}
	return line
}

func jobsOf(w *flow) []*flowJob {
	if w == nil {
		return nil
	}
	return w.jobs
}

// runsElsewhere reports whether a step calls what is in another file.
func (s *flowStep) runsElsewhere() bool {
	if begins(textOf(s.node.Member("uses")), "./") {
		return true
	}
	for line := range strings.SplitSeq(textOf(s.node.Member("run")), "\n") {
		if len(line) <= maxShellLine && elsewhere(line) {
			return true
		}
	}
	return false
}

// elsewhere reports whether a line of a script calls what is in another file. The wrappers of Gradle and Maven are the programs.
func elsewhere(line string) bool {
	return slices.ContainsFunc(shellCommands(line), func(c command) bool {
		words := unwrapped(c.words)
		return len(words) > 0 && !oneOf(words[0], "./gradlew", "./mvnw") && (begins(words[0], "./") || oneOf(words[0], "bash", "sh", "pwsh", "python", "python3", "node") ||
			isIn(words[0], scriptRunners) && len(words) > 1 && !oneOf(words[1], "install", "ci", "i", "add"))
	})
}

// equal reports whether another step runs the same.
func (s *flowStep) equal(o *flowStep) bool {
	return textOf(s.node.Member("run")) == textOf(o.node.Member("run")) && textOf(s.node.Member("uses")) == textOf(o.node.Member("uses"))
}

// narrowedEvents finds a workflow with checks that does not run for every pull request any more.
func narrowedEvents(p flowPair, report func(Hit)) {
	if p.was == nil || !slices.ContainsFunc(p.now.jobs, (*flowJob).isCheck) && !slices.ContainsFunc(p.was.jobs, (*flowJob).isCheck) {
		return
	}
	was, now := p.was.event("pull_request"), p.now.event("pull_request")
	if was == nil {
		return
	}
	if now == nil {
		if p.now.event("pull_request_target") == nil && p.now.event("workflow_call") == nil && p.now.event("merge_group") == nil && p.now.event("workflow_run") == nil {
			report(p.was.hit(was.line, "pull_request", "the workflow does not run for pull requests any more", "restore the trigger"))
		}
		return
	}
	line := now.line
	if d, key := narrowed(was.node, now.node); d != "" {
		if key != "" {
			line = keyLine(now.node, key)
		}
		report(p.now.hit(line, "pull_request", "the workflow runs for fewer pull requests: "+d, "let it run for the pull requests that it ran for"))
	}
}

// narrowed says which filter of an event lets less through.
func narrowed(was, now *input.Node) (detail, key string) {
	for _, key := range [...]string{"paths", "branches", "types"} {
		old, list := below(was, key), below(now, key)
		switch {
		case list == nil || old != nil:
		case key == "types" && slices.Contains(itemsOf(list), "synchronize"):
		case key == "branches" && len(itemsOf(list)) > 0 && !slices.ContainsFunc(itemsOf(list), isMainBranch):
			return "only for the branches " + listed(itemsOf(list)), key
		case key == "branches":
		default:
			return "only for the " + key + " " + listed(itemsOf(list)), key
		}
	}
	ignored := slices.DeleteFunc(without(itemsOf(below(now, "paths-ignore")), itemsOf(below(was, "paths-ignore"))), isDocPattern)
	if len(ignored) > 0 && below(was, "paths") == nil {
		return "not for the paths " + listed(ignored), "paths-ignore"
	}
	return "", ""
}

func isMainBranch(name string) bool {
	return oneOf(name, "main", "master", "develop", "dev", "trunk", "next", "**", "*")
}

// isDocPattern reports whether a pattern matches only what no test needs.
func isDocPattern(pattern string) bool {
	lower := strings.ToLower(pattern)
	for _, end := range [...]string{".md", ".mdx", ".rst", ".txt", ".adoc", ".png", ".svg", ".gif", ".jpg", "license", "codeowners", ".gitignore", ".editorconfig", ".gitattributes"} {
		if ends(lower, end) {
			return true
		}
	}
	for _, word := range [...]string{"doc", "readme", "changelog", "license", ".vscode", ".devcontainer", ".github", "website", "issue_template", "dependabot", ".agents", ".claude"} {
		if has(lower, word) {
			return true
		}
	}
	return begins(pattern, "!")
}

// without are the items of a list that another one lacks.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return slices.Contains(other, item) })
}

// softPipeline compares the jobs of the pipelines of GitLab and Azure, which may fail by another key.
func softPipeline(f *File, report func(Hit)) {
	if f.Base == nil || f.Head == nil || isFlow(f.Path) || !runsCommands(f.Path) {
		return
	}
	was, now := parseYAML(f.Base), parseYAML(f.Head)
	if was == nil || now == nil {
		return
	}
	old := map[string]bool{}
	softNodes(was, "", 0, func(path string, soft bool, _ int) { old[path] = soft })
	softNodes(now, "", 0, func(path string, soft bool, line int) {
		if before, there := old[path]; soft && there && !before {
			report(Hit{File: f.Path, Line: line, Subject: path, Now: string(f.Head.Line(line)), Detail: "the job may fail without a failure of the pipeline", Fix: fixSoft})
		}
	})
}

// softNodes visits the jobs and steps of a pipeline, each with a name that tells it from others.
func softNodes(n *input.Node, path string, depth int, visit func(path string, soft bool, line int)) {
	if depth > 8 {
		return
	}
	for _, item := range n.Items {
		name := ""
		for _, key := range [...]string{"job", "stage", "displayName", "script", "bash", "task", "name"} {
			if name = textOf(item.Member(key)); name != "" {
				break
			}
		}
		softNodes(item, path+"/"+name, depth+1, visit)
	}
	if n.Kind != input.KindObject {
		return
	}
	for _, key := range [...]string{"allow_failure", "continueOnError"} {
		if isTrue(textOf(n.Member(key))) {
			visit(path, true, keyLine(n, key))
			return
		}
	}
	visit(path, false, n.Pos.Line)
	for _, m := range n.Members {
		if m.Value.Kind == input.KindObject || m.Value.Kind == input.KindList {
			softNodes(m.Value, path+"/"+m.Key, depth+1, visit)
		}
	}
}
