package system

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4: orphaned descendants become children of this
// process, including those that left the group and session of the command.
const prSetChildSubreaper = 36

// prSetDumpable is PR_SET_DUMPABLE of prctl(2).
const prSetDumpable = 4

// Hide prevents processes of the same user from reading the memory and the environment of this one, which names the files of
// the workflow step. It hides nothing from root.
func Hide() { syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0) }

// Tie lets the kernel kill a command when this process ends. It means the thread that starts the command, which must not end
// before: the function that is returned gives it back.
func Tie(attr *syscall.SysProcAttr) func() {
	attr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// Children are the processes that a command leaves behind.
type Children struct {
	before  []int         // children that existed before the command
	longest time.Duration // how long to end processes that keep starting new ones
}

// AdoptChildren makes this process the parent of the processes that the command leaves behind.
func AdoptChildren() *Children {
	// If the kernel refuses, the group of the command is ended nevertheless.
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	var before []int
	if hasChildren() {
		for _, p := range ownChildren() {
			before = append(before, p.pid)
		}
	}
	return &Children{before: before, longest: 2 * time.Second}
}

// hasChildren asks the kernel for a child of any kind, running or dead, which costs less than reading /proc. It reaps none.
func hasChildren() bool {
	var info [128]byte // siginfo_t
	_, _, err := syscall.Syscall6(syscall.SYS_WAITID, 0, 0, uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOHANG|syscall.WNOWAIT|waitAll, 0, 0)
	return err != syscall.ECHILD
}

// End ends all processes that the command left running, whose children become ours in turn, and reports whether there were
// any.
func (c *Children) End(group int) (left string, err error) {
	if len(c.before) == 0 && c.gone() {
		return "", nil // the usual case, without reading /proc
	}
	if slices.ContainsFunc(c.list(), func(p process) bool { return !p.dead }) {
		left = LeftOver
	}
	SignalGroup(group, syscall.SIGKILL)
	for until := time.Now().Add(c.longest); time.Now().Before(until); {
		list := c.list()
		if len(list) == 0 && c.gone() {
			return left, nil
		}
		for _, p := range list {
			syscall.Kill(p.pid, syscall.SIGKILL)
			syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
		if len(list) == 0 || slices.ContainsFunc(list, func(p process) bool { return !p.dead }) {
			time.Sleep(time.Millisecond)
		}
	}
	return "", ErrAlive
}

// EndMarked ends all other processes whose environment has a variable: a loop that was killed could not end them itself.
func EndMarked(variable string) error {
	for until := time.Now().Add(2 * time.Second); killMarked("\x00" + variable + "\x00"); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			return ErrAlive
		}
	}
	return nil
}

// killMarked reports whether there was one.
func killMarked(variable string) (found bool) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, name := range names {
		env, err := os.ReadFile(name)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err == nil && pid != os.Getpid() && strings.Contains("\x00"+string(env), variable) {
			found = true
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return found
}

// waitAll is __WALL of wait(2): children of every kind.
const waitAll = 0x40000000

// gone asks the kernel whether all children have ended, and reaps dead ones. A command can prevent us from reading /proc, with
// a limit of open files or a mount. This cannot distinguish children that existed before the command.
func (c *Children) gone() bool {
	for len(c.before) == 0 {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|waitAll, nil)
		if pid <= 0 && err != syscall.EINTR {
			return err == syscall.ECHILD
		}
	}
	return true
}

func (c *Children) list() []process {
	return slices.DeleteFunc(ownChildren(), func(p process) bool { return slices.Contains(c.before, p.pid) })
}

type process struct {
	pid  int
	dead bool // waits to be reaped
}

// ownChildren lists the children of this process, from /proc/<pid>/stat: "pid (name) state ppid …", where the name may
// contain any bytes.
func ownChildren() []process {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	me := strconv.Itoa(os.Getpid())
	var list []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has ended
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == me {
			list = append(list, process{pid, string(fields[0]) == "Z"})
		}
	}
	return list
}
