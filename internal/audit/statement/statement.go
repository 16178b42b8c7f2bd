// Package statement says a verdict in a form that other tools read: an in-toto statement with SLSA's verification summary. It
// signs nothing.
package statement

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// VerifierID names closeout as the verifier.
const VerifierID = "https://github.com/closeout-gate/closeout"

// The results of a summary.
const (
	passed = "PASSED"
	failed = "FAILED"
)

// DefaultServer is where the repository of a report is when nothing else is said.
const DefaultServer = "https://github.com/"

// Options say what a report does not contain.
type Options struct {
	// Repository is the address of the repository, https://HOST/OWNER/NAME; "" is that of the report on github.com. It must end in
	// the name that the report contains.
	Repository string
	Subjects   []report.Resource // more subjects; see [ParseSubject]
}

// New says the verdict of a report. sha256 is the digest of the report's file, which is the first subject; the commit of the head
// is the second one. A report that was read must match its schema. The error says what the report lacks.
func New(r *report.Report, sha256 string, o Options) (*report.Statement, error) {
	summary, err := Summary(r, o.Repository)
	if err != nil {
		return nil, err
	}
	subjects := []report.Resource{{Name: report.FileName, Digest: map[string]string{"sha256": sha256}}}
	if head := r.Subject.HeadSHA; head != nil {
		repository, _ := repositoryOf(r, o.Repository)
		subjects = append(subjects, report.Resource{Name: "git+" + repository, Digest: map[string]string{"gitCommit": *head}})
	}
	return &report.Statement{
		Type: report.StatementType, PredicateType: report.SummaryType, Predicate: *summary, Subject: append(subjects, o.Subjects...),
	}, nil
}

// Summary is the predicate of a statement about a report.
func Summary(r *report.Report, repository string) (*report.Summary, error) {
	repository, err := repositoryOf(r, repository)
	if err != nil {
		return nil, err
	}
	if r.NotJudged() {
		return nil, errors.New("the report says that nothing was judged, because applies_to of the contract leaves out the author: there is no verdict to state; write statements only for reports without the finding " + report.CodeNotApplicable)
	}
	s := &report.Summary{
		Verifier:           report.Verifier{ID: VerifierID, Version: map[string]string{r.Tool.Name: r.Tool.Version}},
		VerificationResult: failed, VerifiedLevels: []string{failed},
	}
	switch {
	case r.Subject.PullRequest != nil:
		s.ResourceURI = fmt.Sprintf("%s/pull/%d", repository, *r.Subject.PullRequest)
	case r.Subject.HeadSHA != nil:
		s.ResourceURI = repository + "/commit/" + *r.Subject.HeadSHA
	default:
		return nil, errors.New("the report names neither a pull request nor a head, so that a statement would be about nothing: judge two commits, or facts that name them")
	}
	for i := range r.Inputs {
		in := &r.Inputs[i]
		s.InputAttestations = append(s.InputAttestations, inputOf(in, repository))
		if in.Kind == string(check.Contract) && s.Policy.Digest == nil {
			s.Policy = inputOf(in, repository)
		}
	}
	if s.Policy.Digest == nil {
		return nil, errors.New("the report lists no standing contract, so that a statement would name no policy: a verdict without a contract is no verdict about one")
	}
	if r.Verdict == report.Passed || r.Verdict == report.Overridden {
		s.VerificationResult = passed
		s.VerifiedLevels = []string{"CLOSEOUT_" + strings.ToUpper(r.Verdict), "CLOSEOUT_EVIDENCE_" + strings.ToUpper(string(lowest(r)))}
	}
	return s, nil
}

// lowest is the lowest evidence level of all criteria: absent where no criterion was judged.
func lowest(r *report.Report) input.Level {
	if len(r.Acceptance) == 0 {
		return input.Absent
	}
	level := input.Recorded
	for _, a := range r.Acceptance {
		if own := input.Level(a.Level); own.Rank() < level.Rank() {
			level = own
		}
	}
	return level
}

// repositoryOf is the address of the repository of a report.
func repositoryOf(r *report.Report, address string) (string, error) {
	name := r.Subject.Repository
	_, rest, _ := strings.Cut(address, "//")
	_, named, _ := strings.Cut(rest, "/") // by https://HOST/OWNER/NAME
	switch {
	case name != nil && !isRepository(*name):
		return "", fmt.Errorf("the report names the repository %q: expected OWNER/NAME, as in a report that closeout wrote", *name)
	case name == nil && address == "":
		return "", errors.New("the report names no repository: say which it is with --link-base https://HOST/OWNER/REPOSITORY")
	case address == "":
		return DefaultServer + escaped(*name), nil
	case name != nil && !strings.EqualFold(named, *name):
		return "", fmt.Errorf("--link-base is %q, and the report is about the repository %q: name the address of that one", address, *name)
	}
	return address, nil
}

// isRepository reports whether a name is OWNER/NAME, so that an address with it leads nowhere else.
func isRepository(name string) bool {
	owner, rest, found := strings.Cut(name, "/")
	leads := func(part string) bool { return part == "" || part == "." || part == ".." }
	return found && !leads(owner) && !leads(rest) && !strings.Contains(rest, "/")
}

// inputOf names an input: the file of a commit where that is known, else its path.
func inputOf(in *report.Input, repository string) report.Resource {
	uri := escaped(in.Path)
	if in.Ref != nil {
		uri = repository + "/blob/" + url.PathEscape(*in.Ref) + "/" + uri
	}
	return report.Resource{URI: uri, Digest: map[string]string{"sha256": in.SHA256}}
}

// escaped is a path in an address. A colon is escaped too: before it would be the scheme of another address.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

// ParseSubject reads NAME@sha256:HEX. A name may contain @ and :.
func ParseSubject(text string) (report.Resource, error) {
	at := strings.LastIndex(text, "@sha256:")
	if at <= 0 || !input.IsLowerHex(text[at+len("@sha256:"):], 64) || slices.ContainsFunc([]rune(text), func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return report.Resource{}, fmt.Errorf("--subject is %q: expected NAME@sha256: and 64 lower-case hexadecimal digits", text)
	}
	return report.Resource{Name: text[:at], Digest: map[string]string{"sha256": text[at+len("@sha256:"):]}}, nil
}

// Text is the statement, or the predicate alone.
func Text(predicate bool, r *report.Report, sum string, o Options) ([]byte, error) {
	if predicate {
		summary, err := Summary(r, o.Repository)
		if err != nil {
			return nil, err
		}
		return report.CanonicalSummary(summary)
	}
	s, err := New(r, sum, o)
	if err != nil {
		return nil, err
	}
	return report.CanonicalStatement(s)
}
