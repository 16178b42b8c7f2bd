package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/audit/pages"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

const auditLong = `audit joins the commits of a branch with the archive of decisions, and says what was merged without a decision, against
it, or on whose word. It reads the clone alone: it asks no network, fetches nothing and writes nothing but the file of --output.

It walks the line of first parents. Each commit since the gate was adopted needs an entry of the archive; the content
that it brought must be the content that was judged, by a contract that the branch had; and judging the bundle again must
give the report that was written.

A commit without an entry may wait seven days for the archive, from the first date of it and the commits after it until
--as-of, which the result contains: the same clone, version and day give the same bytes.

Each commit of the archive must only add to it. Alone, the archive only agrees with itself: keep the id of its commit, and
name it with --since at the next audit. See docs/later.md.

Exit codes: 0 clean, 1 a finding blocks (with --fail-on warn also a warning), 2 wrong call or environment, 3 something
cannot be known and nothing blocks.`

// auditMemory is from where on the collector of garbage runs more often: it keeps the audit of 100,000 commits below 256 MiB.
const auditMemory = 225 << 20

type auditFlags struct {
	repo, format, out, failOn string
	with                      []string
	options                   clone.AuditOptions
}

func newAudit(std console.Streams) *cobra.Command {
	f := &auditFlags{}
	c := &cobra.Command{
		Use: "audit", Short: "Compare what was merged with what the gate decided", Long: auditLong, Args: noWords("--branch"),
		Example: "  closeout audit\n  closeout audit --since 2026-01-01 --format html -o audit.html",
		RunE:    func(*cobra.Command, []string) error { return f.run(std) },
	}
	flags := c.Flags()
	addRepo(flags, &f.repo, "")
	flags.StringVar(&f.options.Branch, "branch", "", "audit this `branch` or commit (default the default branch)")
	flags.StringVar(&f.options.Archive, "archive", "", "the branch or `commit` of the archive (default origin/closeout-archive, else closeout-archive)")
	flags.StringArrayVar(&f.options.Since, "since", nil, "the oldest `commit` that is audited, or a day as YYYY-MM-DD; or a commit of the archive that you kept, since which it must only have grown; may be given for both")
	flags.StringVar(&f.options.Until, "until", "", "the newest `commit` that is audited, or a day as YYYY-MM-DD")
	flags.StringVar(&f.options.AsOf, "as-of", "", "the `day` of the audit, YYYY-MM-DD in UTC: commits of the seven days until then may still wait for the archive (default today)")
	flags.StringVar(&f.options.Adopted, "adopted", "", "the first `commit` that needs a decision, or a day (default the first that holds a contract and a workflow that runs closeout)")
	flags.StringArrayVar(&f.with, "replay-with", nil, "judge decisions of another version with its program: `VERSION=PROGRAM`; may be given again")
	flags.StringVar(&f.format, "format", pages.Formats[0], "what to print: "+strings.Join(pages.Formats, ", "))
	flags.StringVarP(&f.out, "output", "o", "", "write to this `file`")
	flags.StringVar(&f.failOn, "fail-on", "block", "the mildest severity that fails: block or warn")
	return c
}

func (f *auditFlags) run(std console.Streams) error {
	if err := f.check(); err != nil {
		return err
	}
	git, err := clone.Open(cmp.Or(f.repo, "."))
	if err != nil {
		return err
	}
	defer git.Close()
	o := f.options
	if o.Branch == "" {
		o.Branch, err = git.FirstRef(run.Bases...)
	}
	if err == nil && o.Branch == "" {
		err = run.NoBase(git.Git, "closeout audit --branch")
	}
	if err == nil {
		err = git.Name(&o)
	}
	if err != nil {
		return err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(auditMemory, debug.SetMemoryLimit(-1)))) // GOMEMLIMIT may be lower
	var a *report.Audit
	if err := run.Caught(func() (err error) { a, err = git.Audit(o); return err }); err != nil {
		return err
	}
	if err := f.write(a, std); err != nil {
		return err
	}
	switch {
	case a.Counts.Block > 0, f.failOn == "warn" && a.Counts.Warn > 0:
		return run.Exit{Code: run.ExitFailed}
	case a.Counts.Unknown > 0:
		return run.Exit{Code: run.ExitReview}
	}
	return nil
}

// check refuses a call that cannot be carried out, and reads the flags.
func (f *auditFlags) check() error {
	if err := input.OneOf("--format is", f.format, pages.Formats); err != nil {
		return err
	}
	if f.failOn != "block" && f.failOn != "warn" {
		return fmt.Errorf("--fail-on is %q: expected block or warn", f.failOn)
	}
	o := &f.options
	if o.AsOf == "" {
		o.AsOf = time.Now().UTC().Format(time.DateOnly)
	}
	if !input.CalendarDay(o.AsOf) {
		return fmt.Errorf("--as-of is %q: expected a day as YYYY-MM-DD", o.AsOf)
	}
	return f.programs()
}

// programs reads the programs of other versions.
func (f *auditFlags) programs() error {
	o := &f.options
	o.With = map[string]string{}
	for _, text := range f.with {
		version, program, ok := strings.Cut(text, "=")
		version = strings.TrimPrefix(version, "v")
		if !ok || version == "" || program == "" {
			return fmt.Errorf("--replay-with is %q: expected VERSION=PROGRAM, such as 0.1.0=/opt/closeout-0.1.0", text)
		}
		if _, twice := o.With[version]; twice {
			return fmt.Errorf("--replay-with names version %s twice, there are %s", version, strings.Join(slices.Sorted(maps.Keys(o.With)), ", "))
		}
		path, err := filepath.Abs(program)
		if err != nil {
			return err
		}
		o.With[version] = path
	}
	return nil
}

// write prints the result, or writes it into a file.
func (f *auditFlags) write(a *report.Audit, std console.Streams) error {
	if f.out != "" {
		var b bytes.Buffer
		if err := pages.Write(&b, a, f.format); err != nil {
			return err
		}
		err := collect.WriteOther("audit", f.out, b.Bytes())
		if err == nil {
			run.TellCode(f.out, std)
		}
		return err
	}
	kind := map[string]present.Stream{"json": present.JSON, "csv": present.Commands, "html": present.HTML}[f.format] // text is Plain
	return console.Print(std.Out, kind, false, func(w io.Writer, _ bool) error {
		return pages.Write(w, a, f.format)
	})
}
