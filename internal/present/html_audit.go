package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// auditRoom is how many bytes the lists of the page of an audit may take, and pageDecisions how many decisions it lists.
const (
	auditRoom     = 1_000_000
	pageDecisions = 500
)

// AuditHTML writes the page of an audit, pictures first. It returns the error of the writer.
func AuditHTML(w io.Writer, a *report.Audit) error {
	p := auditPage{a, forge(""), &room{auditRoom}}
	why := auditSentence(a)
	return (&page{
		title: "Audit of " + limited(a.Subject.Branch) + ": " + auditVerdict(a), skip: "Skip to the audit",
		header: p.header(why),
		parts: []part{
			{"timeline", "What reached the branch", p.timeline()},
			{"rate", "How often a person overrode", p.rate()},
			{"codes", "What was overridden", p.codes()},
			{"people", "Who overrode", p.people()},
			{"levels", "How good the evidence was", p.levels()},
			{"changes", "What changed in the gate", p.strip()},
			{"findings", "Findings", p.findings()},
			{"overrides", "Overrides", p.overrides()},
			{"changed", "Changes of contract and workflow", p.changes()},
			{"decisions", "Decisions", p.decisions()},
			{"basis", "What this rests on", p.basis()},
		},
		footer: footer(a.Tool),
	}).write(w)
}

type auditPage struct {
	*report.Audit
	forge forge
	room  *room
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
	text := capital(auditFirst(a)) + fmt.Sprintf(". %s since the gate was adopted: %s", plural(a.Subject.Commits, "commit"), auditWords(&a.Subject))
	if n := total["gap"]; n > 0 {
		text += ", " + plural(n, "gap")
	}
	if n := total["missing"]; n > 0 {
		text += fmt.Sprintf(", %d without any entry", n)
	}
	if n := total[report.Overridden]; n > 0 {
		text += fmt.Sprintf("; %s overridden (%s)", plural(n, "decision")+were(n), share(a.Statistics.OverrideShare, 10_000))
	}
	return text + "."
}

func (p *auditPage) header(why string) node {
	of, sign := word("top review"), word("review")
	switch {
	case p.Counts.Block > 0:
		of, sign = "top failed", "failed"
	case p.Counts.Unknown == 0 && p.Subject.Adopted != nil && p.Subject.Decisions > 0:
		of, sign = "top passed", "passed"
	}
	total := p.Statistics.Verdicts
	return el("header", class(of),
		el("p", class("kicker"), say("Close-out gate: audit of "), foreign(p.Subject.Branch)),
		el("h1", icon(sign), say(capital(auditVerdict(p.Audit)))),
		el("p", class("why"), say(why)),
		p.first(),
		el("p", class("rests"), say(capital(auditBasis(p.Audit)), ". ", capital(auditReplay(p.Audit)), ".")),
		terms("tiles",
			term{"Commits", count(p.Subject.Commits)}, term{"Merges", count(p.Subject.Merges)}, term{"Decisions", count(p.Subject.Decisions)},
			term{"Not judged", count(p.Subject.NotJudged)}, term{"Missing", count(total["missing"])}, term{"Gaps", count(total["gap"])}, term{"Overridden", count(total[report.Overridden])},
			term{"Findings", say(auditCounts(p.Counts))},
		), patterns())
}

// first is the finding that a reader must see; nil when none blocks and nothing is unknown. Those that block come first.
func (p *auditPage) first() node {
	if len(p.Findings) == 0 || p.Findings[0].Severity != block && p.Findings[0].Severity != unknown {
		return nil
	}
	f := &p.Findings[0]
	lead := "Found: "
	if p.Counts.Block+p.Counts.Unknown > 1 {
		lead = "The first: "
	}
	return el("p", class("why"), say(lead), foreign(f.Message), p.placeOf(f))
}

// placeOf is the commit or the path that a finding is about, in brackets; nil for neither.
func (p *auditPage) placeOf(f *report.AuditFinding) node {
	switch {
	case f.Commit == "" && f.Path == "":
		return nil
	case f.Commit == "":
		return nodes{say(" ("), code(f.Path), say(")")}
	case len(f.PullRequests) == 0:
		return nodes{say(" (commit "), p.forge.commit(f.Commit), say(" of ", f.Date, ")")}
	}
	return nodes{say(" (commit "), p.forge.commit(f.Commit), say(" of ", f.Date, ", pull request "), p.pulls(f.PullRequests[:min(len(f.PullRequests), 3)]), say(")")}
}

func auditCounts(c report.AuditCounts) string {
	return countWords(&report.Report{Counts: report.Counts{Block: c.Block, Unknown: c.Unknown, Warn: c.Warn, Info: c.Info}})
}

// verdictKinds are what a bar of the timeline is made of, from the bottom to the top. What was not judged has the look of bound evidence,
// which no bar of the timeline has.
var verdictKinds = []kind{
	{"k-passed", "Passed"}, {"k-overridden", "Overridden"}, {"k-review", "Review"}, {"k-failed", "Failed"}, {"k-bound", "Not judged"}, {"k-gap", "Gaps"}, {"k-missing", "Missing"},
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

func (p *auditPage) timeline() []node {
	all := p.series(verdictCounts)
	s, size := all.joined(maxBars)
	if len(s.from) == 0 || s.total() == 0 {
		return []node{el("p", say("No merge, gap or missing commit is counted yet."))}
	}
	most := s.total()
	sentence := fmt.Sprintf("From %s on, %s.", p.Series[0].From, andList(totals(verdictKinds, all)))
	for _, k := range []int{6, 5} {
		list := all.column(k)
		if i := busiest(list); i >= 0 {
			first := slices.IndexFunc(list, func(n int) bool { return n > 0 })
			sentence += fmt.Sprintf(" %s: first in the period from %s, most in the period from %s (%d).", verdictKinds[k].name, all.from[first], all.from[i], list[i])
		}
	}
	return (&figure{
		id: "timeline-picture", title: "Merges by verdict, and commits without an entry, over time", sentence: sentence + per(size), height: plotTop + plotHeight + axisHeight,
		body:    append(axes(s.from, most, ""), s.stack(verdictKinds, most)...),
		legend:  legend(verdictKinds, func(k int) int { return sum(all.column(k)) }),
		numbers: all.table("Merges by verdict, and commits without an entry, by period", verdictKinds),
	}).chart()
}

// totals is "12 passed" and so on, without zeros.
func totals(kinds []kind, s *series) []string {
	var list []string
	for k, of := range kinds {
		if n := sum(s.column(k)); n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, amountOf(n, of)))
		}
	}
	if list == nil {
		return []string{"nothing"}
	}
	return list
}

// amountOf is the name of a kind behind a number: "5 gaps", "1 gap".
func amountOf(n int, of kind) string {
	name := strings.ToLower(string(of.name))
	if n == 1 {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

var rateKinds = []kind{{"k-overridden", "Overridden"}, {"k-passed", "Decisions"}}

func (p *auditPage) rate() []node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Overridden, c.Passed + c.Overridden + c.Failed + c.Review}
	})
	if len(all.from) == 0 || sum(all.column(1)) == 0 {
		return nil
	}
	overridden, decisions := sum(all.column(0)), sum(all.column(1))
	sentence := fmt.Sprintf("%d of %s%s overridden: %s.", overridden, plural(decisions, "decision"), were(overridden), share(overridden, decisions))
	if overridden == 0 || len(all.from) == 1 { // a picture of one point, or of a line at 0, shows nothing
		return []node{el("p", class("says"), say(sentence))}
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
func rateLine(s *series, rates []int, most int) []node {
	var line [][2]int
	var marks []node
	for i, c := range s.counts {
		if c[1] == 0 {
			continue
		}
		x, width := period(i, len(s.counts))
		x, y := x+width/2, plotTop+plotHeight-plotHeight*rates[i]/most
		line = append(line, [2]int{x, y})
		marks = append(marks, el("circle", class("point"), decimal("cx", x), decimal("cy", y), decimal("r", 35)), words("value middle", x, y-70, fmt.Sprint(c[0])))
	}
	return append([]node{el("polyline", class("line"), points(line))}, marks...)
}

func toBars(list []report.AuditNumber) []bar {
	var found []bar
	for _, n := range list {
		found = append(found, bar{name: n.Name, times: n.Times})
	}
	return found
}

func (p *auditPage) codes() []node {
	list := toBars(p.Statistics.Codes)
	if len(list) == 0 {
		return nil
	}
	shown := list[:min(len(list), maxNames)]
	body, height := bars(shown, "k-overridden-solid")
	sentence := fmt.Sprintf("%s overridden; most often %s, %s.", plural(len(list), "code")+were(len(list)), shortened(shown[0].name), plural(shown[0].times, "time"))
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
func (p *auditPage) reasons() []node {
	if len(p.Statistics.Reasons) == 0 {
		return nil
	}
	const title = "Reasons given three times or more"
	return []node{el("h3", say(title)), barTable(title, "Reason", "Times", "", toBars(p.Statistics.Reasons), p.room)}
}

const (
	inJSON = "the JSON of the audit lists them"
	inCSV  = "--format csv lists all"
)

func (p *auditPage) people() []node {
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
	sentence := fmt.Sprintf("%s overrode; %s most often, %s.", people(len(list)), shortened(shown[0].name), plural(shown[0].times, "time"))
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

var levelKinds = []kind{{"k-recorded", "Recorded"}, {"k-bound", "Bound"}, {"k-claimed", "Claimed"}, {"k-absent", "Absent"}}

func (p *auditPage) levels() []node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Levels.Recorded, c.Levels.Bound, c.Levels.Claimed, c.Levels.Absent}
	})
	s, size := all.joined(maxBars)
	criteria := 0
	for i, c := range s.counts { // shares of 1000, so that levels compare from period to period
		criteria += sum(c)
		s.counts[i] = shares(c, 1000)
	}
	if criteria == 0 {
		return nil
	}
	sentence := fmt.Sprintf("%s%s judged: %s.", plural(criteria, "acceptance criterion"), were(criteria), andList(totals(levelKinds, all)))
	return (&figure{
		id: "levels-picture", title: "Evidence levels of acceptance criteria over time", sentence: sentence + per(size), height: plotTop + plotHeight + axisHeight,
		body:    append(axes(s.from, 100, " %"), s.stack(levelKinds, 1000)...),
		legend:  legend(levelKinds, func(k int) int { return sum(all.column(k)) }),
		numbers: all.table("Acceptance criteria by evidence level and period", levelKinds),
	}).chart()
}

// changeKinds are the rows of the strip.
var changeKinds = []struct {
	kind        string
	class, name word
}{
	{report.ChangeContract, "m-contract", "Contract"}, {report.ChangeWorkflow, "m-workflow", "Workflow"},
}

// strip draws one mark for each change, in a row of its kind, where its date is on the axis of the other charts.
func (p *auditPage) strip() []node {
	if len(p.Series) == 0 || len(p.Changes) == 0 {
		return nil
	}
	from := p.series(verdictCounts).from
	const pitch = 360
	var body []node
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
	sentence := fmt.Sprintf("%s: %s. %d made a contract looser, drawn as triangles.", plural(len(p.Changes), "change"), andList(said), loosened)
	columns := []column{{title: "Kind"}, {"Changes", "n"}}
	var rows []node
	for _, of := range changeKinds {
		n := 0
		for _, c := range p.Changes {
			if c.Kind == of.kind {
				n++
			}
		}
		rows = append(rows, row(columns, say(string(of.name)), count(n)))
	}
	return (&figure{
		id: "changes-picture", title: "Changes of contract and workflow over time", sentence: sentence, height: bottom + axisHeight, body: body,
		numbers: grid("Changes by kind; a table below lists each of them", columns, rows, true),
	}).chart()
}

// marksOf are the marks of changes, which are sorted by date. Those of one period stand side by side.
func marksOf(list []report.AuditChange, from []string, y int, of word) []node {
	in := func(c report.AuditChange) int { return max(0, upper(from, c.Date)-1) }
	var marks []node
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
func mark(of word, x, y int, loosened bool) node {
	const r = 70
	switch {
	case loosened:
		return el("polygon", class("m-loosened"), points([][2]int{{x - r, y - r}, {x + r, y - r}, {x, y + r}}))
	case of == "m-workflow":
		return el("polygon", class(of), points([][2]int{{x - r, y}, {x, y - r}, {x + r, y}, {x, y + r}}))
	}
	return rect(of, x-r+15, y-r+15, 2*r-30, 2*r-30)
}

func (p *auditPage) findings() []node {
	if len(p.Findings) == 0 {
		return []node{el("p", say("There is no finding."))}
	}
	var body []node
	for i := 0; i < len(p.Findings); {
		n := 1
		for i+n < len(p.Findings) && p.Findings[i+n].Code == p.Findings[i].Code && p.Findings[i+n].Severity == p.Findings[i].Severity {
			n++
		}
		body = append(body, p.findingGroup(p.Findings[i:i+n]))
		i += n
	}
	return append(body, omitted(p.FindingsOmitted, "the counts include them"))
}

var findingColumns = []column{
	{"Commit", "id"}, {"Date", "day"}, {"Pull request", "id"}, {title: "Finding"}, {title: "Expected"}, {title: "Actual"}, {title: "How to fix"},
}

// findingGroup are the findings of one code.
func (p *auditPage) findingGroup(list []report.AuditFinding) node {
	severity := severityOf(report.Finding{Severity: list[0].Severity})
	heading := p.room.take(el("h3", code(list[0].Code), say(" "), tagOf(severity), say(fmt.Sprint(len(list)))))
	if heading == nil {
		return omitted(len(list), inJSON)
	}
	noun := ""
	if severity == warn || severity == info {
		noun = "finding"
	}
	return nodes{heading, p.room.table(listing{
		percent: 40, caption: "Findings of one code, the newest commit first", columns: findingColumns, n: len(list), more: inJSON, noun: noun,
		cells: func(i int) []node {
			f := list[i]
			return []node{p.commit(f.Commit), say(cmp.Or(f.Date, "–")), p.pulls(f.PullRequests), nodes{foreign(f.Message), belowPath(f.Path)}, optional(f.Expected), optional(f.Actual), optional(f.Fix)}
		},
	})}
}

// commit is a commit that a row is about; a dash for none.
func (p *auditPage) commit(id string) node {
	if id == "" {
		return say("–")
	}
	return p.forge.commit(id)
}

func (p *auditPage) pulls(ids []string) node {
	if len(ids) == 0 {
		return say("–")
	}
	var list nodes
	for i, id := range ids {
		if i > 0 {
			list = append(list, say(", "))
		}
		list = append(list, p.forge.pull(id))
	}
	return list
}

// belowPath is the path of a finding, in a line of its own.
func belowPath(path string) node {
	if path == "" {
		return nil
	}
	return nodes{el("br"), code(path)}
}

// optional is a foreign text, or a dash for "".
func optional(s string) node {
	if s == "" {
		return say("–")
	}
	return foreign(s)
}

var overrideColumns = []column{{"Commit", "id"}, {"Date", "day"}, {"Pull request", "id"}, {title: "Person"}, {title: "Reason"}, {title: "Accepted codes"}}

func (p *auditPage) overrides() []node {
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
		return []node{el("p", say("Nothing was overridden."))}
	}
	return []node{p.room.table(listing{
		percent: 50, caption: "Overrides, the newest first", columns: overrideColumns, n: len(list), more: inJSON, noun: "override",
		cells: func(i int) []node {
			o := list[i]
			pulls := o.decision.PullRequests
			if o.PullRequest != nil {
				pulls = []string{*o.PullRequest}
			}
			var codes nodes
			for _, c := range o.Codes {
				codes = append(codes, code(c), say(" "))
			}
			return []node{p.commit(o.decision.Commit), say(o.decision.Date), p.pulls(pulls), foreign(o.Actor), foreign(o.Reason), codes}
		},
	})}
}

var changeColumns = []column{{"Commit", "id"}, {"Date", "day"}, {title: "Kind"}, {title: "What changed"}}

func (p *auditPage) changes() []node {
	if len(p.Changes) == 0 {
		return []node{el("p", say("Neither contract nor workflow changed."))}
	}
	list := slices.Clone(p.Changes)
	slices.Reverse(list)
	return []node{p.room.table(listing{
		percent: 40, caption: "Changes, the newest first", columns: changeColumns, n: len(list), more: inJSON, noun: "change",
		cells: func(i int) []node {
			kind := nodes{say(list[i].Kind)}
			if list[i].Loosened {
				kind = append(kind, say(" "), el("span", class("tag warn"), say("looser")))
			}
			return []node{p.commit(list[i].Commit), say(list[i].Date), kind, foreign(list[i].Text)}
		},
	})}
}

var decisionColumns = []column{
	{"Commit", "id"}, {"Date", "day"}, {"Pull request", "id"}, {title: "Verdict"}, {title: "Bound to the merge"}, {title: "Replay"}, {title: "Version"}, {"Entry", "n"},
}

func (p *auditPage) decisions() []node {
	if len(p.Decisions) == 0 {
		return []node{el("p", say("There is no decision."))}
	}
	list := p.Decisions[:min(len(p.Decisions), pageDecisions)]
	table := p.room.table(listing{
		percent: 100, caption: "Decisions, the newest first", columns: decisionColumns, n: len(list), more: inCSV, noun: "decision",
		cells: func(i int) []node {
			d := list[i]
			return []node{p.commit(d.Commit), say(d.Date), p.pulls(d.PullRequests), verdictOf(d), optional(d.Binding), foreign(d.Replay), optional(d.Version), count(d.Seq)}
		},
	})
	return []node{table, omitted(len(p.Decisions)-len(list), inCSV)}
}

// verdictOf is the verdict of a decision, or that it is a gap and why.
func verdictOf(d report.AuditDecision) node {
	if d.Verdict == "" {
		return nodes{tagOf("gap"), say(" "), foreign(d.Why)}
	}
	if d.Verdict == report.NotJudged {
		return tagOf("not judged")
	}
	list := nodes{tagOf(d.Verdict)}
	if d.Mode == "observe" {
		list = append(list, say(" observed"))
	}
	return list
}

func (p *auditPage) basis() []node {
	s := p.Subject
	ids := func(id *string) node {
		if id == nil {
			return nil
		}
		return p.forge.commit(*id)
	}
	archive := say("there is no archive")
	if s.Archive != nil {
		archive = nodes{ids(s.Archive), say(", ", input.Plural(s.Entries, "entry"))}
	}
	return []node{terms("facts",
		term{"Branch", foreign(s.Branch)}, term{"Newest commit", ids(&s.To)}, term{"Oldest commit", ids(s.From)}, term{"Gate adopted at", ids(s.Adopted)},
		term{"Audited as of", foreign(s.AsOf)}, term{"Commits before the gate", count(s.BeforeGate)}, term{"Archive", archive},
		term{"Commit of it that was kept", ids(s.Kept)}, term{"Replay", say(plural(s.Replayed, "report"), " judged again")},
	)}
}
