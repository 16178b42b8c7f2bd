package fence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// target is a path that a call would write, in the repository that judges it.
type target struct {
	*fence
	rel  string
	mode change.Mode // that it gets
}

// pre rules on a tool before it runs.
func (h *hookRun) pre() (hook.Answer, error) {
	session, failed := h.open()
	if h.call.Agent == hook.Git {
		if failed != nil {
			return hook.Answer{}, failed
		}
		return h.staged(session)
	}
	if session != nil {
		h.remember(session, nil, false)
	}
	touches := h.call.Touches()
	if why := tooMuch(touches); why != "" {
		return h.call.Deny("closeout: " + hook.CodePayload + ": " + why), nil
	}
	at, rulings, err := h.locate(session, touches)
	failed = worseOf(failed, err)
	if h.call.Unnamed() {
		failed = worseOf(failed, errors.New("the arguments of the tool name no file"))
	}
	judge := session
	if len(at) > 0 {
		judge = at[len(at)-1].fence
	}
	if h.session == nil {
		h.session = judge
	}
	for _, name := range h.call.Tools {
		if session == nil {
			break
		}
		if r := session.Tool(name); r != nil {
			rulings, judge = append(rulings, *r), session
		}
	}
	ruled, err := h.ruleAll(at)
	return h.tell(judge, append(rulings, ruled...), worseOf(err, failed))
}

// locate finds the paths of touches in their repositories, and rules on those that are in none.
func (h *hookRun) locate(session *fence, touches []hook.Touch) (at []target, rulings []hook.Ruling, failed error) {
	for _, t := range touches {
		for _, p := range spellings(t, h.dirs()) {
			if r := reserved(session, p); r != nil {
				rulings = append(rulings, *r)
				continue
			}
			f, rel, inner, err := h.fences.enclosing(p)
			if f == nil || rel == "." {
				failed = worseOf(failed, err)
				continue
			}
			a := target{f, rel, change.Submodule}
			if !inner {
				a.mode = f.modeOf(rel, t.Deleted)
			}
			at = append(at, a)
		}
	}
	return at, rulings, failed
}

// What a call may name. More would take longer than an answer may, and what a model asks for is not to open the fence.
const (
	maxTouches = 2000
	maxNames   = 256 << 10 // bytes of all paths
	maxPath    = 4096      // bytes: no system takes a longer one
)

// tooMuch says what is wrong with a call that names too much; "" else.
func tooMuch(list []hook.Touch) string {
	all, longest := 0, 0
	for _, t := range list {
		n := len(t.Path) + len(t.Dir)
		all, longest = all+n, max(longest, n)
	}
	if len(list) <= maxTouches && all <= maxNames && longest <= maxPath {
		return ""
	}
	return fmt.Sprintf("the call names %d paths of up to %d bytes, %d together; "+
		"expected at most %d of %d bytes, %d together → write fewer files at once",
		len(list), longest, all, maxTouches, maxPath, maxNames)
}

// reserved rules on what no tool writes, wherever it is; nil for anything else.
func reserved(f *fence, path string) *hook.Ruling {
	switch {
	case f == nil:
		return nil
	case f.store != nil && session.Inside(f.store.Dir, path):
		return &hook.Ruling{Code: hook.CodeState, Path: path, Why: "is in the state folder of closeout", Deny: true}
	case session.Inside(f.Git.CommonDir(), path):
		return &hook.Ruling{Code: hook.CodeGitDir, Path: path, Why: "is git's own", Deny: true}
	}
	return nil
}

// ruleAll rules on all paths of a call together: each of them may use up the violation budget, as may what is not committed yet.
func (h *hookRun) ruleAll(list []target) (rulings []hook.Ruling, err error) {
	for _, a := range list {
		changes, failed := a.changes(a.rel, a.mode)
		err = worseOf(err, failed)
		before := len(a.Off)
		for i := range changes {
			a.count(&changes[i])
		}
		if len(a.Off) > before && a.Policy.ViolationBudget > 0 && h.call.Agent != hook.Git && !a.looked {
			a.looked = true
			ctx, cancel := context.WithTimeout(context.Background(), stateLimit)
			if paths, failed := a.status(ctx); failed == nil { // else only what is committed counts
				_, _ = a.differing(paths)
			}
			cancel()
		}
	}
	for _, a := range list {
		r, failed := a.rule(a.rel, a.mode)
		if err = worseOf(err, failed); r != nil && !slices.Contains(rulings, *r) {
			rulings = append(rulings, *r)
		}
	}
	input.SortStable(rulings, func(a, b hook.Ruling) int { return denials(b) - denials(a) })
	return rulings, err
}

func denials(r hook.Ruling) int {
	if r.Deny {
		return 1
	}
	return 0
}

// tell answers with rulings. Where a path could not be judged, one that is denied still is.
func (h *hookRun) tell(f *fence, rulings []hook.Ruling, failed error) (hook.Answer, error) {
	if len(rulings) == 0 || !rulings[0].Deny {
		switch {
		case failed == nil:
		case onlyOutside(failed) && (h.Fail != FailClosed || !errors.Is(failed, errNoContract)):
			return h.call.Silent(), nil
		default:
			return hook.Answer{}, failed
		}
	}
	if len(rulings) == 0 {
		return h.call.Silent(), nil
	}
	var paths []string
	for _, r := range rulings {
		paths = append(paths, r.Path)
	}
	reason := f.Reason(rulings[:min(len(rulings), 5)])
	if rulings[0].Deny {
		h.note(hook.AnswerDeny, rulings[0].Code, paths)
		return h.call.Deny(reason), nil
	}
	h.note(hook.AnswerNote, rulings[0].Code, paths)
	return h.call.Tell(reason), nil
}

// onlyOutside reports whether all that failed is that there is no repository with a contract.
func onlyOutside(err error) bool {
	return errors.Is(err, errNoRepository) || errors.Is(err, errNoContract)
}

// worseOf is the error that says more.
func worseOf(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil, !onlyOutside(a):
		return a
	case !onlyOutside(b), errors.Is(b, errNoContract):
		return b
	}
	return a
}
