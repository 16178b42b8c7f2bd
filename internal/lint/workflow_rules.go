package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// eventTypes are those on which the gate must run.
var eventTypes = []string{"opened", "synchronize", "reopened", "ready_for_review", "edited", "labeled", "unlabeled"}

// defaultTypes are those of pull_request without types.
var defaultTypes = []string{"opened", "synchronize", "reopened"}

// workflows lints the workflows that run the gate or record.
func (l *linter) workflows() {
	gated := false
	for _, w := range l.readWorkflows() {
		if w.role == 0 {
			continue
		}
		gated = gated || (w.role&(gates|calls) != 0 && w.onChange())
		w := workflowLint{l, w}
		w.events()
		for i := range w.jobs {
			if w.jobs[i].role != 0 {
				w.job(&w.jobs[i])
			}
		}
	}
	if (!gated && l.flowUnread) || (!gated && slices.ContainsFunc(l.flows, func(w *workflow) bool { return w.called() && w.role&gates != 0 })) {
		return // a repository of a workflow that others call
	}
	if !gated {
		l.report(&check.Finding{
			Code: "lint.workflow.missing", Message: "no workflow runs the gate on pull requests", Path: workflowDir + "/closeout.yml",
			Expected: "a workflow that uses closeout-gate/closeout on pull_request", Actual: "none",
			Fix: "run `closeout init`, or copy one of docs/github.md to " + workflowDir + "/closeout.yml",
		})
	}
}

// onChange reports whether a workflow runs for pull requests or merge groups.
func (w *workflow) onChange() bool {
	return slices.ContainsFunc([]string{"pull_request", "pull_request_target", "merge_group"}, w.starts)
}

// called reports whether other workflows call this one.
func (w *workflow) called() bool { return w.starts("workflow_call") }

// starts reports whether an event starts a workflow.
func (w *workflow) starts(event string) bool {
	_, ok := w.events[event]
	return ok
}

// workflowLint lints one workflow.
type workflowLint struct {
	*linter
	*workflow
}

func (w *workflowLint) add(code string, pos input.Pos, message, expected, actual, fix string, identity ...string) {
	w.report(&check.Finding{
		Code: "lint.workflow." + code, Message: message, Path: w.workflow.path, Pos: pos, Expected: expected, Actual: actual, Fix: fix, Identity: identity,
	})
}

// events lints what starts the workflow.
func (w *workflowLint) events() {
	for _, name := range []string{"pull_request_target", "workflow_run"} {
		if e, ok := w.workflow.events[name]; ok {
			w.add("target", e.pos, "on "+name+" the workflow runs with the token and the secrets of the base branch, alongside the code of the change", "pull_request", name,
				"write pull_request instead of "+name, name)
		}
	}
	if e, ok := w.workflow.events["pull_request"]; ok {
		w.types(e)
	}
	for _, name := range []string{"pull_request", "merge_group"} { // filters let the workflow not run
		for _, key := range []string{"paths", "paths-ignore", "branches", "branches-ignore"} {
			for _, m := range w.workflow.events[name].node.At().Members {
				if m.Key == key {
					w.add("filter", m.Pos, "with "+key+" the gate does not run on every change: a required check then waits forever, or is missing", "no filter", key, "remove "+key+" of "+name, name, key)
				}
			}
		}
	}
	w.queue()
}

// types reports types of pull_request on which the gate does not run.
func (w *workflowLint) types(e event) {
	types := defaultTypes
	if n := e.node.Member("types"); n != nil {
		types = nil
		each(n, func(item *input.Node) { types = append(types, item.Text) })
	}
	var lacking []string
	for _, t := range eventTypes {
		if !slices.Contains(types, t) {
			lacking = append(lacking, t)
		}
	}
	if w.role&(gates|calls) == 0 || lacking == nil {
		return
	}
	w.add("trigger", e.pos, "the gate does not run when a pull request is "+strings.Join(lacking, ", "), strings.Join(eventTypes, ", "), strings.Join(types, ", "),
		"write pull_request: {types: ["+strings.Join(eventTypes, ", ")+"]}", lacking...)
}

// queue reports a gate that does not run in the merge queue that another workflow runs in.
func (w *workflowLint) queue() {
	if w.starts("merge_group") || w.role&(gates|calls) == 0 || !w.onChange() {
		return
	}
	for _, other := range w.flows {
		if other.starts("merge_group") {
			w.add("trigger", w.workflow.events["pull_request"].pos, "the gate does not run in the merge queue, in which "+other.path+" runs", "merge_group", "no such event",
				"add merge_group: {types: [checks_requested]} under on", "merge_group")
			return
		}
	}
}

// job lints a job.
func (w *workflowLint) job(j *job) {
	protects := w.onChange() || w.called() // a merge can depend on it
	if protects {
		w.skippable(j)
	}
	w.permissions(j)
	if !w.rollout {
		for _, n := range observing(j) {
			w.add("observe", w.placeOf(n, "observe"), "with the mode observe the gate never fails", "enforce", "observe", "remove the mode when the rollout is over", j.id)
		}
	}
	w.untrusted(j)
	if j.role&calls != 0 {
		if n := j.node.Member("secrets"); n != nil {
			w.add("secrets", n.Pos, "the job "+j.id+" passes secrets to the workflow that runs the code of the change", "no secrets", "secrets", "remove secrets of the job "+j.id, j.id, "secrets")
		}
		return
	}
	each(j.node.Member("runs-on"), func(n *input.Node) { // later jobs use such a machine again
		if strings.EqualFold(n.Text, "self-hosted") {
			w.add("self_hosted", n.Pos, "the job "+j.id+" runs on a self-hosted runner: what the code of the change leaves there can replace evidence and programs of later jobs", "a runner that is used once, such as ubuntu-latest",
				n.Text, "write runs-on: ubuntu-latest, or make the runner ephemeral", j.id)
		}
	})
	w.unpinned(j)
	if j.role&records == 0 {
		return
	}
	w.secrets(j)
	if g := w.grants(j); g.each["id-token"] == "write" || g.all == "write-all" {
		w.add("id_token", g.pos, "the job "+j.id+" runs the code of the change and may request an identity token of the repository", "no id-token", "id-token: write", "remove id-token: write from the job "+j.id, j.id)
	}
	bound := true // where it cannot be read, another finding says so
	if w.standing != nil {
		lowest := w.standing.contract.Evidence.Min
		bound = lowest == input.Bound || lowest == input.Claimed
	}
	if protects && j.role&gates != 0 && !bound {
		w.add("same_job", j.pos, "the job "+j.id+" runs the code of the change and judges it, so evidence is at most bound", "two jobs, or \"min\": \"bound\" in the contract", "one job",
			`record in a job of its own, as docs/workflows/two-jobs.yml does, or write "evidence": {"min": "bound"} in the contract`, j.id)
	}
}

// condition is the condition of a job or step without blanks and ${{ }}.
func condition(n *input.Node) (text string, pos input.Pos) {
	node := n.Member("if")
	if node == nil {
		return "", input.Pos{}
	}
	text = node.Text
	if node.Kind == input.KindBool {
		text = fmt.Sprint(node.Bool)
	}
	text = strings.Join(strings.Fields(text), "")
	if inner, ok := strings.CutPrefix(text, "${{"); ok {
		text = strings.TrimSuffix(inner, "}}")
	}
	return text, node.Pos
}

// skippable reports a gate that can be skipped, or whose failure does not count. A skipped job counts as a success.
func (w *workflowLint) skippable(j *job) {
	if j.role&(gates|calls) == 0 {
		return
	}
	text, pos := condition(j.node)
	switch {
	case text == "" && j.node.Member("needs") != nil && j.role&calls == 0:
		w.add("skippable", j.pos, "the job "+j.id+" is skipped when a job that it needs fails, and a skipped job counts as a success", "if: always()", "no condition", "add if: always() to the job "+j.id, j.id, "if")
	case text != "" && text != "always()":
		w.add("skippable", pos, "the condition can skip the job "+j.id+", and a skipped job counts as a success", "if: always(), or no condition", text, "write if: always()", j.id, "if")
	}
	w.ignoresFailure(j.id, j.node)
	for _, s := range j.steps {
		if s.role&gates == 0 {
			continue
		}
		switch text, pos := condition(s.node); text {
		case "", "always()", "!cancelled()", "success()||failure()", "failure()||success()", "success()":
		default:
			w.add("skippable", pos, "the condition can skip the step that judges, and the job "+j.id+" then succeeds", "if: always(), or no condition", text, "write if: always()", j.id, "step")
		}
		w.ignoresFailure(j.id, s.node)
		if run := s.node.Member("run"); run != nil && hidesFailure(run.Text) {
			w.add("skippable", run.Pos, "the script hides the failure of the gate", "the exit code of closeout", "|| true", "remove what follows || ", j.id, "run")
		}
	}
}

// ignoresFailure reports continue-on-error.
func (w *workflowLint) ignoresFailure(id string, n *input.Node) {
	if c := n.Member("continue-on-error"); c != nil && !(c.Kind == input.KindBool && !c.Bool) {
		w.add("skippable", c.Pos, "with continue-on-error the job "+id+" succeeds although the gate fails", "no such key", "continue-on-error", "remove continue-on-error", id, "continue-on-error")
	}
}

// hidesFailure reports whether a line that calls the gate ends in || true.
func hidesFailure(script string) bool {
	for line := range strings.Lines(strings.ReplaceAll(script, "\\\n", " ")) {
		if roleOfText(line)&gates != 0 && orSucceeds().MatchString(line) {
			return true
		}
	}
	return false
}

var orSucceeds = input.Lazily(`\|\|\s*(?:true|:|exit 0|echo)(?:[\s;&|)]|$)`)

// grants are the permissions of a job: those of the job, else of the workflow.
type grants struct {
	pos   input.Pos
	given bool
	all   string // read-all or write-all
	each  map[string]string
}

func (w *workflow) grants(j *job) grants {
	n := j.node.Member("permissions")
	if n == nil {
		n = w.root.Member("permissions")
	}
	g := grants{pos: j.pos, each: map[string]string{}}
	if n == nil {
		return g
	}
	g.pos, g.given, g.all = n.Pos, true, n.Text
	for _, m := range n.Members {
		g.each[m.Key] = m.Value.Text
		if m.Value.Text == "write" {
			g.pos = m.Pos
		}
	}
	return g
}

// gateMayWrite are the permissions to write that the gate may have: for its comment, its check run and code scanning, and for
// what signs the report.
var gateMayWrite = []string{"pull-requests", "issues", "checks", "statuses", "security-events", "attestations", "id-token"}

// gateReads are the permissions that the action requires.
var gateReads = []string{"contents", "pull-requests", "issues"}

// permissions reports a job that may do more than it needs, or less.
func (w *workflowLint) permissions(j *job) {
	g := w.grants(j)
	onlyCalled := w.called() && (j.role&calls != 0 || len(w.workflow.events) == 1)
	switch {
	case !g.given && onlyCalled && j.role&records == 0:
		return // its caller decides
	case !g.given:
		w.add("permissions", j.pos, "the job "+j.id+" has the default permissions of the repository, which may include write", "permissions", "none", "add "+leastPermissions(j), j.id, "none")
		return
	case g.all == "write-all":
		w.add("permissions", g.pos, "the job "+j.id+" may write everything", "permissions that the job needs", g.all, "write "+leastPermissions(j), j.id, g.all)
		return
	}
	var more, less []string
	for name, value := range g.each {
		if value == "write" && name != "id-token" && (j.role&records != 0 || !slices.Contains(gateMayWrite, name)) {
			more = append(more, name+": write")
		}
	}
	if usesAction(j) && g.all != "read-all" {
		for _, name := range gateReads {
			if g.each[name] != "read" && g.each[name] != "write" {
				less = append(less, name+": read")
			}
		}
	}
	if len(more) > 0 {
		list := strings.Join(sorted(more), ", ")
		w.add("permissions", g.pos, "the job "+j.id+" may do more than it needs: "+list, leastPermissions(j), list, "remove "+list, j.id, "more")
	}
	if len(less) > 0 {
		list := strings.Join(less, ", ")
		w.add("permissions", g.pos, "the gate in the job "+j.id+" lacks "+list, leastPermissions(j), "no such permission", "add "+list, j.id, "less")
	}
}

// usesAction reports whether a job asks GitHub with the token of the job.
func usesAction(j *job) bool {
	if j.role&calls != 0 {
		return ownWorkflow(textOf(j.node.Member("uses")))
	}
	return slices.ContainsFunc(j.steps, func(s step) bool {
		token := s.node.Member("with").Member("token")
		return isAction(s.node) && (token == nil || token.Text != "")
	})
}

// leastPermissions is what a job needs.
func leastPermissions(j *job) string {
	if j.role&(gates|calls) == 0 {
		return "permissions: {contents: read}"
	}
	return "permissions: {contents: read, pull-requests: read, issues: read}"
}

// observing are the texts of a job that set the mode observe.
func observing(j *job) (found []*input.Node) {
	nodes := []*input.Node{j.node.Member("with").Member("mode")}
	for _, s := range j.steps {
		if s.role&gates == 0 {
			continue
		}
		nodes = append(nodes, s.node.Member("with").Member("mode"))
		if run := s.node.Member("run"); run != nil && observeFlag().MatchString(run.Text) {
			found = append(found, run)
		}
	}
	for _, n := range nodes {
		if n != nil && n.Text == "observe" {
			found = append(found, n)
		}
	}
	return found
}

// RolloutNote is the comment above the mode observe in a workflow of init. While it is there, the gate is rolled out.
const RolloutNote = "# Remove these two lines when the verdicts are right, and make the check required."

// Rollout reports whether the repository tries the gate, as init sets it up: each gate has the mode observe below
// [RolloutNote], and nothing is enforced. What matters once the gate is enforced is no finding until then.
func Rollout(in Input) bool {
	l := &linter{tree: newTree(&in), found: &check.Findings{}}
	return l.rollingOut()
}

func (l *linter) rollingOut() bool {
	found := false
	for _, w := range l.readWorkflows() {
		for i := range w.jobs {
			if w.jobs[i].role&(gates|calls) == 0 {
				continue
			}
			nodes := observing(&w.jobs[i])
			if len(nodes) == 0 || slices.ContainsFunc(nodes, func(n *input.Node) bool { // without the note in the line above
				lines := strings.SplitN(string(w.text), "\n", n.Pos.Line)
				return len(lines) < 2 || len(lines) != n.Pos.Line || strings.TrimSpace(lines[n.Pos.Line-2]) != RolloutNote
			}) {
				return false
			}
			found = true
		}
	}
	return found
}

var observeFlag = input.Lazily(`--mode[ =]["']?observe`)

var (
	expressions = input.Lazily(`\$\{\{(.*?)\}\}`)
	secretNames = input.Lazily(`\bsecrets\b(?:\.([A-Za-z_][A-Za-z0-9_]*))?`)
	ownToken    = input.Lazily(`\bgithub\.token\b`)
)

// secrets reports secrets in the job that runs the code of the change. The token of the job is one when it may write.
func (w *workflowLint) secrets(j *job) {
	g := w.grants(j)
	writes := !g.given || g.all == "write-all"
	for _, value := range g.each {
		writes = writes || value == "write"
	}
	visit := func(n *input.Node) {
		for _, e := range expressions().FindAllStringSubmatch(n.Text, -1) {
			names := secretNames().FindAllStringSubmatch(e[1], -1)
			for _, m := range names {
				if m[1] != "GITHUB_TOKEN" || writes {
					w.secret(j, n, e[0], m[0])
				}
			}
			if names == nil && writes && ownToken().MatchString(e[1]) {
				w.secret(j, n, e[0], "github.token")
			}
		}
	}
	each(w.root.Member("env"), visit)
	for _, m := range j.node.Members {
		if m.Key != "steps" {
			each(m.Value, visit)
		}
	}
	for _, s := range j.steps {
		if s.role == gates && len(j.steps) > 1 && isAction(s.node) {
			continue // the token of the action itself
		}
		each(s.node, visit)
	}
}

func (w *workflowLint) secret(j *job, n *input.Node, expression, name string) {
	fix := "use it in another job, whose result this one downloads"
	if name == "secrets.GITHUB_TOKEN" || name == "github.token" {
		fix = "remove it, or give the job permissions: {contents: read}"
	}
	w.add("secrets", w.placeOf(n, expression), "the job "+j.id+" runs the code of the change and has "+name, "no secrets", name, fix, j.id, name)
}

var (
	commitPin = input.Lazily(`@(?:[0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$`)
	ownAction = input.Lazily(`(?i)^closeout-gate/closeout[@/]`)
)

// unpinned reports actions of other owners that are not pinned to a commit.
func (w *workflowLint) unpinned(j *job) {
	for _, s := range j.steps {
		n := s.node.Member("uses")
		uses := textOf(n)
		if uses == "" || strings.HasPrefix(uses, "./") || commitPin().MatchString(uses) || ownAction().MatchString(uses) {
			continue
		}
		name, _, _ := strings.Cut(uses, "@")
		pin := name + "@ and the 40 digits of the commit"
		if strings.HasPrefix(uses, "docker://") {
			pin = name + "@sha256: and the digest"
		}
		w.add("unpinned", n.Pos, uses+" can be another program tomorrow", "the id of a commit", uses, "write uses: "+pin, j.id, name)
	}
}

// harmless are values of an event that a person cannot choose freely.
var harmless = input.Lazily(`\.(?:number|id|node_id|sha|base_sha|head_sha|before|after|action|draft|merged|type|created_at|updated_at|additions|deletions|changed_files)$`)

var eventValues = input.Lazily(`\bgithub\.(?:event(?:\.[A-Za-z_*][A-Za-z0-9_*-]*|\[[^\]]*\])+|head_ref)`)

// untrusted reports scripts into which GitHub copies text that the author of the change chooses.
func (w *workflowLint) untrusted(j *job) {
	for _, s := range j.steps {
		scripts := []*input.Node{s.node.Member("run")}
		if strings.HasPrefix(textOf(s.node.Member("uses")), "actions/github-script@") {
			scripts = append(scripts, s.node.Member("with").Member("script"))
		}
		for _, n := range scripts {
			for _, e := range expressions().FindAllStringSubmatch(textOf(n), -1) {
				for _, value := range eventValues().FindAllString(e[1], -1) {
					if harmless().MatchString(value) {
						continue
					}
					w.add("untrusted_input", w.placeOf(n, e[0]), "GitHub copies "+value+" into the script, where a shell runs it", "an environment variable", e[0],
						"write env: {VALUE: "+e[0]+"} and \"$VALUE\" in the script", j.id, value)
				}
			}
		}
	}
}
