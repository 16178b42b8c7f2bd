package main

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
)

// runContract is that of the page about recording.
const runContract = `{"allowed_files": ["greeting", ".gitignore"], "forbidden_files": ["secrets/**"], "rollback_plan": "Revert.",
  "rules": {"run": ["sh", "lint.sh"]},
  "acceptance_criteria": [{"id": "unit", "run": ["sh", "test.sh"]}, {"id": "red", "run": ["sh", "test.sh", "--broken"], "expect": "fail", "proves": "unit"}]}`

const runTest = `test "$1" = --broken && exit 1
grep -q "good morning" greeting && exit
echo "test_greeting: expected \"good morning\", got \"$(cat greeting)\""
exit 1
`

// TestRunIsShown runs the commands of the page about recording, and compares what the page shows of the first one.
func TestRunIsShown(t *testing.T) {
	for name, value := range gitSettings {
		t.Setenv(name, value)
	}
	t.Setenv("GITHUB_ACTIONS", "")
	page := readFile(t, filepath.Join(repository, "docs/reference/recording.md"))
	r := &runner{t: t, work: t.TempDir()}
	for name, text := range map[string]string{
		".closeout/scope_contract.json": runContract, ".gitignore": ".closeout/evidence\nverification_report.json\n", "test.sh": runTest, "greeting": "hello\n",
		"lint.sh": `echo '{"block_failures": [], "warn_failures": []}' > .closeout/evidence/rule_report.json` + "\n",
	} {
		writeFile(t, filepath.Join(r.work, name), text)
	}
	r.git("init", "-q", "-b", "main")
	r.commit()
	r.git("update-ref", "refs/remotes/origin/main", "HEAD")
	writeFile(t, filepath.Join(r.work, "greeting"), "good night\n")
	r.commit()
	absolute, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(r.work)
	call := func(line string) (status int, errs string) {
		var out, err bytes.Buffer
		status = execute(strings.Fields(line)[1:], console.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
		return status, err.String()
	}
	_, got := call("closeout run")
	got = regexp.MustCompile(`\([0-9a-f]{12}\)`).ReplaceAllString(got, "(0123456789ab)")
	got = regexp.MustCompile(`[0-9]+\.[0-9] s`).ReplaceAllString(got, "0.1 s")
	block := regexp.MustCompile("(?s)<!-- run:begin -->.*<!-- run:end -->")
	t.Chdir(absolute + "/cmd/closeout")
	compare(t, "docs/reference/recording.md", block.ReplaceAllLiteralString(page, "<!-- run:begin -->\n```text\n"+got+"```\n<!-- run:end -->"))
	t.Chdir(r.work)
	writeFile(t, filepath.Join(r.work, "greeting"), "good morning\n")
	r.commit()
	lines := regexp.MustCompile(`(?m)^    (closeout run.*)$`).FindAllStringSubmatch(page, -1)
	if len(lines) < 3 {
		t.Fatalf("the page shows only %q", lines)
	}
	for _, line := range lines {
		want := run.ExitPassed
		if strings.Contains(line[1], "--only") {
			want = run.ExitFailed // the others are missing, as the page says
		}
		if status, errs := call(line[1]); status != want {
			t.Errorf("%s: exit %d, expected %d\n%s", line[1], status, want, errs)
		}
	}
}
