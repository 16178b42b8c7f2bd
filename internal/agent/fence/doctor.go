package fence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/change"
)

// doctor looks at the hooks that are installed.
type doctor struct {
	*Settings
	fence   *fence
	allowed string // a file that an agent may write; "" when none is known
	dead    int
	broken  [][3]string // what is wrong with the settings of an agent
}

// Doctor looks at the hooks that are installed, and tells what it finds; it counts the fences that are dead.
func (h *Settings) Doctor() (dead int, err error) {
	d := &doctor{Settings: h}
	if err := d.open(); err != nil {
		return 0, err
	}
	if d.fence, err = openFence(d.root); err != nil {
		d.bury("the repository", err.Error(), "without a contract no hook has an opinion: closeout init")
	} else {
		head, err := d.fence.Git.Resolve("HEAD")
		var files []change.Change
		if err == nil {
			files, err = d.fence.Git.Tracked(head)
		}
		if err != nil {
			return 0, err
		}
		for _, f := range files {
			if r, err := d.fence.rule(f.Path, change.Regular); r == nil && err == nil {
				d.allowed = f.Path
				break
			}
		}
	}
	found := 0
	for _, agent := range hook.Agents {
		if len(d.Agents) == 0 || slices.Contains(d.Agents, agent) {
			found += d.examine(agent)
		}
	}
	if found == 0 {
		d.bury("hooks", "none is installed", "closeout hook install")
	}
	return d.dead, nil
}

// bury reports a dead fence.
func (d *doctor) bury(where, why, fix string) {
	d.dead++
	d.Tell("dead  %s: %s → %s", where, why, fix)
}

// note keeps what is wrong with a settings file, in case it matters.
func (d *doctor) note(where, why, fix string) {
	d.broken = append(d.broken, [3]string{where, why, fix})
}

// installed is an entry, and the file that it is in.
type installed struct {
	hook.Hook
	where string
}

// examine looks at the hooks of one agent, and counts them.
func (d *doctor) examine(agent string) int {
	if agent == "git" {
		return d.examineGit()
	}
	list := d.find(agent)
	if len(list) == 0 && len(d.Agents) == 0 {
		return 0
	}
	for _, f := range d.broken {
		d.bury(f[0], f[1], f[2])
	}
	if len(list) == 0 {
		d.bury(agent, "no hook is installed", "closeout hook install --agent "+agent)
		return 0
	}
	standard := hook.Entries(agent, hook.Choice{})
	missed := hook.Uncovered(agent, "^$", deniedTools(d.fence))
	for _, h := range list {
		at := slices.IndexFunc(standard, func(e hook.Entry) bool { return e.Event == h.Event && e.Flat == h.Flat })
		if why, fix := d.wrong(agent, h, at >= 0); why != "" {
			d.bury(h.where, why, fix)
			continue
		}
		if h.Flag("--agent") == "" || h.Flag("--event") == "" {
			d.Tell("note  %s: it is of an older version, and lets the payload say which agent calls, and when → "+
				"closeout hook install --agent %s", h.where, agent)
		}
		if at == 0 {
			open := hook.Uncovered(agent, h.Matcher, deniedTools(d.fence))
			missed = slices.DeleteFunc(missed, func(tool string) bool { return !slices.Contains(open, tool) })
			d.drive(agent, h)
		}
	}
	if len(missed) > 0 {
		why := "no hook at " + standard[0].Event + " sees the tools " + strings.Join(missed, ", ")
		d.bury(agent, why, "closeout hook install --agent "+agent)
	}
	for _, e := range standard[1:] {
		if !slices.ContainsFunc(list, func(h installed) bool { return h.Event == e.Event }) {
			d.Tell("note  %s: no hook at %s", agent, e.Event)
		}
	}
	if agent == "codex" {
		d.Tell("note  codex: whether a person has trusted the hooks cannot be asked, nor whether " +
			"config.toml switches them off: open Codex here and look at /hooks")
	}
	return len(list)
}

// find finds the hooks of an agent, and what is wrong with its settings.
func (d *doctor) find(agent string) (list []installed) {
	d.broken = nil
	for _, scope := range Scopes {
		if f := d.file(agent, scope); f != nil {
			list = append(list, d.settings(f)...)
		}
	}
	if agent == "copilot" {
		for _, name := range []string{".github/copilot/settings.json", ".github/copilot/settings.local.json"} {
			path := filepath.Join(d.root, filepath.FromSlash(name))
			d.settings(&settingsFile{agent: agent, name: name, within: d.root, path: path})
		}
	}
	return list
}

// wrong says what is wrong with a hook that stands where the agent asks, or not; "" for nothing.
func (d *doctor) wrong(agent string, h installed, asked bool) (why, fix string) {
	fix = "closeout hook install --agent " + agent
	if seconds, err := strconv.ParseFloat(cmp.Or(h.Timeout, "1"), 64); err != nil || seconds <= 0 {
		return "its timeout is " + h.Timeout + ", so its answer comes too late", fix
	}
	event := hook.EventOf(h.Event)
	switch form, when := h.Flag("--agent"), h.Flag("--event"); {
	case asked && form != "" && form != agent:
		return "it answers in the form of " + form, fix
	case asked && when != "" && when != string(event):
		return "at " + h.Event + " it answers as at " + when, fix
	case !asked:
		return "at " + h.Event + " " + agent + " does not ask closeout so", fix
	case h.Shell == "":
		return "Copilot CLI and old versions of Claude Code call it without its arguments", fix
	}
	return d.program(h.Argv[0])
}

// settings reads a settings file.
func (d *doctor) settings(f *settingsFile) (list []installed) {
	if err := f.read(); err != nil || f.before == nil {
		if err != nil {
			d.note(f.name, err.Error(), "replace it by a regular file")
		}
		return nil
	}
	s, e := hook.ReadSettings(f.before)
	if e != nil {
		d.note(fmt.Sprintf("%s:%d:%d", f.name, e.Pos.Line, e.Pos.Column), e.Message+": "+e.Found, e.Fix)
		return nil
	}
	if at, off := s.True("disableAllHooks"); off {
		d.note(fmt.Sprintf("%s:%d:%d", f.name, at.Line, at.Column), "disableAllHooks switches all hooks off", "take it out")
	}
	for _, h := range s.Ours() {
		list = append(list, installed{h, fmt.Sprintf("%s:%d:%d", f.name, h.Pos.Line, h.Pos.Column)})
	}
	if len(list) > 0 && !s.Plain {
		why := "it has comments or commas at the end, and " + f.agent + " reads plain JSON: it ignores the file"
		d.note(f.name, why, "take them out")
	}
	return list
}

// program says what is wrong with the program of a hook.
func (d *doctor) program(name string) (why, fix string) {
	name = os.Expand(name, func(variable string) string { // as the shell does
		if variable == "CLAUDE_PROJECT_DIR" {
			return d.root
		}
		return os.Getenv(variable)
	})
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(d.root, name)
	}
	path, err := exec.LookPath(name)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return name + " is not found: " + err.Error(), "install closeout in a directory of PATH"
	}
	switch path, err = filepath.Abs(path); {
	case err != nil:
		return err.Error(), "call doctor in another directory"
	case session.Inside(d.root, session.Followed(path)):
		return path + " lies in the work tree, where the agent can replace it", "install closeout outside of it"
	}
	return "", ""
}

// maxProbe is how long a hook may take.
const maxProbe = 10 * time.Second

// drive calls the hook as the agent does: it must deny one path, and say nothing about another.
func (d *doctor) drive(agent string, h installed) {
	denied, output, err := d.call(agent, h, ".git/config")
	if err == nil && !denied {
		err = errors.New("it does not deny a write to .git/config")
	}
	if err == nil && d.allowed != "" {
		denied, output, err = d.call(agent, h, d.allowed)
		if silent := output == "" || output == "{}"; err == nil && (denied || !silent) {
			err = fmt.Errorf("it is not silent about %q, which is allowed", d.allowed)
		}
	}
	if err != nil {
		first, _, _ := strings.Cut(output, "\n")
		d.bury(h.where, err.Error()+": "+cmp.Or(first[:min(len(first), 300)], "it said nothing"),
			"see what closeout version says, and closeout hook install --agent "+agent)
		return
	}
	silent := cmp.Or(d.allowed, "nothing, since no tracked file is allowed")
	d.Tell("ok    %s: denies .git/config, is silent about %s", h.where, silent)
}

// call sends one payload, and reads the answer.
func (d *doctor) call(agent string, h installed, path string) (denied bool, output string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxProbe)
	defer cancel()
	argv := h.Argv
	if h.Shell != "" {
		argv = []string{"sh", "-c", h.Shell}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = d.root, append(os.Environ(), "CLAUDE_PROJECT_DIR="+d.root)
	cmd.Stdin = strings.NewReader(hook.Probe(agent, d.root, filepath.Join(d.root, filepath.FromSlash(path))))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	output = strings.TrimSpace(out.String() + errs.String())
	if exited := (*exec.ExitError)(nil); errors.As(err, &exited) && ctx.Err() == nil {
		denied, err = exited.ExitCode() == 2 && strings.Contains(output, "closeout: "), nil
	}
	return denied && (agent != "copilot" || strings.Contains(out.String(), `"deny"`)), output, err
}

// examineGit looks at git's hook, which has no payload to try.
func (d *doctor) examineGit() int {
	f := d.file("git", "project")
	err := f.read()
	calls, _ := hook.CallsUs(f.before)
	if err != nil || !calls {
		if len(d.Agents) > 0 {
			d.bury(f.name, "it does not call closeout", "closeout hook install --agent git")
		}
		return 0
	}
	info, err := os.Stat(f.path)
	why, fix := d.program("closeout")
	switch {
	case err == nil && info.Mode()&0o111 == 0:
		d.bury(f.name, "it is not executable, so git skips it", "chmod +x "+f.path)
	case elsewhere(d.root, d.common) != "":
		d.bury(f.name, "it "+elsewhere(d.root, d.common), "call closeout from the hook that runs")
	case why != "":
		d.bury(f.name, why, fix)
	default:
		d.Tell("ok    %s calls closeout; git commit --no-verify passes it", f.name)
	}
	return 1
}
