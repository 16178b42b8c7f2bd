package facts

import (
	"regexp"
	"strconv"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// Schema is the "schema" of facts.json.
const Schema = "closeout.facts/v1"

const (
	objectIDText = "an object id: 40 or 64 lower-case hexadecimal digits"
	digestText   = "a sha256: 64 lower-case hexadecimal digits"
)

var (
	factsRepositorySyntax = input.Lazily(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	factsDigitsSyntax     = input.Lazily(`^[0-9]{1,32}$`)
)

// Parse reads facts.json. Only "schema" is required. A scalar that is optional may be null, which is the same as
// absent; a list may not, because an empty one says something: that no log, or no code tree, counts.
//
// The facts are nil when the text is no JSON object; when there are errors they must not be used.
func Parse(data []byte, limits input.Limits) (*Facts, *input.Errors) {
	errs := &input.Errors{}
	n := input.ParseDocument(data, "facts.json", limits, errs)
	if n == nil {
		return nil, errs
	}
	if n.Kind != input.KindObject {
		errs.Add(input.WrongElement(n, "", "facts.json", "an object"))
		return nil, errs
	}
	f := input.Object(n, "", errs)
	factsSchema(f, Schema)
	facts := &Facts{
		Schema:        Schema,
		Settings:      factSettings(strictChild(f, "settings")),
		Subject:       factSubject(strictChild(f, "subject")),
		Contracts:     contractOrigins(f),
		Event:         factEvent(f),
		Digests:       handedOver(f, "digests"),
		ArgumentPaths: plainTexts(f.Texts("argument_paths")),
		Files:         fileOrigins(f),
		BaseCoverage:  baseCoverage(f),
		Cross:         crossTrees(f),
		TestPlaces:    crossPlaces(f, "test_places"),
		Misplaced:     misplaced(f),
		Trial:         f.OrNull("trial") != nil && f.Flag("trial"),
		Quotes:        quotes(f),
		Unmatched:     unmatched(f),
		Trailers:      trailers(f),
		Unavailable:   unavailable(f),
		Membership:    membership(f),
		GitHub:        github(f),
		Jobs:          each(f, "jobs", job),
	}
	f.End()
	return facts, errs
}

// factsSchema reports a "schema" that is not name.
func factsSchema(f *input.Fields, name string) {
	n := f.Need("schema", input.Quote(name))
	if n != nil && (n.Kind != input.KindString || n.Text != name) {
		f.Wrong(n, "schema", input.Quote(name))
	}
}

// strictChild returns the object under key; an empty one when it is absent or, with an error, something else.
func strictChild(f *input.Fields, key string) *input.Fields {
	return f.ObjectOrEmpty(f.Get(key), key, key)
}

func factSettings(f *input.Fields) Settings {
	s := Settings{
		Mode:   oneOfOrNull(f, "mode", "enforce", "observe"),
		Strict: f.OrNull("strict") != nil && f.Flag("strict"),
		Task:   textThat(f, f.OrNull("task"), "task", contract.ValidTaskID, taskText),
		Tasks:  textsThat(f, "tasks", contract.ValidTaskID, taskText),
		Today:  textThat(f, f.OrNull("today"), "today", input.CalendarDay, "a day, as YYYY-MM-DD"),

		Unattended: f.OrNull("unattended") != nil && f.Flag("unattended"),
	}
	if tasks := f.Node.Member("tasks"); tasks != nil && (len(s.Tasks) < 2 || s.Task != "") {
		f.Wrong(tasks, "tasks", `at least two task ids, and no "task" beside them`)
	}
	f.End()
	return s
}

const taskText = "a task id: letters, digits and . _ -, at most 64, without .."

// trailers returns the tasks that commits name.
func trailers(f *input.Fields) []Trailer {
	var list []Trailer
	for _, item := range strictObjects(f, "trailers") {
		item.Need("commit", objectIDText)
		list = append(list, Trailer{Task: item.NeedText("task").Value, Commit: objectIDThat(item, "commit")})
		item.End()
	}
	return list
}

// quotes returns where the quotes of rule reports stand.
func quotes(f *input.Fields) []Quote {
	var list []Quote
	for _, item := range strictObjects(f, "quotes") {
		q := Quote{File: item.NeedText("file").Value, Quote: item.NeedText("quote").Value, In: textOrNull(item, "in")}
		if line := item.Integer("line", 1, input.MaxSafeInteger); line != nil {
			q.Line = *line
		}
		if at := item.Integer("at", 1, input.MaxSafeInteger); at != nil {
			q.At = *at
		}
		item.End()
		list = append(list, q)
	}
	return list
}

func factSubject(f *input.Fields) Subject {
	s := Subject{
		Repository:    patternOrNull(f, "repository", factsRepositorySyntax, `a repository, as "owner/name"`),
		RepositoryID:  patternOrNull(f, "repository_id", factsDigitsSyntax, "a string of digits"),
		BaseBranch:    textOrNull(f, "base_branch"),
		DefaultBranch: textOrNull(f, "default_branch"),
		BaseSHA:       objectIDOrNull(f, "base_sha"),
		MergeBaseSHA:  objectIDOrNull(f, "merge_base_sha"),
		MergeBases:    textsThat(f, "merge_bases", isObjectID, objectIDText),
		HeadSHA:       objectIDOrNull(f, "head_sha"),
		AcceptedTrees: textsThat(f, "accepted_trees", isObjectID, objectIDText),
		ChangesFrom:   oneOfOrNull(f, "changes_from", "git", "api", "diff"),
		PullRequests:  numbers(f, "pull_requests"),
	}
	if number := f.IntegerOf(f.OrNull("pull_request"), "pull_request", 1, input.MaxSafeInteger); number != nil {
		s.PullRequest = *number
	}
	f.End()
	return s
}

// numbers returns a list of pull requests; nil only when the key is absent or no list.
func numbers(f *input.Fields, key string) []int64 {
	n := f.Get(key)
	items := f.ListOf(n, key)
	if n == nil || n.Kind != input.KindList {
		return nil
	}
	list, seen := []int64{}, map[int64]bool{}
	for i, item := range items {
		number, ok := input.IntegerOf(item)
		if !ok || number < 1 || number > input.MaxSafeInteger || seen[number] {
			f.Errs.Add(input.WrongElement(item, f.Pointer(key)+"/"+strconv.Itoa(i), "each of "+key, "the number of a pull request, each once"))
			continue
		}
		seen[number] = true
		list = append(list, number)
	}
	return list
}

// membership reads whether a merge group contains a pull request's head; nil when it was not looked up.
func membership(f *input.Fields) *Membership {
	if f.Get("membership") == nil {
		return nil
	}
	m := strictChild(f, "membership")
	m.Need("head_in_group", "true or false")
	membership := &Membership{HeadInGroup: m.Flag("head_in_group"), Differs: paths(m, "differs")}
	m.End()
	return membership
}

// paths returns a list of paths, of which also a blank may be one; nil only when the key is absent or no list.
func paths(f *input.Fields, key string) []string {
	return textsThat(f, key, func(text string) bool { return text != "" }, "a path")
}

func isObjectID(text string) bool { return input.IsLowerHex(text, 40, 64) }

// textThat returns a text that is valid; "" when n is nil.
func textThat(f *input.Fields, n *input.Node, key string, valid func(string) bool, expected string) string {
	if n == nil {
		return ""
	}
	if n.Kind != input.KindString || !valid(n.Text) {
		fix := ""
		if expected == objectIDText {
			fix = "write the full id, as git rev-parse prints it for a branch or a short id"
		}
		f.WrongFix(n, key, expected, fix)
		return ""
	}
	return n.Text
}

// textsThat returns a list of texts that are valid, and reports the others; nil only when the key is absent or no list.
func textsThat(f *input.Fields, key string, valid func(string) bool, expected string) []string {
	n := f.Get(key)
	items := f.ListOf(n, key)
	if n == nil || n.Kind != input.KindList {
		return nil
	}
	list := []string{}
	for i, item := range items {
		if item.Kind != input.KindString || !valid(item.Text) {
			f.Errs.Add(input.WrongElement(item, f.Pointer(key)+"/"+strconv.Itoa(i), "each of "+key, expected))
			continue
		}
		list = append(list, item.Text)
	}
	return list
}

// contractOrigins returns where each contract came from. A file that occurs twice is an error: which of two trusts it has
// must not depend on the reader.
func contractOrigins(f *input.Fields) []ContractOrigin {
	if f.Get("contracts") == nil {
		return nil
	}
	list := []ContractOrigin{} // an empty list says something: that no contract has a known origin
	seen := map[string]bool{}
	for _, item := range strictObjects(f, "contracts") {
		list = append(list, ContractOrigin{
			File:      onlyFile(item, seen),
			Path:      textOrNull(item, "path"),
			Commit:    objectIDOrNull(item, "commit"),
			Trust:     originTrust(item),
			HeadHolds: item.Flag("head_holds"),
			BaseHolds: textOrNull(item, "base_holds"),
		})
		item.End()
	}
	return list
}

func originTrust(f *input.Fields) Trust {
	f.Need("trust", "base, operator or head")
	return Trust(f.OneOf("trust", string(TrustBase), string(TrustOperator), string(TrustHead)))
}

func fileOrigins(f *input.Fields) []FileOrigin {
	var list []FileOrigin
	seen := map[string]bool{}
	for _, item := range strictObjects(f, "files") {
		list = append(list, FileOrigin{File: onlyFile(item, seen), Path: item.NeedText("path").Value})
		item.End()
	}
	return list
}

// onlyFile returns "file", and reports one that an earlier item of the list has.
func onlyFile(f *input.Fields, seen map[string]bool) string {
	file := f.NeedText("file")
	if file.Value != "" && seen[file.Value] {
		f.Errs.Add(input.Error{
			Pos: file.Pos, Where: f.Pointer("file"), Message: "the file " + input.Quote(file.Value) + " occurs twice",
			Found: "a second " + input.Quote(file.Value), Expected: "each file once", Fix: "keep the entry that is true",
		})
	}
	seen[file.Value] = true
	return file.Value
}

func factEvent(f *input.Fields) Event {
	if f.Get("event") == nil {
		return Event{}
	}
	e := strictChild(f, "event")
	event := Event{
		Name: e.NeedText("name").Value, Action: textOrNull(e, "action"), HeadSHA: objectIDOrNull(e, "head_sha"),
		Label: textOrNull(e, "label"), BaseBranch: textOrNull(e, "base_branch"), Sender: textOrNull(e, "sender"), SenderID: digitsOrNull(e, "sender_id"),
	}
	if attempt := e.Integer("attempt", 1, input.MaxSafeInteger); attempt != nil {
		event.Attempt = *attempt
	}
	e.End()
	return event
}

func baseCoverage(f *input.Fields) *BaseCoverage {
	if f.Get("base_coverage") == nil {
		return nil
	}
	c := strictChild(f, "base_coverage")
	coverage := &BaseCoverage{Path: c.NeedText("path").Value, Commit: objectIDOrNull(c, "commit")}
	if current := c.Need("current", "a number from 0 to 1"); current != nil {
		coverage.Current, _ = c.Share(current, "current")
	}
	c.End()
	return coverage
}

// crossTrees reads the trees of the cross runs. Without old_tests and without a reason it is an error: the runs would
// be missing without a reason.
func crossTrees(f *input.Fields) []CrossTrees {
	var list []CrossTrees
	for _, item := range strictObjects(f, "cross") {
		item.Need("head", objectIDText)
		trees := CrossTrees{
			Head: objectIDThat(item, "head"), Base: objectIDThat(item, "base"), OldTests: objectIDThat(item, "old_tests"), NewTests: objectIDThat(item, "new_tests"),
			Incomparable: item.Text("incomparable").Value, Places: crossPlaces(item, "places"),
		}
		if n := item.IntegerOf(item.Need("test_paths", "a number"), "test_paths", 0, input.MaxSafeInteger); n != nil {
			trees.TestPaths = *n
		}
		if (item.Node.Member("old_tests") == nil) == (item.Node.Member("incomparable") == nil) {
			item.Errs.Add(input.Error{
				Pos: item.Node.Pos, Where: item.Pointer("old_tests"), Message: `there must be either "old_tests" or "incomparable"`, Found: "both, or none",
				Expected: `one of "old_tests" and "incomparable"`, Fix: "keep the one that is true",
			})
		}
		item.End()
		list = append(list, trees)
	}
	return list
}

// crossPlaces returns the places of cases; nil only when the key is absent.
func crossPlaces(f *input.Fields, key string) []CrossPlace {
	if f.Get(key) == nil {
		return nil
	}
	list := []CrossPlace{}
	for _, item := range strictObjects(f, key) {
		place := CrossPlace{Suite: item.Text("suite").Value, Name: item.NeedText("name").Value, File: item.NeedText("file").Value}
		if line := item.IntegerOf(item.Need("line", "a number"), "line", 1, input.MaxSafeInteger); line != nil {
			place.Line = *line
		}
		item.End()
		list = append(list, place)
	}
	return list
}

// objectIDThat is objectIDOrNull for a key that may not be null.
func objectIDThat(f *input.Fields, key string) string {
	return textThat(f, f.Get(key), key, isObjectID, objectIDText)
}

func misplaced(f *input.Fields) []Misplaced {
	var list []Misplaced
	for _, item := range strictObjects(f, "misplaced") {
		list = append(list, Misplaced{At: item.NeedOneOf("at", MisplacedAt...), Path: item.NeedText("path").Value})
		item.End()
	}
	return list
}

func unmatched(f *input.Fields) []Unmatched {
	var list []Unmatched
	for _, item := range strictObjects(f, "unmatched") {
		list = append(list, Unmatched{Kind: item.NeedOneOf("kind", "feedback", "rules"), Pattern: item.NeedText("pattern").Value})
		item.End()
	}
	return list
}

func unavailable(f *input.Fields) []Unavailable {
	var list []Unavailable
	for _, item := range strictObjects(f, "unavailable") {
		item.Need("what", "the kind of fact")
		list = append(list, Unavailable{
			What: Wanted(item.OneOf("what", wantedNames()...)), Error: item.NeedText("error").Value,
			Fix: textOrNull(item, "fix"), Limit: item.OneOf("limit", input.LimitFlags()...), About: textOrNull(item, "about"),
		})
		item.End()
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
func strictObjects(f *input.Fields, key string) []*input.Fields {
	if n := f.Get(key); n != nil && n.Kind == input.KindNull {
		f.Wrong(n, key, "a list")
	}
	return f.LooseObjects(key)
}

// textOrNull returns a string that is not blank; "" when the key is absent or null.
func textOrNull(f *input.Fields, key string) string {
	return f.TextOf(f.OrNull(key), key).Value
}

// oneOfOrNull is oneOf for a key that may be null.
func oneOfOrNull(f *input.Fields, key string, allowed ...string) string {
	if f.OrNull(key) == nil {
		return ""
	}
	return f.OneOf(key, allowed...)
}

// patternOrNull returns a string that fits a syntax; "" when the key is absent or null.
func patternOrNull(f *input.Fields, key string, syntax func() *regexp.Regexp, expected string) string {
	return textThat(f, f.OrNull(key), key, syntax().MatchString, expected)
}

// objectIDOrNull returns the id of a git object; "" when the key is absent or null.
func objectIDOrNull(f *input.Fields, key string) string {
	return textThat(f, f.OrNull(key), key, isObjectID, objectIDText)
}

// plainTexts returns the strings of a list of texts; nil for nil.
func plainTexts(texts []input.Text) []string {
	if texts == nil {
		return nil
	}
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = t.Value
	}
	return list
}
