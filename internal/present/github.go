package present

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// maxAnnotations is how many annotations of one kind a workflow runner keeps for a step; it drops the rest silently.
const maxAnnotations = 10

// partLimit keeps the parts of an annotation, with the address of a page, below the 4,096 characters at which the runner cuts one.
const partLimit = 600

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeGitHub writes workflow commands that the runner turns into annotations, then the summary as a plain line. It writes
// at most ten annotations of each kind, the most severe first, and fewer warnings where the step itself may print some. If there are
// more findings, the last says how many.
func writeGitHub(w io.Writer, r *report.Report, o Options) error {
	var b strings.Builder
	errors, warnings := []string{block, unknown}, []string{warn}
	if r.Verdict == report.Overridden { // an overridden finding is not an error: the step is green
		errors, warnings = []string{unknown}, []string{block, warn}
	}
	writeAnnotations(&b, r, "error", errors, maxAnnotations)
	writeAnnotations(&b, r, "warning", warnings, maxAnnotations-o.OtherWarnings)
	writeAnnotations(&b, r, "notice", []string{info}, maxAnnotations)
	for i := range r.PullRequests {
		b.WriteString("closeout: " + pullLine(&r.PullRequests[i]) + "\n")
	}
	b.WriteString(Neutral("closeout: "+Neutral(r.Verdict)+summaryTail(r)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeAnnotations(b *strings.Builder, r *report.Report, command string, severities []string, most int) {
	list := ofSeverity(r, severities...)
	total := 0
	for _, s := range severities {
		total += countOf(r, s)
	}
	total = max(total, len(list))
	show := list
	if total > most {
		show = list[:min(len(list), most-1)]
	}
	for _, f := range show {
		b.WriteString(annotation(command, r.Tool.Version, f))
	}
	if left := total - len(show); left > 0 {
		fmt.Fprintf(b, "::%s title=closeout::%s like this: see the job summary or the report\n",
			command, input.Plural(left, "more finding"))
	}
}

// annotation is one command. The column counts bytes, but the page counts characters: on a line that is not ASCII the mark
// may be too far to the right.
func annotation(command, version string, f report.Finding) string {
	var properties []string
	add := func(key, value string) { properties = append(properties, key+"="+escapeProperty.Replace(value)) }
	if f.Location.Path != "" {
		add("file", Line(f.Location.Path))
		if f.Location.Line > 0 {
			add("line", strconv.Itoa(f.Location.Line))
		}
		if f.Location.Line > 0 && f.Location.Column > 0 {
			add("col", strconv.Itoa(f.Location.Column))
		}
	}
	name := cmp.Or(nameOf(f), f.Code)
	add("title", "closeout: "+Line(name))
	return "::" + command + " " + strings.Join(properties, ",") + "::" + escapeData.Replace(annotationText(version, f)) + "\n"
}

// annotationText has one line each for message, fix, first error of the output, expected, actual, place in the contract, and the page
// about it, without empty ones.
func annotationText(version string, f report.Finding) string {
	lines := []string{Neutral(clip(messageOf(f), partLimit)) + marks(f)}
	for _, part := range [][2]string{
		{"Fix", f.Fix}, {"First error", firstError(f)}, {"Expected", f.Expected}, {"Actual", f.Actual}, {"Contract", clauseOf(f)},
	} {
		if part[1] != "" && part[1] != f.Message {
			lines = append(lines, part[0]+": "+Neutral(clip(part[1], partLimit)))
		}
	}
	text := clip(strings.Join(lines, "\n"), 3800)
	if page := RulePage(version, cmp.Or(nameOf(f), f.Code)); page != "" {
		text += "\nAbout this: " + page
	}
	return text
}
