//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package system

import "syscall"

// Children are processes that a command leaves behind. Only on Linux they become ours; elsewhere those that left the group of
// the command stay alive.
type Children struct{}

func AdoptChildren() *Children { return &Children{} }

// End ends what is left of the group of the command, and reports whether there was anything.
func (*Children) End(group int) (string, error) {
	if syscall.Kill(-group, 0) != nil {
		return "", nil
	}
	SignalGroup(group, syscall.SIGKILL)
	return LeftOver, nil
}

// Hide has an effect on Linux only.
func Hide() {}

// Tie has an effect on Linux only.
func Tie(*syscall.SysProcAttr) func() { return func() {} }

// EndMarked has an effect on Linux only.
func EndMarked(string) error { return nil }
