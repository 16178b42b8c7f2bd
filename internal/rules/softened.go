package rules

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

const (
	fixSoft    = "let the check count, and fix what it finds"
	fixRestore = "restore the check, or say in the contract that it goes"
)

// findSoftenedWorkflow finds checks of a workflow that do not run any more, or whose failure does not count.
func findSoftenedWorkflow(c *Change, report func(Hit)) {
	set := c.flowsOf()
	isSupport := slices.ContainsFunc(c.Files, func(f *File) bool { return isNamed(f.Path, buildFiles+" *.md *.gradle* composer.json") })
	for _, p := range set.pairs {
		for _, s := range p.now.steps {
			var was []*input.Node
			for _, old := range set.before(s, p) {
				was = append(was, old.node)
			}
			title := "the step " + input.Quote(s.title())
			if s.isCheck() {
				p.now.softened(s.node, was, s.title(), title, "job", report)
			}
			for _, k := range softKeys {
				of := func(n *input.Node) string { return textOf(n, "with", k.key) }
				if of(s.node) == k.soft && slices.ContainsFunc(was, func(n *input.Node) bool { return of(n) == k.strict }) {
					report(p.now.hit(keyLine(s.node.Member("with"), k.key), s.title(), title+" passes when its check fails: "+k.key+" is "+k.soft, fixSoft))
				}
			}
		}
		for _, j := range p.now.jobs {
			was, title := p.was.ids[j.Key], "the job "+input.Quote(j.Key)
			if was != nil && (p.now.checks[j.Key] || p.was.checks[j.Key] || j.Value.Member("uses") != nil) {
				p.now.softened(j.Value, []*input.Node{was.Value}, j.Key, title, "workflow", report)
				if !isSupport {
					p.now.lessOften(j.Value, was.Value, j.Key, title, report)
				}
			}
			if was != nil && !p.now.checks[j.Key] {
				waits, before := itemsOf(j.Value.Member("needs")), itemsOf(was.Value.Member("needs"))
				isCalled := false                               // by a job that it waits for now: a workflow that may have the checks
				for i := 0; i < min(len(waits), maxSame); i++ { // and what those wait for
					if next := p.now.ids[waits[i]]; next != nil {
						isCalled = isCalled || (next.Value.Member("uses") != nil && !slices.Contains(before, waits[i]))
						waits = append(waits, itemsOf(next.Value.Member("needs"))...)
					}
				}
				isNoCheck := func(id string) bool { return !p.now.checks[id] }
				if gone := slices.DeleteFunc(without(before, waits), isNoCheck); len(gone) > 0 && !isCalled {
					report(p.now.hit(keyLine(j.Value, "needs"), j.Key, title+" does not wait for "+listed(gone)+" any more", fixRestore))
				}
			}
		}
		set.narrowedEvents(p, report)
	}
}

// softKeys are inputs of actions that say whether a failure counts.
var softKeys = []struct{ key, strict, soft string }{
	{"fail_ci_if_error", "true", "false"}, {"fail-on-error", "true", "false"}, {"fail_on_error", "true", "false"},
	{"soft_fail", "", "true"}, {"only-new-issues", "", "true"}, {"exit-code", "1", "0"},
}

// lessOften reports a matrix that lost values and got none. The oldest versions leave it in the course of time, and a
// change of a manifest says that the project supports less now.
func (w *flow) lessOften(n, was *input.Node, name, title string, report func(Hit)) {
	matrix, values := n.At("strategy", "matrix"), map[string]*input.Node{}
	texts := map[string]bool{}
	eachText(matrix, func(n *input.Node) { texts[n.Text] = true })
	for _, m := range membersOf(matrix) {
		values[m.Key] = m.Value
	}
	for _, m := range membersOf(was.At("strategy", "matrix")) {
		now := values[m.Key]
		old, list := itemsOf(m.Value), itemsOf(now)
		gone := slices.DeleteFunc(without(old, list), func(text string) bool { return texts[text] }) // it may be in include
		oldest := slices.Equal(gone, old[:min(len(gone), len(old))]) && strings.ContainsAny(strings.Join(gone, ""), "0123456789")
		if len(list) > 0 && len(gone) > 0 && len(without(list, old)) == 0 && !oldest {
			report(w.hit(now.Pos.Line, name, title+" does not run for "+m.Key+" "+listed(gone)+" any more", fixRestore))
		}
	}
}

// softened reports a step or a job that may fail, or never runs, which no version of it at the merge base said.
func (w *flow) softened(n *input.Node, was []*input.Node, name, title, whole string, report func(Hit)) {
	for _, key := range []struct {
		name, says string
		is         certainty
	}{{"continue-on-error", " may fail without a failure of the " + whole, always}, {"if", " never runs", notEver}} {
		byAuthor := func(n *input.Node) bool {
			text := textOf(n, key.name)
			return key.name == "if" && has(text, "github.actor", "triggering_actor", ".user.login") && !has(text, "dependabot", "renovate", "github-actions")
		}
		says := func(n *input.Node) bool { return w.truth(textOf(n, key.name)) == key.is || byAuthor(n) }
		if len(was) > 0 && says(n) && !slices.ContainsFunc(was, says) {
			if byAuthor(n) {
				key.says = " does not run for every author"
			} else if key.name == "if" && has(textOf(n, "if"), "event_name") {
				key.says += " for a pull request"
			}
			report(w.hit(keyLine(n, key.name), name, title+key.says, fixSoft))
		}
	}
}

// findSoftJob finds checks of which the failure does not count in the jobs of other services than GitHub.
func findSoftJob(c *Change, report func(Hit)) {
	for _, f := range c.scripted() {
		if f.Base == nil || f.Head == nil || isFlow(f.Path) || scriptKind(f.File) != "yaml" {
			continue
		}
		was, now := softChecks(f.Base), softChecks(f.Head)
		for _, check := range slices.Sorted(maps.Keys(was)) {
			if soft := now[check]; was[check].Key == "" && soft.Key != "" {
				report(f.hit(0, soft.Pos.Line, check, "the result of "+check+" is ignored: "+soft.Key, fixSoft))
			}
		}
	}
}

const softSettings = " continueOnError:true allow_failure:true when:manual when:never condition:false " +
	"condition:eq(variables['Build.Reason'],'Schedule') "

// softChecks are the checks of a file of Azure or GitLab, each with what makes it count nowhere; nothing for one that
// counts.
func softChecks(v *source.File) map[string]input.Member {
	found := map[string]input.Member{}
	var visit func(n *input.Node, soft input.Member)
	visit = func(n *input.Node, soft input.Member) {
		for _, m := range n.Members {
			if isIn(m.Key+":"+strings.ReplaceAll(textOf(m.Value), " ", ""), softSettings) {
				soft = m
			}
		}
		text := n.Text
		if has(textOf(n, "task"), "DotNet") {
			text = "dotnet " + textOf(n, "inputs", "command")
		}
		for _, check := range checksIn(text) {
			if _, known := found[check]; !known || soft.Key == "" {
				found[check] = soft
			}
		}
		for _, item := range n.Items {
			visit(item, soft)
		}
		for _, m := range n.Members {
			visit(m.Value, soft)
		}
	}
	visit(parseYAML(v).At(), input.Member{})
	return found
}

// before finds a step of the head at the merge base: in its job, in its workflow, or else, where that is new, in any
// other that the change touches.
func (set *flowSet) before(s *flowStep, p flowPair) (found []*flowStep) {
	if set.all == nil {
		set.all = steps{}
		for _, other := range set.pairs {
			other.was.named = steps{}
			other.was.named.add(other.was.steps)
			set.all.add(other.was.steps)
		}
	}
	was := p.was.named
	if p.was.text == nil {
		was = set.all
	}
	for _, job := range []string{s.job, anyJob} {
		for _, name := range s.names() {
			found = append(found, was[[2]string{name, job}]...)
		}
		if len(found) > 0 {
			break
		}
	}
	return found[:min(len(found), maxSame)]
}

var onEvent = input.Lazily(`github\.event_name *([!=])= *'(\w*)'`)

// truth folds an expression of a workflow, as it is for pull requests where it runs for them.
func (w *flow) truth(text string) certainty {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "${{"), "}}")
	text = onEvent().ReplaceAllStringFunc(text, func(event string) string {
		m := onEvent().FindStringSubmatch(event)
		isRequest := m[2] == "pull_request" && w.runsFor(m[2])
		if len(w.on) == 0 || (!isRequest && !w.runsFor("pull_request") && w.runsFor(m[2], "workflow_call")) {
			return event
		}
		return strconv.FormatBool(isRequest == (m[1] == "="))
	})
	return foldCondition(text, truths{"always()": always, "''": notEver})
}

// elsewhere reports whether a line calls what is in another file. The wrappers of Gradle and Maven are the programs.
func elsewhere(s script) bool {
	return slices.ContainsFunc(commandsIn(s.text), func(c command) bool {
		words := unwrapped(c.words)
		switch {
		case len(words) == 0, oneOf(words[0], "./gradlew", "./mvnw"):
			return false
		case begins(words[0], "$"): // a variable has the command, and arguments follow; else it is a text
			return (len(words) > 1 || slices.Contains(c.words, "eval")) && !has(words[0], "{{") && !slices.Contains(words, "=")
		case begins(words[0], "./", "@"), isIn(words[0], " bash sh pwsh python python3 node "), has(words[0], ".github/workflows/"):
			return true
		case len(words) == 1:
			return oneOf(words[0], "make", "rake")
		}
		target := words[1]
		if target == "run" && len(words) > 2 {
			target = words[2]
		}
		return (isIn(words[0], scriptRunners) && !isIn(target, " install ci i add build ")) || target == "xtask"
	})
}

// narrowedEvents finds a workflow with checks that does not run for every pull request any more.
func (set *flowSet) narrowedEvents(p flowPair, report func(Hit)) {
	isCheck := func(w *flow) bool {
		return slices.ContainsFunc(w.jobs, func(j input.Member) bool { return w.checks[j.Key] })
	}
	was, now := member(p.was.on, "pull_request"), member(p.now.on, "pull_request")
	if was == nil || p.now.text == nil || (!isCheck(p.now) && !isCheck(p.was)) {
		return
	}
	if now == nil {
		ran := map[string]bool{}
		for _, old := range p.was.steps {
			for _, check := range old.checks {
				ran[check] = true
			}
		}
		isElsewhere := slices.ContainsFunc(set.pairs, func(o flowPair) bool {
			return o.was.text == nil && o.now.runsFor("pull_request") && slices.ContainsFunc(o.now.steps, func(s *flowStep) bool {
				return slices.ContainsFunc(s.checks, func(check string) bool { return ran[check] })
			})
		})
		if !isElsewhere && !p.now.runsFor("pull_request_target", "workflow_call", "merge_group", "workflow_run") {
			report(p.was.hit(was.Pos.Line, "pull_request", "the workflow does not run for pull requests any more",
				"restore the trigger"))
		}
		return
	}
	for _, key := range [...]string{"paths", "branches", "types", "paths-ignore", "branches-ignore"} {
		if d := narrowed(key, was.Value, now.Value); d != "" {
			report(p.now.hit(keyLine(now.Value, key), "pull_request", "the workflow runs for fewer pull requests: "+d,
				"let it run for the pull requests that it ran for"))
			return
		}
	}
}

// narrowed says which pull requests a filter leaves out that the one before let through. What a filter says of
// documents does not matter, and neither does a filter that has something else instead.
func narrowed(key string, was, now *input.Node) string {
	old, list := itemsOf(was.Member(key)), itemsOf(now.Member(key))
	gone, fresh := without(old, list), slices.DeleteFunc(without(list, old), docPattern().MatchString)
	const most = 1 << 20 // pairs: no person writes more
	wide := slices.DeleteFunc(slices.Clone(list), func(p string) bool { return !strings.ContainsAny(p, `*?[\`) })
	gone = slices.DeleteFunc(gone, func(g string) bool { // a wider pattern has it
		return len(gone)*len(wide) <= most && slices.ContainsFunc(wide, func(p string) bool {
			isOne, _ := path.Match(p, g)
			return isOne || (ends(p, "*") && begins(g, strings.TrimRight(p, "*")))
		})
	})
	isMain := func(list []string) bool { return slices.ContainsFunc(list, isMainBranch) }
	switch {
	case ends(key, "-ignore"):
		what := strings.TrimSuffix(key, "-ignore")
		if len(fresh) > 0 && was.Member(what) == nil {
			return "not for the " + what + " " + listed(fresh)
		}
	case now.Member(key) == nil, key == "types" && slices.Contains(list, "synchronize"), key == "branches" && (len(list) == 0 || isMain(list)):
	case was.Member(key) == nil:
		return "only for the " + key + " " + listed(list)
	case len(gone) > 0 && len(fresh) == 0 && (key == "paths" || (key == "branches" && isMain(gone)) || slices.Contains(gone, "synchronize")):
		return "not for the " + key + " " + listed(gone)
	}
	return ""
}

func isMainBranch(name string) bool { return isIn(name, " main master develop dev trunk next ** * ") }

// docPattern matches patterns of what no test needs.
var docPattern = input.Lazily(`(?i)^!|\.(?:mdx?|rst|txt|adoc|png|svg|gif|jpg|gitignore|editorconfig|gitattributes)$|codeowners$|` +
	`doc|readme|release-please|changelog|license|lychee|\.vscode|\.devcontainer|\.github|website|issue_template|dependabot|\.agents|\.claude`)

// without are the items of a list that another one lacks.
func without(list, other []string) []string {
	known := map[string]bool{}
	for _, item := range other {
		known[item] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(item string) bool { return known[item] })
}
