package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/closeout-gate/closeout/verify"
)

const repository = "../.."

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sums is a checksums.txt with a line for each program.
func sums() string {
	text := strings.Repeat("f", 64) + "  closeout_" + verify.Version + ".cdx.json\n"
	for i, t := range targets {
		text += strings.Repeat(string("0123456789"[i]), 64) + "  " + t.file() + "\n"
	}
	return text
}

const image = "ghcr.io/closeout-gate/closeout@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// copied is a directory with the files of the repository that pin rewrites, and checksums.txt.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, read(t, repository, "action.yml"), root, "action.yml")
	write(t, read(t, repository, ".github/actions/setup/action.yml"), root, ".github/actions/setup/action.yml")
	write(t, sums(), root, "checksums.txt")
	return root
}

// manifest is what an action.yml says.
type manifest struct {
	Inputs, Outputs map[string]map[string]string
	Runs            map[string]any
}

func manifestOf(t *testing.T, text string) (m manifest) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPin pins a copy of the repository: only the image of the action changes, and the setup action learns the programs.
func TestPin(t *testing.T) {
	root := copied(t)
	if err := run(root, []string{"pin", filepath.Join(root, "checksums.txt"), image}, nil); err != nil {
		t.Fatal(err)
	}
	before, after := read(t, repository, "action.yml"), read(t, root, "action.yml")
	if want := strings.Replace(before, "image: Dockerfile\n", "image: docker://"+image+"\n", 1); after != want {
		t.Errorf("action.yml is now\n%s", after)
	}
	was, is := manifestOf(t, before), manifestOf(t, after)
	if len(is.Inputs) == 0 || len(is.Inputs) != len(was.Inputs) || len(is.Outputs) != len(was.Outputs) || is.Runs["image"] != "docker://"+image {
		t.Errorf("got %v, before %v", is, was)
	}
	_, programs, _ := strings.Cut(sums(), "\n")
	if got := read(t, root, ".github/actions/setup/checksums.txt"); got != programs {
		t.Errorf("checksums.txt of the setup action:\n%s", got)
	}
}

// TestPinRefused refuses what no release may contain, and changes nothing then.
func TestPinRefused(t *testing.T) {
	for name, c := range map[string]struct{ image, old, new, file, want string }{
		"a tag":            {image: "ghcr.io/closeout-gate/closeout:0.2.0", want: "expected NAME@sha256:DIGEST"},
		"two lines":        {image: image + "\n  env: x", want: "expected NAME@sha256:DIGEST"},
		"pinned before":    {image: image, file: "action.yml", old: "Dockerfile", new: "docker://x", want: `one "  image: Dockerfile"`},
		"two images":       {image: image, file: "action.yml", old: "  image: Dockerfile", new: "  image: Dockerfile\n  image: Dockerfile", want: `one "  image: Dockerfile"`},
		"a program is not": {image: image, file: "checksums.txt", old: "_windows_arm64", new: "_windows_arm", want: "0 lines about closeout_" + verify.Version + "_windows_arm64.exe"},
		"twice":            {image: image, file: "checksums.txt", old: "_linux_amd64\n", new: "_linux_amd64\n" + strings.Repeat("a", 64) + "  " + targets[2].file() + "\n", want: "2 lines about"},
		"another version":  {image: image, file: "checksums.txt", old: "_" + verify.Version + "_linux_amd64", new: "_0.1.0_linux_amd64", want: "0 lines about"},
		"no digest":        {image: image, file: "checksums.txt", old: strings.Repeat("2", 64), new: "2", want: "checksums.txt:4: got"},
	} {
		t.Run(name, func(t *testing.T) {
			root := copied(t)
			if c.file != "" {
				text := read(t, root, c.file)
				if !strings.Contains(text, c.old) {
					t.Fatalf("%s does not contain %q", c.file, c.old)
				}
				write(t, strings.Replace(text, c.old, c.new, 1), root, c.file)
			}
			before := read(t, root, "action.yml")
			err := run(root, []string{"pin", filepath.Join(root, "checksums.txt"), c.image}, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, expected %q", err, c.want)
			}
			if read(t, root, "action.yml") != before {
				t.Error("action.yml was changed")
			}
			if _, err := os.Stat(filepath.Join(root, ".github/actions/setup/checksums.txt")); err == nil {
				t.Error("checksums.txt was written")
			}
		})
	}
}

// TestNotes reads the notes of the version out of a changelog, and refuses one that is about another version.
func TestNotes(t *testing.T) {
	head := "# Changelog\n\n## [" + verify.Version + "] - 2026-11-30\n"
	for name, c := range map[string]struct{ tag, text, want, err string }{
		"one of two":   {"", head + "\n### Added\n\n- A.\n\n## [0.1.0] - 2026-01-01\n\n- B.\n", "### Added\n\n- A.\n", ""},
		"unreleased":   {"", strings.Replace(head, "## [", "## [Unreleased]\n\n- C.\n\n## [", 1) + "- A.\n", "- A.\n", ""},
		"another tag":  {"v0.1.0", head, "", `the tag is "v0.1.0"`},
		"no day":       {"", strings.Replace(head, "2026-11-30", "unreleased", 1), "", "expected \"## [" + verify.Version + "] - YYYY-MM-DD\""},
		"older first":  {"", "## [0.1.0] - 2026-01-01\n" + head, "", `the first version is "## [0.1.0] - 2026-01-01"`},
		"no version":   {"", "# Changelog\n", "", "names no version"},
		"no changelog": {"", "", "", "CHANGELOG.md: no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if c.text != "" {
				write(t, c.text, root, "CHANGELOG.md")
			}
			tag := "v" + verify.Version
			if c.tag != "" {
				tag = c.tag
			}
			var out bytes.Buffer
			err := run(root, []string{"notes", tag}, &out)
			if out.String() != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %v, expected %q, %q", out.String(), err, c.want, c.err)
			}
			if checked := run(root, []string{"check", tag}, nil); (checked == nil) != (err == nil) {
				t.Errorf("check says %v", checked)
			}
		})
	}
}

// TestVersion wants one version in the program and as the first of the changelog, released or not.
func TestVersion(t *testing.T) {
	first := heading.FindAllStringSubmatch(read(t, repository, "CHANGELOG.md"), -1)
	for len(first) > 0 && first[0][1] == "Unreleased" {
		first = first[1:]
	}
	if len(first) == 0 || first[0][1] != verify.Version {
		t.Errorf("CHANGELOG.md begins with %q, and verify.Version is %q", first, verify.Version)
	}
}

// TestFlags wants the program of the Dockerfile and of .ci/run built as in a release, and the release tested with its Go.
func TestFlags(t *testing.T) {
	build := regexp.MustCompile(`(?m)CGO_ENABLED=0 .*go build .*$`)
	for _, name := range []string{"Dockerfile", ".ci/run"} {
		got := build.FindString(read(t, repository, name))
		if !strings.Contains(got, `GOFLAGS="$(cat cmd/release/flags.txt)" `) || strings.Contains(got, " -ldflags") {
			t.Errorf("%s builds with %q, expected the flags of a release", name, got)
		}
	}
	workflow := read(t, repository, ".github/workflows/release.yml")
	if version := strings.TrimPrefix(toolchain, "go"); strings.Count(workflow, "go-version: \""+version+"\"\n") != strings.Count(workflow, "/setup-go@") {
		t.Errorf("release.yml tests with another Go than %s", toolchain)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"build"}, {"pin", "x"}, {"x", "y"}} {
		if err := run(t.TempDir(), args, nil); err == nil || !strings.Contains(err.Error(), "usage") {
			t.Errorf("%q: got %v", args, err)
		}
	}
}

// TestTargets names targets.
func TestTargets(t *testing.T) {
	for want, names := range map[string][]string{
		"[linux/amd64]": {"linux/amd64"}, "[darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64]": nil,
	} {
		if got, err := named(names); err != nil || fmt.Sprint(got) != want {
			t.Errorf("got %v, %v, expected %s", got, err, want)
		}
	}
	if err := run(t.TempDir(), []string{"build", "x", "plan9/amd64"}, nil); err == nil || !strings.Contains(err.Error(), `unknown target "plan9/amd64"`) {
		t.Errorf("got %v", err)
	}
}
