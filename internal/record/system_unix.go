//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package record

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup starts a process in a new group, so that all of it can be ended.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to every process of a group, if any is left.
func signalGroup(group int, s syscall.Signal) { syscall.Kill(-group, s) }

func killedBy(state *os.ProcessState) (syscall.Signal, bool) {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0, false
	}
	return status.Signal(), true
}

// lock waits for the lock of the file. Closing the file releases it, and so does a crash.
func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// tryLock reports whether the lock of the file was free.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// runs reports whether there is a process with this id, of any user.
func runs(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// renameAt moves a file to another directory of the same file system. Both are open, so that no link on the way counts.
func renameAt(from, to *os.Root, name string) error {
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
