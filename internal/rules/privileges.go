package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// findUnreadWorkflow finds workflows of which the rules about workflows can say nothing.
func findUnreadWorkflow(c *Change, report func(Hit)) {
	for _, f := range c.flowsOf().unread {
		report(Hit{
			File: f.Path, Detail: "the workflow is no plain YAML, or too large, so no rule compares its jobs",
			Fix: "write it without anchors, aliases, tags and repeated keys, or review it by hand",
		})
	}
}

// findWorkflowPermissions finds workflows whose token may do more than before.
func findWorkflowPermissions(c *Change, report func(Hit)) {
	set := c.flowsOf()
	for _, p := range set.pairs {
		if p.now != nil {
			set.widened(p, report)
		}
	}
}

const fixPermissions = "give the job only the permissions that it needs, and say why it needs them"

// grant is what a permissions block lets a token write.
type grant struct {
	known bool     // there is a block
	write []string // scopes; "everything" for write-all
	line  int
}

func readGrant(n *input.Node) grant {
	block := below(n, "permissions")
	if block == nil {
		return grant{}
	}
	g := grant{known: true, line: keyLine(n, "permissions")}
	if block.Text == "write-all" {
		g.write = []string{"everything"}
	}
	for _, m := range block.Members {
		if textOf(m.Value) == "write" {
			g.write = append(g.write, m.Key)
		}
	}
	return g
}

// jobGrant is what the token of a job may write: the job's own block, or else that of the workflow.
func jobGrant(w *flow, j *flowJob) grant {
	if g := readGrant(j.node); g.known {
		return g
	}
	return readGrant(w.root)
}

// widened compares what the tokens of two versions of a workflow may write.
func (set *flowSet) widened(p flowPair, report func(Hit)) {
	all := readGrant(p.now.root)
	old := grant{}
	if p.was != nil {
		old = readGrant(p.was.root)
	}
	var scopes firstNames
	for _, j := range p.now.jobs {
		g := jobGrant(p.now, j)
		if len(g.write) == 0 {
			continue
		}
		was, there := set.grantBefore(j, p)
		switch {
		case there && !was.known && !slices.Contains(g.write, "everything"): // no block: perhaps it could write everything
		case slices.Contains(was.write, "everything"):
		default:
			for _, scope := range without(without(g.write, was.write), scopes.names) {
				scopes.add(scope, g.line)
			}
		}
	}
	if len(scopes.names) > 0 {
		report(p.now.hit(scopeLine(p.now, scopes.line, scopes.names[0]), "permissions",
			"the token may write "+listed(scopes.names), fixPermissions))
		return
	}
	if p.was != nil && old.known && !all.known && !slices.Contains(old.write, "everything") &&
		slices.ContainsFunc(p.now.jobs, func(j *flowJob) bool { return !readGrant(j.node).known && j.id != "runs" }) {
		report(p.was.hit(old.line, "permissions", "the permissions block is removed: the token may do what the repository's default says", "restore the block"))
	}
}

// grantBefore is what the token of a job could write at the merge base; there is false for a job that was not there.
func (set *flowSet) grantBefore(j *flowJob, p flowPair) (was grant, there bool) {
	if old := p.was.job(j.id); old != nil {
		return jobGrant(p.was, old), true
	}
	for _, other := range set.pairs { // a job that moved
		if old := other.was.job(j.id); old != nil && other.now.job(j.id) == nil {
			return jobGrant(other.was, old), true
		}
	}
	if p.was != nil { // a new job may do what the workflow could
		g := readGrant(p.was.root)
		for _, old := range p.was.jobs {
			g.write = append(g.write, jobGrant(p.was, old).write...)
		}
		return g, false
	}
	return grant{}, false
}

// scopeLine is the line of a scope in the block that begins at a line.
func scopeLine(w *flow, line int, scope string) int {
	for n := line; n <= line+20 && n <= w.text.Lines(); n++ {
		if has(string(w.text.Line(n)), scope+":") {
			return n
		}
	}
	return line
}

// findUnpinnedAction finds actions of others that are new and can change under the same name.
func findUnpinnedAction(c *Change, report func(Hit)) {
	set := c.flowsOf()
	was := map[string]bool{} // actions that were used without a commit
	for _, p := range set.pairs {
		eachUse(p.was, func(uses string, _ *input.Node) {
			if isUnpinned(uses) {
				was[actionOf(uses)] = true
			}
		})
	}
	for _, p := range set.pairs {
		var found firstHit
		eachUse(p.now, func(uses string, n *input.Node) {
			if name := actionOf(uses); isUnpinned(uses) && !was[name] {
				was[name] = true
				found.add(p.now.hit(n.Pos.Line, name, "the touched workflows did not use the action "+uses+" before, and it is not pinned to a commit", "pin the action to a full commit id, with the version in a comment"))
			}
		})
		found.report(report)
	}
}

// eachUse visits the actions and workflows that a workflow calls.
func eachUse(w *flow, visit func(uses string, n *input.Node)) {
	for _, j := range w.allJobs() {
		if n := j.node.Member("uses"); n != nil {
			visit(textOf(n), n)
		}
		for _, s := range j.steps {
			if n := s.node.Member("uses"); n != nil {
				visit(textOf(n), n)
			}
		}
	}
}

// isUnpinned reports whether an action of others is named by what can move: a tag or a branch. Those of the gate itself are not of
// others: the same hands make the program that judges, and closeout init names them by a tag.
func isUnpinned(uses string) bool {
	name, ref, _ := strings.Cut(uses, "@")
	lower := strings.ToLower(name)
	switch {
	case lower == "", begins(lower, "./"), begins(lower, "$/"), begins(lower, "actions/"), begins(lower, "github/"),
		begins(lower+"/", "closeout-gate/closeout/"), has(uses, "${{"):
		return false
	case begins(lower, "docker://"):
		return !has(uses, "@sha256:")
	}
	return len(ref) != 40 || strings.Trim(ref, "0123456789abcdef") != ""
}

// findPullRequestTarget finds workflows that run the code of a pull request with the rights of the repository.
func findPullRequestTarget(c *Change, report func(Hit)) {
	const fix = "use pull_request, or check out nothing of the pull request in this workflow"
	for _, p := range c.flowsOf().pairs {
		if p.now == nil {
			continue
		}
		now, line := p.now.event("pull_request_target"), untrusted(p.now)
		switch {
		case now != nil && p.was.event("pull_request_target") == nil:
			report(p.now.hit(now.line, "pull_request_target",
				"the workflow runs for pull requests of anyone, with the secrets of the repository", fix))
		case line > 0 && untrusted(p.was) == 0 && (now != nil || p.now.event("workflow_run") != nil ||
			p.now.event("issue_comment") != nil):
			report(p.now.hit(line, "checkout", "the workflow checks out the code of a pull request, with the secrets of the repository", fix))
		}
	}
}

// untrusted is the line on which a workflow checks out the head of a pull request; 0 when it does not.
func untrusted(w *flow) int {
	for _, s := range w.steps() {
		ref := below(s.node, "with", "ref")
		for _, part := range [...]string{"pull_request.head", "workflow_run.head_", "github.head_ref", "refs/pull/",
			"pull_request.merge_commit"} {
			if has(textOf(ref), part) && actionOf(textOf(s.node.Member("uses"))) == "actions/checkout" {
				return ref.Pos.Line
			}
		}
		if run := s.node.Member("run"); has(textOf(run), "gh pr checkout") ||
			(has(textOf(run), "refs/pull/") && has(textOf(run), "git fetch")) {
			return run.Pos.Line
		}
	}
	return 0
}

// firstNames are names, and the line of the first.
type firstNames struct {
	names []string
	line  int
}

func (f *firstNames) add(name string, line int) {
	f.names, f.line = append(f.names, name), cmp.Or(f.line, line)
}

// findWorkflowSecret finds secrets that the workflows of a change did not use before.
func findWorkflowSecret(c *Change, report func(Hit)) {
	set := c.flowsOf()
	was := map[string]bool{"GITHUB_TOKEN": true}
	for _, p := range set.pairs {
		eachSecret(p.was, func(name string, _ int) { was[name] = true })
	}
	for _, p := range set.pairs {
		var found firstNames
		eachSecret(p.now, func(name string, line int) {
			if !was[name] {
				was[name] = true
				found.add(name, line)
			}
		})
		if names := found.names; len(names) > 0 {
			hit := p.now.hit(found.line, names[0], "the touched workflows did not use "+listed(names)+" before",
				"use no secret, or let a person approve it")
			hit.Others = names[1:]
			report(hit)
		}
	}
}

// eachSecret visits the secrets that the expressions of a workflow name, and what names all of them.
func eachSecret(w *flow, visit func(name string, line int)) {
	if w == nil {
		return
	}
	for _, j := range w.jobs {
		if s := j.node.Member("secrets"); textOf(s) == "inherit" {
			visit("all secrets that there are (inherit)", s.Pos.Line)
		}
	}
	eachText(w.root, func(n *input.Node) {
		for rest := n.Text; ; {
			at := strings.Index(rest, "secrets")
			if at < 0 {
				return
			}
			before := at > 0 && (source.IsWord(rest[at-1]) || rest[at-1] == '.')
			inside := strings.LastIndex(n.Text[:len(n.Text)-len(rest)+at], "${{") >= 0 ||
				(has(n.Text, "secrets.") && !has(n.Text, "\n"))
			rest = rest[at+len("secrets"):]
			if before || !inside {
				continue
			}
			if name := secretName(rest); name != "" {
				visit(name, flowLine(w.text, n, name))
			}
		}
	})
}

// secretName is the name of a secret after the word secrets; "" when it is another word.
func secretName(rest string) string {
	switch {
	case begins(rest, "."):
		rest = rest[1:]
	case begins(rest, "['"), begins(rest, `["`):
		rest = rest[2:]
	case begins(rest, ")"), begins(rest, "["):
		return "all secrets"
	default:
		return ""
	}
	return strings.ToUpper(rest[:wordEnd(rest, '-')])
}
