//go:build !windows

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminal gives the width of a terminal in columns, 0 when it is unknown; ok is false when a file is not a terminal.
func terminal(f *os.File) (width int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
