package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/report"
)

// MaxComment is how many bytes of markdown fit into a comment: GitHub takes 65,536 characters.
const MaxComment = 64_000

// MaxSummary is how many bytes the markdown format writes at most. GitHub drops a job summary above 1 MiB whole; the
// margin is for what a workflow's author may add.
const MaxSummary = 1<<20 - 1<<14

// section is a part of the page. Head and tail are always written; its items are made and written as long as they fit,
// and left says in their place how many were left out. A section without items needs neither item nor left.
type section struct {
	head  string
	count int
	item  func(i int) string
	left  func(n int) string
	tail  string
}

// writeMarkdown writes the page that a job summary shows: verdict, what to do and what blocks on the first screen, then
// the criteria, and folded up the rest.
func writeMarkdown(w io.Writer, r *report.Report, o Options) error {
	sections := []section{
		mdTop(r),
		mdOverride(r),
		mdPulls(r),
		mdFindings(blockTitle(r), r, block),
		mdFindings("What could not be established", r, unknown),
		mdRefused(r),
		mdCriteria(r),
		mdApprovals(r),
		mdOther(r),
		mdFileList(r),
		mdEvidence(r),
		mdInputs(r),
		{head: mdFoot(r)},
	}
	limit := o.Bytes
	if limit == 0 {
		limit = MaxSummary
	}
	_, err := io.WriteString(w, fit(sections, limit))
	return err
}

func blockTitle(r *report.Report) string {
	if r.Verdict == report.Overridden {
		return "What was let through"
	}
	return "What blocks"
}

// fit joins the sections within limit bytes. A section's items may take half of the room that is left, so that a flood
// in one cannot push the others off the page.
func fit(sections []section, limit int) string {
	room := limit
	for _, s := range sections {
		room -= len(s.head) + len(s.tail)
		if s.count > 0 {
			room -= len(s.left(s.count))
		}
	}
	var b strings.Builder
	for _, s := range sections {
		b.WriteString(s.head)
		room -= writeItems(&b, s, room/2)
		b.WriteString(s.tail)
	}
	return b.String()
}

// writeItems writes the items that fit into room bytes and, when some do not, how many. It returns how many bytes the
// items took.
func writeItems(b *strings.Builder, s section, room int) int {
	used := 0
	for i := range s.count {
		item := s.item(i)
		if used+len(item) > room {
			b.WriteString(s.left(s.count - i))
			break
		}
		b.WriteString(item)
		used += len(item)
	}
	return used
}

// leftItem and leftRow say how much was left out, as a list item and as a table row of that many columns.
func leftItem(n int) string {
	return fmt.Sprintf("- … and %d more, left out here to keep the page small; the report lists them.\n", n)
}

func leftRow(columns int) func(n int) string {
	return func(n int) string {
		cells := make([]string, columns)
		cells[0] = fmt.Sprintf("… and %d more, in the report", n)
		return mdRow(cells...)
	}
}

var verdictSigns = map[string]string{
	report.Passed: "✅ ", report.Failed: "❌ ", report.Overridden: "⚠️ ", report.Review: "❔ ",
}

func mdTop(r *report.Report) section {
	var b strings.Builder
	fmt.Fprintf(&b, "## %sClose-out gate: %s\n\n", verdictSigns[r.Verdict], mdText(r.Verdict))
	if note := observeNote(r); note != "" {
		fmt.Fprintf(&b, "**%s**\n\n", note)
	}
	b.WriteString(mdVerdict(r) + mdVainLabel(r) + "\n\n" + mdSubject(r))
	mdNext(&b, r)
	return section{head: b.String()}
}

// mdVerdict says in a line why the verdict is what it is: which codes block, how many criteria passed.
func mdVerdict(r *report.Report) string {
	words := []string{countWords(r), criteriaWords(r), plural(int64(r.Counts.Files), "file") + " changed"}
	head := ""
	switch {
	case r.Verdict == report.Overridden:
		head = "A human let what blocks through: " + mdCodes(r, block) + ".<br>\n"
	case r.Counts.Block > 0:
		head = "Blocked by " + mdCodes(r, block) + ".<br>\n"
	case r.Counts.Unknown > 0:
		head = "Not decided, because of " + mdCodes(r, unknown) + ".<br>\n"
	}
	return head + strings.Join(words, " · ")
}

// mdVainLabel says at once that a label was put on in vain: whoever did it waits for a green run.
func mdVainLabel(r *report.Report) string {
	list, at := refusals(r)
	if len(list) == 0 || r.Verdict == report.Overridden {
		return ""
	}
	return "<br>\nThe label " + mdCode(list[0].Label) + at[0] + " does not count: " + mdText(list[0].Why)
}

// topCodes is how many codes the verdict's line names.
const topCodes = 6

// mdCodes lists the codes of a severity with how often each occurs, in the report's order.
func mdCodes(r *report.Report, severity string) string {
	var codes []string
	times := map[string]int{}
	for _, f := range ofSeverity(r, severity) {
		if times[f.Code] == 0 {
			codes = append(codes, f.Code)
		}
		times[f.Code]++
	}
	var words []string
	for _, code := range codes[:min(len(codes), topCodes)] {
		word := mdCode(code)
		if times[code] > 1 {
			word += fmt.Sprintf(" (%d)", times[code])
		}
		words = append(words, word)
	}
	if left := len(codes) - len(words); left > 0 {
		words = append(words, plural(int64(left), "more code"))
	}
	return strings.Join(words, ", ")
}

func mdSubject(r *report.Report) string {
	var words []string
	add := func(name string, value *string) {
		if value != nil {
			words = append(words, name+" "+mdCode(*value))
		}
	}
	add("Task", r.TaskID)
	add("repository", r.Subject.Repository)
	if r.Subject.PullRequest != nil {
		words = append(words, fmt.Sprintf("pull request %d", *r.Subject.PullRequest))
	}
	if isGroup(r) {
		words = append(words, "merge group of "+plural(int64(len(r.PullRequests)), "pull request"))
	}
	add("head", r.Subject.HeadSHA)
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " · ") + "\n\n"
}

// mdNext writes what to do; the steps are our own words, and the override line stands in a block that is easy to copy.
func mdNext(b *strings.Builder, r *report.Report) {
	steps, override := nextSteps(r, mdText), overrideLine(r)
	if never := overrideNever(r); never != "" {
		steps = append(steps, never)
	}
	if len(steps) == 0 && override == "" {
		return
	}
	b.WriteString("### What to do next\n\n")
	for _, step := range steps {
		b.WriteString("- " + step + "\n")
	}
	b.WriteString("\n")
	if override != "" {
		b.WriteString("Or a human who may override (" + mdText(overrideWho(r)) + ") can comment\n\n```text\n" + override + "\n```\n\n" +
			overrideSteps(r, mdCode(r.Settings.Override.Label)) + "\n\n")
	}
}

// mdFindings lists the findings of one severity; the section is empty when there are none.
func mdFindings(title string, r *report.Report, severity string) section {
	list := ofSeverity(r, severity)
	if len(list) == 0 {
		return section{}
	}
	return section{
		head:  fmt.Sprintf("### %s: %d\n\n", title, max(countOf(r, severity), len(list))),
		count: len(list), left: leftItem, tail: "\n",
		item: func(i int) string { return mdFinding(list[i], "") },
	}
}

// mdFinding is a list item: code, place and message, and below them what was expected, what is there, and the way out.
// Prefix is our own word before the code.
func mdFinding(f report.Finding, prefix string) string {
	var b strings.Builder
	b.WriteString("- " + prefix + "**" + mdCode(f.Code) + "**")
	if at := place(f.Location); at != "" {
		b.WriteString(" at " + mdCode(at))
	}
	b.WriteString(": " + mdText(f.Message) + marks(f) + "\n")
	for _, part := range [][2]string{{"Expected", f.Expected}, {"Actual", f.Actual}, {"**Fix**", f.Fix}} {
		if part[1] != "" && part[1] != f.Message { // no need to read it twice
			b.WriteString("  - " + part[0] + ": " + mdText(part[1]) + "\n")
		}
	}
	return b.String()
}

// mdOverride says who let the findings through, and why.
func mdOverride(r *report.Report) section {
	o := r.Override
	if o == nil {
		return section{}
	}
	return section{head: fmt.Sprintf("### Overridden by %s\n\n- Reason: %s\n- When: %s, with the label %s, for head %s\n- Accepted: %s\n\n",
		mdCode(o.Actor), mdText(o.Reason), mdCode(o.At), mdCode(o.Label), mdCode(o.HeadSHA),
		plural(int64(len(o.Accepted)), "finding"))}
}

// mdRefused lists the labels that did not count.
func mdRefused(r *report.Report) section {
	list, at := refusals(r)
	if len(list) == 0 {
		return section{}
	}
	return section{
		head:  "### Override labels that did not count\n\n" + mdHead("Label", "Put on by", "Condition", "Why"),
		count: len(list), left: leftRow(4), tail: "\n",
		item: func(i int) string {
			refused := list[i]
			return mdRow(mdCode(refused.Label)+at[i], mdCode(refused.Actor), mdText(refused.Condition), mdText(refused.Why))
		},
	}
}

// outcomeSigns stand before an outcome, for a reader who only glances.
var outcomeSigns = map[string]string{
	report.OutcomePassed: "✅ ", report.OutcomeFailed: "❌ ", report.OutcomeUnknown: "❔ ", report.OutcomeSkipped: "➖ ",
}

func mdCriteria(r *report.Report) section {
	if len(r.Acceptance) == 0 {
		return section{}
	}
	return section{
		head: fmt.Sprintf("### Acceptance: %d of %d passed\n\n", passedCriteria(r), len(r.Acceptance)) +
			mdHead("Criterion", "Command", "Outcome", "Evidence", "Attempts", "Kept back by"),
		count: len(r.Acceptance), left: leftRow(6), tail: "\n",
		item: func(i int) string {
			a := r.Acceptance[i]
			return mdRow(mdCode(a.ID), mdCode(criterionCommand(a)), mdOutcome(a), mdText(a.Level),
				fmt.Sprint(a.Attempts), mdOptional(a.KeptFrom))
		},
	}
}

func mdOutcome(a report.Acceptance) string {
	out := outcomeSigns[a.Outcome] + mdText(a.Outcome)
	if a.Tests != nil {
		out += " (" + plural(*a.Tests, "test") + ")"
	}
	return out
}

// mdOptional is empty for null, so that a table shows an empty cell.
func mdOptional(p *string) string {
	if p == nil {
		return ""
	}
	return mdText(*p)
}

func mdApprovals(r *report.Report) section {
	if len(r.Approvals) == 0 {
		return section{}
	}
	return section{
		head:  "### For the reviewer\n\nThe contract requires these approvals:\n\n",
		count: len(r.Approvals), left: leftItem, tail: "\n",
		item: func(i int) string { return "- " + mdText(r.Approvals[i]) + "\n" },
	}
}

// details starts a folded part of the page; what follows the empty line is Markdown again.
func details(summary string) string {
	return "<details><summary>" + summary + "</summary>\n\n"
}

const endDetails = "\n</details>\n\n"

func mdOther(r *report.Report) section {
	list := ofSeverity(r, warn, info)
	if len(list) == 0 {
		return section{}
	}
	return section{
		head:  details(fmt.Sprintf("Other findings: %d warn, %d info", r.Counts.Warn, r.Counts.Info)),
		count: len(list), left: leftItem, tail: endDetails,
		item: func(i int) string { return mdFinding(list[i], severityOf(list[i])+" ") },
	}
}

// fileClasses are the classes of touched files in the order in which a reviewer wants them.
var fileClasses = []string{"forbidden", "protected", "off_scope", "soft", "allowed", "evidence"}

// mdFileList counts the touched files by class and lists those that are neither allowed nor evidence.
func mdFileList(r *report.Report) section {
	if len(r.Files) == 0 {
		return section{}
	}
	var list []report.File
	for _, f := range r.Files {
		if f.Class != "allowed" && f.Class != "evidence" {
			list = append(list, f)
		}
	}
	table := "All of them are within the scope.\n"
	if len(list) > 0 {
		table = mdHead("Class", "File", "Change", "Mode")
	}
	return section{
		head:  details(plural(int64(r.Counts.Files), "file")+" changed: "+mdClasses(r.Files)) + table,
		count: len(list), left: leftRow(4), tail: endDetails,
		item: func(i int) string {
			return mdRow(mdText(list[i].Class), mdCode(list[i].Path), mdText(list[i].Status), mdText(modes(list[i])))
		},
	}
}

// modes shows a file's mode, or both when it changed.
func modes(f report.File) string {
	switch {
	case f.OldMode == "" || f.OldMode == f.NewMode:
		return f.NewMode
	case f.NewMode == "":
		return f.OldMode
	}
	return f.OldMode + " to " + f.NewMode
}

// mdClasses is "1 forbidden, 4 allowed". It stands in a line of HTML, so a class that is none of ours is only counted.
func mdClasses(files []report.File) string {
	counts := map[string]int{}
	for _, f := range files {
		if slices.Contains(fileClasses, f.Class) {
			counts[f.Class]++
		} else {
			counts["of another class"]++
		}
	}
	var words []string
	for _, class := range append(slices.Clone(fileClasses), "of another class") {
		if counts[class] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[class], class))
		}
	}
	return strings.Join(words, ", ")
}

func mdEvidence(r *report.Report) section {
	if len(r.Companions) == 0 {
		return section{}
	}
	return section{
		head: details("Reports beside the log, and how far they can be believed") +
			mdHead("Kind", "File", "Evidence", "Kept back by"),
		count: len(r.Companions), left: leftRow(4), tail: endDetails,
		item: func(i int) string {
			c := r.Companions[i]
			return mdRow(mdText(c.Kind), mdCode(c.Path), mdText(c.Level), mdOptional(c.KeptFrom))
		},
	}
}

func mdInputs(r *report.Report) section {
	if len(r.Inputs) == 0 {
		return section{}
	}
	return section{
		head:  details("Inputs: what this was decided from") + mdHead("Input", "File", "Trust", "Bytes", "sha256"),
		count: len(r.Inputs), left: leftRow(5), tail: endDetails,
		item: func(i int) string {
			in := r.Inputs[i]
			file := mdCode(in.Path)
			if in.Ref != nil {
				file += " at " + mdCode(*in.Ref)
			}
			return mdRow(mdText(in.Kind), file, mdText(in.Trust), fmt.Sprint(in.Bytes), mdCode(in.SHA256))
		},
	}
}

func mdFoot(r *report.Report) string {
	strict := ""
	if r.Strict {
		strict = " · strict: warnings block"
	}
	return fmt.Sprintf("Judged by %s · least evidence accepted: %s%s · the whole report is %s\n",
		mdCode(r.Tool.Name+" "+r.Tool.Version), mdText(r.Settings.EvidenceMin), strict, mdCode(report.FileName))
}
