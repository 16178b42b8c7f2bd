package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/strict"
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

var sarifLevels = map[string]diag.Severity{"error": diag.Block, "warning": diag.Warn, "note": diag.Info, "none": diag.Info}

// sarifRun collects the rows of one run.
type sarifRun struct {
	errs   *diag.Errors
	driver sarifComponent
	refs   map[string]sarifComponent // driver and extensions, by what a reference may hold: "index 0", "guid …", "name …"
	levels map[string]diag.Severity  // default level by rule id, over all components
	rows   []Row
	rowOf  map[string]int // index in rows by rule id
}

// sarifComponent is the driver or an extension of a tool, and the rules that it lists.
type sarifComponent struct {
	name, guid string
	ids        []string                 // by ruleIndex; "" where the id was refused
	at         []diag.Pos               // of each rule
	levels     map[string]diag.Severity // default level by id; the strictest, when an id stands twice
}

func sarifRows(n *strict.Node, errs *diag.Errors) []Row {
	f := strict.Object(n, "", errs)
	sarifVersion(f)
	if parts := f.OrNull("inlineExternalProperties"); len(f.ListOf(parts, "inlineExternalProperties")) > 0 {
		errs.Add(resultsElsewhere(parts, f.Pointer("inlineExternalProperties")))
	}
	f.ListOf(f.Need("runs", "a list of runs"), "runs")
	var rows []Row
	for _, run := range f.LooseObjects("runs") {
		rows = append(rows, sarifRunRows(run)...)
	}
	return rows
}

func sarifVersion(f *strict.Fields) {
	n := f.Need("version", `"2.1.0"`)
	if n == nil || n.Kind == strict.KindString && n.Text == "2.1.0" {
		return
	}
	f.Errs.Add(diag.Error{
		Pos: n.Pos, Where: f.Pointer("version"), Message: "this version of SARIF is not read", Found: n.Describe(),
		Expected: `"2.1.0"`, Fix: "let the tool write SARIF 2.1.0",
	})
}

func sarifRunRows(f *strict.Fields) []Row {
	r := &sarifRun{errs: f.Errs, refs: map[string]sarifComponent{}, levels: map[string]diag.Severity{}, rowOf: map[string]int{}}
	r.components(f.LooseChild("tool"))
	checkInvocations(f)
	checkExternalFiles(f)
	if f.OrNull("results") == nil && len(r.rows) > 0 {
		f.Errs.Add(noResults(f, len(r.rows)))
	}
	for _, result := range f.LooseObjects("results") {
		r.result(result)
	}
	for i := range r.rows {
		slices.Sort(r.rows[i].FailedIn)
		r.rows[i].FailedIn = slices.Compact(r.rows[i].FailedIn)
	}
	return r.rows
}

// components reads the rules of the driver, which become rows, and of the extensions.
func (r *sarifRun) components(tool *strict.Fields) {
	r.driver = readComponent(tool.LooseChild("driver"))
	for i, id := range r.driver.ids {
		r.addRule(r.driver.at[i], id, r.driver.levels[id])
	}
	r.addComponent(r.driver)
	for i, extension := range tool.LooseObjects("extensions") {
		c := readComponent(extension)
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

func noResults(f *strict.Fields, rules int) diag.Error {
	return diag.Error{
		Pos: f.Node.Pos, Where: f.Pointer("results"), Message: "the run holds no results list: the tool did not finish",
		Found: fmt.Sprintf("no results, and %d rules", rules), Expected: "a list, [] when nothing was found",
		Fix: "run the tool again, and hand over what it writes when it succeeds",
	}
}

// checkExternalFiles refuses a run of which a part that counts lies in files that the gate does not read.
func checkExternalFiles(f *strict.Fields) {
	refs := f.LooseChild("externalPropertyFileReferences")
	for _, key := range []string{"driver", "extensions", "results", "invocations", "conversion"} {
		if n := refs.OrNull(key); n != nil {
			f.Errs.Add(resultsElsewhere(n, refs.Pointer(key)))
		}
	}
}

func resultsElsewhere(n *strict.Node, where string) diag.Error {
	return diag.Error{
		Pos: n.Pos, Where: where, Message: "part of the run is kept outside of it", Found: n.Describe(),
		Expected: "rules and results inside the run", Fix: "let the tool write one self-contained SARIF file",
	}
}

// sarifComponent reads a driver or an extension.
func readComponent(f *strict.Fields) sarifComponent {
	c := sarifComponent{name: f.AnyText("name"), guid: f.AnyText("guid"), levels: map[string]diag.Severity{}}
	for _, rule := range f.LooseObjects("rules") {
		id := checkRuleID(rule, rule.NeedText("id"), "id")
		c.ids, c.at = append(c.ids, id), append(c.at, rule.Node.Pos)
		level := cmp.Or(sarifLevel(rule.LooseChild("defaultConfiguration")), diag.Warn)
		c.levels[id] = diag.Stricter(level, c.levels[id])
	}
	return c
}

// sarifLevel returns the severity that "level" states; "" when it is absent.
func sarifLevel(f *strict.Fields) diag.Severity {
	return sarifLevels[f.OneOf("level", "error", "warning", "note", "none")]
}

// addRule adds a passed row, unless the rule has a row.
func (r *sarifRun) addRule(at diag.Pos, id string, level diag.Severity) {
	if _, known := r.rowOf[id]; known {
		return
	}
	r.rowOf[id] = len(r.rows)
	r.rows = append(r.rows, Row{Pos: at, ID: id, Severity: level, Passed: true})
}

func (r *sarifRun) result(f *strict.Fields) {
	kind := f.OneOf("kind", "fail", "pass", "open", "review", "informational", "notApplicable")
	baseline := ""
	if f.OrNull("baselineState") != nil {
		baseline = f.OneOf("baselineState", "new", "unchanged", "updated", "absent")
	}
	severity := sarifLevel(f)
	id, level, ok := r.ruleOf(f)
	file, line, all := sarifPlaces(f)
	detail := f.LooseChild("message").AnyText("text")
	if !ok {
		return
	}
	r.addRule(f.Node.Pos, id, level)
	if kind != "" && kind != "fail" || baseline == "absent" {
		return
	}
	r.fail(Row{
		Pos: f.Node.Pos, ID: id, Severity: cmp.Or(severity, level), Detail: strict.CutTo(detail, maxReportedRuleDetail),
		File: file, Line: line, FailedIn: all,
	})
}

// fail joins a failed result to its rule's row.
func (r *sarifRun) fail(failed Row) {
	row := &r.rows[r.rowOf[failed.ID]]
	if row.Passed {
		*row = failed
		return
	}
	row.Severity = diag.Stricter(row.Severity, failed.Severity)
	row.FailedIn = append(row.FailedIn, failed.FailedIn...)
}

// ruleOf returns the id of the rule that a result belongs to and the rule's default level; false and an error when the
// result does not say, or contradicts itself.
func (r *sarifRun) ruleOf(f *strict.Fields) (string, diag.Severity, bool) {
	ref := f.LooseChild("rule")
	id := agreeing(f, f.TextOf(f.Get("ruleId"), "ruleId"), ref.TextOf(ref.Get("id"), "id"))
	index := agreeing(f, sarifIndex(f, "ruleIndex"), sarifIndex(ref, "index"))
	component, named, ok := r.componentOf(ref.LooseChild("toolComponent"))
	switch {
	case !ok, id.Value != "" && checkRuleID(f, id, "ruleId") == "":
		return "", "", false
	case index.Value != "":
		return ruleAt(f, component, index, id)
	case id.Value != "" && named:
		return ruleNamed(component.levels, id.Value)
	case id.Value != "":
		return ruleNamed(r.levels, id.Value)
	case f.Get("ruleId") != nil || ref.Get("id") != nil: // reported above
		return "", "", false
	}
	f.Errs.Add(diag.Error{
		Pos: f.Node.Pos, Where: f.Pointer("ruleId"), Message: "the result does not say which rule it belongs to",
		Found: "neither ruleId nor ruleIndex", Expected: "one of them", Fix: `add "ruleId"`,
	})
	return "", "", false
}

// agreeing returns what a result says of its rule, which it may say directly, in its rule reference, or in both.
func agreeing(f *strict.Fields, direct, reference diag.Text) diag.Text {
	if direct.Value == "" {
		return reference
	}
	if reference.Value != "" && reference.Value != direct.Value {
		f.Errs.Add(diag.Error{
			Pos: reference.Pos, Where: f.Pointer("rule"), Message: "the result names two rules", Found: diag.Quote(reference.Value),
			Expected: diag.Quote(direct.Value) + ", as beside it", Fix: "let both name the same rule",
		})
	}
	return direct
}

// sarifIndex returns an index in decimal; the zero value when it is absent or -1, which is SARIF's word for absent.
func sarifIndex(f *strict.Fields, key string) diag.Text {
	i := f.Integer(key, -1, maxLineNumber)
	if i == nil || *i < 0 {
		return diag.Text{}
	}
	return diag.Text{Value: strconv.FormatInt(*i, 10), Pos: f.Get(key).Pos}
}

// componentOf returns the component that lists a result's rule, and whether the result names it: the driver, when it
// names none. The last value is false, with an error, when the run's tool has no such component.
func (r *sarifRun) componentOf(f *strict.Fields) (c sarifComponent, named, ok bool) {
	index, guid, name := sarifIndex(f, "index"), f.AnyText("guid"), f.AnyText("name")
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
		r.errs.Add(diag.Error{
			Pos: f.Node.Pos, Where: f.Where, Message: "the result names a component that the run's tool does not have",
			Found: diag.Quote(ref), Expected: "the driver or one of the tool's extensions", Fix: "correct the reference",
		})
	}
	return c, true, ok
}

// ruleAt is ruleOf for a result that gives the rule's index.
func ruleAt(f *strict.Fields, c sarifComponent, index, id diag.Text) (string, diag.Severity, bool) {
	i, err := strconv.Atoi(index.Value)
	if err != nil || i >= len(c.ids) {
		f.Errs.Add(diag.Error{
			Pos: index.Pos, Where: f.Pointer("ruleIndex"), Message: "the run lists no rule with this index", Found: index.Value,
			Expected: fmt.Sprintf("an index below %d", len(c.ids)), Fix: "correct the index, or leave it out and give ruleId",
		})
		return "", "", false
	}
	rule := c.ids[i]
	if id.Value != "" && id.Value != rule && !strings.HasPrefix(id.Value, rule+"/") && rule != "" {
		f.Errs.Add(diag.Error{
			Pos: id.Pos, Where: f.Pointer("ruleId"), Message: "ruleId and ruleIndex name two rules", Found: diag.Quote(id.Value),
			Expected: diag.Quote(rule) + ", the rule with index " + index.Value + ", or an id below it", Fix: "let both name the same rule",
		})
	}
	return rule, c.levels[rule], true
}

// ruleNamed is ruleOf for a result that gives the rule's id, which may extend the listed one: CA1000/1 is a case of CA1000.
// A rule that is not listed stands for itself.
func ruleNamed(levels map[string]diag.Severity, id string) (string, diag.Severity, bool) {
	for listed := id; ; {
		if level, ok := levels[listed]; ok {
			return listed, level, true
		}
		cut := strings.LastIndexByte(listed, '/')
		if cut < 0 {
			return id, diag.Warn, true
		}
		listed = listed[:cut]
	}
}

// sarifPlaces returns the first file that a result's locations name, with the line there, and the files of all its
// locations, never none: "" stands for a location whose file is not known, and for a result without locations.
func sarifPlaces(f *strict.Fields) (first string, line int64, all []string) {
	for _, location := range f.LooseObjects("locations") {
		physical := location.LooseChild("physicalLocation")
		file := sarifFile(physical.LooseChild("artifactLocation"))
		start := physical.LooseChild("region").Integer("startLine", 1, maxLineNumber)
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
func sarifFile(f *strict.Fields) string {
	uri, base := f.AnyText("uri"), f.AnyText("uriBaseId")
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
