package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
)

func newSchema(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print a JSON Schema; without a NAME, the names of all",
		Example: "  closeout schema scope_contract > scope_contract.schema.json",
		Args:    oneWord("NAME"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schema.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(std.out, strings.Join(schema.Names(), "\n"))
				return err
			}
			text, err := schema.Text(args[0])
			if err != nil {
				return fmt.Errorf("unknown schema %q%s expected one of %s", args[0], didYouMean(args[0], schema.Names(), ""), strings.Join(schema.Names(), ", "))
			}
			_, err = std.out.Write(text)
			return err
		},
	}
}

func newVersion(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  closeout version", Args: noWords(""),
		RunE: func(*cobra.Command, []string) error { return printVersion(std.out) },
	}
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "closeout %s %s %s/%s\n", verify.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
