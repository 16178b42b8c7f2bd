package verify

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
)

// codeForm is the first line of the text that an override code is the hash of. Another form gets another name, so that no
// code of one form is a code of the other.
const codeForm = "closeout.override/v2"

// The code has 24 symbols of base32, 120 bits: a search for two sets of findings, or two heads, with one code is hopeless.
const (
	codeBytes = 15
	codeGroup = 4
)

// bound is what an override code binds a reason to, beside the findings. The zero value of a field is unknown.
type bound struct {
	repository  string // the numeric id, which survives a rename; the name where there is no id
	pullRequest int64
	baseBranch  string
	head        string
}

// boundOf returns what the code binds. What the subject of the facts does not say is that of the live pull request: a value
// that is not bound could change without a new code.
func boundOf(f *facts.Facts) bound {
	if f == nil {
		return bound{}
	}
	s := &f.Subject
	b := bound{cmp.Or(s.RepositoryID, s.Repository), s.PullRequest, s.BaseBranch, s.HeadSHA}
	if f.GitHub != nil && f.GitHub.PullRequest != nil {
		live := f.GitHub.PullRequest
		b.baseBranch, b.pullRequest = cmp.Or(b.baseBranch, live.BaseBranch), cmp.Or(b.pullRequest, live.Number)
	}
	return b
}

// code is the override code of findings with these fingerprints: a reason about them must contain it. nil when there are no
// findings.
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
