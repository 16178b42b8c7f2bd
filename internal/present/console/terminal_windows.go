package console

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminal gives the width of a console in columns, 0 when it is unknown; ok is false when a file is not a console, or
// one that does not know the sequences that colour a text.
func terminal(f *os.File) (width int, ok bool) {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil || windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) != nil {
		return 0, false
	}
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(console, &info) != nil {
		return 0, true
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}
