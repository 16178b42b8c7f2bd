package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/checks"
)

func newExplain(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "explain [CODE]", Short: "Explain what a finding means and how to fix it; without a CODE, print the whole rule book",
		Example: "  closeout explain scope.forbidden\n  closeout explain scope",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explained(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return ruleBook(std.out)
			}
			return explain(args[0], std.out)
		},
	}
}

// explained are the words that explain knows: all codes, and the names of the checks.
func explained() []string {
	var codes []string
	for _, c := range checks.Documented {
		codes = append(codes, c.ID)
		for _, k := range c.Codes {
			codes = append(codes, k.Name)
		}
	}
	return codes
}

// explain prints the page of the check that reports a code, or of the check with that name. Case does not matter.
func explain(what string, w io.Writer) error {
	name := strings.ToLower(what)
	c := checks.ByCode(name)
	for _, other := range checks.Documented {
		if other.ID == name {
			c = other
		}
	}
	if c == nil {
		return fmt.Errorf("there is no finding %q%s see closeout explain for all of them", what, didYouMean(name, explained(), ""))
	}
	_, err := io.WriteString(w, checks.Doc(c.ID))
	return err
}

// ruleBook prints every check's page, a table of all codes first.
func ruleBook(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# The rule book\n\n| code | severity | check |\n|---|---|---|\n")
	for _, c := range checks.Documented {
		for _, k := range c.Codes {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.Severity, c.ID)
		}
	}
	for _, c := range checks.Documented {
		b.WriteString("\n" + checks.Doc(c.ID))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newSchema(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "Print a JSON Schema; without a NAME, the names of all",
		Example: "  closeout schema scope_contract > scope_contract.schema.json",
		Args:    cobra.MaximumNArgs(1),
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
		Use: "version", Short: "Print the version", Example: "  closeout version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return printVersion(std.out) },
	}
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "closeout %s %s %s/%s\n", verify.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
