package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/statement"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
)

const statementLong = `statement says the verdict of a report as an in-toto statement with SLSA's verification summary (VSA), for tools that
read such statements. Nothing is judged, nothing is signed, and no file is written.

--form vsa is the whole statement, about the report's sha256 and the commit of the head. --form predicate is the predicate
alone, as the action actions/attest takes it as predicate-path. The result is PASSED for passed and overridden, and FAILED
for failed and review.

REPORT is a verification_report.json, a directory that contains one, or - for standard input.

Exit codes: 0 the statement is printed, whatever the verdict; 2 it is not a report, or lacks what a statement needs: a
contract, a subject, and something that was judged.`

// statementForms are the values of --form, the default first.
var statementForms = []string{"vsa", "predicate"}

type statementFlags struct {
	form, linkBase string
	subjects       []string
}

func newStatement(std console.Streams) *cobra.Command {
	f := &statementFlags{}
	c := &cobra.Command{
		Use: "statement REPORT", Short: "Write a verdict as an in-toto statement, to sign", Long: statementLong,
		Example: "  closeout statement verification_report.json\n  closeout statement verification_report.json --form predicate > predicate.json",
		Args:    oneReport,
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(args[0], std) },
	}
	flags := c.Flags()
	flags.StringVar(&f.form, "form", statementForms[0], "`form` of the output: "+strings.Join(statementForms, ", "))
	flags.StringVar(&f.linkBase, "link-base", "", "where the repository is: `https://HOST/OWNER/REPOSITORY` (default that of the report, on github.com)")
	flags.StringArrayVar(&f.subjects, "subject", nil, "one more subject, such as an image: `NAME@sha256:HEX`; may be repeated")
	return c
}

func (f *statementFlags) run(name string, std console.Streams) error {
	if err := input.OneOf("--form is", f.form, statementForms); err != nil {
		return err
	}
	if f.form == "predicate" && len(f.subjects) > 0 {
		return errors.New("--subject requires --form vsa: a predicate has no subject, the tool that signs it names them")
	}
	if err := page.CheckLinkBase(f.linkBase); err != nil {
		return err
	}
	o := statement.Options{Repository: f.linkBase}
	for _, text := range f.subjects {
		subject, err := statement.ParseSubject(text)
		if err != nil {
			return err
		}
		o.Subjects = append(o.Subjects, subject)
	}
	data, r, err := run.ReportBytes(name, std)
	if err != nil {
		return err
	}
	text, err := statement.Text(f.form == "predicate", r, input.Digest(data), o)
	if err == nil {
		_, err = console.JSON(std.Out).Write(text)
	}
	return err
}
