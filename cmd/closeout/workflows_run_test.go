package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// runner carries out the scripts of a workflow's recording job as GitHub's runner does, on a repository of its own: a
// base branch with a contract, and a change.
type runner struct {
	t                             *testing.T
	workflow                      *actionlint.Workflow
	work, temp, base, head, event string
	inputs                        map[string]string // of a workflow that is called
	setup                         string            // instead of the step's own, "" for that
	leg                           string            // of a matrix
	exported                      []string
	outputs                       map[string]string // by "step.name"
	outcome                       map[string]string // of each step
	known                         map[string]string // expressions and their values
}

// ran is what a recording job leaves for the gate's.
type ran struct {
	evidence string   // directory of the artifact
	digests  []string // each perhaps behind the name of its stream
}

const standing = `{"allowed_files": ["src/**", ".closeout/tasks/*"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "word", "run": ["grep", "-rq", "good", "src"]},
    {"id": "red", "run": ["grep", "-rq", "bad", "src"], "expect": "fail", "proves": "word"}]%s}`

// ofSuccess is an output of a step that counts only where the step succeeded.
var ofSuccess = regexp.MustCompile(`^\$\{\{ steps\.(\w+)\.outcome == 'success' && steps\.(\w+)\.outputs\.(\w+) \|\| '' \}\}$`)

// ofCross is the digest of the tests of the base in the input of the gate.
var ofCross = regexp.MustCompile(`\$\{\{ needs\.cross\.outputs\.\w+ \}\}`)

// changed is what a pull request brings: files by path.
type changed map[string]string

// TestWorkflowsRecord runs what the workflows run, and lets the gate judge what comes out of it.
func TestWorkflowsRecord(t *testing.T) {
	good := changed{"src/word.txt": "good\n"}
	forged := `{"seq":1,"command":["grep","-rq","good","src"],"exit_code":0}` + "\n"
	task := `{"task_id": "T-2", "goal": "Say a word.", "allowed_files": ["src/**"], "forbidden_files": ["docs/**"], "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "more", "run": ["test", "-d", "src"]}]}`
	if a, b := recordScript(t, twoJobs), recordScript(t, mergeQueue); a != b {
		t.Errorf("%s and %s record by other scripts, and only one of them is run in each case:\n%s\n%s", twoJobs, mergeQueue, a, b)
	}
	some, most, all := []string{oneJob, reusable}, []string{oneJob, mergeQueue, reusable}, []string{oneJob, twoJobs, mergeQueue, reusable}
	for name, c := range map[string]struct {
		files  []string
		change changed
		want   []string
	}{
		"good": {all, good, []string{"passed +word +LEVEL", "passed +red +LEVEL", "\npassed: no findings"}},
		"bad":  {some, changed{"src/word.txt": "wrong\n"}, []string{`block acceptance.failed: "word"`, "failed +word +LEVEL", "\nfailed: 1 block"}},
		"evidence that was brought along": {
			some, changed{"src/word.txt": "wrong\n", ".closeout/evidence/feedback_record.jsonl": forged, ".closeout/evidence/more/feedback_record.jsonl": forged,
				".closeout/evidence/rules/feedback_record.jsonl": forged},
			[]string{"failed +word +LEVEL", "\nfailed: 1 block", " 3 records"},
		},
		"a contract of its own": {
			most, changed{"src/word.txt": "wrong\n", ".closeout/scope_contract.json": strings.ReplaceAll(fmt.Sprintf(standing, ""), "good", "wrong")},
			[]string{`block acceptance.failed: "word"`, "failed +word +LEVEL"},
		},
		"a task contract": {
			most, changed{"src/word.txt": "good\n", ".closeout/tasks/T-2.json": task},
			[]string{"passed +more +LEVEL", "\npassed: no findings"},
		},
		"a file beside task contracts": { // a person can accept it, and then the evidence must be there
			most, changed{"src/word.txt": "good\n", ".closeout/tasks/README.md": "Notes.\n"},
			[]string{"block scope.protected", "passed +word +LEVEL", "\nfailed: 1 block"},
		},
	} {
		for _, file := range c.files {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				r := newRunner(t, file, "pull_request", c.change, "scope_contract.json")
				got := r.judge(r.record())
				level := "recorded"
				if file == oneJob {
					level = "bound"
				}
				expectText(t, got, level, c.want)
			})
		}
	}
}

// TestWorkflowsRecordPlanted brings along what could change how the recorder works.
func TestWorkflowsRecordPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		brought changed
		link    string // from the evidence directory to this
		fails   bool
	}{
		"evidence that is a link":     {nil, "../src", true},
		"a report of the gate":        {changed{"verification_report.json": `{"verdict": "passed"}`}, "", false},
		"programs":                    {changed{"grep": "#!/bin/sh\n", "bash": "#!/bin/sh\n", "git": "#!/bin/sh\n"}, "", false},
		"a contract with no criteria": {changed{".closeout/scope_contract.yaml": "allowed_files: [src]\n"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			brought := changed{"src/word.txt": "wrong\n"}
			maps.Copy(brought, c.brought)
			r := newRunner(t, twoJobs, "pull_request", brought, "scope_contract.json")
			if c.link != "" {
				if err := os.Symlink(c.link, filepath.Join(r.work, ".closeout/evidence")); err != nil {
					t.Fatal(err)
				}
			}
			if c.fails {
				r.expectNothing()
				return
			}
			expectText(t, r.judge(r.record()), "recorded", []string{`block acceptance.failed: "word"`, "failed +word +LEVEL", "passed +red +LEVEL"})
		})
	}
}

// TestWorkflowsRecordTaskOfBase records a task contract that is on the base branch where the workflow names it.
func TestWorkflowsRecordTaskOfBase(t *testing.T) {
	t.Parallel()
	for _, task := range []string{"", "T-1"} {
		r := newRunner(t, reusable, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
		r.inputs = map[string]string{"task": task}
		done := r.record()
		log, err := os.ReadFile(filepath.Join(done.evidence, "feedback_record.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(log), `"criterion":"slow"`); got != (task != "") || strings.Contains(string(log), "task_id") {
			t.Errorf("the task %q is recorded: %v\n%s", task, got, log)
		}
	}
}

// TestWorkflowsRecordMatrix runs both legs of a matrix, one of which may fail or die, and lets the gate judge both.
func TestWorkflowsRecordMatrix(t *testing.T) {
	digests := regexp.MustCompile(`\$\{\{ needs\.record\.outputs\.(\w+) \|\| '(\w+=)' \}\}`)
	for name, c := range map[string]struct {
		setup string // of the second leg
		dies  bool
		want  []string
	}{
		"both pass":         {"", false, []string{"passed +word +recorded", "\npassed: no findings", " 6 records"}},
		"one fails":         {`printf bad >> src/word.txt`, false, []string{`block evidence.conflict: "red"`, "failed +red"}},
		"one dies":          {`kill -9 $PPID`, true, []string{`block evidence.digest_mismatch: the stream "arm64" has no digest`, "\nfailed: 1 block"}},
		"one tampers":       {`echo >> .closeout/evidence/feedback_record.jsonl`, true, []string{`block evidence.digest_mismatch: the stream "arm64" has no digest`}},
		"one forges others": {`echo feedback_sha256_amd64= >> $FILES/GITHUB_OUTPUT`, true, []string{`block evidence.digest_mismatch: the stream "arm64" has no digest`, "passed +word +recorded"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, matrix, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
			evidence, outputs := t.TempDir(), map[string]string{}
			for i, leg := range []string{"amd64", "arm64"} {
				r.leg, r.outputs, r.setup = leg, map[string]string{}, ""
				dir := evidence
				if i > 0 {
					r.setup, dir = c.setup, filepath.Join(evidence, "legs", leg, ".closeout/evidence")
				}
				done, err := r.steps()
				if (err != nil) != (i > 0 && c.dies) {
					t.Fatal(err)
				}
				if err := os.CopyFS(dir, os.DirFS(done.evidence)); err != nil {
					t.Fatal(err)
				}
				for name, output := range r.workflow.Jobs["record"].Outputs {
					if m := ofSuccess.FindStringSubmatch(output.Value.Value); r.outcome[m[1]] == "success" && r.outputs[m[2]+"."+m[3]] != "" {
						outputs[name] = r.outputs[m[2]+"."+m[3]] // as the runner: an empty output replaces none
					}
				}
				r.git("checkout", "-q", "--force", "HEAD")
			}
			steps := r.workflow.Jobs["closeout"].Steps
			judge := slices.IndexFunc(steps, func(s *actionlint.Step) bool { return text(s.Name) == "Judge" })
			given := steps[judge].Exec.(*actionlint.ExecAction).Inputs["feedback_sha256"].Value.Value
			given = digests.ReplaceAllStringFunc(given, func(text string) string {
				m := digests.FindStringSubmatch(text)
				return cmp.Or(outputs[m[1]], m[2])
			})
			given = ofCross.ReplaceAllString(given, "") // no test is edited
			expectText(t, r.judge(ran{evidence, strings.Fields(given)}), "", c.want)
		})
	}
}

// recordScript is the script that records, without its comments.
func recordScript(t *testing.T, file string) string {
	t.Helper()
	w, errs := actionlint.Parse(readWorkflow(t, file))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, step := range w.Jobs["record"].Steps {
		if run, ok := step.Exec.(*actionlint.ExecRun); ok && text(step.ID) == "record" {
			return regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(run.Run.Value, "")
		}
	}
	t.Fatalf("%s records nothing", file)
	return ""
}

// TestWorkflowsRecordQueue records the head of a merge group, and a contract in YAML.
func TestWorkflowsRecordQueue(t *testing.T) {
	t.Parallel()
	good := changed{"src/word.txt": "good\n"}
	for _, file := range []string{mergeQueue, reusable} {
		r := newRunner(t, file, "merge_group", good, "scope_contract.json")
		expectText(t, r.judge(r.record()), "recorded", []string{"passed +word +LEVEL", "\npassed: no findings"})
	}
	r := newRunner(t, reusable, "pull_request", good, "scope_contract.yaml")
	expectText(t, r.judge(r.record()), "recorded", []string{"passed +word +LEVEL", "\npassed: no findings"})
}

// TestWorkflowsRecordTasks records a merge group whose pull requests bring along a task contract each, the first of which
// fails: each has a log that is supplied.
func TestWorkflowsRecordTasks(t *testing.T) {
	t.Parallel()
	const task = `{"task_id": %q, "goal": "Say a word.", "allowed_files": ["src/**"], "forbidden_files": ["docs/**"], "rollback_plan": "Revert.",
  "acceptance_criteria": [{"id": "more", "run": ["test", "-f", %q]}]}`
	for _, file := range []string{mergeQueue, reusable} {
		r := newRunner(t, file, "merge_group", changed{
			"src/word.txt": "good\n", ".closeout/tasks/T-2.json": fmt.Sprintf(task, "T-2", "nothing"), ".closeout/tasks/T-3.json": fmt.Sprintf(task, "T-3", "src/word.txt"),
		}, "scope_contract.json")
		done := r.record()
		for _, id := range []string{"T-2", "T-3"} {
			log, err := os.ReadFile(filepath.Join(done.evidence, "task", id+".json", "feedback_record.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(log)
			if !slices.Contains(done.digests, id+".json="+hex.EncodeToString(sum[:])) || strings.Count(string(log), `"task_id":"`+id+`"`) != 1 {
				t.Errorf("%s: expected a record of %s and the digest of its log among %q:\n%s", file, id, done.digests, log)
			}
		}
		if len(done.digests) != 4 {
			t.Errorf("%s: %d digests are supplied, expected those of four logs", file, len(done.digests))
		}
	}
}

// TestWorkflowsRecordInputs sets up and judges rules. A linter that fails does not end the job.
func TestWorkflowsRecordInputs(t *testing.T) {
	t.Parallel()
	r := newRunner(t, reusable, "pull_request", changed{"src/word.txt": "wrong\n", ".gitignore": "tools\n"}, "scope_contract.json")
	r.inputs = map[string]string{
		"setup": `mkdir tools && echo wrong > tools/word
echo '{"block_failures": [], "warn_failures": []}' > .closeout/evidence/rule_report.json`,
		"rules": `if grep -qf tools/word src/word.txt; then
  echo '[{"slug": "no-wrong", "passed": false}]' > .closeout/evidence/rule_report.json; exit 1
fi`,
	}
	expectText(t, r.judge(r.record()), "recorded", []string{
		`block acceptance.failed: "word"`, "failed +word +LEVEL", "block rule.failed: the rule \"no-wrong\" is broken", " 3 records", "\nfailed: 3 block",
	})
	r.inputs["rules"] = "true" // the report that the setup left is none of the linter's
	if done, err := r.steps(); err == nil || len(done.digests) > 0 {
		t.Errorf("a linter that writes no report: %q, %v", done.digests, err)
	}
}

// expectNothing runs the recording job, which must fail and hand nothing over.
func (r *runner) expectNothing() {
	r.t.Helper()
	if done, err := r.steps(); err == nil || len(done.digests) > 0 {
		r.t.Errorf("supplied %q, %v", done.digests, err)
	}
	if forged := r.outputs["record.feedback_sha256"]; strings.Contains(forged, "forged") {
		r.t.Errorf("the step's output is %q", forged)
	}
}

// TestWorkflowsReplaceProgram replaces the program: nothing calls it any more.
func TestWorkflowsReplaceProgram(t *testing.T) {
	t.Parallel()
	r := newRunner(t, reusable, "pull_request", changed{"src/word.txt": "wrong\n"}, "scope_contract.json")
	r.inputs = map[string]string{"setup": `mkdir -p $FILES/bin && printf '#!/bin/sh\nexit 0\n' > $FILES/bin/closeout && chmod +x $FILES/bin/closeout`}
	expectText(t, r.judge(r.record()), "recorded", []string{`block acceptance.failed: "word"`})
}

// TestWorkflowsAppendToScript appends to the script of the step, which bash has not read to its end.
func TestWorkflowsAppendToScript(t *testing.T) {
	for _, file := range []string{oneJob, twoJobs, mergeQueue, reusable} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, file, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
			r.setup = `echo 'echo feedback_sha256=forged >> "$GITHUB_OUTPUT"' >> $FILES/script.sh`
			r.record()
			if forged := r.outputs["record.feedback_sha256"]; strings.Contains(forged, "forged") {
				t.Errorf("the step's output is %q", forged)
			}
		})
	}
}

// TestWorkflowsRecordAltered alters the evidence between the jobs, and loses a digest.
func TestWorkflowsRecordAltered(t *testing.T) {
	t.Parallel()
	r := newRunner(t, twoJobs, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
	done := r.record()
	if len(done.digests) != 2 {
		t.Fatalf("digests: %q", done.digests)
	}
	log := filepath.Join(done.evidence, "feedback_record.jsonl")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		log     string
		digests []string
		want    string
	}{
		{string(whole), done.digests, "\npassed: no findings"},
		{string(whole) + string(whole), done.digests, "block evidence.digest_mismatch"},
		{string(whole), done.digests[:1], `block acceptance.missing: "word"`},
		{string(whole), done.digests[1:], "block evidence.below_minimum: "},
		{string(whole), nil, `block evidence.below_minimum: the evidence for "word"`},
	} {
		writeFile(t, log, c.log)
		expectText(t, r.judge(ran{done.evidence, c.digests}), "", []string{c.want})
	}
}

// TestWorkflowsRecordWithoutContract wants a job that fails where there is nothing to record by.
func TestWorkflowsRecordWithoutContract(t *testing.T) {
	t.Parallel()
	for _, file := range []string{twoJobs, mergeQueue, reusable} {
		r := newRunner(t, file, "pull_request", changed{"src/word.txt": "good\n"}, "other.json")
		if done, err := r.steps(); err == nil || len(done.digests) > 0 {
			t.Errorf("%s: got %q, %v", file, done.digests, err)
		}
	}
}

func expectText(t *testing.T, got, level string, want []string) {
	t.Helper()
	for _, w := range want {
		w = strings.ReplaceAll(w, "LEVEL", level)
		if !regexp.MustCompile(strings.ReplaceAll(w, ".", `\.`)).MatchString(got) {
			t.Errorf("%q is not in\n%s", w, got)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// newRunner makes the checkout of a changed, as actions/checkout leaves it with all history.
func newRunner(t *testing.T, file, event string, brought changed, contract string) *runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the recorder needs a Unix system")
	}
	w, errs := actionlint.Parse(readWorkflow(t, file))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := &runner{t: t, workflow: w, work: t.TempDir(), temp: t.TempDir(), outputs: map[string]string{}, outcome: map[string]string{}}
	min := ""
	if file == oneJob {
		min = `, "evidence": {"min": "bound"}`
	}
	r.git("init", "-q", "-b", "main")
	writeFile(t, filepath.Join(r.work, "src/word.txt"), "none\n")
	writeFile(t, filepath.Join(r.work, ".closeout/tasks/T-1.json"), `{"task_id": "T-1", "goal": "Wait.", "allowed_files": ["src/**"], "forbidden_files": ["docs/**"],
  "rollback_plan": "Revert.", "acceptance_criteria": [{"id": "slow", "run": ["sleep", "0"]}]}`)
	writeFile(t, filepath.Join(r.work, ".closeout", contract), fmt.Sprintf(standing, min))
	r.commit()
	if event == "pull_request" { // the base of a merge group need not be the tip of the branch
		r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	}
	r.base = r.git("rev-parse", "HEAD")
	for path, text := range brought {
		writeFile(t, filepath.Join(r.work, path), text)
	}
	r.commit()
	r.head = r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", "--detach", "HEAD")
	r.event = event
	return r
}

func (r *runner) commit() {
	r.git("add", "-A")
	r.git("commit", "-qm", "change")
}

func (r *runner) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = r.work, gitEnv()
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// record runs the job that must succeed.
func (r *runner) record() ran {
	r.t.Helper()
	done, err := r.steps()
	if err != nil {
		r.t.Fatal(err)
	}
	return done
}

// steps runs the scripts of the recording job one after the other, and
// returns what the job supplies.
func (r *runner) steps() (ran, error) {
	r.t.Helper()
	if r.workflow.Jobs["record"] == nil {
		return r.stepsOf("closeout")
	}
	return r.stepsOf("record")
}

// stepsOf is steps for another job.
func (r *runner) stepsOf(name string) (ran, error) {
	r.t.Helper()
	job := r.workflow.Jobs[name]
	for _, step := range job.Steps {
		run, ok := step.Exec.(*actionlint.ExecRun)
		if !ok || fetches(step) {
			continue
		}
		shared := append(r.variables(r.workflow.Env), r.variables(job.Env)...)
		failed := r.script(run.Run.Value, shared, r.variables(step.Env), text(step.ID))
		r.outcome[text(step.ID)] = "success"
		if failed != nil {
			r.outcome[text(step.ID)] = "failure"
			return r.handOver(job), failed
		}
	}
	return r.handOver(job), nil
}

// script runs one step in bash as the runner does, and reads what it exports and puts out.
func (r *runner) script(script string, job, step []string, id string) error {
	r.t.Helper()
	files := map[string]string{"GITHUB_OUTPUT": "", "GITHUB_ENV": "", "GITHUB_PATH": ""}
	dir := r.t.TempDir()
	env := gitEnv("RUNNER_TEMP="+r.temp, "FILES="+dir, "PATH="+dir+"/bin:"+os.Getenv("PATH"), "GITHUB_ACTIONS=true", "CI=true")
	event := filepath.Join(dir, "event.json")
	writeFile(r.t, event, r.payload())
	env = append(env, "GITHUB_EVENT_NAME="+r.event, "GITHUB_EVENT_PATH="+event)
	env = append(append(append(env, job...), r.exported...), step...)
	if r.setup != "" {
		env = append(env, "SETUP="+r.setup)
	}
	for name := range files {
		files[name] = filepath.Join(dir, name)
		writeFile(r.t, files[name], "")
		env = append(env, name+"="+files[name])
	}
	file := filepath.Join(dir, "script.sh") // bash reads it as it goes
	writeFile(r.t, file, script)
	c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", file)
	c.Dir, c.Env = r.work, env
	out, failed := c.CombinedOutput()
	r.t.Logf("%s\n%s", script, out)
	r.readOutputs(id, r.lines(files["GITHUB_OUTPUT"]))
	r.exported = append(r.exported, r.lines(files["GITHUB_ENV"])...)
	return failed
}

// payload is the event that GitHub sends.
func (r *runner) payload() string {
	head := fmt.Sprintf(`{"ref": "work", "sha": %q}`, r.head)
	if r.event == "merge_group" {
		return fmt.Sprintf(`{"action": "checks_requested", "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"},
  "merge_group": {"head_sha": %q, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1-%s", "base_sha": %q, "base_ref": "refs/heads/main"}}`, r.head, r.base, r.base)
	}
	return fmt.Sprintf(`{"action": "opened", "number": 1, "repository": {"id": 1, "full_name": "o/r", "default_branch": "main"},
  "pull_request": {"number": 1, "head": %s, "base": {"ref": "main", "sha": %q}}}`, head, r.base)
}

// readOutputs reads name=value, and name<<delimiter with a value of some lines.
func (r *runner) readOutputs(id string, lines []string) {
	for i := 0; i < len(lines); i++ {
		key, delimiter, several := strings.Cut(lines[i], "<<")
		if !several {
			key, value, _ := strings.Cut(lines[i], "=")
			r.outputs[id+"."+key] = value
			continue
		}
		end := i + 1 + slices.Index(lines[i+1:], delimiter)
		r.outputs[id+"."+key] = strings.Join(lines[i+1:end], "\n")
		i = end
	}
}

func (r *runner) lines(path string) []string {
	r.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// variables are those of a job or a step. Expressions are looked up: one that is not known here cannot be tested here.
func (r *runner) variables(env *actionlint.Env) (list []string) {
	r.t.Helper()
	if env == nil {
		return nil
	}
	values := map[string]string{"${{ matrix.leg }}": r.leg}
	maps.Copy(values, r.known)
	for _, event := range r.workflow.On {
		if call, ok := event.(*actionlint.WorkflowCallEvent); ok {
			for _, in := range call.Inputs {
				value, given := r.inputs[in.Name.Value]
				if !given {
					value = text(in.Default)
				}
				values["${{ inputs."+in.Name.Value+" }}"] = value
			}
		}
	}
	for _, v := range env.Vars {
		value := v.Value.Value
		if strings.Contains(value, "${{") {
			known := false
			if value, known = values[value]; !known {
				r.t.Fatalf("the expression of %s is not known: %s", v.Name.Value, v.Value.Value)
			}
		}
		list = append(list, v.Name.Value+"="+value)
	}
	return list
}

// handOver is what the next job sees: the artifact's directory, and the job's output.
func (r *runner) handOver(job *actionlint.Job) ran {
	r.t.Helper()
	done := ran{evidence: filepath.Join(r.t.TempDir(), "evidence")}
	if err := os.CopyFS(done.evidence, os.DirFS(filepath.Join(r.work, ".closeout/evidence"))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	output := job.Outputs["feedback_sha256"]
	if output == nil {
		return done
	}
	m := ofSuccess.FindStringSubmatch(output.Value.Value)
	if m == nil {
		r.t.Fatalf("the expression is not known: %s", output.Value.Value)
	}
	if r.outcome[m[1]] == "success" {
		done.digests = strings.Fields(r.outputs[m[2]+"."+m[3]])
	}
	return done
}

// judge collects a bundle as the gate's job would, in a workspace that contains nothing of the change, and judges it.
func (r *runner) judge(done ran) string {
	r.t.Helper()
	bundle := r.t.TempDir()
	put := func(name, text string) { writeFile(r.t, filepath.Join(bundle, name), text) }
	if err := os.CopyFS(filepath.Join(bundle, "feedback"), os.DirFS(done.evidence)); err != nil {
		r.t.Fatal(err)
	}
	rules, err := os.ReadFile(filepath.Join(done.evidence, "rule_report.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	put("rule_report.json", string(rules))
	standing := r.git("ls-tree", "--name-only", r.base, ".closeout/scope_contract.json", ".closeout/scope_contract.yaml")
	contracts := fmt.Sprintf(`{"file": %q, "path": %q, "trust": "base"}`, filepath.Base(standing), standing)
	put(filepath.Base(standing), r.git("show", r.base+":"+standing))
	if task := r.git("ls-tree", "--name-only", r.head, ".closeout/tasks/T-2.json"); task != "" {
		put("contracts/"+filepath.Base(task), r.git("show", r.head+":"+task))
		contracts += fmt.Sprintf(`, {"file": "contracts/%s", "path": %q, "trust": "head"}`, filepath.Base(task), task)
	}
	// Without evidence that the change brought along: it is out of scope, and other cases show that.
	put("pr.diff", r.git("diff", "--no-color", "--no-renames", "--full-index", r.base, r.head, "--", ".", ":!.closeout/evidence")+"\n")
	digests := ""
	if len(done.digests) > 0 {
		digests = fmt.Sprintf(`, "digests": ["%s"]`, strings.Join(done.digests, `", "`))
	}
	put("facts.json", fmt.Sprintf(`{"schema": "closeout.facts/v1", "contracts": [%s]%s,
  "subject": {"repository": "o/r", "pull_request": 1, "head_sha": %q, "accepted_trees": [%q]}}`, contracts, digests, r.head, r.codeTree()))
	var out, errs bytes.Buffer
	execute([]string{"verify", bundle, "--report", filepath.Join(r.t.TempDir(), "report.json")}, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return out.String() + errs.String()
}

// codeTree is the tree of the change without the evidence directory, as git makes it.
func (r *runner) codeTree() string {
	r.t.Helper()
	r.git("read-tree", r.head)
	r.git("rm", "-rq", "--cached", "--ignore-unmatch", ".closeout/evidence")
	return r.git("write-tree")
}
