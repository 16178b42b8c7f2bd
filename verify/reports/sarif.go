package reports

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/verify/input"
)

// SARIF 2.1.0 (OASIS Standard, 27 March 2020) is a large and open format. The gate ignores what it does not use, and checks
// the rest as strictly as any other input.
//
// The rows of a run:
//
//   - Each rule of tool.driver.rules is a row, and so is each rule that only a result names. Rules of one run with the same
//     id are one row; the same rule in two runs makes two rows, which are a duplicate in a catalogue.
//   - A result of kind "fail", or without kind, fails its rule. Results of other kinds change nothing, and neither do those
//     with baselineState "absent": an earlier run found them and this one did not. suppressions, and other values of
//     baselineState, are ignored: otherwise the author of the file could suppress findings.
//   - A failed row has the strictest severity of its failing results, and the location and message of the first of them.
//     The level of a result defaults to the defaultConfiguration.level of its rule, and that to warning. The levels error,
//     warning, note and none are block, warn, info and info. ruleConfigurationOverrides are ignored.
//   - A run without rules and results adds nothing. Many linters write that when they find nothing, but a tool that did nothing
//     writes it too: [Report.Ended] tells the form, and only a record of the command can tell the rest.

var sarifLevels = map[string]input.Severity{"error": input.Block, "warning": input.Warn, "note": input.Info, "none": input.Info}

// sarifRun collects the rows of one run.
type sarifRun struct {
	errs   *input.Errors
	driver sarifComponent
	refs   map[string]sarifComponent // driver and extensions, by reference: "index 0", "guid …", "name …"
	levels map[string]input.Severity // default level by rule id, of all components
	bases  map[string]string         // absolute URIs of directories by uriBaseId
	rows   []Row
	rowOf  map[string]int // index in rows by rule id
}

// sarifComponent is the driver or an extension of a tool, and the rules that it lists.
type sarifComponent struct {
	name, guid string
	ids        []string                  // by ruleIndex; "" where the id was refused
	at         []input.Pos               // of each rule
	levels     map[string]input.Severity // default level by id; the strictest for a duplicate id
}

func sarifReport(n *input.Node, errs *input.Errors) *Report {
	f := input.Object(n, "", errs)
	if version := f.Need("version", `"2.1.0"`); version != nil && (version.Kind != input.KindString || version.Text != "2.1.0") {
		errs.Add(input.Error{
			Pos: version.Pos, Where: f.Pointer("version"), Message: "this version of SARIF is not supported", Found: version.Describe(),
			Expected: `"2.1.0"`, Fix: "configure the tool to write SARIF 2.1.0",
		})
	}
	if parts := f.OrNull("inlineExternalProperties"); len(f.ListOf(parts, "inlineExternalProperties")) > 0 {
		errs.Add(resultsElsewhere(parts, f.Pointer("inlineExternalProperties")))
	}
	f.ListOf(f.Need("runs", "a list of runs"), "runs")
	report := &Report{Shape: ShapeSARIF}
	runs := f.LooseObjects("runs")
	report.Ended = len(runs) > 0
	for _, run := range runs {
		rows, ended := sarifRunRows(run)
		report.Rows, report.Ended = append(report.Rows, rows...), report.Ended && ended
	}
	return report
}

// sarifRunRows returns the rows of a run, and whether the run names its driver and contains a list of results.
func sarifRunRows(f *input.Fields) (rows []Row, ended bool) {
	r := &sarifRun{errs: f.Errs, refs: map[string]sarifComponent{}, levels: map[string]input.Severity{}, rowOf: map[string]int{}}
	r.bases = sarifBases(f.Get("originalUriBaseIds"))
	r.components(f.LooseChild("tool"))
	checkInvocations(f)
	external := f.LooseChild("externalPropertyFileReferences")
	for _, key := range []string{"driver", "extensions", "results", "invocations", "conversion"} {
		if n := external.OrNull(key); n != nil {
			f.Errs.Add(resultsElsewhere(n, external.Pointer(key)))
		}
	}
	results := f.OrNull("results")
	if results == nil && len(r.rows) > 0 {
		f.Errs.Add(input.Error{
			Pos: f.Node.Pos, Where: f.Pointer("results"), Message: "the run contains no results list: the tool did not finish",
			Found: fmt.Sprintf("no results, and %d rules", len(r.rows)), Expected: "a list, [] when nothing was found",
			Fix: "run the tool again, and supply the report of a run that succeeds",
		})
	}
	for _, result := range f.LooseObjects("results") {
		r.result(result)
	}
	for i := range r.rows {
		slices.Sort(r.rows[i].FailedIn)
		r.rows[i].FailedIn = slices.Compact(r.rows[i].FailedIn)
	}
	return r.rows, strings.TrimSpace(r.driver.name) != "" && results != nil && results.Kind == input.KindList
}

// components reads the rules of the driver, which become rows, and of the extensions.
func (r *sarifRun) components(tool *input.Fields) {
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

// addComponent registers a component by its guid and name, and its rules by their ids. The first of a name is kept.
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

// resultsElsewhere is the error for relevant parts in files that the gate does not read.
func resultsElsewhere(n *input.Node, where string) input.Error {
	return input.Error{
		Pos: n.Pos, Where: where, Message: "part of the run is in another file", Found: n.Describe(),
		Expected: "rules and results inside the run", Fix: "configure the tool to write one self-contained SARIF file",
	}
}

// readComponent reads a driver or an extension.
func readComponent(f *input.Fields) sarifComponent {
	c := sarifComponent{name: f.AnyText("name"), guid: f.AnyText("guid"), levels: map[string]input.Severity{}}
	for _, rule := range f.LooseObjects("rules") {
		id := checkRuleID(rule, rule.NeedText("id"), "id")
		c.ids, c.at = append(c.ids, id), append(c.at, rule.Node.Pos)
		level := cmp.Or(sarifLevel(rule.LooseChild("defaultConfiguration")), input.Warn)
		c.levels[id] = input.Stricter(level, c.levels[id])
	}
	return c
}

// sarifLevel returns the severity under "level"; "" when it is absent.
func sarifLevel(f *input.Fields) input.Severity {
	return sarifLevels[f.OneOf("level", "error", "warning", "note", "none")]
}

// addRule adds a passed row, unless the rule has a row.
func (r *sarifRun) addRule(at input.Pos, id string, level input.Severity) {
	if _, known := r.rowOf[id]; known {
		return
	}
	r.rowOf[id] = len(r.rows)
	r.rows = append(r.rows, Row{Pos: at, ID: id, Severity: level, Passed: true})
}

func (r *sarifRun) result(f *input.Fields) {
	kind := f.OneOf("kind", "fail", "pass", "open", "review", "informational", "notApplicable")
	baseline := ""
	if f.OrNull("baselineState") != nil {
		baseline = f.OneOf("baselineState", "new", "unchanged", "updated", "absent")
	}
	severity := sarifLevel(f)
	id, level, ok := r.ruleOf(f)
	file, line, all := r.places(f)
	detail := f.LooseChild("message").AnyText("text")
	if !ok {
		return
	}
	r.addRule(f.Node.Pos, id, level)
	if (kind != "" && kind != "fail") || baseline == "absent" {
		return
	}
	failed := Row{
		Pos: f.Node.Pos, ID: id, Severity: cmp.Or(severity, level), Detail: input.CutTo(detail, maxReportedRuleDetail),
		File: file, Line: line, FailedIn: all,
	}
	if row := &r.rows[r.rowOf[id]]; row.Passed {
		*row = failed
	} else {
		row.Severity = input.Stricter(row.Severity, failed.Severity)
		row.FailedIn = append(row.FailedIn, all...)
	}
}

// ruleOf returns the id and the default level of the rule of a result; false and an error if the result names none, or
// different ones.
func (r *sarifRun) ruleOf(f *input.Fields) (string, input.Severity, bool) {
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
	f.Errs.Add(input.Error{
		Pos: f.Node.Pos, Where: f.Pointer("ruleId"), Message: "the result names no rule",
		Found: "neither ruleId nor ruleIndex", Expected: "one of them", Fix: `add "ruleId"`,
	})
	return "", "", false
}

// agreeing returns what a result says about its rule directly, in its rule reference, or in both.
func agreeing(f *input.Fields, direct, reference input.Text) input.Text {
	if direct.Value == "" {
		return reference
	}
	if reference.Value != "" && reference.Value != direct.Value {
		f.Errs.Add(input.Error{
			Pos: reference.Pos, Where: f.Pointer("rule"), Message: "the result names two rules", Found: input.Quote(reference.Value),
			Expected: input.Quote(direct.Value) + ", as in the result itself", Fix: "name the same rule in both",
		})
	}
	return direct
}

// sarifIndex returns an index in decimal; the zero value when it is absent or -1, which SARIF uses for absent.
func sarifIndex(f *input.Fields, key string) input.Text {
	i := f.Integer(key, -1, maxLineNumber)
	if i == nil || *i < 0 {
		return input.Text{}
	}
	return input.Text{Value: strconv.FormatInt(*i, 10), Pos: f.Get(key).Pos}
}

// componentOf returns the component that lists the rule of a result, and whether the result names it: the driver when it
// names none. The last value is false, with an error, if the tool has no such component.
func (r *sarifRun) componentOf(f *input.Fields) (c sarifComponent, named, ok bool) {
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
		r.errs.Add(input.Error{
			Pos: f.Node.Pos, Where: f.Where, Message: "the result names a component that the tool does not have",
			Found: input.Quote(ref), Expected: "the driver or an extension of the tool", Fix: "correct the reference",
		})
	}
	return c, true, ok
}

// ruleAt is ruleOf for a result with the index of the rule.
func ruleAt(f *input.Fields, c sarifComponent, index, id input.Text) (string, input.Severity, bool) {
	i, err := strconv.Atoi(index.Value)
	if err != nil || i >= len(c.ids) {
		f.Errs.Add(input.Error{
			Pos: index.Pos, Where: f.Pointer("ruleIndex"), Message: "the run lists no rule with this index", Found: index.Value,
			Expected: fmt.Sprintf("an index below %d", len(c.ids)), Fix: "correct the index, or replace it with ruleId",
		})
		return "", "", false
	}
	rule := c.ids[i]
	if id.Value != "" && id.Value != rule && !strings.HasPrefix(id.Value, rule+"/") && rule != "" {
		f.Errs.Add(input.Error{
			Pos: id.Pos, Where: f.Pointer("ruleId"), Message: "ruleId and ruleIndex name two rules", Found: input.Quote(id.Value),
			Expected: input.Quote(rule) + ", the rule with index " + index.Value + ", or an id below it", Fix: "name the same rule in both",
		})
	}
	return rule, c.levels[rule], true
}

// ruleNamed is ruleOf for a result with the id of the rule, which may extend the listed one: CA1000/1 is a case of CA1000. A
// rule that is not listed is a rule of its own.
func ruleNamed(levels map[string]input.Severity, id string) (string, input.Severity, bool) {
	for listed := id; ; {
		if level, ok := levels[listed]; ok {
			return listed, level, true
		}
		cut := strings.LastIndexByte(listed, '/')
		if cut < 0 {
			return id, input.Warn, true
		}
		listed = listed[:cut]
	}
}

// sarifBases returns the directories of a run that are absolute file URIs. Others lead to no known file.
func sarifBases(n *input.Node) map[string]string {
	const longest = 256 // every location repeats it
	bases := map[string]string{}
	if n == nil {
		return bases
	}
	for _, m := range n.Members {
		uri := m.Value.Member("uri")
		if uri != nil && strings.HasPrefix(uri.Text, "file:///") && len(uri.Text) <= longest && m.Value.Member("uriBaseId") == nil {
			bases[m.Key] = strings.TrimSuffix(uri.Text, "/") + "/"
		}
	}
	return bases
}

// places returns the first file of the locations of a result, with its line, and the files of all locations. "" is a
// location without a known file, as one relative to a directory other than the root of the repository, or a result without
// locations. A file relative to a directory that the run names is absolute.
func (r *sarifRun) places(f *input.Fields) (first string, line int64, all []string) {
	for _, location := range f.LooseObjects("locations") {
		physical := location.LooseChild("physicalLocation")
		artifact := physical.LooseChild("artifactLocation")
		uri := artifact.AnyText("uri")
		file := uriPath(uri)
		if base := artifact.AnyText("uriBaseId"); base != "" && base != "%SRCROOT%" && base != "SRCROOT" {
			file = ""
			if dir := r.bases[base]; dir != "" && uri != "" {
				file = uriPath(dir + uri)
			}
		}
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

// uriPath converts a relative URI reference to a path in the repository. A reference with malformed escapes, or with escapes
// that are not UTF-8, stays as it is. An absolute one (file:///…) stays absolute: its base is unknown.
func uriPath(uri string) string {
	path, err := url.PathUnescape(uri)
	if err != nil || !utf8.ValidString(path) {
		return uri
	}
	return strings.TrimPrefix(path, "./")
}

// checkInvocations refuses a run that failed according to the tool, or to the converter to SARIF: what the tool did not check
// is not clean.
func checkInvocations(f *input.Fields) {
	for _, run := range append(f.LooseObjects("invocations"), f.LooseChild("conversion").LooseChild("invocation")) {
		switch n := run.Get("executionSuccessful"); {
		case n == nil:
		case n.Kind != input.KindBool:
			run.Wrong(n, "executionSuccessful", "true or false")
		case !n.Bool:
			toolFailed(run, "executionSuccessful", "the tool reports that its run did not succeed", "true")
		}
		// The exit code is ignored: many tools exit with 1 when they find something.
		if run.AnyText("processStartFailureMessage") != "" {
			toolFailed(run, "processStartFailureMessage", "the tool could not be started", "no such message")
		}
		if run.AnyText("exitSignalName") != "" {
			toolFailed(run, "exitSignalName", "a signal ended the tool", "no signal")
		}
		if i := run.IntegerOf(run.OrNull("exitSignalNumber"), "exitSignalNumber", 0, maxLineNumber); i != nil && *i > 0 {
			toolFailed(run, "exitSignalNumber", "a signal ended the tool", "no signal")
		}
		for _, key := range []string{"toolExecutionNotifications", "toolConfigurationNotifications"} {
			for _, notification := range run.LooseObjects(key) {
				if sarifLevel(notification) != input.Block { // without a level it is a warning
					continue
				}
				message := "the tool reports an error of its run"
				if text := notification.LooseChild("message").AnyText("text"); text != "" {
					message += ": " + input.Clip(text)
				}
				toolFailed(notification, "level", message, "a level below error")
			}
		}
	}
}

func toolFailed(f *input.Fields, key, message, expected string) {
	n := f.Get(key)
	f.Errs.Add(input.Error{
		Pos: n.Pos, Where: f.Pointer(key), Message: message, Found: n.Describe(), Expected: expected,
		Fix: "fix what stopped the tool, and run it again",
	})
}
