package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/testkit/memory"
)

func TestMain(m *testing.M) {
	memory.Use()
	testscript.Main(withProgram{m}, map[string]func(){"closeout-stuck": stuck, "on-terminal": onTerminal, "fake-agent": fakeAgent, "archived": archived})
}

// withProgram puts the program on the PATH of the tests. The test binary would do as well, but takes nearly twice as long to start, and
// the tests start it some two thousand times.
type withProgram struct{ m *testing.M }

func (w withProgram) Run() int {
	bin, err := os.MkdirTemp("", "closeout-program")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	// Unlike go build, go run keeps the program that it linked for the next time.
	build := []string{"run", "-exec", "cp"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		build = append(build, "-race")
	}
	if out, err := exec.Command("go", append(build, ".", bin)...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "cannot build the program: %v\n%s", err, out)
		return 1
	}
	os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return w.m.Run()
}

// gitSettings let git read nothing of the machine's settings, and leave out what costs time.
var gitSettings = map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(repositoryRoot(), "testdata", "gitconfig")}

func repositoryRoot() string {
	path, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return path
}

// gitEnv is the environment of this process, with those settings of git and no others.
func gitEnv(more ...string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	for name, value := range gitSettings {
		env = append(env, name+"="+value)
	}
	return append(env, more...)
}

// TestScripts runs the real command: one scenario a file. Those below long, with a build of Go or dozens of repositories, are
// TestSoakScripts.
func TestScripts(t *testing.T) { runScripts(t, "../../testdata/script") }

func runScripts(t *testing.T, dir string) {
	repository, builds := repositoryRoot(), goCache(t)
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPOSITORY", repository)
			for name, value := range gitSettings {
				env.Setenv(name, value)
			}
			home := filepath.Join(env.WorkDir, ".tmp", "home") // what programs keep there is gone with the scenario
			env.Setenv("HOME", home)
			env.Setenv("GOCACHE", builds)
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			env.Values[hubKey{}] = &hubServer{}
			return os.CopyFS(filepath.Join(env.WorkDir, "base"), os.DirFS(filepath.Join(repository, "testdata", "base")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "hub": setHub, "hubcalls": hubCalls, "event": writeEvent, "intact": intact,
		},
	})
}

// status runs closeout and compares its exit status: status 1 verify bundle.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status CODE ARG...")
	}
	err := ts.Exec("closeout", args[1:]...)
	got := 0
	if exited, ok := err.(interface{ ExitCode() int }); ok {
		got = exited.ExitCode()
	} else if err != nil {
		ts.Fatalf("closeout %q: %v", args[1:], err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("closeout %q exited with %d, expected %s", args[1:], got, args[0])
	}
}

// intact wants an archive without problems, and with a number of entries: intact REPOSITORY ENTRIES. With ! it wants a problem that says
// something: ! intact REPOSITORY TEXT.
func intact(ts *testscript.TestScript, neg bool, args []string) {
	git, err := clone.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer git.Close()
	a, err := git.Archive("")
	ts.Check(err)
	check, err := a.Check(clone.ArchiveCheck{})
	ts.Check(err)
	text := fmt.Sprint(check.Problems)
	if right := strconv.FormatInt(check.Size, 10) == args[1] && len(check.Problems) == 0; !neg && !right || neg && !strings.Contains(text, args[1]) {
		ts.Fatalf("%d entries, problems %s", check.Size, text)
	}
}
