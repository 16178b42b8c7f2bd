package verify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Names in a bundle.
const (
	DiffRulesFile = "diff_rules.json"
	ContractsDir  = "contracts" // task contracts
	TestsDir      = "tests"     // test reports, each under its path in the repository

	pullsDir = "pulls" // a directory for each pull request of a merge group, named by its number
)

// bundleFiles are the well-known names of a bundle.
var bundleFiles = []struct {
	name string
	kind check.Kind
}{
	{"scope_contract.json", check.Contract},
	{"scope_contract.yaml", check.Contract},
	{"scope_contract.yml", check.Contract},
	{"feedback_record.jsonl", check.Feedback},
	{"rule_report.json", check.Rules},
	{"changes.json", check.Changes},
	{DiffRulesFile, check.DiffRules},
	{"pr.diff", check.Diff},
	{"facts.json", check.Facts},
	{"coverage_report.json", check.Coverage},
}

// bundleDirs contain more inputs of a kind: every file with one of the extensions, at any depth.
var bundleDirs = []struct {
	name       string
	kind       check.Kind
	extensions []string
}{
	{ContractsDir, check.TaskContract, policy.ContractExtensions},
	{"feedback", check.Feedback, []string{".jsonl"}},
	{"rules", check.Rules, []string{".json", ".sarif"}},
}

// BundleNames lists the files and directories of a bundle that inputs are read from.
func BundleNames() []string {
	names := []string{TestsDir, check.CrossDir, pullsDir}
	for _, f := range bundleFiles {
		names = append(names, f.name)
	}
	for _, d := range bundleDirs {
		names = append(names, d.name)
	}
	return names
}

// Open finds the inputs of a bundle by their names, such as in the file system of an [os.Root], out of which no link leads. Other
// files are ignored. No input is opened before it is judged. The limits are the defaults. The error says why a directory
// cannot be listed.
func Open(fsys fs.FS) (*Bundle, error) {
	at := place{fsys}
	b := &Bundle{
		TestReport:  func(p string) Opener { return at.existing(path.Join(TestsDir, p)) },
		CrossReport: func(tree, p string) Opener { return at.existing(path.Join(CrossDirectory(tree), p)) },
		Settings:    Settings{Limits: input.DefaultLimits()},
	}
	for _, f := range bundleFiles {
		b.Inputs = at.add(b.Inputs, f.kind, "", f.name)
	}
	for _, d := range bundleDirs {
		names, err := at.listed(d.name, d.extensions)
		if err != nil {
			return nil, err
		}
		b.Inputs = at.add(b.Inputs, d.kind, "", names...)
	}
	pulls, err := fs.ReadDir(fsys, pullsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unlisted(pullsDir, err)
	}
	for _, entry := range pulls {
		if !pullName().MatchString(entry.Name()) {
			continue
		}
		number, err := strconv.ParseInt(entry.Name(), 10, 64)
		if err != nil {
			return nil, err
		}
		part, err := at.part(number)
		if err != nil {
			return nil, err
		}
		b.Parts = append(b.Parts, part)
	}
	return b, nil
}

var pullName = input.Lazily(`^[1-9][0-9]{0,14}$`)

func unlisted(dir string, err error) error {
	return fmt.Errorf("the directory %q of the bundle cannot be listed: %w", dir, input.Reason(err))
}

// place is where a bundle is.
type place struct{ files fs.FS }

// part finds the inputs of a pull request of a merge group.
func (at place) part(number int64) (Part, error) {
	dir := PartDirectory(number)
	part := Part{PullRequest: number}
	part.Inputs = at.add(part.Inputs, check.Facts, dir, "facts.json")
	part.Inputs = at.add(part.Inputs, check.Changes, dir, "changes.json")
	part.Inputs = at.add(part.Inputs, check.DiffRules, dir, DiffRulesFile)
	names, err := at.listed(dir+ContractsDir, policy.ContractExtensions)
	for _, name := range names {
		part.Inputs = at.add(part.Inputs, check.TaskContract, dir, name[len(dir):])
	}
	return part, err
}

// add adds inputs of a kind, whose names are relative to dir, where they exist.
func (at place) add(inputs []Input, kind check.Kind, dir string, names ...string) []Input {
	for _, name := range names {
		if open := at.existing(dir + name); open != nil {
			inputs = append(inputs, Input{Kind: kind, Name: name, Open: open})
		}
	}
	return inputs
}

// existing opens a file that exists; nil when there is none of that name. A file that exists but cannot be opened is an
// unreadable input, not a missing one.
func (at place) existing(name string) Opener {
	if _, err := fs.Lstat(at.files, name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return func() (io.ReadCloser, error) { return at.files.Open(name) }
}

// listed gives the files below a directory with one of the extensions, sorted; none when there is no such directory.
func (at place) listed(dir string, extensions []string) ([]string, error) {
	var names []string
	err := fs.WalkDir(at.files, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == dir:
			return fs.SkipAll
		case err != nil:
			return err
		case !entry.IsDir() && slices.Contains(extensions, path.Ext(name)):
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, unlisted(dir, err)
	}
	return names, nil
}
