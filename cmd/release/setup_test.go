package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
)

// setup runs the setup action's script as the runner does, with checksums beside it and with a curl that saves what the
// release contains. It returns the directory that was added to PATH, and what was printed.
func setup(t *testing.T, checksums, contents string, env ...string) (bin, printed string, ok bool) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the setup action needs bash")
	}
	work := t.TempDir()
	write(t, read(t, repository, ".github/actions/setup/install"), work, "action/install")
	if checksums != "" {
		write(t, checksums, work, "action/checksums.txt")
	}
	write(t, contents, work, "contents")
	write(t, "#!"+bash+"\nprintf '%s\\n' \"${@: -1}\" > \"$RUNNER_TEMP/asked\"\nwhile [ \"$1\" != -o ]; do shift; done\ncp \"$RUNNER_TEMP/contents\" \"$2\"\n", work, "tools/curl")
	write(t, "#!"+bash+"\nexit 1\n", work, "tools/go")
	for _, tool := range []string{"curl", "go"} {
		if err := os.Chmod(filepath.Join(work, "tools", tool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "", work, "path")
	cmd := exec.Command(bash, filepath.Join(work, "action/install"))
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(work, "tools") + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + work, "GITHUB_PATH=" + filepath.Join(work, "path"),
	}, env...)
	out, err := cmd.CombinedOutput()
	asked, _ := os.ReadFile(filepath.Join(work, "asked"))
	return strings.TrimSpace(read(t, work, "path")), string(out) + string(asked), err == nil
}

// TestSetup installs the program of a release for each system, and nothing that is not that program.
func TestSetup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for curl is a script")
	}
	const contents = "the program\n"
	sum := sha256.Sum256([]byte(contents))
	all := ""
	for _, target := range targets {
		all += hex.EncodeToString(sum[:]) + "  " + target.file() + "\n"
	}
	runners := map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}
	arches := map[string]string{"amd64": "X64", "arm64": "ARM64"}
	for _, target := range targets {
		bin, printed, ok := setup(t, all, contents, "RUNNER_OS="+runners[target.os], "RUNNER_ARCH="+arches[target.arch])
		name := "closeout"
		if target.os == "windows" {
			name += ".exe"
		}
		if !ok || read(t, bin, name) != contents {
			t.Errorf("%v: %s", target, printed)
		}
		if want := "https://github.com/closeout-gate/closeout/releases/download/v" + verify.Version + "/" + target.file() + "\n"; printed != want {
			t.Errorf("%v: asked for %q, expected %q", target, printed, want)
		}
		if info, err := os.Stat(filepath.Join(bin, name)); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%v: %v, %v", target, info, err)
		}
	}
	linux := []string{"RUNNER_OS=Linux", "RUNNER_ARCH=X64"}
	for name, c := range map[string]struct {
		checksums, contents string
		env                 []string
		want                string
	}{
		"other bytes":    {all, contents + "more", linux, "the release was replaced"},
		"no such system": {all, contents, []string{"RUNNER_OS=Plan9", "RUNNER_ARCH=X64"}, "expected Linux, macOS or Windows"},
		"no such arch":   {all, contents, []string{"RUNNER_OS=Linux", "RUNNER_ARCH=X86"}, "expected X64 or ARM64"},
		"not listed":     {strings.ReplaceAll(all, "_linux_amd64", "_linux_386"), contents, linux, "names no program for linux/amd64"},
		"no release":     {"", contents, linux, "the program was not built: use a release"},
	} {
		if bin, printed, ok := setup(t, c.checksums, c.contents, c.env...); ok || bin != "" || !strings.Contains(printed, c.want) {
			t.Errorf("%s: added %q, printed %q, expected %q", name, bin, printed, c.want)
		}
	}
}
