package collect

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// ReadReports reads both versions of the test reports that the contracts name, before [Comparison.RunRules]: that of the head,
// which was found, and that of the base, which the operator supplies or the merge base contains. A report of the head that is
// missing or malformed is for the judge to find.
func (c *Comparison) ReadReports(f *Found, contracts *Contracts) {
	for _, name := range contracts.testReports() {
		head := f.headNames(name)
		if head == nil {
			continue
		}
		base, note, err := c.baseNames(f, name)
		switch {
		case err != nil:
			c.Unavailable = append(c.Unavailable, unavailable(facts.WantedDiffRules, name, err))
		case base != nil || note != "":
			c.reports = append(c.reports, rules.TestReports{Path: name, Base: base, Head: head, Note: note})
		}
	}
}

// baseNames reads a test report of the base. The note says that the operator supplied reports, and not this one.
func (c *Comparison) baseNames(f *Found, name string) (names *reports.TestNames, note string, err error) {
	if f.baseTests != nil {
		open, err := f.baseTests(name)
		if err != nil || open == nil {
			return nil, "there is no report of the base", err
		}
		names, err = testNames(open)
		return names, "", err
	}
	if len(c.MergeBases) == 0 {
		return nil, "", nil
	}
	data, err := blobAt(c.Objects, c.MergeBases[0], name, input.DefaultLimits().RulesBytes)
	if err != nil || data == nil {
		return nil, "", err
	}
	names, err = testNames(bytesOpener(data))
	return names, "", err
}

// testNames reads the names of a test report.
func testNames(open verify.Opener) (*reports.TestNames, error) {
	file, err := open()
	if err != nil {
		return nil, input.Reason(err)
	}
	defer file.Close()
	names, errs := reports.ReadTestNames(file, input.DefaultLimits())
	if errs.Any() {
		return nil, fmt.Errorf("the test report of the base cannot be read: %s", errs.All()[0].Message)
	}
	return names, nil
}

// mostEntries is how many files and directories are searched for a report of the base.
const mostEntries = 10_000

// baseReport finds a report in the directory of the base's reports: at its path, else the only file with its name. An upload of
// artifacts leaves out the directories that all files share. It is nil where there is none.
func (f *finder) baseReport(dir, name string) (verify.Opener, error) {
	exact := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Lstat(exact); err == nil && info.Mode().IsRegular() {
		return f.otherThanHead(exact, name)
	}
	found, entries := "", 0
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if entries++; entries > mostEntries {
			return fmt.Errorf("%q contains more than %d files: name the directory with the test reports of the base", f.shown(dir), mostEntries)
		}
		if err != nil || entry.Name() != path.Base(name) || !entry.Type().IsRegular() {
			return skipMissing(err)
		}
		if found != "" {
			return fmt.Errorf("%q contains several files named %s, and none at %s", f.shown(dir), path.Base(name), name)
		}
		found = file
		return nil
	})
	if err != nil || found == "" {
		return nil, err
	}
	return f.otherThanHead(found, name)
}

// otherThanHead opens a report of the base. The report of the head in its place would say that nothing has changed.
func (f *finder) otherThanHead(file, name string) (verify.Opener, error) {
	base, err := os.Stat(file)
	if err != nil {
		return nil, input.Reason(err)
	}
	if head, err := os.Stat(filepath.Join(f.options.Names, filepath.FromSlash(name))); err == nil && os.SameFile(base, head) {
		return nil, fmt.Errorf("%q is the test report of the change itself: name a directory that only the base branch writes to", f.shown(file))
	}
	return f.open(file, false), nil
}

// skipMissing lets a directory be missing: the first run on a base has no reports of it.
func skipMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return input.Reason(err)
}
