package run

import (
	"cmp"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// DiffRules runs the rules over two commits. What the repository does not contain ends in an exit code of its own.
func DiffRules(f *Trees, std console.Streams) (*reports.Diff, error) {
	unknown := func(err error) error {
		text := err.Error()
		if fix := collect.FixOf(err); fix != "" {
			text += " → " + fix
		}
		std.Tell("diff", "%s", text)
		return Exit{Code: ExitReview}
	}
	git, err := collect.OpenGit(cmp.Or(f.Repo, "."), input.DefaultLimits())
	if err != nil {
		return nil, err
	}
	defer git.Close()
	why := ""
	if f.Base, why, err = BaseName(git, f.Base, "diff"); err != nil {
		return nil, err
	}
	base, head, err := f.resolve(git)
	switch {
	case err != nil && collect.Unknowable(err):
		return nil, unknown(err)
	case err != nil:
		return nil, err
	}
	std.Tell("diff", "the base%s is %s (%.12s)", why, shortRef(f.Base), base)
	compared := collect.Compare(git, base, head)
	for _, u := range compared.Unavailable {
		if compared.Changes == nil {
			return nil, unknown(u.Err())
		}
	}
	found, err := compared.DiffRules()
	if err != nil {
		return nil, unknown(err)
	}
	return found, nil
}
