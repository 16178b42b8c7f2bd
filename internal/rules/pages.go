package rules

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

//go:embed pages/*.md
var pages embed.FS

// IDs are the ids of all rules, sorted.
func IDs() []string {
	var ids []string
	for _, r := range All {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

// ByID finds a rule; nil when there is none.
func ByID(id string) *Rule {
	i := slices.IndexFunc(All, func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return All[i]
}

// Page is the page about the rule, with its severity and languages after the title.
func (r *Rule) Page() string {
	text, err := pages.ReadFile("pages/" + strings.TrimPrefix(r.ID, reports.DiffPrefix) + ".md")
	if err != nil {
		return "" // a test refuses a rule without a page
	}
	title, rest, _ := strings.Cut(string(text), "\n")
	about := r.About()
	if r.Severity == input.Warn {
		about += "; a person should look at what it finds"
	}
	return fmt.Sprintf("%s\n\n*%s*: %s.\n%s", title, r.Severity, about, rest)
}

// About says which files the rule is about.
func (r *Rule) About() string {
	if slices.Contains(r.Languages, "any") { // the others are those of its cases
		return "any file"
	}
	return strings.Join(r.Languages, ", ")
}
