//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package record

import (
	"errors"
	"os"
	"syscall"
)

// Recording requires process groups and file locks. On other systems lock fails and nothing is recorded.

func ownGroup() *syscall.SysProcAttr { return nil }

func signalGroup(int, syscall.Signal) {}

type children struct{}

func adoptChildren() *children { return nil }

func (*children) end(int) (string, error) { return "", nil }

func Hide() {}

func killedBy(*os.ProcessState) (syscall.Signal, bool) { return 0, false }

func lock(*os.File) error { return errors.New("recording is not possible on this operating system") }

func tryLock(*os.File) bool { return false }

func runs(int) bool { return true }

func tie(*syscall.SysProcAttr) func() { return func() {} }

// EndMarked has an effect on Linux only.
func EndMarked(string) error { return nil }

func renameAt(_, _ *os.Root, _ string) error {
	return errors.New("recording is not possible on this operating system")
}
