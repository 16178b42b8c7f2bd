package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/source"
)

// Bounds of a contract's numbers, beyond which a value is a mistake.
const (
	maxViolations = 200_000
	maxMinutes    = 10_000_000
)

// maxYAML is the largest contract that is read as YAML: the scanner may need 1,200 bytes of memory for one of text. A
// limit of contract bytes that is raised over the default raises it too, by the same factor.
const maxYAML = 256 << 10

// ParseContract reads a scope contract. The ending of name decides the format: .yaml and .yml are YAML, everything else
// is JSON. Every error is listed that can be stepped over; with errors the contract is not to be used, and it is nil
// when the file is no document at all.
//
// What the join of several contracts decides is no error here: no acceptance criterion, no task id. See
// [Contract.CheckTask] and [Contract.CheckHeadOnly] for what a contract's role asks in addition.
func ParseContract(name string, data []byte, limits Limits) (*Contract, *source.Errors) {
	errs := &source.Errors{}
	root := contractDocument(name, data, limits, errs)
	if root == nil {
		return nil, errs
	}
	if root.kind != kindObject {
		errs.Add(source.Error{
			Pos: root.pos, Message: "a contract must be an object", Found: root.describe(), Expected: "an object with allowed_files, forbidden_files, …",
			Fix: "write the contract's keys and values",
		})
		return nil, errs
	}
	if tooLong(root, "", errs) {
		return nil, errs
	}
	return readContract(object(root, "", errs)), errs
}

// maxContractItems is the longest list that a contract may hold, and the most alternatives that the braces of its
// patterns may make: people write and review contracts, and each item costs time with every path.
const maxContractItems = 10_000

// tooLong reports lists that are longer than any person writes.
func tooLong(n *node, where string, errs *source.Errors) bool {
	long := len(n.items) > maxContractItems
	if long {
		errs.Add(source.Error{
			Pos: n.pos, Where: where, Message: "the list is too long", Found: n.describe(), Expected: fmt.Sprintf("at most %d items", maxContractItems),
			Fix: "use patterns instead of single files, and write fewer items",
		})
	}
	for _, m := range n.members {
		long = tooLong(m.value, where+"/"+escapePointer.Replace(m.key), errs) || long
	}
	return long
}

// contractDocument reads the text into a tree; nil when that is impossible.
func contractDocument(name string, data []byte, limits Limits, errs *source.Errors) *node {
	yaml := strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
	limit := limits.ContractBytes
	if yaml && limit > maxYAML {
		limit = max(maxYAML, limit/(DefaultLimits().ContractBytes/maxYAML))
	}
	if int64(len(data)) > limit {
		errs.Add(overLimit(source.Pos{}, "the contract's size in bytes", limit, FlagContractBytes))
		return nil
	}
	if !contractText(data, errs) {
		return nil
	}
	if yaml {
		return parseYAML(data, limits.Depth, errs)
	}
	return parseJSON(data, limits, errs)
}

// contractText refuses a file that holds no text, or text in a foreign encoding.
func contractText(data []byte, errs *source.Errors) bool {
	e := source.Error{Pos: source.Pos{Line: 1, Column: 1}, Expected: "a contract in UTF-8, without byte order mark"}
	switch {
	case yamlBlank(data):
		e.Message, e.Found, e.Fix = "the contract is empty", "no value", "write the contract, or remove the file"
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")), bytes.HasPrefix(data, []byte("\xfe\xff")), bytes.HasPrefix(data, []byte("\xff\xfe")):
		e.Message, e.Found, e.Fix = "the file begins with a byte order mark", excerpt(data), "save it as UTF-8 without byte order mark"
	case !utf8.Valid(data):
		at := invalidUTF8(data)
		e.Pos = (&lineIndex{data: data, line: 1}).pos(at)
		e.Message, e.Found, e.Fix = "the file is not valid UTF-8", excerpt(data[at:]), "save it as UTF-8"
	default:
		return true
	}
	errs.Add(e)
	return false
}

// invalidUTF8 returns the offset of the first byte that is no UTF-8.
func invalidUTF8(data []byte) int {
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return at
}

// readContract reads the members of the top level.
func readContract(f *fields) *Contract {
	c := &Contract{Keys: map[string]source.Pos{}}
	for _, m := range f.node.members {
		c.Keys[m.key] = m.pos
	}
	c.TaskID = readTaskID(f)
	c.Goal = f.text("goal")
	c.RollbackPlan = f.needText("rollback_plan")
	readPaths(f, c)
	c.Criteria = readCriteria(f)
	readApprovals(f, c)
	c.OffScope = Severity(f.oneOf("off_scope", "block", "warn"))
	c.SeverityByPath = readPathSeverities(f)
	c.ViolationBudget = f.integer("violation_budget", 0, maxViolations)
	c.TimeBudgetMinutes = f.integerOf(f.orNull("time_budget_minutes"), "time_budget_minutes", 0, maxMinutes)
	c.NetworkEgress = readHosts(f)
	c.Coverage = readCoverageRule(f)
	c.Rules = readRuleBook(f)
	c.Evidence = readEvidenceRule(f)
	c.Override = readOverride(f)
	c.AppliesTo = readAppliesTo(f)
	f.end()
	if n := c.alternatives(); n > maxContractItems {
		f.errs.Add(source.Error{
			Pos: f.node.pos, Message: "the braces of the patterns make too many of them", Found: itoa(n) + " patterns",
			Expected: "at most " + itoa(maxContractItems), Fix: "write ** or * where braces list many names",
		})
	}
	return c
}

// alternatives is how many patterns the contract holds when braces are expanded.
func (c *Contract) alternatives() int {
	lists := [][]Pattern{c.AllowedFiles, c.ForbiddenFiles, c.DocsPathsSoft, c.ProtectedFiles, c.BaseBranches, globsOf(c.AppliesTo)}
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
	return n
}

// ValidTaskID reports whether s is the id of a task. An id becomes a part of file names, so it cannot climb out of a
// folder.
func ValidTaskID(s string) bool { return taskIDSyntax().MatchString(s) && !strings.Contains(s, "..") }

var taskIDSyntax = lazily(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func readTaskID(f *fields) Text {
	const expected = "1 to 64 letters, digits or . _ -, of which the first is a letter or digit, without .."
	t := f.matching("task_id", taskIDSyntax, expected)
	if strings.Contains(t.Value, "..") {
		f.wrong(f.node.member("task_id"), "task_id", expected)
	}
	return t
}

// readPaths reads the keys that hold paths and patterns.
func readPaths(f *fields, c *Contract) {
	allowed := f.need("allowed_files", "a list of globs")
	f.filled(allowed, "allowed_files", "name the files that the change may touch")
	c.AllowedFiles = f.patternsOf(allowed, "allowed_files")
	forbidden := f.need("forbidden_files", "a list of globs")
	f.filled(forbidden, "forbidden_files", "name the files that the change must not touch")
	c.ForbiddenFiles = f.patternsOf(forbidden, "forbidden_files")
	c.DocsPathsSoft = f.globs(f.orNull("docs_paths_soft"), "docs_paths_soft")
	c.ProtectedFiles = f.globs(f.get("protected_files"), "protected_files")
	for _, t := range f.texts("may_touch_protected") {
		if f.literal(t, f.pointer("may_touch_protected")) {
			c.MayTouchProtected = append(c.MayTouchProtected, t)
		}
	}
	branches := f.get("base_branches")
	f.filled(branches, "base_branches", "name a branch, or remove the key: then it is the default branch")
	c.BaseBranches = f.patternsOf(branches, "base_branches")
}

func readApprovals(f *fields, c *Contract) {
	for i, n := range f.list("approvals_required") {
		where := f.pointer("approvals_required") + "/" + itoa(i)
		switch {
		case n.kind == kindObject:
			a := object(n, where, f.errs)
			c.Approvals = append(c.Approvals, Approval{ID: a.needText("id"), Files: a.needGlobs("files")})
			a.end()
		case n.kind == kindString && strings.TrimSpace(n.text) != "":
			c.ApprovalNotes = append(c.ApprovalNotes, Text{n.text, n.pos})
		default:
			f.add(n, where, "an approval must be a text or an object", "a string that is not blank, or an object with id and files", "correct the value")
		}
	}
}

func readPathSeverities(f *fields) []PathSeverity {
	var list []PathSeverity
	for i, n := range f.list("severity_by_path") {
		o := object(n, f.pointer("severity_by_path")+"/"+itoa(i), f.errs)
		if o == nil {
			continue
		}
		list = append(list, PathSeverity{o.needGlobs("files"), Severity(o.needOneOf("severity", "block", "warn", "info"))})
		o.end()
	}
	return list
}

var hostSyntax = lazily(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$`)

// readHosts reads network_egress: nil when there is no limit, and never nil when there is a list.
func readHosts(f *fields) []Text {
	texts := f.textsOf(f.orNull("network_egress"), "network_egress")
	if texts == nil {
		return nil
	}
	hosts := []Text{}
	for _, t := range texts {
		host := strings.ToLower(t.Value)
		if len(host) > 253 || !hostSyntax().MatchString(host) {
			f.errs.Add(source.Error{
				Pos: t.Pos, Where: f.pointer("network_egress"), Message: quote(t.Value) + " is no host name", Found: quote(t.Value),
				Expected: "a host name such as api.example.com", Fix: hostFix(host),
			})
			continue
		}
		hosts = append(hosts, Text{host, t.Pos})
	}
	return hosts
}

func hostFix(host string) string {
	switch {
	case strings.Contains(host, "*"):
		return "name each host: wildcards are not supported"
	case strings.Contains(host, "://"), strings.Contains(host, "/"):
		return "write the host alone, without scheme and path"
	case strings.Contains(host, ":"):
		return "write the host alone, without port"
	}
	return "write letters, digits, hyphens and dots only"
}

func readCoverageRule(f *fields) *CoverageRule {
	n := f.get("coverage")
	if n == nil {
		return nil
	}
	o := object(n, f.pointer("coverage"), f.errs)
	if o == nil {
		return nil
	}
	rule := &CoverageRule{Pos: n.pos, Report: DefaultCoverageReport}
	if report := o.path("report"); report != "" {
		rule.Report = report
	}
	rule.Criterion = o.matching("criterion", criterionID, "the id of a criterion")
	rule.Floor = o.ratio("floor")
	rule.MaxDrop = o.ratio("max_drop")
	o.end()
	return rule
}

func readRuleBook(f *fields) RuleBook {
	n := f.get("rules")
	if n == nil {
		return RuleBook{}
	}
	o := object(n, f.pointer("rules"), f.errs)
	if o == nil {
		return RuleBook{}
	}
	book := RuleBook{Pos: n.pos, Catalogue: readCatalogue(o), Ignore: readIgnores(o)}
	if o.get("run") != nil {
		book.Run = readArgv(o)
	}
	if book.Report = o.path("report"); book.Report != "" && o.node.member("run") == nil {
		o.add(o.node.member("report"), o.pointer("report"), `"report" needs the command that writes it`, `"run" beside "report"`,
			`add "run": the command that writes the rule report`)
	}
	if required := o.get("required"); required != nil && required.kind == kindBool {
		book.NotRequired = !required.bool
	} else if required != nil {
		o.wrong(required, "required", "true or false")
	}
	if book.NotRequired {
		refuseBesideNotRequired(o)
	}
	o.end()
	return book
}

// refuseBesideNotRequired reports keys that ask for the report of which "required": false says that there is none.
func refuseBesideNotRequired(o *fields) {
	for _, key := range []string{"run", "catalogue"} {
		if n := o.node.member(key); n != nil {
			o.add(n, o.pointer(key), quote(key)+` asks for a rule report, and "required": false says that there is none`,
				`either "required": false or `+quote(key), "remove one of the two")
		}
	}
}

func readCatalogue(f *fields) []CatalogueRule {
	var list []CatalogueRule
	seen := map[string]source.Pos{}
	for i, n := range f.filled(f.get("catalogue"), "catalogue", "list the rules that must be reported, or remove the key") {
		o := object(n, f.pointer("catalogue")+"/"+itoa(i), f.errs)
		if o == nil {
			continue
		}
		rule := CatalogueRule{ID: o.needText("id"), Severity: o.severity("severity"), ExpiresAt: o.date(o.get("expires_at"), "expires_at")}
		o.end()
		if first, twice := seen[rule.ID.Value]; twice && rule.ID.Value != "" {
			f.errs.Add(source.Error{
				Pos: rule.ID.Pos, Where: o.pointer("id"), Message: "the rule " + quote(rule.ID.Value) + " stands twice in the catalogue", Found: quote(rule.ID.Value) + " again",
				Expected: "each rule once (the first is in line " + itoa(first.Line) + ")", Fix: "keep one of them",
			})
			continue
		}
		seen[rule.ID.Value] = rule.ID.Pos
		list = append(list, rule)
	}
	return list
}

func readIgnores(f *fields) []RuleIgnore {
	var list []RuleIgnore
	for i, n := range f.list("ignore") {
		o := object(n, f.pointer("ignore")+"/"+itoa(i), f.errs)
		if o == nil {
			continue
		}
		list = append(list, RuleIgnore{
			ID: o.needText("id"), Files: o.needGlobs("files"), Reason: o.needText("reason").Value,
			Until: o.date(o.need("until", "a day, written YYYY-MM-DD"), "until"),
		})
		o.end()
	}
	return list
}

func readEvidenceRule(f *fields) EvidenceRule {
	n := f.get("evidence")
	if n == nil {
		return EvidenceRule{}
	}
	o := object(n, f.pointer("evidence"), f.errs)
	if o == nil {
		return EvidenceRule{}
	}
	rule := EvidenceRule{Min: o.level("min"), Dir: readEvidenceDir(o)}
	o.end()
	return rule
}

// readEvidenceDir reads the evidence folder. It lies outside the code tree, so it must not hold anything that decides:
// not the contracts, not the workflows, not the repository's root.
func readEvidenceDir(f *fields) string {
	t := f.text("dir")
	if t.Value == "" || !f.literal(t, f.pointer("dir")) {
		return ""
	}
	parts := strings.Split(strings.ToLower(t.Value), "/")
	ours := parts[0] == ".closeout" && (len(parts) < 2 || parts[1] != "evidence")
	if ours || parts[0] == ".github" || slices.Contains(parts, ".git") || strings.Contains(t.Value, "[") {
		f.errs.Add(source.Error{
			Pos: t.Pos, Where: f.pointer("dir"), Message: "the folder " + quote(t.Value) + " cannot hold evidence", Found: quote(t.Value),
			Expected: "a folder of its own, apart from contracts, workflows and code, named without a pattern", Fix: "use .closeout/evidence or a folder below it",
		})
		return ""
	}
	return t.Value
}

var (
	loginSyntax = lazily(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
	teamSyntax  = lazily(`^[a-z0-9][a-z0-9_-]{0,99}$`)
	codeSyntax  = lazily(`^[a-z_]+\.[a-z_]+$`)
)

// DefaultOverride is what holds where no contract says who may override.
func DefaultOverride() OverrideRule {
	return OverrideRule{Label: "closeout-override", Permission: "maintain", Binding: "code"}
}

func readOverride(f *fields) OverrideRule {
	rule := DefaultOverride()
	n := f.get("override")
	if n == nil {
		return rule
	}
	o := object(n, f.pointer("override"), f.errs)
	if o == nil {
		return rule
	}
	rule.Label = orDefault(o.text("label").Value, rule.Label)
	rule.Permission = orDefault(o.oneOf("permission", "write", "maintain", "admin"), rule.Permission)
	rule.Users = o.allMatching("users", loginSyntax, "a login, without @")
	rule.Teams = o.allMatching("teams", teamSyntax, "a team's slug, without @ and organisation")
	rule.Binding = orDefault(o.oneOf("binding", "code", "event"), rule.Binding)
	rule.AllowAuthor = o.flag("allow_author")
	rule.Never = o.allMatching("never", codeSyntax, "a finding's code, such as scope.forbidden")
	o.end()
	return rule
}

func orDefault(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
