// Package audit joins the commits of a branch with the entries of an archive of decisions, and says what was merged without a
// decision, against it, or on whose word.
//
// It judges what it is given: the commits, the entries, and what the clone answers. The same clone and version give the same result.
package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// Input is all that an audit joins.
type Input struct {
	Version string // of closeout
	Branch  string // as it was named
	Line    *Line
	// Newest and Oldest are the positions of the audited commits; Newest <= Oldest. Adopted is the position of the commit with which the
	// gate was adopted, -1 when there is none. No gate could judge that commit: it needs no decision, unless a person named it.
	Newest, Oldest, Adopted int
	AdoptedNamed            bool
	Archive                 *Archive    // nil when there is none
	Entries                 []*Examined // those with commits, by seq
	Found                   []report.AuditFinding
	Edits                   []Edit // of contract and workflow, within the whole line, the oldest first
	// AsOf is the day of the audit, counted from 1970-01-01. Unread says that there is an archive, whose entries cannot be read.
	AsOf   int
	Unread bool
}

// Archive is what is known about the archive as a whole.
type Archive struct {
	Commit string
	Size   int64
	Origin string // "" when its state cannot be read
	Kept   string // the commit of it that the auditor kept; "" for none
}

// Edit is what a commit of the line changes in a contract or a workflow of the gate.
type Edit struct {
	Kind     string // contract or workflow
	At       int
	Path     string
	Text     string
	Loosened []string // of a contract: what it lets through now
}

// Run joins and judges.
func Run(in *Input) *report.Audit {
	j := &joined{Input: in, of: map[int]*Examined{}, repaired: map[int64]bool{}}
	j.index()
	j.entries()
	j.commits()
	j.changed()
	return j.result()
}

type joined struct {
	*Input
	of       map[int]*Examined // by position, the entry that answers for a commit: a repair before what it repairs
	repaired map[int64]bool    // seqs of gaps
	last     int               // position of the newest commit that an entry answers for; -1 for none
	found    []report.AuditFinding
	changes  []report.AuditChange
	states   []report.AuditCommit // from the newest audited commit
}

// add completes a finding about a commit of the line; at is -1 for none.
func (j *joined) add(f report.AuditFinding, at int, x *Examined) {
	if at >= 0 {
		f.Commit, f.Date = j.Line.Commits[at].ID, j.Line.Date(at)
	}
	if x != nil {
		f.PullRequests, f.Seq = x.Row.PullRequests, &x.Entry.Seq
		if f.Commit == "" {
			f.Commit = x.Row.Commit
		}
	}
	seal(&f)
	j.found = append(j.found, f)
}

// in reports whether a position is audited.
func (j *joined) in(at int) bool { return at >= j.Newest && at <= j.Oldest }

// after reports whether the commit at a position needs a decision.
func (j *joined) after(at int) bool { return at < j.Adopted || (j.AdoptedNamed && at == j.Adopted) }

// index finds which entry answers for which commit.
func (j *joined) index() {
	j.last = -1
	j.otherBranches()
	bySeq := map[int64]*Examined{}
	for _, x := range j.Entries {
		bySeq[x.Entry.Seq] = x
		if x.At >= 0 && (j.last < 0 || x.At < j.last) {
			j.last = x.At
		}
		if r := x.Entry.Repairs; r != nil {
			old := bySeq[*r]
			if old != nil && old.Entry.Kind == archive.Gap && slices.Equal(old.Entry.Commits, x.Entry.Commits) {
				j.repaired[*r] = true
				if j.in(x.At) {
					j.add(afterMerge("the archive had said that there is no decision", "a decision when the commit was archived",
						"entry "+strconv.FormatInt(*r, 10)+" said: "+deref(old.Entry.Why)), x.At, x)
				}
			} else if j.in(x.At) {
				j.add(contradicted("the entry repairs one that is no gap about the same commits", "a gap", "entry "+strconv.FormatInt(*r, 10)), x.At, x)
			}
		}
	}
	newest := map[string]*Examined{} // of each branch, the entry before
	for _, x := range j.Entries {
		if x.At < 0 || j.repaired[x.Entry.Seq] {
			continue
		}
		if before := newest[x.Entry.Branch]; x.Entry.Repairs == nil {
			if before != nil && x.At > before.At && j.in(x.At) {
				j.add(entryDiffers("seq", "a number before "+strconv.FormatInt(before.Entry.Seq, 10)+", which is about a later commit", strconv.FormatInt(x.Entry.Seq, 10)), x.At, x)
			}
			newest[x.Entry.Branch] = x
		}
		for i := range x.Entry.Commits {
			at := x.At + i
			if other := j.of[at]; other != nil && other != x && j.in(at) {
				j.add(contradicted("two entries answer for one commit", "entry "+strconv.FormatInt(other.Entry.Seq, 10)+" alone", "also this one"), at, x)
				continue
			}
			j.of[at] = x
		}
	}
}

// otherBranches passes over what was archived for another branch about commits for which the audited branch has entries of its own:
// branches that begin at one commit share those before it. A pull request has one verdict, for whichever branch it was archived.
func (j *joined) otherBranches() {
	own := map[int]*Examined{}
	for _, x := range j.Entries {
		for i := range x.Entry.Commits {
			if x.At >= 0 && !x.foreign {
				own[x.At+i] = x
			}
		}
	}
	j.Entries = slices.DeleteFunc(slices.Clone(j.Entries), func(x *Examined) bool {
		mine := own[x.At]
		if !x.foreign || mine == nil {
			return false
		}
		decided := x.Entry.Kind == archive.Decision && mine.Entry.Kind == archive.Decision && slices.Equal(x.Entry.PullRequests, mine.Entry.PullRequests)
		if verdict := deref(x.Entry.Verdict); decided && verdict != deref(mine.Entry.Verdict) && j.in(mine.At) {
			j.add(contradicted("the pull request was decided otherwise for another branch", "one verdict: "+deref(mine.Entry.Verdict),
				fmt.Sprintf("entry %d says %s", x.Entry.Seq, verdict)), mine.At, mine)
		}
		return true
	})
}

func contradicted(message, expected, actual string) report.AuditFinding {
	return finding("audit.contradicted", message, about{identity: []string{message}}, expected, actual, "read both entries: one of them is about something else, or was appended later")
}

// entries takes over what was found about each entry.
func (j *joined) entries() {
	m := merges{heads: map[string]*Examined{}, reports: map[string]*Examined{}}
	home := "" // the id of the repository, which one that is renamed keeps, as the first report says that has its name
	for _, x := range j.Entries {
		if home == "" && sameRepository(j.origin(), x.repository) {
			home = x.repositoryID
		}
	}
	for _, x := range j.Entries {
		if x.At >= 0 && !j.in(x.At) {
			if x.At > j.Oldest {
				m.before(x) // of older ones, it only matters whether they are used again
			}
			continue
		}
		for _, f := range x.Found {
			j.add(f, x.At, x)
		}
		if x.At < 0 {
			continue
		}
		if x.Entry.Kind == archive.Gap && !j.repaired[x.Entry.Seq] && j.after(x.At) {
			j.gap(x)
		}
		if message, other := m.before(x); other != nil {
			j.add(contradicted(message, "a merge of its own", "also entry "+strconv.FormatInt(other.Entry.Seq, 10)), x.At, x)
		}
		if !x.Answered {
			continue
		}
		if origin := j.origin(); origin != "" && x.repository != "" && !sameRepository(origin, x.repository) && (home == "" || x.repositoryID != home) {
			j.add(unbound("the report is about another repository", "", strings.TrimPrefix(origin, "closeout-archive/"), x.repository), x.At, x)
		}
	}
}

// merges are the entries so far, by their reports, and by head and pull request.
type merges struct{ heads, reports map[string]*Examined }

// before notes a decision, and gives an earlier one about the same report or head; nil when there is none.
func (m *merges) before(x *Examined) (message string, other *Examined) {
	sum, head := deref(x.Entry.ReportSHA256), cmp.Or(deref(x.Row.HeadSHA), deref(x.Entry.HeadSHA))
	if sum == "" {
		return "", nil
	}
	message, other = "one report answers for two merges", m.reports[sum]
	m.reports[sum] = x
	if len(x.Row.PullRequests) != 1 || head == "" {
		return message, other
	}
	key := x.Row.PullRequests[0] + " " + head
	if other == nil {
		message, other = "one head of a pull request was merged twice", m.heads[key]
	}
	if m.heads[key] == nil {
		m.heads[key] = x
	}
	return message, other
}

func (j *joined) origin() string {
	if j.Archive == nil {
		return ""
	}
	return j.Archive.Origin
}

// gap reports that the archive has no decision about commits.
func (j *joined) gap(x *Examined) {
	why := deref(x.Entry.Why)
	if why == archive.NoPullRequest {
		j.add(finding("audit.direct_push", "commits reached the branch without a pull request", about{identity: []string{why}}, "a pull request with a decision",
			input.Plural(len(x.Entry.Commits), "commit")+", pushed directly", "require pull requests for the branch, without a bypass, and have the commits reviewed"), x.At, x)
		return
	}
	j.add(finding("audit.gap", "the archive has no decision about the merge: "+why, about{identity: []string{why}}, "the report of the run that decided", why,
		"find the run, and add its decision: closeout archive add; else have the merge reviewed"), x.At, x)
}

// maxPending is how many days commits may wait for the archive.
const maxPending = 7

// commits says of each audited commit what answers for it.
func (j *joined) commits() {
	earliest := j.earliest()
	for at := j.Newest; at <= j.Oldest; at++ {
		if !j.after(at) {
			break
		}
		c := j.Line.Commits[at]
		row := report.AuditCommit{Commit: c.ID, Date: j.Line.Date(at), Subject: c.Subject, Author: c.Author}
		x := j.of[at]
		switch {
		case x != nil:
			row.State, row.Entry = x.Entry.Kind, &x.Row
			if x.Row.Verdict == report.NotJudged {
				row.State = report.NotJudged
			}
		case j.Archive == nil && j.Unread:
			row.State = "unknown"
		case j.last >= 0 && at > j.last:
			row.State = "missing"
			j.add(finding("audit.missing", "no decision and no gap is archived about the commit", about{}, "an entry that names it", "none",
				"find how it reached the branch, and have it reviewed; closeout archive find writes down what it finds"), at, nil)
		default:
			row.State = j.waiting(at, earliest[at-j.Newest])
		}
		j.states = append(j.states, row)
	}
}

// earliest is, for each audited commit, the first day that it or a commit after it is dated: a commit whose date is too young waits no
// longer than those that were made on top of it.
func (j *joined) earliest() []int {
	var days []int
	for at := j.Newest; at <= j.Oldest; at++ {
		day := dayOf(j.Line.Commits[at].Seconds)
		if at > j.Newest {
			day = min(day, days[len(days)-1])
		}
		days = append(days, day)
	}
	return days
}

// waiting says of a commit that is newer than the archive whether it is pending or missing. A date after the audit is no reason to wait.
func (j *joined) waiting(at, day int) string {
	age := j.AsOf - day
	if age >= 0 && age < maxPending {
		j.add(finding("audit.pending", "the commit is newer than the archive", about{}, "an entry that names it", "none yet",
			"let the archive workflow run, and fetch again"), at, nil)
		return "pending"
	}
	actual := fmt.Sprintf("none for %s, as of %s", input.Plural(age, "day"), civil(j.AsOf))
	if age < 0 {
		actual = "none, and every date since the commit is after " + civil(j.AsOf)
	}
	j.add(finding("audit.missing", "the archive has no entry about the commit, and it can wait no longer", about{identity: []string{"old"}},
		fmt.Sprintf("an entry that names it within %d days", maxPending), actual,
		"find why the archive workflow no longer runs: it must run after each push to the branch; then fetch again"), at, nil)
	return "missing"
}

// changed takes over the changes of contract and workflow.
func (j *joined) changed() {
	for _, c := range j.Edits {
		if !j.in(c.At) || !j.after(c.At) {
			continue
		}
		text := c.Text
		if c.Kind == report.ChangeWorkflow {
			text = c.Path + ": " + c.Text
		}
		j.changes = append(j.changes, report.AuditChange{
			Kind: c.Kind, Commit: j.Line.Commits[c.At].ID, Date: j.Line.Date(c.At), Text: text, Loosened: len(c.Loosened) > 0,
		})
		if len(c.Loosened) == 0 {
			continue
		}
		shown := c.Loosened[:min(len(c.Loosened), 10)]
		actual := strings.Join(shown, "; ")
		if more := len(c.Loosened) - len(shown); more > 0 {
			actual += fmt.Sprintf("; and %d more", more)
		}
		j.add(finding("audit.contract_loosened", "the contract lets through more than before, or requires less", about{path: c.Path, identity: c.Loosened},
			"a contract that is as strict as before", actual, "read who reviewed the change of the contract, and what was merged until it was strict again"), c.At, j.of[c.At])
	}
	input.SortStable(j.changes, func(a, b report.AuditChange) int {
		x, _ := j.Line.At(a.Commit)
		y, _ := j.Line.At(b.Commit)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Kind, b.Kind))
	})
}

// LogBroken is the finding about a problem of the archive.
func LogBroken(p archive.Problem) report.AuditFinding {
	f := finding("audit.log_broken", "the archive is not as it was written: "+p.Message, about{path: p.Path, identity: []string{p.Message, p.Expected}}, p.Expected, p.Actual,
		"compare the branch with another clone, and ask who pushed to it")
	f.Seq = p.Seq
	return f
}
