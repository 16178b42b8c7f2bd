package rules

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// isFlow reports whether a path is that of a workflow or an action.
func isFlow(name string) bool {
	if !ends(name, ".yml", ".yaml") {
		return false
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	return begins(name, ".github/workflows/") || oneOf(base, "action.yml", "action.yaml")
}

// flow is one version of a workflow or of a composite action.
type flow struct {
	file   *File
	text   *source.File
	base   bool
	root   *input.Node
	events []flowEvent
	jobs   []*flowJob
}

// flowEvent is an entry under on.
type flowEvent struct {
	name string
	line int
	node *input.Node // nil without details
}

// flowJob is a job of a workflow, or what a composite action runs.
type flowJob struct {
	flow  *flow
	id    string
	line  int
	node  *input.Node
	steps []*flowStep
}

// flowStep is a step of a job.
type flowStep struct {
	job    *flowJob
	node   *input.Node
	script string   // what it runs, itself or by an action that tries again
	checks []string // what it checks, as in the command that runs
	tries  bool     // it is tried again where it fails
}

// flowPair is a workflow at the merge base and at the head; one of them may be nil.
type flowPair struct{ was, now *flow }

// flowSet are the touched workflows and actions of a change.
type flowSet struct {
	pairs  []flowPair
	unread []*File // those that could be read at the merge base, or were not there, and cannot be read now
}

// flowsOf reads the workflows of a change. A workflow that got another name is joined with what it was.
func (c *Change) flowsOf() *flowSet {
	if c.flows != nil {
		return c.flows
	}
	c.flows = &flowSet{}
	left := maxAllYAML
	for _, f := range c.Files {
		if !isFlow(f.Path) || (f.Base == nil && f.Head == nil) || c.isGenerated(f) {
			continue
		}
		p := flowPair{readFlow(f, f.Base, true, &left), readFlow(f, f.Head, false, &left)}
		if f.Head != nil && p.now == nil {
			if f.Base == nil || p.was != nil {
				c.flows.unread = append(c.flows.unread, f)
			}
			continue
		}
		if p.was != nil || p.now != nil {
			c.flows.pairs = append(c.flows.pairs, p)
		}
	}
	c.flows.joinRenamed()
	return c.flows
}

// isGenerated reports whether a workflow is compiled from a Markdown file beside it.
func (c *Change) isGenerated(f *File) bool {
	source, locked := strings.CutSuffix(f.Path, ".lock.yml")
	return locked && c.HeadHas(source+".md")
}

// readFlow reads one version of a workflow; nil when there is none or when it cannot be read. left is how many bytes may still be
// parsed.
func readFlow(f *File, v *source.File, base bool, left *int) *flow {
	if v == nil || len(v.Text) > *left {
		return nil
	}
	*left -= len(v.Text)
	root := parseYAML(v)
	if root == nil {
		return nil
	}
	w := &flow{file: f, text: v, base: base, root: root}
	w.readEvents()
	for _, m := range membersOf(root.Member("jobs")) {
		w.addJob(m.Key, m.Pos.Line, m.Value, m.Value.Member("steps"))
	}
	if runs := root.Member("runs"); runs != nil {
		w.addJob("runs", runs.Pos.Line, runs, runs.Member("steps"))
	}
	return w
}

func (w *flow) readEvents() {
	switch on := w.root.Member("on"); {
	case on == nil:
	case on.Kind == input.KindString:
		w.events = []flowEvent{{on.Text, on.Pos.Line, nil}}
	case on.Kind == input.KindList:
		for _, item := range on.Items {
			w.events = append(w.events, flowEvent{item.Text, item.Pos.Line, nil})
		}
	default:
		for _, m := range on.Members {
			w.events = append(w.events, flowEvent{m.Key, m.Pos.Line, m.Value})
		}
	}
}

func (w *flow) addJob(id string, line int, node, steps *input.Node) {
	j := &flowJob{flow: w, id: id, line: line, node: node}
	w.jobs = append(w.jobs, j)
	if steps == nil {
		return
	}
	for _, item := range steps.Items {
		s := &flowStep{job: j, node: item, script: textOf(item.Member("run"))}
		name := actionOf(textOf(item.Member("uses")))
		if s.tries = has(name, "retry"); s.tries {
			s.script = textOf(below(item, "with", "command"))
		}
		if s.checks = checksIn(s.script); isCheckAction(name) {
			s.checks = append(s.checks, name)
		}
		j.steps = append(j.steps, s)
	}
}

// event is an event of a workflow; nil for one that it does not have.
func (w *flow) event(name string) *flowEvent {
	if w != nil {
		for i := range w.events {
			if w.events[i].name == name {
				return &w.events[i]
			}
		}
	}
	return nil
}

// job is a job by its id.
func (w *flow) job(id string) *flowJob {
	for _, j := range w.allJobs() {
		if j.id == id {
			return j
		}
	}
	return nil
}

// allJobs are the jobs of a workflow, which may be nil.
func (w *flow) allJobs() []*flowJob {
	if w == nil {
		return nil
	}
	return w.jobs
}

// steps are all steps of a workflow.
func (w *flow) steps() (all []*flowStep) {
	for _, j := range w.allJobs() {
		all = append(all, j.steps...)
	}
	return all
}

// actionOf is the name of an action without its version.
func actionOf(uses string) string {
	name, _, _ := strings.Cut(uses, "@")
	return strings.ToLower(name)
}

// isCheckAction reports whether an action of another repository checks something.
func isCheckAction(name string) bool {
	return name != "" && !begins(name, ".") && (begins(name, "golangci/", "pre-commit/", "github/codeql-action/analyze") ||
		has(name, "lint") || begins(name, "actions/dependency-review"))
}

// title is what a reader calls the step.
func (s *flowStep) title() string {
	for _, key := range [...]string{"name", "id", "uses"} {
		if text := textOf(s.node.Member(key)); text != "" {
			return text
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(s.script), "\n")
	return first
}

// isCheck reports whether a step checks something: by the commands that it runs, or by its name.
func (s *flowStep) isCheck() bool {
	return len(s.checks) > 0 || (s.script != "" && namesCheck(textOf(s.node.Member("name"))))
}

// isCheck reports whether a job checks something.
func (j *flowJob) isCheck() bool {
	return slices.ContainsFunc(j.steps, (*flowStep).isCheck) || (j.node.Member("uses") != nil && namesCheck(j.id))
}

// same reports whether two steps are the same one of two versions.
func (s *flowStep) same(other *flowStep) bool {
	for _, key := range [...]string{"id", "name"} {
		if text := textOf(s.node.Member(key)); text != "" && text == textOf(other.node.Member(key)) {
			return true
		}
	}
	if s.script != "" {
		return s.script == other.script ||
			slices.ContainsFunc(s.checks, func(c string) bool { return slices.Contains(other.checks, c) })
	}
	uses := actionOf(textOf(s.node.Member("uses")))
	return uses != "" && isCheckAction(uses) && uses == actionOf(textOf(other.node.Member("uses")))
}

// joinRenamed joins a deleted workflow with the added one that is most like it.
func (set *flowSet) joinRenamed() {
	const most = 50 // deleted and added workflows
	var gone, added []int
	for i, p := range set.pairs {
		if p.now == nil {
			gone = append(gone, i)
		} else if p.was == nil {
			added = append(added, i)
		}
	}
	if max(len(gone), len(added)) > most {
		return
	}
	for _, i := range added {
		best, score := -1, 0
		for _, k := range gone {
			if was := set.pairs[k].was; was != nil {
				if s := likeness(was, set.pairs[i].now); s > score {
					best, score = k, s
				}
			}
		}
		if best >= 0 {
			set.pairs[i].was, set.pairs[best].was = set.pairs[best].was, nil
		}
	}
	set.pairs = slices.DeleteFunc(set.pairs, func(p flowPair) bool { return p.was == nil && p.now == nil })
}

// likeness says how much two workflows have in common; 0 when they are not two versions of one workflow.
func likeness(was, now *flow) int {
	score := 0

	if name := textOf(was.root.Member("name")); name != "" && name == textOf(now.root.Member("name")) {
		score += 10
	}
	same := 0
	for _, j := range was.jobs {
		if now.job(j.id) != nil && j.id != "runs" {
			same++
		}
	}
	if 2*same > len(was.jobs) {
		score += same
	}
	return score
}

// hit is a place in a workflow.
func (w *flow) hit(line int, subject, detail, fix string) Hit {
	if w.base {
		return w.file.hit(line, 0, subject, detail, fix)
	}
	return w.file.hit(0, line, subject, detail, fix)
}

// keyLine is the line of a key of an object; that of the object when it has no such key.
func keyLine(n *input.Node, key string) int {
	for _, m := range membersOf(n) {
		if m.Key == key {
			return m.Pos.Line
		}
	}
	if n != nil {
		return n.Pos.Line
	}
	return 0
}

// Limits of what is parsed. A text over them is not read.
const (
	maxYAML    = 256 << 10 // of a workflow or another YAML file, in bytes
	maxAllYAML = 3 << 19   // of all workflows of a change
	maxDepth   = 60
)

// parseYAML reads a YAML document; nil for one that cannot be read.
func parseYAML(v *source.File) *input.Node {
	if len(v.Text) > maxYAML {
		return nil
	}
	errs := &input.Errors{}
	if !input.CheckText(v.Text, errs) {
		return nil
	}
	n := input.ParseWorkflow(v.Text, maxDepth, errs)
	if n == nil || n.Kind != input.KindObject {
		return nil
	}
	return n
}

// below follows keys down a document; nil when one is missing.
func below(n *input.Node, keys ...string) *input.Node {
	for _, key := range keys {
		if n == nil {
			return nil
		}
		n = n.Member(key)
	}
	return n
}

// textOf is the text of a scalar.
func textOf(n *input.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == input.KindBool && n.Bool:
		return "true"
	case n.Kind == input.KindBool:
		return "false"
	}
	return n.Text
}

// membersOf are the members of an object; none for anything else.
func membersOf(n *input.Node) []input.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// itemsOf are the texts of a list, or the one of a scalar.
func itemsOf(n *input.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind != input.KindList {
		if text := textOf(n); text != "" {
			return []string{text}
		}
		return nil
	}
	var list []string
	for _, item := range n.Items {
		list = append(list, textOf(item))
	}
	return list
}

// eachText calls a function for every text below a node.
func eachText(n *input.Node, visit func(*input.Node)) {
	if n.Kind == input.KindString {
		visit(n)
	}
	for _, item := range n.Items {
		eachText(item, visit)
	}
	for i := range n.Members {
		eachText(n.Members[i].Value, visit)
	}
}

// flowLine is the line on which a text of a node stands: the node itself may begin lines above.
func flowLine(v *source.File, n *input.Node, text string) int {
	last := n.Pos.Line + strings.Count(n.Text, "\n") + 1
	for line := n.Pos.Line; line <= last && line <= v.Lines(); line++ {
		if has(v.Line(line), text) {
			return line
		}
	}
	return n.Pos.Line
}

// listed joins the first names of a list.
func listed(names []string) string { return joinSome(names[:min(len(names), 10)], len(names)) }
