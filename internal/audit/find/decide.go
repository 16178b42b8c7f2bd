package find

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

// decide finds the decision about what was merged: that of the newest run before the merge whose report is about these
// pull requests and this head. Where another pull request has the same head, its runs are passed over.
func (f *finder) decide(ctx context.Context, u unit, event string) (*archive.Entry, error) {
	runs, err := f.GateRuns(ctx, f.Workflow, event, u.head, u.merged)
	if err != nil {
		return nil, err
	}
	gap := f.gap(u, archive.NoRun)
	for _, run := range runs[:min(len(runs), maxTried)] {
		found, err := f.ArtifactOf(ctx, run, f.Artifact, u.merged)
		if err != nil {
			return nil, err
		}
		if found == nil && run.Undecided(u.merged) {
			continue
		}
		said, err := f.runOf(u, run)
		if err != nil {
			return nil, err
		}
		entry, err := f.take(ctx, u, found)
		if err != nil {
			return nil, err
		}
		if entry.Run = said; entry.Kind == archive.Decision || *entry.Why != archive.WrongSubject {
			return entry, nil
		}
		gap = entry
	}
	return gap, nil
}

// runOf is what an entry tells about a run.
func (f *finder) runOf(u unit, run github.WorkflowRun) (*archive.Run, error) {
	state, err := archive.WorkflowElsewhere, error(nil)
	if !run.Elsewhere {
		state, err = f.workflowState(u)
	}
	return &archive.Run{ID: strconv.FormatInt(run.ID, 10), Attempt: run.Attempt, Event: run.Event, Path: run.Path, Workflow: state}, err
}

// workflowState tells whether what was merged changes the gate's workflow. A run of a pull request has the workflow of
// a merge of the head and its base, not that of the head: where the branch got no other one by the merge, the run had
// one that the branch had before.
func (f *finder) workflowState(u unit) (string, error) {
	name, parent := github.WorkflowDir+f.Workflow, u.steps[0].Parent
	if parent == "" {
		return archive.WorkflowChanged, nil
	}
	oldMode, oldID, was, err := f.Git.Entry(parent, name)
	if err != nil {
		return "", err
	}
	newMode, newID, is, err := f.Git.Entry(u.tip(), name)
	switch {
	case err != nil:
		return "", err
	case was && is && oldID == newID && oldMode == newMode:
		return archive.WorkflowUnchanged, nil
	}
	return archive.WorkflowChanged, nil
}

// take downloads an artifact, nil for none, and makes an entry of it. The error is one of GitHub, the clone or the
// disk: what is wrong with the artifact is a gap.
func (f *finder) take(ctx context.Context, u unit, found *github.Artifact) (*archive.Entry, error) {
	switch {
	case found == nil:
		return f.gap(u, archive.NoArtifact), nil
	case found.Expired:
		return f.gap(u, archive.Expired), nil
	case found.Bytes > github.MaxArtifact:
		return f.gap(u, archive.Unreadable), nil
	}
	data, err := f.Download(ctx, found.ID)
	switch {
	case errors.Is(err, github.ErrGone):
		return f.gap(u, archive.Expired), nil
	case errors.Is(err, github.ErrLarge):
		return f.gap(u, archive.Unreadable), nil
	case err != nil:
		return nil, err
	}
	if found.Digest != "" && found.Digest != "sha256:"+input.Digest(data) {
		return f.gap(u, archive.Unreadable), nil
	}
	files, err := unzip(data, maxUnzipped)
	if err != nil {
		return f.gap(u, archive.Unreadable), nil
	}
	return f.judge(u, files)
}

// judge writes a bundle, replays it, and compares what it is about with what was merged. The bundle of a gap is removed again.
func (f *finder) judge(u unit, files []zipFile) (entry *archive.Entry, err error) {
	dir := filepath.Join(f.Out, fmt.Sprint(len(f.entries)))
	defer func() {
		if entry == nil || entry.Kind != archive.Decision {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	bundle := filepath.Join(dir, archive.BundleDir)
	if err := writeFiles(bundle, files); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(files, func(z zipFile) bool { return z.Path == report.FileName })
	if i < 0 {
		return f.gap(u, archive.Unreadable), nil
	}
	decided, result := f.replay(bundle, files[i].Data)
	switch {
	case result == nil:
		return f.gap(u, archive.Unreadable), nil
	case !f.isAbout(u, result.Before, decided):
		return f.gap(u, archive.WrongSubject), nil
	}
	merged := clone.Merged{Parent: u.steps[0].Parent}
	for _, s := range u.steps {
		merged.Commits = append(merged.Commits, s.Commit)
	}
	bound, err := f.Git.Binding(merged, decided.Decided)
	switch {
	case err != nil:
		return nil, err
	case bound.How == report.BindingNone:
		return f.gap(u, archive.WrongSubject), nil
	}
	return f.decision(u, files, files[i].Data, result), nil
}

// decision is the entry of a bundle.
func (f *finder) decision(u unit, files []zipFile, text []byte, result *replay.Result) *archive.Entry {
	e, r := f.entry(u), result.Before
	e.Kind, e.HeadSHA, e.Verdict, e.Tool, e.Replay = archive.Decision, r.Subject.HeadSHA, &r.Verdict, &r.Tool, archive.ReplayDifferent
	if result.Same() {
		e.Replay = archive.ReplaySame
	}
	digest := input.Digest(text)
	e.ReportSHA256 = &digest
	f.files += len(files)
	for _, z := range files {
		e.Bundle = append(e.Bundle, archive.File{Path: z.Path, SHA256: input.Digest(z.Data), Bytes: int64(len(z.Data))})
		f.bytes += int64(len(z.Data))
	}
	input.SortStable(e.Bundle, archive.ByPath)
	return e
}

// decided is what a bundle says that it is about.
type decided struct {
	clone.Decided
	repositoryID string // "" when unknown
}

// replay judges a bundle again; the result is nil when it cannot be read.
func (f *finder) replay(dir string, text []byte) (s decided, result *replay.Result) {
	defer func() {
		if recover() != nil {
			result = nil // the gate failed on a hostile bundle: no decision
		}
	}()
	before, err := report.Read(text)
	if err != nil || before.Tool.Name != "closeout" || !slices.Contains(verdicts, before.Verdict) || !replay.Bounded(before) {
		return s, nil
	}
	found, err := collect.Bundle(dir)
	if err != nil {
		return s, nil
	}
	if result, err = replay.Run(text, before, found.Bundle); err != nil {
		return s, nil
	}
	known := verify.FactsOf(found.Bundle)
	if s.Decided, err = clone.DecidedBy(before, found.Bundle, known); err != nil {
		return s, nil
	}
	if known != nil {
		s.repositoryID = known.Subject.RepositoryID
	}
	return s, result
}

var verdicts = []string{report.Passed, report.Failed, report.Overridden, report.Review}

// isAbout reports whether a report is about this repository, which may have had another name, and about what was merged. A group
// that begins at another commit than the unit is another group, unless the unit is its end.
func (f *finder) isAbout(u unit, r *report.Report, s decided) bool {
	repository := r.Subject.Repository
	if repository == nil || r.Subject.HeadSHA == nil || *r.Subject.HeadSHA != u.head {
		return false
	}
	if !f.Is(*repository, s.repositoryID) {
		return false
	}
	if !u.group {
		return r.Subject.PullRequest != nil && *r.Subject.PullRequest == u.pulls[0]
	}
	if len(u.pulls) > 1 && (r.Subject.BaseSHA == nil || *r.Subject.BaseSHA != u.steps[0].Parent) {
		return false
	}
	return !slices.ContainsFunc(u.pulls, func(n int64) bool {
		return !slices.ContainsFunc(r.PullRequests, func(p report.PullRequest) bool { return p.Number == n })
	})
}

// writeFiles writes files into a new directory, and follows no symlink.
func writeFiles(dir string, files []zipFile) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, z := range files {
		if err := clone.WriteIn(root, z.Path, z.Data); err != nil {
			return err
		}
	}
	return nil
}
