package fence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// stateLimit is how long the look at the work tree may take after a tool.
const stateLimit = 300 * time.Millisecond

// post looks at what a tool did: at the files, never at its command, and whether the session repeats itself.
func (h *hookRun) post() (hook.Answer, error) {
	f, err := h.open()
	if onlyOutside(err) && err != nil {
		return h.call.Silent(), nil
	}
	if err != nil {
		return hook.Answer{}, err
	}
	if h.call.Shell() && h.call.Hears() {
		if a, told, err := h.state(f); told || err != nil {
			return a, err
		}
	} else {
		h.remember(f, nil, false)
	}
	if text := hook.Stall(append(h.past(), h.line)); text != "" && h.call.Hears() {
		if h.line.Answer == "" {
			h.note(hook.AnswerNudge, "", nil)
		}
		return h.call.Tell(text), nil
	}
	return h.call.Silent(), nil
}

// state tells each path that now differs, is not allowed, and does not belong to the person, once a session.
func (h *hookRun) state(f *fence) (a hook.Answer, told bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), stateLimit)
	defer cancel()
	paths, err := f.status(ctx)
	var list []change.Change
	if err == nil {
		h.remember(f, paths, true)
		list, err = f.differing(paths)
	}
	if ctx.Err() != nil {
		h.note(hook.AnswerTimeout, "", nil)
		return a, false, nil
	}
	if err != nil {
		return a, false, err
	}
	differs := session.SetOf(paths)
	known := map[string]bool{}
	for _, l := range h.past() {
		for _, p := range l.Paths {
			known[p] = known[p] || l.Answer == hook.AnswerTold
		}
	}
	var rulings []hook.Ruling
	var denied, back []string
	for i := range list {
		r := f.Judge(&list[i])
		if r == nil || !r.Deny || known[r.Path] || len(denied) == hook.MaxPaths {
			continue
		}
		older := differs[r.Path] && (f.before == nil || f.persons(r.Path))
		if older || (!differs[r.Path] && f.committedBefore(r.Path)) {
			continue
		}
		rulings, denied, back = append(rulings, *r), append(denied, r.Path), append(back, f.undo(&list[i]))
	}
	if len(rulings) == 0 {
		return a, false, nil
	}
	h.note(hook.AnswerTold, rulings[0].Code, denied)
	shown := min(len(rulings), 10)
	text := f.Reason(rulings[:min(shown, 5)]) + "\n" +
		"This is now in the work tree or in a commit since the start, and the gate will refuse it. " +
		"Undo what you changed, and leave what was there before you came:\n  " + strings.Join(back[:shown], "\n  ")
	if more := len(rulings) - shown; more > 0 {
		text += fmt.Sprintf("\n  and %s more", input.Plural(more, "path"))
	}
	return h.call.Tell(text), true, nil
}

// undo says what of a change of a path is to be undone. It names no command: what a person put there would go with it.
func (f *fence) undo(c *change.Change) string {
	path := input.Neutral(input.QuotePath(c.Path))
	if f.person[c.Path] {
		return path + ": " + item.WasThere
	}
	if c.Status == change.Added {
		return path + ": if you made it, put it elsewhere"
	}
	return fmt.Sprintf("%s: what you changed of it since %.12s", path, f.since[len(f.since)-1])
}

// differing lists what the work tree changes since the start of the task, committed or not; paths are those that differ from
// HEAD. Of a file that is not committed, the keys that changed are unknown and do not count.
func (f *fence) differing(paths []string) (list []change.Change, err error) {
	for _, p := range paths {
		info, err := os.Lstat(filepath.Join(f.Root, p))
		mode := f.modeOf(p, err != nil)
		switch {
		case err == nil && info.Mode()&os.ModeSymlink != 0:
			mode = change.Symlink
		case err == nil && info.IsDir(): // an inner repository
			mode = change.Submodule
		}
		changes, failed := f.changes(p, mode)
		if failed != nil {
			return nil, failed
		}
		for _, c := range changes[:min(len(changes), 1)] {
			if c.KeysKnown = true; !f.persons(p) {
				f.count(&c)
			}
			list = append(list, c)
		}
	}
	for _, c := range f.Compared.Changes {
		if !slices.Contains(paths, c.Path) {
			list = append(list, c)
		}
	}
	return list, nil
}

// status lists the paths that differ from HEAD, as git sees them: what it ignores is not among them. An inner repository is
// one path.
func (f *fence) status(ctx context.Context) ([]string, error) {
	out, err := f.runGit(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=none")
	var paths []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			paths = append(paths, strings.TrimSuffix(entry[3:], "/"))
		}
	}
	return paths, err
}

// runGit runs git at the root. It changes nothing in the repository, and starts no monitor that the repository names.
func (f *fence) runGit(ctx context.Context, args ...string) (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", err
	}
	if session.Inside(f.Root, session.Followed(program)) {
		return "", errors.New("git is inside of the work tree: it is not run")
	}
	var out, errs bytes.Buffer
	harmless := []string{
		"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.quotePath=false",
	}
	c := exec.CommandContext(ctx, program, append(harmless, args...)...)
	c.Dir, c.Stdout, c.Stderr, c.WaitDelay = f.Root, &out, &errs, time.Second
	c.Env = os.Environ()
	if args[0] != "diff" { // git's own hook is told where its index is
		c.Env = slices.DeleteFunc(c.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	}
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// staged rules on what is about to be committed.
func (h *hookRun) staged(f *fence) (hook.Answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hookLimit)
	defer cancel()
	out, err := f.runGit(ctx, "diff", "--cached", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", "-z")
	if err != nil {
		return hook.Answer{}, err
	}
	var list []target
	parts := strings.Split(out, "\x00") // ":oldmode newmode oldid newid status", path, …
	for i := 0; i+1 < len(parts); i += 2 {
		modes := strings.Fields(parts[i])
		if len(modes) < 2 {
			return hook.Answer{}, fmt.Errorf("git diff printed %q", parts[i])
		}
		list = append(list, target{f, parts[i+1], change.Mode(modes[1])})
	}
	rulings, err := h.ruleAll(list)
	rulings = slices.DeleteFunc(rulings, func(r hook.Ruling) bool {
		return r.Code == hook.CodeRecords // the gate reads them
	})
	return h.tell(f, rulings, err)
}
