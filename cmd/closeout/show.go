package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/internal/run"
)

const showLong = `show prints a report in any format. Nothing is judged, and no file is written: whether the report is true, closeout replay
shows.

REPORT is a verification_report.json, a directory that contains one, or - for standard input.

Exit codes: 0 the report is printed, whatever its verdict; 2 it is not a report.`

func newShow(std console.Streams) *cobra.Command {
	var name, linkBase string
	var quiet bool
	c := &cobra.Command{
		Use: "show REPORT", Short: "Print a report as text, Markdown, JSON or a page", Long: showLong,
		Args:    oneReport,
		Example: "  closeout show verification_report.json --format markdown\n  closeout show verification_report.json --format html > page.html\n  closeout show - < verification_report.json",
		RunE: func(_ *cobra.Command, args []string) error {
			if name == "sarif" || name == "github" {
				return fmt.Errorf("show --format %s was removed: write closeout verify --format %s where the bundle is, or the input sarif of the action", name, name)
			}
			format, err := present.FormatNamed(name)
			if err != nil {
				return err
			}
			if err := page.CheckLinkBase(linkBase); err != nil {
				return err
			}
			_, r, err := run.ReportBytes(args[0], std)
			if err != nil {
				return err
			}
			return run.Print(std.Out, format, r, present.Options{Quiet: quiet, LinkBase: linkBase})
		},
	}
	formats := slices.DeleteFunc(present.FormatNames(), func(name string) bool { return name == "sarif" || name == "github" })
	c.Flags().StringVar(&name, "format", "text", "what to print: "+strings.Join(formats, ", "))
	c.Flags().StringVar(&linkBase, "link-base", "", "with --format html, link pull requests and commits to this repository: `https://HOST/OWNER/REPOSITORY`")
	c.Flags().BoolVar(&quiet, "quiet", false, "print only the summary line")
	return c
}
