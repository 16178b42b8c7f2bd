package verify_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/report"
)

// fingerprintPairs are two states of a bundle at one head. The override code of one must count for the other only where
// the problem is the same.
var fingerprintPairs = []struct {
	name string
	a, b files
	same bool
}{
	{"another exit code", log(`{"command":["go","test","./..."],"exit_code":1}`), log(`{"command":["go","test","./..."],"exit_code":2}`), true},
	{"more output and time", log(`{"command":["go","test","./..."],"exit_code":1}`),
		log(`{"command":["go","test","./..."],"exit_code":1,"duration_ms":7,"stdout":"FAIL"}`), true},
	{"not run instead of failed", log(`{"command":["go","test","./..."],"exit_code":1}`), log(`{"command":["true"],"exit_code":0}`), false},
	{"no exit code instead of failed", log(`{"command":["go","test","./..."],"exit_code":1}`), log(`{"command":["go","test","./..."],"exit_code":null}`), false},
	{"another command", criterion(`"run": ["go", "vet"]`), criterion(`"run": ["go", "build"]`), false},
	{"words that join to the same", criterion(`"run": ["go", "vet a"]`), criterion(`"run": ["go", "vet", "a"]`), false},
	{"another directory", criterion(`"run": ["go", "vet"], "cwd": "a"`), criterion(`"run": ["go", "vet"], "cwd": "b"`), false},
	{"another expectation", criterion(`"run": ["go", "vet"]`), criterion(`"run": ["go", "vet"], "expect": "fail"`), false},
	{"more attempts allowed", criterion(`"run": ["go", "vet"]`), criterion(`"run": ["go", "vet"], "max_attempts": 9`), true},
	{"failed in another log too", logs(0, 1, 0), logs(0, 1, 1), false},
	{"failed in another log", logs(0, 1, 0), logs(0, 0, 1), false},
	{"claimed instead of bound", minimum("recorded", onTree("0")), minimum("recorded", `{"command":["go","test","./..."],"exit_code":0}`), false},
	{"of another tree", minimum("claimed", onTree("1")), minimum("claimed", onTree("2")), false},
	{"of the same tree", minimum("claimed", onTree("1")), minimum("claimed", onTree("1")+"\n"), true},
	{"too few tests", tests(1), tests(2), false},
	{"no test report", tests(1), tests(-1), false},
	{"another file", rules(`{"id":"r","passed":false,"file":"a.go"}`), rules(`{"id":"r","passed":false,"file":"b.go"}`), false},
	{"another file outside", rules(`{"id":"r","passed":false,"file":"/a.go"}`), rules(`{"id":"r","passed":false,"file":"/b.go"}`), false},
	{"another line", rules(`{"id":"r","passed":false,"file":"a.go","line":1}`), rules(`{"id":"r","passed":false,"file":"a.go","line":2}`), true},
	{"another file of several", sarif("a.go", "b.go"), sarif("a.go", "c.go"), false},
	{"another rule", rules(`{"id":"r","passed":false}`), rules(`{"id":"s","passed":false}`), false},
	{"less coverage", coverage("0.79"), coverage("0.10"), false},
	{"a line less of coverage", coverage("0.7921"), coverage("0.7918"), true},
	{"a little over the time", spent(61), spent(70), true},
	{"ten times the time", spent(61), spent(600), false},
	{"more hosts than are listed", hosts(1050), hosts(1060), false},
	{"another end of a long command", nullExit("a"), nullExit("b"), false},
}

type files map[string]string

func log(lines string) files { return files{"feedback_record.jsonl": lines + "\n"} }

const goTest = `{"id": "test", "run": ["go", "test", "./..."]}`

func contract(criterion, more string) string {
	return `{"task_id": "T-1", "goal": "Add.", "allowed_files": ["src/**"], "forbidden_files": ["secrets/**"],
	"acceptance_criteria": [` + goTest + `, ` + criterion + `], "rollback_plan": "Revert." ` + more + `}`
}

// criterion has a criterion beside the base's; its command was never run.
func criterion(text string) files {
	return files{"scope_contract.json": contract(`{"id": "own", `+text+`}`, `, "evidence": {"min": "claimed"}`)}
}

// logs gives each log one record of the command with an exit code.
func logs(exits ...int) files {
	all := files{}
	for i, exit := range exits {
		name := "feedback/" + string(rune('a'+i)) + ".jsonl"
		all[name] = `{"command":["go","test","./..."],"exit_code":` + string(rune('0'+exit)) + "}\n"
	}
	return all
}

// onTree is a record that passed on a tree.
func onTree(digit string) string {
	id := strings.Repeat(digit, 40)
	return `{"command":["go","test","./..."],"exit_code":0,"tree_before":"` + id + `","tree_after":"` + id + `"}`
}

// minimum asks for a level of evidence.
func minimum(level, lines string) files {
	all := log(lines + "\n" + `{"command":["go","version"],"exit_code":0}`)
	all["scope_contract.json"] = strings.Replace(contract("", `, "evidence": {"min": "`+level+`"}`), goTest+", ", goTest, 1)
	return all
}

// tests has a test report with so many tests, of which three are wanted; none for a negative number.
func tests(n int) files {
	all := files{"scope_contract.json": strings.Replace(contract("", `, "evidence": {"min": "claimed"}`), goTest+", ",
		`{"id": "test", "run": ["go", "test", "./..."], "test_report": ".closeout/evidence/junit.xml", "min_tests": 3}`, 1)}
	if n >= 0 {
		all["tests/.closeout/evidence/junit.xml"] = `<testsuite>` + strings.Repeat(`<testcase name="a"/>`, n) + `</testsuite>`
	}
	return all
}

func rules(row string) files { return files{"rule_report.json": "[" + row + "]"} }

// sarif has a rule that is broken in several files.
func sarif(in ...string) files {
	var results []string
	for _, file := range in {
		results = append(results, `{"ruleId":"r","level":"error","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"`+file+`"}}}]}`)
	}
	return files{"rule_report.json": `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t","rules":[{"id":"r"}]}},"results":[` + strings.Join(results, ",") + `]}]}`}
}

func coverage(current string) files {
	return files{
		"scope_contract.json":  strings.Replace(contract("", `, "evidence": {"min": "claimed"}, "coverage": {"report": "coverage_report.json", "floor": 0.8}`), goTest+", ", goTest, 1),
		"coverage_report.json": `{"current": ` + current + `}`,
	}
}

// budget is a contract with an hour of time and no network.
func budget(log files) files {
	log["scope_contract.json"] = strings.Replace(contract("", `, "evidence": {"min": "claimed"}, "time_budget_minutes": 60, "network_egress": []`), goTest+", ", goTest, 1)
	return log
}

// spent took some minutes.
func spent(minutes int) files {
	return budget(log(fmt.Sprintf(`{"command":["go","test","./..."],"exit_code":0,"network_hosts":[],"duration_ms":%d}`, minutes*60_000)))
}

// hosts reached so many hosts. Past the first thousand only their number is known.
func hosts(n int) files {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"h%d.example"`, i))
	}
	return budget(log(`{"command":["go","test","./..."],"exit_code":0,"network_hosts":[` + strings.Join(names, ",") + `]}`))
}

// nullExit has a long command without an exit code.
func nullExit(end string) files {
	return log(`{"command":["go","test","./..."],"exit_code":0}` + "\n" + `{"command":["make","` + strings.Repeat("x", 300) + end + `"],"exit_code":null}`)
}

// TestFingerprintsTellProblemsApart judges both states of each pair: the codes are equal where the problem is.
func TestFingerprintsTellProblemsApart(t *testing.T) {
	facts := `{"schema": "closeout.facts/v1", "subject": {"head_sha": "` + strings.Repeat("a", 40) + `", "accepted_trees": ["` + strings.Repeat("0", 40) + `"]}}`
	for _, pair := range fingerprintPairs {
		t.Run(pair.name, func(t *testing.T) {
			a, b := judgeOver(t, pair.a, facts), judgeOver(t, pair.b, facts)
			if a.OverrideCode == nil || b.OverrideCode == nil {
				t.Fatalf("both must block:\n%s\n%s", summary(a), summary(b))
			}
			if same := *a.OverrideCode == *b.OverrideCode; same != pair.same {
				t.Errorf("the codes are equal: %v\n%s\n%s", same, details(a), details(b))
			}
		})
	}
}

func judgeOver(t *testing.T, over files, facts string) *report.Report {
	t.Helper()
	all := plainFiles(t).with("facts.json", []byte(facts))
	for name, text := range over {
		all[name] = []byte(text)
	}
	return all.judge()
}
