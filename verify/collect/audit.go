package collect

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/archive"
	"github.com/closeout-gate/closeout/verify/audit"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/report"
)

// AuditOptions are what an audit is asked for.
type AuditOptions struct {
	Branch  string // as the result names it
	Name    string // of the branch, as entries of the archive name it; "" when a commit was named
	Tip     string // the commit of the branch
	Archive string // a ref or commit; "" is the usual one
	// Since, Until and Adopted are commits or days (YYYY-MM-DD); "" for none.
	Since, Until, Adopted string
	Replay                string // none, all or sample
	Sample                int
	With                  map[string]string // programs by version
	Own                   *archive.Mark     // the auditor's own checkpoint; nil for none
}

// Audit joins the commits of a branch with an archive. The error is one of usage, as [ErrUsage]; what the clone does not contain is
// a finding.
func (g *Git) Audit(o AuditOptions) (*report.Audit, error) {
	l, err := g.walkLine(o.Tip)
	if err != nil {
		return nil, err
	}
	in := &audit.Input{Version: verify.Version, Branch: o.Branch, Line: l.line, Replay: o.Replay}
	if o.Replay == "sample" {
		in.Replay = fmt.Sprintf("sample:%d", o.Sample)
	}
	if l.ended != nil {
		in.Found = append(in.Found, audit.Unavailable("the history before "+l.line.Commits[len(l.line.Commits)-1].ID, l.ended))
	}
	if err := l.bound(in, &o); err != nil {
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
func (g *Git) auditArchive(in *audit.Input, l *auditLine, o *AuditOptions) error {
	a, err := g.Archive(o.Archive)
	switch {
	case errors.Is(err, ErrNoSuchRef) && o.Archive == "":
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", &fixable{errors.New("there is no branch closeout-archive"), "fetch it: git fetch origin closeout-archive:closeout-archive; docs/archive.md says how it is made"}))
		return nil
	case Unknowable(err):
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", archiveFixed(err)))
		return nil
	case err != nil:
		return err
	}
	e := &examiner{git: g, archive: a, line: l, options: o}
	check, err := a.Check(ArchiveCheck{Own: o.Own, Visit: e.visit})
	if err != nil {
		in.Found = append(in.Found, audit.Unavailable("the archive of decisions", err))
		return nil
	}
	in.Archive = &audit.Archive{Commit: a.Commit, Size: check.Size, Origin: check.Origin, Root: check.Root, Anchor: check.Anchor}
	for _, p := range check.Problems {
		if p.Path == archive.CheckpointFile && p.Seq == nil && (strings.Contains(p.Message, " since the checkpoint of ") || strings.Contains(p.Message, "of another archive")) {
			in.Found = append(in.Found, audit.LogRewritten(p))
		} else {
			in.Found = append(in.Found, audit.LogBroken(p))
		}
	}
	in.Entries = e.examine(in, check)
	return nil
}

// examiner examines the entries of an archive.
type examiner struct {
	git     *Git
	archive *Archive
	line    *auditLine
	options *AuditOptions
	items   []*archive.Item
	pulled  map[int64]*archive.Entry // by seq, the entry that withdrew it
}

// visit keeps an entry, without its bytes.
func (e *examiner) visit(it *archive.Item) error {
	it.Data = nil
	switch {
	case it.Entry == nil:
	case it.Entry.Withdraws != nil:
		if e.pulled == nil {
			e.pulled = map[int64]*archive.Entry{}
		}
		e.pulled[*it.Entry.Withdraws] = it.Entry
	default:
		e.items = append(e.items, it)
	}
	return nil
}

// examine examines the entries about audited commits, with as many workers as there are processors. Of others it keeps where they are.
func (e *examiner) examine(in *audit.Input, check *archive.Check) []*audit.Examined {
	a := &audit.Auditor{
		Line: e.line.line, Repo: &auditedRepo{git: e.git, line: e.line, blobs: map[blobKey]string{}}, Branch: e.options.Name, Origin: check.Origin,
		Replays: e.replays(in, check.Root), Other: e.other,
	}
	list := make([]*audit.Examined, len(e.items))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				it := e.items[i]
				m := &audit.Material{Entry: it.Entry}
				if it.Entry.Kind == archive.Decision && e.audited(in, it.Entry) && e.pulled[it.Entry.Seq] == nil {
					m = e.material(it)
				}
				list[i] = a.Examine(m, e.pulled[it.Entry.Seq], e.audited(in, it.Entry))
				e.items[i] = nil
			}
		})
	}
	for i := range e.items {
		next <- i
	}
	close(next)
	workers.Wait()
	return list
}

// audited reports whether an entry is about audited commits, or about none of the branch.
func (e *examiner) audited(in *audit.Input, entry *archive.Entry) bool {
	at, ok := e.line.line.At(entry.Commits[len(entry.Commits)-1])
	return ok && at >= in.Newest && at <= in.Oldest
}

// replays chooses the decisions that are judged again. A sample is those with the smallest hashes of number and root, so that no one
// can choose.
func (e *examiner) replays(in *audit.Input, root string) func(int64) bool {
	switch e.options.Replay {
	case "none":
		return func(int64) bool { return false }
	case "all":
		return func(int64) bool { return true }
	}
	type pick struct {
		sum [32]byte
		seq int64
	}
	var all []pick
	for _, it := range e.items {
		if it.Entry.Kind == archive.Decision && e.audited(in, it.Entry) {
			all = append(all, pick{sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n", it.Entry.Seq, root)), it.Entry.Seq})
		}
	}
	diag.SortStable(all, func(a, b pick) int { return bytes.Compare(a.sum[:], b.sum[:]) })
	chosen := map[int64]bool{}
	for _, p := range all[:min(len(all), e.options.Sample)] {
		chosen[p.seq] = true
	}
	return func(seq int64) bool { return chosen[seq] }
}

// material reads a bundle. Each file is read once.
func (e *examiner) material(it *archive.Item) *audit.Material {
	m := &audit.Material{Entry: it.Entry}
	found, data, err := e.archive.Bundle(it)
	if err != nil {
		m.Err, m.Broken = err, !Unknowable(err)
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
type auditedRepo struct {
	git   *Git
	line  *auditLine
	mu    sync.Mutex
	blobs map[blobKey]string
}

// blobKey is a path of the directory .closeout, of which thousands of commits have the same.
type blobKey struct{ tree, path string }

// Bind is that of [audit.Repository].
func (r *auditedRepo) Bind(commits []string, parent string, rep *report.Report, b *verify.Bundle, known *facts.Facts) (audit.Bound, error) {
	decided, err := decidedBy(rep, b, known)
	if err != nil {
		return audit.Bound{How: report.BindingNone, Why: "of the decision cannot be compared: " + err.Error()}, nil
	}
	bound, err := r.git.Binding(Merged{Commits: commits, Parent: parent}, decided)
	return audit.Bound(bound), err
}

// Blob is that of [audit.Repository].
func (r *auditedRepo) Blob(commit, path string) (string, error) {
	at, onLine := r.line.line.At(commit)
	if !onLine || !strings.HasPrefix(path, contractDir+"/") {
		_, id, _, err := r.git.Entry(commit, path)
		return id, err
	}
	key := blobKey{r.line.dirs[at].closeout.String(), path}
	r.mu.Lock()
	id, known := r.blobs[key]
	r.mu.Unlock()
	if known {
		return id, nil
	}
	_, id, _, err := r.git.Entry(commit, path)
	if err == nil {
		r.mu.Lock()
		r.blobs[key] = id
		r.mu.Unlock()
	}
	return id, err
}

// BlobID is that of [audit.Repository].
func (r *auditedRepo) BlobID(content []byte) string { return r.git.repo.BlobID(content).String() }

// Ancestor is that of [audit.Repository].
func (r *auditedRepo) Ancestor(old, young string) (bool, error) {
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
