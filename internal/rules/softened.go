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
	{"fail_ci_if_error", "true", "false"}, {"fail-on-error", "true", "false"}, {"fail_on_error", "true", "false"},
	{"fail-on-failure", "true", "false"},
	{"soft_fail", "false", "true"}, {"soft-fail", "false", "true"}, {"exit-code", "1", "0"},
}

// softSteps compares each check of the head with the same step at the merge base.
func (set *flowSet) softSteps(p flowPair, report func(Hit)) {
	for _, s := range p.now.steps() {
		var was []*input.Node
		old := set.before(s, p)
		for _, o := range old {
			was = append(was, o.node)
		}
		title := "the step " + input.Quote(s.title())
		if s.isCheck() {
			p.now.softened(s.node, was, s.title(), title, "job", report)
		}
		again := func(old *flowStep) bool { return old.tries }
		if s.tries && len(s.checks) > 0 && len(old) > 0 && !slices.ContainsFunc(old, again) {
			report(p.now.hit(keyLine(s.node, "uses"), s.title(), title+" is tried again where it fails", fixSoft))
		}
		for _, k := range softKeys {
			strict := slices.ContainsFunc(was, func(n *input.Node) bool { return textOf(below(n, "with", k.key)) == k.strict })
			if with := s.node.Member("with"); strict && textOf(below(with, k.key)) == k.soft {
				report(p.now.hit(keyLine(with, k.key), s.title(), title+" passes when its check fails: "+k.key+" is "+k.soft,
					fixSoft))
			}
		}
	}
}

// softened reports a step or a job that may fail, or never runs, which no version of it at the merge base said.
func (w *flow) softened(n *input.Node, was []*input.Node, name, title, whole string, report func(Hit)) {
	for _, key := range []struct {
		name, says string
		is         certainty
	}{{"continue-on-error", " may fail without a failure of the " + whole, always}, {"if", " never runs", notEver}} {
		says := func(n *input.Node) bool { return w.truth(textOf(n.Member(key.name))) == key.is }
		if len(was) > 0 && says(n) && !slices.ContainsFunc(was, says) {
			report(w.hit(keyLine(n, key.name), name, title+key.says, fixSoft))
		}
	}
}

// before finds a step of the head at the merge base: in its workflow, or else in any other that the change touches.
func (set *flowSet) before(s *flowStep, p flowPair) []*flowStep {
	was := []*flow{p.was}
	if j := p.was.job(s.job.id); j != nil {
		was = []*flow{{jobs: []*flowJob{j}}, p.was}
	} else if p.was == nil {
		for _, other := range set.pairs {
			was = append(was, other.was)
		}
	}
	for _, w := range was {
		if found := slices.DeleteFunc(w.steps(), func(o *flowStep) bool { return !s.same(o) }); len(found) > 0 {
			return found
		}
	}
	return nil
}

// softJobs compares the jobs of two versions.
func softJobs(p flowPair, report func(Hit)) {
	for _, j := range p.now.jobs {
		if was := p.was.job(j.id); was != nil && (j.isCheck() || was.isCheck() || j.node.Member("uses") != nil) {
			p.now.softened(j.node, []*input.Node{was.node}, j.id, "the job "+input.Quote(j.id), "workflow", report)
		}
	}
}

var onEvent = input.Lazily(`github\.event_name *== *'(\w*)'`)

// truth folds an expression of a workflow.
func (w *flow) truth(text string) certainty {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "${{"), "}}")
	text = onEvent().ReplaceAllStringFunc(text, func(event string) string {
		if w.event(onEvent().FindStringSubmatch(event)[1]) == nil && w.event("workflow_call") == nil && len(w.events) > 0 {
			return "false" // it does not run for this event
		}
		return event
	})
	return foldCondition(text, truths{"always()": always, "''": notEver})
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
		if (p.now == nil && !p.was.judges()) || runsOtherwise(s, p.now) {
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

// actionRuns reports whether a workflow uses an action that has the name of a check, such as
// cargo-semver-checks-action.
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
			rest, same := strings.CutPrefix(strings.TrimSpace(o.script), program+" ")
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

// movesChecks reports whether the change brings what may run the checks elsewhere: another workflow or action, or a
// script.
func (c *Change) movesChecks(p flowPair, names []string) bool {
	for _, other := range c.flowsOf().pairs {
		if other.now == nil {
			continue
		}
		for _, j := range other.now.jobs {
			if uses := textOf(j.node.Member("uses")); uses != "" &&
				!slices.ContainsFunc(other.was.allJobs(), func(o *flowJob) bool { return actionOf(textOf(o.node.Member("uses"))) == actionOf(uses) }) {
				return true
			}
		}
		for _, s := range other.now.steps() {
			if s.runsElsewhere() && !slices.ContainsFunc(append(other.was.steps(), p.was.steps()...), s.equal) {
				return true
			}
			if other != p && slices.ContainsFunc(s.checks, func(name string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return n == name || checkClass(n) == checkClass(name) }) &&
					!hasCheck(other.was.steps(), name)
			}) {
				return true
			}
		}
	}
	return false
}

// runsElsewhere reports whether a step calls what is in another file.
func (s *flowStep) runsElsewhere() bool {
	if begins(textOf(s.node.Member("uses")), "./") {
		return true
	}
	return slices.ContainsFunc(strings.Split(s.script, "\n"),
		func(line string) bool { return len(line) <= maxShellLine && elsewhere(line) })
}

// elsewhere reports whether a line of a script calls what is in another file. The wrappers of Gradle and Maven are the
// programs.
func elsewhere(line string) bool {
	return slices.ContainsFunc(shellCommands(line), func(c command) bool {
		words := unwrapped(c.words)
		return len(words) > 0 && !oneOf(words[0], "./gradlew", "./mvnw") &&
			(begins(words[0], "./") || oneOf(words[0], "bash", "sh", "pwsh", "python", "python3", "node") ||
				(isIn(words[0], scriptRunners) && len(words) > 1 && !oneOf(words[1], "install", "ci", "i", "add")))
	})
}

// equal reports whether another step runs the same.
func (s *flowStep) equal(o *flowStep) bool {
	return s.script == o.script && textOf(s.node.Member("uses")) == textOf(o.node.Member("uses"))
}

// narrowedEvents finds a workflow with checks that does not run for every pull request any more.
func narrowedEvents(p flowPair, report func(Hit)) {
	if p.was == nil || (!slices.ContainsFunc(p.now.jobs, (*flowJob).isCheck) &&
		!slices.ContainsFunc(p.was.jobs, (*flowJob).isCheck)) {
		return
	}
	was, now := p.was.event("pull_request"), p.now.event("pull_request")
	if was == nil {
		return
	}
	if now == nil {
		if p.now.event("pull_request_target") == nil && p.now.event("workflow_call") == nil &&
			p.now.event("merge_group") == nil && p.now.event("workflow_run") == nil {
			report(p.was.hit(was.line, "pull_request", "the workflow does not run for pull requests any more",
				"restore the trigger"))
		}
		return
	}
	line := now.line
	if d, key := narrowed(was.node, now.node); d != "" {
		if key != "" {
			line = keyLine(now.node, key)
		}
		report(p.now.hit(line, "pull_request", "the workflow runs for fewer pull requests: "+d,
			"let it run for the pull requests that it ran for"))
	}
}

// narrowed says which filter of an event lets less through.
func narrowed(was, now *input.Node) (detail, key string) {
	for _, key := range [...]string{"paths", "branches", "types"} {
		old, list := below(was, key), below(now, key)
		switch {
		case list == nil:
		case old != nil:
			if gone := filteredOut(key, itemsOf(old), itemsOf(list)); len(gone) > 0 {
				return "not for the " + key + " " + listed(gone), key
			}
		case key == "types" && slices.Contains(itemsOf(list), "synchronize"):
		case key == "branches" && len(itemsOf(list)) > 0 && !slices.ContainsFunc(itemsOf(list), isMainBranch):
			return "only for the branches " + listed(itemsOf(list)), key
		case key == "branches":
		default:
			return "only for the " + key + " " + listed(itemsOf(list)), key
		}
	}
	ignored := slices.DeleteFunc(without(itemsOf(below(now, "paths-ignore")), itemsOf(below(was, "paths-ignore"))),
		isDocPattern)
	if len(ignored) > 0 && below(was, "paths") == nil {
		return "not for the paths " + listed(ignored), "paths-ignore"
	}
	return "", ""
}

// filteredOut are the items of a filter that are gone, where nothing else but documentation came in their place and the
// event happened for them.
func filteredOut(key string, old, list []string) []string {
	gone := without(old, list)
	isReplaced := len(slices.DeleteFunc(without(list, old), isDocPattern)) > 0
	switch {
	case isReplaced:
		return nil
	case key == "types" && !slices.Contains(gone, "synchronize"):
		return nil
	case key == "branches" && (!slices.ContainsFunc(gone, isMainBranch) || slices.ContainsFunc(list, isMainBranch)):
		return nil
	}
	return gone
}

func isMainBranch(name string) bool {
	return oneOf(name, "main", "master", "develop", "dev", "trunk", "next", "**", "*")
}

// isDocPattern reports whether a pattern matches only what no test needs.
func isDocPattern(pattern string) bool {
	lower := strings.ToLower(pattern)
	for _, end := range [...]string{".md", ".mdx", ".rst", ".txt", ".adoc", ".png", ".svg", ".gif", ".jpg", "license",
		"codeowners", ".gitignore", ".editorconfig", ".gitattributes"} {
		if ends(lower, end) {
			return true
		}
	}
	for _, word := range [...]string{"doc", "readme", "changelog", "license", ".vscode", ".devcontainer", ".github",
		"website", "issue_template", "dependabot", ".agents", ".claude"} {
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
			report(f.hit(0, line, path, "the job may fail without a failure of the pipeline", fixSoft))
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
		if textOf(n.Member(key)) == "true" {
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
