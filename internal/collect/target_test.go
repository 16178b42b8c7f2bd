package collect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTrusted says up to where a path is reached as the machine pleases: the rest leads through no symlink.
func TestTrusted(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/repo/web", "/temp", "/home"} {
		if err := os.MkdirAll(dir+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir + "/repo")
	t.Setenv("TMPDIR", dir+"/temp")
	t.Setenv("HOME", dir+"/home")
	t.Setenv("GITHUB_WORKSPACE", dir+"/runner/work")
	for path, want := range map[string]string{
		".":                     "/repo|",
		"web":                   "/repo|web",
		"web/../x":              "/repo|x",
		"..":                    "|",
		"../other/x":            "|other/x",
		dir + "/repo/web/x":     "/repo|web/x",
		dir + "/temp/x/y":       "/temp|x/y",
		dir + "/home/x":         "/home|x",
		dir + "/runner/work/x":  "/runner/work|x",
		dir + "/elsewhere/x":    "|elsewhere/x",
		dir + "/repo/../temp/x": "/temp|x",
	} {
		base, steps, err := trusted(path)
		if got := strings.TrimPrefix(base, dir) + "|" + strings.Join(steps, "/"); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", path, got, err, want)
		}
	}
	for path, want := range map[string]string{"/": "/|", "/no-such": "/no-such|", "/no-such/x/y": "/no-such|x/y"} {
		base, steps, err := trusted(path)
		if got := base + "|" + strings.Join(steps, "/"); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", path, got, err, want)
		}
	}
	// What runs in the working directory may have set the environment.
	t.Setenv("TMPDIR", dir+"/repo/web/link")
	t.Setenv("GITHUB_WORKSPACE", dir+"/repo/web/link")
	if base, steps, err := trusted(dir + "/repo/web/link/x"); err != nil || base != dir+"/repo" || strings.Join(steps, "/") != "web/link/x" {
		t.Errorf("%s %s %v", base, steps, err)
	}
}

// TestReadStale says what is taken for a report that may be removed.
func TestReadStale(t *testing.T) {
	const schema = `"schema":"closeout.verification_report/v1"`
	for text, want := range map[string]string{
		`{` + schema + `}`: "",
		`{"verdict":"passed",` + schema + `,"x":[1,{"schema":"y"}]}`: "passed",
		"{" + schema + ",\"verdict\":7}\n":                           "",
		``:                                                           "foreign",
		`[]`:                                                         "foreign",
		`{"x":{` + schema + `}}`:                                     "foreign",
		`{"schema":["closeout"]}`:                                    "foreign",
		`{"schema":"closeout.facts/v1"}`:                             "foreign",
		`{` + schema + `,"schema":"x"}`:                              "foreign",
		`{` + schema:                                                 "foreign",
		`{` + schema + `,"verdict":"passed","x":[`:                   "foreign",
	} {
		got := "foreign"
		if old, err := readStale(strings.NewReader(text)); err == nil {
			got = old.Verdict
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestTargetAmongDevices wants no symlink removed that programs need.
func TestTargetAmongDevices(t *testing.T) {
	for _, path := range []string{"/dev/stdout", "/dev/../dev//stdout"} {
		if _, err := openTarget(path, false); err == nil || !strings.Contains(err.Error(), "name another path") {
			t.Errorf("%s: %v", path, err)
		}
	}
	other, err := openTarget("/tmp/dev/stdout", false)
	if err == nil {
		other.dir.Close()
	}
	if errors.Is(err, errDevices) {
		t.Error("a directory that only has the name is refused")
	}
}
