package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// result writes down what was joined.
func (j *joined) result() *report.Audit {
	a := &report.Audit{
		Schema: report.AuditSchema, Tool: report.Tool{Name: "closeout", Version: j.Version}, Findings: []report.AuditFinding{},
		Decisions: []report.AuditDecision{}, Series: []report.AuditPeriod{}, Changes: j.changes, Commits: j.states,
	}
	if a.Changes == nil {
		a.Changes = []report.AuditChange{}
	}
	for _, f := range j.Found {
		seal(&f)
		j.found = append(j.found, f)
	}
	order(j.found, j.Line)
	for _, f := range j.found {
		switch input.Severity(f.Severity) {
		case input.Block:
			a.Counts.Block++
		case input.Unknown:
			a.Counts.Unknown++
		case input.Warn:
			a.Counts.Warn++
		default:
			a.Counts.Info++
		}
	}
	by := map[string][]string{} // the codes of the findings about each commit
	for _, f := range j.found {
		if f.Commit != "" && !slices.Contains(by[f.Commit], f.Code) {
			by[f.Commit] = append(by[f.Commit], f.Code)
		}
	}
	for i := range j.states {
		j.states[i].Finding = strings.Join(by[j.states[i].Commit], " ")
	}
	a.Findings = append(a.Findings, j.found[:min(len(j.found), MaxFindings)]...)
	a.FindingsOmitted = len(j.found) - len(a.Findings)
	decisions := j.decided()
	for _, x := range decisions {
		a.Decisions = append(a.Decisions, x.Row)
	}
	a.Subject = j.subject(decisions)
	a.Series = j.series(decisions)
	a.Statistics = j.statistics(decisions)
	return a
}

// decided are the entries about audited commits, the newest first; without the gaps that were repaired.
func (j *joined) decided() []*Examined {
	var list []*Examined
	for _, x := range j.Entries {
		if x.At >= 0 && j.in(x.At) && j.after(x.At) && !j.repaired[x.Entry.Seq] {
			list = append(list, x)
		}
	}
	input.SortStable(list, func(a, b *Examined) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(b.Entry.Seq, a.Entry.Seq))
	})
	return list
}

func (j *joined) subject(decisions []*Examined) report.AuditSubject {
	s := report.AuditSubject{
		Branch: j.Branch, To: j.Line.Commits[j.Newest].ID, AsOf: civil(j.AsOf), Commits: len(j.states),
		BeforeGate: j.Oldest - j.Newest + 1 - len(j.states),
	}
	from := j.Line.Commits[j.Oldest].ID
	s.From = &from
	if j.Adopted >= 0 {
		s.Adopted = &j.Line.Commits[j.Adopted].ID
	}
	for _, x := range decisions {
		switch {
		case x.Row.Verdict == report.NotJudged:
			s.NotJudged++
		case x.Entry.Kind == archive.Decision:
			s.Decisions++
		}
		if x.Row.Why != archive.NoPullRequest {
			s.Merges++
		}
		if x.Row.Replay == archive.ReplaySame || x.Row.Replay == archive.ReplayDifferent || x.Row.Replay == "unknown" {
			s.Replayed++
		}
	}
	if arc := j.Archive; arc != nil {
		s.Archive, s.Entries = &arc.Commit, arc.Size
		if arc.Kept != "" {
			s.Kept = &arc.Kept
		}
	}
	return s
}

// verdictOf is what an entry counts as.
func verdictOf(x *Examined) string {
	if x.Entry.Kind == archive.Gap {
		return "gap"
	}
	return x.Row.Verdict
}

// maxPeriods is how many periods a result has: older ones are added to the first.
const maxPeriods = 1200

// series counts by week, or by month when the audited commits span more than two years.
func (j *joined) series(decisions []*Examined) []report.AuditPeriod {
	var days []int
	for _, c := range j.states {
		at, _ := j.Line.At(c.Commit)
		days = append(days, dayOf(j.Line.Commits[at].Seconds))
	}
	if len(days) == 0 {
		return []report.AuditPeriod{}
	}
	low, high := slices.Min(days), slices.Max(days)
	starts := []int{}
	begin, next := monday, func(day int) int { return day + 7 }
	if high-low > 2*366 {
		begin = func(day int) int { _, _, dom := split(day); return day - dom + 1 }
		next = func(day int) int { return begin(day + 31) }
	}
	low = max(low, high-31*maxPeriods)
	for day := begin(low); day <= high; day = next(day) {
		starts = append(starts, day)
	}
	list := make([]report.AuditPeriod, len(starts))
	for i, day := range starts {
		list[i].From = civil(day)
	}
	period := func(at int) *report.AuditPeriod {
		i, exact := slices.BinarySearch(starts, dayOf(j.Line.Commits[at].Seconds))
		if !exact {
			i--
		}
		return &list[max(i, 0)]
	}
	for _, x := range decisions {
		count(period(x.At), x)
	}
	for _, c := range j.states {
		if c.State == "missing" {
			at, _ := j.Line.At(c.Commit)
			period(at).Missing++
		}
	}
	return list
}

func count(p *report.AuditPeriod, x *Examined) {
	switch verdictOf(x) {
	case report.Passed:
		p.Passed++
	case report.Overridden:
		p.Overridden++
	case report.Failed:
		p.Failed++
	case report.Review:
		p.Review++
	case report.NotJudged:
		p.NotJudged++
	case "gap":
		p.Gaps++
	}
	add(&p.Levels, &x.levels)
}

func add(to, l *report.AuditLevels) {
	to.Absent += l.Absent
	to.Claimed += l.Claimed
	to.Bound += l.Bound
	to.Recorded += l.Recorded
}

// statistics add up decisions.
func (j *joined) statistics(decisions []*Examined) report.AuditStatistics {
	s := report.AuditStatistics{Verdicts: map[string]int{report.Passed: 0, report.Overridden: 0, report.Failed: 0, report.Review: 0, report.NotJudged: 0, "gap": 0, "missing": 0}}
	codes, reasons, flaky := map[string]int{}, map[string]int{}, map[string]int{}
	spelled := map[string]string{}
	people := map[string]*person{}
	var records, files []int64
	for _, x := range decisions {
		if v := verdictOf(x); v != "" {
			s.Verdicts[v]++
		}
		add(&s.Levels, &x.levels)
		if !x.Answered {
			continue
		}
		records, files = append(records, x.records), append(files, x.files)
		for _, id := range x.flaky {
			flaky[id]++
		}
		for i := range x.Row.Overrides {
			o := &x.Row.Overrides[i]
			for _, code := range o.Codes {
				codes[code]++
			}
			fold := strings.Join(strings.Fields(strings.ToLower(o.Reason)), " ")
			reasons[fold]++
			spelled[fold] = o.Reason // that of the oldest
			countPerson(people, o, x.authors[deref(o.PullRequest)])
		}
	}
	for _, c := range j.states {
		if c.State == "missing" {
			s.Verdicts["missing"]++
		}
	}
	answered := s.Verdicts[report.Passed] + s.Verdicts[report.Overridden] + s.Verdicts[report.Failed] + s.Verdicts[report.Review]
	if answered > 0 {
		s.OverrideShare = s.Verdicts[report.Overridden] * 10_000 / answered
	}
	s.Codes, s.Flaky, s.People = sorted(codes, 1), sorted(flaky, 1), ranked(people)
	for _, r := range sorted(reasons, 3) {
		s.Reasons = append(s.Reasons, report.AuditNumber{Name: spelled[r.Name], Times: r.Times})
	}
	if s.Reasons == nil {
		s.Reasons = []report.AuditNumber{}
	}
	s.RecordsMedian, s.RecordsP90 = quantile(records, 50), quantile(records, 90)
	s.FilesMedian, s.FilesP90 = quantile(files, 50), quantile(files, 90)
	return s
}

// sorted lists numbers, the largest first, from a smallest one on.
func sorted(numbers map[string]int, least int) []report.AuditNumber {
	list := []report.AuditNumber{}
	for name, n := range numbers {
		if n >= least {
			list = append(list, report.AuditNumber{Name: name, Times: n})
		}
	}
	input.SortStable(list, func(a, b report.AuditNumber) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// quantile is the smallest number that at least a percentage of the numbers do not exceed; 0 for none.
func quantile(numbers []int64, percent int) int64 {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[(len(numbers)*percent+99)/100-1]
}

// person counts what a person overrode.
type person struct {
	actor, id      string
	overrides      int
	codes, authors map[string]int
}

func countPerson(people map[string]*person, o *report.AuditOverride, authors []string) {
	key := cmp.Or(o.ActorID, strings.ToLower(o.Actor))
	p := people[key]
	if p == nil {
		p = &person{actor: o.Actor, id: o.ActorID, codes: map[string]int{}, authors: map[string]int{}} // the newest login
		people[key] = p
	}
	p.overrides++
	for _, c := range o.Codes {
		p.codes[c]++
	}
	for _, a := range authors {
		p.authors[a]++
	}
}

func ranked(people map[string]*person) []report.AuditPerson {
	list := []report.AuditPerson{}
	for _, p := range people {
		list = append(list, report.AuditPerson{Actor: p.actor, ActorID: p.id, Overrides: p.overrides, Codes: sorted(p.codes, 1), Authors: sorted(p.authors, 1)})
	}
	input.SortStable(list, func(a, b report.AuditPerson) int {
		return cmp.Or(cmp.Compare(b.Overrides, a.Overrides), cmp.Compare(a.Actor, b.Actor), cmp.Compare(a.ActorID, b.ActorID))
	})
	return list
}
