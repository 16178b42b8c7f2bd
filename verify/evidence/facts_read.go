package evidence

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/source"
)

// FactsSchema is the "schema" of facts.json.
const FactsSchema = "closeout.facts/v1"

const (
	objectIDText = "an object id: 40 or 64 lower-case hexadecimal digits"
	digestText   = "a sha256: 64 lower-case hexadecimal digits"
)

var (
	factsRepositorySyntax = lazily(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	factsDigitsSyntax     = lazily(`^[0-9]{1,32}$`)
)

// ParseFacts reads facts.json. Only "schema" is required. A scalar that is optional may be null, which is the same as
// absent; a list may not, because an empty one says something: that no log, or no code tree, counts.
//
// The facts are nil when the text is no JSON object; when there are errors they must not be used.
func ParseFacts(data []byte, limits Limits) (*Facts, *source.Errors) {
	errs := &source.Errors{}
	n := parseReport(data, "facts.json", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.kind != kindObject {
		errs.Add(mustBeNamed(n, "", "facts.json", "an object"))
		return nil, errs
	}
	f := object(n, "", errs)
	f.factsSchema(FactsSchema)
	facts := &Facts{
		Schema:        FactsSchema,
		Settings:      f.strictChild("settings").factSettings(),
		Subject:       f.strictChild("subject").factSubject(),
		Contracts:     f.contractOrigins(),
		Event:         f.factEvent(),
		Digests:       f.handedOver("digests"),
		ArgumentPaths: plainTexts(f.texts("argument_paths")),
		Files:         f.fileOrigins(),
		BaseCoverage:  f.baseCoverage(),
		Unmatched:     f.unmatched(),
		Unavailable:   f.unavailable(),
		Membership:    f.membership(),
		GitHub:        f.github(),
	}
	f.end()
	return facts, errs
}

// factsSchema reports a "schema" that is not name.
func (f *fields) factsSchema(name string) {
	n := f.need("schema", quote(name))
	if n != nil && (n.kind != kindString || n.text != name) {
		f.wrong(n, "schema", quote(name))
	}
}

// strictChild returns the object under key; an empty one when it is absent or, with an error, something else.
func (f *fields) strictChild(key string) *fields {
	return f.objectOrEmpty(f.get(key), key, key)
}

// taskOrNull returns the id of the task that the caller named; "" when the key is absent or null.
func (f *fields) taskOrNull() string {
	n := f.orNull("task")
	if n == nil {
		return ""
	}
	if n.kind != kindString || !ValidTaskID(n.text) {
		f.wrong(n, "task", "a task id: letters, digits and . _ -, at most 64, without ..")
		return ""
	}
	return n.text
}

func (f *fields) factSettings() FactSettings {
	s := FactSettings{
		Mode:   f.oneOfOrNull("mode", "enforce", "observe"),
		Strict: f.orNull("strict") != nil && f.flag("strict"),
		Task:   f.taskOrNull(),
		Today:  f.dayOrNull("today"),
	}
	f.end()
	return s
}

func (f *fields) factSubject() Subject {
	s := Subject{
		Repository:    f.patternOrNull("repository", factsRepositorySyntax, `a repository, as "owner/name"`),
		RepositoryID:  f.patternOrNull("repository_id", factsDigitsSyntax, "a string of digits"),
		BaseBranch:    f.textOrNull("base_branch"),
		DefaultBranch: f.textOrNull("default_branch"),
		BaseSHA:       f.objectIDOrNull("base_sha"),
		MergeBaseSHA:  f.objectIDOrNull("merge_base_sha"),
		MergeBases:    f.hexList("merge_bases", objectIDText, 40, 64),
		HeadSHA:       f.objectIDOrNull("head_sha"),
		AcceptedTrees: f.hexList("accepted_trees", objectIDText, 40, 64),
		ChangesFrom:   f.oneOfOrNull("changes_from", "git", "api", "diff"),
		PullRequests:  f.numbers("pull_requests"),
	}
	if number := f.integerOf(f.orNull("pull_request"), "pull_request", 1, maxPullRequest); number != nil {
		s.PullRequest = *number
	}
	f.end()
	return s
}

// maxPullRequest is the largest integer that every JSON reader holds exactly.
const maxPullRequest = 1<<53 - 1

// numbers returns a list of pull requests; nil only when the key is absent or no list.
func (f *fields) numbers(key string) []int64 {
	n := f.get(key)
	items := f.listOf(n, key)
	if n == nil || n.kind != kindList {
		return nil
	}
	list, seen := []int64{}, map[int64]bool{}
	for i, item := range items {
		number, ok := integerOf(item)
		if !ok || number < 1 || number > maxPullRequest || seen[number] {
			f.errs.Add(mustBeNamed(item, f.pointer(key)+"/"+strconv.Itoa(i), "each of "+key, "the number of a pull request, each once"))
			continue
		}
		seen[number] = true
		list = append(list, number)
	}
	return list
}

// membership reads whether a merge group holds a pull request's head; nil when nobody looked.
func (f *fields) membership() *Membership {
	if f.get("membership") == nil {
		return nil
	}
	m := f.strictChild("membership")
	m.need("head_in_group", "true or false")
	membership := &Membership{HeadInGroup: m.flag("head_in_group"), Differs: m.paths("differs")}
	m.end()
	return membership
}

// paths returns a list of paths, of which also a blank may be one; nil only when the key is absent or no list.
func (f *fields) paths(key string) []string {
	return f.textsThat(key, func(text string) bool { return text != "" }, "a path")
}

// textsThat returns a list of texts that are valid, and reports the others; nil only when the key is absent or no list.
func (f *fields) textsThat(key string, valid func(string) bool, expected string) []string {
	n := f.get(key)
	items := f.listOf(n, key)
	if n == nil || n.kind != kindList {
		return nil
	}
	list := []string{}
	for i, item := range items {
		if item.kind != kindString || !valid(item.text) {
			f.errs.Add(mustBeNamed(item, f.pointer(key)+"/"+strconv.Itoa(i), "each of "+key, expected))
			continue
		}
		list = append(list, item.text)
	}
	return list
}

// contractOrigins returns where each contract came from. A file that stands twice is an error: which of two trusts it has
// must not depend on the reader.
func (f *fields) contractOrigins() []ContractOrigin {
	if f.get("contracts") == nil {
		return nil
	}
	list := []ContractOrigin{} // an empty list says something: that no contract has a known origin
	seen := map[string]bool{}
	for _, item := range f.strictObjects("contracts") {
		list = append(list, ContractOrigin{
			File:      item.onlyFile(seen),
			Path:      item.textOrNull("path"),
			Commit:    item.objectIDOrNull("commit"),
			Trust:     item.originTrust(),
			HeadHolds: item.flag("head_holds"),
			BaseHolds: item.textOrNull("base_holds"),
		})
		item.end()
	}
	return list
}

func (f *fields) originTrust() Trust {
	f.need("trust", "base, operator or head")
	return Trust(f.oneOf("trust", string(TrustBase), string(TrustOperator), string(TrustHead)))
}

func (f *fields) fileOrigins() []FileOrigin {
	var list []FileOrigin
	seen := map[string]bool{}
	for _, item := range f.strictObjects("files") {
		list = append(list, FileOrigin{File: item.onlyFile(seen), Path: item.needText("path").Value})
		item.end()
	}
	return list
}

// onlyFile returns "file", and reports one that an earlier item of the list has.
func (f *fields) onlyFile(seen map[string]bool) string {
	file := f.needText("file")
	if file.Value != "" && seen[file.Value] {
		f.errs.Add(source.Error{
			Pos: file.Pos, Where: f.pointer("file"), Message: "the file " + quote(file.Value) + " stands twice",
			Found: "a second " + quote(file.Value), Expected: "each file once", Fix: "keep the entry that is true",
		})
	}
	seen[file.Value] = true
	return file.Value
}

func (f *fields) factEvent() Event {
	if f.get("event") == nil {
		return Event{}
	}
	e := f.strictChild("event")
	event := Event{
		Name: e.needText("name").Value, Action: e.textOrNull("action"), HeadSHA: e.objectIDOrNull("head_sha"),
		Label: e.textOrNull("label"), BaseBranch: e.textOrNull("base_branch"), Sender: e.textOrNull("sender"), SenderID: e.digitsOrNull("sender_id"),
	}
	e.end()
	return event
}

func (f *fields) baseCoverage() *BaseCoverage {
	if f.get("base_coverage") == nil {
		return nil
	}
	c := f.strictChild("base_coverage")
	coverage := &BaseCoverage{Path: c.needText("path").Value, Commit: c.objectIDOrNull("commit")}
	if current := c.need("current", "a number from 0 to 1"); current != nil {
		coverage.Current, _ = c.ratioOf(current, "current")
	}
	c.end()
	return coverage
}

func (f *fields) unmatched() []Unmatched {
	var list []Unmatched
	for _, item := range f.strictObjects("unmatched") {
		list = append(list, Unmatched{Kind: item.needOneOf("kind", "feedback", "rules"), Pattern: item.needText("pattern").Value})
		item.end()
	}
	return list
}

func (f *fields) unavailable() []Unavailable {
	var list []Unavailable
	for _, item := range f.strictObjects("unavailable") {
		item.need("what", "the kind of fact")
		list = append(list, Unavailable{
			What: Wanted(item.oneOf("what", wantedNames()...)), Error: item.needText("error").Value,
			Fix: item.textOrNull("fix"), Limit: item.oneOf("limit", limitFlags()...), About: item.textOrNull("about"),
		})
		item.end()
	}
	return list
}

func wantedNames() []string {
	names := make([]string, len(AllWanted))
	for i, w := range AllWanted {
		names[i] = string(w)
	}
	return names
}

// strictObjects is looseObjects for a list that may not be null.
func (f *fields) strictObjects(key string) []*fields {
	if n := f.get(key); n != nil && n.kind == kindNull {
		f.wrong(n, key, "a list")
	}
	return f.looseObjects(key)
}

// textOrNull returns a string that is not blank; "" when the key is absent or null.
func (f *fields) textOrNull(key string) string {
	return f.textOf(f.orNull(key), key).Value
}

// oneOfOrNull is oneOf for a key that may be null.
func (f *fields) oneOfOrNull(key string, allowed ...string) string {
	if f.orNull(key) == nil {
		return ""
	}
	return f.oneOf(key, allowed...)
}

// patternOrNull returns a string that fits a syntax; "" when the key is absent or null.
func (f *fields) patternOrNull(key string, syntax func() *regexp.Regexp, expected string) string {
	return f.patternOf(f.orNull(key), key, syntax, expected)
}

func (f *fields) patternOf(n *node, key string, syntax func() *regexp.Regexp, expected string) string {
	if n == nil {
		return ""
	}
	if n.kind != kindString || !syntax().MatchString(n.text) {
		f.wrong(n, key, expected)
		return ""
	}
	return n.text
}

// objectIDOrNull returns the id of a git object; "" when the key is absent or null.
func (f *fields) objectIDOrNull(key string) string {
	return f.objectIDOf(f.orNull(key), key)
}

func (f *fields) objectIDOf(n *node, key string) string {
	if n == nil {
		return ""
	}
	if n.kind != kindString || !isLowerHex(n.text, 40, 64) {
		f.wrong(n, key, objectIDText)
		return ""
	}
	return n.text
}

// hexList returns a list of hexadecimal strings of the given lengths; nil only when the key is absent or no list.
func (f *fields) hexList(key, expected string, lengths ...int) []string {
	n := f.get(key)
	items := f.listOf(n, key)
	if n == nil || n.kind != kindList {
		return nil
	}
	list := []string{}
	for i, item := range items {
		if item.kind != kindString || !isLowerHex(item.text, lengths...) {
			f.errs.Add(mustBeNamed(item, f.pointer(key)+"/"+strconv.Itoa(i), "each of "+key, expected))
			continue
		}
		list = append(list, item.text)
	}
	return list
}

// isLowerHex reports whether s is lower-case hexadecimal of one of the lengths.
func isLowerHex(s string, lengths ...int) bool {
	for _, length := range lengths {
		if len(s) == length {
			return strings.Trim(s, "0123456789abcdef") == ""
		}
	}
	return false
}

// dayOrNull returns a day of the calendar, as YYYY-MM-DD; "" when the key is absent or null.
func (f *fields) dayOrNull(key string) string {
	n := f.orNull(key)
	if n == nil {
		return ""
	}
	if n.kind != kindString || !calendarDay(n.text) {
		f.wrong(n, key, "a day, as YYYY-MM-DD")
		return ""
	}
	return n.text
}

// plainTexts returns the strings of a list of texts; nil for nil.
func plainTexts(texts []Text) []string {
	if texts == nil {
		return nil
	}
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = t.Value
	}
	return list
}
