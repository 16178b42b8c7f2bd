package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/run"
)

// addRepo adds the flag that names the repository. with says which flag it belongs to.
func addRepo(flags *pflag.FlagSet, to *string, with string) {
	flags.StringVar(to, "repo", "", "the git repository: its `directory`, one inside it, or a bare one (default the enclosing one)"+with)
}

// checkTrees refuses flags that do not go together.
func checkTrees(t *run.Trees, flags *pflag.FlagSet) error {
	if t.Base == "" && flags.Changed("base") {
		return fmt.Errorf("--base is empty: name the commit to compare with, such as --base %s", cmp.Or(run.UsualBase(), "main"))
	}
	if t.Base == "" {
		for _, name := range []string{"head", "repo", "contract", "bundle", "base-tests"} {
			if flags.Changed(name) {
				return fmt.Errorf("--%s requires --base, the commit to compare with", name)
			}
		}
		return nil
	}
	switch {
	case flags.Changed("facts"):
		return errors.New("--facts cannot be given beside --base, which collects the facts itself")
	case flags.Changed("contract") && flags.Changed("contract-file"):
		return errors.New("--contract names a file of the base, --contract-file one on disk: give one of them")
	}
	return nil
}
