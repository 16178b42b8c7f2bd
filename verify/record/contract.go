package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/ledger"
	"github.com/closeout-gate/closeout/verify/policy"
)

// ReadContract reads a scope contract that holds criteria to run. Everything that is wrong with it goes to w.
func ReadContract(path string, w io.Writer) (*evidence.Contract, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the contract %q cannot be read: %w", path, reason(err))
	}
	c, errs := evidence.ParseContract(filepath.Base(path), data, evidence.DefaultLimits())
	for _, e := range errs.All() {
		fmt.Fprintf(w, "%s:%s\n", path, e)
	}
	if errs.Any() || c == nil {
		return nil, fmt.Errorf("the contract %q is malformed", path)
	}
	if len(c.Criteria) == 0 {
		return nil, fmt.Errorf("the contract %q has no acceptance criteria to run", path)
	}
	return c, nil
}

// EvidenceDir is the folder that a contract keeps evidence in.
func EvidenceDir(c *evidence.Contract) string {
	if c != nil && c.Evidence.Dir != "" {
		return c.Evidence.Dir
	}
	return policy.DefaultEvidenceDir
}

// FromContract runs the criteria of a contract one after the other, each its own record, and tells after each how it
// ended. A criterion that did not end as expected does not keep the next ones from running; a signal does. Each command
// of a criterion may take up to the timeout that base has, and belongs to its task.
//
// It returns StatusFailed when a record is not whole, the status of a signal, 1 when some criterion did not end as
// expected, else 0. An error means that there is no record of one.
func (r *Recorder) FromContract(c *evidence.Contract, base Command, told func(evidence.Criterion, *Result, bool)) (int, error) {
	status := 0
	for _, criterion := range c.Criteria {
		result, err := r.Run(commandOf(criterion, base))
		if err != nil {
			return StatusFailed, fmt.Errorf("criterion %s: %w", criterion.ID, err)
		}
		met := ledger.Met(&criterion, wide(result.Exit))
		told(criterion, result, met)
		switch {
		case result.Problem != nil:
			status = StatusFailed
		case !met && status == 0:
			status = 1
		}
		if result.Signaled {
			return max(result.Status, 1), nil
		}
	}
	return status, nil
}

// commandOf is the command that a criterion asks for. Its test report is something that it produces.
func commandOf(criterion evidence.Criterion, base Command) Command {
	c := Command{Argv: criterion.Run, Cwd: criterion.Cwd, Task: base.Task, Criterion: criterion.ID, Timeout: base.Timeout}
	if criterion.TestReport != "" {
		c.Produces = []string{criterion.TestReport}
	}
	return c
}

func wide(exit *int) *int64 {
	if exit == nil {
		return nil
	}
	code := int64(*exit)
	return &code
}
