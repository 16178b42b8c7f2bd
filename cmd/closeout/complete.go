package main

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/audit/pages"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/start/backtest"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// completions give the values of flags, by name. Files are what a shell completes without them.
var completions = map[string]func(*cobra.Command) []string{
	"format":    formatsOf,
	"mode":      func(*cobra.Command) []string { return verify.Modes() },
	"color":     func(*cobra.Command) []string { return console.ColorModes },
	"base":      branches,
	"head":      branches,
	"branch":    branches,
	"task":      func(*cobra.Command) []string { return taskIDs() },
	"criterion": func(*cobra.Command) []string { return criterionIDs() },
	"only":      func(*cobra.Command) []string { return append(criterionIDs(), "rules") },
}

// directories are the flags whose value is a directory.
var directories = []string{"bundle", "repo", "cwd", "evidence-dir", "found", "decision"}

// completeFlags lets a shell complete the values of the flags of all commands.
func completeFlags(c *cobra.Command) {
	complete := func(f *pflag.Flag) {
		values := completions[f.Name]
		switch {
		case values != nil:
			_ = c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return values(c), cobra.ShellCompDirectiveNoFileComp
			}) // it fails for a second function of a flag
		case slices.Contains(directories, f.Name):
			_ = c.RegisterFlagCompletionFunc(f.Name, onlyDirectories)
		}
	}
	c.LocalFlags().VisitAll(complete)
	if path := c.CommandPath(); path == "closeout verify" || path == "closeout replay" {
		c.ValidArgsFunction = onlyDirectories
	}
	for _, below := range c.Commands() {
		completeFlags(below)
	}
}

func onlyDirectories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// formatsOf lists the formats of a command.
func formatsOf(c *cobra.Command) []string {
	switch strings.TrimPrefix(c.CommandPath(), "closeout ") {
	case "lint":
		return present.LintFormats
	case "diff", "rules":
		return diffFormats
	case "show":
		return showFormats()
	case "item status", "status":
		return item.StatusFormats
	case "audit":
		return pages.Formats
	case "backtest":
		var names []string
		for _, f := range backtest.Formats {
			names = append(names, f.Name)
		}
		return names
	}
	return strings.Split(run.FormatNames(), ", ")
}

// branches lists the branches of the repository of a call.
func branches(c *cobra.Command) []string {
	dir := "."
	if repo := c.Flags().Lookup("repo"); repo != nil && repo.Value.String() != "" {
		dir = repo.Value.String()
	}
	git, err := collect.OpenGit(dir, input.DefaultLimits())
	if err != nil {
		return nil
	}
	defer git.Close()
	return git.Branches()
}

// workTree is the root of the work tree around us; "" when there is none.
func workTree() string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	root, _ := record.Find(here) // "" with an error
	return root
}

// taskIDs lists the task contracts of the work tree.
func taskIDs() []string {
	root, err := os.OpenRoot(workTree())
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := fs.ReadDir(root.FS(), policy.TasksDir) // none with an error
	var ids []string
	for _, entry := range entries {
		for _, extension := range policy.ContractExtensions {
			if id, found := strings.CutSuffix(entry.Name(), extension); found && contract.ValidTaskID(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// criterionIDs lists the criteria of the standing contract of the work tree.
func criterionIDs() []string {
	root := workTree()
	if root == "" {
		return nil
	}
	standing := record.Standing(root)
	if standing == nil {
		return nil
	}
	var ids []string
	for _, criterion := range standing.Criteria {
		ids = append(ids, criterion.ID)
	}
	return ids
}

// completed is where completions go. The script of a shell reads their last line, such as ":4", which nothing may change.
type completed struct{ io.Writer }

var directive = input.Lazily(`^:[0-9]+\n$`)

func (c completed) Write(p []byte) (int, error) {
	if directive().Match(p) {
		return console.Bare(c.Writer).Write(p)
	}
	return c.Writer.Write(p)
}
