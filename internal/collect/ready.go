package collect

import (
	"errors"
	"slices"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/policy"
)

// Ready is the policy of the contracts for the changes of a comparison, with the files that commands name and the task contract
// that the change adds, as the judge makes it. It is for those who ask about a path before there is a change.
func (k *Contracts) Ready(c *Comparison) (*policy.Policy, error) {
	for _, u := range append(c.Unavailable, k.Unavailable...) {
		return nil, errors.New(u.Error)
	}
	for _, p := range k.Problems {
		return nil, errors.New(p.Path + ": " + p.Message)
	}
	if k.Policy == nil {
		return nil, errors.New("the contracts make no policy")
	}
	p, err := WithArguments(k.Policy, c.Objects, c.Base)
	if err != nil {
		return nil, err
	}
	if k.commit != "" {
		return p, nil
	}
	var added []string
	for _, name := range addedTasks(c.Changes) {
		if slices.ContainsFunc(p.Sources, func(s policy.Source) bool { return s.Path == name }) {
			added = append(added, name)
		}
	}
	return p.WithAddedTasks(added), nil
}

// WithArguments is a policy with the files of a commit that its commands name, also through links.
func WithArguments(p *policy.Policy, objects Objects, commit string) (*policy.Policy, error) {
	f := &facts.Facts{}
	addArguments(f, &Comparison{Objects: objects, Base: commit}, &Contracts{Policy: p})
	for _, u := range f.Unavailable {
		return nil, errors.New(u.Error)
	}
	return p.WithArguments(f.ArgumentPaths), nil
}
