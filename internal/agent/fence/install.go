package fence

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/verify/input"
)

// Scopes say whose settings are meant.
var Scopes = []string{"project", "local", "user"}

// Settings are the settings of the agents here.
type Settings struct {
	Agents, Scopes []string
	Choice         hook.Choice
	DryRun         bool
	Tell           func(format string, args ...any)

	root, common string // of the work tree and of git; "" outside of a repository
}

// settingsFile is a file that an agent reads its hooks from.
type settingsFile struct {
	agent, name, path string
	within            string // the directory that it may not leave
	before, after     []byte // nil where there is none
}

// open checks the flags and finds the repository.
func (h *Settings) open() error {
	f := Flags{Stop: cmp.Or(h.Choice.Stop, StopClaimed), Fail: cmp.Or(h.Choice.Fail, FailOpen)}
	for _, f.Agent = range append(h.Agents, "") {
		if err := f.Check(); err != nil {
			return err
		}
	}
	for _, scope := range h.Scopes {
		if !slices.Contains(Scopes, scope) {
			return fmt.Errorf("--scope cannot be %q: expected %s", scope, strings.Join(Scopes, ", "))
		}
	}
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		if slices.Equal(h.Scopes, Scopes[2:]) {
			return nil // the settings of the user need no repository
		}
		return err
	}
	if h.root, h.common = git.Root(), git.CommonDir(); h.root == "" {
		err = errors.New("this repository is bare, and agents work in a work tree: call closeout there")
	}
	return errors.Join(err, git.Close())
}

// file is where an agent looks; nil where there is no such scope.
func (h *Settings) file(agent, scope string) *settingsFile {
	f := &settingsFile{agent: agent, within: h.root, name: map[string]string{
		"claude project": ".claude/settings.json", "claude local": ".claude/settings.local.json",
		"claude user":   "settings.json",
		"codex project": ".codex/hooks.json", "codex user": "hooks.json",
		"copilot project": ".github/hooks/closeout.json", "copilot user": "hooks/closeout.json",
		"gemini project": ".gemini/settings.json", "gemini user": "settings.json",
		"cursor project": ".cursor/hooks.json", "cursor user": "hooks.json",
		"git project": "hooks/pre-commit",
	}[agent+" "+scope]}
	if f.name == "" {
		return nil
	}
	if agent == "git" {
		f.within = h.common
	} else if scope == "user" {
		home, err := os.UserHomeDir()
		variable := map[string]string{"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "copilot": "COPILOT_HOME"}[agent]
		at := os.Getenv(variable)
		if at == "" && err != nil {
			return nil // without a home
		}
		f.within, _ = filepath.Abs(cmp.Or(at, filepath.Join(home, "."+agent)))
	}
	if f.path = filepath.Join(f.within, filepath.FromSlash(f.name)); f.within != h.root {
		f.name = f.path
	}
	return f
}

// read reads a file, also through a symlink that stays inside of the repository or of the directory of the agent.
func (f *settingsFile) read() (err error) {
	if f.path = session.Followed(f.path); !session.Inside(f.within, f.path) {
		return fmt.Errorf("%s leads to %q, outside of %q: replace the symlink by a file", f.name, f.path, f.within)
	}
	if f.before, err = collect.ReadRegular(f.path, hook.MaxSettings); errors.Is(err, fs.ErrNotExist) {
		return nil // its directory is not there either
	}
	return err
}

// edit reads the files of all agents and Scopes, and changes them in memory.
func (h *Settings) edit(change func(*settingsFile) ([]byte, *input.Error)) (list []*settingsFile, err error) {
	for _, agent := range h.Agents {
		for _, scope := range h.Scopes {
			f := h.file(agent, scope)
			if f == nil {
				continue
			}
			if err := f.read(); err != nil {
				return nil, err
			}
			var e *input.Error
			if f.after, e = change(f); e != nil {
				return nil, fmt.Errorf("%s:%d:%d: %s: found %s, expected %s; %s; nothing was changed",
					f.name, e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix)
			}
			list = append(list, f)
		}
	}
	return list, nil
}

// Install writes the hooks into the settings of a scope.
func (h *Settings) Install(scope string) error {
	h.Scopes = []string{scope}
	if err := h.open(); err != nil {
		return err
	}
	if len(h.Agents) == 0 {
		for _, agent := range hook.Agents[:len(hook.Agents)-1] {
			f := h.file(agent, scope)
			if f == nil {
				continue
			}
			if info, err := os.Stat(filepath.Dir(f.path)); err == nil && info.IsDir() {
				h.Agents = append(h.Agents, agent)
			}
		}
	}
	if len(h.Agents) == 0 {
		return fmt.Errorf("no directory of an agent is here (.claude, .codex, .github/hooks, .gemini, .cursor): name the agent with --agent %s",
			strings.Join(hook.Agents, ", --agent "))
	}
	for _, agent := range h.Agents {
		if h.file(agent, scope) == nil {
			return fmt.Errorf("%s has no hooks of scope %s here: leave out --agent %[1]s, or choose another scope", agent, scope)
		}
	}
	f, failed := openFence(cmp.Or(h.root, "."))
	h.Choice.AllTools = failed == nil && len(deniedTools(f)) > 0
	list, err := h.edit(func(f *settingsFile) ([]byte, *input.Error) {
		if f.agent == "git" {
			return h.preCommit(f), nil
		}
		return hook.Install(f.before, hook.Entries(f.agent, h.Choice))
	})
	if err == nil {
		err = h.write(list)
	}
	if err == nil {
		h.tell(list, failed)
	}
	return err
}

// preCommit is the hook of git, unless another one is there or git looks elsewhere.
func (h *Settings) preCommit(f *settingsFile) []byte {
	_, ours := hook.CallsUs(f.before)
	if why := elsewhere(h.root, h.common); why != "" || (f.before != nil && !ours) {
		h.Tell("left   %s %s; add this line to the hook that runs:\n"+
			"  ! command -v closeout >/dev/null 2>&1 || closeout hook run --agent git || exit 1",
			f.name, cmp.Or(why, "is not ours"))
		return f.before
	}
	return hook.PreCommit(h.Choice)
}

// elsewhere says why git does not run the hooks in its own directory.
func elsewhere(root, common string) string {
	cmd := exec.Command("git", "rev-parse", "--git-path", "hooks")
	cmd.Dir = root
	path, err := cmd.Output()
	at := strings.TrimRight(string(path), "\n")
	if !filepath.IsAbs(at) {
		at = filepath.Join(root, at)
	}
	if err == nil && session.Followed(at) == session.Followed(filepath.Join(common, "hooks")) {
		return ""
	}
	return "is not run: core.hooksPath is " + input.Quote(at) // as with husky
}

// Remove takes the hooks out of the settings.
func (h *Settings) Remove() error {
	if err := h.open(); err != nil {
		return err
	}
	list, err := h.edit(func(f *settingsFile) ([]byte, *input.Error) {
		switch calls, ours := hook.CallsUs(f.before); {
		case f.agent != "git":
			return hook.Remove(f.before, hook.IsFlat(f.agent))
		case ours:
			return nil, nil
		case calls:
			h.Tell("left   %s: a person added the line with closeout, and removes it", f.name)
		}
		return f.before, nil
	})
	if err != nil {
		return err
	}
	return h.write(slices.DeleteFunc(list, func(f *settingsFile) bool { return f.before == nil }))
}

// write shows what changes, and writes it.
func (h *Settings) write(list []*settingsFile) error {
	for _, f := range list {
		switch {
		case bytes.Equal(f.before, f.after):
			h.Tell("kept   %s (nothing to change)", f.name)
			continue
		case h.DryRun:
			h.Tell("--- %s", f.name)
			h.diff(f)
			continue
		}
		if now, err := collect.ReadRegular(f.path, hook.MaxSettings); err == nil && !bytes.Equal(now, f.before) {
			return fmt.Errorf("%s has just been changed by another program: call closeout again", f.name)
		}
		var err error
		switch {
		case f.after == nil:
			err = os.Remove(f.path)
		case f.before != nil:
			err = collect.WriteOther("file", f.path, f.after)
		default:
			if err = collect.Create(f.path, f.after); err == nil && f.agent == "git" {
				err = os.Chmod(f.path, 0o755)
			}
		}
		if err != nil {
			return err
		}
		h.Tell("%s", f.wrote())
	}
	if h.DryRun {
		h.Tell("Nothing was written: leave out --dry-run.")
	}
	return nil
}

// wrote says in a line what was written.
func (f *settingsFile) wrote() string {
	s, err := hook.ReadSettings(f.after)
	switch {
	case f.agent == "git" && f.after != nil:
		return "wrote  " + f.name
	case err != nil || len(s.Ours()) == 0:
		return "took out the hooks of closeout: " + f.name
	}
	var events []string
	for _, ours := range s.Ours() {
		events = append(events, ours.Event)
	}
	return "wrote  " + f.name + ": " + strings.Join(slices.Compact(events), ", ")
}

// diff prints the lines that differ.
func (h *Settings) diff(f *settingsFile) {
	d := linediff.Diff(f.before, f.after, linediff.Limits{})
	show := func(sign string, l linediff.Line) {
		h.Tell("%s%5d  %s", sign, l.Number, strings.TrimSuffix(string(l.Text), "\r"))
	}
	for i, j := 0, 0; i < len(d.Removed) || j < len(d.Added); {
		removedFirst := i < len(d.Removed) && (j == len(d.Added) || d.Removed[i].Number+j-i <= d.Added[j].Number)
		if removedFirst {
			show("-", d.Removed[i])
			i++
		} else {
			show("+", d.Added[j])
			j++
		}
	}
}

// deniedTools are the tools that the contracts deny by name.
func deniedTools(f *fence) (list []string) {
	if f != nil && f.Policy != nil {
		for _, p := range f.Policy.Agent.DenyTools {
			list = append(list, p.String())
		}
	}
	return list
}

// tell says what install cannot do.
func (h *Settings) tell(list []*settingsFile, contract error) {
	if contract != nil {
		h.Tell("note: the hooks have no opinion yet: %v", contract)
	}
	var changed []string
	for _, f := range list {
		if f.within == h.root && h.Scopes[0] == "project" && !bytes.Equal(f.before, f.after) {
			changed = append(changed, f.name)
		}
	}
	if len(changed) > 0 && !h.DryRun {
		h.Tell("next:  git add %s && git commit -m 'Add the hooks of closeout'   (a person: they are protected)", strings.Join(changed, " "))
	}
	for _, n := range [][2]string{
		{"gemini", "Gemini CLI warns of the hooks of a project that are new or changed, and a person trusts them"},
		{"codex", "Codex skips new hooks until a person trusts them: open Codex here and call /hooks"},
		{"cursor", "Cursor runs the hooks of a project in a workspace that a person trusts"},
		{"copilot", "the cloud agent of Copilot needs the program from " +
			".github/workflows/copilot-setup-steps.yml, and the file on the default branch"},
	} {
		if slices.Contains(h.Agents, n[0]) {
			h.Tell("note: %s", n[1])
		}
	}
	h.Tell("try:   closeout hook doctor")
}
