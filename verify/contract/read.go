package contract

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// Limits of numbers in a contract, above which a value is a mistake.
const (
	maxViolations = 200_000
	maxMinutes    = 10_000_000
)

// maxYAML is the maximum size of a YAML contract: the scanner may need 1,200 bytes of memory per byte of text. A higher limit
// of contract bytes raises it by the same factor.
const maxYAML = 256 << 10

// Parse reads a scope contract. The extension of name decides the format: .yaml and .yml are YAML, everything else is JSON.
// It lists as many errors as it can. Do not use the contract if there are errors; it is nil when the file is not a document
// at all.
//
// What the join of contracts decides is not an error here, such as a missing criterion or task id. [Contract.CheckTask] and
// [Contract.CheckHeadOnly] check what the role of a contract requires in addition.
func Parse(name string, data []byte, limits input.Limits) (*Contract, *input.Errors) {
	errs := &input.Errors{}
	root := contractDocument(name, data, limits, errs)
	if root == nil {
		return nil, errs
	}
	if root.Kind != input.KindObject {
		fix := "write the keys and values of the contract: closeout schema scope_contract describes them"
		if len(root.Items) == 1 && root.Items[0].Kind == input.KindObject {
			fix = "write the object without the list around it"
		}
		errs.Add(input.Error{
			Pos: root.Pos, Message: "a contract must be an object", Found: root.Describe(), Expected: "an object with allowed_files, forbidden_files, …",
			Fix: fix,
		})
		return nil, errs
	}
	if tooLong(root, "", errs) {
		return nil, errs
	}
	return readContract(input.Object(root, "", errs)), errs
}

// maxContractItems is the maximum length of a list in a contract, and the maximum number of alternatives of all braces in its
// patterns. People write and review contracts, and each item costs time with every path.
const maxContractItems = 10_000

// tooLong reports lists with more than maxContractItems items.
func tooLong(n *input.Node, where string, errs *input.Errors) bool {
	long := len(n.Items) > maxContractItems
	if long {
		errs.Add(input.Error{
			Pos: n.Pos, Where: where, Message: "the list is too long", Found: n.Describe(), Expected: fmt.Sprintf("at most %d items", maxContractItems),
			Fix: "use patterns instead of single files, and write fewer items",
		})
	}
	for _, m := range n.Members {
		long = tooLong(m.Value, where+"/"+input.EscapePointer.Replace(m.Key), errs) || long
	}
	return long
}

// isYAML reports whether a contract is YAML, which its name decides.
func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// contractDocument parses the text to a tree; nil when that is impossible.
func contractDocument(name string, data []byte, limits input.Limits, errs *input.Errors) *input.Node {
	yaml := isYAML(name)
	limit := limits.ContractBytes
	if yaml && limit > maxYAML {
		limit = max(maxYAML, limit/(input.DefaultLimits().ContractBytes/maxYAML))
	}
	if int64(len(data)) > limit {
		errs.Add(input.OverLimitAt(input.Pos{}, "the size of the contract in bytes", limit, input.FlagContractBytes))
		return nil
	}
	if !input.CheckText(data, errs) {
		return nil
	}
	if yaml {
		return input.ParseYAML(data, limits.Depth, errs)
	}
	problems := &input.Errors{}
	root := input.ParseJSON(data, limits, problems)
	for _, e := range problems.All() {
		if e.Message == input.MessageYAML || e.Fix == input.FixComment {
			e.Fix += "; or name the file " + strings.TrimSuffix(name, path.Ext(name)) + ".yaml, which is read as YAML and has comments that begin with #"
		}
		errs.Add(e)
	}
	return root
}

// readContract reads the members of the top level.
func readContract(f *input.Fields) *Contract {
	c := &Contract{Keys: map[string]input.Pos{}}
	for _, m := range f.Node.Members {
		c.Keys[m.Key] = m.Pos
	}
	if n := f.Node.Member("x-example"); n != nil && n.Kind == input.KindString {
		c.Example = n.Text
	}
	f.Text("$schema") // for editors
	delete(c.Keys, "$schema")
	c.TaskID = readTaskID(f)
	c.Goal = f.Text("goal")
	c.RollbackPlan = f.NeedText("rollback_plan")
	readPaths(f, c)
	c.Criteria = readCriteria(f)
	readApprovals(f, c)
	c.OffScope = input.Severity(f.OneOf("off_scope", "block", "warn"))
	c.SeverityByPath = readPathSeverities(f)
	c.ViolationBudget = f.Integer("violation_budget", 0, maxViolations)
	c.TimeBudgetMinutes = f.IntegerOf(f.OrNull("time_budget_minutes"), "time_budget_minutes", 0, maxMinutes)
	c.NetworkEgress = readHosts(f)
	c.Coverage = readCoverageRule(f)
	c.Tests = readTests(f)
	c.MayChange = filledGlobs(f, f.Get("may_change"), "may_change", "name the tests that the task is to change, or remove the key")
	c.Rules = readRuleBook(f)
	c.Evidence = readEvidenceRule(f)
	refuseCode(f, c)
	c.Override = readOverride(f)
	c.Agent = readAgent(f)
	c.Tasks = readTasks(f)
	readThreads(f, c)
	c.WhenNone = f.OneOf("when_none", "pass") != ""
	c.Closed = f.Get("closed") != nil && f.Flag("closed")
	c.AppliesTo, c.UpdateBots = readAppliesTo(f)
	reportMisplaced(f)
	f.End()
	if n := c.alternatives(); n > maxContractItems {
		f.Errs.Add(input.Error{
			Pos: f.Node.Pos, Message: "the braces in the patterns expand to too many patterns", Found: strconv.Itoa(n) + " patterns",
			Expected: "at most " + strconv.Itoa(maxContractItems), Fix: "write ** or * where braces list many names",
		})
	}
	return c
}

// misplaced are keys that belong into an object of the contract, and the key of that object.
var misplaced = map[string][2]string{
	"min_evidence": {"evidence", "min"}, "evidence_min": {"evidence", "min"}, "floor": {"coverage", "floor"}, "max_drop": {"coverage", "max_drop"},
	"coverage_floor": {"coverage", "floor"}, "catalogue": {"rules", "catalogue"}, "authors": {"applies_to", "authors"},
}

// reportMisplaced reports keys of the top level that belong into an object of it.
func reportMisplaced(f *input.Fields) {
	f.Node.Members = slices.DeleteFunc(f.Node.Members, func(m input.Member) bool {
		into, found := misplaced[m.Key]
		if !found {
			return false
		}
		value := "…"
		if v := m.Value; v.Kind == input.KindString {
			value = input.QuoteJSON(v.Text)
		} else if v.Kind == input.KindNumber {
			value = v.Text
		}
		f.Errs.Add(input.Error{
			Pos: m.Pos, Where: f.Pointer(m.Key), Message: "the key " + input.Quote(m.Key) + " is not one of the top level", Found: input.Quote(m.Key),
			Expected: into[1] + " in " + into[0], Fix: "write " + f.Line(into[0], "{"+input.QuoteJSON(into[1])+": "+value+"}"),
		})
		return true
	})
}

// alternatives is the number of patterns in the contract after its braces are expanded.
func (c *Contract) alternatives() int {
	lists := [][]Pattern{c.AllowedFiles, c.ForbiddenFiles, c.DocsPathsSoft, c.ProtectedFiles, c.BaseBranches, c.Agent.DenyTools, c.MayChange}
	for _, t := range c.Tests {
		lists = append(lists, t.Files)
	}
	for _, criterion := range c.Criteria {
		lists = append(lists, criterion.When)
	}
	for _, a := range c.Approvals {
		lists = append(lists, a.Files)
	}
	for _, s := range c.SeverityByPath {
		lists = append(lists, s.Files)
	}
	for _, i := range c.Rules.Ignore {
		lists = append(lists, i.Files)
	}
	n := 0
	for _, list := range lists {
		for _, p := range list {
			n += p.Glob.Alternatives()
		}
	}
	for _, a := range c.AppliesTo {
		n += a.Glob.Alternatives() // 0 for an id
	}
	return n
}

// ValidTaskID reports whether s is a task id. An id is used in file names, so it must not lead out of a directory.
func ValidTaskID(s string) bool { return taskIDSyntax().MatchString(s) && !strings.Contains(s, "..") }

var taskIDSyntax = input.Lazily(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func readTaskID(f *input.Fields) input.Text {
	const expected = "1 to 64 letters, digits or . _ -, starting with a letter or digit, without .."
	n := f.Get("task_id")
	if n != nil && (n.Kind != input.KindString || !taskIDSyntax().MatchString(n.Text)) {
		f.WrongFix(n, "task_id", expected, idFix(n))
		return input.Text{}
	}
	t := matching(f, "task_id", taskIDSyntax, expected)
	if strings.Contains(t.Value, "..") {
		f.Wrong(f.Node.Member("task_id"), "task_id", expected)
	}
	return t
}

// idFix writes a value as an id; "" when nothing of it can be in one.
func idFix(n *input.Node) string {
	if n.Kind != input.KindString {
		return input.TextFix(n)
	}
	var id strings.Builder
	for _, r := range n.Text {
		switch {
		case r < 0x80 && strings.ContainsRune("._-", r), r >= '0' && r <= '9', r|0x20 >= 'a' && r|0x20 <= 'z':
			id.WriteRune(r)
		default:
			id.WriteByte('-')
		}
	}
	for _, twice := range []string{"--", ".."} {
		for strings.Contains(id.String(), twice) {
			text := strings.ReplaceAll(id.String(), twice, twice[:1])
			id.Reset()
			id.WriteString(text)
		}
	}
	if short := strings.Trim(id.String(), "._-"); short != "" && len(short) <= 64 {
		return "write " + input.QuoteJSON(short)
	}
	return ""
}

// readPaths reads the keys with paths and patterns.
func readPaths(f *input.Fields, c *Contract) {
	c.AllowedFiles = filledGlobs(f, f.Need("allowed_files", "a list of globs"), "allowed_files", "name the files that the change may touch")
	c.ForbiddenFiles = filledGlobs(f, f.Need("forbidden_files", "a list of globs"), "forbidden_files", "name the files that the change must not touch")
	c.DocsPathsSoft = globs(f, f.OrNull("docs_paths_soft"), "docs_paths_soft")
	c.ProtectedFiles = globs(f, f.Get("protected_files"), "protected_files")
	for _, t := range f.Texts("may_touch_protected") {
		if literal(f, t, f.Pointer("may_touch_protected")) {
			c.MayTouchProtected = append(c.MayTouchProtected, t)
		}
	}
	c.BaseBranches = filledGlobs(f, f.Get("base_branches"), "base_branches",
		"name a branch, or remove the key to allow the default branch only")
}

func readApprovals(f *input.Fields, c *Contract) {
	for i, n := range f.List("approvals_required") {
		where := f.Pointer("approvals_required") + "/" + strconv.Itoa(i)
		switch {
		case n.Kind == input.KindObject:
			c.Approvals = append(c.Approvals, readApproval(input.Object(n, where, f.Errs)))
		case n.Kind == input.KindString && strings.TrimSpace(n.Text) != "":
			c.ApprovalNotes = append(c.ApprovalNotes, input.Text{Value: n.Text, Pos: n.Pos})
		default:
			f.Add(n, where, "an approval must be a text or an object", "a string that is not blank, or an object with id and files", `write a text, or {"id": "dba", "files": ["migrations/**"]}`)
		}
	}
}

// readApproval reads an object of approvals_required, which has files, rules or both.
func readApproval(f *input.Fields) Approval {
	a := Approval{ID: f.NeedText("id")}
	if f.Node.Member("rules") == nil || f.Node.Member("files") != nil {
		a.Files = needGlobs(f, "files")
	}
	rules := filled(f, f.Get("rules"), "rules", "name at least one diff rule, or remove the key")
	a.Rules = allMatching(f, "rules", rules, ruleSyntax, "the id of a diff rule, such as closeout/new-dependency")
	a.People = readPeople(f)
	f.Known = append(f.Known, "files")
	f.End()
	return a
}

// maxPeople is how many people a contract may ask for: more of them look less closely.
const maxPeople = 5

// readPeople reads how many people must agree.
func readPeople(f *input.Fields) int64 {
	if n := f.Integer("people", 1, maxPeople); n != nil {
		return *n
	}
	return 1
}

func readPathSeverities(f *input.Fields) []PathSeverity {
	var list []PathSeverity
	for o := range objects(f, "severity_by_path", f.List("severity_by_path")) {
		list = append(list, PathSeverity{needGlobs(o, "files"), input.Severity(o.NeedOneOf("severity", "block", "warn", "info"))})
		o.End()
	}
	return list
}

var hostSyntax = input.Lazily(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$`)

// readHosts reads network_egress: nil when there is no limit, and never nil when there is a list.
func readHosts(f *input.Fields) []input.Text {
	texts := f.TextsOf(f.OrNull("network_egress"), "network_egress")
	if texts == nil {
		return nil
	}
	hosts := []input.Text{}
	for _, t := range texts {
		host := strings.ToLower(t.Value)
		if len(host) > 253 || !hostSyntax().MatchString(host) {
			fix := "use only letters, digits, hyphens and dots"
			switch {
			case strings.Contains(host, "*"):
				fix = "name each host; wildcards are not supported"
			case hostIn(host) != "":
				fix = "write only the host: " + input.QuoteJSON(hostIn(host))
			case strings.Contains(host, "/"):
				fix = "write only the host, without scheme and path"
			case strings.Contains(host, ":"):
				fix = "write only the host, without port"
			}
			f.Errs.Add(input.Error{
				Pos: t.Pos, Where: f.Pointer("network_egress"), Message: input.Quote(t.Value) + " is not a host name", Found: input.Quote(t.Value),
				Expected: "a host name such as api.example.com", Fix: fix,
			})
			continue
		}
		hosts = append(hosts, input.Text{Value: host, Pos: t.Pos})
	}
	return hosts
}

// hostIn returns the host of a URL or of an address with a port; "" when there is none.
func hostIn(text string) string {
	if _, rest, found := strings.Cut(text, "://"); found {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	text, _, _ = strings.Cut(text, ":")
	if !hostSyntax().MatchString(text) {
		return ""
	}
	return text
}

func readCoverageRule(f *input.Fields) *CoverageRule {
	o := object(f, "coverage")
	if o == nil {
		return nil
	}
	rule := &CoverageRule{Pos: o.Node.Pos, Report: cmp.Or(literalPath(o, "report"), DefaultCoverageReport)}
	rule.Criterion = matching(o, "criterion", criterionID, "the id of a criterion")
	rule.Floor = ratio(o, "floor")
	rule.MaxDrop = ratio(o, "max_drop")
	o.End()
	return rule
}

// readTests reads tests. That the criteria are standing ones with a test report is for the join to check.
func readTests(f *input.Fields) []TestRule {
	var list []TestRule
	n := f.Get("tests")
	items := filled(f, n, "tests", "name the tests of the repository, or remove the key")
	if len(items) > 0 && (items[0].Kind == input.KindString || items[0].Member("run") != nil) {
		f.Add(n, f.Pointer("tests"), `"tests" contains commands`, "files that are tests, and the criteria that run them", `write "acceptance_criteria" for the commands`)
		return nil
	}
	for o := range objects(f, "tests", items) {
		answer := func(key string, fallback input.Severity) input.Severity {
			return cmp.Or(input.Severity(o.OneOf(key, "block", string(Approve), "warn", "info")), fallback)
		}
		rule := TestRule{
			Pos: o.Node.Pos, Files: needGlobs(o, "files"), NotRun: answer("not_run", input.Block), Dropped: answer("dropped", Approve),
			Changed: answer("changed", Approve), Incomparable: answer("incomparable", Approve), Always: o.OneOf("base", "edited", "always") == "always",
			NewTests: input.Severity(o.OneOf("new_tests", "", "block", string(Approve), "warn")),
		}
		ids := filled(o, o.Need("criteria", "a list of ids of criteria"), "criteria", "name the criterion that runs these tests")
		rule.Criteria = allMatching(o, "criteria", ids, criterionID, "the id of a criterion")
		o.End()
		list = append(list, rule)
	}
	return list
}

// maxTasks is how many tasks one change may carry at most: someone reviews it.
const maxTasks = 100

// readTasks reads tasks.
func readTasks(f *input.Fields) TaskRule {
	o := object(f, "tasks")
	if o == nil {
		return TaskRule{}
	}
	rule := TaskRule{Required: o.Get("required") != nil && o.Flag("required")}
	if most := o.Integer("max", 1, maxTasks); most != nil {
		rule.Max = *most
	}
	o.End()
	return rule
}

// readThreads reads threads: logins and markers.
func readThreads(f *input.Fields, c *Contract) {
	o := object(f, "threads")
	if o == nil {
		return
	}
	logins := filled(o, o.Need("logins", "a list of logins"), "logins", "name a reviewer, or remove threads")
	c.Threads = allMatching(o, "logins", logins, reviewerSyntax, "a login, without @; that of an app ends with [bot]")
	markers := o.Get("markers")
	filled(o, markers, "markers", "write how a line begins, or remove markers: then each thread matters")
	c.ThreadMarkers = o.TextsOf(markers, "markers")
	o.End()
}

// readAgent reads agent.
func readAgent(f *input.Fields) AgentRule {
	o := object(f, "agent")
	if o == nil {
		return AgentRule{}
	}
	rule := AgentRule{
		DenyTools:  globs(o, o.Get("deny_tools"), "deny_tools"),
		StopBlocks: o.Integer("stop_blocks", 0, 20), StallAfter: o.Integer("stall_after", 2, 20), MaxAttempts: o.Integer("max_attempts", 1, 100),
	}
	o.End()
	return rule
}

func readRuleBook(f *input.Fields) RuleBook {
	o := object(f, "rules")
	if o == nil {
		return RuleBook{}
	}
	book := RuleBook{Pos: o.Node.Pos}
	book.Catalogue, book.DiffRules = readCatalogue(o)
	for ignore := range objects(o, "ignore", o.List("ignore")) {
		book.Ignore = append(book.Ignore, RuleIgnore{
			ID: ignore.NeedText("id"), Files: needGlobs(ignore, "files"), Reason: ignore.NeedText("reason").Value,
			Until: date(ignore, ignore.Get("until"), "until"),
		})
		ignore.End()
	}
	if o.Get("run") != nil {
		book.Run = readArgv(o)
	}
	if book.Report = literalPath(o, "report"); book.Report != "" && o.Node.Member("run") == nil {
		o.Add(o.Node.Member("report"), o.Pointer("report"), `"report" requires the command that writes it`, `"run" next to "report"`,
			`add "run": the command that writes the rule report`)
	}
	if required := o.Get("required"); required != nil && required.Kind == input.KindBool {
		book.NotRequired = !required.Bool
	} else if required != nil {
		o.Wrong(required, "required", "true or false")
	}
	for _, key := range []string{"run", "catalogue"} {
		if n := o.Node.Member(key); n != nil && book.NotRequired && (key == "run" || book.Catalogue != nil) {
			fix := "remove one of the two"
			if key == "catalogue" {
				fix += "; an entry about a diff rule needs no report, and its id begins with closeout/"
			}
			o.Add(n, o.Pointer(key), input.Quote(key)+` requires a rule report, but "required": false says that there is none`,
				`either "required": false or `+input.Quote(key), fix)
		}
	}
	o.End()
	return book
}

// readCatalogue reads the catalogue: rules that a report must contain, and the gate's own.
func readCatalogue(f *input.Fields) (list, own []CatalogueRule) {
	seen := map[string]input.Pos{}
	for o := range objects(f, "catalogue", filled(f, f.Get("catalogue"), "catalogue", "list the rules that must be reported, or remove the key")) {
		rule := CatalogueRule{ID: o.NeedText("id"), ExpiresAt: date(o, o.Get("expires_at"), "expires_at")}
		rule.Severity = severity(o, "severity", IsDiffRule(rule.ID.Value))
		readReviewers(o, &rule)
		o.End()
		if first, twice := seen[rule.ID.Value]; twice && rule.ID.Value != "" {
			f.Errs.Add(input.Error{
				Pos: rule.ID.Pos, Where: o.Pointer("id"), Message: "the rule " + input.Quote(rule.ID.Value) + " is in the catalogue twice", Found: input.Quote(rule.ID.Value) + " again",
				Expected: "each rule once (the first is on line " + strconv.Itoa(first.Line) + ")", Fix: "keep one of them",
			})
			continue
		}
		seen[rule.ID.Value] = rule.ID.Pos
		if IsDiffRule(rule.ID.Value) {
			own = append(own, rule)
		} else {
			list = append(list, rule)
		}
	}
	return list, own
}

// readReviewers reads who must judge a rule of the catalogue.
func readReviewers(o *input.Fields, rule *CatalogueRule) {
	n := o.Get("reviewers")
	filled(o, n, "reviewers", "name who judges the rule, or remove the key")
	rule.Reviewers = slices.Compact(slices.Sorted(slices.Values(valuesOf(o.TextsOf(n, "reviewers")))))
	agree := o.Integer("agree", 1, maxPeople)
	if rule.Agree = 1; agree != nil {
		rule.Agree = *agree
	}
	switch {
	case n != nil && IsDiffRule(rule.ID.Value):
		o.Add(n, o.Pointer("reviewers"), "a diff rule has no reviewers", "an id that does not begin with closeout/", "remove reviewers")
	case agree != nil && *agree > int64(len(rule.Reviewers)):
		o.Add(o.Node.Member("agree"), o.Pointer("agree"), "more reviewers must agree than there are", "at most the number of reviewers", "name more reviewers, or lower agree")
	}
}

// readEvidenceRule reads evidence. The directory is outside the code tree, so it must not contain contracts or workflows, and
// it cannot be the root of the repository.
func readEvidenceRule(f *input.Fields) EvidenceRule {
	o := object(f, "evidence")
	if o == nil {
		return EvidenceRule{}
	}
	rule := EvidenceRule{Min: level(o, "min")}
	if o.Get("committed") != nil {
		committed := o.Flag("committed")
		rule.Committed = &committed
	}
	dir := o.Text("dir")
	parts := strings.Split(strings.ToLower(dir.Value), "/")
	ours := parts[0] == ".closeout" && (len(parts) < 2 || parts[1] != "evidence")
	switch {
	case dir.Value == "" || !literal(o, dir, o.Pointer("dir")):
	case ours || parts[0] == ".github" || slices.Contains(parts, ".git") || strings.Contains(dir.Value, "["):
		o.Errs.Add(input.Error{
			Pos: dir.Pos, Where: o.Pointer("dir"), Message: "the directory " + input.Quote(dir.Value) + " cannot contain evidence",
			Found:    input.Quote(dir.Value),
			Expected: "a separate directory without contracts, workflows and code, not a pattern",
			Fix:      "use .closeout/evidence or a directory below it",
		})
	default:
		rule.Dir = dir.Value
	}
	o.End()
	return rule
}

// refuseCode reports an evidence directory in which files are that the task may change: code there would be in no code tree.
func refuseCode(f *input.Fields, c *Contract) {
	dir := c.Evidence.Dir
	if dir == "" || strings.HasPrefix(strings.ToLower(dir)+"/", ".closeout/evidence/") {
		return
	}
	at := strings.ToLower(dir)
	for _, p := range c.AllowedFiles {
		fixed, _, _ := strings.Cut(strings.ToLower(p.Value), "*")
		if fixed == at || strings.HasPrefix(fixed, at+"/") {
			f.Errs.Add(input.Error{
				Pos: c.Keys["evidence"], Where: "/evidence/dir", Message: "the evidence directory " + input.Quote(dir) + " contains files that allowed_files names, and no record would be bound to them",
				Found: input.Quote(p.Value), Expected: "a separate directory, in which no code is", Fix: "use .closeout/evidence or a directory below it",
			})
			return
		}
	}
}

var (
	loginSyntax    = input.Lazily(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
	reviewerSyntax = input.Lazily(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$`)
	teamSyntax     = input.Lazily(`^[a-z0-9][a-z0-9_-]{0,99}$`)
	codeSyntax     = input.Lazily(`^([a-z_]+\.[a-z_]+|closeout/[a-z0-9-]+)$`)
	ruleSyntax     = input.Lazily(`^closeout/[a-z0-9-]+$`)
)

// DefaultOverride applies where no contract says who may override.
func DefaultOverride() OverrideRule {
	return OverrideRule{Label: "closeout-override", Permission: "maintain", Binding: "code", People: 1}
}

func readOverride(f *input.Fields) OverrideRule {
	rule := DefaultOverride()
	o := object(f, "override")
	if o == nil {
		return rule
	}
	rule.Label = cmp.Or(o.Text("label").Value, rule.Label)
	rule.Permission = cmp.Or(o.OneOf("permission", "write", "maintain", "admin"), rule.Permission)
	rule.Users = valuesOf(allMatching(o, "users", o.List("users"), loginSyntax, "a login, without @"))
	rule.Teams = valuesOf(allMatching(o, "teams", o.List("teams"), teamSyntax, "the slug of a team, without @ and organisation"))
	rule.Binding = cmp.Or(o.OneOf("binding", "code", "event"), rule.Binding)
	rule.AllowAuthor, rule.Self = o.Flag("allow_author"), o.Flag("self")
	rule.AllowAuthor = rule.AllowAuthor || rule.Self
	rule.People = readPeople(o)
	rule.Never = valuesOf(allMatching(o, "never", o.List("never"), codeSyntax,
		"the code of a finding, such as scope.forbidden, or the id of a diff rule, such as closeout/test-skipped"))
	o.End()
	return rule
}
