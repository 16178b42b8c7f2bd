package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
)

func newSchema(std console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print a JSON Schema; without a NAME, the names of all",
		Example: "  closeout schema scope_contract > scope_contract.schema.json",
		Args:    oneWord("NAME"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schema.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(std.Out, strings.Join(schema.Names(), "\n"))
				return err
			}
			text, err := schema.Text(args[0])
			if err != nil {
				return input.OneOf("unknown schema", args[0], schema.Names())
			}
			_, err = std.Out.Write(text)
			return err
		},
	}
}

func newVersion(std console.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  closeout version", Args: noWords(""),
		RunE: func(*cobra.Command, []string) error { return printVersion(std.Out) },
	}
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "closeout %s %s %s/%s\n", verify.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
