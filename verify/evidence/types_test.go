package evidence

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/closeout-gate/closeout/verify/source"
)

// wholeContract is a contract with every key, and wholeRecord a record; wholeSARIF has every key that the gate reads.
const (
	wholeContract = `{"task_id": "T-1", "goal": "g", "rollback_plan": "r", "allowed_files": ["a/**"], "forbidden_files": ["b"],
 "acceptance_criteria": ["go test ./...", {"id": "neg", "run": ["x", ""], "cwd": "./web/", "expect": "fail", "proves": "c1",
  "min_evidence": "bound", "max_attempts": 7}, {"run": ["y"], "test_report": "u.xml", "min_tests": 9}],
 "approvals_required": ["note", {"id": "db", "files": "m/**"}], "off_scope": "warn",
 "severity_by_path": [{"files": ["c", "d"], "severity": "info"}], "violation_budget": 2, "time_budget_minutes": 30,
 "network_egress": ["api.example.com"], "docs_paths_soft": ["docs/**"],
 "coverage": {"report": "out/cov.json", "criterion": "c1", "floor": 0.8, "max_drop": 1e-2},
 "rules": {"run": ["lint", "--all"], "report": "out/rules.json", "required": true,
  "catalogue": [{"id": "q", "severity": "error", "expires_at": "2030-01-01"}],
  "ignore": [{"id": "q", "files": "e", "reason": "because", "until": "2029-12-31"}]},
 "evidence": {"min": "recorded", "dir": "ci/evidence"},
 "override": {"label": "l", "permission": "admin", "users": ["u"], "teams": ["t"], "binding": "event", "never": ["scope.forbidden"],
  "allow_author": true},
 "protected_files": ["p"], "may_touch_protected": ["Makefile"], "base_branches": ["main"], "applies_to": {"authors": ["some-app[bot]"]},
 "x-note": [1]}`

	wholeRecord = `{"command":["go","test"],"exit_code":0,"stdout":"a","stderr":"b","stdout_tail":"c","stderr_tail":"d","duration_ms":1,` +
		`"started_at":1.5,"cwd":"web","agent_note":"n","error":"e","command_id":"i","parent_command_id":"p","truncations":{"stdout":0},` +
		`"redactions":0,"seq":1,"task_id":"T-1","criterion":"c1","head_sha":"TREE","tree_before":"TREE","tree_after":"TREE",` +
		`"stdout_sha256":"DIGEST","stderr_sha256":"DIGEST","produced":[{"path":"r.json","sha256":"DIGEST","x-a":1}],"runner":"ci","run_id":7,` +
		`"run_attempt":1,"network_hosts":["a.example"],"x-note":{"a":[1]}}`

	wholeSARIF = `{"version":"2.1.0","inlineExternalProperties":[],"runs":[{"tool":{"driver":{"name":"t","guid":"g","rules":[
 {"id":"a","defaultConfiguration":{"level":"error"}}]},"extensions":[{"name":"e","guid":"h","rules":[{"id":"x"}]}]},
 "invocations":[{"executionSuccessful":true,"processStartFailureMessage":"","exitSignalName":"","exitSignalNumber":0,
  "toolExecutionNotifications":[{"level":"warning","message":{"text":"m"}}],"toolConfigurationNotifications":[]}],"externalPropertyFileReferences":{"artifacts":[]},
 "conversion":{"invocation":{"executionSuccessful":true}},
 "results":[{"ruleId":"a","ruleIndex":0,"rule":{"id":"a","index":0,"toolComponent":{"index":-1,"guid":"g","name":"t"}},"kind":"fail",
  "baselineState":"new","level":"note","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"f","uriBaseId":"SRCROOT"},
  "region":{"startLine":1}}}]}]}]}`
)

// otherTypes are values of every JSON type: each stands once wherever a valid document has a value. Repeated keys are the
// last, in an object of a list as well.
var otherTypes = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e400`, `123456789012345678901234567890`, `""`, `" "`, `"a"`, `"\u0000\ud83d\ude00"`,
	`[]`, `[null]`, `[0]`, `["a"]`, `[[]]`, `[{}]`, `{}`, `{"a":0}`, `{"":{"":[]}}`, `{"a":0,"a":0}`, `[{"a":0,"\u0061":0}]`,
	`{"a":{"b":0,"b":0}}`,
}

// otherKeys are put in the place of every key: empty, with the characters that a JSON pointer escapes, escaped and long.
var otherKeys = []string{`""`, `"~/a"`, `"\u0061"`, `"x-"`, `"` + strings.Repeat("k", 300) + `"`}

// typedInput is a kind of input, and a document of it that is accepted.
type typedInput struct {
	name, schema string // schema is "" where there is none
	whole        string
	parse        func([]byte) *source.Errors
}

func typedInputs() []typedInput {
	hashes := strings.NewReplacer("TREE", hex40, "DIGEST", hex64)
	return []typedInput{
		{"contract", "scope_contract", wholeContract, errorsOf(func(data []byte, l Limits) (*Contract, *source.Errors) {
			return ParseContract("c.json", data, l)
		})},
		{"log", "feedback_record", hashes.Replace(wholeRecord), func(data []byte) *source.Errors {
			_, errs := ReadLog(bytes.NewReader(data), DefaultLimits(), func(r *Record) { r.AppendOutput(nil) })
			return errs
		}},
		{"facts", "facts", wholeFacts, errorsOf(ParseFacts)},
		{"rows", "rule_report", `[{"id":"a","category":"c","severity":"warn","passed":false,"detail":"d","file":"f","line":1,"x-note":[1]}]`, errorsOf(ParseRules)},
		{"rows under rules", "rule_report", `{"rules":[{"slug":"a","passed":true}],"x-note":{"a":1}}`, errorsOf(ParseRules)},
		{"failure lists", "rule_report", `{"block_failures":["a"],"warn_failures":["b"],"x-note":1}`, errorsOf(ParseRules)},
		{"SARIF", "rule_report", wholeSARIF, errorsOf(ParseRules)},
		{"changes", "changes", document(
			element("package.json", "modified", "100644", "100644", idA, idB, `, "keys_changed": ["jest"], "x-note": {"a": 1}`),
			element("\"\\377\"", "modified", "100644", "100644", idA, idB, `, "path_base64": "/w=="`),
		), func(data []byte) *source.Errors {
			_, errs := ReadChanges(bytes.NewReader(data), DefaultLimits())
			return errs
		}},
		{"coverage", "coverage_report", `{"current":0.5,"previous":0.25,"x-note":[1]}`, errorsOf(ParseCoverage)},
		{"go test -json", "", `{"Time":"2026-11-21T12:00:00Z","Action":"pass","Package":"p","Test":"T","Elapsed":0.1,"Output":"o"}`, errorsOf(ParseTests)},
	}
}

// compiled is the schema of an input; nil where there is none.
func (in *typedInput) compiled(t testing.TB) *jsonschema.Schema {
	if in.schema == "" {
		return nil
	}
	return compileSchema(t, in.schema)
}

func TestEveryTypeInEveryPlace(t *testing.T) {
	for _, in := range typedInputs() {
		t.Run(in.name, func(t *testing.T) { checkEveryType(t, in.whole, in.parse, in.compiled(t)) })
	}
}

// FuzzEveryPlace puts any text into any place of a document.
func FuzzEveryPlace(f *testing.F) {
	inputs := typedInputs()
	schemas := make([]*jsonschema.Schema, len(inputs))
	for i := range inputs {
		schemas[i] = inputs[i].compiled(f)
		f.Add(uint(i), uint(i), `{"a":0,"a":[]}`)
	}
	f.Fuzz(func(t *testing.T, input, at uint, text string) {
		i := input % uint(len(inputs))
		places := placesOf(t, inputs[i].whole)
		p := places[at%uint(len(places))]
		if p.at == 0 && strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") {
			return // of lines, a log has more than one or none
		}
		checkAnswer(t, inputs[i].whole[:p.at]+text+inputs[i].whole[p.end:], inputs[i].parse, schemas[i])
	})
}

// errorsOf is a parser of which only the errors are asked for.
func errorsOf[T any](parse func([]byte, Limits) (*T, *source.Errors)) func([]byte) *source.Errors {
	return func(data []byte) *source.Errors {
		_, errs := parse(data, DefaultLimits())
		return errs
	}
}

// checkEveryType puts every type into every place of a document. The parser must say what is wrong, at a place in the
// text, or accept what the schema accepts too. A nil schema accepts everything.
func checkEveryType(t *testing.T, whole string, parse func([]byte) *source.Errors, s *jsonschema.Schema) {
	t.Helper()
	if errs := parse([]byte(whole)); errs.Any() {
		t.Fatalf("the whole document: %v", errs.All())
	}
	for _, v := range placesOf(t, whole) {
		with := otherTypes
		if v.key {
			with = otherKeys
		}
		for _, other := range with {
			text := whole[:v.at] + other + whole[v.end:]
			checkAnswer(t, text, parse, s)
		}
	}
}

func checkAnswer(t *testing.T, text string, parse func([]byte) *source.Errors, s *jsonschema.Schema) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: %v", text, r)
		}
	}()
	errs := parse([]byte(text))
	checkPlaces(t, []byte(text), errs)
	for _, e := range errs.All() {
		if e.Message == "" || e.Found == "" || e.Expected == "" || e.Fix == "" {
			t.Errorf("%s: not complete: %+v", text, e)
		}
	}
	if s == nil || errs.Any() {
		return
	}
	if err := validate(s, []byte(text)); err != nil {
		t.Errorf("accepted, but the schema says %v: %s", err, text)
	}
}

// place is where a value or a key of a JSON text stands.
type place struct {
	at, end int
	key     bool
}

// placesOf lists all values and keys of a JSON text: the text itself, its members, and what they hold.
func placesOf(t *testing.T, text string) []place {
	t.Helper()
	var list []place
	var walk func(at int, value jsontext.Value)
	walk = func(at int, value jsontext.Value) {
		list = append(list, place{at: at, end: at + len(value)})
		if k := value.Kind(); k != '{' && k != '[' {
			return
		}
		dec := jsontext.NewDecoder(bytes.NewReader(value))
		if _, err := dec.ReadToken(); err != nil {
			t.Fatal(err)
		}
		for i := 0; dec.PeekKind() != '}' && dec.PeekKind() != ']'; i++ {
			member, err := dec.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			end := at + int(dec.InputOffset())
			if value.Kind() == '{' && i%2 == 0 {
				list = append(list, place{end - len(member), end, true})
				continue
			}
			walk(end-len(member), bytes.Clone(member))
		}
	}
	start := len(text) - len(strings.TrimLeft(text, " \n"))
	walk(start, jsontext.Value(strings.TrimSpace(text)))
	return list
}

// A line is read as if it stood alone: what an earlier line left behind neither panics nor shows in its errors.
func TestEveryTypeAfterAnotherLine(t *testing.T) {
	const long = `{"a-key-that-is-far-longer-than-the-next-line":{"a":0,"a":0}}`
	for _, line := range otherTypes {
		for _, before := range []string{long, rec(`,"truncations":{"a":1}`), `[{"a":0,"a":0}]`} {
			_, _, alone := readLog(strings.NewReader("\n"+line), DefaultLimits())
			_, _, both := readLog(strings.NewReader(before+"\n"+line), DefaultLimits())
			var after []source.Error
			for _, e := range both {
				if e.Pos.Line == 2 {
					after = append(after, e)
				}
			}
			if fmt.Sprint(after) != fmt.Sprint(alone) {
				t.Errorf("%s behind %s: %v, alone: %v", line, before, after, alone)
			}
			for i := range min(len(after), len(alone)) {
				if after[i].Where != alone[i].Where {
					t.Errorf("%s behind %s: where %q, alone %q", line, before, after[i].Where, alone[i].Where)
				}
			}
		}
	}
}
