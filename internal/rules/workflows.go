package rules

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/source"
	"github.com/closeout-gate/closeout/verify/input"
)

// isFlow reports whether a path is that of a workflow or an action.
func isFlow(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	return oneOf(base, "action.yml", "action.yaml") || (begins(name, ".github/workflows/") && ends(name, ".yml", ".yaml"))
}

// flow is one version of a workflow or of a composite action. A version that is not there has no events, jobs and
// steps.
type flow struct {
	file  *File
	text  *source.File // nil for a version that is not there
	root  *input.Node
	on    []input.Member
	jobs  []input.Member // what a composite action runs is the job runs
	steps []*flowStep
	// checks are the ids of the jobs that check something.
	checks map[string]bool
	ids    map[string]*input.Member // the jobs by their ids

	named steps  // the steps by their names; nil before they are asked for
	every *grant // what the token of any job can write; nil before it is asked for
}

// flowStep is a step of a job.
type flowStep struct {
	flow   *flow
	node   *input.Node
	job    string
	action string   // that it uses, without its version
	script string   // what it runs
	checks []string // what it checks, as in the command that runs
}

// flowPair is a workflow at the merge base and at the head.
type flowPair struct{ was, now *flow }

// flowSet are the touched workflows and actions of a change.
type flowSet struct {
	pairs  []flowPair
	byFile map[*File]flowPair
	unread []*File // those that could be read at the merge base, or were not there, and cannot be read now
	all    steps   // the steps of all of them at the merge base; nil before they are asked for
}

// steps are the first steps with each of the names that tell one step from others, in a job and in any; see names.
type steps map[[2]string][]*flowStep

// maxSame is how many steps with one name are looked at: a softer one that lies behind as many is new.
const maxSame = 100

func (all steps) add(list []*flowStep) {
	for _, s := range list {
		for _, name := range s.names() {
			for _, job := range []string{s.job, anyJob} {
				if key := [2]string{name, job}; len(all[key]) < maxSame {
					all[key] = append(all[key], s)
				}
			}
		}
	}
}

// anyJob is in place of the id of a job, which is never empty.
const anyJob = ""

// flowsOf reads the workflows of a change. A workflow that got another name is joined with what it was.
func (c *Change) flowsOf() *flowSet {
	if c.flows != nil {
		return c.flows
	}
	c.flows = &flowSet{byFile: map[*File]flowPair{}}
	left := maxAllYAML
	for _, f := range c.Files {
		if !isFlow(f.Path) || (f.Base == nil && f.Head == nil) || c.isGenerated(f) {
			continue
		}
		p := flowPair{readFlow(f, f.Base, &left), readFlow(f, f.Head, &left)}
		switch {
		case f.Head == nil || p.now.text != nil:
			c.flows.pairs = append(c.flows.pairs, p)
		case f.Base == nil || p.was.text != nil:
			c.flows.unread = append(c.flows.unread, f)
		}
	}
	c.flows.joinRenamed()
	for _, p := range c.flows.pairs {
		c.flows.byFile[p.now.file] = p
	}
	return c.flows
}

// isGenerated reports whether a workflow is compiled from a Markdown file beside it.
func (c *Change) isGenerated(f *File) bool {
	source, locked := strings.CutSuffix(f.Path, ".lock.yml")
	return locked && (c.HeadHas(source+".md") || slices.ContainsFunc(c.Files, func(f *File) bool { return f.Path == source+".md" }))
}

// readFlow reads one version of a workflow. left is how many bytes may still be parsed.
func readFlow(f *File, v *source.File, left *int) *flow {
	w := &flow{file: f, checks: map[string]bool{}, ids: map[string]*input.Member{}}
	if v == nil || len(v.Text) > *left {
		return w
	}
	*left -= len(v.Text)
	if w.root = parseYAML(v); w.root == nil {
		return w
	}
	w.text = v
	on := w.root.Member("on")
	if w.on = membersOf(on); len(w.on) == 0 && on != nil {
		for _, item := range append(slices.Clip(on.Items), on) {
			w.on = append(w.on, input.Member{Key: item.Text, Pos: item.Pos})
		}
	}
	w.jobs = slices.Clone(membersOf(w.root.Member("jobs")))
	if runs := member(w.root.Members, "runs"); runs != nil {
		w.jobs = append(w.jobs, *runs)
	}
	for i, j := range w.jobs {
		if w.ids[j.Key] == nil {
			w.ids[j.Key] = &w.jobs[i]
		}
		w.checks[j.Key] = j.Value.Member("uses") != nil && namesCheck(j.Key)
		for _, item := range j.Value.At("steps").Items {
			s := w.readStep(j.Key, item)
			w.steps, w.checks[j.Key] = append(w.steps, s), w.checks[j.Key] || s.isCheck()
		}
	}
	return w
}

func (w *flow) readStep(job string, item *input.Node) *flowStep {
	s := &flowStep{flow: w, node: item, job: job, action: actionOf(textOf(item, "uses")), script: textOf(item, "run")}
	s.checks = checksIn(s.script + "\nuses: " + textOf(item, "uses"))
	return s
}

// member is that of a list with a key; nil for none.
func member(list []input.Member, key string) *input.Member {
	if i := slices.IndexFunc(list, func(m input.Member) bool { return m.Key == key }); i >= 0 {
		return &list[i]
	}
	return nil
}

// runsFor reports whether a workflow has one of some events.
func (w *flow) runsFor(events ...string) bool {
	return slices.ContainsFunc(w.on, func(m input.Member) bool { return slices.Contains(events, m.Key) })
}

// actionOf is the name of an action without its version.
func actionOf(uses string) string {
	name, _, _ := strings.Cut(uses, "@")
	return strings.ToLower(name)
}

// isCheckAction reports whether an action of another repository checks something.
func isCheckAction(name string) bool {
	return !begins(name, ".") && (begins(name, "golangci/", "pre-commit/", "github/codeql-action/analyze", "actions/dependency-review") ||
		has(name, "lint") || (!has(name, ".github/workflows/") && namesCheck(path.Base(name))))
}

// title is what a reader calls the step.
func (s *flowStep) title() string {
	for _, key := range [...]string{"name", "id", "uses"} {
		if text := textOf(s.node, key); text != "" {
			return text
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(s.script), "\n")
	return first
}

// isCheck reports whether a step checks something: by the commands that it runs, or by its name.
func (s *flowStep) isCheck() bool {
	return len(s.checks) > 0 || (s.script != "" && namesCheck(textOf(s.node, "name")))
}

// names tell a step from others: two steps of two versions are the same one where they share a name.
func (s *flowStep) names() (list []string) {
	for kind, text := range [...]string{textOf(s.node, "id"), textOf(s.node, "name"), s.script, s.action} {
		if text != "" {
			list = append(list, strconv.Itoa(kind)+text)
		}
	}
	for _, check := range s.checks {
		list = append(list, "check"+check)
	}
	return list
}

// joinRenamed joins a deleted workflow with the added one that is most like it.
func (set *flowSet) joinRenamed() {
	const most = 100
	if len(set.pairs) > most {
		return
	}
	for i, p := range set.pairs {
		if p.was.text != nil || p.now.text == nil {
			continue
		}
		best, score := -1, 0
		for k, gone := range set.pairs {
			if s := likeness(gone.was, p.now); gone.now.text == nil && s > score {
				best, score = k, s
			}
		}
		if best >= 0 {
			set.pairs[i].was, set.pairs[best].was = set.pairs[best].was, p.was
		}
	}
	set.pairs = slices.DeleteFunc(set.pairs, func(p flowPair) bool { return p.was.text == nil && p.now.text == nil })
}

// likeness says how much two workflows have in common; 0 when they are not two versions of one workflow.
func likeness(was, now *flow) (score int) {
	if name := textOf(was.root, "name"); name != "" && name == textOf(now.root, "name") {
		score += 10
	}
	same := 0
	for _, j := range was.jobs {
		if now.ids[j.Key] != nil && j.Key != "runs" {
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
	if w.text == w.file.Head {
		return w.file.hit(0, line, subject, detail, fix)
	}
	return w.file.hit(line, 0, subject, detail, fix)
}

// keyLine is the line of a key of an object; that of the object when it has no such key.
func keyLine(n *input.Node, key string) int {
	if m := member(membersOf(n), key); m != nil {
		return m.Pos.Line
	}
	return n.At().Pos.Line
}

// Limits of what is parsed. A text over them is not read.
const (
	maxYAML    = 256 << 10 // of a workflow or another YAML file, in bytes
	maxAllYAML = 3 << 19   // of all workflows of a change
	maxDepth   = 60
)

// parseYAML reads a YAML document; nil for one that cannot be read.
func parseYAML(v *source.File) *input.Node {
	errs := &input.Errors{}
	if len(v.Text) <= maxYAML && input.CheckText(v.Text, errs) {
		if n := input.ParseWorkflow(v.Text, maxDepth, errs); n != nil && n.Kind == input.KindObject {
			return n
		}
	}
	return nil
}

// textOf is the text of the scalar to which some keys lead.
func textOf(n *input.Node, keys ...string) string {
	n = n.At(keys...)
	if n.Kind == input.KindBool {
		return strconv.FormatBool(n.Bool)
	}
	return n.Text
}

// membersOf are the members of an object; none for anything else.
func membersOf(n *input.Node) []input.Member { return n.At().Members }

// itemsOf are the texts of a list, or the one of a scalar.
func itemsOf(n *input.Node) (list []string) {
	if text := textOf(n); text != "" {
		return []string{text}
	}
	for _, item := range n.At().Items {
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
func listed(names []string) string { return joined(names, 10) }

// joined joins a number of names of a list.
func joined(names []string, most int) string {
	text := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
