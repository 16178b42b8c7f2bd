package main

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

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git/linediff"
	"github.com/closeout-gate/closeout/verify/input"
)

const hookInstallLong = `hook install writes the hooks into the settings of agents: claude, codex, copilot, or the pre-commit hook of git.

Without --agent it takes the agents whose directory exists: .claude, .codex, .github/hooks. It prints what changes. What others
wrote stays byte for byte; a file that cannot be edited so is refused, and then nothing is written. A second call changes nothing.

Exit codes: 0 the hooks are there; 2 wrong call or environment.`

const hookRemoveLong = `hook remove takes the hooks out of the settings again. What others wrote stays, and a file that install made is deleted.

Without --agent and --scope it looks into all settings of this repository.

Exit codes: 0 no hook is left; 2 wrong call or environment.`

var (
	scopes     = []string{"project", "local", "user"}
	agentsHelp = "an `agent`, several times: " + strings.Join(hook.Agents, ", ")
)

// hookSettings are the settings of the agents here.
type hookSettings struct {
	root, common   string // of the work tree and of git; "" outside of a repository
	agents, scopes []string
	choice         hook.Choice
	dryRun         bool
	out            func(format string, args ...any)
}

// settingsFile is a file that an agent reads its hooks from.
type settingsFile struct {
	agent, name, path string
	within            string // the directory that it may not leave
	before, after     []byte // nil where there is none
}

func newHookInstall(std stdio) *cobra.Command {
	h := newHookSettings(std)
	c := &cobra.Command{
		Use: "install", Short: "Write the hooks into the settings of agents", Long: hookInstallLong, Args: noWords(""),
		Example: "  closeout hook install --dry-run\n  closeout hook install --agent claude --scope local",
	}
	flags := c.Flags()
	flags.StringArrayVar(&h.agents, "agent", nil, agentsHelp)
	scope := flags.String("scope", "project", "whose settings: project (committed), local (only here, Claude Code alone) or user")
	flags.StringVar(&h.choice.Stop, "stop", stopClaimed, "when the agent may not stop: claimed, always or off")
	flags.StringVar(&h.choice.Fail, "fail", failOpen, "what happens to a tool when closeout itself fails: open or closed")
	flags.BoolVar(&h.dryRun, "dry-run", false, "print what would change, and write nothing")
	c.RunE = func(*cobra.Command, []string) error { return h.install(*scope) }
	return c
}

func newHookRemove(std stdio) *cobra.Command {
	h := newHookSettings(std)
	c := &cobra.Command{
		Use: "remove", Short: "Take the hooks out of the settings of agents", Long: hookRemoveLong, Args: noWords(""),
		RunE: func(*cobra.Command, []string) error { return h.remove() },
	}
	c.Flags().StringArrayVar(&h.agents, "agent", hook.Agents, agentsHelp)
	c.Flags().StringArrayVar(&h.scopes, "scope", scopes[:2], "whose settings, several times: project, local or user")
	return c
}

func newHookSettings(std stdio) *hookSettings {
	return &hookSettings{out: func(format string, args ...any) { fmt.Fprintf(std.out, format+"\n", args...) }}
}

// open checks the flags and finds the repository.
func (h *hookSettings) open() error {
	f := hookFlags{stop: cmp.Or(h.choice.Stop, stopClaimed), fail: cmp.Or(h.choice.Fail, failOpen)}
	for _, f.agent = range append(h.agents, "") {
		if err := f.check(); err != nil {
			return err
		}
	}
	for _, scope := range h.scopes {
		if !slices.Contains(scopes, scope) {
			return fmt.Errorf("--scope cannot be %q: expected %s", scope, strings.Join(scopes, ", "))
		}
	}
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		if slices.Equal(h.scopes, scopes[2:]) {
			return nil // it is not needed
		}
		return err
	}
	if h.root, h.common = git.Root(), git.CommonDir(); h.root == "" {
		err = errors.New("this repository is bare, and agents work in a work tree: call closeout there")
	}
	return errors.Join(err, git.Close())
}

// file is where an agent looks; nil where there is no such scope.
func (h *hookSettings) file(agent, scope string) *settingsFile {
	f := &settingsFile{agent: agent, within: h.root, name: map[string]string{
		"claude project": ".claude/settings.json", "claude local": ".claude/settings.local.json", "claude user": "settings.json",
		"codex project": ".codex/hooks.json", "codex user": "hooks.json", "copilot project": ".github/hooks/closeout.json",
		"copilot user": "hooks/closeout.json", "git project": "hooks/pre-commit",
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

// read reads a file, wherever a symlink leads inside of the repository or the directory of the agent.
func (f *settingsFile) read() (err error) {
	if f.path = followed(f.path); !inside(f.within, f.path) {
		return fmt.Errorf("%s leads to %q, outside of %q: replace the symlink by a file", f.name, f.path, f.within)
	}
	if f.before, err = collect.ReadRegular(f.path, hook.MaxSettings); errors.Is(err, fs.ErrNotExist) {
		return nil // not even its directory
	}
	return err
}

// edit reads the files of all agents and scopes, and changes them in memory.
func (h *hookSettings) edit(change func(*settingsFile) ([]byte, *input.Error)) (list []*settingsFile, err error) {
	for _, agent := range h.agents {
		for _, scope := range h.scopes {
			f := h.file(agent, scope)
			if f == nil {
				continue
			}
			if err := f.read(); err != nil {
				return nil, err
			}
			var e *input.Error
			if f.after, e = change(f); e != nil {
				return nil, fmt.Errorf("%s:%d:%d: %s: found %s, expected %s; %s; nothing was changed", f.name, e.Pos.Line, e.Pos.Column, e.Message, e.Found, e.Expected, e.Fix)
			}
			list = append(list, f)
		}
	}
	return list, nil
}

func (h *hookSettings) install(scope string) error {
	h.scopes = []string{scope}
	if err := h.open(); err != nil {
		return err
	}
	if len(h.agents) == 0 {
		for _, agent := range hook.Agents[:3] {
			if f := h.file(agent, scope); f != nil && isDirectory(filepath.Dir(f.path)) {
				h.agents = append(h.agents, agent)
			}
		}
	}
	if len(h.agents) == 0 {
		return fmt.Errorf("no directory of an agent is here (.claude, .codex, .github/hooks): name the agent with --agent %s", strings.Join(hook.Agents, ", --agent "))
	}
	for _, agent := range h.agents {
		if h.file(agent, scope) == nil {
			return fmt.Errorf("%s has no hooks of scope %s here: leave out --agent %s, or choose another scope", agent, scope, agent)
		}
	}
	f, failed := openFence(cmp.Or(h.root, "."))
	h.choice.AllTools = failed == nil && len(deniedTools(f)) > 0
	list, err := h.edit(func(f *settingsFile) ([]byte, *input.Error) {
		if f.agent == "git" {
			return h.preCommit(f), nil
		}
		return hook.Install(f.before, hook.Entries(f.agent, h.choice))
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
func (h *hookSettings) preCommit(f *settingsFile) []byte {
	_, ours := hook.CallsUs(f.before)
	if why := elsewhere(h.root, h.common); why != "" || f.before != nil && !ours {
		h.out("left   %s %s; add this line to the hook that runs:\n  ! command -v closeout >/dev/null 2>&1 || closeout hook run --agent git || exit 1", f.name, cmp.Or(why, "is not ours"))
		return f.before
	}
	return hook.PreCommit(h.choice)
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
	if err == nil && followed(at) == followed(filepath.Join(common, "hooks")) {
		return ""
	}
	return "is not run: core.hooksPath is " + input.Quote(at) // as with husky
}

func (h *hookSettings) remove() error {
	if err := h.open(); err != nil {
		return err
	}
	list, err := h.edit(func(f *settingsFile) ([]byte, *input.Error) {
		switch calls, ours := hook.CallsUs(f.before); {
		case f.agent != "git":
			return hook.Remove(f.before, f.agent == "copilot")
		case ours:
			return nil, nil
		case calls:
			h.out("left   %s: a person added the line with closeout, and removes it", f.name)
		}
		return f.before, nil
	})
	if err != nil {
		return err
	}
	return h.write(slices.DeleteFunc(list, func(f *settingsFile) bool { return f.before == nil }))
}

// write shows what changes, and writes it.
func (h *hookSettings) write(list []*settingsFile) error {
	for _, f := range list {
		if bytes.Equal(f.before, f.after) {
			h.out("kept   %s (nothing to change)", f.name)
			continue
		}
		h.out("--- %s", f.name)
		h.diff(f)
		if h.dryRun {
			continue
		}
		if now, err := collect.ReadRegular(f.path, hook.MaxSettings); err == nil && !bytes.Equal(now, f.before) {
			return fmt.Errorf("%s has just been changed by another program: call closeout again", f.name)
		}
		if err := f.write(); err != nil {
			return err
		}
	}
	if h.dryRun {
		h.out("Nothing was written: leave out --dry-run.")
	}
	return nil
}

func (f *settingsFile) write() error {
	switch {
	case f.after == nil:
		return os.Remove(f.path)
	case f.before != nil:
		return collect.WriteOther("file", f.path, f.after)
	}
	err := collect.Create(f.path, f.after)
	if err == nil && f.agent == "git" {
		err = os.Chmod(f.path, 0o755)
	}
	return err
}

// diff prints the lines that differ.
func (h *hookSettings) diff(f *settingsFile) {
	d := linediff.Diff(f.before, f.after, linediff.Limits{})
	show := func(sign string, l linediff.Line) {
		h.out("%s%5d  %s", sign, l.Number, strings.TrimSuffix(string(l.Text), "\r"))
	}
	for i, j := 0, 0; i < len(d.Removed) || j < len(d.Added); {
		if j == len(d.Added) || i < len(d.Removed) && d.Removed[i].Number+j-i <= d.Added[j].Number {
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
func (h *hookSettings) tell(list []*settingsFile, contract error) {
	if contract != nil {
		h.out("note: the hooks have no opinion yet: %v", contract)
	}
	var changed []string
	for _, f := range list {
		if f.within == h.root && h.scopes[0] == "project" && !bytes.Equal(f.before, f.after) {
			changed = append(changed, f.name)
		}
	}
	if len(changed) > 0 && !h.dryRun {
		h.out("note: settings of a project are protected files: the gate blocks an agent's change of them. Commit them before an agent works here:\n" +
			"  git add " + strings.Join(changed, " ") + " && git commit -m 'Add the hooks of closeout'")
	}
	for _, n := range [][2]string{
		{"claude", "Copilot CLI reads .claude/settings.json too; install for copilot as well where it is used"},
		{"codex", "Codex skips new hooks until a person trusts them: open Codex here and call /hooks"},
		{"copilot", "the cloud agent of Copilot needs the program from .github/workflows/copilot-setup-steps.yml, and the file on the default branch"},
	} {
		if slices.Contains(h.agents, n[0]) {
			h.out("note: %s", n[1])
		}
	}
	h.out("Try it:  closeout hook doctor")
}
