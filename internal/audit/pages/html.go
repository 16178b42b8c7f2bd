package pages

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// auditRoom is how many bytes the lists of the page of an audit may take, and pageDecisions how many decisions it lists.
const (
	auditRoom     = 1_000_000
	pageDecisions = 500
)

// writeHTML writes the page of an audit, pictures first. It returns the error of the writer.
func writeHTML(w io.Writer, a *report.Audit) error {
	p := auditPage{a, page.Forge(""), &page.Room{Bytes: auditRoom}}
	why := auditSentence(a)
	return (&page.Page{
		Title: "Audit of " + page.Limited(a.Subject.Branch) + ": " + auditVerdict(a), Skip: "Skip to the audit",
		Header: p.header(why),
		Parts: []page.Part{
			{ID: "timeline", Title: "What reached the branch", Body: p.timeline()},
			{ID: "rate", Title: "How often a person overrode", Body: p.rate()},
			{ID: "codes", Title: "What was overridden", Body: p.codes()},
			{ID: "people", Title: "Who overrode", Body: p.people()},
			{ID: "levels", Title: "How good the evidence was", Body: p.levels()},
			{ID: "changes", Title: "What changed in the gate", Body: p.strip()},
			{ID: "findings", Title: "Findings", Body: p.findings()},
			{ID: "overrides", Title: "Overrides", Body: p.overrides()},
			{ID: "changed", Title: "Changes of contract and workflow", Body: p.changes()},
			{ID: "decisions", Title: "Decisions", Body: p.decisions()},
			{ID: "basis", Title: "What this rests on", Body: p.basis()},
		},
		Footer: page.Footer(a.Tool),
	}).Write(w)
}

type auditPage struct {
	*report.Audit
	forge page.Forge
	room  *page.Room
}

// auditVerdict is the heading of the page.
func auditVerdict(a *report.Audit) string {
	switch c := a.Counts; {
	case c.Block == 1:
		return "1 finding blocks"
	case c.Block > 1:
		return fmt.Sprintf("%d findings block", c.Block)
	case c.Unknown > 0:
		return "incomplete"
	case a.Subject.Adopted == nil:
		return "no gate yet"
	case a.Subject.Decisions == 0:
		return "no decision yet"
	}
	return "nothing blocks"
}

// auditSentence says what matters most about an audit: what the text says first, and the numbers behind it.
func auditSentence(a *report.Audit) string {
	total := a.Statistics.Verdicts
	text := page.Capital(auditFirst(a)) + fmt.Sprintf(". %s since the gate was adopted: %s", page.Plural(a.Subject.Commits, "commit"), auditWords(&a.Subject))
	if n := total["gap"]; n > 0 {
		text += ", " + page.Plural(n, "gap")
	}
	if n := total["missing"]; n > 0 {
		text += fmt.Sprintf(", %d without any entry", n)
	}
	if n := total[report.Overridden]; n > 0 {
		text += fmt.Sprintf("; %s overridden (%s)", page.Plural(n, "decision")+were(n), share(a.Statistics.OverrideShare, 10_000))
	}
	return text + "."
}

func (p *auditPage) header(why string) page.Node {
	of, sign := page.Word("top review"), page.Word("review")
	switch {
	case p.Counts.Block > 0:
		of, sign = "top failed", "failed"
	case p.Counts.Unknown == 0 && p.Subject.Adopted != nil && p.Subject.Decisions > 0:
		of, sign = "top passed", "passed"
	}
	total := p.Statistics.Verdicts
	return page.El("header", page.Class(of),
		page.El("p", page.Class("kicker"), page.Say("Close-out gate: audit of "), page.Foreign(p.Subject.Branch)),
		page.El("h1", page.Icon(sign), page.Say(page.Capital(auditVerdict(p.Audit)))),
		page.El("p", page.Class("why"), page.Say(why)),
		p.first(),
		page.El("p", page.Class("rests"), page.Say(page.Capital(auditBasis(p.Audit)), ". ", page.Capital(auditReplay(p.Audit)), ".")),
		page.Terms("tiles",
			page.Term{Name: "Commits", Meaning: page.Count(p.Subject.Commits)}, page.Term{Name: "Merges", Meaning: page.Count(p.Subject.Merges)}, page.Term{Name: "Decisions", Meaning: page.Count(p.Subject.Decisions)},
			page.Term{Name: "Not judged", Meaning: page.Count(p.Subject.NotJudged)}, page.Term{Name: "Missing", Meaning: page.Count(total["missing"])}, page.Term{Name: "Gaps", Meaning: page.Count(total["gap"])}, page.Term{Name: "Overridden", Meaning: page.Count(total[report.Overridden])},
			page.Term{Name: "Findings", Meaning: page.Say(auditCounts(p.Counts))},
		), page.Patterns())
}

// first is the finding that a reader must see; nil when none blocks and nothing is unknown. Those that block come first.
func (p *auditPage) first() page.Node {
	if len(p.Findings) == 0 || (p.Findings[0].Severity != block && p.Findings[0].Severity != unknown) {
		return nil
	}
	f := &p.Findings[0]
	lead := "Found: "
	if p.Counts.Block+p.Counts.Unknown > 1 {
		lead = "The first: "
	}
	return page.El("p", page.Class("why"), page.Say(lead), page.Foreign(f.Message), p.placeOf(f))
}

// placeOf is the commit or the path that a finding is about, in brackets; nil for neither.
func (p *auditPage) placeOf(f *report.AuditFinding) page.Node {
	switch {
	case f.Commit == "" && f.Path == "":
		return nil
	case f.Commit == "":
		return page.Nodes{page.Say(" ("), page.Code(f.Path), page.Say(")")}
	case len(f.PullRequests) == 0:
		return page.Nodes{page.Say(" (commit "), p.forge.Commit(f.Commit), page.Say(" of ", f.Date, ")")}
	}
	return page.Nodes{page.Say(" (commit "), p.forge.Commit(f.Commit), page.Say(" of ", f.Date, ", pull request "), p.pulls(f.PullRequests[:min(len(f.PullRequests), 3)]), page.Say(")")}
}

func auditCounts(c report.AuditCounts) string {
	return present.CountWords(&report.Report{Counts: report.Counts{Block: c.Block, Unknown: c.Unknown, Warn: c.Warn, Info: c.Info}})
}

// verdictKinds are what a bar of the timeline is made of, from the bottom to the top. What was not judged has the look of bound evidence,
// which no bar of the timeline has.
var verdictKinds = []page.Kind{
	{Class: "k-passed", Name: "Passed"}, {Class: "k-overridden", Name: "Overridden"}, {Class: "k-review", Name: "Review"}, {Class: "k-failed", Name: "Failed"}, {Class: "k-bound", Name: "Not judged"}, {Class: "k-gap", Name: "Gaps"}, {Class: "k-missing", Name: "Missing"},
}

func (p *auditPage) series(counts func(period report.AuditPeriod) []int) *series {
	s := &series{}
	for _, period := range p.Series {
		s.from, s.counts = append(s.from, period.From), append(s.counts, counts(period))
	}
	return s
}

func verdictCounts(p report.AuditPeriod) []int {
	return []int{p.Passed, p.Overridden, p.Review, p.Failed, p.NotJudged, p.Gaps, p.Missing}
}

// per says what a bar is, when it is more than a period.
func per(size int) string {
	if size == 1 {
		return ""
	}
	return fmt.Sprintf(" Each bar stands for %d periods.", size)
}

func (p *auditPage) timeline() []page.Node {
	all := p.series(verdictCounts)
	s, size := all.joined(maxBars)
	if len(s.from) == 0 || s.total() == 0 {
		return []page.Node{page.El("p", page.Say("No merge, gap or missing commit is counted yet."))}
	}
	most := s.total()
	sentence := fmt.Sprintf("From %s on, %s.", p.Series[0].From, page.AndList(totals(verdictKinds, all)))
	for _, k := range []int{6, 5} {
		list := all.column(k)
		if i := busiest(list); i >= 0 {
			first := slices.IndexFunc(list, func(n int) bool { return n > 0 })
			sentence += fmt.Sprintf(" %s: first in the period from %s, most in the period from %s (%d).", verdictKinds[k].Name, all.from[first], all.from[i], list[i])
		}
	}
	return (&figure{
		id: "timeline-picture", title: "Merges by verdict, and commits without an entry, over time", sentence: sentence + per(size), height: plotTop + plotHeight + axisHeight,
		body:    append(axes(s.from, most, ""), s.stack(verdictKinds, most)...),
		legend:  page.Legend(verdictKinds, func(k int) int { return page.Sum(all.column(k)) }),
		numbers: all.table("Merges by verdict, and commits without an entry, by period", verdictKinds),
	}).chart()
}

// totals is "12 passed" and so on, without zeros.
func totals(kinds []page.Kind, s *series) []string {
	var list []string
	for k, of := range kinds {
		if n := page.Sum(s.column(k)); n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, amountOf(n, of)))
		}
	}
	if list == nil {
		return []string{"nothing"}
	}
	return list
}

// amountOf is the name of a kind behind a number: "5 gaps", "1 gap".
func amountOf(n int, of page.Kind) string {
	name := strings.ToLower(string(of.Name))
	if n == 1 {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

var rateKinds = []page.Kind{{Class: "k-overridden", Name: "Overridden"}, {Class: "k-passed", Name: "Decisions"}}

func (p *auditPage) rate() []page.Node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Overridden, c.Passed + c.Overridden + c.Failed + c.Review}
	})
	if len(all.from) == 0 || page.Sum(all.column(1)) == 0 {
		return nil
	}
	overridden, decisions := page.Sum(all.column(0)), page.Sum(all.column(1))
	sentence := fmt.Sprintf("%d of %s%s overridden: %s.", overridden, page.Plural(decisions, "decision"), were(overridden), share(overridden, decisions))
	if overridden == 0 || len(all.from) == 1 { // a picture of one point, or of a line at 0, shows nothing
		return []page.Node{page.El("p", page.Class("says"), page.Say(sentence))}
	}
	s, size := all.joined(maxPoints)
	most := 1 // in tens of percent
	rates := make([]int, len(s.counts))
	for i, c := range s.counts {
		rates[i] = 1000 * c[0] / max(c[1], 1)
		most = max(most, (rates[i]+99)/100)
	}
	if i := busiest(rates); i >= 0 {
		sentence += fmt.Sprintf(" The highest share is %s, %d of %d, from %s on.", share(s.counts[i][0], s.counts[i][1]), s.counts[i][0], s.counts[i][1], s.from[i])
	}
	if size > 1 {
		sentence += fmt.Sprintf(" Each point stands for %d periods.", size)
	}
	body := append(axes(s.from, most*10, " %"), rateLine(s, rates, most*100)...)
	return (&figure{
		id: "rate-picture", title: "Share of decisions that were overridden, over time", sentence: sentence + " The number at a point is how many were overridden.",
		height: plotTop + plotHeight + axisHeight, body: body, numbers: all.table("Overridden decisions and all decisions by period", rateKinds),
	}).chart()
}

// rateLine draws a point for each period with a decision, the number of overrides above it, and a line through them.
func rateLine(s *series, rates []int, most int) []page.Node {
	var line [][2]int
	var marks []page.Node
	for i, c := range s.counts {
		if c[1] == 0 {
			continue
		}
		x, width := period(i, len(s.counts))
		x, y := x+width/2, plotTop+plotHeight-plotHeight*rates[i]/most
		line = append(line, [2]int{x, y})
		marks = append(marks, page.El("circle", page.Class("point"), page.Decimal("cx", x), page.Decimal("cy", y), page.Decimal("r", 35)), words("value middle", x, y-70, fmt.Sprint(c[0])))
	}
	return append([]page.Node{page.El("polyline", page.Class("line"), page.Points(line))}, marks...)
}

func toBars(list []report.AuditNumber) []bar {
	var found []bar
	for _, n := range list {
		found = append(found, bar{name: n.Name, times: n.Times})
	}
	return found
}

func (p *auditPage) codes() []page.Node {
	list := toBars(p.Statistics.Codes)
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxNames)]
	body, height := bars(shown, "k-overridden-solid")
	sentence := fmt.Sprintf("%s overridden; most often %s, %s.", page.Plural(len(list), "code")+were(len(list)), shortened(shown[0].name), page.Plural(shown[0].times, "time"))
	return append((&figure{
		id: "codes-picture", title: "Codes of findings that were overridden", sentence: sentence, height: height, body: body,
		numbers: barTable("How often each code was overridden", "Code", "Times", "", list[:min(len(list), 100)], p.room),
	}).chart(), p.reasons()...)
}

func were(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// reasons are those that were given again and again.
func (p *auditPage) reasons() []page.Node {
	if len(p.Statistics.Reasons) == 0 {
		return nil
	}
	const title = "Reasons given three times or more"
	return []page.Node{page.El("h3", page.Say(title)), barTable(title, "Reason", "Times", "", toBars(p.Statistics.Reasons), p.room)}
}

const (
	inJSON = "the JSON of the audit lists them"
	inCSV  = "--format csv lists all"
)

func (p *auditPage) people() []page.Node {
	var list []bar
	for _, person := range p.Statistics.People {
		var words []string
		for _, author := range person.Authors[:min(len(person.Authors), 5)] {
			words = append(words, fmt.Sprintf("%s (%d)", author.Name, author.Times))
		}
		if more := len(person.Authors) - len(words); more > 0 {
			words = append(words, fmt.Sprintf("%d more", more))
		}
		list = append(list, bar{person.Actor, person.Overrides, strings.Join(words, ", ")})
	}
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxNames)]
	body, height := bars(shown, "k-person")
	sentence := fmt.Sprintf("%s overrode; %s most often, %s.", people(len(list)), shortened(shown[0].name), page.Plural(shown[0].times, "time"))
	return (&figure{
		id: "people-picture", title: "Overrides by person", sentence: sentence, height: height, body: body,
		numbers: barTable("Overrides by person", "Person", "Overrides", "Whose pull requests", list[:min(len(list), 100)], p.room),
	}).chart()
}

func people(n int) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}

var levelKinds = []page.Kind{{Class: "k-recorded", Name: "Recorded"}, {Class: "k-bound", Name: "Bound"}, {Class: "k-claimed", Name: "Claimed"}, {Class: "k-absent", Name: "Absent"}}

func (p *auditPage) levels() []page.Node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Levels.Recorded, c.Levels.Bound, c.Levels.Claimed, c.Levels.Absent}
	})
	s, size := all.joined(maxBars)
	criteria := 0
	for i, c := range s.counts { // shares of 1000, so that levels compare from period to period
		criteria += page.Sum(c)
		s.counts[i] = present.Shares(c, 1000)
	}
	if criteria == 0 {
		return nil
	}
	sentence := fmt.Sprintf("%s%s judged: %s.", page.Plural(criteria, "acceptance criterion"), were(criteria), page.AndList(totals(levelKinds, all)))
	return (&figure{
		id: "levels-picture", title: "Evidence levels of acceptance criteria over time", sentence: sentence + per(size), height: plotTop + plotHeight + axisHeight,
		body:    append(axes(s.from, 100, " %"), s.stack(levelKinds, 1000)...),
		legend:  page.Legend(levelKinds, func(k int) int { return page.Sum(all.column(k)) }),
		numbers: all.table("Acceptance criteria by evidence level and period", levelKinds),
	}).chart()
}

// changeKinds are the rows of the strip.
var changeKinds = []struct {
	kind        string
	class, name page.Word
}{
	{report.ChangeContract, "m-contract", "Contract"}, {report.ChangeWorkflow, "m-workflow", "Workflow"},
}

// strip draws one mark for each change, in a row of its kind, where its date is on the axis of the other charts.
func (p *auditPage) strip() []page.Node {
	if len(p.Series) == 0 || len(p.Changes) == 0 {
		return nil
	}
	from := p.series(verdictCounts).from
	const pitch = 360
	var body []page.Node
	var said []string
	loosened := 0
	for k, of := range changeKinds {
		y := plotTop + k*pitch
		body = append(body, rule("grid", plotLeft, y, plotLeft+plotWidth, y), words("tick end", plotLeft-60, y+40, string(of.name)))
		list := slices.DeleteFunc(slices.Clone(p.Changes), func(c report.AuditChange) bool { return c.Kind != of.kind })
		said = append(said, fmt.Sprintf("%d of the %s", len(list), of.kind))
		body = append(body, marksOf(list[max(0, len(list)-maxMarks):], from, y, of.class)...)
		for _, c := range list {
			if c.Loosened {
				loosened++
			}
		}
	}
	bottom := plotTop + len(changeKinds)*pitch - 100
	body = append(append(body, rule("axis", plotLeft, bottom, plotLeft+plotWidth, bottom)), dates(from, bottom)...)
	sentence := fmt.Sprintf("%s: %s. %d made a contract looser, drawn as triangles.", page.Plural(len(p.Changes), "change"), page.AndList(said), loosened)
	columns := []page.Column{{Title: "Kind"}, {Title: "Changes", Class: "n"}}
	var rows []page.Node
	for _, of := range changeKinds {
		n := 0
		for _, c := range p.Changes {
			if c.Kind == of.kind {
				n++
			}
		}
		rows = append(rows, page.Row(columns, page.Say(string(of.name)), page.Count(n)))
	}
	return (&figure{
		id: "changes-picture", title: "Changes of contract and workflow over time", sentence: sentence, height: bottom + axisHeight, body: body,
		numbers: page.Grid("Changes by kind; a table below lists each of them", columns, rows, true),
	}).chart()
}

// marksOf are the marks of changes, which are sorted by date. Those of one period stand side by side.
func marksOf(list []report.AuditChange, from []string, y int, of page.Word) []page.Node {
	in := func(c report.AuditChange) int { return max(0, upper(from, c.Date)-1) }
	var marks []page.Node
	for i := 0; i < len(list); {
		at, n := in(list[i]), 1
		for i+n < len(list) && in(list[i+n]) == at {
			n++
		}
		x, width := period(at, len(from))
		for k := range n {
			marks = append(marks, mark(of, x+width*(k+1)/(n+1), y, list[i+k].Loosened))
		}
		i += n
	}
	return marks
}

// upper is how many days of a sorted list are not after a day.
func upper(days []string, day string) int {
	i, found := slices.BinarySearch(days, day)
	if found {
		return i + 1
	}
	return i
}

// mark is the sign of a change: a square for a contract, a diamond for a workflow, a triangle for a looser contract.
func mark(of page.Word, x, y int, loosened bool) page.Node {
	const r = 70
	switch {
	case loosened:
		return page.El("polygon", page.Class("m-loosened"), page.Points([][2]int{{x - r, y - r}, {x + r, y - r}, {x, y + r}}))
	case of == "m-workflow":
		return page.El("polygon", page.Class(of), page.Points([][2]int{{x - r, y}, {x, y - r}, {x + r, y}, {x, y + r}}))
	}
	return page.Rect(of, x-r+15, y-r+15, 2*r-30, 2*r-30)
}

func (p *auditPage) findings() []page.Node {
	if len(p.Findings) == 0 {
		return []page.Node{page.El("p", page.Say("There is no finding."))}
	}
	var body []page.Node
	for i := 0; i < len(p.Findings); {
		n := 1
		for i+n < len(p.Findings) && p.Findings[i+n].Code == p.Findings[i].Code && p.Findings[i+n].Severity == p.Findings[i].Severity {
			n++
		}
		body = append(body, p.findingGroup(p.Findings[i:i+n]))
		i += n
	}
	return append(body, page.Omitted(p.FindingsOmitted, "the counts include them"))
}

var findingColumns = []page.Column{
	{Title: "Commit", Class: "id"}, {Title: "Date", Class: "day"}, {Title: "Pull request", Class: "id"}, {Title: "Finding"}, {Title: "Expected"}, {Title: "Actual"}, {Title: "How to fix"},
}

// findingGroup are the findings of one code.
func (p *auditPage) findingGroup(list []report.AuditFinding) page.Node {
	severity := present.SeverityOf(report.Finding{Severity: list[0].Severity})
	heading := p.room.Take(page.El("h3", page.Code(list[0].Code), page.Say(" "), page.TagOf(severity), page.Say(fmt.Sprint(len(list)))))
	if heading == nil {
		return page.Omitted(len(list), inJSON)
	}
	noun := ""
	if severity == warn || severity == info {
		noun = "finding"
	}
	return page.Nodes{heading, p.room.Table(page.Listing{
		Percent: 40, Caption: "Findings of one code, the newest commit first", Columns: findingColumns, N: len(list), More: inJSON, Noun: noun,
		Cells: func(i int) []page.Node {
			f := list[i]
			return []page.Node{p.commit(f.Commit), page.Say(cmp.Or(f.Date, "–")), p.pulls(f.PullRequests), page.Nodes{page.Foreign(f.Message), belowPath(f.Path)}, page.Optional(f.Expected), page.Optional(f.Actual), page.Optional(f.Fix)}
		},
	})}
}

// commit is a commit that a row is about; a dash for none.
func (p *auditPage) commit(id string) page.Node {
	if id == "" {
		return page.Say("–")
	}
	return p.forge.Commit(id)
}

func (p *auditPage) pulls(ids []string) page.Node {
	if len(ids) == 0 {
		return page.Say("–")
	}
	var list page.Nodes
	for i, id := range ids {
		if i > 0 {
			list = append(list, page.Say(", "))
		}
		list = append(list, p.forge.Pull(id))
	}
	return list
}

// belowPath is the path of a finding, in a line of its own.
func belowPath(path string) page.Node {
	if path == "" {
		return nil
	}
	return page.Nodes{page.El("br"), page.Code(path)}
}

var overrideColumns = []page.Column{{Title: "Commit", Class: "id"}, {Title: "Date", Class: "day"}, {Title: "Pull request", Class: "id"}, {Title: "Person"}, {Title: "Reason"}, {Title: "Accepted codes"}}

func (p *auditPage) overrides() []page.Node {
	type override struct {
		decision *report.AuditDecision
		report.AuditOverride
	}
	var list []override
	for i := range p.Decisions {
		for _, o := range p.Decisions[i].Overrides {
			list = append(list, override{&p.Decisions[i], o})
		}
	}
	if len(list) == 0 {
		return []page.Node{page.El("p", page.Say("Nothing was overridden."))}
	}
	return []page.Node{p.room.Table(page.Listing{
		Percent: 50, Caption: "Overrides, the newest first", Columns: overrideColumns, N: len(list), More: inJSON, Noun: "override",
		Cells: func(i int) []page.Node {
			o := list[i]
			pulls := o.decision.PullRequests
			if o.PullRequest != nil {
				pulls = []string{*o.PullRequest}
			}
			var codes page.Nodes
			for _, c := range o.Codes {
				codes = append(codes, page.Code(c), page.Say(" "))
			}
			return []page.Node{p.commit(o.decision.Commit), page.Say(o.decision.Date), p.pulls(pulls), page.Foreign(o.Actor), page.Foreign(o.Reason), codes}
		},
	})}
}

var changeColumns = []page.Column{{Title: "Commit", Class: "id"}, {Title: "Date", Class: "day"}, {Title: "Kind"}, {Title: "What changed"}}

func (p *auditPage) changes() []page.Node {
	if len(p.Changes) == 0 {
		return []page.Node{page.El("p", page.Say("Neither contract nor workflow changed."))}
	}
	list := slices.Clone(p.Changes)
	slices.Reverse(list)
	return []page.Node{p.room.Table(page.Listing{
		Percent: 40, Caption: "Changes, the newest first", Columns: changeColumns, N: len(list), More: inJSON, Noun: "change",
		Cells: func(i int) []page.Node {
			kind := page.Nodes{page.Say(list[i].Kind)}
			if list[i].Loosened {
				kind = append(kind, page.Say(" "), page.El("span", page.Class("tag warn"), page.Say("looser")))
			}
			return []page.Node{p.commit(list[i].Commit), page.Say(list[i].Date), kind, page.Foreign(list[i].Text)}
		},
	})}
}

var decisionColumns = []page.Column{
	{Title: "Commit", Class: "id"}, {Title: "Date", Class: "day"}, {Title: "Pull request", Class: "id"}, {Title: "Verdict"}, {Title: "Bound to the merge"}, {Title: "Replay"}, {Title: "Version"}, {Title: "Entry", Class: "n"},
}

func (p *auditPage) decisions() []page.Node {
	if len(p.Decisions) == 0 {
		return []page.Node{page.El("p", page.Say("There is no decision."))}
	}
	list := p.Decisions[:min(len(p.Decisions), pageDecisions)]
	table := p.room.Table(page.Listing{
		Percent: 100, Caption: "Decisions, the newest first", Columns: decisionColumns, N: len(list), More: inCSV, Noun: "decision",
		Cells: func(i int) []page.Node {
			d := list[i]
			return []page.Node{p.commit(d.Commit), page.Say(d.Date), p.pulls(d.PullRequests), verdictOf(d), page.Optional(d.Binding), page.Foreign(d.Replay), page.Optional(d.Version), page.Count(d.Seq)}
		},
	})
	return []page.Node{table, page.Omitted(len(p.Decisions)-len(list), inCSV)}
}

// verdictOf is the verdict of a decision, or that it is a gap and why.
func verdictOf(d report.AuditDecision) page.Node {
	if d.Verdict == "" {
		return page.Nodes{page.TagOf("gap"), page.Say(" "), page.Foreign(d.Why)}
	}
	if d.Verdict == report.NotJudged {
		return page.TagOf("not judged")
	}
	list := page.Nodes{page.TagOf(d.Verdict)}
	if d.Mode == "observe" {
		list = append(list, page.Say(" observed"))
	}
	return list
}

func (p *auditPage) basis() []page.Node {
	s := p.Subject
	ids := func(id *string) page.Node {
		if id == nil {
			return nil
		}
		return p.forge.Commit(*id)
	}
	archive := page.Say("there is no archive")
	if s.Archive != nil {
		archive = page.Nodes{ids(s.Archive), page.Say(", ", input.Plural(s.Entries, "entry"))}
	}
	return []page.Node{page.Terms("facts",
		page.Term{Name: "Branch", Meaning: page.Foreign(s.Branch)}, page.Term{Name: "Newest commit", Meaning: ids(&s.To)}, page.Term{Name: "Oldest commit", Meaning: ids(s.From)}, page.Term{Name: "Gate adopted at", Meaning: ids(s.Adopted)},
		page.Term{Name: "Audited as of", Meaning: page.Foreign(s.AsOf)}, page.Term{Name: "Commits before the gate", Meaning: page.Count(s.BeforeGate)}, page.Term{Name: "Archive", Meaning: archive},
		page.Term{Name: "Commit of it that was kept", Meaning: ids(s.Kept)}, page.Term{Name: "Replay", Meaning: page.Say(page.Plural(s.Replayed, "report"), " judged again")},
	)}
}
