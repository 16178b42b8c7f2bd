package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/closeout-gate/closeout/internal/audit/clone"
	"github.com/closeout-gate/closeout/internal/present/console"
)

func TestMain(m *testing.M) {
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
	inPlace.Lock()
	env := os.Environ()
	inPlace.Unlock()
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	for name, value := range gitSettings {
		env = append(env, name+"="+value)
	}
	return append(env, more...)
}

// TestScripts runs the real command: one scenario a file.
func TestScripts(t *testing.T) {
	repository, path := repositoryRoot(), os.Getenv("PATH")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join(repository, "testdata/script"), RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", path) // and not that of another script, which may be in place now
			env.Setenv("REPOSITORY", repository)
			for name, value := range gitSettings {
				env.Setenv(name, value)
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
	got, want := 0, args[0]
	args = args[1:]
	if needsProcess(args) {
		err := ts.Exec("closeout", args...)
		if exited, ok := err.(interface{ ExitCode() int }); ok {
			got = exited.ExitCode()
		} else if err != nil {
			ts.Fatalf("closeout %q: %v", args, err)
		}
	} else {
		ts.Check(ts.Exec("env", "-0"))
		env := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\x00"), "\x00")
		var err error
		got, err = runInPlace(place{ts.MkAbs("."), env}, args, console.Streams{In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr()})
		ts.Check(err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("closeout %q exited with %d, expected %s", args, got, want)
	}
}

// needsProcess reports whether a call of a script must be a process of its own: what records takes all processes that have lost their
// parent for those that its command left, and standard input is known to an exec only.
func needsProcess(args []string) bool {
	if runtime.GOOS == "windows" || len(args) > 0 && args[len(args)-1] == "-" {
		return true
	}
	return slices.ContainsFunc(args, func(word string) bool {
		return slices.Contains([]string{"run", "record", "item", "submit", "loop", "hook"}, word)
	})
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
