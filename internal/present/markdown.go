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

// MaxComment is how many bytes of Markdown fit into a comment: GitHub accepts 65,536 characters.
const MaxComment = 64_000

// MaxSummary is the maximum size of the markdown format. GitHub drops a whole job summary above 1 MiB; the margin is for
// what the workflow adds.
const MaxSummary = 1<<20 - 1<<14

// section is a part of the page. Head and tail are always written. Items are written while they fit; left then says how many
// were left out. A section without items needs neither item nor left.
type section struct {
	head  string
	count int
	item  func(i int) string
	left  func(n int) string
	tail  string
}

// writeMarkdown writes the page that a job summary shows: the verdict, what blocks with its fix, and what a reviewer should
// look at; the rest is folded.
func writeMarkdown(w io.Writer, r *report.Report, o Options) error {
	blockTitle := "What blocks"
	if r.Verdict == report.Overridden {
		blockTitle = "What was overridden"
	}
	after := strings.Join(afterSteps(r), "\n\n") // what to do when everything is fixed
	if after != "" {
		after += "\n\n"
	}
	sections := []section{
		mdTop(r),
		mdOverride(r),
		mdFindings(blockTitle, r, block),
		mdFindings("What could not be checked", r, unknown),
		{head: after},
		mdReviewer(r),
		mdPulls(r),
		mdMayOverride(r),
		mdRefused(r),
		mdCriteria(r),
		mdInfo(r),
		mdFileList(r),
		mdEvidence(r),
		mdInputs(r),
		{head: mdFoot(r)},
	}
	_, err := io.WriteString(w, fit(sections, cmp.Or(o.Bytes, MaxSummary)))
	return err
}

// fit joins the sections within limit bytes. The items of a section may take half of the remaining room, so that a flood in
// one section cannot push the others off the page.
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
		used := 0
		for i := range s.count {
			item := s.item(i)
			if used+len(item) > room/2 {
				b.WriteString(s.left(s.count - i))
				break
			}
			b.WriteString(item)
			used += len(item)
		}
		room -= used
		b.WriteString(s.tail)
	}
	return b.String()
}

// leftItem and leftRow say how many were left out, as a list item and as a table row with that many columns.
func leftItem(n int) string {
	return fmt.Sprintf("- … and %d more, left out here to keep the page small; the report lists them.\n", n)
}

func leftRow(columns int) func(n int) string {
	return func(n int) string {
		cells := make([]string, columns)
		cells[0] = fmt.Sprintf("… and %d more, in the report", n)
		return MDRow(cells...)
	}
}

var verdictSigns = map[string]string{
	report.Passed: "✅ ", report.Failed: "❌ ", report.Overridden: "⚠️ ", report.Review: "❔ ",
}

func mdTop(r *report.Report) section {
	var b strings.Builder
	fmt.Fprintf(&b, "## %sClose-out gate: %s\n\n", verdictSigns[r.Verdict], MDText(r.Verdict))
	if note := observeNote(r); note != "" {
		fmt.Fprintf(&b, "**%s**\n\n", note)
	}
	b.WriteString(CountWords(r) + " · " + criteriaWords(r) + " · " + input.Plural(r.Counts.Files, "file") + " changed")
	// That a label does not count is said at the top: the person who added it waits for a green run.
	if list, at := refusals(r); len(list) > 0 && r.Verdict != report.Overridden {
		b.WriteString("<br>\nThe label " + MDCode(list[0].Label) + at[0] + " does not count: " + MDText(list[0].Why))
	}
	b.WriteString("\n\n" + mdSubject(r))
	return section{head: b.String()}
}

func mdSubject(r *report.Report) string {
	var words []string
	add := func(name string, value *string) {
		if value != nil {
			words = append(words, name+" "+MDCode(*value))
		}
	}
	add("Task", r.TaskID)
	add("repository", r.Subject.Repository)
	if r.Subject.PullRequest != nil {
		words = append(words, fmt.Sprintf("pull request %d", *r.Subject.PullRequest))
	}
	if isGroup(r) {
		words = append(words, "merge group of "+input.Plural(len(r.PullRequests), "pull request"))
	}
	add("head", r.Subject.HeadSHA)
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " · ") + "\n\n"
}

// mdMayOverride says how a person overrides the findings. The line to comment is in a code block that is easy to copy.
func mdMayOverride(r *report.Report) section {
	if never := overrideNever(r); never != "" {
		return section{head: MDText(never) + "\n\n"}
	}
	override := overrideLine(r)
	if override == "" {
		return section{}
	}
	return section{head: details("To override this: what a person does") + "A person who may override (" + MDText(overrideWho(r)) +
		") can comment\n\n```text\n" + override + "\n```\n\n" + overrideSteps(r, MDCode(r.Settings.Override.Label)) + "\n" + endDetails}
}

// mdFindings lists the findings of one severity, each fix once; the section is empty when there are none.
func mdFindings(title string, r *report.Report, severity string) section {
	s := mdGroups(r, inFixOrder(ofSeverity(r, severity)))
	if s.count == 0 {
		return s
	}
	s.head = fmt.Sprintf("### %s: %d\n\n", title, max(countOf(r, severity), len(ofSeverity(r, severity))))
	s.tail = "\n"
	return s
}

// mdGroups are list items of findings that need the same fix.
func mdGroups(r *report.Report, list []report.Finding) section {
	groups := joinFindings(list)
	return section{
		count: len(groups), item: func(i int) string { return mdGroup(r, groups[i]) },
		left: func(n int) string {
			findings := 0
			for _, g := range groups[len(groups)-n:] {
				findings += len(g)
			}
			return leftItem(findings)
		},
	}
}

// mdPlaces is how many places of findings that need the same fix are listed.
const mdPlaces = 20

// mdGroup is a list item: what the findings are called, place and message of a single one, the fix, what explains it, and the
// output, folded. The places of several are a list below.
func mdGroup(r *report.Report, group []report.Finding) string {
	f, same := group[0], sameIn(group)
	var b strings.Builder
	b.WriteString("- " + mdName(r, f))
	if at := place(f.Location); len(group) == 1 && at != "" {
		b.WriteString(" at " + MDCode(at))
	}
	if len(group) > 1 {
		fmt.Fprintf(&b, " (%d)", len(group))
	}
	if same.message {
		b.WriteString(": " + MDText(messageOf(f)))
	}
	if len(group) == 1 {
		b.WriteString(marks(f))
	}
	b.WriteString("\n")
	part := func(name, shown string, given bool) {
		if given {
			b.WriteString("  - " + name + ": " + shown + "\n")
		}
	}
	part("**Fix**", MDText(fixOf(f)), fixOf(f) != "")
	if len(group) > 1 {
		for _, one := range group[:min(len(group), mdPlaces)] {
			b.WriteString("  - " + mdPlace(one, same) + "\n")
		}
		if left := len(group) - mdPlaces; left > 0 {
			fmt.Fprintf(&b, "  - … and %d more; the report lists them\n", left)
		}
	}
	expected, actual := mdCompared(f)
	part("First error", MDCode(firstError(f)), firstError(f) != "")
	part("Expected", expected, same.expected && f.Expected != "" && f.Expected != f.Message) // not twice
	part("Actual", actual, same.actual && f.Actual != "" && f.Actual != f.Message)
	part("Contract", MDCode(clauseOf(f)), same.clause && clauseOf(f) != "")
	if f.Output != nil {
		b.WriteString(mdTail(f.Output))
	}
	return b.String()
}

// mdPlace is where one of several findings is, and what it does not share with the others.
func mdPlace(f report.Finding, same shared) string {
	text := "the change"
	switch at := place(f.Location); {
	case at != "":
		text = MDCode(at)
	case f.Criterion != "":
		text = MDCode(f.Criterion)
	}
	if !same.message {
		text += ": " + MDText(messageOf(f))
	}
	expected, actual := mdCompared(f)
	if !same.expected && f.Expected != "" {
		text += "; expected " + expected
	}
	if !same.actual && f.Actual != "" {
		text += "; actual " + actual
	}
	if clause := clauseOf(f); !same.clause && clause != "" {
		text += "; contract " + MDCode(clause)
	}
	return text + marks(f)
}

// mdName is what a finding is called, with a link to its page.
func mdName(r *report.Report, f report.Finding) string {
	name := cmp.Or(nameOf(f), f.Code)
	shown := "**" + MDCode(name) + "**"
	if page := RulePage(r.Tool.Version, name); page != "" {
		return "[" + shown + "](" + page + ")"
	}
	return shown
}

// mdCompared is what a finding expected and what it found. A diff rule quotes lines of code, which stay whole.
func mdCompared(f report.Finding) (expected, actual string) {
	expected, actual = MDText(f.Expected), MDText(f.Actual)
	if f.Rule == "" {
		return expected, actual
	}
	was, quoted := strings.CutSuffix(f.Expected, input.AsAtBase)
	if quoted && was != input.NoSuchText && was != input.TestRuns {
		expected = MDCode(was) + input.AsAtBase
	}
	if quoted && f.Actual != input.NotThere {
		actual = MDCode(f.Actual)
	}
	return expected, actual
}

// mdOverride says who overrode the findings, and why.
func mdOverride(r *report.Report) section {
	o := r.Override
	if o == nil {
		return section{}
	}
	return section{head: fmt.Sprintf("### Overridden by %s\n\n- Reason: %s\n- When: %s, with the label %s, for head %s\n- Accepted: %s\n\n",
		MDCode(o.Who()), MDText(o.Why()), MDCode(o.At), MDCode(o.Label), MDCode(o.HeadSHA),
		input.Plural(len(o.Accepted), "finding"))}
}

// mdRefused lists the refused labels.
func mdRefused(r *report.Report) section {
	list, at := refusals(r)
	title, names := fmt.Sprintf("Refused override labels: %d", len(list)), []string{"Label", "Added by", "Condition", "Why"}
	return mdTable(title, names, len(list), func(i int) []string {
		refused := list[i]
		return []string{MDCode(refused.Label) + at[i], MDCode(refused.Actor), MDText(refused.Condition), MDText(refused.Why)}
	})
}

// mdTable is a folded table with a row for each of n, of which cells may give more than there are columns; it is empty
// without a row.
func mdTable(title string, names []string, n int, cells func(i int) []string) section {
	if n == 0 {
		return section{}
	}
	return section{
		head: details(title) + MDHead(names...), count: n, left: leftRow(len(names)), tail: endDetails,
		item: func(i int) string { return MDRow(cells(i)[:len(names)]...) },
	}
}

// outcomeSigns precede an outcome, for a reader who only glances.
var outcomeSigns = map[string]string{
	report.OutcomePassed: "✅ ", report.OutcomeFailed: "❌ ", report.OutcomeUnknown: "❔ ", report.OutcomeSkipped: "➖ ",
}

func mdCriteria(r *report.Report) section {
	// Why the evidence has no higher level matters only where it must have one.
	names, kept := []string{"Criterion", "Command", "Outcome", "Evidence", "Attempts"}, make([]string, len(r.Acceptance))
	for i, a := range r.Acceptance {
		if kept[i] = keptCriterion(r, a); kept[i] != "" && len(names) == 5 {
			names = append(names, "Why not higher")
		}
	}
	tail := ""
	for _, shown := range crossLines(r) {
		tail += "\n- " + MDText(shown)
	}
	if tail != "" {
		tail += "\n"
	}
	title := fmt.Sprintf("Acceptance: %d of %d passed", passedCriteria(r), requiredCriteria(r))
	s := mdTable(title, names, len(r.Acceptance), func(i int) []string {
		a := r.Acceptance[i]
		outcome := outcomeSigns[a.Outcome] + MDText(a.Outcome)
		if tests := testWords(&a); tests != "" {
			outcome += " (" + tests + ")"
		}
		return []string{MDCode(a.ID), MDCode(criterionCommand(a)), outcome, MDText(a.Level), fmt.Sprint(a.Attempts), mdOptional(kept[i])}
	})
	if s.count > 0 {
		s.tail = tail + endDetails
	}
	return s
}

// mdOptional is an empty table cell for "".
func mdOptional(s string) string {
	if s == "" {
		return ""
	}
	return MDText(s)
}

// mdReviewer is what a reviewer should look at: warnings, and the approvals that the contract requires; and what the tests of the
// base show that passed.
func mdReviewer(r *report.Report) section {
	s := mdGroups(r, ofSeverity(r, warn))
	warnings := s.count
	lines := crossLines(r, report.OutcomePassed)
	for i, shown := range lines {
		lines[i] = "- " + MDText(shown) + "\n"
	}
	s.count += len(r.Approvals)
	if s.count == 0 && len(lines) == 0 {
		return section{}
	}
	title := "### For the reviewer"
	if warnings > 0 {
		title += ": " + input.Plural(max(r.Counts.Warn, len(ofSeverity(r, warn))), "warning")
	}
	s.head, s.tail = title+"\n\n"+strings.Join(lines, ""), "\n"
	ofGroups, leftGroups := s.item, s.left
	s.item = func(i int) string {
		if i < warnings {
			return ofGroups(i)
		}
		return "- The contract requires this approval: " + MDText(r.Approvals[i-warnings]) + "\n"
	}
	s.left = func(n int) string {
		if n <= len(r.Approvals) {
			return leftItem(n)
		}
		return leftGroups(n - len(r.Approvals))
	}
	return s
}

// details starts a folded part of the page; after the empty line Markdown continues.
func details(summary string) string {
	return "<details><summary>" + summary + "</summary>\n\n"
}

const endDetails = "\n</details>\n\n"

// mdInfo lists what needs no action.
func mdInfo(r *report.Report) section {
	list := ofSeverity(r, info)
	if len(list) == 0 {
		return section{}
	}
	s := mdGroups(r, list)
	s.head, s.tail = details("No action needed: "+input.Plural(max(r.Counts.Info, len(list)), "note")), endDetails
	return s
}

// fileClasses are the classes of touched files, the most relevant to a reviewer first.
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
	table := "All of them are in scope.\n"
	if len(list) > 0 {
		table = MDHead("Class", "File", "Change", "Mode")
	}
	return section{
		head:  details(input.Plural(r.Counts.Files, "file")+" changed: "+mdClasses(r.Files)) + table,
		count: len(list), left: leftRow(4), tail: endDetails,
		item: func(i int) string {
			return MDRow(MDText(list[i].Class), MDCode(list[i].Path), MDText(list[i].Status), MDText(modes(list[i])))
		},
	}
}

// modes shows the mode of a file, or both if it changed.
func modes(f report.File) string {
	switch {
	case f.OldMode == "" || f.OldMode == f.NewMode:
		return f.NewMode
	case f.NewMode == "":
		return f.OldMode
	}
	return f.OldMode + " to " + f.NewMode
}

// mdClasses is "1 forbidden, 4 allowed". It is part of a line of HTML, so an unknown class is counted but not named.
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
	names, kept := []string{"Kind", "File", "Evidence"}, make([]string, len(r.Companions))
	for i, c := range r.Companions {
		if kept[i] = keptCompanion(r, c); kept[i] != "" && len(names) == 3 {
			names = append(names, "Why not higher")
		}
	}
	return mdTable("Reports and their evidence levels", names, len(r.Companions), func(i int) []string {
		c := r.Companions[i]
		return []string{MDText(c.Kind), MDCode(c.Path), MDText(c.Level), mdOptional(kept[i])}
	})
}

func mdInputs(r *report.Report) section {
	names := []string{"Input", "File", "Trust", "Bytes", "sha256"}
	return mdTable("Inputs of the decision", names, len(r.Inputs), func(i int) []string {
		in := r.Inputs[i]
		file := MDCode(in.Path)
		if in.Ref != nil {
			file += " at " + MDCode(*in.Ref)
		}
		return []string{MDText(in.Kind), file, MDText(in.Trust), fmt.Sprint(in.Bytes), MDCode(in.SHA256)}
	})
}

func mdFoot(r *report.Report) string {
	strict := ""
	if r.Strict {
		strict = " · strict: warnings block"
	}
	return fmt.Sprintf("Judged by %s · minimum evidence: %s%s · full report: %s\n",
		MDCode(r.Tool.Name+" "+r.Tool.Version), MDText(r.Settings.EvidenceMin), strict, MDCode(report.FileName))
}
