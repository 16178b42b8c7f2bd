package record

import "slices"

// Commit commits what git sees in the work tree, without the evidence directory, if there is anything. The name becomes that of
// author and committer. No hook of the repository is run, and nothing is signed.
func (g *Git) Commit(evidence, message, name string) error {
	t := treeMaker{Git: *g, evidence: evidence}
	t.env = append(slices.Clone(g.env), g.settings()...)
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		t.env = append(t.env, "GIT_"+role+"_NAME="+name, "GIT_"+role+"_EMAIL=loop@closeout.invalid")
	}
	if err := t.add(); err != nil {
		return err
	}
	if _, err := t.run("diff", "--cached", "--quiet", "HEAD"); err == nil {
		return nil // nothing was changed
	}
	_, err := t.run("commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message)
	return err
}
