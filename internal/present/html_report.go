package present

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

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
	if err := CheckLinkBase(o.LinkBase); err != nil {
		return err
	}
	data, err := report.Canonical(r)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	p := reportPage{r, forge(o.LinkBase), &room{reportRoom}, hex.EncodeToString(sum[:])}
	p.room.bytes = min(reportRoom, (&room{reportPart}).without(nodes{p.header(), nodes(p.override()), nodes(p.replay()), footer(r.Tool)}).bytes)
	blocking := word("What blocks")
	if r.Verdict == report.Overridden {
		blocking = "What was overridden"
	}
	return (&page{
		title: capital(limited(r.Verdict)) + ": close-out gate" + limited(p.about()), skip: "Skip to the report",
		header: p.header(),
		parts: []part{
			{"override", "Override", p.override()},
			{"blocking", blocking, p.findings(60, block)},
			{"unknown", "What could not be checked", p.findings(40, unknown)},
			{"next", "What to do next", p.next()},
			{"criteria", "Acceptance criteria", p.criteria()},
			{"group", "Pull requests of the merge group", p.pulls()},
			{"refused", "Refused override labels", p.refused()},
			{"approvals", "For the reviewer", p.approvals()},
			{"files", "Files", p.files()},
			{"other", "Other findings", p.other()},
			{"inputs", "Inputs", p.inputs()},
			{"replay", "Replay", p.replay()},
		},
		footer: footer(r.Tool),
	}).write(w)
}

const inReport = "the report lists them"

type reportPage struct {
	*report.Report
	forge  forge
	room   *room
	digest string // sha256 of the report
}

// capital begins a sentence.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
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

// looks are the classes of what has a word that a page shows in a colour.
var looks = map[string]word{
	report.Passed: "passed", report.Failed: "failed", report.Overridden: "overridden", report.Review: "review", "gap": "gap", "not judged": "gap",
	string(input.Block): "failed", string(input.Unknown): "review", string(input.Warn): "warn",
}

// tops are the classes of the head of a page.
var tops = map[string]word{report.Passed: "top passed", report.Overridden: "top overridden", report.Review: "top review"}

// signs are the pictures of verdicts, on a plane of 24 by 24.
var signs = map[word]word{
	"passed": "M6 12.5l4 4 8-9", "failed": "M7 7l10 10M17 7L7 17", "overridden": "M12 6v7M12 17v.2", "review": "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.4v.2",
}

// icon is the sign of a verdict. The word beside it says the same.
func icon(of word) node {
	return el("svg", class("icon"), at("aria-hidden", "true"), at("focusable", "false"), at("viewBox", "0 0 24 24"),
		el("circle", number("cx", 12), number("cy", 12), number("r", 11)), el("path", at("d", signs[of])))
}

// tagOf is a word in the colour of what it means.
func tagOf(s string) node {
	tags := map[word]word{"passed": "tag passed", "failed": "tag failed", "overridden": "tag overridden", "review": "tag review", "warn": "tag warn", "gap": "tag gap"}
	of, known := tags[looks[s]]
	if !known {
		of = "tag"
	}
	return el("span", class(of), foreign(s))
}

func (p *reportPage) header() node {
	top, known := tops[p.Verdict]
	if !known {
		top = "top failed"
	}
	sign, known := looks[p.Verdict]
	if !known {
		sign = "failed"
	}
	s := p.Subject
	pull := node(nil)
	if s.PullRequest != nil {
		pull = p.forge.pull(fmt.Sprint(*s.PullRequest))
	}
	commit := func(id *string) node {
		if id == nil {
			return nil
		}
		return p.forge.commit(*id)
	}
	return el("header", class(top),
		el("p", class("kicker"), say("Close-out gate: verification report")),
		el("h1", icon(sign), foreign(capital(p.Verdict))),
		el("p", class("why"), p.why()),
		p.note(),
		terms("tiles",
			term{"Repository", given(s.Repository)}, term{"Pull request", pull}, term{"Task", given(p.TaskID)},
			term{"Head", commit(s.HeadSHA)}, term{"Base", commit(s.BaseSHA)},
			term{"Findings", say(countWords(p.Report))}, term{"Criteria passed", say(fmt.Sprintf("%d of %d", passedCriteria(p.Report), len(p.Acceptance)))},
			term{"Files changed", count(p.Counts.Files)}, term{"Records", count(p.Counts.Records)},
		), patterns())
}

// given is a text that may be missing.
func given(s *string) node {
	if s == nil {
		return nil
	}
	return foreign(*s)
}

// note says that nothing is enforced, where that is so.
func (p *reportPage) note() node {
	if note := observeNote(p.Report); note != "" {
		return el("p", class("note"), say(note))
	}
	return nil
}

// why is the cause of the verdict in a sentence.
func (p *reportPage) why() node {
	first := func(severity, words string) node {
		list := ofSeverity(p.Report, severity)
		if len(list) == 0 {
			return say(words, ".")
		}
		return nodes{say(words, ": "), foreign(list[0].Message), p.where(list[0])}
	}
	switch {
	case isUsage(p.Report):
		return nodes{say("The gate was not called or configured correctly; the change was not judged. "), first(block, "Found")}
	case p.Override != nil && p.Verdict == report.Overridden:
		return nodes{foreign(p.Override.Actor), say(" accepted ", plural(len(p.Override.Accepted), "blocking finding"), ": "), foreign(p.Override.Reason)}
	case p.Verdict == report.Passed:
		return say(capital(criteriaWords(p.Report)), ", and no finding blocks.")
	case p.Verdict == report.Review:
		return first(unknown, lead(p.Counts.Unknown, "fact is unknown", "facts are unknown"))
	case p.Verdict == report.Overridden: // in a merge group
		return nodes{foreign(text(p.OverriddenBy)), say(" accepted ", plural(p.Counts.Block, "blocking finding"), ": "), foreign(text(p.OverrideReason))}
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
func (p *reportPage) where(f report.Finding) node {
	at := place(f.Location)
	if at == "" {
		return nil
	}
	return nodes{say(" ("), code(at), say(")")}
}

func (p *reportPage) override() []node {
	o := p.Override
	if o == nil {
		return nil
	}
	return []node{terms("facts",
		term{"Person", nodes{foreign(o.Actor), say(" (account "), foreign(o.ActorID), say(")")}}, term{"Reason", foreign(o.Reason)},
		term{"Override code", given(p.OverrideCode)}, term{"When", foreign(o.At)}, term{"Label", code(o.Label)}, term{"Head", p.forge.commit(o.HeadSHA)},
		term{"Accepted", say(plural(len(o.Accepted), "finding"))},
	)}
}

// findings are those of some severities, those that say the same joined. They may take that share of the room, in percent.
func (p *reportPage) findings(percent int, severities ...string) []node {
	list := ofSeverity(p.Report, severities...)
	if len(list) == 0 {
		return nil
	}
	room := p.room.share(percent)
	left := 0
	var body []node
	for _, group := range joinFindings(list) {
		more := len(group)
		if left == 0 { // what does not fit ends the list, so that its order shows what matters most
			var card node
			if card, more = p.findingCard(room, group); card != nil {
				body = append(body, card)
			}
		}
		left += more
	}
	p.room.bytes += room.bytes
	for _, severity := range severities {
		left += max(0, countOf(p.Report, severity)-len(ofSeverity(p.Report, severity)))
	}
	return append(body, omitted(left, "the counts include them"))
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
func (p *reportPage) findingCard(room *room, group []report.Finding) (card node, left int) {
	same := func(of func(f *report.Finding) string) bool {
		return !slices.ContainsFunc(group, func(f report.Finding) bool { return of(&f) != of(&group[0]) })
	}
	sameExpected := same(func(f *report.Finding) string { return f.Expected })
	sameActual := same(func(f *report.Finding) string { return f.Actual })
	frame := func(places ...node) node { return p.cardFrame(group, sameExpected, sameActual, places) }
	if room.take(frame()) == nil {
		return nil, len(group)
	}
	items, left := room.fit(len(group), func(i int) node {
		item := nodes{p.at(group[i])}
		if !sameExpected {
			item = append(item, say(" expected "), foreign(group[i].Expected))
		}
		if !sameActual {
			item = append(item, say(" actual "), foreign(group[i].Actual))
		}
		return el("li", item)
	})
	return frame(items...), left
}

// cardFrame is a card of findings that say the same, around the list of their places.
func (p *reportPage) cardFrame(group []report.Finding, sameExpected, sameActual bool, places []node) node {
	f := group[0]
	rule := node(nil)
	if f.Rule != "" {
		rule = nodes{say(" "), code(f.Rule)}
	}
	return el("article", class(cards[severityOf(f)]),
		el("h3", code(f.Code), rule, say(" "), tagOf(severityOf(f)), say(times(len(group)))),
		el("p", class("message"), foreign(f.Message)),
		el("ul", class("places"), nodes(places)),
		terms("facts", term{"Expected", about(sameExpected, f.Expected)}, term{"Actual", about(sameActual, f.Actual)}),
		p.explained(f), tailOf(f))
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" %d findings", n)
}

// about is what all findings of a card share; nil when they do not, or there is none.
func about(same bool, s string) node {
	if !same || s == "" {
		return nil
	}
	return foreign(s)
}

var cards = map[string]word{block: "card failed", unknown: "card review", warn: "card warn", info: "card info"}

// at is the place of a finding and what is special about it.
func (p *reportPage) at(f report.Finding) node {
	where := say("no file")
	if at := place(f.Location); at != "" {
		where = code(at)
	} else if f.Criterion != "" {
		where = nodes{say("criterion "), code(f.Criterion)}
	}
	list := nodes{where}
	if f.Location.PullRequest > 0 {
		list = append(list, say(" in pull request "), p.forge.pull(fmt.Sprint(f.Location.PullRequest)))
	}
	if f.Times > 1 {
		list = append(list, say(" ", input.Plural(int64(f.Times), "time")))
	}
	if f.Overridden {
		list = append(list, say(" "), tagOf(report.Overridden))
	}
	if clause := clauseOf(f); clause != "" {
		list = append(list, say(" because of "), code(clause))
	}
	return list
}

func (p *reportPage) explained(f report.Finding) node {
	fix, firstLine := node(nil), node(nil)
	if f.Fix != "" {
		fix = foreign(f.Fix)
	}
	if e := firstError(f); e != "" {
		firstLine = code(e)
	}
	return terms("facts", term{"First error", firstLine}, term{"Fix", fix})
}

// tailOf is the output of a finding, a line of it in an element of its own.
func tailOf(f report.Finding) node {
	if f.Output == nil || len(f.Output.Lines) == 0 {
		return nil
	}
	var lines []node
	for _, l := range f.Output.Lines {
		lines = append(lines, el("span", el("bdi", say(limited(strings.ReplaceAll(l, "\t", "    "))))))
	}
	title := "Output: the last line of "
	if n := len(f.Output.Lines); n > 1 {
		title = fmt.Sprintf("Output: the last %d lines of ", n)
	}
	return el("details", el("summary", say(title), foreign(f.Output.Stream)), el("pre", at("tabindex", "0"), nodes(lines)))
}

// next are the steps of the other formats.
func (p *reportPage) next() []node {
	inStep := func(s string) string { return strings.ReplaceAll(limited(s), "`", "'") }
	steps, override := nextSteps(p.Report, inStep), overrideLine(p.Report)
	if never := overrideNever(p.Report); never != "" {
		steps = append(steps, never)
	}
	room := p.room.share(20)
	items, _ := room.fit(len(steps), func(i int) node { return el("li", el("bdi", quoted(steps[i]))) })
	p.room.bytes += room.bytes
	var body []node
	if items != nil {
		body = []node{el("ul", class("steps"), nodes(items))}
	}
	if override != "" {
		body = append(body, el("p", say("Or a person who may override ("), foreign(overrideWho(p.Report)), say(") can comment")),
			el("pre", at("tabindex", "0"), foreign(override)), el("p", foreign(overrideSteps(p.Report, p.Settings.Override.Label))))
	}
	return body
}

// quoted is a step, in which backticks enclose what is typed.
func quoted(step string) node {
	parts := strings.Split(step, "`")
	if len(parts)%2 == 0 {
		return say(step)
	}
	var list nodes
	for i, part := range parts {
		if i%2 == 1 {
			list = append(list, el("code", say(part)))
		} else {
			list = append(list, say(part))
		}
	}
	return list
}

var criterionColumns = []column{
	{title: "Criterion"}, {title: "Command"}, {title: "Outcome"}, {title: "Evidence"}, {"Attempts", "n"}, {title: "Kept from more by"},
}

func (p *reportPage) criteria() []node {
	if len(p.Acceptance) == 0 {
		return nil
	}
	list := []node{p.room.table(listing{
		percent: 30, caption: criteriaWords(p.Report) + "; the minimum is " + p.Settings.EvidenceMin, shown: true, columns: criterionColumns, n: len(p.Acceptance), more: inReport,
		cells: func(i int) []node {
			a := p.Acceptance[i]
			outcome := nodes{tagOf(a.Outcome)}
			if a.Tests != nil {
				outcome = append(outcome, say(" ", input.Plural(*a.Tests, "test")))
			}
			return []node{code(a.ID), commandOf(a), outcome, foreign(a.Level), count(a.Attempts), optional(text(a.KeptFrom))}
		},
	})}
	if len(p.Cross) > 0 {
		list = append(list, p.room.table(listing{
			percent: 10, caption: "Old tests on the new code", shown: true, columns: []column{{title: "Criterion"}, {title: "Outcome"}, {title: "Evidence"}, {title: "Tests"}},
			n: len(p.Cross), more: inReport,
			cells: func(i int) []node {
				c := p.Cross[i]
				return []node{code(c.Criterion), foreign(c.Outcome), foreign(c.Level), foreign(c.Shown)}
			},
		}))
	}
	return append(list, p.companions()...)
}

// commandOf is the command of a criterion and how it differs from a plain run at the root.
func commandOf(a report.Acceptance) node {
	list := nodes{code(command(a.Run))}
	if a.Cwd != "" && a.Cwd != "." {
		list = append(list, say(" in "), code(a.Cwd))
	}
	if a.Expect == "fail" {
		list = append(list, say(", must fail"))
	}
	if a.PullRequest != nil {
		list = append(list, say(", ", pullName(*a.PullRequest)))
	}
	return list
}

var companionColumns = []column{{title: "Report"}, {title: "File"}, {title: "Evidence"}, {title: "Kept from more by"}}

func (p *reportPage) companions() []node {
	if len(p.Companions) == 0 {
		return nil
	}
	const title = "Reports and their evidence levels"
	return []node{fold(false, title, p.room.table(listing{
		percent: 20, caption: title, columns: companionColumns, n: len(p.Companions), more: inReport,
		cells: func(i int) []node {
			c := p.Companions[i]
			return []node{foreign(c.Kind), code(c.Path), foreign(c.Level), optional(text(c.KeptFrom))}
		},
	}))}
}

var pullColumns = []column{
	{"Pull request", "id"}, {title: "Verdict"}, {title: "Findings of its own"}, {"Files", "n"}, {title: "Task"}, {"Head", "id"}, {title: "Overridden by"},
}

func (p *reportPage) pulls() []node {
	if len(p.PullRequests) == 0 {
		return nil
	}
	return []node{p.room.table(listing{
		percent: 30, caption: plural(len(p.PullRequests), "pull request") + " in the merge group", shown: true, columns: pullColumns, n: len(p.PullRequests), more: inReport,
		cells: func(i int) []node {
			m := &p.PullRequests[i]
			by, head := say("–"), say("–")
			if m.Override != nil {
				by = nodes{foreign(m.Override.Actor), say(": "), foreign(m.Override.Reason)}
			}
			if m.HeadSHA != nil {
				head = p.forge.commit(*m.HeadSHA)
			}
			return []node{p.forge.pull(fmt.Sprint(m.Number)), tagOf(m.Verdict), say(pullCounts(m)), count(m.Counts.Files), optional(text(m.TaskID)), head, by}
		},
	})}
}

var refusedColumns = []column{{title: "Label"}, {title: "Added by"}, {title: "Condition"}, {title: "Why"}}

func (p *reportPage) refused() []node {
	list, at := refusals(p.Report)
	if len(list) == 0 {
		return nil
	}
	return []node{p.room.table(listing{
		percent: 20, caption: "Labels that do not count", columns: refusedColumns, n: len(list), more: inReport,
		cells: func(i int) []node {
			r := list[i]
			return []node{nodes{code(r.Label), say(at[i])}, foreign(r.Actor), foreign(r.Condition), foreign(r.Why)}
		},
	})}
}

func (p *reportPage) approvals() []node {
	if len(p.Approvals) == 0 {
		return nil
	}
	room := p.room.share(10)
	items, left := room.fit(len(p.Approvals), func(i int) node { return el("li", foreign(p.Approvals[i])) })
	p.room.bytes += room.bytes
	return []node{el("p", say("The contract requires these approvals:")), el("ul", nodes(items)), omitted(left, inReport)}
}

// classKinds are the classes of touched files, in the order of fileClasses; the last one is for others.
var classKinds = []kind{
	{"f-forbidden", "Forbidden"}, {"f-protected", "Protected"}, {"f-scope", "Off scope"}, {"f-soft", "Soft"}, {"f-allowed", "Allowed"}, {"f-evidence", "Evidence"},
	{"f-other", "Of another class"},
}

var fileColumns = []column{{title: "File"}, {title: "Class"}, {title: "Change"}, {title: "Mode"}}

func (p *reportPage) files() []node {
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
	table := p.room.table(listing{
		percent: 40, caption: "Files that the change touches", columns: fileColumns, n: len(list), more: inReport,
		cells: func(i int) []node {
			f := list[i]
			return []node{code(f.Path), foreign(f.Class), foreign(f.Status), modesOf(f)}
		},
	})
	bad := counts[0] + counts[1] + counts[2] + counts[6]
	return append(fileStrip(counts), fold(bad > 0 && len(list) <= 2*longTable, "Show "+plural(len(list), "file"), table))
}

// modesOf shows the mode of a file, or both if it changed.
func modesOf(f report.File) node {
	if f.OldMode == "" || f.NewMode == "" || f.OldMode == f.NewMode {
		return optional(modes(f))
	}
	return nodes{foreign(f.OldMode), say(" to "), foreign(f.NewMode)}
}

// fileStrip is the picture of the files by class: one bar, a part of it for each class.
func fileStrip(counts []int) []node {
	all, x := sum(counts), 0
	var parts []node
	var used []kind
	var amounts []int
	var said []string
	for k, n := range counts {
		if n == 0 {
			continue
		}
		width := planeWidth*n/all - 20
		parts = append(parts, rect(classKinds[k].class, x, 0, max(width, 10), 240))
		x += planeWidth * n / all
		used, amounts = append(used, classKinds[k]), append(amounts, n)
		said = append(said, fmt.Sprintf("%d %s", n, strings.ToLower(string(classKinds[k].name))))
	}
	picture := el("svg", at("role", "img"), at("aria-labelledby", "strip-name"), at("aria-describedby", "strip-says"), viewBox(planeWidth, 240),
		el("title", at("id", "strip-name"), say("Files by class")), el("desc", at("id", "strip-says"), say(plural(all, "file"), ": ", andList(said), ".")), nodes(parts))
	return []node{el("figure", picture, legend(used, func(k int) int { return amounts[k] }))}
}

func (p *reportPage) other() []node {
	list := p.findings(60, warn, info)
	if list == nil {
		return nil
	}
	return []node{fold(false, fmt.Sprintf("Show %d warn, %d info", p.Counts.Warn, p.Counts.Info), list...)}
}

var inputColumns = []column{{"Input", "id"}, {title: "File"}, {title: "Trust"}, {"Bytes", "n"}, {title: "sha256"}}

func (p *reportPage) inputs() []node {
	if len(p.Inputs) == 0 {
		return nil
	}
	table := p.room.table(listing{
		percent: 60, caption: "What the gate read, and how far it trusts it", shown: true, columns: inputColumns, n: len(p.Inputs), more: inReport,
		cells: func(i int) []node {
			in := p.Inputs[i]
			file := nodes{code(in.Path)}
			if in.Ref != nil {
				file = append(file, say(" at "), p.forge.commit(*in.Ref))
			}
			return []node{foreign(in.Kind), file, foreign(in.Trust), count(in.Bytes), code(in.SHA256)}
		},
	})
	return []node{fold(len(p.Inputs) <= longTable, "Show "+plural(len(p.Inputs), "input"), table)}
}

func (p *reportPage) replay() []node {
	strict := "no"
	if p.Strict {
		strict = "yes: warnings block"
	}
	return []node{
		el("p", say("The report is a function of its inputs: the bundle, judged again by the same version, gives the same bytes.")),
		el("pre", at("tabindex", "0"), say("closeout replay BUNDLE")),
		el("p", say("This page is about the report with this sha256; the report in the bundle must have it too:")),
		el("pre", at("tabindex", "0"), say("sha256sum BUNDLE/", report.FileName)),
		terms("facts",
			term{"sha256 of the report", el("code", class("digest"), say(p.digest))}, term{"Judged by", program(p.Tool)},
			term{"Mode", foreign(p.Mode)}, term{"Strict", say(strict)}, term{"Minimum evidence", foreign(p.Settings.EvidenceMin)},
			term{"Code tree", given(p.Subject.CodeTree)}, term{"Changes from", given(p.Subject.ChangesFrom)},
		),
	}
}

func program(t report.Tool) node { return nodes{foreign(t.Name), say(" "), foreign(t.Version)} }

// footer ends every page.
func footer(t report.Tool) node {
	return el("footer", el("p", say("Made from a file by "), program(t), say(". This page contains no script and loads nothing.")))
}
