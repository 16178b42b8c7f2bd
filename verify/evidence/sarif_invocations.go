package evidence

import "github.com/closeout-gate/closeout/verify/source"

// checkInvocations refuses a run of which the tool, or the program that converted its output to SARIF, says that it went
// wrong: what it did not look at is not clean.
func (f *fields) checkInvocations() {
	for _, invocation := range append(f.looseObjects("invocations"), f.looseChild("conversion").looseChild("invocation")) {
		invocation.checkSuccess()
		invocation.checkEnd()
		for _, key := range []string{"toolExecutionNotifications", "toolConfigurationNotifications"} {
			for _, notification := range invocation.looseObjects(key) {
				notification.checkNotification()
			}
		}
	}
}

func (f *fields) checkSuccess() {
	n := f.get("executionSuccessful")
	switch {
	case n == nil:
	case n.kind != kindBool:
		f.wrong(n, "executionSuccessful", "true or false")
	case !n.bool:
		f.toolFailed(n, "executionSuccessful", "the tool says that its run did not succeed", "true")
	}
}

// checkEnd looks at how the process of the tool began and ended. Its exit code says nothing: many tools exit with 1 when
// they find something.
func (f *fields) checkEnd() {
	if f.anyText("processStartFailureMessage") != "" {
		f.toolFailed(f.get("processStartFailureMessage"), "processStartFailureMessage", "the tool could not be started", "no such message")
	}
	if f.anyText("exitSignalName") != "" {
		f.toolFailed(f.get("exitSignalName"), "exitSignalName", "a signal ended the tool", "no signal")
	}
	number := f.orNull("exitSignalNumber")
	if i := f.integerOf(number, "exitSignalNumber", 0, maxLineNumber); i != nil && *i > 0 {
		f.toolFailed(number, "exitSignalNumber", "a signal ended the tool", "no signal")
	}
}

// checkNotification refuses what the tool itself calls an error. Without a level it is a warning.
func (f *fields) checkNotification() {
	if f.sarifLevel() != Block {
		return
	}
	e := toolFailure(f.get("level"), f.pointer("level"), "the tool reports an error of its run", "a level below error")
	if text := f.looseChild("message").anyText("text"); text != "" {
		e.Message += ": " + clip(text)
	}
	f.errs.Add(e)
}

func (f *fields) toolFailed(n *node, key, message, expected string) {
	f.errs.Add(toolFailure(n, f.pointer(key), message, expected))
}

func toolFailure(n *node, where, message, expected string) source.Error {
	return source.Error{
		Pos: n.pos, Where: where, Message: message, Found: n.describe(), Expected: expected,
		Fix: "fix what stopped the tool, and run it again",
	}
}
