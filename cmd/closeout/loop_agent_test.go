package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fakeAgent is a program that a loop runs in place of an agent: fake-agent DEED..., one after the other. The item is $CLOSEOUT_ITEM,
// T-n, which wants the word good in src/n.
func fakeAgent() {
	for _, deed := range os.Args[1:] {
		name, value, _ := strings.Cut(deed, "=")
		if do := deeds[name]; do != nil {
			do(value)
			continue
		}
		panic("unknown deed " + deed)
	}
}

func itemFile() string {
	return filepath.Join("src", strings.TrimPrefix(os.Getenv("CLOSEOUT_ITEM"), "T-"))
}

func agentWrites(name, text string) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		panic(err)
	}
}

func agentRuns(script string) {
	c := exec.Command("sh", "-ec", script)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		panic(err)
	}
}

// deeds are what the agent can do.
var deeds = map[string]func(string){
	"read":  func(string) { io.Copy(os.Stdout, os.Stdin) },
	"write": func(text string) { agentWrites(itemFile(), text+"\n") },
	"fix2": func(try string) { // does it wrong first
		agentWrites(itemFile(), map[bool]string{true: "bad\n", false: "good\n"}[try == "1"])
	},
	"commit":    func(string) { agentRuns("git add -A; git diff --cached --quiet || git commit -qm work") },
	"elsewhere": func(name string) { agentWrites(name, "x\n") },
	"blocked": func(why string) {
		agentWrites(".closeout/evidence/blocked.md", os.Getenv("CLOSEOUT_ITEM")+"\n"+why+"\n")
	},
	"print": func(text string) { fmt.Println(text) },
	"flood": func(string) { // more than is kept
		for line, n := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n'), 0; n < 80; n++ {
			os.Stdout.Write(line)
		}
	},
	"closeout":  func(string) { os.Stdout.Close() },
	"hang":      func(string) { select {} },
	"crash":     func(string) { signalTo(os.Getpid(), os.Kill) },
	"interrupt": func(string) { signalTo(os.Getppid(), os.Interrupt) },
	"kill":      func(string) { signalTo(os.Getppid(), os.Kill) },
	"stop":      func(string) { agentWrites(filepath.Join(os.Getenv("CLOSEOUT_STATE"), "stop"), "") },
	"daemon": func(pid string) { // that has left the group, its environment but for one variable, and edits later
		agentRuns("setsid sh -c 'echo $$ > " + pid + "; while :; do sleep 0.01; done; echo late > " + itemFile() + "' </dev/null >/dev/null 2>&1 & until test -s " + pid + "; do :; done")
	},
	"cheat": func(string) { // at everything that it can reach but the proof
		agentRuns(`git update-ref refs/heads/main HEAD; echo '{"task_id": "` + os.Getenv("CLOSEOUT_ITEM") + `", "goal": "x", "allowed_files": ["**"], "forbidden_files": ["db/**"], "rollback_plan": "x", "acceptance_criteria": [{"id": "c", "run": ["true"]}]}' > .closeout/tasks/` + os.Getenv("CLOSEOUT_ITEM") + `.json
			mkdir -p .closeout/evidence; echo '{"seq":1,"command":["grep","-q","good","` + itemFile() + `"],"exit_code":0}' > .closeout/evidence/feedback_record.jsonl`)
	},
	"forge": func(n string) { // a PASS in the events
		line := `{"n":` + n + `,"at":"2026-01-01T00:00:00Z","event":"judged","item":"` + os.Getenv("CLOSEOUT_ITEM") + `","try":1,"verdict":"passed","outcome":"PASS","bundle":"items/T-1/1/bundle","report_sha256":"00"}` + "\n"
		f, err := os.OpenFile(filepath.Join(os.Getenv("CLOSEOUT_STATE"), "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(line)
		}
		if err != nil {
			panic(err)
		}
	},
}

func signalTo(pid int, sig os.Signal) {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(sig)
	}
	if err != nil {
		panic(err)
	}
	if pid == os.Getpid() || sig == os.Kill {
		select {}
	}
}
