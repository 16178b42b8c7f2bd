package run

import (
	"errors"
	"fmt"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/report"
)

// EndWith ends a command with a status, as the error that the command returns.
func EndWith(status int) error {
	if status == 0 {
		return nil
	}
	return Exit{status}
}

// Exit codes. They do not depend on the output format.
const (
	ExitPassed = 0
	ExitFailed = 1 // a block finding, or a replay that differs
	ExitUsage  = 2 // the call, the configuration or the environment is wrong
	ExitReview = 3 // a fact is unknown
)

// Exit ends a command with a code; its message, if any, is already printed.
type Exit struct{ Code int }

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", e.Code) }

// Finish does what must be done at the end whatever the error is. Its own error is printed, so it replaces an exit code.
func Finish(err error, do func() error) error {
	failed := do()
	if failed == nil {
		return err
	}
	if _, coded := errors.AsType[Exit](err); coded {
		return failed
	}
	return errors.Join(err, failed)
}

// Ended turns a verdict into the command's end.
func Ended(r *report.Report) error {
	return EndWith(verify.ExitCode(r))
}
