package verify_test

import (
	"bytes"
	"crypto/sha1" // a git object id is one
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// lineageCase is a bundle made of real files of the lessons that the formats come from; testdata/lineage/README.md
// says what is judged differently there, and why.
type lineageCase struct {
	path    string            // <directory>/<verdict>.<what>
	comment string            // what it shows
	files   []txtar.File      // over testdata/base
	report  string            // the lesson's own report on it; "" when the lesson wrote none
	instead map[string]string // a finding of the lesson, "severity code" → ours in its place
	also    []string          // findings of ours that the lesson does not have
}

// lessonReport is what the reports of lessons 36 and 38 have in common.
type lessonReport struct {
	Passed   bool `json:"passed"`
	Findings []struct {
		Code     string `json:"code"`
		Severity string `json:"severity"`
	} `json:"findings"`
}

// TestLineage converts the lessons' files, judges them and compares the findings with those of the lessons, and the
// bundle with the committed one. With -update it writes the bundle; what must be found is never written by it.
func TestLineage(t *testing.T) {
	var generated []string
	for _, c := range slices.Concat(lesson33(t), lesson36(t), lesson37(t), lesson38(t)) {
		generated = append(generated, filepath.Join(root, "lineage", filepath.FromSlash(c.path)+".txtar"))
		t.Run(c.path, func(t *testing.T) { c.check(t) })
	}
	committed, err := filepath.Glob(filepath.Join(root, "lineage", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(generated)
	if !slices.Equal(committed, generated) {
		t.Errorf("committed are\n%s\nand the test makes\n%s", strings.Join(committed, "\n"), strings.Join(generated, "\n"))
	}
}

func (c *lineageCase) check(t *testing.T) {
	verdict, _, _ := strings.Cut(filepath.Base(c.path), ".")
	bundle := caseFile{
		path: filepath.Join(root, "lineage", filepath.FromSlash(c.path)+".txtar"), verdict: verdict,
		archive: &txtar.Archive{Comment: []byte(c.comment + "\nMade by TestLineage from testdata/lineage/original.\n\n"), Files: c.files},
	}
	r := bundle.files(t).judge()
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[f.Severity+" "+f.Code] = true
	}
	if want := c.expected(t); r.Verdict != verdict || !sameKeys(found, want) {
		t.Fatalf("verdict %s, expected %s; found %v, expected %v\n%s", r.Verdict, verdict, found, want, details(r))
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(bundle.path), 0o755); err != nil {
			t.Fatal(err)
		}
		bundle.update(t, summary(r))
		return
	}
	committed, err := os.ReadFile(bundle.path)
	if err != nil {
		t.Fatal(err)
	}
	bundle.archive.Files = append(bundle.archive.Files, txtar.File{Name: "expect", Data: []byte(summary(r))})
	if made := txtar.Format(bundle.archive); !bytes.Equal(made, committed) {
		t.Errorf("%s is not what the conversion makes:\n%s", bundle.path, made)
	}
}

// expected are the findings that the lesson has, in our words, and those that only we have.
func (c *lineageCase) expected(t *testing.T) map[string]bool {
	t.Helper()
	want := map[string]bool{}
	for _, f := range c.also {
		want[f] = true
	}
	if c.report == "" {
		return want
	}
	report := original[lessonReport](t, c.report)
	for _, f := range report.Findings {
		key := f.Severity + " " + f.Code
		if ours, ok := c.instead[key]; ok {
			key = ours
		}
		want[key] = true
	}
	if passed := strings.Contains(c.path, "/passed."); passed != report.Passed {
		t.Errorf("the lesson says passed: %v", report.Passed)
	}
	return want
}

func sameKeys(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func originalBytes(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "lineage", "original", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func original[T any](t *testing.T, name string) (value T) {
	t.Helper()
	if err := json.Unmarshal(originalBytes(t, name), &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// asFile gives a file of a bundle with its bytes as they are; a txtar file must end in a newline.
func asFile(name string, data []byte) txtar.File {
	return txtar.File{Name: name, Data: append(bytes.TrimRight(data, "\n"), '\n')}
}

func jsonFile(t *testing.T, name string, value any) txtar.File {
	t.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return asFile(name, data)
}

// linesFile writes one value a line.
func linesFile[T any](t *testing.T, name string, values []T) txtar.File {
	t.Helper()
	var data []byte
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		data = append(append(data, line...), '\n')
	}
	return txtar.File{Name: name, Data: data}
}

// noDiff takes the diff of testdata/base away: the lessons know touched paths only, which become changes.json.
var noDiff = txtar.File{Name: "remove", Data: []byte("pr.diff\n")}

// changesFile lists touched paths as modified files, but those in added. The lessons have no object ids, so they are
// made up from the path.
func changesFile(t *testing.T, touched, added []string) txtar.File {
	t.Helper()
	id := func(side, path string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(side+" "+path))) }
	var files []map[string]any
	for _, path := range slices.Sorted(slices.Values(touched)) {
		f := map[string]any{
			"path": path, "status": "modified", "old_mode": "100644", "new_mode": "100644", "old_id": id("old", path), "new_id": id("new", path),
		}
		if slices.Contains(added, path) {
			f["status"], f["old_mode"], f["old_id"] = "added", "000000", nil
		}
		files = append(files, f)
	}
	return jsonFile(t, "changes.json", map[string]any{"schema": "closeout.changes/v1", "files": files})
}

// lesson33 wrote two rule reports and their traces into one file. That file is not a rule report, and each of the two
// is one.
func lesson33(t *testing.T) []lineageCase {
	t.Helper()
	whole := originalBytes(t, "L33_rule_report.json")
	rows := original[map[string]json.RawMessage](t, "L33_rule_report.json")
	return []lineageCase{
		{
			path: "lesson-33/failed.whole-file", also: []string{"block rule.malformed"}, files: []txtar.File{asFile("rule_report.json", whole)},
			comment: "The file as the lesson wrote it: two lists of rows under names of its own. Which one counts is not for the gate to guess.",
		},
		{
			path: "lesson-33/failed.bad-rows", also: []string{"block rule.failed"}, files: []txtar.File{jsonFile(t, "rule_report.json", rows["bad"])},
			comment: `The rows under "bad": five rules, all broken.`,
		},
		{
			path: "lesson-33/passed.good-rows", files: []txtar.File{jsonFile(t, "rule_report.json", rows["good"])},
			comment: `The rows under "good": the same five rules, and all of them pass.`,
		},
	}
}

// TestLesson33IsRefusedPrecisely requires the place, what was found there and what to do.
func TestLesson33IsRefusedPrecisely(t *testing.T) {
	c := lesson33(t)[0]
	bundle := caseFile{path: c.path, archive: &txtar.Archive{Files: c.files}}
	f := bundle.files(t).judge().Findings[0]
	if f.Location.Path != "rule_report.json" || f.Location.Line != 1 || f.Location.Column != 1 {
		t.Errorf("at %+v", f.Location)
	}
	if want := `an object with the keys "bad", "good", "trace_bad", "trace_good"`; f.Actual != want {
		t.Errorf("found %s, expected %s", f.Actual, want)
	}
	if !strings.Contains(f.Fix, `rows under "bad" are not read`) {
		t.Errorf("the fix is %q", f.Fix)
	}
}

// lesson36Run is what the lesson noted of a session.
type lesson36Run struct {
	TouchedFiles   []string `json:"touched_files"`
	CommandsRun    []string `json:"commands_run"`
	ElapsedMinutes float64  `json:"elapsed_minutes"`
	NetworkHosts   []string `json:"network_hosts"`
}

// lesson36 judges two sessions against a project's contract and a task's, which we join as the lesson does.
func lesson36(t *testing.T) []lineageCase {
	t.Helper()
	contracts := []txtar.File{
		asFile("scope_contract.json", originalBytes(t, "L36_scope_contract.project.json")),
		asFile("contracts/T-001.json", originalBytes(t, "L36_scope_contract.task.json")),
	}
	unbound := []string{"warn evidence.unbound"}
	creep := original[lesson36Run](t, "L36_run_summary.creep.json")
	clean := original[lesson36Run](t, "L36_run_summary.clean.json")
	return []lineageCase{
		{
			path: "lesson-36/failed.creep", report: "L36_scope_report.creep.json", also: unbound,
			instead: map[string]string{"info scope.soft_off_scope": "info scope.soft"},
			files:   slices.Concat([]txtar.File{noDiff}, contracts, []txtar.File{changesFile(t, creep.TouchedFiles, nil), creep.log(t)}),
			comment: "The session that crept: forbidden files, no acceptance command, over time, and a host that is not allowed.",
		},
		{
			path: "lesson-36/passed.clean", report: "L36_scope_report.clean.json", also: unbound,
			files: slices.Concat([]txtar.File{noDiff}, contracts, []txtar.File{changesFile(t, clean.TouchedFiles, []string{"test_app.py"}), clean.log(t)}),
			comment: "The clean session. test_app.py is a new file here: the acceptance command names it, so changing one that exists would be\n" +
				"scope.protected, a rule that the lesson does not have.",
		},
		{
			path: "lesson-36/failed.clean-but-test-modified", also: slices.Concat(unbound, []string{"block scope.protected"}),
			files:   slices.Concat([]txtar.File{noDiff}, contracts, []txtar.File{changesFile(t, clean.TouchedFiles, nil), clean.log(t)}),
			comment: "The clean session with a test_app.py that is on the base: the author of the file that the acceptance command names decides what is tested.",
		},
	}
}

// log makes a record of the session as a whole, which has its time and hosts, and one of each command. The lesson
// notes no exit codes: for it a command that ran has passed.
func (r *lesson36Run) log(t *testing.T) txtar.File {
	t.Helper()
	records := []map[string]any{{
		"command": []string{"agent-session"}, "exit_code": 0, "duration_ms": int64(math.Round(r.ElapsedMinutes * 60_000)), "network_hosts": r.NetworkHosts,
	}}
	for _, command := range r.CommandsRun {
		records = append(records, map[string]any{"command": command, "exit_code": 0, "network_hosts": []string{}})
	}
	return linesFile(t, "feedback_record.jsonl", records)
}

// lesson37 wrote a log with a retry chain and a command that could not be started.
func lesson37(t *testing.T) []lineageCase {
	t.Helper()
	log := originalBytes(t, "L37_feedback_record.jsonl")
	contract := jsonFile(t, "scope_contract.json", map[string]any{
		"task_id": "lesson-37", "goal": "Print hello, and recover.", "allowed_files": []string{"src/**"}, "forbidden_files": []string{"secrets/**"},
		"acceptance_criteria": []string{`python3 -c "print('hello')"`, `python3 -c "print('recovered'); import sys; sys.exit(0)"`},
		"rollback_plan":       "Revert the commit.", "evidence": map[string]string{"min": "claimed"},
	})
	answer := `{"command_id": "e1b0c9d2a3f4", "parent_command_id": "da7f2f712a69", "command": ["does-exist"], "exit_code": 0}` + "\n"
	return []lineageCase{
		{
			path: "lesson-37/failed.as-written", also: []string{"block feedback.null_exit", "info feedback.nonzero_exit"},
			files: []txtar.File{contract, asFile("feedback_record.jsonl", log)},
			comment: "The log as the lesson wrote it. Every line is a record, the retry names a parent that is there, and the first attempt's exit 2 is\n" +
				"only told. The command that does not exist has no exit code, and nothing answers it: that blocks.",
		},
		{
			path: "lesson-37/passed.answered", also: []string{"info feedback.nonzero_exit"},
			files:   []txtar.File{contract, asFile("feedback_record.jsonl", append(slices.Clone(log), answer...))},
			comment: "The same log with one more line (the last, not the lesson's): a command that names the one without exit code as its parent.",
		},
	}
}

// lesson38Case is one of the lesson's three cases.
type lesson38Case struct {
	TaskID             string            `json:"task_id"`
	AcceptanceCommands []string          `json:"acceptance_commands"`
	Feedback           []json.RawMessage `json:"feedback"`
	ScopeReport        struct {
		Forbidden []string `json:"forbidden_writes"`
		OffScope  []string `json:"off_scope_writes"`
	} `json:"scope_report"`
	RuleReport     json.RawMessage `json:"rule_report"`
	CoverageReport json.RawMessage `json:"coverage_report"`
}

// lesson38 judges three cases, each without and with strict.
func lesson38(t *testing.T) []lineageCase {
	t.Helper()
	var list []lineageCase
	for _, c := range original[[]lesson38Case](t, "L38_artifacts_cases.json") {
		files := c.bundle(t)
		instead := map[string]string{"block acceptance.missing": "block feedback.empty", "warn coverage.missing": "block coverage.missing"}
		list = append(list, lineageCase{
			path: "lesson-38/" + lesson38Verdict(t, c.TaskID) + "." + c.TaskID, report: "L38_verification_report_" + c.TaskID + ".json",
			instead: instead, files: files, comment: "The lesson's case " + c.TaskID + ".",
		}, lineageCase{
			path: "lesson-38/" + lesson38Verdict(t, c.TaskID+".strict") + "." + c.TaskID + "-strict", report: "L38_verification_report_" + c.TaskID + ".strict.json",
			instead: instead, comment: "The lesson's case " + c.TaskID + " under strict.",
			files: append(slices.Clone(files), jsonFile(t, "facts.json", map[string]any{"schema": "closeout.facts/v1", "settings": map[string]bool{"strict": true}})),
		})
	}
	return list
}

func lesson38Verdict(t *testing.T, name string) string {
	t.Helper()
	if original[lessonReport](t, "L38_verification_report_"+name+".json").Passed {
		return "passed"
	}
	return "failed"
}

// bundle turns a case into inputs. app.py is the work that the lesson takes for granted.
func (c *lesson38Case) bundle(t *testing.T) []txtar.File {
	t.Helper()
	files := []txtar.File{
		noDiff, c.contract(t), changesFile(t, slices.Concat([]string{"app.py"}, c.ScopeReport.Forbidden, c.ScopeReport.OffScope), nil),
		linesFile(t, "feedback_record.jsonl", c.Feedback), jsonFile(t, "rule_report.json", c.RuleReport),
	}
	if string(c.CoverageReport) != "null" {
		files = append(files, jsonFile(t, "coverage_report.json", c.CoverageReport))
	}
	return files
}

// contract is lesson 36's, as far as lesson 38 judges it, with what lesson 38 has built in: off-scope files warn, and
// coverage has a floor of 80 %.
func (c *lesson38Case) contract(t *testing.T) txtar.File {
	t.Helper()
	contract := map[string]any{}
	for key, value := range original[map[string]json.RawMessage](t, "L36_scope_contract.effective.json") {
		if slices.Contains([]string{"goal", "allowed_files", "forbidden_files", "rollback_plan", "approvals_required"}, key) {
			contract[key] = value
		}
	}
	contract["task_id"], contract["acceptance_criteria"], contract["off_scope"] = c.TaskID, c.AcceptanceCommands, "warn"
	contract["coverage"] = map[string]any{"report": "coverage_report.json", "floor": 0.8}
	contract["evidence"] = map[string]string{"min": "claimed"}
	return jsonFile(t, "scope_contract.json", contract)
}
