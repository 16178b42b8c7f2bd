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
	{"closeout/hidden-text", "Text that a reader does not see, or reads as another", input.Block, append(testLanguages, "any", "yaml"),
		[]Part{{Find: findHidden(bidi | invisible | tags)}, {Find: findMisread}, {Find: findHidden(zeroWidth), Severity: input.Warn},
			{Find: findMixed, Severity: input.Warn}}},
	{"closeout/secret", "A credential is in the change", input.Block, anyFile,
		[]Part{{Find: findSecrets(false)}, {Find: findSecrets(true), Severity: input.Warn}}},
	{"closeout/unread", "A file cannot be judged", input.Block, anyFile,
		[]Part{{Find: findUnreadFile}, {Find: findUnreadWorkflow}, {Find: findUnreadOther, Severity: input.Info}}},

	{"closeout/test-hollowed", "A test checks less or nothing any more", input.Block, testLanguages,
		[]Part{{Find: findCommented(true), Topic: "test"}, {Find: findHollowedTest, Topic: "test"}, {Find: findCommented(false)}}},
	{"closeout/test-unseen", "A test is still there, but no test runner sees it", input.Block, testLanguages,
		[]Part{{Find: findDisabledTest, Topic: "test"}, {Find: findUnseenClass, Severity: input.Warn}}},
	{"closeout/test-skipped", "A test that ran before is skipped now", input.Block, testLanguages,
		[]Part{{Find: findSkippedTest, Topic: "test"}, {Find: findSkippedRow}, {Find: findFocusedTest},
			{Find: findSkippedNewTest, Topic: "test", Severity: input.Warn}, {Find: findSkippedByDefault, Severity: input.Warn}}},
	{"closeout/test-removed", "A test is deleted", input.Warn, testLanguages, []Part{{Find: findRemovedTest, Topic: "test"}}},
	{"closeout/test-vanished", "A test that ran before does not run now", input.Block, anyFile,
		[]Part{{Find: findInReports(vanished)}, {Find: findInReports(removedTest), Severity: input.Warn}, {Find: findInReports(renamed), Severity: input.Info}}},
	{"closeout/test-exit", "What sets up the tests makes them succeed", input.Block, testLanguages, []Part{{Find: findTestExit}}},

	{"closeout/assertion-weakened", "An assertion says less than the one it replaces", input.Warn, testLanguages,
		[]Part{{Find: findWeakenedAssertion}}},
	{"closeout/assertion-empty", "A new assertion cannot fail", input.Warn, testLanguages, []Part{{Find: findTautology}, {Find: findPrinting}}},
	{"closeout/expectation-moved", "Only tests change, and one expects another value", input.Warn, testLanguages,
		[]Part{{Find: findExpectationMoved}}},

	{"closeout/threshold-lowered", "A coverage threshold is lower than before", input.Block, anyFile, []Part{{Find: findLoweredThreshold}}},
	{"closeout/check-config", "A checker demands less, or is switched off for a whole file", input.Warn, append(testLanguages, "any"),
		[]Part{{Find: inOne(findBlanketSuppression)}, {Find: inOne(findCheckConfig)}}},
	{"closeout/check-softened", "A check is off, or its failure does not count", input.Warn, []string{"any", "yaml"},
		[]Part{{Find: inOne(findSoftenedWorkflow), Topic: "swallow"}, {Find: findSwallowedCheck, Topic: "swallow"}, {Find: findSoftJob, Topic: "swallow"},
			{Find: findNarrowedCheck, Topic: "swallow"}, {Find: inOne(findRetriedTest)}}},
	{"closeout/workflow-grants", "A workflow gives more rights or secrets away than before", input.Warn, []string{"yaml"},
		[]Part{{Find: findWorkflowPermissions}, {Find: findPullRequestTarget}, {Find: findUnpinnedAction}, {Find: findWorkflowSecret},
			{Find: findInjection}}},
	{"closeout/new-dependency", "The change brings a new dependency, or another content of one", input.Warn, anyFile,
		[]Part{{Find: findNewDependency}, {Find: findLockHost}, {Find: findLockIntegrity}, {Find: findDownload}}},
	{"closeout/stub", "A function is not implemented, or a comment says that code is provisional", input.Warn, testLanguages,
		[]Part{{Find: findStubbedBody, Topic: "stub"}, {Find: findStub, Topic: "stub"}, {Find: findStubPhrase}}},
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
