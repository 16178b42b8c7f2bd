package checks

import (
	"strconv"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// A person who overrides a finding accepts its fingerprint, and the evidence for it can be recorded again at the same head.
// So what a check puts into [check.Finding.Identity] tells one problem from another, and leaves out what differs between two
// runs of the same problem: exit codes, counts, times. The exception is the count of what is beyond a list, because nothing
// else is known of it.

// criterionKey tells a criterion from others: another command under the same id is another criterion. The number of
// words keeps what follows apart from them.
func criterionKey(c *contract.Criterion, more ...string) []string {
	expect := "pass"
	if c.ExpectFail {
		expect = "fail"
	}
	key := append([]string{c.ID, c.Cwd, expect, strconv.Itoa(len(c.Run))}, c.Run...)
	return append(key, more...)
}

// decisionKey tells a decision about a criterion from others: how far the records can be believed, and in which logs they
// do not show it met.
func decisionKey(c *contract.Criterion, d *proof.Decision) []string {
	return criterionKey(c, append([]string{string(d.Level)}, d.Faults(c)...)...)
}

// points is a share of coverage in whole percent points: the same tests can cover a line more or less from run to run.
func points(r input.Ratio) string { return strconv.FormatInt(r.BasisPoints()/100, 10) }
