package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/audit/audit"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

func newExplain(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "explain [CODE]", Short: "Explain what a finding means and how to fix it",
		Example: "  closeout explain scope.forbidden\n  closeout explain scope\n  closeout explain closeout/test-skipped",
		Args:    oneWord("CODE"),
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

// explained are the words that explain knows: all codes, the names of the checks, and the ids of the diff rules.
func explained() []string {
	var codes []string
	for _, c := range documented() {
		codes = append(codes, c.ID)
		for _, k := range c.Codes {
			codes = append(codes, k.Name)
		}
	}
	return append(codes, rules.IDs()...)
}

// documented are the gate's checks and the pages of lint, of audit and of the items, whose codes are no findings of the gate.
func documented() []*checks.Check {
	items := &checks.Check{ID: itemsPage}
	names, severities := item.Codes()
	for i, name := range names {
		items.Codes = append(items.Codes, checks.Code{Name: name, Severity: input.Severity(severities[i])})
	}
	return append(slices.Concat(checks.Documented, lint.Pages, audit.Pages), items)
}

// itemsPage is the ID of the page about what is said beside an agent.
const itemsPage = "items"

// pageOf is the page with an ID.
func pageOf(id string) string {
	if id == itemsPage {
		return item.Page
	}
	return cmp.Or(checks.Doc(id), lint.Doc(id), audit.Doc(id))
}

// explain prints what the page of a check says about a code, or the page of the check with that name. Case does not matter.
func explain(what string, w io.Writer) error {
	name := strings.ToLower(what)
	all := documented()
	at := slices.IndexFunc(all, func(c *checks.Check) bool {
		return c.ID == name || slices.ContainsFunc(c.Codes, func(k checks.Code) bool { return k.Name == name })
	})
	if at < 0 {
		if rule := cmp.Or(rules.ByID(name), rules.ByID(reports.DiffPrefix+name)); rule != nil {
			return showPage(w, rule.Page())
		}
		return fmt.Errorf("there is no finding %q%s see closeout explain for all of them", what, didYouMean(name, explained(), ""))
	}
	return showPage(w, section(pageOf(all[at].ID), all[at].ID, name))
}

// explanation is what explain says about a code or a diff rule, without the title of its page.
func explanation(code string) string {
	if rule := rules.ByID(code); rule != nil {
		_, text, _ := strings.Cut(rule.Page(), "\n")
		return rule.Title + ".\n" + strings.TrimRight(text, "\n")
	}
	return checks.Section(code)
}

// section is what a page says in general and about one code. The name of the page stands for the whole page.
func section(text, id, name string) string {
	intro, _, _ := strings.Cut(text, "\n## ")
	_, rest, found := strings.Cut(text, "\n## "+name+"\n")
	if !found {
		return text
	}
	about, _, more := strings.Cut(rest, "\n## ")
	if more = more || strings.Count(text, "\n## ") > 1; more {
		about += "\nThe whole page: `closeout explain " + id + "`.\n"
	}
	return intro + "\n## " + name + "\n" + about
}

// ruleBook prints every check's page, a table of all codes first.
func ruleBook(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# The rule book\n\n| code | severity | check |\n|---|---|---|\n")
	for _, c := range documented() {
		for _, k := range c.Codes {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.Severity, c.ID)
		}
	}
	for _, c := range documented() {
		b.WriteString("\n" + pageOf(c.ID))
	}
	return showPage(w, b.String())
}

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
