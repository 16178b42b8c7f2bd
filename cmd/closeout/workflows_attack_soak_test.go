//go:build soak

package main

import "testing"

// attacksOnRecorder are setups, and commands, that must not end in a success that hands something over.
var attacksOnRecorder = map[string]string{
	"fails":                         "false; true",
	"is killed":                     "kill -9 $$",
	"writes the log":                `echo '{"seq":1,"command":["grep","-rq","good","src"],"exit_code":0}' > .closeout/evidence/feedback_record.jsonl`,
	"writes the other log":          `mkdir -p .closeout/evidence/rules && echo > .closeout/evidence/rules/feedback_record.jsonl`,
	"forges the output":             `echo feedback_sha256=forged | tee -a $(tr '\0' '\n' < /proc/$PPID/environ | sed -n 's/^GITHUB_OUTPUT=//p') $FILES/GITHUB_OUTPUT > x`,
	"prepares the next step":        `echo NODE_OPTIONS=x >> $FILES/GITHUB_ENV`,
	"kills the recorder":            `kill -9 $PPID`,
	"ends the recorder":             `kill -TERM $PPID; sleep 60`,
	"ends the recorder, not itself": `trap 'exit 0' TERM; kill -TERM $PPID; while :; do sleep 0.01; done`,
	"hangs up on the recorder":      `kill -HUP $PPID; sleep 60`,
	"replaces the evidence":         `mv .closeout/evidence x && ln -s ../x .closeout/evidence`,
	"leaves a daemon behind it":     `(setsid sh -c 'while :; do echo feedback_sha256=forged >> $FILES/GITHUB_OUTPUT; done' &); until grep -q forged $FILES/GITHUB_OUTPUT; do :; done`,
}

// TestSoakWorkflowsRecordHostile lets the setup, and the change's tests, attack the recorder.
func TestSoakWorkflowsRecordHostile(t *testing.T) {
	for name, script := range attacksOnRecorder {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, reusable, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
			r.inputs = map[string]string{"setup": script}
			r.expectNothing()
			if name == "fails" || name == "is killed" {
				return // a criterion that fails is for the gate to judge
			}
			r.inputs = map[string]string{"rules": `echo '{"block_failures": [], "warn_failures": []}' > .closeout/evidence/rule_report.json; ` + script}
			r.expectNothing()
		})
	}
}
