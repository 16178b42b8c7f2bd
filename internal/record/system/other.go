//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package system

import (
	"errors"
	"os"
	"syscall"
)

// Recording requires process groups and file locks. On other systems Lock fails and nothing is recorded.

func OwnGroup() *syscall.SysProcAttr { return nil }

func SignalGroup(int, syscall.Signal) {}

type Children struct{}

func AdoptChildren() *Children { return nil }

func (*Children) End(int) (string, error) { return "", nil }

func Hide() {}

func KilledBy(*os.ProcessState) (syscall.Signal, bool) { return 0, false }

func Lock(*os.File) error { return errors.New("recording is not possible on this operating system") }

func TryLock(*os.File) bool { return false }

func Runs(int) bool { return true }

func Tie(*syscall.SysProcAttr) func() { return func() {} }

// EndMarked has an effect on Linux only.
func EndMarked(string) error { return nil }

func RenameAt(_, _ *os.Root, _ string) error {
	return errors.New("recording is not possible on this operating system")
}
