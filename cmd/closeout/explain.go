package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/audit/audit"
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/checks"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

func newExplain(std console.Streams) *cobra.Command {
	var whole bool
	c := &cobra.Command{
		Use: "explain [CODE]", Short: "Explain what a finding means and how to fix it",
		Example: "  closeout explain scope.forbidden\n  closeout explain scope.forbidden --all\n" +
			"  closeout explain scope\n  closeout explain closeout/test-skipped",
		Args: oneWord("CODE"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explained(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return ruleBook(std.Out)
			}
			return explain(args[0], whole, std.Out)
		},
	}
	c.Flags().BoolVar(&whole, "all", false, "print all that the page says about the code, with its lists, and what the check does")
	return c
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

// documented are the gate's checks and the pages of lint, of audit and of the items, whose codes are not findings of
// the gate.
func documented() []*check.Check {
	items := &check.Check{ID: itemsPage}
	names, severities := item.Codes()
	for i, name := range names {
		items.Codes = append(items.Codes, check.Code{Name: name, Severity: input.Severity(severities[i])})
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

// explain prints what to do about a finding with a code, then why it is one; with whole, everything that its page says. The name of a
// check stands for its page. Case does not matter.
func explain(what string, whole bool, w io.Writer) error {
	name := strings.ToLower(what)
	all := documented()
	at := slices.IndexFunc(all, func(c *check.Check) bool {
		return c.ID == name || slices.ContainsFunc(c.Codes, func(k check.Code) bool { return k.Name == name })
	})
	if at < 0 {
		rule := cmp.Or(rules.ByID(name), rules.ByID(reports.DiffPrefix+name))
		if rule == nil {
			return fmt.Errorf("there is no finding %q%s see closeout explain for all of them", what, codeMeant(name))
		}
		if whole {
			return showPage(w, rule.Page())
		}
		_, text, _ := strings.Cut(rule.Page(), "\n\n")
		return showPage(w, brief(rule.ID+": "+rule.Title, text))
	}
	page := pageOf(all[at].ID)
	about, found := checks.SectionOf(page, name)
	switch {
	case !found: // the name of the check
		return showPage(w, page)
	case whole:
		intro, _, _ := strings.Cut(page, "\n## ")
		if strings.Count(page, "\n## ") > 1 {
			about += "\nThe whole page: `closeout explain " + all[at].ID + "`.\n"
		}
		return showPage(w, intro+"\n## "+name+"\n"+about)
	}
	return showPage(w, brief(name, about))
}

// codeMeant asks for the codes that a word may mean: the code that it almost spells, or else each code whose last part it is.
func codeMeant(word string) string {
	var same []string
	for _, code := range explained() {
		if strings.HasSuffix(code, "."+word) {
			same = append(same, strconv.Quote(code))
		}
	}
	if len(same) == 0 {
		return input.DidYouMean(word, explained(), "")
	}
	return " (did you mean " + strings.Join(same, " or ") + "?):"
}

// brief is what a page says first about a code: what to do, why, and an example.
func brief(head, text string) string {
	var fix, why []string
	example := ""
	for part := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		switch {
		case len(fix) > 0 || strings.HasPrefix(part, howToFix): // the last thing that a page says about a code
			fix = append(fix, strings.TrimPrefix(part, howToFix))
		case strings.HasPrefix(part, "    "):
			example = cmp.Or(example, part)
		case len(why) == 0 || onlySeverity(why) || strings.HasSuffix(why[len(why)-1], ":"): // a list follows
			why = append(why, part)
		}
	}
	shown := []string{"# " + head}
	if len(fix) > 0 {
		shown = append(shown, "**What to do:** "+strings.Join(fix, "\n\n"))
	}
	shown = append(shown, why...)
	if example != "" {
		shown = append(shown, example)
	}
	code, _, _ := strings.Cut(head, ": ")
	return strings.Join(append(shown, "`closeout explain "+code+" --all` says more."), "\n\n") + "\n"
}

// showPage shows a page of our own documentation: on a terminal, with lines that fit and bold headings.
func showPage(w io.Writer, text string) error {
	s := console.DisplayOf(w)
	if s.Color {
		w = console.Bare(w) // the text is ours
	}
	_, err := io.WriteString(w, present.Page(text, s.Width, s.Color))
	return err
}

// onlySeverity reports whether nothing but the severity of a diff rule, with the languages that it reads, was said of it.
func onlySeverity(why []string) bool { return len(why) == 1 && strings.Contains(why[0], "*: ") }

// howToFix begins the part of a page that says what to do.
const howToFix = "How to fix: "

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
