package rules

import (
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
)

// checkInvocations refuses a run of which the tool, or the program that converted its output to SARIF, says that it went
// wrong: what it did not look at is not clean.
func checkInvocations(f *strict.Fields) {
	for _, invocation := range append(f.LooseObjects("invocations"), f.LooseChild("conversion").LooseChild("invocation")) {
		checkSuccess(invocation)
		checkEnd(invocation)
		for _, key := range []string{"toolExecutionNotifications", "toolConfigurationNotifications"} {
			for _, notification := range invocation.LooseObjects(key) {
				checkNotification(notification)
			}
		}
	}
}

func checkSuccess(f *strict.Fields) {
	n := f.Get("executionSuccessful")
	switch {
	case n == nil:
	case n.Kind != strict.KindBool:
		f.Wrong(n, "executionSuccessful", "true or false")
	case !n.Bool:
		toolFailed(f, n, "executionSuccessful", "the tool says that its run did not succeed", "true")
	}
}

// checkEnd looks at how the process of the tool began and ended. Its exit code says nothing: many tools exit with 1 when
// they find something.
func checkEnd(f *strict.Fields) {
	if f.AnyText("processStartFailureMessage") != "" {
		toolFailed(f, f.Get("processStartFailureMessage"), "processStartFailureMessage", "the tool could not be started", "no such message")
	}
	if f.AnyText("exitSignalName") != "" {
		toolFailed(f, f.Get("exitSignalName"), "exitSignalName", "a signal ended the tool", "no signal")
	}
	number := f.OrNull("exitSignalNumber")
	if i := f.IntegerOf(number, "exitSignalNumber", 0, maxLineNumber); i != nil && *i > 0 {
		toolFailed(f, number, "exitSignalNumber", "a signal ended the tool", "no signal")
	}
}

// checkNotification refuses what the tool itself calls an error. Without a level it is a warning.
func checkNotification(f *strict.Fields) {
	if sarifLevel(f) != diag.Block {
		return
	}
	e := toolFailure(f.Get("level"), f.Pointer("level"), "the tool reports an error of its run", "a level below error")
	if text := f.LooseChild("message").AnyText("text"); text != "" {
		e.Message += ": " + diag.Clip(text)
	}
	f.Errs.Add(e)
}

func toolFailed(f *strict.Fields, n *strict.Node, key, message, expected string) {
	f.Errs.Add(toolFailure(n, f.Pointer(key), message, expected))
}

func toolFailure(n *strict.Node, where, message, expected string) diag.Error {
	return diag.Error{
		Pos: n.Pos, Where: where, Message: message, Found: n.Describe(), Expected: expected,
		Fix: "fix what stopped the tool, and run it again",
	}
}
