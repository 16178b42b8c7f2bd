package lint

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
)

// workflowDir is the directory of the workflows.
const workflowDir = ".github/workflows"

// role is what a step, job or workflow does.
type role int

// The roles. What calls our workflow does neither itself.
const (
	gates   role = 1 << iota // it judges
	records                  // it runs the code of the change
	calls                    // it calls a workflow that does both
)

// workflow is a workflow that was read.
type workflow struct {
	path   string
	text   []byte
	root   *input.Node
	events map[string]event
	jobs   []job
	role   role
}

// event is an entry under on.
type event struct {
	pos  input.Pos
	node *input.Node // nil without details
}

// job is a job of a workflow.
type job struct {
	id    string
	pos   input.Pos
	node  *input.Node
	steps []step
	role  role
}

// step is a step of a job.
type step struct {
	node *input.Node
	role role
}

// Limits of what is read.
const (
	maxWorkflows     = 500
	maxWorkflowBytes = 512 << 10
	maxWorkflowDepth = 60
)

// readWorkflows reads the workflows that may have to do with the gate, once.
func (l *linter) readWorkflows() []*workflow {
	if l.flowsRead {
		return l.flows
	}
	l.flowsRead = true
	for i, name := range l.names(workflowDir) {
		extension := path.Ext(name)
		if extension != ".yml" && extension != ".yaml" {
			continue
		}
		if i >= maxWorkflows {
			l.notChecked(workflowDir, "there are more than 500 workflows", "the rest of the workflows")
			break
		}
		if w := l.readWorkflow(workflowDir + "/" + name); w != nil {
			l.flows = append(l.flows, w)
		}
	}
	l.classifyJobs()
	return l.flows
}

// readWorkflow reads a workflow; nil when it cannot be read, or does not have to do with the gate.
func (l *linter) readWorkflow(name string) *workflow {
	text, err := l.Read(name)
	if err != nil {
		l.unreadable(name, input.Unreadable("the workflow", err))
		return nil
	}
	ours := bytes.Contains(text, []byte("closeout"))
	if !ours && !bytes.Contains(text, []byte("./")) && !bytes.Contains(text, []byte("merge_group")) {
		return nil
	}
	errs := &input.Errors{}
	var root *input.Node
	if len(text) > maxWorkflowBytes {
		errs.Add(input.Error{Message: "it has more than 512 KiB", Found: input.Plural(len(text), "byte"), Expected: "a smaller file", Fix: "split the workflow"})
	} else if input.CheckText(text, errs) {
		root = input.ParseWorkflow(text, maxWorkflowDepth, errs)
	}
	if root == nil || root.Kind != input.KindObject {
		if ours {
			e := input.Error{Message: "it is not a mapping", Found: "another value", Expected: "a mapping", Fix: "write on and jobs"}
			if errs.Any() {
				e = errs.All()[0]
			}
			l.unreadable(name, e)
		}
		return nil
	}
	w := &workflow{path: name, text: text, root: root}
	w.read()
	return w
}

// unreadable reports a workflow that cannot be read.
func (l *linter) unreadable(path string, e input.Error) {
	l.flowUnread = true
	l.report(&check.Finding{
		Code: "lint.workflow.unreadable", Message: "this workflow cannot be read, so lint checked nothing of it: " + e.Message + "; found " + e.Found,
		Path: path, Pos: e.Pos, Expected: e.Expected, Actual: e.Found, Fix: e.Fix, Identity: []string{e.Message},
	})
}

// read finds events and jobs.
func (w *workflow) read() {
	w.events = map[string]event{}
	switch on := w.root.Member("on"); {
	case on == nil:
	case on.Kind == input.KindString:
		w.events[on.Text] = event{pos: on.Pos}
	case on.Kind == input.KindList:
		for _, item := range on.Items {
			w.events[item.Text] = event{pos: item.Pos}
		}
	default:
		for _, m := range on.Members {
			w.events[m.Key] = event{m.Pos, m.Value}
		}
	}
	jobs := w.root.Member("jobs")
	if jobs == nil {
		return
	}
	for _, m := range jobs.Members {
		j := job{id: m.Key, pos: m.Pos, node: m.Value}
		if steps := m.Value.Member("steps"); steps != nil {
			for _, item := range steps.Items {
				j.steps = append(j.steps, step{node: item})
			}
		}
		w.jobs = append(w.jobs, j)
	}
}

// classifyJobs decides what each job does. A local workflow may call another one, so it asks again while that changes
// something.
func (l *linter) classifyJobs() {
	actions := map[string]role{}
	for _, w := range l.flows {
		for i := range w.jobs {
			j := &w.jobs[i]
			for k := range j.steps {
				j.steps[k].role = l.roleOfStep(j.steps[k].node, actions)
				j.role |= j.steps[k].role
			}
			if ownWorkflow(textOf(j.node.Member("uses"))) {
				j.role |= calls
			}
			w.role |= j.role
		}
	}
	for changed := true; changed; {
		changed = false
		for _, w := range l.flows {
			for i := range w.jobs {
				j := &w.jobs[i]
				name, local := strings.CutPrefix(textOf(j.node.Member("uses")), "./")
				if j.role == 0 && local && slices.ContainsFunc(l.flows, func(w *workflow) bool { return w.path == name && w.role != 0 }) {
					j.role = calls
					w.role |= calls
					changed = true
				}
			}
		}
	}
}

func textOf(n *input.Node) string {
	if n == nil || n.Kind != input.KindString {
		return ""
	}
	return n.Text
}

const ownRepository = "closeout-gate/closeout"

// ownWorkflow reports whether a job calls the workflow of this project.
func ownWorkflow(uses string) bool {
	return strings.HasPrefix(strings.ToLower(uses), ownRepository+"/.github/workflows/closeout.yml@")
}

// isAction reports whether a step is the action of this project.
func isAction(step *input.Node) bool {
	return strings.HasPrefix(strings.ToLower(textOf(step.Member("uses"))), ownRepository+"@")
}

// roleOfStep decides what a step does. actions keeps what local actions do.
func (l *linter) roleOfStep(n *input.Node, actions map[string]role) role {
	uses := textOf(n.Member("uses"))
	lower := strings.ToLower(uses)
	switch {
	case isAction(n):
		return gates
	case strings.HasPrefix(lower, "docker://") && strings.Contains(lower, ownRepository):
		return roleOfText("closeout " + textOf(n.Member("with").Member("args")))
	case strings.HasPrefix(uses, "./"):
		dir := path.Clean(uses)
		found, known := actions[dir]
		if !known {
			found = l.roleOfAction(dir)
			actions[dir] = found
		}
		return found
	}
	return roleOfText(textOf(n.Member("run")))
}

// roleOfAction decides what a local action does, by its text.
func (l *linter) roleOfAction(dir string) role {
	for _, name := range []string{"action.yml", "action.yaml"} {
		text, err := l.Read(path.Join(dir, name))
		if err != nil {
			continue
		}
		found := roleOfText(string(text))
		if bytes.Contains(text, []byte(ownRepository+"@")) || bytes.Contains(text, []byte("entrypoint: /closeout")) {
			found |= gates
		}
		return found
	}
	return 0
}

var callOfCloseout = input.Lazily(`(?:^|[\s;&|('"/=])closeout(?:\.exe)?(?:[:@][\w.:-]+)?["']?[ \t]+(verify|action|run|record)\b([^\n;&|]*)`)

// roleOfText decides what a script does.
func roleOfText(script string) role {
	var found role
	script = strings.ReplaceAll(script, "\\\n", " ")
	for line := range strings.Lines(script) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for _, m := range callOfCloseout().FindAllStringSubmatch(line, -1) {
			switch {
			case m[1] == "verify" || m[1] == "action":
				found |= gates
			case m[1] == "record" || strings.Contains(m[2], "--record-only"):
				found |= records
			default:
				found |= gates | records
			}
		}
	}
	return found
}

// each calls a function for every text below a node.
func each(n *input.Node, visit func(*input.Node)) {
	if n == nil {
		return
	}
	if n.Kind == input.KindString {
		visit(n)
	}
	for _, item := range n.Items {
		each(item, visit)
	}
	for _, m := range n.Members {
		each(m.Value, visit)
	}
}

// placeOf is where a text of a node begins in the file: the node itself may begin lines above.
func (w *workflow) placeOf(n *input.Node, text string) input.Pos {
	line := 0
	for one := range strings.Lines(string(w.text)) {
		line++
		if line < n.Pos.Line {
			continue
		}
		if column := strings.Index(one, text); column >= 0 {
			return input.Pos{Line: line, Column: column + 1}
		}
		if line > n.Pos.Line+strings.Count(n.Text, "\n")+1 {
			break
		}
	}
	return n.Pos
}
