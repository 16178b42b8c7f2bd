package present

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/present/page"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// reportRoom is how many bytes the lists of the page of a report may take, and reportPart how many they may take together with
// the parts that are not lists.
const (
	reportRoom = 240_000
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
	p := reportPage{r, page.Forge(o.LinkBase), &page.Room{Bytes: reportRoom}, input.Digest(data)}
	p.room.Bytes = min(reportRoom, (&page.Room{Bytes: reportPart}).Without(page.Nodes{p.header(), page.Nodes(p.override()), page.Nodes(p.next()), page.Nodes(p.mayOverride()), page.Nodes(p.replay()), page.Footer(r.Tool)}).Bytes)
	blocking := page.Word("What blocks")
	if r.Verdict == report.Overridden {
		blocking = "What was overridden"
	}
	blocks, unknowns := p.findings(60, block), p.findings(40, unknown)
	if unknowns != nil {
		unknowns = append(unknowns, p.next()...)
	} else if blocks != nil {
		blocks = append(blocks, p.next()...)
	}
	return (&page.Page{
		Title: page.Capital(page.Limited(r.Verdict)) + ": close-out gate" + page.Limited(p.about()), Skip: "Skip to the report",
		Header: p.header(),
		Parts: []page.Part{
			{ID: "override", Title: "Override", Body: p.override()},
			{ID: "blocking", Title: blocking, Body: blocks},
			{ID: "unknown", Title: "What could not be checked", Body: unknowns},
			{ID: "reviewer", Title: "For the reviewer", Body: p.reviewer()},
			{ID: "group", Title: "Pull requests of the merge group", Body: p.pulls()},
			{ID: "more", Title: "More", Body: slices.Concat(p.mayOverride(), p.refused(), p.criteria(), p.files(), p.info(), p.inputs(), p.replay())},
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

func (p *reportPage) header() page.Node {
	note := page.Node(nil) // that nothing is enforced, where that is so
	if text := observeNote(p.Report); text != "" {
		note = page.El("p", page.Class("note"), page.Say(text))
	}
	sign, known := page.Looks[p.Verdict]
	if !known {
		sign = "failed"
	}
	return page.El("header", page.Class("top "+sign),
		page.El("p", page.Class("kicker"), page.Say("Close-out gate: verification report")),
		page.El("h1", page.Icon(sign), page.Foreign(page.Capital(p.Verdict))),
		page.El("p", page.Class("why"), p.why()),
		note, p.subject(), page.Patterns())
}

// subject says in a line what was judged.
func (p *reportPage) subject() page.Node {
	s := p.Subject
	var words page.Nodes
	add := func(name string, shown page.Node) {
		if shown == nil {
			return
		}
		if words != nil {
			words = append(words, page.Say(" · "))
		}
		words = append(words, page.Say(name), shown)
	}
	add("", given(s.Repository))
	if s.PullRequest != nil {
		add("pull request ", p.forge.Pull(fmt.Sprint(*s.PullRequest)))
	}
	add("task ", given(p.TaskID))
	add("head ", p.commit(s.HeadSHA))
	add("", page.Say(CountWords(p.Report)))
	add("", page.Say(criteriaWords(p.Report)))
	add("", page.Say(input.Plural(p.Counts.Files, "file"), " changed"))
	return page.El("p", page.Class("rests"), words)
}

func (p *reportPage) commit(id *string) page.Node {
	if id == nil {
		return nil
	}
	return p.forge.Commit(*id)
}

// given is a text that may be missing.
func given(s *string) page.Node {
	if s == nil {
		return nil
	}
	return page.Foreign(*s)
}

// why is the cause of the verdict in a sentence.
func (p *reportPage) why() page.Node {
	first := func(severity, words string) page.Node {
		list := inFixOrder(ofSeverity(p.Report, severity))
		if len(list) == 0 {
			return page.Say(words, ".")
		}
		said := page.Nodes{page.Say(words, ": "), page.Foreign(messageOf(list[0]))}
		if at := place(list[0].Location); at != "" {
			said = append(said, page.Say(" ("), page.Code(at), page.Say(")"))
		}
		return said
	}
	switch {
	case isUsage(p.Report):
		return page.Nodes{page.Say("The gate was not called or configured correctly; the change was not judged. "), first(block, "Found")}
	case p.Override != nil && p.Verdict == report.Overridden:
		return page.Nodes{page.Foreign(p.Override.Who()), page.Say(" accepted ", input.Plural(len(p.Override.Accepted), "blocking finding"), ": "), page.Foreign(p.Override.Why())}
	case p.Verdict == report.Passed:
		return page.Say(page.Capital(criteriaWords(p.Report)), ", and no finding blocks.")
	case p.Verdict == report.Review:
		return first(unknown, lead(p.Counts.Unknown, "fact is unknown", "facts are unknown"))
	case p.Verdict == report.Overridden: // in a merge group
		return page.Nodes{page.Foreign(text(p.OverriddenBy)), page.Say(" accepted ", input.Plural(p.Counts.Block, "blocking finding"), ": "), page.Foreign(text(p.OverrideReason))}
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

func (p *reportPage) override() []page.Node {
	o := p.Override
	if o == nil {
		return nil
	}
	return []page.Node{page.Terms(
		page.Term("Person", page.Nodes{page.Foreign(o.Who()), page.Say(" (account "), page.Foreign(o.ActorID), page.Say(")")}), page.Term("Reason", page.Foreign(o.Why())),
		page.Term("Override code", given(p.OverrideCode)), page.Term("When", page.Foreign(o.At)), page.Term("Label", page.Code(o.Label)), page.Term("Head", p.forge.Commit(o.HeadSHA)),
		page.Term("Accepted", page.Say(input.Plural(len(o.Accepted), "finding"))),
	)}
}

// findings are those of some severities, those that say the same joined. They may take that share of the room, in percent.
func (p *reportPage) findings(percent int, severities ...string) []page.Node {
	list := ofSeverity(p.Report, severities...)
	if len(list) == 0 {
		return nil
	}
	if severities[0] != warn && severities[0] != info {
		list = inFixOrder(list)
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

// findingCard shows findings that say the same; nil when there is no room. left is how many are not shown.
func (p *reportPage) findingCard(room *page.Room, group []report.Finding) (card page.Node, left int) {
	same := sameIn(group)
	frame := func(places ...page.Node) page.Node { return p.cardFrame(group, same, places) }
	if room.Take(frame()) == nil {
		return nil, len(group)
	}
	items, left := room.Fit(len(group), func(i int) page.Node {
		item := page.Nodes{p.placeOf(group[i], same)}
		if !same.message {
			item = append(item, page.Say(": "), page.Foreign(messageOf(group[i])))
		}
		if !same.expected {
			item = append(item, page.Say("; expected "), page.Foreign(group[i].Expected))
		}
		if !same.actual {
			item = append(item, page.Say("; actual "), page.Foreign(group[i].Actual))
		}
		return page.El("li", item)
	})
	return frame(items...), left
}

// cardFrame is a card of findings that need the same fix, around the list of their places.
func (p *reportPage) cardFrame(group []report.Finding, same shared, places []page.Node) page.Node {
	f := group[0]
	name := cmp.Or(nameOf(f), f.Code)
	message, fix, clause := page.Node(nil), page.Node(nil), ""
	if same.message {
		message = page.El("p", page.Class("message"), page.Foreign(messageOf(f)))
	}
	if todo := fixOf(f); todo != "" {
		fix = page.El("p", page.Class("fix"), page.El("b", page.Say("Fix: ")), page.Foreign(todo))
	}
	if same.clause {
		clause = clauseOf(f)
	}
	times, rule := "", page.Node(nil)
	if n := len(group); n > 1 {
		times = fmt.Sprintf(" %d findings", n)
	}
	if f.Rule != "" && f.Rule != name {
		rule = page.Nodes{page.Say(" "), page.Code(f.Rule)}
	}
	return page.Card(SeverityOf(f),
		page.El("h3", page.About(RulePage(p.Tool.Version, name), name), rule, page.Say(" "), page.TagOf(SeverityOf(f)), page.Say(times)),
		message, fix,
		page.El("ul", page.Class("places"), page.Nodes(places)),
		page.Terms(page.Term("First error", codeOf(firstError(f))),
			page.Term("Expected", about(same.expected, f.Expected)), page.Term("Actual", about(same.actual, f.Actual)),
			page.Term("Contract", codeOf(clause))),
		tailOf(f))
}

// codeOf is a name; nil for none.
func codeOf(s string) page.Node {
	if s == "" {
		return nil
	}
	return page.Code(s)
}

// about is what all findings of a card share; nil when they do not, or there is none.
func about(same bool, s string) page.Node {
	if !same || s == "" {
		return nil
	}
	return page.Foreign(s)
}

// placeOf is the place of a finding and what is special about it.
func (p *reportPage) placeOf(f report.Finding, same shared) page.Node {
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
		list = append(list, page.Say(" ", input.Plural(f.Times, "time")))
	}
	if f.Overridden {
		list = append(list, page.Say(" "), page.TagOf(report.Overridden))
	}
	if clause := clauseOf(f); !same.clause && clause != "" {
		list = append(list, page.Say(" because of "), page.Code(clause))
	}
	return list
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

// next says what to do when everything is fixed.
func (p *reportPage) next() []page.Node {
	var body []page.Node
	for _, step := range afterSteps(p.Report) {
		body = append(body, page.El("p", page.El("bdi", quoted(page.Limited(step)))))
	}
	return body
}

// mayOverride says how a person overrides the findings.
func (p *reportPage) mayOverride() []page.Node {
	if never := overrideNever(p.Report); never != "" {
		return []page.Node{page.El("p", page.Foreign(never))}
	}
	override := overrideLine(p.Report)
	if override == "" {
		return nil
	}
	return []page.Node{page.Fold("To override this: what a person does",
		page.El("p", page.Say("A person who may override ("), page.Foreign(overrideWho(p.Report)), page.Say(") can comment")),
		page.El("pre", page.At("tabindex", "0"), page.Foreign(override)), page.El("p", page.Foreign(overrideSteps(p.Report, p.Settings.Override.Label))))}
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

func (p *reportPage) criteria() []page.Node {
	if len(p.Acceptance) == 0 {
		return nil
	}
	list := p.room.Table(page.Listing{
		Percent: 30, Caption: criteriaWords(p.Report) + "; the minimum is " + p.Settings.EvidenceMin, Shown: true, N: len(p.Acceptance), More: inReport,
		Columns: []page.Column{{"Criterion"}, {"Command"}, {"Outcome"}, {"Evidence"}, {"Attempts", "n"}, {"Why not higher"}},
		Cells: func(i int) []page.Node {
			a := p.Acceptance[i]
			outcome := page.Nodes{page.TagOf(a.Outcome)}
			if tests := testWords(&a); tests != "" {
				outcome = append(outcome, page.Say(" ", tests))
			}
			return []page.Node{page.Code(a.ID), commandOf(a), outcome, page.Foreign(a.Level), page.Count(a.Attempts), page.Optional(text(a.KeptFrom))}
		},
	})
	list = append(list, p.room.Table(page.Listing{
		Percent: 60, Caption: "Tests and code of two trees", Shown: true, N: len(p.Cross), More: inReport,
		Columns: []page.Column{{"Run"}, {"Criterion"}, {"Outcome"}, {"Evidence"}, {"Tests"}},
		Cells: func(i int) []page.Node {
			c := p.Cross[i]
			return []page.Node{page.Say(crossTree(c)), page.Code(c.Criterion), page.Foreign(c.Outcome), page.Foreign(c.Level), page.Foreign(c.Shown)}
		},
	})...)
	list = append(list, p.room.Table(page.Listing{
		Percent: 80, Caption: "Reports and their evidence levels", Shown: true, N: len(p.Companions), More: inReport,
		Columns: []page.Column{{"Report"}, {"File"}, {"Evidence"}, {"Why not higher"}},
		Cells: func(i int) []page.Node {
			c := p.Companions[i]
			return []page.Node{page.Foreign(c.Kind), page.Code(c.Path), page.Foreign(c.Level), page.Optional(text(c.KeptFrom))}
		},
	})...)
	return []page.Node{page.Fold(fmt.Sprintf("Acceptance: %d of %d passed", passedCriteria(p.Report), requiredCriteria(p.Report)), list...)}
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

func (p *reportPage) pulls() []page.Node {
	return p.room.Table(page.Listing{
		Percent: 30, Caption: input.Plural(len(p.PullRequests), "pull request") + " in the merge group", Shown: true, N: len(p.PullRequests), More: inReport,
		Columns: []page.Column{{"Pull request", "id"}, {"Verdict"}, {"Findings of its own"}, {"Files", "n"}, {"Task"}, {"Head", "id"}, {"Overridden by"}},
		Cells: func(i int) []page.Node {
			m := &p.PullRequests[i]
			by, head := page.Say("–"), page.Say("–")
			if m.Override != nil {
				by = page.Nodes{page.Foreign(m.Override.Who()), page.Say(": "), page.Foreign(m.Override.Why())}
			}
			if m.HeadSHA != nil {
				head = p.forge.Commit(*m.HeadSHA)
			}
			return []page.Node{p.forge.Pull(fmt.Sprint(m.Number)), page.TagOf(m.Verdict), page.Say(pullCounts(m)), page.Count(m.Counts.Files), page.Optional(text(m.TaskID)), head, by}
		},
	})
}

func (p *reportPage) refused() []page.Node {
	list, at := refusals(p.Report)
	return p.room.Table(page.Listing{
		Fold: fmt.Sprintf("Refused override labels: %d", len(list)), Percent: 20, Caption: "Labels that do not count", N: len(list), More: inReport,
		Columns: []page.Column{{"Label"}, {"Added by"}, {"Condition"}, {"Why"}},
		Cells: func(i int) []page.Node {
			r := list[i]
			return []page.Node{page.Nodes{page.Code(r.Label), page.Say(at[i])}, page.Foreign(r.Actor), page.Foreign(r.Condition), page.Foreign(r.Why)}
		},
	})
}

// reviewer is what a reviewer should look at: what the tests of the base show, warnings, and the approvals that the contract
// requires.
func (p *reportPage) reviewer() []page.Node {
	var body []page.Node
	lines := crossLines(p.Report, report.OutcomePassed)
	items, left := p.listed(20, len(lines), func(i int) page.Node { return page.Foreign(lines[i]) })
	if items != nil {
		body = append(body, page.El("ul", page.Nodes(items)), page.Omitted(left, inReport))
	}
	body = append(body, p.findings(50, warn)...)
	items, left = p.listed(10, len(p.Approvals), func(i int) page.Node { return page.Foreign(p.Approvals[i]) })
	if items != nil {
		body = append(body, page.El("p", page.Say("The contract requires these approvals:")), page.El("ul", page.Nodes(items)), page.Omitted(left, inReport))
	}
	return body
}

// listed are items of a list in that share of the room, in percent.
func (p *reportPage) listed(percent, n int, item func(i int) page.Node) (items []page.Node, left int) {
	room := p.room.Share(percent)
	items, left = room.Fit(n, func(i int) page.Node { return page.El("li", item(i)) })
	p.room.Bytes += room.Bytes
	return items, left
}

// classKinds are the classes of touched files, in the order of fileClasses; the last one is for others.
var classKinds = []page.Segment{
	{"f-forbidden", "Forbidden"}, {"f-protected", "Protected"}, {"f-scope", "Off scope"}, {"f-soft", "Soft"}, {"f-allowed", "Allowed"}, {"f-evidence", "Evidence"},
	{"f-other", "Of another class"},
}

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
		Percent: 40, Caption: "Files that the change touches", N: len(list), More: inReport,
		Columns: []page.Column{{"File"}, {"Class"}, {"Change"}, {"Mode"}},
		Cells: func(i int) []page.Node {
			f := list[i]
			mode := page.Optional(modes(f))
			if f.OldMode != "" && f.NewMode != "" && f.OldMode != f.NewMode {
				mode = page.Nodes{page.Foreign(f.OldMode), page.Say(" to "), page.Foreign(f.NewMode)}
			}
			return []page.Node{page.Code(f.Path), page.Foreign(f.Class), page.Foreign(f.Status), mode}
		},
	})
	return []page.Node{page.Fold(input.Plural(len(list), "file")+" changed", append(fileStrip(counts), table...)...)}
}

// fileStrip is the picture of the files by class: one bar, a part of it for each class.
func fileStrip(counts []int) []page.Node {
	all, x := page.Sum(counts), 0
	var parts []page.Node
	var used []page.Segment
	var amounts []int
	var amountWords []string
	for k, n := range counts {
		if n == 0 {
			continue
		}
		width := page.PlaneWidth*n/all - 20
		parts = append(parts, page.Rect(classKinds[k][0], x, 0, max(width, 10), 240))
		x += page.PlaneWidth * n / all
		used, amounts = append(used, classKinds[k]), append(amounts, n)
		amountWords = append(amountWords, fmt.Sprintf("%d %s", n, strings.ToLower(string(classKinds[k][1]))))
	}
	picture := page.Picture("strip", "Files by class", input.Plural(all, "file")+": "+page.AndList(amountWords)+".", page.PlaneWidth, 240, parts)
	return []page.Node{page.El("figure", picture, page.Legend(used, func(k int) int { return amounts[k] }))}
}

func (p *reportPage) info() []page.Node {
	list := p.findings(75, info)
	if list == nil {
		return nil
	}
	return []page.Node{page.Fold("No action needed: "+input.Plural(p.Counts.Info, "note"), list...)}
}

func (p *reportPage) inputs() []page.Node {
	return p.room.Table(page.Listing{
		Fold: fmt.Sprintf("Inputs of the decision: %d", len(p.Inputs)), Percent: 100, Caption: "What the gate read, and how far it trusts it", Shown: true, N: len(p.Inputs), More: inReport,
		Columns: []page.Column{{"Input", "id"}, {"File"}, {"Trust"}, {"Bytes", "n"}, {"sha256"}},
		Cells: func(i int) []page.Node {
			in := p.Inputs[i]
			file := page.Nodes{page.Code(in.Path)}
			if in.Ref != nil {
				file = append(file, page.Say(" at "), p.forge.Commit(*in.Ref))
			}
			return []page.Node{page.Foreign(in.Kind), file, page.Foreign(in.Trust), page.Count(in.Bytes), page.Code(in.SHA256)}
		},
	})
}

func (p *reportPage) replay() []page.Node {
	strict := "no"
	if p.Strict {
		strict = "yes: warnings block"
	}
	return []page.Node{page.Fold("Judge it again",
		page.El("p", page.Say("The report is a function of its inputs: the bundle, judged again by the same version, gives the same bytes.")),
		page.El("pre", page.At("tabindex", "0"), page.Say("closeout replay BUNDLE")),
		page.El("p", page.Say("This page is about the report with this sha256; the report in the bundle must have it too:")),
		page.El("pre", page.At("tabindex", "0"), page.Say("sha256sum BUNDLE/", report.FileName)),
		page.Terms(
			page.Term("sha256 of the report", page.El("code", page.Class("digest"), page.Say(p.digest))), page.Term("Judged by", page.Program(p.Tool)),
			page.Term("Mode", page.Foreign(p.Mode)), page.Term("Strict", page.Say(strict)), page.Term("Minimum evidence", page.Foreign(p.Settings.EvidenceMin)),
			page.Term("Base", p.commit(p.Subject.BaseSHA)), page.Term("Code tree", given(p.Subject.CodeTree)),
			page.Term("Changes from", given(p.Subject.ChangesFrom)), page.Term("Records", page.Count(p.Counts.Records)),
		),
	)}
}
