package record

import (
	"maps"
	"slices"
	"strings"
)

// Commit commits what git sees in the work tree, without the evidence directory, if there is anything. The name becomes that of
// author and committer. No hook of the repository is run, no filter but that of Git LFS, and nothing is signed.
func (g *Git) Commit(evidence, message, name string, leave []string) error {
	filters, err := g.withoutFilters()
	if err != nil {
		return err
	}
	filters = slices.DeleteFunc(filters, func(s [2]string) bool { return strings.HasPrefix(s[0], "filter.lfs.") }) // it stores the files
	t := treeMaker{Git: *g, evidence: evidence, leave: leave}
	t.env = append(slices.Clone(g.env), "GIT_WORK_TREE="+g.root)
	t.env = append(t.env, configured(settings, filters)...)
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		t.env = append(t.env, "GIT_"+role+"_NAME="+name, "GIT_"+role+"_EMAIL=loop@closeout.invalid")
	}
	if err := t.add(nil); err != nil {
		return err
	}
	var only []string // what is left may be in the index already
	if len(leave) > 0 {
		only = t.code()
	}
	if _, err := t.run(append([]string{"diff", "--cached", "--quiet", "HEAD"}, only...)...); err == nil {
		return nil // nothing was changed
	}
	_, err = t.run(append([]string{"commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message}, only...)...)
	return err
}

// Person is the name of the caller, as git has it; "" for none.
func (g *Git) Person() string {
	name, err := g.run("config", "user.name")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(name)
}

// Differing are the paths at which the work tree differs from HEAD, without the evidence directory.
func (g *Git) Differing(evidence string) ([]string, error) {
	s, err := g.tree(evidence)
	return slices.Sorted(maps.Keys(s.changes)), err
}
