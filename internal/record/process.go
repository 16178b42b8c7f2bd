package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/closeout-gate/closeout/internal/record/system"
)

// Process is a command that runs in a process group of its own. When it has ended, so have all that it left running.
type Process struct {
	Path    string // of the program
	Argv    []string
	Dir     string
	Env     []string                             // the whole environment
	Stdin   *os.File                             // nil is empty: a background group that reads from the terminal would be stopped
	Stdout  io.Writer                            // neither may fail or block for ever
	Stderr  io.Writer                            //
	Timeout time.Duration                        // 0 is none
	Grace   time.Duration                        // between asking it to end and ending it
	Signals <-chan os.Signal                     // passed on to the command; may be nil
	After   func(time.Duration) <-chan time.Time // the clock; nil is the system's
}

// Outcome is how a process ended.
type Outcome struct {
	Exit        *int // nil when it has no exit code
	Status      int
	Problem     string // the error of the record; "" when the command ended by itself and left nothing running
	LeftRunning bool   // it left processes running, which were ended
	Left        error  // when processes of the command are still running
	TimedOut    bool
	Signal      syscall.Signal // the last one that was passed on; 0 for none
	Took        time.Duration
	started     time.Time
	notRun      bool // nothing was started
}

// execute runs a command, and ends everything that it left running.
func (r *Recorder) execute(c Command, path string, out, errs *outputStream) Outcome {
	end := Outcome{started: time.Now(), Status: StatusNotRun, notRun: true}
	dir := r.dir(c.Cwd)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		end.Problem = fmt.Sprintf("there is no directory %q to run in", c.Cwd)
		return end
	}
	if path == "" {
		end.Status, end.Problem = StatusNotFound, r.notInPath(c)
		return end
	}
	p := &Process{
		Path: path, Argv: c.Argv, Dir: dir, Env: append(system.ChildEnv(r.Env), "PWD="+dir), Stdout: out, Stderr: errs,
		Timeout: c.Timeout, Grace: r.Grace, Signals: r.Signals,
	}
	defer r.silence()()
	ran, err := p.Run()
	if err == nil {
		return *ran
	}
	end.Problem = r.notStarted(c, err)
	if errors.Is(err, fs.ErrNotExist) {
		end.Status = StatusNotFound
	}
	return end
}

// Run runs the process to its end. An error means that it was not started.
func (p *Process) Run() (*Outcome, error) {
	if p.After == nil {
		p.After = time.After
	}
	cmd := &exec.Cmd{Path: p.Path, Args: p.Argv, Dir: p.Dir, Env: p.Env, SysProcAttr: system.OwnGroup()}
	if p.Stdin != nil {
		cmd.Stdin = p.Stdin
	}
	defer system.Tie(cmd.SysProcAttr)()
	end := &Outcome{started: time.Now()}
	outputs, err := startPiped(cmd, p.Stdout, p.Stderr)
	if err != nil {
		return nil, err
	}
	p.await(cmd, end)
	end.Took = time.Since(end.started)
	ended, err := outputs.children.End(cmd.Process.Pid)
	open := outputs.drain()
	end.Problem, end.Left, end.LeftRunning = oneLine(end.Problem, ended, open), err, ended != "" || err != nil
	return end, nil
}

// pipes are the output of a running command.
type pipes struct {
	readers  []*os.File
	done     chan bool // one value per reader: whether it reached the end
	children *system.Children
}

// startPiped starts a command whose output goes to the streams.
func startPiped(cmd *exec.Cmd, out, errs io.Writer) (*pipes, error) {
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outWrite.Close()
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, outRead.Close())
	}
	defer errWrite.Close()
	cmd.Stdout, cmd.Stderr = outWrite, errWrite
	p := &pipes{readers: []*os.File{outRead, errRead}, done: make(chan bool, 2), children: system.AdoptChildren()}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, outRead.Close(), errRead.Close())
	}
	go p.pass(out, outRead)
	go p.pass(errs, errRead)
	return p, nil
}

// maxWaits is how often to wait for the end of a stream after the end of the command.
const maxWaits = 20

// pass passes a stream on. After the end of the command its reads have a deadline. It stops when it reads nothing between two
// deadlines, so that a slow reader of our output loses nothing.
func (p *pipes) pass(to io.Writer, from *os.File) {
	buf := make([]byte, 32<<10)
	idle, waits := false, 0
	for {
		n, err := from.Read(buf)
		if n > 0 {
			idle = false
			to.Write(buf[:n]) // it never fails
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && !idle && waits < maxWaits {
			idle = true
			waits++
			err = from.SetReadDeadline(time.Now().Add(drainTime))
		}
		if err != nil {
			p.done <- err == io.EOF
			return
		}
	}
}

// drain waits for the end of both streams, and reports a stream that is still open.
func (p *pipes) drain() (problem string) {
	deadline := time.Now().Add(drainTime)
	for _, f := range p.readers {
		if err := f.SetReadDeadline(deadline); err != nil {
			problem = "cannot wait for the output: " + reason(err).Error()
		}
	}
	for range p.readers {
		if !<-p.done {
			problem = "a process that the command started keeps its output open: what it writes is not recorded"
		}
	}
	for _, f := range p.readers {
		f.Close() // it was read only
	}
	return problem
}

// await waits for the command, passes signals on, and ends it after its timeout.
func (p *Process) await(cmd *exec.Cmd, end *Outcome) {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var over, grace <-chan time.Time
	if p.Timeout > 0 {
		over = p.After(p.Timeout)
	}
	for {
		select {
		case err := <-done:
			end.exited(cmd.ProcessState, err)
			if end.TimedOut {
				end.Exit, end.Status, end.Problem = nil, StatusTimeout, fmt.Sprintf("timeout after %s", p.Timeout)
			}
			return
		case <-over:
			end.TimedOut = true
			system.SignalGroup(cmd.Process.Pid, syscall.SIGTERM)
			grace = p.After(p.Grace)
		case s := <-p.Signals:
			if number, ok := s.(syscall.Signal); ok {
				end.Signal = number
				system.SignalGroup(cmd.Process.Pid, number)
			}
			if grace == nil {
				grace = p.After(p.Grace)
			}
		case <-grace:
			system.SignalGroup(cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}

// exited adds the exit code or signal of a command that has ended.
func (end *Outcome) exited(state *os.ProcessState, err error) {
	if state == nil {
		end.Problem = "cannot determine how the command ended: " + err.Error()
		return
	}
	if number, ok := system.KilledBy(state); ok {
		end.Status, end.Problem = StatusSignal+int(number), "signal: "+number.String()
		return
	}
	code := state.ExitCode()
	end.Exit, end.Status = &code, code
}
