package verify

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
)

// codeForm is the first line of what an override code is made of. Another form gets another name, so that no code of one
// form is a code of the other.
const codeForm = "closeout.override/v2"

// The code has 24 symbols of base32, 120 bits: nobody can search for two sets of findings, or two heads, with one code.
const (
	codeBytes = 15
	codeGroup = 4
)

// bound is what an override code binds a reason to, beside the findings. The zero value of a field is not known.
type bound struct {
	repository  string // the numeric id, which survives a rename; the name where there is no id
	pullRequest int64
	baseBranch  string
	head        string
}

// bound takes from the facts what the code binds. What the subject leaves open is taken from the live pull request: a
// value that is left out must not be one that can be changed without a new code.
func (j *judge) bound() bound {
	f := j.in.Facts
	if f == nil {
		return bound{}
	}
	s := &f.Subject
	b := bound{firstOf(s.RepositoryID, s.Repository), s.PullRequest, s.BaseBranch, s.HeadSHA}
	if f.GitHub != nil && f.GitHub.PullRequest != nil {
		live := f.GitHub.PullRequest
		b.baseBranch = firstOf(b.baseBranch, live.BaseBranch)
		if b.pullRequest == 0 {
			b.pullRequest = live.Number
		}
	}
	return b
}

// code is the override code of findings with these fingerprints: what a reason must hold to be about them. nil when
// there is none.
func (b bound) code(fingerprints []string) *string {
	if len(fingerprints) == 0 {
		return nil
	}
	number := ""
	if b.pullRequest > 0 {
		number = fmt.Sprint(b.pullRequest)
	}
	h := sha256.New()
	for _, line := range append([]string{codeForm, b.repository, number, b.baseBranch, b.head}, slices.Sorted(slices.Values(fingerprints))...) {
		h.Write([]byte(line + "\n"))
	}
	symbols := strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)[:codeBytes]))
	var groups []string
	for group := range slices.Chunk([]byte(symbols), codeGroup) {
		groups = append(groups, string(group))
	}
	code := strings.Join(groups, "-")
	return &code
}
