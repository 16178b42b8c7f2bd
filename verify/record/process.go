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
)

// outcome is how a command ended.
type outcome struct {
	exit    *int // nil when it has no exit code
	status  int
	problem string // the error of the record; "" when the command ended by itself and left nothing running
	notRun  bool   // nothing was started
	left    error  // when processes of the command are still running
	signal  syscall.Signal
	started time.Time
	took    time.Duration
}

// execute runs a command, and ends everything that it left running.
func (r *Recorder) execute(c Command, path string, out, errs *stream) outcome {
	end := outcome{started: time.Now(), status: StatusNotRun, notRun: true}
	dir := r.dir(c.Cwd)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		end.problem = fmt.Sprintf("there is no directory %q to run in", c.Cwd)
		return end
	}
	if path == "" {
		end.status, end.problem = StatusNotFound, r.notInPath(c)
		return end
	}
	cmd := &exec.Cmd{Path: path, Args: c.Argv, Dir: dir, Env: append(ChildEnv(r.Env), "PWD="+dir), SysProcAttr: ownGroup()}
	defer r.silence()()
	outputs, err := startPiped(cmd, out, errs)
	if err != nil {
		end.problem = r.notStarted(c, err)
		if errors.Is(err, fs.ErrNotExist) {
			end.status = StatusNotFound
		}
		return end
	}
	end.notRun = false
	r.await(cmd, c.Timeout, &end)
	end.took = time.Since(end.started)
	ended, err := outputs.children.end(cmd.Process.Pid)
	open := outputs.drain()
	end.problem, end.left = oneLine(end.problem, ended, open), err
	return end
}

// pipes are the output of a running command.
type pipes struct {
	readers  []*os.File
	done     chan bool // one value per reader: whether it reached the end
	children *children
}

// startPiped starts a command whose output goes to the streams. Standard input is empty: a background group that reads from
// the terminal would be stopped.
func startPiped(cmd *exec.Cmd, out, errs *stream) (*pipes, error) {
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
	p := &pipes{readers: []*os.File{outRead, errRead}, done: make(chan bool, 2), children: adoptChildren()}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, outRead.Close(), errRead.Close())
	}
	go p.copy(out, outRead)
	go p.copy(errs, errRead)
	return p, nil
}

// maxWaits is how often to wait for the end of a stream after the end of the command.
const maxWaits = 20

// copy passes a stream on. After the end of the command its reads have a deadline. It stops when it reads nothing between two
// deadlines, so that a slow reader of our output loses nothing.
func (p *pipes) copy(to io.Writer, from *os.File) {
	buf := make([]byte, 32<<10)
	idle, waits := false, 0
	for {
		n, err := from.Read(buf)
		if n > 0 {
			idle = false
			to.Write(buf[:n]) // a stream never fails
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
func (r *Recorder) await(cmd *exec.Cmd, timeout time.Duration, end *outcome) {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var over, grace <-chan time.Time
	if timeout > 0 {
		over = time.After(timeout)
	}
	timedOut := false
	for {
		select {
		case err := <-done:
			end.exited(cmd.ProcessState, err)
			if timedOut {
				end.exit, end.status, end.problem = nil, StatusTimeout, fmt.Sprintf("timeout after %s", timeout)
			}
			return
		case <-over:
			timedOut = true
			signalGroup(cmd.Process.Pid, syscall.SIGTERM)
			grace = time.After(r.Grace)
		case s := <-r.Signals:
			if number, ok := s.(syscall.Signal); ok {
				end.signal = number
				signalGroup(cmd.Process.Pid, number)
			}
			if grace == nil {
				grace = time.After(r.Grace)
			}
		case <-grace:
			signalGroup(cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}

// exited adds the exit code or signal of a command that has ended.
func (end *outcome) exited(state *os.ProcessState, err error) {
	if state == nil {
		end.problem = "cannot determine how the command ended: " + err.Error()
		return
	}
	if number, ok := killedBy(state); ok {
		end.status, end.problem = StatusSignal+int(number), "signal: "+number.String()
		return
	}
	code := state.ExitCode()
	end.exit, end.status = &code, code
}

// leftOver is the error of a record whose command left processes running.
const leftOver = "processes that the command left running were ended"

// errAlive is the problem of a record whose command is still partly running: it could change everything afterwards.
var errAlive = errors.New("processes that the command left running could not be ended")
