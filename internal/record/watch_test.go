//go:build unix

package record

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/record/system"
)

// watched is a recorder that has its log and the step's files to itself.
func watched(t *testing.T) *recorder {
	t.Helper()
	r := newRecorder(t)
	output := filepath.Join(t.TempDir(), "output")
	if err := errorsOf(os.MkdirAll(filepath.Dir(r.Log), 0o755), os.WriteFile(output, []byte("earlier=1\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	r.Env = append(os.Environ(), "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+output+"-summary", "LOG="+r.Log, "STEP="+output)
	r.watch()
	return r
}

func (r *recorder) watch() {
	r.t.Helper()
	var err error
	if r.Watch, err = NewWatch(r.Root, []string{r.Log}, r.Env); err != nil {
		r.t.Fatal(err)
	}
}

// sh records a shell script.
func (r *recorder) sh(script string) *Result {
	r.t.Helper()
	result, err := r.Run(Command{Argv: []string{"sh", "-c", script}, Cwd: "."})
	if err != nil {
		r.t.Fatalf("%s: %v", script, err)
	}
	return result
}

func (r *recorder) step() string {
	r.t.Helper()
	data, err := os.ReadFile(system.LookEnv(r.Env, "STEP"))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// tampering are possible scripts of a command under test. $LOG is the log, which contains one record, and $STEP the file
// of the step's outputs.
var tampering = map[string]struct {
	script, want string
	step         bool
}{
	"edits a line":                   {`sed 's/"exit_code":1/"exit_code":0/' "$LOG" > x && cat x > "$LOG"`, "line 1 was changed", false},
	"adds a line":                    {`tail -n 1 "$LOG" >> "$LOG"`, "content was added on line 2", false},
	"adds half a line":               {`printf '{' >> "$LOG"`, "content was added", false},
	"empties it":                     {`: > "$LOG"`, "content was removed from line 1", false},
	"cuts it":                        {`dd if=/dev/null of="$LOG" bs=1 seek=5 2> x`, "content was removed from line 1", false},
	"removes it":                     {`rm "$LOG"`, "it was removed", false},
	"removes the directory":          {`rm -r .closeout`, "it was removed", false},
	"makes it a link":                {`mv "$LOG" x && ln -s "$PWD/x" "$LOG"`, "is a link", false},
	"makes it a pipe":                {`rm "$LOG" && mkfifo "$LOG"`, "is a pipe", false},
	"makes it a directory":           {`rm "$LOG" && mkdir "$LOG" && touch "$LOG/x"`, "is a directory", false},
	"makes the evidence a link":      {`mv .closeout/evidence e && ln -s ../e .closeout/evidence`, "is a link or a file", false},
	"makes the evidence a file":      {`rm -r .closeout && touch .closeout`, "is a link or a file", false},
	"lets a daemon edit it":          {`(setsid sh -c 'while :; do echo x >> "$LOG"; done' &); until grep -q x$ "$LOG"; do :; done`, "content was added", false},
	"sets an output":                 {`echo feedback_sha256=forged >> "$STEP"`, "GITHUB_OUTPUT: content was added on line 2", true},
	"changes an output":              {`echo earlier=2 > "$STEP"`, "GITHUB_OUTPUT: line 1 was changed", true},
	"removes the outputs":            {`rm "$STEP"`, "GITHUB_OUTPUT: the file was removed", true},
	"replaces the outputs by itself": {`cp "$STEP" x && mv x "$STEP"`, "GITHUB_OUTPUT: the file was replaced", true},
	"makes the outputs a link":       {`cp "$STEP" x && ln -sf "$PWD/x" "$STEP"`, "GITHUB_OUTPUT: the file was replaced", true},
	"makes the outputs a directory":  {`rm "$STEP" && mkdir "$STEP"`, "GITHUB_OUTPUT: the file was replaced", true},
	"makes the outputs a pipe":       {`rm "$STEP" && mkfifo "$STEP"`, "GITHUB_OUTPUT: the file was replaced", true},
	"writes a summary":               {`echo all green > "$STEP-summary"`, "GITHUB_STEP_SUMMARY: the file was created", true},
}

// tampered reports whether the log has a record of tampering.
func (r *recorder) tampered() bool {
	r.t.Helper()
	return slices.ContainsFunc(r.lines(), func(line map[string]any) bool { return line["tampered"] != nil })
}

// TestTampering shows that what a command does to the log or to the step is undone, recorded, and fails the recorder.
func TestTampering(t *testing.T) {
	for name, c := range tampering {
		t.Run(name, func(t *testing.T) {
			r := watched(t)
			r.sh("exit 1")
			result := r.sh(c.script)
			r.sh("exit 0")
			if result.Status != StatusFailed || result.Problem == nil || !r.tampered() {
				t.Errorf("%+v", result)
			}
			lines := r.lines()
			if len(lines) != 4 {
				t.Fatalf("%d records: %v", len(lines), lines)
			}
			for i, exit := range []any{1.0, 0.0, nil, 0.0} {
				if lines[i]["seq"] != float64(i+1) || lines[i]["exit_code"] != exit {
					t.Errorf("record %d: %v", i+1, lines[i])
				}
			}
			text, _ := lines[2]["tampered"].(string)
			if !strings.Contains(text, c.want) || !strings.HasPrefix(text, `while "sh -c `) {
				t.Errorf("tampered: %q", text)
			}
			if info, err := os.Lstat(r.Log); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%v, %v", info, err)
			}
			r.expectHandOver(!c.step)
		})
	}
}

// expectHandOver sets the output of the step and expects the digest of the log, or none.
func (r *recorder) expectHandOver(want bool) {
	r.t.Helper()
	data, err := os.ReadFile(r.Log)
	if err != nil {
		r.t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	if got := r.Watch.Digest(r.Log); got != digest {
		r.t.Errorf("the digest is %s, that of the log %s", got, digest)
	}
	text := "earlier=1\n"
	if want {
		text += "feedback_sha256=" + digest + "\n"
	}
	if err := r.Watch.SetOutput("feedback_sha256", digest); (err == nil) != want {
		r.t.Errorf("supplying: %v", err)
	}
	if got := r.step(); got != text {
		r.t.Errorf("the step's outputs are %q, want %q", got, text)
	}
}

// TestUntouched are commands that look like tampering, and are not.
func TestUntouched(t *testing.T) {
	for name, script := range map[string]string{
		"reads the log":                `cat "$LOG"`,
		"touches it":                   `touch "$LOG"`,
		"puts it back as it was":       `mv "$LOG" x && cp x "$LOG"`,
		"links it from elsewhere":      `ln "$LOG" x`,
		"writes another log":           `mkdir -p .closeout/evidence/more && cp "$LOG" .closeout/evidence/more/`,
		"prints workflow commands":     `echo ::set-output name=feedback_sha256::x`,
		"writes files called the same": `echo x > GITHUB_OUTPUT`,
	} {
		t.Run(name, func(t *testing.T) {
			r := watched(t)
			r.sh("exit 1")
			if result := r.sh(script); result.Status != 0 || r.tampered() {
				t.Errorf("%+v", result)
			}
			r.sh("exit 0")
			if n := len(r.lines()); n != 3 {
				t.Errorf("%d records", n)
			}
			r.expectHandOver(true)
		})
	}
}

// TestNoOtherFileGetsRecords shows that a log that a command replaced by a link to another file's content is not written
// through.
func TestNoOtherFileGetsRecords(t *testing.T) {
	r := watched(t)
	r.sh("exit 0")
	r.sh(`cp "$LOG" copy && ln -f copy "$LOG"`)
	before := len(r.lines()) - 1
	data, err := os.ReadFile(filepath.Join(r.Root, "copy"))
	if err != nil || strings.Count(string(data), "\n") != before {
		t.Errorf("the other file contains %q, %v", data, err)
	}
}

// TestDirReplaced: a replaced directory of a log outside of the work tree is noticed.
func TestDirReplaced(t *testing.T) {
	r := watched(t)
	logs := filepath.Join(t.TempDir(), "logs")
	r.Log = filepath.Join(logs, FileName)
	r.Env = append(r.Env, "DIR="+logs)
	r.watch()
	r.sh("exit 0")
	result := r.sh(`mv "$DIR" "$DIR-old" && mkdir "$DIR"`)
	if result.Status != StatusFailed || result.Problem == nil || !strings.Contains(result.Problem.Error(), "was replaced") {
		t.Errorf("%+v", result)
	}
}

// TestWatchRefused: logs that are not empty or not files are refused.
func TestWatchRefused(t *testing.T) {
	for want, plant := range map[string]func(log string) error{
		"already contains records": func(log string) error { return os.WriteFile(log, []byte("\n"), 0o644) },
		"is a link":                func(log string) error { return os.Symlink("x", log) },
		"is a directory":           func(log string) error { return os.Mkdir(log, 0o755) },
	} {
		r := newRecorder(t)
		if err := errorsOf(os.MkdirAll(filepath.Dir(r.Log), 0o755), plant(r.Log)); err != nil {
			t.Fatal(err)
		}
		if _, err := NewWatch(r.Root, []string{r.Log}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	r := newRecorder(t)
	if err := errorsOf(os.MkdirAll(filepath.Dir(r.Log), 0o755), os.WriteFile(r.Log, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := NewWatch(r.Root, []string{r.Log}, nil); err != nil {
		t.Errorf("empty: %v", err)
	}
}

// TestSetup shows what a setup may do, and what ends everything.
func TestSetup(t *testing.T) {
	for script, want := range map[string]string{
		"touch tools":              "",
		"exit 3":                   "exit code 3",
		"kill -9 $$":               "no exit code",
		`echo x >> "$LOG"`:         "content was added",
		`echo x=1 >> "$STEP"`:      "GITHUB_OUTPUT: content was added",
		"setsid sleep 60 & exit 0": "",
	} {
		r := watched(t)
		_, err := r.Setup(Command{Argv: []string{"sh", "-c", script}, Cwd: "."})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
		if _, err := os.Lstat(r.Log); (err == nil) != strings.Contains(want, "added") {
			t.Errorf("%s: the log: %v", script, err)
		}
	}
}

// TestOutputLines writes values that the runner reads as one.
func TestOutputLines(t *testing.T) {
	if got := output("a", "b"); got != "a=b\n" {
		t.Errorf("got %q", got)
	}
	first, rest, _ := strings.Cut(output("a", "b\nc=d"), "\n")
	name, end, found := strings.Cut(first, "<<")
	if name != "a" || !found || len(end) < 32 || rest != "b\nc=d\n"+end+"\n" {
		t.Errorf("got %q, %q", first, rest)
	}
}

// TestSilence switches workflow commands off while a command runs.
func TestSilence(t *testing.T) {
	r := newRecorder(t)
	r.Commands = &r.out
	r.sh("printf ::set-output::x")
	lines := strings.Split(r.out.String(), "\n")
	token, ok := strings.CutPrefix(lines[0], "::stop-commands::")
	if !ok || len(token) < 32 || len(lines) != 4 || lines[1] != "::set-output::x" || lines[2] != "::"+token+"::" {
		t.Errorf("got %q", lines)
	}
}
