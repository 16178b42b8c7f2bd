package present

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// reportRoom is how many bytes the lists of the page of a report may take, and reportPart how many they may take together with
// the parts that are no lists.
const (
	reportRoom = 220_000
	reportPart = 275_000
)

// writeHTML writes a report as a page.
func writeHTML(w io.Writer, r *report.Report, o Options) error {
	if err := page.CheckLinkBase(o.LinkBase); err != nil {
		return err
	}
	data, err := report.Canonical(r)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	p := reportPage{r, page.Forge(o.LinkBase), &page.Room{Bytes: reportRoom}, hex.EncodeToString(sum[:])}
	p.room.Bytes = min(reportRoom, (&page.Room{Bytes: reportPart}).Without(page.Nodes{p.header(), page.Nodes(p.override()), page.Nodes(p.replay()), page.Footer(r.Tool)}).Bytes)
	blocking := page.Word("What blocks")
	if r.Verdict == report.Overridden {
		blocking = "What was overridden"
	}
	return (&page.Page{
		Title: page.Capital(page.Limited(r.Verdict)) + ": close-out gate" + page.Limited(p.about()), Skip: "Skip to the report",
		Header: p.header(),
		Parts: []page.Part{
			{ID: "override", Title: "Override", Body: p.override()},
			{ID: "blocking", Title: blocking, Body: p.findings(60, block)},
			{ID: "unknown", Title: "What could not be checked", Body: p.findings(40, unknown)},
			{ID: "next", Title: "What to do next", Body: p.next()},
			{ID: "criteria", Title: "Acceptance criteria", Body: p.criteria()},
			{ID: "group", Title: "Pull requests of the merge group", Body: p.pulls()},
			{ID: "refused", Title: "Refused override labels", Body: p.refused()},
			{ID: "approvals", Title: "For the reviewer", Body: p.approvals()},
			{ID: "files", Title: "Files", Body: p.files()},
			{ID: "other", Title: "Other findings", Body: p.other()},
			{ID: "inputs", Title: "Inputs", Body: p.inputs()},
			{ID: "replay", Title: "Replay", Body: p.replay()},
		},
		Footer: page.Footer(r.Tool),
	}).Write(w)
}

const inReport = "the report lists them"

type reportPage struct {
	*report.Report
	forge  page.Forge
	room   *page.Room
	digest string // sha256 of the report
}

// about says what was judged, for the title of the page.
func (p *reportPage) about() string {
	s := p.Subject
	switch {
	case s.PullRequest != nil && s.Repository != nil:
		return fmt.Sprintf(", %s pull request %d", *s.Repository, *s.PullRequest)
	case s.PullRequest != nil:
		return fmt.Sprintf(", pull request %d", *s.PullRequest)
	case p.TaskID != nil:
		return ", " + *p.TaskID
	}
	return ""
}

// tops are the classes of the head of a page.
var tops = map[string]page.Word{report.Passed: "top passed", report.Overridden: "top overridden", report.Review: "top review"}

func (p *reportPage) header() page.Node {
	top, known := tops[p.Verdict]
	if !known {
		top = "top failed"
	}
	sign, known := page.Looks[p.Verdict]
	if !known {
		sign = "failed"
	}
	s := p.Subject
	pull := page.Node(nil)
	if s.PullRequest != nil {
		pull = p.forge.Pull(fmt.Sprint(*s.PullRequest))
	}
	commit := func(id *string) page.Node {
		if id == nil {
			return nil
		}
		return p.forge.Commit(*id)
	}
	return page.El("header", page.Class(top),
		page.El("p", page.Class("kicker"), page.Say("Close-out gate: verification report")),
		page.El("h1", page.Icon(sign), page.Foreign(page.Capital(p.Verdict))),
		page.El("p", page.Class("why"), p.why()),
		p.note(),
		page.Terms("tiles",
			page.Term{Name: "Repository", Meaning: given(s.Repository)}, page.Term{Name: "Pull request", Meaning: pull}, page.Term{Name: "Task", Meaning: given(p.TaskID)},
			page.Term{Name: "Head", Meaning: commit(s.HeadSHA)}, page.Term{Name: "Base", Meaning: commit(s.BaseSHA)},
			page.Term{Name: "Findings", Meaning: page.Say(CountWords(p.Report))}, page.Term{Name: "Criteria passed", Meaning: page.Say(fmt.Sprintf("%d of %d", passedCriteria(p.Report), len(p.Acceptance)))},
			page.Term{Name: "Files changed", Meaning: page.Count(p.Counts.Files)}, page.Term{Name: "Records", Meaning: page.Count(p.Counts.Records)},
		), page.Patterns())
}

// given is a text that may be missing.
func given(s *string) page.Node {
	if s == nil {
		return nil
	}
	return page.Foreign(*s)
}

// note says that nothing is enforced, where that is so.
func (p *reportPage) note() page.Node {
	if note := observeNote(p.Report); note != "" {
		return page.El("p", page.Class("note"), page.Say(note))
	}
	return nil
}

// why is the cause of the verdict in a sentence.
func (p *reportPage) why() page.Node {
	first := func(severity, words string) page.Node {
		list := ofSeverity(p.Report, severity)
		if len(list) == 0 {
			return page.Say(words, ".")
		}
		return page.Nodes{page.Say(words, ": "), page.Foreign(list[0].Message), p.where(list[0])}
	}
	switch {
	case isUsage(p.Report):
		return page.Nodes{page.Say("The gate was not called or configured correctly; the change was not judged. "), first(block, "Found")}
	case p.Override != nil && p.Verdict == report.Overridden:
		return page.Nodes{page.Foreign(p.Override.Actor), page.Say(" accepted ", page.Plural(len(p.Override.Accepted), "blocking finding"), ": "), page.Foreign(p.Override.Reason)}
	case p.Verdict == report.Passed:
		return page.Say(page.Capital(criteriaWords(p.Report)), ", and no finding blocks.")
	case p.Verdict == report.Review:
		return first(unknown, lead(p.Counts.Unknown, "fact is unknown", "facts are unknown"))
	case p.Verdict == report.Overridden: // in a merge group
		return page.Nodes{page.Foreign(text(p.OverriddenBy)), page.Say(" accepted ", page.Plural(p.Counts.Block, "blocking finding"), ": "), page.Foreign(text(p.OverrideReason))}
	}
	return first(block, lead(p.Counts.Block, "finding blocks", "findings block"))
}

// lead begins a sentence about the first of n.
func lead(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s; the first", n, more)
}

// where is the place of a finding, in brackets; nil when it has none.
func (p *reportPage) where(f report.Finding) page.Node {
	at := place(f.Location)
	if at == "" {
		return nil
	}
	return page.Nodes{page.Say(" ("), page.Code(at), page.Say(")")}
}

func (p *reportPage) override() []page.Node {
	o := p.Override
	if o == nil {
		return nil
	}
	return []page.Node{page.Terms("facts",
		page.Term{Name: "Person", Meaning: page.Nodes{page.Foreign(o.Actor), page.Say(" (account "), page.Foreign(o.ActorID), page.Say(")")}}, page.Term{Name: "Reason", Meaning: page.Foreign(o.Reason)},
		page.Term{Name: "Override code", Meaning: given(p.OverrideCode)}, page.Term{Name: "When", Meaning: page.Foreign(o.At)}, page.Term{Name: "Label", Meaning: page.Code(o.Label)}, page.Term{Name: "Head", Meaning: p.forge.Commit(o.HeadSHA)},
		page.Term{Name: "Accepted", Meaning: page.Say(page.Plural(len(o.Accepted), "finding"))},
	)}
}

// findings are those of some severities, those that say the same joined. They may take that share of the room, in percent.
func (p *reportPage) findings(percent int, severities ...string) []page.Node {
	list := ofSeverity(p.Report, severities...)
	if len(list) == 0 {
		return nil
	}
	room := p.room.Share(percent)
	left := 0
	var body []page.Node
	for _, group := range joinFindings(list) {
		more := len(group)
		if left == 0 { // what does not fit ends the list, so that its order shows what matters most
			var card page.Node
			if card, more = p.findingCard(room, group); card != nil {
				body = append(body, card)
			}
		}
		left += more
	}
	p.room.Bytes += room.Bytes
	for _, severity := range severities {
		left += max(0, countOf(p.Report, severity)-len(ofSeverity(p.Report, severity)))
	}
	return append(body, page.Omitted(left, "the counts include them"))
}

// joinFindings joins findings that differ only in their place and in what is compared there.
func joinFindings(list []report.Finding) [][]report.Finding {
	type key struct{ code, severity, rule, message, fix, criterion string }
	at := map[key]int{}
	var groups [][]report.Finding
	for _, f := range list {
		k := key{f.Code, f.Severity, f.Rule, f.Message, f.Fix, f.Criterion}
		i, known := at[k]
		if !known || f.Output != nil {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// findingCard shows findings that say the same; nil when there is no room. left is how many are not shown.
func (p *reportPage) findingCard(room *page.Room, group []report.Finding) (card page.Node, left int) {
	same := func(of func(f *report.Finding) string) bool {
		return !slices.ContainsFunc(group, func(f report.Finding) bool { return of(&f) != of(&group[0]) })
	}
	sameExpected := same(func(f *report.Finding) string { return f.Expected })
	sameActual := same(func(f *report.Finding) string { return f.Actual })
	frame := func(places ...page.Node) page.Node { return p.cardFrame(group, sameExpected, sameActual, places) }
	if room.Take(frame()) == nil {
		return nil, len(group)
	}
	items, left := room.Fit(len(group), func(i int) page.Node {
		item := page.Nodes{p.at(group[i])}
		if !sameExpected {
			item = append(item, page.Say(" expected "), page.Foreign(group[i].Expected))
		}
		if !sameActual {
			item = append(item, page.Say(" actual "), page.Foreign(group[i].Actual))
		}
		return page.El("li", item)
	})
	return frame(items...), left
}

// cardFrame is a card of findings that say the same, around the list of their places.
func (p *reportPage) cardFrame(group []report.Finding, sameExpected, sameActual bool, places []page.Node) page.Node {
	f := group[0]
	rule := page.Node(nil)
	if f.Rule != "" {
		rule = page.Nodes{page.Say(" "), page.Code(f.Rule)}
	}
	return page.El("article", page.Class(cards[SeverityOf(f)]),
		page.El("h3", page.Code(f.Code), rule, page.Say(" "), page.TagOf(SeverityOf(f)), page.Say(times(len(group)))),
		page.El("p", page.Class("message"), page.Foreign(f.Message)),
		page.El("ul", page.Class("places"), page.Nodes(places)),
		page.Terms("facts", page.Term{Name: "Expected", Meaning: about(sameExpected, f.Expected)}, page.Term{Name: "Actual", Meaning: about(sameActual, f.Actual)}),
		p.explained(f), tailOf(f))
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" %d findings", n)
}

// about is what all findings of a card share; nil when they do not, or there is none.
func about(same bool, s string) page.Node {
	if !same || s == "" {
		return nil
	}
	return page.Foreign(s)
}

var cards = map[string]page.Word{block: "card failed", unknown: "card review", warn: "card warn", info: "card info"}

// at is the place of a finding and what is special about it.
func (p *reportPage) at(f report.Finding) page.Node {
	where := page.Say("no file")
	if at := place(f.Location); at != "" {
		where = page.Code(at)
	} else if f.Criterion != "" {
		where = page.Nodes{page.Say("criterion "), page.Code(f.Criterion)}
	}
	list := page.Nodes{where}
	if f.Location.PullRequest > 0 {
		list = append(list, page.Say(" in pull request "), p.forge.Pull(fmt.Sprint(f.Location.PullRequest)))
	}
	if f.Times > 1 {
		list = append(list, page.Say(" ", input.Plural(int64(f.Times), "time")))
	}
	if f.Overridden {
		list = append(list, page.Say(" "), page.TagOf(report.Overridden))
	}
	if clause := clauseOf(f); clause != "" {
		list = append(list, page.Say(" because of "), page.Code(clause))
	}
	return list
}

func (p *reportPage) explained(f report.Finding) page.Node {
	fix, firstLine := page.Node(nil), page.Node(nil)
	if f.Fix != "" {
		fix = page.Foreign(f.Fix)
	}
	if e := firstError(f); e != "" {
		firstLine = page.Code(e)
	}
	return page.Terms("facts", page.Term{Name: "First error", Meaning: firstLine}, page.Term{Name: "Fix", Meaning: fix})
}

// tailOf is the output of a finding, a line of it in an element of its own.
func tailOf(f report.Finding) page.Node {
	if f.Output == nil || len(f.Output.Lines) == 0 {
		return nil
	}
	var lines []page.Node
	for _, l := range f.Output.Lines {
		lines = append(lines, page.El("span", page.El("bdi", page.Say(page.Limited(strings.ReplaceAll(l, "\t", "    "))))))
	}
	title := "Output: the last line of "
	if n := len(f.Output.Lines); n > 1 {
		title = fmt.Sprintf("Output: the last %d lines of ", n)
	}
	return page.El("details", page.El("summary", page.Say(title), page.Foreign(f.Output.Stream)), page.El("pre", page.At("tabindex", "0"), page.Nodes(lines)))
}

// next are the steps of the other formats.
func (p *reportPage) next() []page.Node {
	inStep := func(s string) string { return strings.ReplaceAll(page.Limited(s), "`", "'") }
	steps, override := nextSteps(p.Report, inStep), overrideLine(p.Report)
	if never := overrideNever(p.Report); never != "" {
		steps = append(steps, never)
	}
	room := p.room.Share(20)
	items, _ := room.Fit(len(steps), func(i int) page.Node { return page.El("li", page.El("bdi", quoted(steps[i]))) })
	p.room.Bytes += room.Bytes
	var body []page.Node
	if items != nil {
		body = []page.Node{page.El("ul", page.Class("steps"), page.Nodes(items))}
	}
	if override != "" {
		body = append(body, page.El("p", page.Say("Or a person who may override ("), page.Foreign(overrideWho(p.Report)), page.Say(") can comment")),
			page.El("pre", page.At("tabindex", "0"), page.Foreign(override)), page.El("p", page.Foreign(overrideSteps(p.Report, p.Settings.Override.Label))))
	}
	return body
}

// quoted is a step, in which backticks enclose what is typed.
func quoted(step string) page.Node {
	parts := strings.Split(step, "`")
	if len(parts)%2 == 0 {
		return page.Say(step)
	}
	var list page.Nodes
	for i, part := range parts {
		if i%2 == 1 {
			list = append(list, page.El("code", page.Say(part)))
		} else {
			list = append(list, page.Say(part))
		}
	}
	return list
}

var criterionColumns = []page.Column{
	{Title: "Criterion"}, {Title: "Command"}, {Title: "Outcome"}, {Title: "Evidence"}, {Title: "Attempts", Class: "n"}, {Title: "Why not higher"},
}

func (p *reportPage) criteria() []page.Node {
	if len(p.Acceptance) == 0 {
		return nil
	}
	list := []page.Node{p.room.Table(page.Listing{
		Percent: 30, Caption: criteriaWords(p.Report) + "; the minimum is " + p.Settings.EvidenceMin, Shown: true, Columns: criterionColumns, N: len(p.Acceptance), More: inReport,
		Cells: func(i int) []page.Node {
			a := p.Acceptance[i]
			outcome := page.Nodes{page.TagOf(a.Outcome)}
			if tests := testWords(&a); tests != "" {
				outcome = append(outcome, page.Say(" ", tests))
			}
			return []page.Node{page.Code(a.ID), commandOf(a), outcome, page.Foreign(a.Level), page.Count(a.Attempts), page.Optional(text(a.KeptFrom))}
		},
	})}
	if len(p.Cross) > 0 {
		list = append(list, p.room.Table(page.Listing{
			Percent: 10, Caption: "Tests and code of two trees", Shown: true, Columns: []page.Column{{Title: "Run"}, {Title: "Criterion"}, {Title: "Outcome"}, {Title: "Evidence"}, {Title: "Tests"}},
			N: len(p.Cross), More: inReport,
			Cells: func(i int) []page.Node {
				c := p.Cross[i]
				return []page.Node{page.Say(crossTree(c)), page.Code(c.Criterion), page.Foreign(c.Outcome), page.Foreign(c.Level), page.Foreign(c.Shown)}
			},
		}))
	}
	return append(list, p.companions()...)
}

// commandOf is the command of a criterion and how it differs from a plain run at the root.
func commandOf(a report.Acceptance) page.Node {
	list := page.Nodes{page.Code(command(a.Run))}
	if a.Cwd != "" && a.Cwd != "." {
		list = append(list, page.Say(" in "), page.Code(a.Cwd))
	}
	if a.Expect == "fail" {
		list = append(list, page.Say(", must fail"))
	}
	if a.PullRequest != nil {
		list = append(list, page.Say(", ", pullName(*a.PullRequest)))
	}
	return list
}

var companionColumns = []page.Column{{Title: "Report"}, {Title: "File"}, {Title: "Evidence"}, {Title: "Why not higher"}}

func (p *reportPage) companions() []page.Node {
	if len(p.Companions) == 0 {
		return nil
	}
	const title = "Reports and their evidence levels"
	return []page.Node{page.Fold(false, title, p.room.Table(page.Listing{
		Percent: 20, Caption: title, Columns: companionColumns, N: len(p.Companions), More: inReport,
		Cells: func(i int) []page.Node {
			c := p.Companions[i]
			return []page.Node{page.Foreign(c.Kind), page.Code(c.Path), page.Foreign(c.Level), page.Optional(text(c.KeptFrom))}
		},
	}))}
}

var pullColumns = []page.Column{
	{Title: "Pull request", Class: "id"}, {Title: "Verdict"}, {Title: "Findings of its own"}, {Title: "Files", Class: "n"}, {Title: "Task"}, {Title: "Head", Class: "id"}, {Title: "Overridden by"},
}

func (p *reportPage) pulls() []page.Node {
	if len(p.PullRequests) == 0 {
		return nil
	}
	return []page.Node{p.room.Table(page.Listing{
		Percent: 30, Caption: page.Plural(len(p.PullRequests), "pull request") + " in the merge group", Shown: true, Columns: pullColumns, N: len(p.PullRequests), More: inReport,
		Cells: func(i int) []page.Node {
			m := &p.PullRequests[i]
			by, head := page.Say("–"), page.Say("–")
			if m.Override != nil {
				by = page.Nodes{page.Foreign(m.Override.Actor), page.Say(": "), page.Foreign(m.Override.Reason)}
			}
			if m.HeadSHA != nil {
				head = p.forge.Commit(*m.HeadSHA)
			}
			return []page.Node{p.forge.Pull(fmt.Sprint(m.Number)), page.TagOf(m.Verdict), page.Say(pullCounts(m)), page.Count(m.Counts.Files), page.Optional(text(m.TaskID)), head, by}
		},
	})}
}

var refusedColumns = []page.Column{{Title: "Label"}, {Title: "Added by"}, {Title: "Condition"}, {Title: "Why"}}

func (p *reportPage) refused() []page.Node {
	list, at := refusals(p.Report)
	if len(list) == 0 {
		return nil
	}
	return []page.Node{p.room.Table(page.Listing{
		Percent: 20, Caption: "Labels that do not count", Columns: refusedColumns, N: len(list), More: inReport,
		Cells: func(i int) []page.Node {
			r := list[i]
			return []page.Node{page.Nodes{page.Code(r.Label), page.Say(at[i])}, page.Foreign(r.Actor), page.Foreign(r.Condition), page.Foreign(r.Why)}
		},
	})}
}

func (p *reportPage) approvals() []page.Node {
	if len(p.Approvals) == 0 {
		return nil
	}
	room := p.room.Share(10)
	items, left := room.Fit(len(p.Approvals), func(i int) page.Node { return page.El("li", page.Foreign(p.Approvals[i])) })
	p.room.Bytes += room.Bytes
	return []page.Node{page.El("p", page.Say("The contract requires these approvals:")), page.El("ul", page.Nodes(items)), page.Omitted(left, inReport)}
}

// classKinds are the classes of touched files, in the order of fileClasses; the last one is for others.
var classKinds = []page.Kind{
	{Class: "f-forbidden", Name: "Forbidden"}, {Class: "f-protected", Name: "Protected"}, {Class: "f-scope", Name: "Off scope"}, {Class: "f-soft", Name: "Soft"}, {Class: "f-allowed", Name: "Allowed"}, {Class: "f-evidence", Name: "Evidence"},
	{Class: "f-other", Name: "Of another class"},
}

var fileColumns = []page.Column{{Title: "File"}, {Title: "Class"}, {Title: "Change"}, {Title: "Mode"}}

func (p *reportPage) files() []page.Node {
	if len(p.Files) == 0 {
		return nil
	}
	counts := make([]int, len(classKinds))
	rank := func(f report.File) int {
		if i := slices.Index(fileClasses, f.Class); i >= 0 {
			return i
		}
		return len(fileClasses)
	}
	for _, f := range p.Files {
		counts[rank(f)]++
	}
	list := slices.Clone(p.Files)
	input.SortStable(list, func(a, b report.File) int { return cmp.Compare(rank(a), rank(b)) })
	table := p.room.Table(page.Listing{
		Percent: 40, Caption: "Files that the change touches", Columns: fileColumns, N: len(list), More: inReport,
		Cells: func(i int) []page.Node {
			f := list[i]
			return []page.Node{page.Code(f.Path), page.Foreign(f.Class), page.Foreign(f.Status), modesOf(f)}
		},
	})
	bad := counts[0] + counts[1] + counts[2] + counts[6]
	return append(fileStrip(counts), page.Fold(bad > 0 && len(list) <= 2*page.LongTable, "Show "+page.Plural(len(list), "file"), table))
}

// modesOf shows the mode of a file, or both if it changed.
func modesOf(f report.File) page.Node {
	if f.OldMode == "" || f.NewMode == "" || f.OldMode == f.NewMode {
		return page.Optional(modes(f))
	}
	return page.Nodes{page.Foreign(f.OldMode), page.Say(" to "), page.Foreign(f.NewMode)}
}

// fileStrip is the picture of the files by class: one bar, a part of it for each class.
func fileStrip(counts []int) []page.Node {
	all, x := page.Sum(counts), 0
	var parts []page.Node
	var used []page.Kind
	var amounts []int
	var said []string
	for k, n := range counts {
		if n == 0 {
			continue
		}
		width := page.PlaneWidth*n/all - 20
		parts = append(parts, page.Rect(classKinds[k].Class, x, 0, max(width, 10), 240))
		x += page.PlaneWidth * n / all
		used, amounts = append(used, classKinds[k]), append(amounts, n)
		said = append(said, fmt.Sprintf("%d %s", n, strings.ToLower(string(classKinds[k].Name))))
	}
	picture := page.El("svg", page.At("role", "img"), page.At("aria-labelledby", "strip-name"), page.At("aria-describedby", "strip-says"), page.ViewBox(page.PlaneWidth, 240),
		page.El("title", page.At("id", "strip-name"), page.Say("Files by class")), page.El("desc", page.At("id", "strip-says"), page.Say(page.Plural(all, "file"), ": ", page.AndList(said), ".")), page.Nodes(parts))
	return []page.Node{page.El("figure", picture, page.Legend(used, func(k int) int { return amounts[k] }))}
}

func (p *reportPage) other() []page.Node {
	list := p.findings(60, warn, info)
	if list == nil {
		return nil
	}
	return []page.Node{page.Fold(false, fmt.Sprintf("Show %d warn, %d info", p.Counts.Warn, p.Counts.Info), list...)}
}

var inputColumns = []page.Column{{Title: "Input", Class: "id"}, {Title: "File"}, {Title: "Trust"}, {Title: "Bytes", Class: "n"}, {Title: "sha256"}}

func (p *reportPage) inputs() []page.Node {
	if len(p.Inputs) == 0 {
		return nil
	}
	table := p.room.Table(page.Listing{
		Percent: 60, Caption: "What the gate read, and how far it trusts it", Shown: true, Columns: inputColumns, N: len(p.Inputs), More: inReport,
		Cells: func(i int) []page.Node {
			in := p.Inputs[i]
			file := page.Nodes{page.Code(in.Path)}
			if in.Ref != nil {
				file = append(file, page.Say(" at "), p.forge.Commit(*in.Ref))
			}
			return []page.Node{page.Foreign(in.Kind), file, page.Foreign(in.Trust), page.Count(in.Bytes), page.Code(in.SHA256)}
		},
	})
	return []page.Node{page.Fold(len(p.Inputs) <= page.LongTable, "Show "+page.Plural(len(p.Inputs), "input"), table)}
}

func (p *reportPage) replay() []page.Node {
	strict := "no"
	if p.Strict {
		strict = "yes: warnings block"
	}
	return []page.Node{
		page.El("p", page.Say("The report is a function of its inputs: the bundle, judged again by the same version, gives the same bytes.")),
		page.El("pre", page.At("tabindex", "0"), page.Say("closeout replay BUNDLE")),
		page.El("p", page.Say("This page is about the report with this sha256; the report in the bundle must have it too:")),
		page.El("pre", page.At("tabindex", "0"), page.Say("sha256sum BUNDLE/", report.FileName)),
		page.Terms("facts",
			page.Term{Name: "sha256 of the report", Meaning: page.El("code", page.Class("digest"), page.Say(p.digest))}, page.Term{Name: "Judged by", Meaning: page.Program(p.Tool)},
			page.Term{Name: "Mode", Meaning: page.Foreign(p.Mode)}, page.Term{Name: "Strict", Meaning: page.Say(strict)}, page.Term{Name: "Minimum evidence", Meaning: page.Foreign(p.Settings.EvidenceMin)},
			page.Term{Name: "Code tree", Meaning: given(p.Subject.CodeTree)}, page.Term{Name: "Changes from", Meaning: given(p.Subject.ChangesFrom)},
		),
	}
}
