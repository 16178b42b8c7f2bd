package verify

import (
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
)

// testsFolder is where a bundle keeps test reports, each under its path in the repository.
const testsFolder = "tests/"

// checkListed notes each file that the facts list and that is not there: what it says might have blocked. Facts about a
// pull request of a merge group may also list files of the group.
func (j *judge) checkListed() {
	if j.in.Facts == nil {
		return
	}
	there := map[string]check.Kind{}
	for _, in := range append(slices.Clip(j.group.Inputs), j.bundle.Inputs...) {
		there[in.Name] = in.Kind
	}
	for _, o := range j.in.Facts.Contracts {
		if kind := there[o.File]; kind != check.Contract && kind != check.TaskContract {
			j.notThere("contracts", o.File)
		}
	}
	for _, f := range j.in.Facts.Files {
		if there[f.File] == "" && !j.hasTestReport(f.File) {
			j.notThere("files", f.File)
		}
	}
}

// hasTestReport reports whether a listed name is that of a test report that can be read: a directory is none.
func (j *judge) hasTestReport(file string) bool {
	name, ok := strings.CutPrefix(file, testsFolder)
	find := j.bundle.TestReport
	if find == nil {
		find = j.group.TestReport
	}
	if !ok || find == nil || name == "" || path.Clean("/"+name) != "/"+name {
		return false
	}
	open := find(name)
	if open == nil {
		return false
	}
	r, err := open()
	if err != nil {
		return false
	}
	_, err = r.Read(make([]byte, 1))
	return errors.Join(err, r.Close()) == nil || err == io.EOF
}

func (j *judge) notThere(list, file string) {
	j.in.Problems = append(j.in.Problems, check.Problem{Kind: check.Facts, Path: j.folder + "facts.json", Error: diag.Error{
		Where: "/" + list, Message: "the facts list a file that is not among the inputs", Found: "no input " + diag.QuotePath(file),
		Expected: "an input " + diag.QuotePath(file), Fix: "copy the whole bundle, or collect it anew; correct the entry if the facts are written by hand",
	}})
}
