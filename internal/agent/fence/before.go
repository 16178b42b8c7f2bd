package fence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/change"
)

// firstLook is how long the look may take that tells what is there before the agent works.
const firstLook = time.Second

// remember finds what belongs to the person: what differed when the claim or HEAD of the work tree was first seen. paths is
// what differs now, if that is known already.
//
// An agent moves HEAD and claims items itself. So only the first call of a session can show the work of a person in between,
// and what an agent is known to have changed stays its own. A session that is compacted or resumed starts again under its id:
// it has worked already.
func (h *hookRun) remember(f *fence, paths []string, looked bool) {
	if f.store == nil || h.call.Session == hook.Trial {
		return
	}
	key, claim, head := session.Key(f.Root), "", f.Compared.Head
	if f.claim != nil {
		claim = fmt.Sprintf("%s %s %d", f.claim.Item, f.claim.Start, f.claim.Event)
	}
	known, err := f.store.Before(key)
	began := (h.call.Event == hook.Start || h.call.Event == hook.Pre) && len(h.past()) == 0
	first := known == nil && err == nil
	fresh := known == nil || (began && (known.Claim != claim || known.Head != head))
	switch {
	case err != nil && !began: // it is damaged: a session that has worked already cannot say what was there
		return
	case first && h.call.Event == hook.Stop:
		f.late = f.store.CanRemember()
		return
	case first && !began && h.call.Event == hook.Pre: // the agent has worked already
		return
	}
	if fresh && !looked {
		ctx, cancel := context.WithTimeout(context.Background(), firstLook)
		defer cancel()
		var failed error
		if paths, failed = f.status(ctx); failed != nil {
			return
		}
		looked = true
	}
	now := &session.Before{Start: head}
	if known != nil {
		*now = *known
	}
	switch {
	case known == nil:
		now.Person = paths
	case fresh:
		now.Person = session.Without(paths, known.Agents)
		now.Agents = session.Without(paths, now.Person)
	case looked:
		now.Agents = session.Without(paths, known.Person)
	}
	if (began && f.claim == nil) || (fresh && now.Claim != claim) {
		now.Start = head // also where HEAD was seen: a person may have switched there
	}
	now.Claim, now.Head = claim, head
	if known == nil || now.Start != known.Start || now.Head != known.Head || now.Claim != known.Claim ||
		!slices.Equal(now.Agents, known.Agents) {
		err = f.store.SetBefore(key, now, first)
	}
	if errors.Is(err, fs.ErrExist) {
		now, err = f.store.Before(key)
	}
	if err == nil { // else it cannot be told whose a path is
		f.before, f.person = now, session.SetOf(now.Person)
	}
}

// persons reports whether a path that differs from HEAD belongs to the person or to the fence: the agent is not told of it.
func (f *fence) persons(path string) bool {
	return f.person[path] || (strings.HasPrefix(path, ".") && f.isFence(path))
}

// committedBefore reports whether a path is in HEAD as it was when the work tree was first seen. What was committed since a
// claim belongs to the item.
func (f *fence) committedBefore(path string) bool {
	if f.before == nil || f.claim != nil {
		return false
	}
	mode, id, found, err := f.Git.Entry(f.Compared.Head, path)
	oldMode, oldID, there, failed := f.Git.Entry(f.before.Start, path)
	return err == nil && failed == nil && found == there && mode == oldMode && id == oldID
}

// isFence reports whether a path is a file with settings of an agent that differs from HEAD only by entries of closeout, as
// hook install writes them. Where HEAD has them already, other ones switch a part of the fence off.
func (f *fence) isFence(path string) bool {
	for _, agent := range hook.Agents[:3] {
		for _, scope := range Scopes[:2] {
			s := (&Settings{root: f.Root}).file(agent, scope)
			if s == nil || s.name != path || s.read() != nil {
				continue
			}
			now, wrong := hook.Remove(s.before, hook.IsFlat(agent))
			if wrong != nil || !hook.Installed(s.before, agent) {
				continue
			}
			var committed []byte
			if mode, id, found, err := f.Git.Entry(f.Compared.Head, path); err != nil || (found && mode != change.Regular) {
				continue
			} else if found {
				if committed, err = f.Git.Blob(id, hook.MaxSettings); err != nil {
					continue
				}
			}
			old, wrong := hook.Remove(committed, hook.IsFlat(agent))
			return wrong == nil && bytes.Equal(now, old) && !hook.Installed(committed, agent)
		}
	}
	return false
}
