//go:build soak

package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// crossContract names the tests of a suite that writes a test report.
const crossContract = `{"allowed_files": ["src/**", "tests/**"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.", "rules": {"required": false},
  "acceptance_criteria": [{"id": "unit", "run": ["sh", "suite.sh"], "test_report": ".closeout/evidence/unit.xml"}],
  "tests": [{"files": ["tests/**"], "criteria": ["unit"]}]}`

// crossSuite runs each file of tests, which a test of the head could poison for the next job.
const crossSuite = `failed=0
{ echo '<testsuite name="word">'
  for test in tests/*.sh; do
    if sh "$test"; then echo "<testcase name=\"$test\"/>"
    else failed=1; echo "<testcase name=\"$test\"><failure message=\"no\"/></testcase>"; fi
  done
  echo '</testsuite>'; } > .closeout/evidence/unit.xml
exit $failed
`

// TestSoakWorkflowsCross runs the jobs of the trees as well, each in a checkout and on a machine of its own, and lets the gate judge.
func TestSoakWorkflowsCross(t *testing.T) {
	deleted := changed{"src/word.txt": "wrong\n", "tests/good.sh": ""}
	for name, c := range map[string]struct {
		change changed
		lost   string // the tree whose job hands nothing over
		want   []string
	}{
		"no edited test": {changed{"src/word.txt": "good, better\n"}, "", []string{"passed +unit +recorded", "no test was edited", "\npassed: no findings"}},
		"a new test": {
			changed{"src/word.txt": "good, better\n", "tests/better.sh": "grep -q better src/word.txt\n"}, "",
			[]string{"passed +unit +recorded", "2 of 2 passed", "\npassed: 1 info"},
		},
		"a deleted test":   {deleted, "", []string{"unknown cross.dropped: ", "tests/good.sh", "1 of 2 fail", "\nreview: "}},
		"a job that fails": {deleted, "old_tests", []string{"block cross.missing: ", "old_tests: no record of it", "\nfailed: 1 block"}},
	} {
		for _, file := range []string{twoJobs, mergeQueue, reusable} {
			t.Run(name+"/"+filepath.Base(file), func(t *testing.T) {
				r := newRunner(t, file, "pull_request", changed{"src/word.txt": "good\n"}, "scope_contract.json")
				r.bring(changed{
					"src/word.txt": "good\n", "suite.sh": crossSuite, ".closeout/scope_contract.json": crossContract, ".gitignore": "/.closeout/evidence/\n",
					"tests/good.sh": "grep -q good src/word.txt\n", "tests/any.sh": "test -s src/word.txt\n",
				})
				r.base = r.git("rev-parse", "HEAD")
				r.git("update-ref", "refs/remotes/origin/main", "HEAD")
				r.bring(c.change)
				r.head = r.git("rev-parse", "HEAD")
				evidence := filepath.Join(t.TempDir(), "evidence")
				copyDir(t, evidence, r.record().evidence)
				digests := r.digests("record", "feedback_sha256")
				for _, tree := range []string{"base", "old_tests"} {
					r.clearEvidence()
					r.outputs, r.known = map[string]string{}, map[string]string{"${{ matrix.tree }}": tree}
					done, err := r.stepsOf("cross")
					if err != nil {
						t.Fatal(err)
					}
					if tree != c.lost {
						copyDir(t, filepath.Join(evidence, "cross"), filepath.Join(done.evidence, "cross"))
						digests = append(digests, r.digests("cross", tree)...)
					}
				}
				r.clearEvidence()
				copyDir(t, filepath.Join(r.work, ".closeout/evidence"), evidence)
				script := "closeout verify --base " + r.base
				for _, d := range digests {
					script += " --feedback-sha256 " + d
				}
				r.known = nil
				r.script(script+" > $RUNNER_TEMP/said || true", nil, nil, "judge")
				said, err := os.ReadFile(filepath.Join(r.temp, "said"))
				if err != nil {
					t.Fatal(err)
				}
				expectText(t, string(said), "", c.want)
			})
		}
	}
}

// bring commits files; those without content are deleted.
func (r *runner) bring(files changed) {
	r.t.Helper()
	for path, text := range files {
		name := filepath.Join(r.work, path)
		if text != "" {
			writeFile(r.t, name, text)
		} else if err := os.Remove(name); err != nil {
			r.t.Fatal(err)
		}
	}
	r.commit()
}

// digests are those that a job supplies.
func (r *runner) digests(job, output string) []string {
	m := ofSuccess.FindStringSubmatch(r.workflow.Jobs[job].Outputs[output].Value.Value)
	return strings.Fields(r.outputs[m[2]+"."+m[3]])
}

func (r *runner) clearEvidence() {
	if err := os.RemoveAll(filepath.Join(r.work, ".closeout/evidence")); err != nil {
		r.t.Fatal(err)
	}
}

// copyDir copies a directory, if there is one, over another.
func copyDir(t *testing.T, to, from string) {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		files[name] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		writeFile(t, filepath.Join(to, name), files[name])
	}
}
