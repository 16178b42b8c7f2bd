package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// ReadContracts reads the standing contract of a work tree and the contract of a task; task is nil when there is none. It
// refuses contracts that the gate could not join.
func ReadContracts(root, id string, w io.Writer) (standing, task *contract.Contract, err error) {
	files := existing(root, policy.StandingContract)
	if len(files) != 1 {
		return nil, nil, fmt.Errorf("%q contains %d standing contracts: expected one of .closeout/scope_contract.json, .yaml and .yml, or name a file: --from-contract FILE", root, len(files))
	}
	if id != "" {
		files = append(files, existing(root, policy.TasksDir+"/"+id)...)
		if len(files) == 1 {
			fmt.Fprintf(w, "closeout record: there is no .closeout/tasks/%s.json: running the criteria of the standing contract for the task %s\n", id, id)
		}
	}
	var sources []policy.Source
	for _, file := range files {
		c, err := contractOf(root, file, w)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, policy.Source{Contract: c, Path: file})
	}
	_, problems := policy.Join(sources, "")
	for _, problem := range problems {
		fmt.Fprintf(w, "%s:%s\n", sources[problem.Source].Path, problem.Error)
	}
	if len(problems) > 0 {
		return nil, nil, errors.New("the contracts cannot be joined")
	}
	if len(sources) > 1 {
		task = sources[1].Contract
	}
	return sources[0].Contract, task, nil
}

// Standing is the standing contract of a work tree; nil unless there is exactly one that can be read.
func Standing(root string) *contract.Contract {
	files := existing(root, policy.StandingContract)
	if len(files) != 1 {
		return nil
	}
	c, _ := contractOf(root, files[0], io.Discard) // nil with an error
	return c
}

// HasTask reports whether a work tree contains the contract of a task, which the change may have added.
func HasTask(root, id string) bool { return len(existing(root, policy.TasksDir+"/"+id)) > 0 }

// StandingFiles lists the standing contracts of a work tree: one, unless there is none or something is wrong.
func StandingFiles(root string) []string { return existing(root, policy.StandingContract) }

// existing lists the contracts of a name with any extension.
func existing(root, name string) []string {
	var files []string
	for _, extension := range policy.ContractExtensions {
		file := filepath.Join(root, filepath.FromSlash(name)+extension)
		if _, err := os.Lstat(file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// ReadContract reads a scope contract and writes its errors to w. A contract without criteria is valid: a task contract may
// only narrow the scope.
func ReadContract(path string, w io.Writer) (*contract.Contract, error) {
	f, err := os.OpenFile(path, readOnly, 0)
	return readContract(path, f, err, w)
}

// contractOf is ReadContract for a file of a work tree, which no link leads out of.
func contractOf(root, path string, w io.Writer) (*contract.Contract, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, reason(err)
	}
	defer dir.Close() // nothing is written through it
	name, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(name, readOnly, 0)
	return readContract(path, f, err, w)
}

// readOnly opens a file without waiting for the writer of a pipe.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// contractBytes reads a regular file that is not too large for a contract, and closes it.
func contractBytes(f *os.File) (data []byte, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is a %s, not a regular file", kindOf(info.Mode()))
	}
	most := input.DefaultLimits().ContractBytes
	if data, err = io.ReadAll(io.LimitReader(f, most+1)); int64(len(data)) > most {
		err = fmt.Errorf("it is larger than %d bytes", most)
	}
	return data, err
}

// readContract reads a contract from an open file.
func readContract(path string, f *os.File, err error, w io.Writer) (*contract.Contract, error) {
	var data []byte
	if err == nil {
		data, err = contractBytes(f)
	}
	if err != nil {
		return nil, fmt.Errorf("the contract %q cannot be read: %w", path, reason(err))
	}
	c, errs := contract.Parse(filepath.Base(path), data, input.DefaultLimits())
	for _, e := range errs.All() {
		fmt.Fprintf(w, "%s:%s\n", path, WholeError(e))
	}
	if errs.Any() || c == nil {
		return nil, fmt.Errorf("the contract %q is malformed", path)
	}
	return c, nil
}

// WholeError is an error with what was found, what was expected unless the message says so, and the fix.
func WholeError(e input.Error) string {
	text := e.String() + "; found " + e.Found
	if !strings.Contains(e.Message, e.Expected) {
		text += ", expected " + e.Expected
	}
	return text + " → " + e.Fix
}
