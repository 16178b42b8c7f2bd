package rules

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// testLanguages are those whose tests are known.
var testLanguages = []string{"go", "python", "javascript", "typescript", "rust", "java", "csharp", "ruby"}

var anyFile = []string{"any"}

// All are the diff rules; the more precise of two that can find the same comes first.
var All = []*Rule{
	{ID: "closeout/hidden-text", Title: "Text that a reader does not see, or reads as another", Severity: input.Block,
		Languages: append([]string{"any", "yaml"}, testLanguages...), Parts: []Part{
			{Find: findHiddenText}, {Find: findMisread}, {Find: findZeroWidth, Severity: input.Warn},
			{Find: findMixed, Severity: input.Warn}}},
	{ID: "closeout/secret", Title: "A credential is in the change", Severity: input.Block,
		Languages: anyFile, Parts: []Part{{Find: findSecret}, {Find: findSecretInTest, Severity: input.Warn}}},
	{ID: "closeout/unread", Title: "A file cannot be judged", Severity: input.Block,
		Languages: anyFile, Parts: []Part{{Find: findUnreadFile}, {Find: findUnreadWorkflow},
			{Find: findUnreadOther, Severity: input.Info}}},

	{ID: "closeout/test-hollowed", Title: "A test checks less or nothing any more", Severity: input.Block,
		Languages: testLanguages, Parts: []Part{{Find: findCommentedTest, Topic: "test"},
			{Find: findHollowedTest, Topic: "test"}, {Find: findCommentedAssertion}}},
	{ID: "closeout/test-unseen", Title: "A test is still there, but no test runner sees it", Severity: input.Block,
		Languages: testLanguages, Parts: []Part{{Find: findDisabledTest, Topic: "test"}, {Find: findUnseenClass, Severity: input.Warn}}},
	{ID: "closeout/test-skipped", Title: "A test that ran before is skipped now", Severity: input.Block,
		Languages: testLanguages, Parts: []Part{{Find: findSkippedTest, Topic: "test"}, {Find: findSkippedRow},
			{Find: findFocusedTest}, {Find: findSkippedNewTest, Topic: "test", Severity: input.Warn},
			{Find: findSkippedOnCI, Severity: input.Warn}}},
	{ID: "closeout/test-removed", Title: "A test is deleted", Severity: input.Warn,
		Languages: testLanguages, Parts: []Part{{Find: findRemovedTest, Topic: "test"}}},
	{ID: "closeout/test-vanished", Title: "A test that ran before does not run now", Severity: input.Block,
		Languages: anyFile, Parts: []Part{{Find: findTestVanished}, {Find: findTestGone, Severity: input.Warn},
			{Find: findTestNames, Severity: input.Info}}},
	{ID: "closeout/test-exit", Title: "What sets up the tests makes them succeed", Severity: input.Block,
		Languages: testLanguages, Parts: []Part{{Find: findTestExit}}},

	{ID: "closeout/assertion-weakened", Title: "An assertion says less than the one it replaces", Severity: input.Warn,
		Languages: testLanguages, Parts: []Part{{Find: findWeakenedAssertion}}},
	{ID: "closeout/assertion-empty", Title: "A new assertion cannot fail", Severity: input.Warn,
		Languages: testLanguages, Parts: []Part{{Find: findTautology}}},
	{ID: "closeout/expectation-moved", Title: "Only tests change, and one expects another value", Severity: input.Warn,
		Languages: testLanguages, Parts: []Part{{Find: findExpectationMoved}}},

	{ID: "closeout/threshold-lowered", Title: "A coverage threshold is lower than before", Severity: input.Block,
		Languages: anyFile, Parts: []Part{{Find: findLoweredThreshold}}},
	{ID: "closeout/check-config", Title: "A checker demands less, or is switched off for a whole file",
		Severity:  input.Warn,
		Languages: append([]string{"any"}, testLanguages...),
		Parts:     []Part{{Find: findBlanketSuppression}, {Find: findCheckConfig}}},
	{ID: "closeout/check-softened", Title: "A check is off, or its failure does not count", Severity: input.Warn,
		Languages: []string{"any", "yaml"}, Parts: []Part{{Find: findSoftenedWorkflow, Topic: "swallow"},
			{Find: findSwallowedCheck, Topic: "swallow"}, {Find: findNarrowedCheck, Topic: "swallow"}}},
	{ID: "closeout/workflow-grants", Title: "A workflow gives more rights or secrets away than before",
		Severity:  input.Warn,
		Languages: []string{"yaml"}, Parts: []Part{{Find: findWorkflowPermissions}, {Find: findPullRequestTarget},
			{Find: findUnpinnedAction}, {Find: findWorkflowSecret}}},
	{ID: "closeout/new-dependency", Title: "The change brings a new dependency, or another content of one",
		Severity:  input.Warn,
		Languages: anyFile, Parts: []Part{{Find: findNewDependency}, {Find: findLockHost}, {Find: findLockIntegrity}}},
	{ID: "closeout/stub", Title: "A function is not implemented, or a comment says that code is provisional",
		Severity:  input.Warn,
		Languages: testLanguages, Parts: []Part{{Find: findStubbedBody, Topic: "stub"}, {Find: findStub, Topic: "stub"},
			{Find: findStubPhrase}}},
}

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
