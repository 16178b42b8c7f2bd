package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/internal/testkit/fakehub"
)

// hubState is what a script says of a GitHub, and how it misbehaves.
type hubState struct {
	fakehub.Hub
	Faults []struct {
		Part   string // of the requests that go wrong
		Times  int    // 0 is always
		Status int
	}
}

// hubServer serves the state that the script set last.
type hubServer struct {
	url   string
	state atomic.Pointer[fakehub.Hub]
}

func (s *hubServer) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.state.Load().ServeHTTP(w, r) }

type hubKey struct{}

// setHub sets the state of the script's GitHub, which is started when it is first named: hub STATE.json. The action of the
// script asks it from then on.
func setHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hub STATE.json")
	}
	var state hubState
	ts.Check(json.Unmarshal([]byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), &state))
	state.Dir = ts.MkAbs(state.Dir)
	for _, f := range state.Faults {
		times := f.Times
		if times == 0 {
			times = -1
		}
		state.Fail(f.Part, times, fakehub.Status(f.Status, "made to fail"))
	}
	hubOf(ts).state.Store(&state.Hub)
	ts.Defer(state.Close)
	if workspace := ts.MkAbs("workspace"); run.IsDirectory(workspace) {
		ts.Check(borrow(workspace, state.Dir))
	}
}

// borrow makes the repository that the gate reads in a workspace. It has no objects of its own, but all that a repository
// has and gets: TestWorkflowsFetch shows that a workflow fetches what is needed.
func borrow(workspace, dir string) error {
	objects, err := exec.Command("git", "-C", dir, "rev-parse", "--path-format=absolute", "--git-path", "objects").Output()
	if err != nil {
		return err
	}
	repo := filepath.Join(workspace, github.Repository)
	if out, err := exec.Command("git", "init", "-q", "--bare", "--template=", repo).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %s", out)
	}
	info := filepath.Join(repo, "objects/info")
	return errors.Join(os.MkdirAll(info, 0o755), os.WriteFile(filepath.Join(info, "alternates"), objects, 0o644))
}

func hubOf(ts *testscript.TestScript) *hubServer {
	env := ts.Value(hubKey{}).(*hubServer)
	if env.url == "" {
		server := httptest.NewServer(env)
		ts.Defer(server.Close)
		env.url = server.URL
		for key, value := range map[string]string{
			"INPUT_API_URL": server.URL, "HUB": server.URL, "INPUT_TOKEN": "token", "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_PATH": ts.MkAbs("event.json"),
			"GITHUB_WORKSPACE": ts.MkAbs("workspace"), "GITHUB_OUTPUT": ts.MkAbs("output"), "GITHUB_STEP_SUMMARY": ts.MkAbs("summary"),
		} {
			ts.Setenv(key, value)
		}
	}
	return env
}

// hubCalls prints what was asked since the state was set: hubcalls.
func hubCalls(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: hubcalls")
	}
	calls := hubOf(ts).state.Load().Calls()
	fmt.Fprintf(ts.Stdout(), "%d calls\n%s\n", len(calls), strings.Join(calls, "\n"))
}

// writeEvent writes the payload that the runner would supply now: event pull_request ACTION NUMBER [LABEL SENDER], or event
// merge_group HEAD-REF BASE HEAD, where the number of the last pull request can replace the ref.
func writeEvent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: event pull_request ACTION NUMBER [LABEL SENDER]")
	}
	state := hubOf(ts).state.Load()
	payload := map[string]any{
		"repository": map[string]any{"id": state.ID, "full_name": state.Owner + "/" + state.Name, "default_branch": state.DefaultBranch},
		"sender":     map[string]any{"login": "somebody", "id": 99, "type": "User"},
	}
	if args[0] == "merge_group" {
		payload["action"] = "checks_requested"
		payload["merge_group"] = map[string]any{
			"head_ref": queueRef(ts, state, args[1], args[2]), "base_ref": "refs/heads/" + args[2], "base_sha": commitID(ts, state.Dir, args[2]), "head_sha": commitID(ts, state.Dir, args[3]),
		}
	} else {
		addPull(ts, state, payload, args)
	}
	data, err := json.Marshal(payload)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("event.json"), data, 0o644))
	ts.Setenv("GITHUB_EVENT_NAME", args[0])
}

// queueRef is the branch that the queue makes for a group whose last pull request has a number.
func queueRef(ts *testscript.TestScript, state *fakehub.Hub, ref, base string) string {
	if _, err := strconv.Atoi(ref); err != nil {
		return ref
	}
	return "refs/heads/gh-readonly-queue/" + base + "/pr-" + ref + "-" + commitID(ts, state.Dir, base)
}

func addPull(ts *testscript.TestScript, state *fakehub.Hub, payload map[string]any, args []string) {
	number, err := strconv.Atoi(args[2])
	ts.Check(err)
	pull := state.Pulls[number]
	payload["action"], payload["number"] = args[1], number
	payload["pull_request"] = map[string]any{
		"number": number,
		"head":   map[string]any{"ref": "topic", "sha": commitID(ts, state.Dir, pull.Head)},
		"base":   map[string]any{"ref": pull.Base, "sha": commitID(ts, state.Dir, pull.Base)},
	}
	if len(args) == 5 {
		payload["label"] = map[string]any{"name": args[3]}
		sender := map[string]any{"login": args[4], "id": 98, "type": "User"}
		if u := state.Users[args[4]]; u != nil {
			sender["id"] = u.ID
		}
		payload["sender"] = sender
	}
}

func commitID(ts *testscript.TestScript, dir, name string) string {
	out, err := exec.Command("git", "-C", dir, "rev-parse", "--verify", name+"^{commit}").Output()
	ts.Check(err)
	return strings.TrimSpace(string(out))
}
