package clone

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/audit"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// AuditOptions are what an audit is asked for.
type AuditOptions struct {
	Branch  string   // as the result names it
	Name    string   // of the branch, as entries of the archive name it; "" when a commit was named
	Tip     string   // the commit of the branch
	Archive string   // a ref or commit; "" is the usual one
	Since   []string // commits of the branch or of the archive, or days (YYYY-MM-DD)
	// Until and Adopted are commits or days; "" for none.
	Until, Adopted string
	With           map[string]string // programs by version
	AsOf           string            // the day of the audit, YYYY-MM-DD
}

// Name finds the commits that a person names by a branch, a tag or a part of an id. Days stay, and so does a whole id: it may be
// that of a commit which the archive has lost.
func (g *Clone) Name(o *AuditOptions) (err error) {
	if o.Tip, err = g.Resolve(o.Branch); err != nil {
		return err
	}
	if o.Name, err = g.BranchName(o.Branch); err != nil {
		return err
	}
	o.Branch = cmp.Or(o.Name, o.Branch)
	since := slices.Clone(o.Since)
	for i, name := range since {
		if resolved, err := g.Resolve(name); err == nil {
			since[i] = resolved
		} else if !input.CalendarDay(name) && !input.IsLowerHex(name, 40, 64) {
			return err
		}
	}
	o.Since = since
	for _, name := range []*string{&o.Until, &o.Adopted} {
		if *name == "" || input.CalendarDay(*name) {
			continue
		}
		if *name, err = g.Resolve(*name); err != nil {
			return err
		}
	}
	return nil
}

// Audit joins the commits of a branch with an archive. The error is one of usage, as [ErrUsage]; what the clone does not contain is
// a finding.
func (g *Clone) Audit(o AuditOptions) (*report.Audit, error) {
	l, err := g.walkLine(o.Tip)
	if err != nil {
		return nil, err
	}
	day, err := time.Parse(time.DateOnly, o.AsOf)
	if err != nil {
		return nil, err
	}
	in := &audit.Input{Version: verify.Version, Branch: o.Branch, Line: l.line, AsOf: int(day.Unix() / (24 * 60 * 60))}
	if l.ended != nil {
		in.Found = append(in.Found, audit.Unavailable("the history before "+l.line.Commits[len(l.line.Commits)-1].ID, l.ended))
	}
	if err := l.bound(g, in, &o); err != nil {
		return nil, err
	}
	if err := g.auditArchive(in, l, &o); err != nil {
		return nil, err
	}
	if err := l.adopt(g, in, o.Adopted); err != nil {
		return nil, err
	}
	return audit.Run(in), nil
}

// auditArchive examines the entries of the archive. An archive that is missing or incomplete is a finding.
func (g *Clone) auditArchive(in *audit.Input, l *auditLine, o *AuditOptions) error {
	a, err := g.Archive(o.Archive)
	switch {
	case errors.Is(err, errNoBranch):
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", collect.WithFix(errors.New("there is no branch closeout-archive"), "fetch it: git fetch origin closeout-archive:closeout-archive; docs/later.md says how it is made")))
		return nil
	case collect.Unknowable(err):
		in.Unread = true
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", archiveFixed(err)))
		return nil
	case err != nil:
		return err
	}
	e := &examiner{archive: a, line: l, options: o, in: in, pulled: map[int64]*archive.Entry{}, done: map[*archive.Item]*audit.Examined{}}
	e.auditor = audit.Auditor{Line: l.line, Repo: auditedRepo{g}, Branch: o.Name, Other: e.other}
	check, err := a.Check(ArchiveCheck{Since: l.kept, Content: e.content, Visit: e.visit})
	if err != nil {
		in.Unread = true
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", err))
		return nil
	}
	in.Archive = &audit.Archive{Commit: a.Commit, Size: check.Size, Origin: check.Origin, Kept: l.kept}
	for _, p := range check.Problems {
		in.Found = append(in.Found, audit.LogBroken(p))
	}
	if !check.Complete {
		in.Found = append(in.Found, audit.Unavailable("the first commits of the archive", collect.WithFix(errors.New("the clone of the archive is shallow"), "fetch the whole archive: git fetch --unshallow origin closeout-archive")))
	}
	in.Entries = e.examined()
	return nil
}

// examiner examines the entries of an archive while they are read.
type examiner struct {
	archive *Archive
	line    *auditLine
	options *AuditOptions
	in      *audit.Input
	auditor audit.Auditor
	pulled  map[int64]*archive.Entry // by seq, the entry that withdrew it
	list    []*audit.Examined
	hanging sync.Map // versions whose program did not end
	mu      sync.Mutex
	done    map[*archive.Item]*audit.Examined // not yet in list
}

// content examines an entry. Of one that is about no audited commit it only keeps where it is.
func (e *examiner) content(it *archive.Item, read Contents) {
	if it.Entry == nil || it.Entry.Withdraws != nil {
		return
	}
	m, audited := &audit.Material{Entry: it.Entry}, e.audited(it.Entry)
	if it.Entry.Kind == archive.Decision && audited {
		m = e.material(it, read)
	}
	x := e.auditor.Examine(m, nil, audited)
	e.mu.Lock()
	e.done[it] = x
	e.mu.Unlock()
}

// visit lists what was examined in the order of the archive.
func (e *examiner) visit(it *archive.Item) error {
	it.Data = nil
	if x := e.done[it]; x != nil {
		e.list = append(e.list, x)
		delete(e.done, it)
	} else if it.Entry != nil {
		e.pulled[*it.Entry.Withdraws] = it.Entry
	}
	return nil
}

// examined is the entries, the withdrawn ones among them.
func (e *examiner) examined() []*audit.Examined {
	for i, x := range e.list {
		if by := e.pulled[x.Entry.Seq]; by != nil {
			e.list[i] = e.auditor.Examine(&audit.Material{Entry: x.Entry}, by, e.audited(x.Entry))
		}
	}
	return e.list
}

// audited reports whether an entry is about audited commits, or about none of the branch.
func (e *examiner) audited(entry *archive.Entry) bool {
	at, ok := e.line.line.At(entry.Commits[len(entry.Commits)-1])
	return ok && at >= e.in.Newest && at <= e.in.Oldest
}

// material reads a bundle. Each file is read once.
func (e *examiner) material(it *archive.Item, read Contents) *audit.Material {
	m := &audit.Material{Entry: it.Entry}
	found, data, err := e.archive.Bundle(it, read)
	if err != nil {
		m.Err, m.Broken = err, !collect.Unknowable(err)
		return m
	}
	for i := range found.Inputs {
		found.Inputs[i].Open = once(found.Inputs[i].Open)
	}
	for _, p := range found.Parts {
		for i := range p.Inputs {
			p.Inputs[i].Open = once(p.Inputs[i].Open)
		}
	}
	m.Bundle, m.Report = found.Bundle, data
	m.Files = func(write func(string, []byte) error) error { return e.files(it, write) }
	return m
}

// once keeps what an input contains.
func once(open verify.Opener) verify.Opener {
	read := sync.OnceValues(func() ([]byte, error) {
		f, err := open()
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	})
	return func() (io.ReadCloser, error) {
		data, err := read()
		return io.NopCloser(bytes.NewReader(data)), err
	}
}

// auditedRepo answers an audit from a clone.
type auditedRepo struct{ git *Clone }

// Bind implements [audit.Repository].
func (r auditedRepo) Bind(commits []string, parent string, rep *report.Report, b *verify.Bundle, known *facts.Facts) (audit.Bound, error) {
	decided, err := DecidedBy(rep, b, known)
	if err != nil {
		return audit.Bound{How: report.BindingNone, Why: "of the decision cannot be compared: " + err.Error()}, nil
	}
	bound, err := r.git.Binding(Merged{Commits: commits, Parent: parent}, decided)
	return audit.Bound(bound), err
}

// Blob implements [audit.Repository].
func (r auditedRepo) Blob(commit, path string) (string, error) {
	_, id, _, err := r.git.Entry(commit, path)
	return id, err
}

// BlobID implements [audit.Repository].
func (r auditedRepo) BlobID(content []byte) string { return r.git.repo.BlobID(content).String() }

// Contract implements [audit.Repository].
func (r auditedRepo) Contract(commit, path string) (*contract.Contract, error) {
	o := collect.Options{Settings: verify.Settings{Limits: input.DefaultLimits()}}
	if commit == "" {
		return nil, nil
	}
	usual, err := r.git.hasContract(commit)
	if err != nil {
		return nil, err
	}
	if !usual {
		o.Contract = path
	}
	found, err := collect.StandingAt(r.git, commit, o)
	if err == nil && len(found.Unavailable) > 0 {
		err = errors.New(found.Unavailable[0].Error)
	}
	if err != nil {
		return nil, err
	}
	return found.Only(), nil
}

// Ancestor implements [audit.Repository].
func (r auditedRepo) Ancestor(old, young string) (bool, error) {
	bases, err := r.git.MergeBases(old, young)
	return len(bases) == 1 && bases[0] == old, err
}

// files gives the files of a bundle, each of which has the digest that the entry lists.
func (e *examiner) files(it *archive.Item, write func(path string, data []byte) error) error {
	for _, f := range it.Files {
		want, listed := it.Listed(f.Path)
		if !listed || f.Problem != "" {
			continue
		}
		data, err := e.archive.blob(f.ID, want.Bytes)
		if err == nil {
			err = write(f.Path, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
