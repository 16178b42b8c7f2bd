package loop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/record"
)

// work is a plan in memory. A verdict is the words that the agent left in code: "1:a,b" is code tree and findings, "1:" passes,
// "?" is review, "!" is uncommitted, "#" is an error.
type work struct {
	t      *testing.T
	dir    string
	plan   item.Plan
	events []item.Event
	code   string
	judged int
	calls  int
	crash  int // the call that fails, and all after it; 0 for none
	busy   int // how often another work tree submits first
}

var errCrash = errors.New("killed")

func (w *work) Beat() {}

func (w *work) Waiting() []string { return nil }

func (w *work) crashes() error {
	w.calls++
	if w.crash > 0 && w.calls >= w.crash {
		return errCrash
	}
	return nil
}

func (w *work) State() (*item.State, error) {
	s := item.NewState(&w.plan)
	for i := range w.events {
		if err := s.Add(&w.events[i], nil); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (w *work) Append(e item.Event) error {
	if err := w.crashes(); err != nil {
		return err
	}
	e.N = int64(len(w.events) + 1)
	w.events = append(w.events, e)
	_, err := w.State()
	return err
}

func (w *work) Next(id string) (*item.Handout, error) {
	s, err := w.State()
	if err != nil {
		return nil, err
	}
	for _, it := range s.Items {
		if it.State == item.Todo && (id == "" || id == it.ID) {
			if it.Worktree == "" {
				err = w.Append(item.Event{Event: item.EventClaimed, Item: it.ID, Worktree: "w", Start: "s"})
			}
			return &item.Handout{Item: it.ID, Try: it.Tries + 1, Of: it.MaxAttempts, Nudge: it.Nudge()}, err
		}
	}
	return nil, nil
}

func (w *work) Prompt(h *item.Handout) string {
	return fmt.Sprintf("%s %d of %d %s", h.Item, h.Try, h.Of, h.Nudge)
}

func (w *work) Commit(string) error {
	w.code = strings.TrimPrefix(w.code, "!")
	return nil
}

func (w *work) TryDir(string) (string, error) {
	dir := filepath.Join(w.dir, fmt.Sprint(w.judged+1))
	return dir, os.MkdirAll(dir, 0o700)
}

func (w *work) Submit(id string, since int64, attempts int) (*item.Standing, []item.Fact, error) {
	if err := w.crashes(); err != nil {
		return nil, nil, err
	}
	if w.busy > 0 {
		w.busy--
		return nil, nil, session.ErrLocked
	}
	switch {
	case w.code == "#":
		return nil, nil, errors.New("there is no repository any more")
	case strings.HasPrefix(w.code, "!"):
		return nil, []item.Fact{{Message: "files are uncommitted", Actual: "a.go", Fix: "commit"}}, nil
	}
	s, err := w.State()
	if err != nil {
		return nil, nil, err
	}
	it := s.Find(id)
	tree, open, _ := strings.Cut(w.code, ":")
	e := item.Event{Event: item.EventJudged, Item: id, Try: it.Tries + 1, Tree: tree, Verdict: "failed", Open: strings.Split(open, ",")}
	switch {
	case tree == "?":
		e.Verdict = "review"
	case open == "":
		e.Verdict, e.Open = "passed", nil
	}
	e.Code, e.Reason = it.Stuck(e, attempts)
	e.Outcome = item.After(e, it.Tries, it.MaxAttempts)
	if err := w.Append(e); err != nil {
		return nil, nil, err
	}
	w.judged++
	s, err = w.State()
	return s.Find(id), nil, err
}

// run is what one call of the command does.
type run struct {
	code, out string
	outcome   record.Outcome
	err       error
	wait      bool // until it is asked to end
}

// play is a loop over work with a command that does one thing after the other, and the last one ever after.
type play struct {
	*Loop
	work  *work
	runs  []run
	ran   []*record.Process
	told  []string
	clock time.Time
}

func newPlay(t *testing.T, items int, runs ...run) *play {
	w := &work{t: t, dir: t.TempDir(), code: "0:z"}
	for i := range items {
		w.plan.Items = append(w.plan.Items, item.Item{ID: fmt.Sprintf("T-%d", i+1), MaxAttempts: 3})
	}
	p := &play{work: w, runs: runs, clock: time.Unix(0, 0)}
	p.Loop = &Loop{
		Work: w, Root: "/", Path: "/agent", Argv: []string{"agent"}, Deadline: time.Hour, Timeout: time.Minute, StopFile: filepath.Join(w.dir, "stop"),
		Signals: make(chan os.Signal, 1), Tell: func(text string) { p.told = append(p.told, text) }, Now: func() time.Time { return p.clock },
		After: func(time.Duration) <-chan time.Time { return nil },
	}
	p.Start = p.start
	return p
}

func (p *play) start(process *record.Process) (*record.Outcome, error) {
	r := p.runs[min(len(p.ran), len(p.runs)-1)]
	p.ran = append(p.ran, process)
	if r.err != nil {
		return nil, r.err
	}
	io.WriteString(process.Stdout, r.out)
	if r.code != "" {
		p.work.code = r.code
	}
	if r.wait {
		r.outcome.Signal = (<-process.Signals).(syscall.Signal)
	}
	if r.outcome.Status == 0 {
		zero := 0
		r.outcome.Exit = &zero
	}
	return &r.outcome, nil
}

// prompt is what a call of the command got on its standard input.
func (p *play) prompt(i int) string {
	data, err := os.ReadFile(p.ran[i].Stdin.Name())
	if err != nil {
		p.work.t.Fatal(err)
	}
	return string(data)
}

// shape is the events in short, without the claims.
func (w *work) shape() string {
	var list []string
	for _, e := range w.events {
		switch e.Event {
		case item.EventAttempt:
			list = append(list, fmt.Sprint("try", e.Try))
		case item.EventEnded:
			list = append(list, "end")
		case item.EventJudged:
			list = append(list, strings.TrimSuffix(string(e.Outcome)+":"+e.Code, ":"))
		case item.EventStopped:
			list = append(list, "stop:"+e.Code)
		}
	}
	return strings.Join(list, " ")
}

func TestLoop(t *testing.T) {
	budget := int64(100)
	cost := func(p *play) { p.Budget, p.Costs = &budget, []Cost{{pointer: []string{"c"}}} }
	const forty, broken = `{"c":0.00004}`, `{"c":}`
	for name, c := range map[string]struct {
		items int
		runs  []run
		set   func(*play)
		want  string
	}{
		"passes":             {1, []run{{code: "1:"}}, nil, "try1 end PASS stop:done"},
		"second try":         {1, []run{{code: "1:a"}, {code: "2:"}}, nil, "try1 end TODO try2 end PASS stop:done"},
		"two items":          {2, []run{{code: "1:"}}, nil, "try1 end PASS try1 end PASS stop:done"},
		"one task":           {2, []run{{code: "1:"}}, func(p *play) { p.Task = "T-2" }, "try1 end PASS stop:done"},
		"tries":              {1, []run{{code: "1:a"}, {code: "2:b"}, {code: "3:c"}}, nil, "try1 end TODO try2 end TODO try3 end STUCK:tries stop:done"},
		"fewer attempts":     {1, []run{{code: "1:a"}, {code: "2:b"}}, func(p *play) { p.Attempts = 2 }, "try1 end TODO try2 end STUCK:tries stop:done"},
		"more attempts":      {1, []run{{code: "1:a"}, {code: "2:b"}, {code: "3:c"}}, func(p *play) { p.Attempts = 9 }, "try1 end TODO try2 end TODO try3 end STUCK:tries stop:done"},
		"stall":              {1, []run{{code: "1:a"}}, nil, "try1 end TODO try2 end TODO try3 end STUCK:same_tree stop:done"},
		"stuck, next":        {2, []run{{code: "1:a"}, {code: "2:"}}, func(p *play) { p.Attempts = 1 }, "try1 end STUCK:tries try1 end PASS stop:done"},
		"stop on stuck":      {2, []run{{code: "1:a"}}, func(p *play) { p.Attempts, p.StopOnStuck = 1, true }, "try1 end STUCK:tries stop:stuck"},
		"review, next":       {2, []run{{code: "?"}, {code: "2:"}}, nil, "try1 end REVIEW try1 end PASS stop:done"},
		"budget":             {1, []run{{code: "1:a", out: forty}, {code: "2:b", out: `{"c":0.00006}`}}, cost, "try1 end TODO try2 end TODO stop:budget"},
		"within the budget":  {1, []run{{code: "1:", out: forty}}, cost, "try1 end PASS stop:done"},
		"over the budget":    {2, []run{{code: "1:", out: `{"c":1}`}}, cost, "try1 end PASS stop:budget"},
		"no cost":            {1, []run{{code: "1:"}}, cost, "try1 end PASS stop:cost_unread"},
		"broken cost":        {1, []run{{code: "1:", out: broken}}, cost, "try1 end PASS stop:cost_unread"},
		"killed, budget":     {1, []run{{code: "1:a", out: forty, outcome: record.Outcome{Status: 139}}}, cost, "try1 end TODO stop:cost_unread"},
		"killed, no budget":  {1, []run{{code: "1:", outcome: record.Outcome{Status: 139}}}, nil, "try1 end PASS stop:done"},
		"timeout":            {1, []run{{code: "1:", outcome: record.Outcome{Status: 124, TimedOut: true}}}, nil, "try1 end PASS stop:done"},
		"timeout, budget":    {1, []run{{code: "1:a", outcome: record.Outcome{Status: 124, TimedOut: true}}}, cost, "try1 end TODO stop:cost_unread"},
		"broken, no budget":  {1, []run{{code: "1:", out: broken}}, func(p *play) { cost(p); p.Budget = nil }, "try1 end PASS stop:done"},
		"deadline":           {1, []run{{code: "1:a"}}, func(p *play) { p.Deadline = 0 }, "stop:deadline"},
		"stop file":          {1, []run{{code: "1:a"}}, func(p *play) { os.WriteFile(p.StopFile, nil, 0o600) }, "stop:stop_file"},
		"not started":        {1, []run{{err: syscall.ENOEXEC}}, cost, "try1 end stop:not_started"},
		"cannot be ended":    {1, []run{{code: "1:", outcome: record.Outcome{Left: errors.New("processes are still alive")}}}, nil, "try1 end stop:left_running"},
		"uncommitted":        {1, []run{{code: "!1:"}}, nil, "try1 end try1 end try1 end stop:unjudged"},
		"uncommitted, once":  {1, []run{{code: "!1:"}, {code: "1:"}}, nil, "try1 end try1 end PASS stop:done"},
		"error":              {1, []run{{code: "#"}}, nil, "try1 end stop:failed"},
		"after uncommitted":  {1, []run{{code: "!1:"}, {code: "1:a"}, {code: "!2:"}}, nil, "try1 end try1 end TODO try2 end try2 end stop:unjudged"},
		"committed for it":   {1, []run{{code: "!1:"}}, func(p *play) { p.Commit = true }, "try1 end PASS stop:done"},
		"nothing to be done": {0, nil, nil, "stop:done"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t, c.items, c.runs...)
			if c.set != nil {
				c.set(p)
			}
			code, err := p.Run()
			if got := p.work.shape(); got != c.want || !strings.HasSuffix(got, "stop:"+code) || err != nil {
				t.Errorf("%s, %v: %s\nwant %s", code, err, got, c.want)
			}
			if last := p.told[len(p.told)-1]; !strings.HasPrefix(last, "stopped (loop."+code+"): ") || len(last) < len(code)+25 {
				t.Errorf("told %q", last)
			}
		})
	}
}

// TestExplained wants a page about every end.
func TestExplained(t *testing.T) {
	names, _ := item.Codes()
	for _, code := range []string{
		CodeDone, CodeBudget, CodeCost, CodeDeadline, CodeStopFile, CodeSignal, CodeStuck, CodeUnjudged, CodeLeft, CodeNotStarted, CodeFailed,
	} {
		if !slices.Contains(names, "loop."+code) {
			t.Errorf("nothing explains loop.%s", code)
		}
	}
}

// TestInterrupted stops a loop while the command runs: the try does not count, and the next loop makes it anew.
func TestInterrupted(t *testing.T) {
	for code, stop := range map[string]func(*play, chan os.Signal){
		CodeSignal:   func(_ *play, signals chan os.Signal) { signals <- syscall.SIGINT },
		CodeDeadline: func(p *play, _ chan os.Signal) { p.clock = p.clock.Add(time.Hour) },
		CodeStopFile: func(p *play, _ chan os.Signal) { os.WriteFile(p.StopFile, nil, 0o600) },
	} {
		p := newPlay(t, 1, run{code: "1:", wait: true}, run{code: "2:"})
		signals, never := make(chan os.Signal, 1), p.After
		p.Signals = signals
		p.After = func(time.Duration) <-chan time.Time {
			stop(p, signals)
			over := make(chan time.Time)
			close(over)
			return over
		}
		if got, err := p.Run(); got != code || err != nil || p.work.shape() != "try1 end stop:"+code {
			t.Errorf("%s: %s, %v: %s", code, got, err, p.work.shape())
		}
		if s, _ := p.work.State(); s.Items[0].Open || s.Items[0].Tries != 0 || s.Items[0].State != item.Todo {
			t.Errorf("%s: %+v", code, s.Items[0])
		}
		os.Remove(p.StopFile)
		p.After = never
		if got, err := p.Run(); got != CodeDone || err != nil || p.work.shape() != "try1 end stop:"+code+" try1 end PASS stop:done" {
			t.Errorf("%s, again: %s, %v: %s", code, got, err, p.work.shape())
		}
	}
}

// TestBusy: a loop waits for the submission of another work tree, and ends meanwhile when it must.
func TestBusy(t *testing.T) {
	p := newPlay(t, 1, run{code: "1:"})
	p.work.busy = 3
	if code, err := p.Run(); code != CodeDone || err != nil || p.work.busy != 0 {
		t.Errorf("%s, %v: %s", code, err, p.work.shape())
	}
	p = newPlay(t, 1, run{code: "1:", outcome: record.Outcome{TimedOut: true}})
	p.work.busy = 1 << 30
	signals, start := make(chan os.Signal, 1), p.Start
	p.Signals = signals
	p.Start = func(process *record.Process) (*record.Outcome, error) {
		defer func() { signals <- syscall.SIGTERM }()
		return start(process)
	}
	if code, err := p.Run(); code != CodeSignal || err != nil || p.work.shape() != "try1 end stop:signal" {
		t.Errorf("%s, %v: %s", code, err, p.work.shape())
	}
	p.work.busy = 0
	if code, err := p.Run(); code != CodeDone || err != nil || p.work.shape() != "try1 end stop:signal PASS stop:done" {
		t.Errorf("again: %s, %v: %s", code, err, p.work.shape())
	}
}

// TestCrash ends a loop at each of its steps, and starts it again: the same verdicts, no try twice.
func TestCrash(t *testing.T) {
	runs := []run{{code: "1:a"}, {code: "2:b"}, {code: "3:"}}
	whole := newPlay(t, 2, runs...)
	if _, err := whole.Run(); err != nil {
		t.Fatal(err)
	}
	for crash := 1; crash < whole.work.calls; crash++ {
		p := newPlay(t, 2, runs...)
		p.work.crash = crash
		if _, err := p.Run(); !errors.Is(err, errCrash) {
			t.Fatalf("call %d: %v", crash, err)
		}
		p.work.crash = 0
		if code, err := p.Run(); code != CodeDone || err != nil {
			t.Fatalf("call %d, again: %s, %v", crash, code, err)
		}
		s, err := p.work.State()
		if err != nil {
			t.Fatal(err)
		}
		judged := strings.Count(p.work.shape(), "TODO") + strings.Count(p.work.shape(), "PASS")
		if s.Count(item.Pass) != 2 || len(p.ran) > len(whole.ran) || judged > len(whole.ran)+1 {
			t.Errorf("call %d: %s after %d runs", crash, p.work.shape(), len(p.ran))
		}
	}
}

// TestCrashCosts: what a try may have cost is spent, until a person gives more.
func TestCrashCosts(t *testing.T) {
	budget := int64(100)
	p := newPlay(t, 1, run{code: "1:a", out: `{"c":0.00001}`})
	p.Budget, p.Costs, p.work.crash = &budget, []Cost{{pointer: []string{"c"}}}, 3 // the event after the command
	if _, err := p.Run(); !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	p.work.crash = 0
	if code, err := p.Run(); code != CodeBudget || err != nil || len(p.ran) != 1 || p.work.shape() != "try1 TODO stop:budget" {
		t.Errorf("%s, %v: %s", code, err, p.work.shape())
	}
	if last := p.told[len(p.told)-1]; !strings.Contains(last, "larger --budget-usd") {
		t.Errorf("told %q", last)
	}
	more := budget + 20
	p.Budget = &more
	if code, err := p.Run(); code != CodeDone && code != CodeBudget || err != nil || len(p.ran) != 3 {
		t.Errorf("%s, %v: %d runs, %s", code, err, len(p.ran), p.work.shape())
	}
}

// TestCommand: what the command is given.
func TestCommand(t *testing.T) {
	budget := int64(30e6)
	p := newPlay(t, 1, run{code: "1:a", out: `{"c":10.25}`}, run{code: "1:a", out: `{"c":1}`}, run{code: "2:", out: `{"c":1}`})
	p.Argv = []string{"agent", "--{item}-{try}", "{budget_left}", "{prompt_file}", "{}", `{"a":1}`}
	p.Env = []string{"HOME=/h"}
	p.Budget, p.Costs = &budget, []Cost{{pointer: []string{"c"}}}
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	dir, _ := filepath.EvalSymlinks(p.work.dir)
	for i, want := range [][]string{
		{"agent", "--T-1-1", "30.00", dir + "/1/prompt.md", "{}", `{"a":1}`}, {"agent", "--T-1-2", "19.75", dir + "/2/prompt.md", "{}", `{"a":1}`},
	} {
		if got := p.ran[i].Argv; !slices.Equal(got, want) {
			t.Errorf("try %d: %q", i+1, got)
		}
	}
	if got, want := p.ran[1].Env, []string{"HOME=/h", "CLOSEOUT_ITEM=T-1", "PWD=/"}; !slices.Equal(got, want) {
		t.Errorf("the environment %q", got)
	}
	for i, want := range []string{"T-1 1 of 3 ", "T-1 2 of 3 ", "T-1 3 of 3 try 2 left the code as it was"} {
		if got := p.prompt(i); !strings.HasPrefix(got, want) || len(got) > len(want) && i < 2 {
			t.Errorf("try %d is told %q", i+1, got)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "1", "agent.out")); err != nil || string(data) != p.runs[0].out {
		t.Errorf("agent.out is %q, %v", data, err)
	}
}

// TestUncommittedIsTold: the next try learns why the last one was not judged.
func TestUncommittedIsTold(t *testing.T) {
	p := newPlay(t, 1, run{code: "!1:"}, run{code: "1:"})
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if got, want := p.prompt(1), "T-1 1 of 3 the last try was not judged; files are uncommitted: a.go → commit"; got != want {
		t.Errorf("got %q", got)
	}
}
