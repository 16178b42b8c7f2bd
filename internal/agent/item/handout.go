package item

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// HandoutOf tells what to do about an item, whose contracts are joined: the task contract is the last source.
func HandoutOf(s *State, it *Standing, p *policy.Policy, facts []Fact) *Handout {
	task, standing := p.Sources[len(p.Sources)-1].Contract, p.Sources[0].Contract
	h := &Handout{
		Schema: HandoutSchema, Item: it.ID, Try: it.Tries + 1, Of: it.MaxAttempts, Goal: task.Goal.Value, Example: task.Example,
		Allowed: patterns(task.AllowedFiles), Within: patterns(standing.AllowedFiles),
		Forbidden: patterns(append(slices.Clip(standing.ForbiddenFiles), task.ForbiddenFiles...)),
		Criteria:  []Criterion{}, Passed: []string{}, Facts: append([]Fact{}, facts...), Nudge: it.Nudge(), BlockedFile: BlockedFile,
	}
	if it.Given { // the gate in CI knows only contracts of the base, and not one that scan made of a list
		h.Trailer = "Closeout-Task: " + it.ID
	}
	for _, rule := range p.Tests() {
		h.Tests = append(h.Tests, patterns(rule.Files)...)
	}
	for _, c := range p.Criteria {
		h.Criteria = append(h.Criteria, criterionOf(&c))
	}
	for _, other := range s.Items {
		if other.State == Pass {
			h.Passed = append(h.Passed, other.ID)
		}
	}
	return h
}

// TestsTitle says what holds for the patterns of tests.
const TestsTitle = "Tests as they were before your change are run on your code too, those that match:"

func patterns(list []contract.Pattern) []string {
	texts := []string{}
	for _, p := range list {
		if !slices.Contains(texts, p.Value) {
			texts = append(texts, p.Value)
		}
	}
	return texts
}

func criterionOf(c *contract.Criterion) Criterion {
	expect, words := "pass", []string{"closeout", "record", "--criterion", c.ID}
	if c.ExpectFail {
		expect = "fail"
	}
	if c.Cwd != "." {
		words = append(words, "--cwd", c.Cwd)
	}
	if flag := "--produces"; c.TestReport != "" {
		if c.ReportFrom == contract.FromStdout {
			flag += "-stdout"
		}
		words = append(words, flag, c.TestReport)
	}
	words = append(append(words, "--"), c.Run...)
	for i, word := range words {
		words[i] = input.ShellWord(word)
	}
	return Criterion{ID: c.ID, Run: c.Run, Expect: expect, Record: strings.Join(words, " ")}
}

// maxPassed is how many of the items that passed the text names.
const maxPassed = 10

// Line is how to record the criterion, as a line that a shell takes.
func (c *Criterion) Line() string {
	if c.Expect == "fail" {
		return input.Neutral(c.Record) + " # must fail"
	}
	return input.Neutral(c.Record)
}

// Text is the handout as the prompt of an agent.
func (h *Handout) Text() string {
	b := &strings.Builder{}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("# %s (try %d of %d)\n\nGoal: %s\n", h.Item, h.Try, h.Of, lines(h.Goal))
	section(b, "You may change only what matches:", h.Allowed)
	section(b, "and also one of:", h.Within)
	section(b, "Do not change:", h.Forbidden)
	section(b, TestsTitle, h.Tests)
	line("## Done when\n\nEach of these commands ends as it must. Run them from the root of the repository as written here, which records the result:\n")
	for _, c := range h.Criteria {
		line("    %s", c.Line())
	}
	if h.Example != "" {
		line("\n## Example\n\n%s", lines(h.Example))
	}
	if n := len(h.Passed); n > maxPassed {
		line("\nWhat passed before must stay so: %s, and %d before them.", strings.Join(h.Passed[n-maxPassed:], ", "), n-maxPassed)
	} else if n > 0 {
		line("\nWhat passed before must stay so: %s.", strings.Join(h.Passed, ", "))
	}
	if len(h.Facts) > 0 {
		line("\n## What the last verdict found\n")
	}
	for i := range h.Facts {
		h.Facts[i].write(b)
	}
	if h.Nudge != "" {
		line("\n%s", input.Neutral(h.Nudge))
	}
	line("\n## At the end\n\nCommit what belongs to the task, and nothing else. Only the commit is judged, with the commands above: what you write about it proves nothing.")
	if h.Trailer != "" {
		line("Write this line at the end of the commit message, so that the gate in CI knows the task: %s", h.Trailer)
	}
	line("If it cannot be done, write why into %s. Its first line must be: %s", h.BlockedFile, h.Item)
	return b.String()
}

func section(b *strings.Builder, title string, list []string) {
	if len(list) == 0 {
		return
	}
	b.WriteString(title + "\n\n")
	for _, p := range list {
		b.WriteString("    " + input.Neutral(p) + "\n")
	}
	b.WriteByte('\n')
}

func (f *Fact) write(b *strings.Builder) {
	fmt.Fprintf(b, "- %s: %s\n  found %s, expected %s → %s\n", strings.TrimSpace(f.Code+" "+f.place()), f.Message, f.Actual, f.Expected, f.Fix)
	for _, text := range f.Tail {
		b.WriteString("      | " + text + "\n")
	}
}

// lines makes a text of a contract neutral, and keeps its lines.
func lines(text string) string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	for i := range list {
		list[i] = input.Neutral(strings.ReplaceAll(strings.TrimSuffix(list[i], "\r"), "\t", "    "))
	}
	return strings.Join(list, "\n")
}
