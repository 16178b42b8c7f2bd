package record

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of prctl(2), Linux 3.4: orphans below this process become its children,
// also those that left the command's group and session.
const prSetChildSubreaper = 36

// prSetDumpable is PR_SET_DUMPABLE of prctl(2).
const prSetDumpable = 4

// Hide keeps processes of the same user from reading this one's memory and environment, where the files of a workflow's
// step are named. It hides nothing from root.
func Hide() { syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0) }

// children are the processes that a command leaves behind.
type children struct {
	before  []int         // those that we had already: they are not the command's
	longest time.Duration // bounds how long processes are ended that start new ones
}

// adoptChildren makes this process the parent of whatever the command leaves behind.
func adoptChildren() *children {
	// Where the kernel refuses, the command's group is ended all the same.
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	var before []int
	for _, p := range ownChildren() {
		before = append(before, p.pid)
	}
	return &children{before: before, longest: 2 * time.Second}
}

// end ends all that the command left running, whose own children become ours in turn, and says what there was.
func (c *children) end(group int) (left string, err error) {
	if len(c.before) == 0 && c.gone() {
		return "", nil // as it mostly is: /proc need not be read
	}
	if slices.ContainsFunc(c.list(), func(p process) bool { return !p.dead }) {
		left = leftOver
	}
	signalGroup(group, syscall.SIGKILL)
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
	return "", errAlive
}

// waitAll is __WALL of wait(2): children of every kind.
const waitAll = 0x40000000

// gone asks the kernel whether there is no child any more, and reaps those that are dead. A command can keep us from
// reading /proc: by a limit of open files, or by what it mounts there. Children that are not the command's cannot be told
// apart so.
func (c *children) gone() bool {
	for len(c.before) == 0 {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|waitAll, nil)
		if pid <= 0 && err != syscall.EINTR {
			return err == syscall.ECHILD
		}
	}
	return true
}

func (c *children) list() []process {
	return slices.DeleteFunc(ownChildren(), func(p process) bool { return slices.Contains(c.before, p.pid) })
}

type process struct {
	pid  int
	dead bool // waits to be reaped
}

// ownChildren lists the children of this process, from /proc/<pid>/stat: "pid (name) state ppid …", where the name may
// hold anything.
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
			continue // it is gone
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == me {
			list = append(list, process{pid, string(fields[0]) == "Z"})
		}
	}
	return list
}
