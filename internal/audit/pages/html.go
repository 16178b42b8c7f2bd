package pages

import (
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

// writeHTML writes the page of an audit: one sentence, the exceptions, the overrides, one picture, what to do, and the
// rest folded. It returns the error of the writer.
func writeHTML(w io.Writer, a *report.Audit) error {
	p := auditPage{a, page.Forge(""), &page.Room{Bytes: auditRoom}, map[string]*report.AuditCommit{}}
	for i := range a.Commits {
		p.commits[a.Commits[i].Commit] = &a.Commits[i]
	}
	return (&page.Page{
		Title: "Audit of " + page.Limited(a.Subject.Branch) + ": " + auditVerdict(a), Skip: "Skip to the audit",
		Header: p.header(),
		Parts: []page.Part{
			{ID: "exceptions", Title: "Exceptions", Body: p.exceptions()},
			{ID: "overrides", Title: "Overrides", Body: p.overrides()},
			{ID: "timeline", Title: "What reached the branch", Body: p.timeline()},
			{ID: "findings", Title: "What to do", Body: p.findings()},
			{ID: "more", Title: "More", Body: slices.Concat(p.changes(), p.people(), p.codes(), p.levels(), p.decisions(), p.basis())},
		},
		Footer: page.Footer(a.Tool),
	}).Write(w)
}

type auditPage struct {
	*report.Audit
	forge   page.Forge
	room    *page.Room
	commits map[string]*report.AuditCommit // by id
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
	text := page.Capital(auditFirst(a)) + fmt.Sprintf(", of %s since the gate was adopted: %s", input.Plural(a.Subject.Commits, "commit"), auditWords(&a.Subject))
	if n := total["gap"]; n > 0 {
		text += ", " + input.Plural(n, "gap")
	}
	if n := total["missing"]; n > 0 {
		text += fmt.Sprintf(", %d without any entry", n)
	}
	if n := total[report.Overridden]; n > 0 {
		were := " were"
		if n == 1 {
			were = " was"
		}
		text += fmt.Sprintf("; %s overridden (%s)", input.Plural(n, "decision")+were, share(a.Statistics.OverrideShare, 10_000))
	}
	return text + "."
}

func (p *auditPage) header() page.Node {
	sign := page.Word("review")
	switch {
	case p.Counts.Block > 0:
		sign = "failed"
	case p.Counts.Unknown == 0 && p.Subject.Adopted != nil && p.Subject.Decisions > 0:
		sign = "passed"
	}
	return page.El("header", page.Class("top "+sign),
		page.El("p", page.Class("kicker"), page.Say("Close-out gate: audit of "), page.Foreign(p.Subject.Branch)),
		page.El("h1", page.Icon(sign), page.Say(page.Capital(auditVerdict(p.Audit)))),
		page.El("p", page.Class("why"), page.Say(auditSentence(p.Audit))),
		page.Patterns())
}

// verdictKinds are what a bar of the timeline is made of, from the bottom to the top. What was not judged has the look
// of bound evidence, which no bar of the timeline has.
var verdictKinds = []page.Segment{
	{"k-passed", "Passed"}, {"k-overridden", "Overridden"}, {"k-review", "Review"}, {"k-failed", "Failed"}, {"k-bound", "Not judged"}, {"k-gap", "Gaps"}, {"k-missing", "Missing"},
}

func (p *auditPage) series(counts func(period report.AuditPeriod) []int) *series {
	s := &series{}
	for _, period := range p.Series {
		s.from, s.counts = append(s.from, period.From), append(s.counts, counts(period))
	}
	return s
}

func (p *auditPage) timeline() []page.Node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Passed, c.Overridden, c.Review, c.Failed, c.NotJudged, c.Gaps, c.Missing}
	})
	s, size := all.joined(maxBars)
	if len(s.from) == 0 || s.total() == 0 {
		return []page.Node{page.El("p", page.Say("No merge, gap or missing commit is counted yet."))}
	}
	most := s.total()
	sentence := fmt.Sprintf("From %s on, %s.", p.Series[0].From, page.AndList(totals(verdictKinds, all)))
	if size > 1 {
		sentence += fmt.Sprintf(" Each bar stands for %d periods.", size)
	}
	picture := page.Picture("timeline-picture", "Merges by verdict, and commits without an entry, over time", sentence,
		plotWhole, plotTop+plotHeight+axisHeight, append(axes(s.from, most), s.stack(verdictKinds, most)...))
	return []page.Node{
		page.El("p", page.Class("says"), page.Say(sentence)),
		page.El("figure", page.Legend(verdictKinds, func(k int) int { return page.Sum(all.column(k)) }),
			page.El("div", page.Class("plot"), picture),
			page.Fold("Show the numbers", all.table("Merges by verdict, and commits without an entry, by period", verdictKinds))),
	}
}

// totals is "12 passed" and so on, without zeros.
func totals(kinds []page.Segment, s *series) []string {
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
func amountOf(n int, of page.Segment) string {
	name := strings.ToLower(string(of[1]))
	if n == 1 {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

// codes are what was overridden, and the reasons that were given again and again.
func (p *auditPage) codes() []page.Node {
	list := p.Statistics.Codes
	if len(list) == 0 {
		return nil
	}
	body := p.numbers("How often each code was overridden", "Code", list[:min(len(list), 100)])
	body = append(body, p.numbers("Reasons given three times or more", "Reason", p.Statistics.Reasons)...)
	return []page.Node{page.Fold(input.Plural(len(list), "overridden code"), body...)}
}

func (p *auditPage) numbers(caption string, name page.Word, list []report.AuditNumber) []page.Node {
	return p.room.Table(page.Listing{
		Percent: 10, Caption: caption, Columns: []page.Column{{name}, {"Times", "n"}}, N: len(list), More: inJSON,
		Cells: func(i int) []page.Node { return []page.Node{page.Foreign(list[i].Name), page.Count(list[i].Times)} },
	})
}

const (
	inJSON = "the JSON of the audit lists them"
	inCSV  = "--format csv lists all"
)

func (p *auditPage) people() []page.Node {
	all := p.Statistics.People
	list := all[:min(len(all), 100)]
	people := "1 person"
	if len(all) > 1 {
		people = fmt.Sprintf("%d people", len(all))
	}
	return p.room.Table(page.Listing{
		Fold: people + " overrode", Percent: 10, Caption: "Overrides by person", N: len(list), More: inJSON,
		Columns: []page.Column{{"Person"}, {"Overrides", "n"}, {"Whose pull requests"}},
		Cells: func(i int) []page.Node {
			var words []string
			for _, author := range list[i].Authors[:min(len(list[i].Authors), 5)] {
				words = append(words, fmt.Sprintf("%s (%d)", author.Name, author.Times))
			}
			if more := len(list[i].Authors) - len(words); more > 0 {
				words = append(words, fmt.Sprintf("%d more", more))
			}
			return []page.Node{page.Foreign(list[i].Actor), page.Count(list[i].Overrides), page.Foreign(strings.Join(words, ", "))}
		},
	})
}

var levelKinds = []page.Segment{{"", "Recorded"}, {"", "Bound"}, {"", "Claimed"}, {"", "Absent"}}

// levels are the evidence levels of the acceptance criteria, by period.
func (p *auditPage) levels() []page.Node {
	all := p.series(func(c report.AuditPeriod) []int {
		return []int{c.Levels.Recorded, c.Levels.Bound, c.Levels.Claimed, c.Levels.Absent}
	})
	criteria := 0
	for _, c := range all.counts {
		criteria += page.Sum(c)
	}
	if criteria == 0 {
		return nil
	}
	return []page.Node{page.Fold("Evidence of "+input.Plural(criteria, "acceptance criterion")+": "+page.AndList(totals(levelKinds, all)),
		all.table("Acceptance criteria by evidence level and period", levelKinds))}
}

// exceptions are what blocks or could not be checked: a row for each commit and finding.
func (p *auditPage) exceptions() []page.Node {
	var list []*report.AuditFinding
	for i := range p.Findings {
		if f := &p.Findings[i]; f.Severity == block || f.Severity == unknown {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return []page.Node{page.El("p", page.Say("There is none."))}
	}
	input.SortStable(list, func(a, b *report.AuditFinding) int { return strings.Compare(b.Date, a.Date) })
	table := p.room.Table(page.Listing{
		Percent: 30, Caption: "Exceptions, the newest first", Stacked: true, N: len(list), More: inJSON,
		Columns: []page.Column{{"Date", "day"}, {"Pull request"}, {"Subject"}, {"Who"}, {"Why"}},
		Cells: func(i int) []page.Node {
			f := list[i]
			subject, who := p.about(f.Commit)
			why := page.Nodes{page.Foreign(f.Message)}
			if f.Path != "" {
				why = append(why, page.Say(" "), page.Code(f.Path))
			}
			return []page.Node{page.Optional(f.Date), p.pulls(f.PullRequests), page.Nodes{subject, page.Say(" "), p.commit(f.Commit)}, who, why}
		},
	})
	return append(table, page.Omitted(p.FindingsOmitted, "the counts include them"))
}

// about says the subject and the author of a commit of the branch.
func (p *auditPage) about(commit string) (subject, author page.Node) {
	c := p.commits[commit]
	if c == nil {
		return page.Say("–"), page.Say("–")
	}
	return page.Optional(c.Subject), page.Optional(c.Author)
}

// findings say in three lines what was found, why, and what to do; each once, with the commits that it is about. What
// does not block is folded.
func (p *auditPage) findings() []page.Node {
	if len(p.Findings) == 0 {
		return []page.Node{page.El("p", page.Say("There is no finding."))}
	}
	type key struct{ code, severity, message, expected, actual, fix string }
	at := map[key]int{}
	var groups [][]*report.AuditFinding
	for i := range p.Findings {
		f := &p.Findings[i]
		k := key{f.Code, f.Severity, f.Message, f.Expected, f.Actual, f.Fix}
		if _, known := at[k]; !known {
			at[k], groups = len(groups), append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], f)
	}
	var body, rest []page.Node
	left, folded := p.FindingsOmitted, 0
	room := p.room.Share(60)
	for _, group := range groups {
		card := room.Take(p.findingCard(group))
		switch severity := group[0].Severity; {
		case card == nil:
			left += len(group)
		case severity == block || severity == unknown:
			body = append(body, card)
		default:
			rest, folded = append(rest, card), folded+len(group)
		}
	}
	p.room.Bytes += room.Bytes
	if rest != nil {
		body = append(body, page.Fold(input.Plural(folded, "more finding")+" that needs no action now", rest...))
	}
	return append(body, page.Omitted(left, inJSON))
}

// maxPlaces is how many commits of a finding are named.
const maxPlaces = 100

// findingCard says what, why and what to do.
func (p *auditPage) findingCard(group []*report.AuditFinding) page.Node {
	f := group[0]
	severity := present.SeverityOf(report.Finding{Severity: f.Severity})
	why, places := page.Nodes{}, []page.Node{}
	if f.Actual != "" {
		why = append(why, page.Say("found "), page.Foreign(f.Actual))
	}
	if f.Expected != "" {
		why = append(why, page.Say(", expected "), page.Foreign(f.Expected))
	}
	for _, one := range group[:min(len(group), maxPlaces)] {
		place := page.Nodes{p.commit(one.Commit)}
		if one.Date != "" {
			place = append(place, page.Say(" of "), page.Foreign(one.Date))
		}
		if len(one.PullRequests) > 0 {
			place = append(place, page.Say(", pull request "), p.pulls(one.PullRequests))
		}
		if one.Path != "" {
			place = append(place, page.Say(" "), page.Code(one.Path))
		}
		places = append(places, page.El("li", place))
	}
	return page.Card(severity,
		page.El("h3", page.About(present.RulePage(p.Tool.Version, f.Code), f.Code), page.Say(" "), page.TagOf(severity), page.Say(" ", fmt.Sprint(len(group)))),
		page.Terms(page.Term("What", page.Foreign(f.Message)), page.Term("Why", why), page.Term("Do", page.Optional(f.Fix))),
		page.Fold("Where", page.El("ul", page.Class("places"), page.Nodes(places)), page.Omitted(len(group)-len(places), inJSON)))
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
	return p.room.Table(page.Listing{
		Percent: 40, Caption: "Overrides, the newest first", Stacked: true, N: len(list), More: inJSON, Noun: "override",
		Columns: []page.Column{{"Date", "day"}, {"Pull request"}, {"Subject"}, {"Who"}, {"Why"}},
		Cells: func(i int) []page.Node {
			o := list[i]
			pulls := o.decision.PullRequests
			if o.PullRequest != nil {
				pulls = []string{*o.PullRequest}
			}
			var codes page.Nodes
			for k, c := range o.Codes {
				if k > 0 {
					codes = append(codes, page.Say(" "))
				}
				codes = append(codes, page.Code(c))
			}
			subject, _ := p.about(o.decision.Commit)
			return []page.Node{
				page.Say(o.decision.Date), p.pulls(pulls), page.Nodes{subject, page.Say(" "), p.commit(o.decision.Commit)}, page.Foreign(o.Actor),
				page.Nodes{page.Foreign(o.Reason), page.Say(" ("), codes, page.Say(")")},
			}
		},
	})
}

func (p *auditPage) changes() []page.Node {
	list := slices.Clone(p.Changes)
	slices.Reverse(list)
	return p.room.Table(page.Listing{
		Fold: input.Plural(len(list), "change") + " of contract and workflow", Percent: 40, Caption: "Changes, the newest first", N: len(list), More: inJSON,
		Columns: []page.Column{{"Commit", "id"}, {"Date", "day"}, {"Kind"}, {"What changed"}},
		Cells: func(i int) []page.Node {
			kind := page.Nodes{page.Say(list[i].Kind)}
			if list[i].Loosened {
				kind = append(kind, page.Say(" "), page.El("span", page.Class("tag warn"), page.Say("looser")))
			}
			return []page.Node{p.commit(list[i].Commit), page.Say(list[i].Date), kind, page.Foreign(list[i].Text)}
		},
	})
}

func (p *auditPage) decisions() []page.Node {
	if len(p.Decisions) == 0 {
		return nil
	}
	list := p.Decisions[:min(len(p.Decisions), pageDecisions)]
	table := p.room.Table(page.Listing{
		Percent: 100, Caption: "Decisions, the newest first", N: len(list), More: inCSV,
		Columns: []page.Column{{"Commit", "id"}, {"Date", "day"}, {"Pull request", "id"}, {"Verdict"}, {"Bound to the merge"}, {"Replay"}, {"Version"}, {"Entry", "n"}},
		Cells: func(i int) []page.Node {
			d := list[i]
			return []page.Node{p.commit(d.Commit), page.Say(d.Date), p.pulls(d.PullRequests), verdictOf(d), page.Optional(d.Binding), page.Foreign(d.Replay), page.Optional(d.Version), page.Count(d.Seq)}
		},
	})
	return []page.Node{page.Fold(input.Plural(len(p.Decisions), "decision"), append(table, page.Omitted(len(p.Decisions)-len(list), inCSV))...)}
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
	s, c := p.Subject, p.Counts
	counts := present.CountWords(&report.Report{Counts: report.Counts{Block: c.Block, Unknown: c.Unknown, Warn: c.Warn, Info: c.Info}})
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
	return []page.Node{page.Fold("What this rests on",
		page.El("p", page.Say(page.Capital(auditBasis(p.Audit)), ". ", page.Capital(auditReplay(p.Audit)), ".")), page.Terms(
			page.Term("Branch", page.Foreign(s.Branch)), page.Term("Newest commit", ids(&s.To)), page.Term("Oldest commit", ids(s.From)), page.Term("Gate adopted at", ids(s.Adopted)),
			page.Term("Audited as of", page.Foreign(s.AsOf)), page.Term("Commits before the gate", page.Count(s.BeforeGate)), page.Term("Archive", archive),
			page.Term("Commit of it that was kept", ids(s.Kept)), page.Term("Replay", page.Say(input.Plural(s.Replayed, "report"), " judged again")),
			page.Term("Findings", page.Say(counts)),
		))}
}
