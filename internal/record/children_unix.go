//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package record

import "syscall"

// children are processes that a command leaves behind. Only on Linux they become ours; elsewhere those that left the group of
// the command stay alive.
type children struct{}

func adoptChildren() *children { return &children{} }

// end ends what is left of the group of the command, and reports whether there was anything.
func (*children) end(group int) (string, error) {
	if syscall.Kill(-group, 0) != nil {
		return "", nil
	}
	signalGroup(group, syscall.SIGKILL)
	return leftOver, nil
}

// Hide has an effect on Linux only.
func Hide() {}

// tie has an effect on Linux only.
func tie(*syscall.SysProcAttr) func() { return func() {} }

// EndMarked has an effect on Linux only.
func EndMarked(string) error { return nil }
