package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	rerun "github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

// IsDirectory reports whether a name leads to a directory.
func IsDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// NotABundle adds to the error of a word that is not a BUNDLE what was most likely meant: a single input, a report, a
// branch or a range of commits.
func NotABundle(command, word string, err error) error {
	verify := "closeout verify"
	if info, statErr := os.Stat(word); (statErr == nil && !info.IsDir()) || filepath.Base(word) == report.FileName { // an older report is gone by now
		return fmt.Errorf("%w: name the directory that contains it: %s %s", err, command, filepath.ToSlash(filepath.Dir(word)))
	}
	if base, head, isRange := cutRange(word); isRange {
		return fmt.Errorf("%w: to judge a range of commits, write %s --base %s --head %s", err, verify, base, head)
	}
	if Resolves(word) {
		return fmt.Errorf("%w, but %q is a commit: to judge the changes since it, write %s --base %s", err, word, verify, word)
	}
	return fmt.Errorf("%w: name a directory that contains the inputs, or write %s --base %s", err, verify, cmp.Or(UsualBase(), "BRANCH"))
}

// Replayed is a bundle that was judged again.
type Replayed struct {
	Before *report.Report // as it was written
	Found  *collect.Found
	*rerun.Result
}

// JudgeAgain judges a bundle again for a command, which an error about another argument names.
func JudgeAgain(command, dir string, parsed *contract.Cache) (*Replayed, error) {
	old, err := collect.Report(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q contains no %s: run closeout verify first", dir, report.FileName)
	}
	if err != nil && !IsDirectory(dir) {
		return nil, NotABundle(command, dir, err)
	}
	name := filepath.ToSlash(filepath.Join(dir, report.FileName))
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", name, input.Reason(err))
	}
	r := &Replayed{}
	if r.Before, err = ReadReport(name, old); err != nil {
		return nil, err
	}
	if r.Found, err = collect.Bundle(dir); err != nil {
		return nil, err
	}
	r.Found.Parsed = parsed
	err = Caught(func() (err error) {
		r.Result, err = rerun.Run(old, r.Before, r.Found.Bundle)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
