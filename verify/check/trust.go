package check

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// IsTrial reports whether the change brings the standing contract, where the base has none: the change is judged by it, so that a
// person sees what it will require. A merge group and what no person reviews are never a trial.
func (in *Inputs) IsTrial() bool {
	f := in.Facts
	if in.Policy == nil || f == nil || !f.Trial || f.Membership != nil || f.Settings.Unattended || in.Group != nil {
		return false
	}
	s := &in.Policy.Sources[0]
	if s.IsTask() || s.Trust != facts.TrustHead {
		return false
	}
	i := slices.IndexFunc(in.Changes, func(c JudgedPath) bool { return c.Path == s.Path })
	if i < 0 {
		return in.TriesContract() // a person need not have committed it
	}
	return policy.AddsStanding(&in.Changes[i].Change)
}

// TriesContract reports whether a person tries a contract before there is a change. A pull request is never a trial.
func (in *Inputs) TriesContract() bool {
	f := in.Facts
	return f != nil && f.Trial && !f.AboutPullRequest() && f.Event.Name == "" && f.Membership == nil
}

// Untrusted says why a contract cannot be trusted, because the change itself could have written it: a standing one that
// only the head contains, one whose origin the facts do not name, and an operator's that the change touches. "" when it can.
func (in *Inputs) Untrusted(s *policy.Source) (message, actual string) {
	switch {
	case s.Trust == "":
		return "the facts do not say where this contract comes from", "no entry in the facts"
	case s.Trust == facts.TrustHead && s.Kind == string(Contract):
		return "the standing contract comes from the change that it judges", "read from the head"
	case s.Trust == facts.TrustOperator && s.HeadHolds:
		return "the contract that was supplied is a file of the head, and the change may have written it", "the head's tree contains it"
	case s.Trust == facts.TrustOperator && in.touches(s.RepoPaths):
		return "the contract that was supplied is a file that the change edits", "the change touches it"
	}
	return "", ""
}

// Trusted reports whether the change certainly did not write a contract. An operator's contract that may be a file of
// the repository cannot be trusted while the touched paths are unknown.
func (in *Inputs) Trusted(s *policy.Source) bool {
	message, _ := in.Untrusted(s)
	unseen := s.Trust == facts.TrustOperator && len(s.RepoPaths) > 0 && in.State[Changes] != Usable
	return message == "" && !unseen
}

// touches reports whether the head contains one of some paths because of the change: the change touches it, or puts a
// symlink on the way to it.
func (in *Inputs) touches(paths []string) bool {
	return slices.ContainsFunc(in.Changes, func(c JudgedPath) bool {
		return c.Status != change.Deleted && slices.ContainsFunc(paths, func(path string) bool {
			return c.Path == path || strings.HasPrefix(path, c.Path+"/")
		})
	})
}
