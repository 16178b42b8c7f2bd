package evidence

import "github.com/closeout-gate/closeout/verify/source"

// SplitCommand turns a command that is written as one string into argv.
func SplitCommand(s string) ([]string, *source.Error) {
	panic("written by the feedback helper: " + s)
}
