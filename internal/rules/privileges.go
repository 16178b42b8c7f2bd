package rules

import (
	"cmp"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// findUnreadWorkflow finds workflows of which the rules about workflows can say nothing.
func findUnreadWorkflow(c *Change, report func(Hit)) {
	for _, f := range c.flowsOf().unread {
		report(Hit{
			File: f.Path, Detail: "the workflow is no plain YAML, or too large, so no rule compares its jobs",
			Fix: "write it without tags, merge keys and repeated keys, or review it by hand",
		})
	}
}

// grant is what a permissions block lets a token write: its scopes; "everything" for write-all.
type grant struct {
	known bool // there is a block
	write []input.Member
}

// grantOf is the grant of a job, or else that of its workflow.
func (w *flow) grantOf(j *input.Member) (g grant) {
	n := w.root
	if j != nil && j.Value.Member("permissions") != nil {
		n = j.Value
	}
	block := n.Member("permissions") // with more scopes than there are it may be for all
	if g.known = block != nil; textOf(block) == "write-all" || len(membersOf(block)) > maxSame {
		g.write = []input.Member{{Key: "everything", Pos: input.Pos{Line: keyLine(n, "permissions")}}}
	}
	for _, m := range membersOf(block) {
		if len(membersOf(block)) <= maxSame && textOf(m.Value) == "write" {
			g.write = append(g.write, m)
		}
	}
	return g
}

// mayAll reports whether a token may write everything; without a block, perhaps it may.
func (g *grant) mayAll() bool { return member(g.write, "everything") != nil }

// findWorkflowPermissions finds workflows whose token may do more than before.
func findWorkflowPermissions(c *Change, report func(Hit)) {
	set := c.flowsOf()
	for _, p := range set.pairs {
		var scopes firstNames
		known := map[string]bool{}
		isOpen := false // the repository's default is for a job
		for i := range p.now.jobs {
			j := &p.now.jobs[i]
			now, was := p.now.grantOf(j), set.grantBefore(j, p)
			isOpen = isOpen || (!now.known && j.Key != "runs")
			isAlone := p.was.text == nil && (len(p.now.jobs) == 1 || j.Value.Member("permissions") != nil)
			if was.mayAll() || (!was.known && !now.mayAll()) {
				continue
			}
			for _, m := range now.write {
				// What nobody else has says what a new workflow is for, but the code of a pull request that may push is never
				// alone.
				isOwn := isAlone && !now.mayAll() && !(m.Key == "contents" && p.now.runsFor("pull_request", "pull_request_target"))
				if !isOwn && !known[m.Key] && member(was.write, m.Key) == nil {
					known[m.Key] = true
					scopes.add(m.Key, m.Pos.Line)
				}
			}
		}
		old := p.was.grantOf(nil)
		switch {
		case len(scopes.names) > 0:
			report(p.now.hit(scopes.line, "permissions", "the token may write "+listed(scopes.names),
				"give the job only the permissions that it needs, and say why it needs them"))
		case isOpen && old.known && !old.mayAll():
			report(p.was.hit(keyLine(p.was.root, "permissions"), "permissions",
				"the permissions block is removed: the token may do what the repository's default says", "restore the block"))
		}
	}
}

// grantBefore is what the token of a job could write at the merge base: that of a new job, what any of its workflow
// could.
func (set *flowSet) grantBefore(j *input.Member, p flowPair) grant {
	for _, other := range append([]flowPair{p}, set.pairs...) {
		old := other.was.ids[j.Key]
		if old != nil && (other == p || other.now.ids[j.Key] == nil) { // else it did not move
			return other.was.grantOf(old)
		}
	}
	if p.was.every == nil {
		all := p.was.grantOf(nil)
		all.known = true
		for i := range p.was.jobs {
			for _, m := range p.was.grantOf(&p.was.jobs[i]).write {
				if len(all.write) < maxSame && member(all.write, m.Key) == nil {
					all.write = append(all.write, m)
				}
			}
		}
		p.was.every = &all
	}
	return *p.was.every
}

// firstNames are names, and the line of the first.
type firstNames struct {
	names []string
	line  int
}

func (f *firstNames) add(name string, line int) {
	f.names, f.line = append(f.names, name), cmp.Or(f.line, line)
}

// eachFresh visits what the workflows of a change name and did not name before: by workflow, each once.
func (set *flowSet) eachFresh(each func(w *flow, visit func(name string, line func() int)), key func(name string) string,
	found func(w *flow, fresh firstNames)) {
	was := map[string]bool{}
	for _, p := range set.pairs {
		each(p.was, func(name string, _ func() int) { was[key(name)] = true })
	}
	for _, p := range set.pairs {
		var fresh firstNames
		each(p.now, func(name string, line func() int) {
			if !was[key(name)] {
				was[key(name)] = true
				if fresh.names = append(fresh.names, name); fresh.line == 0 {
					fresh.line = line()
				}
			}
		})
		if len(fresh.names) > 0 {
			found(p.now, fresh)
		}
	}
}

// findUnpinnedAction finds actions of others that are new and can change under the same name.
func findUnpinnedAction(c *Change, report func(Hit)) {
	c.flowsOf().eachFresh(eachUnpinned, actionOf, func(w *flow, fresh firstNames) {
		uses := fresh.names[0]
		hit := firstHit{w.hit(fresh.line, actionOf(uses), "the touched workflows did not use the action "+uses+
			" before, and it is not pinned to a commit", "pin the action to a full commit id, with the version in a comment"),
			int64(len(fresh.names))}
		hit.report(report)
	})
}

// eachUnpinned visits the actions of others that a workflow calls by what can move. A workflow that it calls gets no
// secret that is not reported.
func eachUnpinned(w *flow, visit func(uses string, line func() int)) {
	for _, j := range w.jobs {
		if uses := textOf(j.Value, "uses"); isUnpinned(uses) && len(membersOf(j.Value.Member("secrets"))) > 0 {
			visit(uses, func() int { return keyLine(j.Value, "uses") })
		}
	}
	for _, s := range w.steps {
		if uses := textOf(s.node, "uses"); isUnpinned(uses) {
			visit(uses, func() int { return keyLine(s.node, "uses") })
		}
	}
}

// isUnpinned reports whether an action of others is named by what can move: a tag or a branch. Those of the gate itself
// are not of others: the same hands make the program that judges, and closeout init names them by a tag.
func isUnpinned(uses string) bool {
	_, ref, _ := strings.Cut(uses, "@")
	name := actionOf(uses)
	switch {
	case name == "", begins(name, "./", "$/", "actions/", "github/"), begins(name+"/", "closeout-gate/closeout/"), has(uses, "${{"):
		return false
	case begins(name, "docker://"):
		return !has(uses, "@sha256:")
	}
	return len(ref) != 40 || strings.Trim(ref, "0123456789abcdef") != ""
}

// findInjection finds texts that anyone can write, and that a workflow puts into a script.
func findInjection(c *Change, report func(Hit)) {
	c.flowsOf().eachFresh(func(w *flow, visit func(text string, line func() int)) {
		for _, s := range w.steps {
			for _, n := range []*input.Node{s.node.Member("run"), s.node.At("with", "script")} {
				for _, m := range foreignText().FindAllStringSubmatch(textOf(n), -1) {
					visit(m[1], func() int { return flowLine(w.text, n, m[1]) })
				}
			}
		}
	}, strings.ToLower, func(w *flow, fresh firstNames) {
		report(w.hit(fresh.line, fresh.names[0], "a script contains "+listed(fresh.names)+", which anyone can write: it runs as a command",
			"give the script the text in a variable of its environment"))
	})
}

// foreignText matches what the author of a pull request, an issue or a comment chose.
var foreignText = input.Lazily(`\$\{\{[^}]*?\b(github\.(?:head_ref\b|event\.(?:issue|pull_request|comment|review|review_comment|discussion|head_commit|commits|workflow_run)\b[\w.\[\]*]*` +
	`\.(?:title|body|message|name|email|ref|label|head_branch)\b))`)

// findPullRequestTarget finds workflows that run the code of a pull request with the rights of the repository.
func findPullRequestTarget(c *Change, report func(Hit)) {
	const fix = "use pull_request, or check out nothing of the pull request in this workflow"
	for _, p := range c.flowsOf().pairs {
		now, line := member(p.now.on, "pull_request_target"), untrusted(p.now)
		switch {
		case now != nil && !p.was.runsFor("pull_request_target"):
			report(p.now.hit(now.Pos.Line, "pull_request_target",
				"the workflow runs for pull requests of anyone, with the secrets of the repository", fix))
		case line > 0 && untrusted(p.was) == 0 && p.now.runsFor("pull_request_target", "workflow_run", "issue_comment"):
			report(p.now.hit(line, "checkout", "the workflow checks out the code of a pull request, with the secrets of the repository", fix))
		}
	}
}

// untrusted is the line on which a workflow checks out the head of a pull request; 0 when it does not.
func untrusted(w *flow) int {
	for _, s := range w.steps {
		if ref := s.node.At("with", "ref"); s.action == "actions/checkout" && has(textOf(ref), "pull_request.head",
			"workflow_run.head_", "github.head_ref", "refs/pull/", "pull_request.merge_commit") {
			return ref.Pos.Line
		}
		if run := s.node.Member("run"); has(textOf(run), "gh pr checkout") ||
			(has(textOf(run), "refs/pull/") && has(textOf(run), "git fetch")) {
			return run.Pos.Line
		}
	}
	return 0
}

// findWorkflowSecret finds secrets that the workflows of a change did not use before.
func findWorkflowSecret(c *Change, report func(Hit)) {
	c.flowsOf().eachFresh(eachSecret, strings.ToUpper, func(w *flow, fresh firstNames) {
		hit := w.hit(fresh.line, fresh.names[0], "the touched workflows did not use "+listed(fresh.names)+" before",
			"use no secret, or let a person approve it")
		hit.Others = fresh.names[1:]
		report(hit)
	})
}

var secretUse = input.Lazily(`(?:^|[^\w.])secrets(?:\.([\w-]+)|\[['"]([\w-]+)|([)\[]))`)

// eachSecret visits the secrets that the expressions of a workflow name, and what names all of them.
func eachSecret(w *flow, visit func(name string, line func() int)) {
	for _, j := range w.jobs {
		if s := j.Value.Member("secrets"); textOf(s) == "inherit" && !begins(textOf(j.Value, "uses"), "./") {
			visit("all secrets that there are (inherit)", func() int { return s.Pos.Line })
		}
	}
	if w.root == nil {
		return
	}
	eachText(w.root, func(n *input.Node) {
		if !has(n.Text, "secrets") {
			return
		}
		from, isLine := strings.Index(n.Text, "${{"), has(n.Text, "secrets.") && !has(n.Text, "\n")
		for _, m := range secretUse().FindAllStringSubmatchIndex(n.Text, -1) {
			name := "all secrets"
			if m[6] < 0 {
				name = strings.ToUpper(n.Text[max(m[2], m[4]):max(m[3], m[5])])
			}
			isInside := isLine || (from >= 0 && from+len("${{") <= m[0]+1)
			if isInside && name != "GITHUB_TOKEN" {
				visit(name, func() int { return flowLine(w.text, n, name) })
			}
		}
	})
}
