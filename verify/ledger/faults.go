package ledger

import (
	"github.com/closeout-gate/closeout/verify/contract"
)

// Faults lists the deciding streams that do not show the criterion met, each with what is wrong with it. A decision names
// one stream; the list tells it from the same decision about other streams. It holds no exit code and no count, which
// differ between runs.
func (d *Decision) Faults(c *contract.Criterion) []string {
	var list []string
	for i := range d.Deciding {
		x := &d.Deciding[i]
		if fault := x.fault(c); fault != "" {
			list = append(list, x.Stream, fault)
		}
	}
	return list
}

// fault is the first thing that is wrong with a stream's deciding record; "" when nothing is.
func (x *Deciding) fault(c *contract.Criterion) string {
	switch last := &x.Last; {
	case last.Exit == nil:
		return "null exit"
	case !Met(c, last.Exit):
		return "unmet"
	case last.Stale:
		return "stale " + last.StaleTree
	case last.Dirty:
		return "dirty"
	case x.Tries() > c.MaxAttempts:
		return "too many attempts"
	case vacuous(last.Output.Proof):
		return "vacuous"
	}
	return ""
}
