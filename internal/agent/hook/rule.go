package hook

import (
	"fmt"
	"path"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/glob"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/report"
)

// The codes that only the hook has. It shares all others with the gate.
const (
	CodeGitDir  = "hook.git_dir"
	CodeState   = "hook.state"
	CodeRecords = "hook.records"
	CodeTool    = "hook.tool"
	CodePayload = "hook.payload"
)

// Ruling is what is said about one path, or about a tool.
type Ruling struct {
	Code string
	Path string
	Why  string
	Deny bool // else it is a note
}

// Fence rules on paths as the gate would on the change that a commit of them makes.
type Fence struct {
	Policy *policy.Policy
	Off    map[string]bool // paths that the change contains already and that are off scope at block
}

// Rule rules on a path that a tool is about to write; nil for no opinion. c is the change from the start of the task as it
// would be committed. The keys that it changes in a manifest are not known yet: the gate looks at them.
func (f *Fence) Rule(c change.Change) *Ruling {
	if f.isRecord(c.Path) {
		return &Ruling{CodeRecords, c.Path, "holds what was recorded or judged, which no tool edits: records are written by closeout record, reports by closeout", true}
	}
	c.KeysKnown, c.KeysChanged = true, nil
	return f.Judge(&c)
}

// Judge says what the gate finds about a change; nil for nothing that blocks or warns.
func (f *Fence) Judge(c *change.Change) *Ruling {
	r := f.Policy.Classify(c)
	ruling := &Ruling{Path: c.Path, Deny: true}
	switch {
	case r.Contract:
		ruling.Code, ruling.Why = "contract.changed", "is a contract, which a person changes"
	case r.Class == policy.ClassForbidden:
		ruling.Code, ruling.Why = "scope.forbidden", "is forbidden: "+r.Because
	case r.Class == policy.ClassProtected:
		ruling.Code, ruling.Why = "scope.protected", "is protected: "+r.Because
	case r.Class == policy.ClassOffScope && r.Severity == input.Block && !f.within(c.Path):
		ruling.Code, ruling.Why = "scope.off_scope", "is outside the scope of "+f.task()
	case policy.Irregular(c.Path) != "":
		ruling.Code, ruling.Why = "scope.irregular_path", "is an irregular path: "+policy.Irregular(c.Path)
	case r.Folded:
		ruling.Code, ruling.Why = "scope.irregular_path", "differs only in case or in the composition of characters from a forbidden or protected path: "+r.Because
	case r.SpecialCounts(c):
		ruling.Code, ruling.Why = "scope.special_file", "is a symlink or a submodule, which can point outside the scope"
	case r.Class == policy.ClassOffScope && r.Severity != input.Info:
		ruling.Code, ruling.Why, ruling.Deny = "scope.off_scope", "is outside the scope of "+f.task()+", which the contract only counts"+f.budget(r), false
	default:
		return nil
	}
	return ruling
}

// within reports whether the violation budget covers a path beside those that the change contains already.
func (f *Fence) within(path string) bool {
	count := int64(len(f.Off))
	if !f.Off[path] {
		count++
	}
	return count <= f.Policy.ViolationBudget
}

func (f *Fence) budget(r policy.Ruling) string {
	if r.Severity != input.Block {
		return ""
	}
	return fmt.Sprintf(" (violation_budget %d)", f.Policy.ViolationBudget)
}

func (f *Fence) task() string {
	if id := f.Policy.TaskID; id != "" {
		return id
	}
	return "the contract"
}

// isRecord reports whether a path holds what a recorder, a rule program or the gate wrote.
func (f *Fence) isRecord(name string) bool {
	folded, dir := glob.Fold(name), glob.Fold(f.Policy.EvidenceDir)+"/"
	if folded == report.FileName || (path.Base(folded) == report.FileName && strings.HasPrefix(folded, dir)) {
		return true
	}
	reports := []string{f.Policy.Rules.Report, dir + policy.DefaultRules}
	if f.Policy.Coverage != nil {
		reports = append(reports, f.Policy.Coverage.Report)
	}
	for _, c := range f.Policy.Criteria {
		reports = append(reports, c.TestReport)
	}
	for _, r := range reports {
		if r != "" && strings.HasPrefix(folded, dir) && folded == glob.Fold(r) {
			return true
		}
	}
	return strings.HasPrefix(folded, dir) && path.Base(folded) == "feedback_record.jsonl"
}

// Tool rules on a tool by its name; nil when the contracts do not deny it.
func (f *Fence) Tool(name string) *Ruling {
	if pattern := f.Policy.Agent.Denies(name); pattern != "" {
		return &Ruling{Code: CodeTool, Path: name, Why: "is a tool that the contract denies (agent.deny_tools: " + pattern + ")", Deny: true}
	}
	return nil
}

// maxReason is the longest reason in bytes.
const maxReason = 2000

// Reason is what the agent reads about rulings. The first one decides about the code.
func (f *Fence) Reason(list []Ruling) string {
	var parts []string
	for _, r := range list {
		parts = append(parts, fmt.Sprintf("%s: %s %s", r.Code, item.Text(input.QuotePath(r.Path)), item.Text(r.Why)))
	}
	text := item.Cut("closeout: "+strings.Join(parts, "; "), maxReason-600)
	if list[0].Deny {
		text += " → " + f.advice(list[0].Code)
	}
	return item.Cut(text, maxReason)
}

// advice says what to do instead.
func (f *Fence) advice(code string) string {
	const honest = "do it elsewhere, or say in " + item.BlockedFile + " why it cannot be done inside"
	switch code {
	case CodeTool:
		return "use another tool"
	case CodeRecords:
		return "run closeout record or closeout run"
	case CodeState, CodeGitDir:
		return "leave it alone; use git and closeout"
	}
	if allowed := f.Allowed(); allowed != "" {
		return "allowed: " + allowed + "; " + honest
	}
	return honest
}

// Allowed names the patterns of the last contract that has some: the contract of the task.
func (f *Fence) Allowed() string {
	for i := len(f.Policy.Sources) - 1; i >= 0; i-- {
		var names []string
		for _, a := range f.Policy.Sources[i].Contract.AllowedFiles {
			names = append(names, a.Value)
		}
		if len(names) > 8 {
			names = append(names[:8], fmt.Sprintf("and %d more", len(names)-8))
		}
		if len(names) > 0 {
			return item.Cut(input.Neutral(strings.Join(names, ", ")), 500)
		}
	}
	return ""
}
