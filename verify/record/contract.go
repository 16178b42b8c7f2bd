package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/verify/evidence"
	"github.com/closeout-gate/closeout/verify/ledger"
	"github.com/closeout-gate/closeout/verify/policy"
	"github.com/closeout-gate/closeout/verify/source"
)

// ReadContract reads a scope contract that holds criteria to run. Everything that is wrong with it goes to w.
func ReadContract(path string, w io.Writer) (*evidence.Contract, error) {
	c, err := parseContract(path, w)
	if err == nil && len(c.Criteria) == 0 {
		return nil, fmt.Errorf("the contract %q has no acceptance criteria to run", path)
	}
	return c, err
}

// ReadContracts reads the standing contract of a repository's work tree and, when a task is named and there is one, the
// task's contract, and returns the standing one with the criteria of both, as the gate joins them.
func ReadContracts(root, task string, w io.Writer) (*evidence.Contract, error) {
	standing := existing(root, policy.StandingContract)
	if len(standing) != 1 {
		return nil, fmt.Errorf("%q holds %d standing contracts: expected one of .closeout/scope_contract.json, .yaml and .yml, or name a file: --from-contract FILE", root, len(standing))
	}
	files := standing
	if task != "" {
		files = append(files, existing(root, policy.TasksFolder+"/"+task)...)
		if len(files) == 1 {
			fmt.Fprintf(w, "closeout record: there is no .closeout/tasks/%s.json here: the standing contract's criteria are run for the task %s\n", task, task)
		}
	}
	var sources []policy.Source
	for _, file := range files {
		c, err := parseContract(file, w)
		if err != nil {
			return nil, err
		}
		sources = append(sources, policy.Source{Contract: c, Path: file})
	}
	joined, problems := policy.Join(sources, "")
	for _, problem := range problems {
		fmt.Fprintf(w, "%s:%s\n", sources[problem.Source].Path, problem.Error)
	}
	if len(problems) > 0 {
		return nil, errors.New("the contracts cannot be joined")
	}
	contract := *sources[0].Contract
	contract.Criteria, contract.TaskID.Value = joined.Criteria, joined.TaskID
	return &contract, nil
}

// existing lists the contracts of a name, whatever their ending.
func existing(root, name string) []string {
	var files []string
	for _, ending := range policy.ContractEndings {
		file := filepath.Join(root, filepath.FromSlash(name)+ending)
		if _, err := os.Lstat(file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func parseContract(path string, w io.Writer) (*evidence.Contract, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the contract %q cannot be read: %w", path, reason(err))
	}
	c, errs := evidence.ParseContract(filepath.Base(path), data, evidence.DefaultLimits())
	for _, e := range errs.All() {
		fmt.Fprintf(w, "%s:%s\n", path, wholeError(e))
	}
	if errs.Any() || c == nil {
		return nil, fmt.Errorf("the contract %q is malformed", path)
	}
	return c, nil
}

// wholeError says of an error what was found, what was expected where the message does not say that already, and the fix.
func wholeError(e source.Error) string {
	text := e.String() + "; found " + e.Found
	if !strings.Contains(e.Message, e.Expected) {
		text += ", expected " + e.Expected
	}
	return text + " → " + e.Fix
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
