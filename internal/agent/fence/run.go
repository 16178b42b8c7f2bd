package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/verify/input"
)

// What --stop and --fail take.
const (
	StopClaimed = "claimed" // hold only the work tree that has claimed an item
	StopAlways  = "always"  // also one without claim, where something changed
	StopOff     = "off"
	FailOpen    = "open"
	FailClosed  = "closed"
)

// Flags are the flags of `hook run`.
type Flags struct{ Agent, Event, Stop, Fail string }

// Check refuses a value that there is not.
func (f *Flags) Check() error {
	for _, flag := range []struct {
		name, value string
		allowed     []string
	}{
		{"--agent", f.Agent, append([]string{""}, hook.Agents...)},
		{"--event", f.Event, append([]string{""}, hook.Events...)},
		{"--stop", f.Stop, []string{StopClaimed, StopAlways, StopOff}},
		{"--fail", f.Fail, []string{FailOpen, FailClosed}},
	} {
		if !slices.Contains(flag.allowed, flag.value) {
			allowed := strings.TrimPrefix(strings.Join(flag.allowed, ", "), ", ")
			return fmt.Errorf("%s cannot be %q: expected %s", flag.name, flag.value, allowed)
		}
	}
	return nil
}

// hookRun is one call.
type hookRun struct {
	*Flags
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

// Run answers. Whatever happens, it ends in time, with an answer that the agent understands.
func (f *Flags) Run(in io.Reader) hook.Answer {
	call := &hook.Call{Agent: hook.Agent(f.Agent), Event: hook.Event(f.Event)}
	h := &hookRun{Flags: f, fences: fences{map[string]opened{}}, began: time.Now(), call: call}
	var answer hook.Answer
	err := errors.New("it took too long")
	read, done := make(chan struct{}), make(chan func(), 1)
	go func() {
		a, failed := h.safely(read, in)
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
		return f.failed(call, err)
	}
	return answer
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
	if h.session.claim != nil {
		h.session.store.Beat(session.Key(h.session.Root))
	}
	h.line.MS = time.Since(h.began).Milliseconds()
	return h.session.store.AddCall(h.call.Session, h.line)
}

// read reads the payload. git has none.
func (h *hookRun) read(in io.Reader) (*hook.Call, error) {
	if h.Agent == string(hook.Git) {
		return &hook.Call{Agent: hook.Git, Event: hook.Pre, Session: "git"}, nil
	}
	data, err := io.ReadAll(io.LimitReader(in, hook.MaxPayload+1))
	if err != nil {
		return h.call, err
	}
	call, err := hook.Read(data, hook.Agent(h.Agent), hook.Event(h.Event)) // also of a part, which may say who calls
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
func (f *Flags) failed(call *hook.Call, err error) hook.Answer {
	why := strings.ReplaceAll(input.Reason(err).Error(), "\n", "; ")
	switch {
	case errors.Is(err, hook.ErrDeep) && call.Event == hook.Pre: // the model made it so
		return call.Deny("closeout: " + hook.CodePayload + ": the arguments are nested too deeply to be read → " +
			"call the tool with plain arguments")
	case call.Event == hook.Pre && f.Fail == FailClosed:
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
		f, _, _, failed := h.fences.enclosing(dir)
		if err = worseOf(err, failed); f != nil && (h.session == nil || h.session.sameRepository(f)) {
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
