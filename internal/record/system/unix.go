//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package system

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// OwnGroup starts a process in a new group, so that all of it can be ended.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// SignalGroup sends a signal to every process of a group, if any is left.
func SignalGroup(group int, s syscall.Signal) { syscall.Kill(-group, s) }

func KilledBy(state *os.ProcessState) (syscall.Signal, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return status.Signal(), true
}

// Lock waits for the lock of the file. Closing the file releases it, and so does a crash.
func Lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// TryLock reports whether the lock of the file was free.
func TryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Runs reports whether there is a process with this id, of any user.
func Runs(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// RenameAt moves a file to another directory of the same file system. Both are open, so that no link on the way counts.
func RenameAt(from, to *os.Root, name string) error {
	old, err := from.Open(".")
	if err != nil {
		return err
	}
	defer old.Close() // nothing was written
	other, err := to.Open(".")
	if err != nil {
		return err
	}
	defer other.Close() // nothing was written
	err = unix.Renameat(int(old.Fd()), name, int(other.Fd()), name)
	if errors.Is(err, unix.EXDEV) {
		return errors.New("the git directory is on another file system: let git no longer track the file, which stays on disk, and ignore it")
	}
	return err
}
