package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/replay"
	"github.com/closeout-gate/closeout/verify/report"
)

// Repository answers what an audit asks of a clone. Every error means that the answer is unavailable. It is used by several goroutines.
type Repository interface {
	// Bind tells how far a decision is about what commits brought to the branch. parent is "" for a first commit; known are the facts of
	// the bundle, nil for none.
	Bind(commits []string, parent string, r *report.Report, b *verify.Bundle, known *facts.Facts) (Bound, error)
	// Blob is the id of a file of a commit; "" when there is none.
	Blob(commit, path string) (string, error)
	// BlobID is the id of a blob with a content.
	BlobID(content []byte) string
	// Contract is the standing contract of a commit: the one at its usual place, else that at a path; nil when there is none that can be
	// used.
	Contract(commit, path string) (*contract.Contract, error)
	// Ancestor reports whether a commit is another one, or an ancestor of it.
	Ancestor(old, young string) (bool, error)
}

// Bound says how far a decision is about what was merged: one of the bindings of report; where that is not exact, a path and why.
type Bound struct{ How, Path, Why string }

// Material is what an archive has of one decision.
type Material struct {
	Entry  *archive.Entry
	Bundle *verify.Bundle // nil when there is none
	Report []byte         // nil when there is none
	Err    error          // why bundle or report cannot be read; nil
	// Files gives the files of the bundle by their paths, the report among them.
	Files  func(write func(path string, data []byte) error) error
	Broken bool // Err says that the archive contains other files than the entry lists, which its verification reports
}

// Auditor examines decisions, one by one.
type Auditor struct {
	Line   *Line
	Repo   Repository
	Branch string // the audited branch, without remote; "" when a commit was named
	// Other judges a decision of another version of closeout with that version. known is false when there is no program for it.
	Other func(version string, m *Material) (same, known bool, err error)
}

// Examined is what an audit keeps of an entry.
type Examined struct {
	Entry    *archive.Entry
	At       int // position of the newest commit on the line; -1 when it is not there
	Row      report.AuditDecision
	Found    []report.AuditFinding
	Answered bool // a report was read

	foreign                  bool // it is about another branch
	repository, repositoryID string
	levels                   report.AuditLevels
	records, files           int64
	flaky                    []string
	authors                  map[string][]string // logins of those whose pull request it was, by its number; "" without one
}

// Examine examines an entry that is not a withdrawal. withdrawn is the entry that withdrew its bundle, nil for none. Of
// an entry that is not audited it only finds its place.
func (a *Auditor) Examine(m *Material, withdrawn *archive.Entry, audited bool) *Examined {
	e := m.Entry
	kept := *e
	kept.Bundle, kept.Omitted = nil, nil // of which an archive may have thousands
	x := &examination{Auditor: a, m: m, Examined: &Examined{Entry: &kept, At: -1}}
	x.Row = report.AuditDecision{
		Seq: e.Seq, Kind: e.Kind, Commits: len(e.Commits), PullRequests: e.PullRequests, Why: deref(e.Why), Overrides: []report.AuditOverride{},
		Replay: archive.ReplayNotTried,
	}
	x.place()
	if e.Kind == archive.Decision && x.At >= 0 && audited {
		x.decision(withdrawn)
	}
	return x.Examined
}

type examination struct {
	*Auditor
	*Examined
	m      *Material
	parent string
	cut    bool // the clone does not contain the parent
	r      *report.Report
	known  *facts.Facts
}

func (x *examination) add(f report.AuditFinding) { x.Found = append(x.Found, f) }

// unavailable says that the clone does not contain what a question needs.
func (x *examination) unavailable(what string, err error) {
	x.add(Unavailable(what, err))
}

// Unavailable is the finding that the clone does not contain what a question needs.
func Unavailable(what string, err error) report.AuditFinding {
	fix := "fetch the whole history: git fetch --unshallow, or git fetch --refetch --no-filter in a partial clone"
	var fixed interface{ Fix() string }
	if errors.As(err, &fixed) {
		fix = fixed.Fix()
	}
	return finding("audit.unavailable", "the clone does not contain what the audit requires: "+what, about{identity: []string{what}}, "an object of the repository", err.Error(), fix)
}

// place finds the commits of the entry on the line. They must follow each other there.
func (x *examination) place() {
	e := x.Entry
	x.foreign = x.Branch != "" && e.Branch != x.Branch
	newest := e.Commits[len(e.Commits)-1]
	x.Row.Commit = newest
	at, ok := x.Line.At(newest)
	if !ok {
		if e.Branch == x.Branch && !x.Line.Incomplete {
			x.add(unbound("the entry answers for a commit that is not on the branch", "", "a commit of the line of first parents of "+e.Branch, newest))
		}
		return
	}
	x.At, x.Row.Date = at, x.Line.Date(at)
	if x.cut = x.Line.Incomplete && at+len(e.Commits) >= len(x.Line.Commits); x.cut {
		return // the clone ends before the parent
	}
	for i, id := range e.Commits {
		if got, ok := x.Line.At(id); !ok || got != at+len(e.Commits)-1-i {
			x.add(unbound("the commits of the entry do not follow each other on the branch", "", "neighbours on the line of first parents", id))
			return
		}
	}
	x.parent = x.Line.Parent(at + len(e.Commits) - 1)
	if x.parent != deref(e.Parent) {
		x.add(entryDiffers("parent", x.parent, deref(e.Parent)))
	}
}

func unbound(message, path, expected, actual string) report.AuditFinding {
	return finding("audit.unbound", message, about{path: path, identity: []string{message}}, expected, actual,
		"compare the commit with the pull request, and have what was merged reviewed")
}

func entryDiffers(field, expected, actual string) report.AuditFinding {
	return finding("audit.contradicted", "the entry says something else than its report, or than the history: "+field,
		about{path: archive.EntryFile, identity: []string{field}}, orNone(expected), orNone(actual),
		"trust the report; ask who wrote the entry: git log closeout-archive")
}

func orNone(s string) string { return cmp.Or(s, "none") }

func deref(s *string) string { return valueOr(s, "") }

// decision examines the report and the bundle.
func (x *examination) decision(withdrawn *archive.Entry) {
	if !x.read(withdrawn) {
		if v := x.Row.Verdict; v != report.Passed && v != report.Overridden {
			x.notGreen("audit.not_green", v, "as the entry says; its report is not there", "require the check of the gate for the branch, and have the merge reviewed")
		}
		return
	}
	x.Answered = true
	x.compareEntry()
	x.replayed()
	x.summarize()
	x.verdict()
	x.known = verify.FactsOf(x.m.Bundle)
	x.findLate()
	x.listOverrides()
	x.findLeftOut()
	if x.cut {
		x.unavailable("what was on the branch before the merge", errors.New("the clone ends with "+x.Row.Commit))
		return
	}
	x.compareSubject()
	x.compareContent()
	x.compareContracts()
}

// read reads the report; false when there is none to judge by.
func (x *examination) read(withdrawn *archive.Entry) bool {
	fix := "ask for the bundle: the run that made it may still have it; the decision itself cannot be checked"
	not := func(code, why string) bool {
		x.Row.Replay, x.Row.Verdict = "not_replayable", deref(x.Entry.Verdict)
		x.add(finding(code, "the decision cannot be judged again: "+why, about{identity: []string{why}}, "the bundle of the decision", "none", fix))
		return false
	}
	switch {
	case withdrawn != nil:
		return not("audit.withdrawn", "its bundle was withdrawn, because: "+deref(withdrawn.Why))
	case x.m.Err != nil && x.m.Broken:
		return not("audit.not_replayable", "the archive contains other files than the entry lists")
	case x.m.Err != nil:
		x.Row.Verdict = deref(x.Entry.Verdict)
		x.unavailable("the bundle of entry "+strconv.FormatInt(x.Entry.Seq, 10), x.m.Err)
		return false
	case x.m.Report == nil || x.m.Bundle == nil:
		if len(x.m.Entry.Omitted) > 0 {
			x.Row.Verdict = deref(x.Entry.Verdict)
			x.omitted(nil)
			return false
		}
		return not("audit.not_replayable", "the archive does not contain its report")
	}
	r, err := report.Read(x.m.Report)
	if err != nil {
		return not("audit.not_replayable", "its report cannot be read: "+err.Error())
	}
	x.r = r
	return true
}

// omitted says that files of the bundle are not in the archive. One that the archive could have kept blocks: it may be the one that would
// show what the report hides. The report says how large its inputs were, too.
func (x *examination) omitted(inputs []report.Input) {
	x.Row.Replay = "not_replayable"
	severity, shown := input.Unknown, x.m.Entry.Omitted[0]
	for _, f := range x.m.Entry.Omitted {
		size := f.Bytes
		for _, in := range inputs {
			if in.SHA256 == f.SHA256 {
				size = min(size, in.Bytes)
			}
		}
		if size <= archive.Limit(f.Path) {
			severity, shown = input.Block, f
			break
		}
	}
	x.add(as(severity, finding("audit.omitted", "the decision cannot be judged again: a file of its bundle was left out of the archive",
		about{path: shown.Path}, "all files of the bundle, except those of more than "+input.Plural(archive.Limit(shown.Path), "byte"),
		fmt.Sprintf("%s of %s left out", input.Plural(len(x.m.Entry.Omitted), "file"), input.Plural(len(x.m.Entry.Omitted)+len(x.m.Entry.Bundle), "file")),
		"ask for the bundle of the run; archive with --keep all, and a --max-file that is large enough")))
}

// compareEntry compares what the entry says of the report with the report.
func (x *examination) compareEntry() {
	e, r, version := x.Entry, x.r, ""
	if e.Tool != nil {
		version = e.Tool.Version
	}
	for _, field := range [][3]string{
		{"report_sha256", input.Digest(x.m.Report), deref(e.ReportSHA256)},
		{"verdict", r.Verdict, deref(e.Verdict)},
		{"head_sha", deref(r.Subject.HeadSHA), deref(e.HeadSHA)},
		{"pull_requests", inOrder(pullRequests(r)), inOrder(e.PullRequests)},
		{"tool", r.Tool.Version, version},
	} {
		if field[0] == "pull_requests" && x.partOfGroup() {
			continue
		}
		if field[1] != field[2] {
			x.add(entryDiffers(field[0], field[1], field[2]))
		}
	}
}

// inOrder writes numbers in one order.
func inOrder(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), ", ") }

// partOfGroup reports whether the entry is about pull requests of a group, of which earlier entries answer for others: a queue may
// judge each pull request together with those before it.
func (x *examination) partOfGroup() bool {
	all := pullRequests(x.r)
	return len(x.r.PullRequests) > 0 && len(x.Entry.PullRequests) > 0 &&
		!slices.ContainsFunc(x.Entry.PullRequests, func(n string) bool { return !slices.Contains(all, n) })
}

// pullRequests are the pull requests of a report, sorted by number.
func pullRequests(r *report.Report) []string {
	var list []string
	for _, p := range r.PullRequests {
		list = append(list, strconv.FormatInt(p.Number, 10))
	}
	if len(list) == 0 && r.Subject.PullRequest != nil {
		list = append(list, strconv.FormatInt(*r.Subject.PullRequest, 10))
	}
	return list
}

// summarize keeps what the statistics need.
func (x *examination) summarize() {
	r := x.r
	x.Row.HeadSHA, x.Row.Verdict, x.Row.Mode, x.Row.Version = r.Subject.HeadSHA, r.Verdict, r.Mode, r.Tool.Version
	if list := pullRequests(r); list != nil {
		x.Row.PullRequests = list
	}
	x.records, x.files = r.Counts.Records, int64(r.Counts.Files)
	for _, c := range r.Acceptance {
		switch input.Level(c.Level) {
		case input.Recorded:
			x.levels.Recorded++
		case input.Bound:
			x.levels.Bound++
		case input.Claimed:
			x.levels.Claimed++
		default:
			x.levels.Absent++
		}
	}
	for _, f := range r.Findings {
		if f.Code == "acceptance.flaky" && f.Criterion != "" && !slices.Contains(x.flaky, f.Criterion) {
			x.flaky = append(x.flaky, f.Criterion)
		}
	}
}

// verdict says what was merged without a green verdict.
func (x *examination) verdict() {
	r := x.r
	if r.Verdict == report.Passed || r.Verdict == report.Overridden {
		return
	}
	code, fix := "audit.not_green", "require the check of the gate for the branch, and have the merge reviewed"
	if r.Mode == verify.Observe {
		code, fix = "audit.observed", "set the mode to enforce when the gate is to decide"
	}
	var codes []string // the first that kept it from passing
	for _, f := range r.Findings {
		blocks := f.Severity == string(input.Block) || f.Severity == string(input.Unknown)
		if blocks && !slices.Contains(codes, f.Code) && len(codes) < 5 {
			codes = append(codes, f.Code)
		}
	}
	x.notGreen(code, r.Verdict, cmp.Or(strings.Join(codes, ", "), "no finding says why"), fix)
}

func (x *examination) notGreen(code, verdict, why, fix string) {
	x.add(finding(code, "the change was merged with the verdict "+verdict, about{identity: []string{verdict}}, "passed or overridden", verdict+": "+why, fix))
}

// replayed judges the bundle again.
func (x *examination) replayed() {
	if len(x.m.Entry.Omitted) > 0 {
		x.omitted(x.r.Inputs)
		return
	}
	if !replay.Bounded(x.r) {
		x.Row.Replay = "not_replayable"
		x.add(finding("audit.not_replayable", "the decision cannot be judged again: "+replay.ErrUnbounded.Error(), about{path: report.FileName, identity: []string{"limits"}},
			"limits as an operator needs them", "a limit that closeout archive find refuses", "ask who added the entry; write the bundle to a directory and run closeout replay on it"))
		return
	}
	got, err := judged(x.m.Report, x.r, x.m.Bundle)
	switch {
	case err != nil:
		x.differs(err.Error())
	case got.Same():
		x.Row.Replay = archive.ReplaySame
		after := *got.After // only the decision was compared, where another version wrote the report: the replay counts
		after.Tool = x.r.Tool
		x.r = &after
	case got.OtherVersion:
		x.otherVersion(got)
	default:
		x.differs(got.Differences[0])
	}
}

func (x *examination) differs(what string) {
	x.Row.Replay = archive.ReplayDifferent
	x.add(finding("audit.contradicted", "judging the bundle again gives another result than its report", about{path: report.FileName, identity: []string{"replay"}},
		"the report of the archive", what, "distrust the report; write the bundle to a directory and run closeout replay on it"))
}

// judged replays a bundle; a panic becomes an error.
func judged(written []byte, r *report.Report, b *verify.Bundle) (result *replay.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the gate failed while it judged: %v", p)
		}
	}()
	return replay.Run(written, r, b)
}

// otherVersion settles a difference between versions with a program of that version, where there is one. Without it the difference
// stays open: a forger would otherwise write an old version into it.
func (x *examination) otherVersion(got *replay.Result) {
	version := x.r.Tool.Version
	same, known, err := false, false, error(nil)
	if x.Other != nil {
		same, known, err = x.Other(version, x.m)
	}
	switch {
	case known && err == nil && same:
		x.Row.Replay = archive.ReplaySame
	case known && err == nil:
		x.differs("version " + version + " itself decides otherwise; this version: " + got.Differences[0])
	default:
		actual := got.Differences[0]
		if err != nil {
			actual += "; its program failed: " + err.Error()
		}
		x.Row.Replay = "unknown"
		x.add(finding("audit.replay_unknown", "version "+version+" of closeout wrote the report, and this version decides otherwise", about{path: report.FileName, identity: []string{version}},
			"the same decision, or the program that wrote it", actual, "fetch version "+version+", and name it with --replay-with "+version+"=PROGRAM"))
	}
}
