package start

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// findContract reads the named contract, or the one of the work tree, or makes the one that init would write.
func (f *Backtest) findContract(git *collect.Git) (*lint.Document, error) {
	if f.ContractFile != "" {
		return ContractAt(f.ContractFile)
	}
	found, err := standingContracts(git.Root())
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return proposedContract(git)
	case len(found) == 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there are two standing contracts, %s and %s: expected one; remove the other", found[0].Path, found[1].Path)
}

// ContractAt is the contract that a flag names.
func ContractAt(file string) (*lint.Document, error) {
	text, err := readContractFile(os.DirFS(filepath.Dir(file)), filepath.Base(file), fs.Stat)
	if err != nil {
		return nil, fmt.Errorf("the contract %q cannot be read: %w: name a file with --contract", file, input.Reason(err))
	}
	name := filepath.ToSlash(file)
	if filepath.IsAbs(file) {
		name = path.Base(name) // a result contains no path of a machine
	}
	return &lint.Document{Path: name, Text: text}, nil
}

// standingContracts are the standing contracts of a work tree. No symlink is followed out of it.
func standingContracts(root string) (found []*lint.Document, err error) {
	if root == "" {
		return nil, nil // a bare repository has no work tree
	}
	tree, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer tree.Close() // it was only read
	for _, extension := range policy.ContractExtensions {
		name := policy.StandingContract + extension
		text, err := readContractFile(tree.FS(), name, fs.Lstat)
		switch {
		case err == nil:
			found = append(found, &lint.Document{Path: name, Text: text})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("the contract %q cannot be read: %w", name, input.Reason(err))
		}
	}
	return found, nil
}

// proposedContract is the contract that init would write; it has no path.
func proposedContract(git *collect.Git) (*lint.Document, error) {
	const none = "the repository contains no contract"
	head, err := git.Resolve("HEAD")
	if err != nil {
		return nil, noHead(git, err, none)
	}
	files, err := git.Tracked(head)
	if err != nil {
		return nil, err
	}
	plan, err := New(files, git, Options{YAML: true})
	if err != nil {
		return nil, fmt.Errorf("%s, and closeout init would not write one (%w): run closeout init --test 'COMMAND', or name a contract with --contract-file", none, err)
	}
	return &lint.Document{Text: plan.Files[0].Data}, nil
}

// readContractFile reads a regular file that is not too large for a contract.
func readContractFile(dir fs.FS, name string, look func(fs.FS, string) (fs.FileInfo, error)) ([]byte, error) {
	info, err := look(dir, name)
	if err != nil {
		return nil, err
	}
	limit := input.DefaultLimits().ContractBytes
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes: expected at most %d", info.Size(), limit)
	}
	return fs.ReadFile(dir, name)
}

// errorsOf lists the errors of a contract; nil when it can judge.
func errorsOf(file *lint.Document, extension string, c *collect.Contracts) error {
	if c.Policy != nil {
		return nil
	}
	_, errs := contract.Parse("scope_contract"+extension, file.Text, input.DefaultLimits())
	all := errs.All()
	if c.Standing != nil {
		_, problems := policy.Join([]policy.Source{{Contract: c.Standing, Kind: "contract"}}, "")
		for _, p := range problems {
			all = append(all, p.Error)
		}
	}
	var lines []string
	for _, e := range all {
		lines = append(lines, e.In(file.Path).Error())
	}
	return fmt.Errorf("the contract cannot judge\n%s", strings.Join(lines, "\n"))
}

// noHead is the error where HEAD cannot be read, which most often means that nothing is committed yet.
func noHead(repository *collect.Git, err error, why string) error {
	if head, refErr := repository.FirstRef("HEAD"); head == "" && refErr == nil {
		return fmt.Errorf("%s, and this repository has no commit yet: write git add -A && git commit -m 'First commit', then closeout init", why)
	}
	return fmt.Errorf("%s, and the commit HEAD cannot be read: %w", why, err)
}
