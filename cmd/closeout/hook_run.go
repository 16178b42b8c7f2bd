package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/verify/input"
)

const hookRunLong = `hook run answers one call of an agent's hook: the payload comes on standard input, the answer is in the agent's own form.

Before a tool, it denies a write that the contract of the base branch does not allow, joined with that of the item that this
work tree has claimed. After a tool, it tells the agent which files changed that the contract does not allow, and when the agent
repeats itself. At the end, it refuses to end while the item is not proven. At the start, it says what is to be proven.

The installed command says which agent calls, and when (--agent, --event), and the payload cannot say otherwise. In a command
without them, of an older version, the payload says it.

Exit codes are the agent's protocol: 2 denies, 1 denies a commit (git), 0 is everything else, also a wrong call. When closeout itself
fails, the agent goes on, unless --fail closed says otherwise.`

// What --stop and --fail take.
const (
	stopClaimed = "claimed" // hold only the work tree that has claimed an item
	stopAlways  = "always"  // also one without claim, where something changed
	stopOff     = "off"
	failOpen    = "open"
	failClosed  = "closed"
)

// hookFlags are the flags of hook run.
type hookFlags struct{ agent, event, stop, fail string }

func newHookRun(std stdio) *cobra.Command {
	f := &hookFlags{}
	wrong := func(err error) error {
		fmt.Fprintln(std.err, "closeout hook run:", err)
		return exit{0} // 2 would deny
	}
	c := &cobra.Command{
		Use: "run", Short: "Answer one call of an agent's hook", Long: hookRunLong,
		Example: "  closeout hook run < payload.json\n  closeout hook run --agent git",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrong(fmt.Errorf("it takes no word, and found %q", args[0]))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if err := f.check(); err != nil {
				return wrong(err)
			}
			return f.run(std)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.agent, "agent", "", "the `agent` that calls; else the payload says it: "+strings.Join(hook.Agents, ", "))
	flags.StringVar(&f.event, "event", "", "the `event` at which it calls; else the payload says it: "+strings.Join(hook.Events, ", "))
	flags.StringVar(&f.stop, "stop", stopClaimed, "when the agent may not stop: claimed, always or off")
	flags.StringVar(&f.fail, "fail", failOpen, "what happens to a tool when closeout itself fails: open or closed")
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return wrong(err) })
	return c
}

func (f *hookFlags) check() error {
	for _, flag := range []struct {
		name, value string
		allowed     []string
	}{
		{"--agent", f.agent, append([]string{""}, hook.Agents...)}, {"--event", f.event, append([]string{""}, hook.Events...)},
		{"--stop", f.stop, []string{stopClaimed, stopAlways, stopOff}}, {"--fail", f.fail, []string{failOpen, failClosed}},
	} {
		if !slices.Contains(flag.allowed, flag.value) {
			return fmt.Errorf("%s cannot be %q: expected %s", flag.name, flag.value, strings.TrimPrefix(strings.Join(flag.allowed, ", "), ", "))
		}
	}
	return nil
}

// hookRun is one call.
type hookRun struct {
	*hookFlags
	call    *hook.Call
	fences  fences
	line    hook.Line
	log     []hook.Line // of the session, once it is read
	session *fence      // of the work tree that the agent is in; nil when there is none
	began   time.Time
	logged  bool // the line is in the log already
}

// How long an answer may take. An agent that waits in vain is worse than one without a fence.
const (
	hookLimit = 2 * time.Second
	stopLimit = 100 * time.Second
)

// run answers. Whatever happens, it ends in time, with an answer that the agent understands.
func (f *hookFlags) run(std stdio) error {
	call := &hook.Call{Agent: hook.Agent(f.agent), Event: hook.Event(f.event)}
	h := &hookRun{hookFlags: f, fences: fences{}, began: time.Now(), call: call}
	var answer hook.Answer
	err := errors.New("it took too long")
	read, done := make(chan struct{}), make(chan func(), 1)
	go func() {
		a, failed := h.safely(read, std.in)
		done <- func() { answer, err = a, failed }
	}()
	limit := time.After(hookLimit)
	select {
	case <-read:
		if call = h.call; call.Event == hook.Stop {
			limit = time.After(stopLimit)
		}
		select {
		case set := <-done:
			set()
		case <-limit:
		}
	case <-limit: // the call is still being read
	}
	if err != nil {
		answer = f.failed(call, err)
	}
	io.WriteString(bare(std.out), answer.Stdout)
	fmt.Fprint(std.err, answer.Stderr)
	if answer.Exit != 0 {
		return exit{answer.Exit}
	}
	return nil
}

// safely answers; a panic is an error. It tells when the call is read.
func (h *hookRun) safely(read chan struct{}, in io.Reader) (a hook.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	func() {
		defer close(read)
		h.call, err = h.read(in)
	}()
	if err != nil {
		return a, err
	}
	h.line = h.call.Line()
	if a, err = h.answer(); err != nil {
		h.note(hook.AnswerFailed, "", nil)
	}
	if !h.logged {
		_ = h.write() // where the agent is walled off, it cannot be written
	}
	return a, err
}

// write adds the call to the log of the session.
func (h *hookRun) write() error {
	if h.session == nil || h.session.store == nil || h.call.Event == "" || h.call.Session == hook.Trial {
		return errors.New("there is no log")
	}
	h.line.MS = time.Since(h.began).Milliseconds()
	return h.session.store.AddCall(h.call.Session, h.line)
}

// read reads the payload. git has none.
func (h *hookRun) read(in io.Reader) (*hook.Call, error) {
	if h.agent == string(hook.Git) {
		return &hook.Call{Agent: hook.Git, Event: hook.Pre, Session: "git"}, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, hook.MaxPayload+1))
	if err != nil {
		return h.call, err
	}
	call, err := hook.Read(data, hook.Agent(h.agent), hook.Event(h.event)) // also of a part, which may say who calls
	switch {
	case len(data) > hook.MaxPayload:
		err = fmt.Errorf("the payload is larger than %d bytes", hook.MaxPayload)
	case err != nil:
		err = fmt.Errorf("the payload cannot be read: %w", err)
	case call.Event == hook.Pre && call.Tool == "":
		err = errors.New("the payload names no tool")
	}
	return call, err
}

func (h *hookRun) answer() (hook.Answer, error) {
	switch h.call.Event {
	case hook.Pre:
		return h.pre()
	case hook.Post:
		return h.post()
	case hook.Stop:
		return h.end()
	case hook.Start:
		return h.start()
	}
	return h.call.Silent(), nil
}

// failed is the answer when closeout itself fails.
func (f *hookFlags) failed(call *hook.Call, err error) hook.Answer {
	why := strings.ReplaceAll(input.Reason(err).Error(), "\n", "; ")
	switch {
	case errors.Is(err, hook.ErrDeep) && call.Event == hook.Pre: // the model made it so
		return call.Deny("closeout: " + hook.CodePayload + ": the arguments are nested too deeply to be read → call the tool with plain arguments")
	case call.Event == hook.Pre && f.fail == failClosed:
		return call.Deny("closeout cannot judge: " + why)
	case call.Event == hook.Stop:
		return call.Pass("closeout could not judge, so nothing is proven: " + why)
	}
	return hook.Answer{Stderr: "closeout hook run: " + why + "\n"}
}

// note keeps what was answered, for the log.
func (h *hookRun) note(answer, code string, paths []string) {
	h.line.Answer, h.line.Code, h.line.Paths = answer, code, paths[:min(len(paths), hook.MaxPaths)]
}

// errNoRepository says that the agent works in no repository.
var errNoRepository = errors.New("this is not in a git repository")

// open finds the work tree that the agent works in: that of the project, or another one of the same repository where the agent's
// working directory is; a repository elsewhere only where the project has none.
func (h *hookRun) open() (*fence, error) {
	err := errNoRepository
	for _, dir := range append([]string{os.Getenv("CLAUDE_PROJECT_DIR")}, h.dirs()...) {
		if dir == "" {
			continue
		}
		f, _, _, failed := h.fences.above(dir)
		if err = worse(err, failed); f != nil && (h.session == nil || h.session.beside(f)) {
			h.session = f
		}
	}
	if h.session != nil {
		return h.session, nil
	}
	return nil, err
}

// dirs are the directories that relative paths may start from.
func (h *hookRun) dirs() []string {
	list := append([]string{}, h.call.Dirs...)
	if len(list) == 0 {
		list = append(list, ".")
	}
	for i := range list {
		if absolute, err := filepath.Abs(list[i]); err == nil {
			list[i] = absolute
		}
	}
	return list
}

// past is the log of the session.
func (h *hookRun) past() []hook.Line {
	if h.log == nil && h.session != nil && h.session.store != nil {
		h.log = h.session.store.Calls(h.call.Session)
	}
	return h.log
}
