package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/source"
)

// SARIF 2.1.0 (OASIS Standard, 27 March 2020) is a large and open format. What the gate does not use is not looked at;
// what it uses is checked as strictly as any other input.
//
// What becomes of a run:
//
//   - Each rule of tool.driver.rules is a row, and so is each rule that only a result names. Rules of one run with equal
//     ids are one row; the same rule in two runs makes two rows, which a catalogue calls a duplicate.
//   - A result of kind "fail", or without kind, fails its rule. Results of other kinds change nothing, and neither do those
//     whose baselineState is "absent": they tell of something that an earlier run found and this one did not.
//     suppressions, and other words of baselineState, are not looked at: who writes the file would otherwise let findings
//     through.
//   - A failed row has the strictest severity of its failing results, and the place and message of the first of them.
//     A result without level has its rule's defaultConfiguration.level; without that it is a warning. The levels error,
//     warning, note and none are block, warn, info and info. ruleConfigurationOverrides are not looked at.
//   - A run without rules and results adds nothing.

var sarifLevels = map[string]Severity{"error": Block, "warning": Warn, "note": Info, "none": Info}

// sarifRun collects the rows of one run.
type sarifRun struct {
	errs   *source.Errors
	driver sarifComponent
	refs   map[string]sarifComponent // driver and extensions, by what a reference may hold: "index 0", "guid …", "name …"
	levels map[string]Severity       // default level by rule id, over all components
	rows   []RuleRow
	rowOf  map[string]int // index in rows by rule id
}

// sarifComponent is the driver or an extension of a tool, and the rules that it lists.
type sarifComponent struct {
	name, guid string
	ids        []string            // by ruleIndex; "" where the id was refused
	at         []source.Pos        // of each rule
	levels     map[string]Severity // default level by id; the strictest, when an id stands twice
}

func sarifRows(n *node, errs *source.Errors) []RuleRow {
	f := object(n, "", errs)
	f.sarifVersion()
	if parts := f.orNull("inlineExternalProperties"); len(f.listOf(parts, "inlineExternalProperties")) > 0 {
		errs.Add(resultsElsewhere(parts, f.pointer("inlineExternalProperties")))
	}
	f.listOf(f.need("runs", "a list of runs"), "runs")
	var rows []RuleRow
	for _, run := range f.looseObjects("runs") {
		rows = append(rows, sarifRunRows(run)...)
	}
	return rows
}

func (f *fields) sarifVersion() {
	n := f.need("version", `"2.1.0"`)
	if n == nil || n.kind == kindString && n.text == "2.1.0" {
		return
	}
	f.errs.Add(source.Error{
		Pos: n.pos, Where: f.pointer("version"), Message: "this version of SARIF is not read", Found: n.describe(),
		Expected: `"2.1.0"`, Fix: "let the tool write SARIF 2.1.0",
	})
}

func sarifRunRows(f *fields) []RuleRow {
	r := &sarifRun{errs: f.errs, refs: map[string]sarifComponent{}, levels: map[string]Severity{}, rowOf: map[string]int{}}
	r.components(f.looseChild("tool"))
	f.checkInvocations()
	f.checkExternalFiles()
	if f.orNull("results") == nil && len(r.rows) > 0 {
		f.errs.Add(noResults(f, len(r.rows)))
	}
	for _, result := range f.looseObjects("results") {
		r.result(result)
	}
	for i := range r.rows {
		slices.Sort(r.rows[i].FailedIn)
		r.rows[i].FailedIn = slices.Compact(r.rows[i].FailedIn)
	}
	return r.rows
}

// components reads the rules of the driver, which become rows, and of the extensions.
func (r *sarifRun) components(tool *fields) {
	r.driver = tool.looseChild("driver").sarifComponent()
	for i, id := range r.driver.ids {
		r.addRule(r.driver.at[i], id, r.driver.levels[id])
	}
	r.addComponent(r.driver)
	for i, extension := range tool.looseObjects("extensions") {
		c := extension.sarifComponent()
		r.refs["index "+strconv.Itoa(i)] = c
		r.addComponent(c)
	}
}

// addComponent makes a component known by its guid and name, and its rules by their ids. The first of a name stays.
func (r *sarifRun) addComponent(c sarifComponent) {
	for _, ref := range []string{"guid " + c.guid, "name " + c.name} {
		if _, taken := r.refs[ref]; !taken {
			r.refs[ref] = c
		}
	}
	for id, level := range c.levels {
		if _, taken := r.levels[id]; !taken {
			r.levels[id] = level
		}
	}
}

func noResults(f *fields, rules int) source.Error {
	return source.Error{
		Pos: f.node.pos, Where: f.pointer("results"), Message: "the run holds no results list: the tool did not finish",
		Found: fmt.Sprintf("no results, and %d rules", rules), Expected: "a list, [] when nothing was found",
		Fix: "run the tool again, and hand over what it writes when it succeeds",
	}
}

// checkExternalFiles refuses a run of which a part that counts lies in files that the gate does not read.
func (f *fields) checkExternalFiles() {
	refs := f.looseChild("externalPropertyFileReferences")
	for _, key := range []string{"driver", "extensions", "results", "invocations", "conversion"} {
		if n := refs.orNull(key); n != nil {
			f.errs.Add(resultsElsewhere(n, refs.pointer(key)))
		}
	}
}

func resultsElsewhere(n *node, where string) source.Error {
	return source.Error{
		Pos: n.pos, Where: where, Message: "part of the run is kept outside of it", Found: n.describe(),
		Expected: "rules and results inside the run", Fix: "let the tool write one self-contained SARIF file",
	}
}

// sarifComponent reads a driver or an extension.
func (f *fields) sarifComponent() sarifComponent {
	c := sarifComponent{name: f.anyText("name"), guid: f.anyText("guid"), levels: map[string]Severity{}}
	for _, rule := range f.looseObjects("rules") {
		id := rule.checkRuleID(rule.needText("id"), "id")
		c.ids, c.at = append(c.ids, id), append(c.at, rule.node.pos)
		level := cmp.Or(rule.looseChild("defaultConfiguration").sarifLevel(), Warn)
		c.levels[id] = Stricter(level, c.levels[id])
	}
	return c
}

// sarifLevel returns the severity that "level" states; "" when it is absent.
func (f *fields) sarifLevel() Severity {
	return sarifLevels[f.oneOf("level", "error", "warning", "note", "none")]
}

// addRule adds a passed row, unless the rule has a row.
func (r *sarifRun) addRule(at source.Pos, id string, level Severity) {
	if _, known := r.rowOf[id]; known {
		return
	}
	r.rowOf[id] = len(r.rows)
	r.rows = append(r.rows, RuleRow{Pos: at, ID: id, Severity: level, Passed: true})
}

func (r *sarifRun) result(f *fields) {
	kind := f.oneOf("kind", "fail", "pass", "open", "review", "informational", "notApplicable")
	baseline := ""
	if f.orNull("baselineState") != nil {
		baseline = f.oneOf("baselineState", "new", "unchanged", "updated", "absent")
	}
	severity := f.sarifLevel()
	id, level, ok := r.ruleOf(f)
	file, line, all := f.sarifPlaces()
	detail := f.looseChild("message").anyText("text")
	if !ok {
		return
	}
	r.addRule(f.node.pos, id, level)
	if kind != "" && kind != "fail" || baseline == "absent" {
		return
	}
	r.fail(RuleRow{
		Pos: f.node.pos, ID: id, Severity: cmp.Or(severity, level), Detail: cutTo(detail, maxReportedRuleDetail),
		File: file, Line: line, FailedIn: all,
	})
}

// fail joins a failed result to its rule's row.
func (r *sarifRun) fail(failed RuleRow) {
	row := &r.rows[r.rowOf[failed.ID]]
	if row.Passed {
		*row = failed
		return
	}
	row.Severity = Stricter(row.Severity, failed.Severity)
	row.FailedIn = append(row.FailedIn, failed.FailedIn...)
}

// ruleOf returns the id of the rule that a result belongs to and the rule's default level; false and an error when the
// result does not say, or contradicts itself.
func (r *sarifRun) ruleOf(f *fields) (string, Severity, bool) {
	ref := f.looseChild("rule")
	id := f.agreeing(f.textOf(f.get("ruleId"), "ruleId"), ref.textOf(ref.get("id"), "id"))
	index := f.agreeing(f.sarifIndex("ruleIndex"), ref.sarifIndex("index"))
	component, named, ok := r.componentOf(ref.looseChild("toolComponent"))
	switch {
	case !ok, id.Value != "" && f.checkRuleID(id, "ruleId") == "":
		return "", "", false
	case index.Value != "":
		return ruleAt(f, component, index, id)
	case id.Value != "" && named:
		return ruleNamed(component.levels, id.Value)
	case id.Value != "":
		return ruleNamed(r.levels, id.Value)
	case f.get("ruleId") != nil || ref.get("id") != nil: // reported above
		return "", "", false
	}
	f.errs.Add(source.Error{
		Pos: f.node.pos, Where: f.pointer("ruleId"), Message: "the result does not say which rule it belongs to",
		Found: "neither ruleId nor ruleIndex", Expected: "one of them", Fix: `add "ruleId"`,
	})
	return "", "", false
}

// agreeing returns what a result says of its rule, which it may say directly, in its rule reference, or in both.
func (f *fields) agreeing(direct, reference Text) Text {
	if direct.Value == "" {
		return reference
	}
	if reference.Value != "" && reference.Value != direct.Value {
		f.errs.Add(source.Error{
			Pos: reference.Pos, Where: f.pointer("rule"), Message: "the result names two rules", Found: quote(reference.Value),
			Expected: quote(direct.Value) + ", as beside it", Fix: "let both name the same rule",
		})
	}
	return direct
}

// sarifIndex returns an index in decimal; the zero value when it is absent or -1, which is SARIF's word for absent.
func (f *fields) sarifIndex(key string) Text {
	i := f.integer(key, -1, maxLineNumber)
	if i == nil || *i < 0 {
		return Text{}
	}
	return Text{strconv.FormatInt(*i, 10), f.get(key).pos}
}

// componentOf returns the component that lists a result's rule, and whether the result names it: the driver, when it
// names none. The last value is false, with an error, when the run's tool has no such component.
func (r *sarifRun) componentOf(f *fields) (c sarifComponent, named, ok bool) {
	index, guid, name := f.sarifIndex("index"), f.anyText("guid"), f.anyText("name")
	ref := "name " + name
	switch {
	case index.Value != "":
		ref = "index " + index.Value
	case guid != "":
		ref = "guid " + guid
	case name == "":
		return r.driver, false, true
	}
	if c, ok = r.refs[ref]; !ok {
		r.errs.Add(source.Error{
			Pos: f.node.pos, Where: f.where, Message: "the result names a component that the run's tool does not have",
			Found: quote(ref), Expected: "the driver or one of the tool's extensions", Fix: "correct the reference",
		})
	}
	return c, true, ok
}

// ruleAt is ruleOf for a result that gives the rule's index.
func ruleAt(f *fields, c sarifComponent, index, id Text) (string, Severity, bool) {
	i, err := strconv.Atoi(index.Value)
	if err != nil || i >= len(c.ids) {
		f.errs.Add(source.Error{
			Pos: index.Pos, Where: f.pointer("ruleIndex"), Message: "the run lists no rule with this index", Found: index.Value,
			Expected: fmt.Sprintf("an index below %d", len(c.ids)), Fix: "correct the index, or leave it out and give ruleId",
		})
		return "", "", false
	}
	rule := c.ids[i]
	if id.Value != "" && id.Value != rule && !strings.HasPrefix(id.Value, rule+"/") && rule != "" {
		f.errs.Add(source.Error{
			Pos: id.Pos, Where: f.pointer("ruleId"), Message: "ruleId and ruleIndex name two rules", Found: quote(id.Value),
			Expected: quote(rule) + ", the rule with index " + index.Value + ", or an id below it", Fix: "let both name the same rule",
		})
	}
	return rule, c.levels[rule], true
}

// ruleNamed is ruleOf for a result that gives the rule's id, which may extend the listed one: CA1000/1 is a case of CA1000.
// A rule that is not listed stands for itself.
func ruleNamed(levels map[string]Severity, id string) (string, Severity, bool) {
	for listed := id; ; {
		if level, ok := levels[listed]; ok {
			return listed, level, true
		}
		cut := strings.LastIndexByte(listed, '/')
		if cut < 0 {
			return id, Warn, true
		}
		listed = listed[:cut]
	}
}

// sarifPlaces returns the first file that a result's locations name, with the line there, and the files of all its
// locations, never none: "" stands for a location whose file is not known, and for a result without locations.
func (f *fields) sarifPlaces() (first string, line int64, all []string) {
	for _, location := range f.looseObjects("locations") {
		physical := location.looseChild("physicalLocation")
		file := physical.looseChild("artifactLocation").sarifFile()
		start := physical.looseChild("region").integer("startLine", 1, maxLineNumber)
		if first == "" && file != "" {
			first = file
			if start != nil {
				line = *start
			}
		}
		all = append(all, file)
	}
	if all == nil {
		all = []string{""}
	}
	return first, line, all
}

// sarifFile returns the path of an artifact; "" when it has none, or when it is relative to a folder that is not the
// repository's root.
func (f *fields) sarifFile() string {
	uri, base := f.anyText("uri"), f.anyText("uriBaseId")
	if base != "" && base != "%SRCROOT%" && base != "SRCROOT" {
		return ""
	}
	return uriPath(uri)
}

// uriPath turns a relative URI reference into a path of the repository. One whose escapes are broken or hide bytes that are
// no UTF-8 stays as it is written. An absolute one (file:///…) stays absolute: the gate does not know what it is relative to.
func uriPath(uri string) string {
	path, ok := unescapeURI(uri)
	if !ok {
		return uri
	}
	return strings.TrimPrefix(path, "./")
}

func unescapeURI(uri string) (string, bool) {
	var out []byte
	for i := 0; i < len(uri); i++ {
		if uri[i] != '%' {
			out = append(out, uri[i])
			continue
		}
		if i+2 >= len(uri) {
			return "", false
		}
		b, err := strconv.ParseUint(uri[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		out = append(out, byte(b))
		i += 2
	}
	return string(out), utf8.Valid(out)
}

// looseChild returns the object under key; an empty one when it is absent, null, or, with an error, something else.
func (f *fields) looseChild(key string) *fields {
	return f.objectOrEmpty(f.orNull(key), key, key)
}

// looseObjects returns the objects of the list under key; none when it is absent or null. An item that is something else
// is an error and gives an empty object, so that indices stay right.
func (f *fields) looseObjects(key string) []*fields {
	var list []*fields
	for i, item := range f.listOf(f.orNull(key), key) {
		list = append(list, f.objectOrEmpty(item, key+"/"+strconv.Itoa(i), "each of "+key))
	}
	return list
}

// objectOrEmpty returns the fields of n. What is none is an error under the name what, and has no fields; nil is no error.
func (f *fields) objectOrEmpty(n *node, key, what string) *fields {
	where := f.where + "/" + key // the keys asked for need no escape
	if n == nil {
		n = &node{pos: f.node.pos, kind: kindObject}
	}
	if n.kind != kindObject {
		f.errs.Add(mustBeNamed(n, where, what, "an object"))
		n = &node{pos: n.pos, kind: kindObject}
	}
	return &fields{node: n, where: where, errs: f.errs}
}
