package main

import (
	"github.com/sethvargo/go-githubactions"
	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/github/action"
	"github.com/closeout-gate/closeout/internal/present/console"
)

const actionLong = `action is what the container runs on GitHub: it takes the inputs of action.yml from INPUT_*, reads the pull
request with the token, judges it with the files of the workspace, and writes the report, the step's outputs, the job
summary and annotations. Without a token it judges only the files, as verify does.

Exit codes: 0 passed or overridden, 1 failed, 2 wrong inputs or environment, 3 a fact is unknown.`

func newAction(std console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "action", Short: "Run as a GitHub action", Long: actionLong, Args: noWords(""),
		Example: "  INPUT_CONTRACT_FILE=scope_contract.json INPUT_DIFF=pr.diff GITHUB_WORKSPACE=$PWD closeout action",
		RunE: func(*cobra.Command, []string) error {
			return (&action.Action{Gha: githubactions.New(githubactions.WithWriter(console.Bare(std.Out))), Std: std}).Run()
		},
	}
}
