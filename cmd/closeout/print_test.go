package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
)

// evilText is a text that acts on a workflow runner, on a terminal and on a reader, in all ways that are known. It can be
// a file's name.
const evilText = "a\n::error::b\r::warning::c\u2028::notice::d ##[group]e\x1b[2J\u202ef\u200bg\xffh\n \t::add-mask::i"

// ownCommands are the workflow commands that some formats write on purpose.
var ownCommands = regexp.MustCompile(`^(::(error|warning|notice) [^\n]*|::stop-commands::[0-9a-f]{32}|::[0-9a-f]{32}::)$`)

// harmless fails when a text could act on what shows it.
func harmless(t *testing.T, call []string, text string, commands bool) {
	t.Helper()
	if !utf8.ValidString(text) || strings.Contains(text, "##[") {
		t.Errorf("%q printed %q", call, text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !(commands && ownCommands.MatchString(line)) {
			t.Errorf("%q printed the line %q", call, line)
		}
		for _, r := range line {
			if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029) {
				t.Errorf("%q printed %U in %q", call, r, line)
			}
		}
	}
}

// calls are the hostile ways to call a command and all below it.
func calls(c *cobra.Command, path []string) [][]string {
	with := func(args ...string) []string { return append(append([]string{}, path...), args...) }
	list := [][]string{with(evilText), with("--"+evilText, "x"), with("-" + evilText), with("--", evilText), with("--help", evilText)}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		list = append(list, with("--"+f.Name+"="+evilText), with("--"+f.Name, evilText, evilText), with("--"+f.Name+"="+evilText, "--base=HEAD", "--bundle="+evilText))
	})
	for _, below := range c.Commands() {
		list = append(list, calls(below, with(below.Name()))...)
	}
	return list
}

// TestNothingPrintedActs calls every command with hostile words, paths and values of flags, inside of GitHub Actions.
func TestNothingPrintedActs(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(".", evilText))
	t.Setenv("GITHUB_EVENT_NAME", evilText)
	t.Setenv("INPUT_CONTRACT_FILE", evilText)
	t.Setenv("GITHUB_OUTPUT", "")
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	refused := 0
	for _, call := range append(calls(root, nil), []string{"__complete", "explain", evilText}, []string{"help", evilText}) {
		var out, errs bytes.Buffer
		if execute(call, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}) != run.ExitPassed {
			refused++
		}
		harmless(t, call, out.String(), false)
		harmless(t, call, errs.String(), false)
	}
	if refused < 100 {
		t.Errorf("only %d calls were refused: the words are not shown", refused)
	}
}

// hostileBundle is the bundle of testdata with hostile texts in its inputs, in a directory with a hostile name.
func hostileBundle(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), evilText)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(repository, "testdata", "base"))); err != nil {
		t.Fatal(err)
	}
	quoted := `a\n::error::b\r::warning::c ##[group]d\033[2J\342\200\256e\377`
	files := map[string]string{
		"pr.diff": "diff --git \"a/" + quoted + "\" \"b/" + quoted + "\"\nnew file mode 100644\nindex 0000000..e69de29\n",
		"scope_contract.json": `{"allowed_files": ["src/**"], "forbidden_files": ["##x"], "rollback_plan": "r", "evidence": {"min": "claimed"},
			"acceptance_criteria": [{"id": "c", "run": ["x\n::error::y", "##[z\u202e"]}]}`,
		"rule_report.json": `[{"slug": "::r\n::error::s##[t", "passed": false, "detail": "u\n::error::v##[w\u001b[2J"}]`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReportsDoNotAct prints a report about hostile inputs in all formats, and as JSON that means the same.
func TestReportsDoNotAct(t *testing.T) {
	bundle := hostileBundle(t)
	for _, actions := range []string{"true", ""} {
		t.Setenv("GITHUB_ACTIONS", actions)
		for _, format := range present.Formats {
			for _, report := range []string{"", "--report=-"} {
				call := []string{"verify", bundle, "--format", format.Name}
				if report != "" {
					call = append(call, report)
				}
				var out, errs bytes.Buffer
				if status := execute(call, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); status != run.ExitFailed {
					t.Fatalf("%q ended with %d: %s", call, status, errs.String())
				}
				for _, text := range []string{out.String(), errs.String()} {
					if strings.HasPrefix(text, "{") {
						jsonIsHarmless(t, call, text, actions == "true")
						continue
					}
					harmless(t, call, text, format.Kind == present.Commands)
				}
			}
		}
	}
	var out, errs bytes.Buffer
	if status := execute([]string{"replay", bundle}, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); status != run.ExitPassed {
		t.Errorf("replay ended with %d: %s%s", status, out.String(), errs.String())
	}
}

func jsonIsHarmless(t *testing.T, call []string, text string, actions bool) {
	t.Helper()
	canonical := strings.HasPrefix(text, `{"acceptance"`)
	if !json.Valid([]byte(text)) || strings.Contains(text, "##[") != (canonical && !actions) {
		t.Errorf("%q printed, in Actions %v, %s", call, actions, text)
	}
}

// TestReplayDoesNotAct replays a report whose version acts.
func TestReplayDoesNotAct(t *testing.T) {
	bundle := hostileBundle(t)
	var out, errs bytes.Buffer
	std := console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}
	execute([]string{"verify", bundle}, std)
	name := filepath.Join(bundle, "verification_report.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var report map[string]any
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	report["tool"].(map[string]any)["version"] = evilText
	report["findings"].([]any)[0].(map[string]any)["code"] = evilText
	if data, err = json.Marshal(report); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if status := execute([]string{"replay", bundle}, std); status == run.ExitPassed {
		t.Errorf("replay ended with %d", status)
	}
	harmless(t, []string{"replay"}, out.String(), false)
	harmless(t, []string{"replay"}, errs.String(), false)
}

// TestHelpIsPrintedAsItIs checks that nothing of our own texts is changed on its way.
func TestHelpIsPrintedAsItIs(t *testing.T) {
	for _, call := range [][]string{{"explain"}, {"schema", "scope_contract"}, {"verify", "--help"}, {"completion", "bash"}} {
		var out, errs, plain bytes.Buffer
		if status := execute(call, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); status != run.ExitPassed {
			t.Fatalf("%q: %d %s", call, status, errs.String())
		}
		root := newRoot(console.Streams{In: strings.NewReader(""), Out: &plain, Err: &plain})
		root.SetArgs(call)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if out.String() != plain.String() {
			t.Errorf("%q was changed", call)
		}
	}
}

// TestRecordedOutputStaysAsItIs checks that a command's own bytes pass, and our own words about it do not act.
func TestRecordedOutputStaysAsItIs(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "")
	var out, errs bytes.Buffer
	raw := "a\r\x1b[31m##[b\xff\n::c"
	if err := os.WriteFile("raw", []byte(raw), 0o644); err != nil {
		t.Fatal(err)
	}
	status := execute([]string{"record", "--no-tree", "--log=log", "--", "cat", "raw"}, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if status != run.ExitPassed || out.String() != raw {
		t.Errorf("%d, %q, %q", status, out.String(), errs.String())
	}
	status = execute([]string{"record", "--no-tree", "--log=log", "--", evilText}, console.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if status == run.ExitPassed || errs.Len() == 0 {
		t.Errorf("%d, %q", status, errs.String())
	}
	harmless(t, []string{"record"}, errs.String(), false)
}
