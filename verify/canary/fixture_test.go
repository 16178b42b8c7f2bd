package canary_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/canary"
	"github.com/closeout-gate/closeout/verify/collect"
	"github.com/closeout-gate/closeout/verify/report"
	"github.com/closeout-gate/closeout/verify/strict"
)

// files are a bundle. DIGEST of a log, REPORT of the rule report and CODE are replaced when it is judged.
type files map[string]string

// strong is a bundle that passes, and of which every broken copy must be refused.
func strong() files {
	return files{
		"scope_contract.json": `{
  "allowed_files": ["src/**"],
  "forbidden_files": ["secrets/**"],
  "acceptance_criteria": [
    {"id": "test", "run": ["go", "test", "./..."]},
    {"id": "red", "run": ["sh", "red.sh"], "expect": "fail", "proves": "test"}
  ],
  "rollback_plan": "Revert the commit.",
  "rules": {"run": ["lint"], "catalogue": [
    {"id": "secrets", "severity": "block"},
    {"id": "style", "severity": "block"}
  ]},
  "evidence": {"min": "recorded"}
}
`,
		"feedback_record.jsonl": `{"command":["go","test","./..."],"cwd":".","exit_code":1,"seq":1,"tree_before":"TREE","tree_after":"TREE"}
{"command":["go","test","./..."],"cwd":".","exit_code":0,"seq":2,"tree_before":"TREE","tree_after":"TREE"}
{"command":["sh","red.sh"],"cwd":".","exit_code":1,"seq":3,"tree_before":"TREE","tree_after":"TREE"}
{"command":["lint"],"cwd":".","exit_code":0,"seq":4,"tree_before":"TREE","tree_after":"TREE","produced":[{"path":".closeout/evidence/rule_report.json","sha256":"REPORT"}]}
`,
		"rule_report.json": `[{"slug": "secrets", "passed": true}, {"slug": "style", "passed": true, "file": "src/a.go"}]` + "\n",
		"changes.json": `{"schema": "closeout.changes/v1", "files": [
  {"path": "src/a.go", "status": "modified", "old_mode": "100644", "new_mode": "100644", "old_id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "new_id": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}
]}
`,
		"facts.json": `{
  "schema": "closeout.facts/v1",
  "settings": {"today": "2026-03-01"},
  "subject": {"repository": "acme/shop", "pull_request": 12, "base_branch": "main", "default_branch": "main", "base_sha": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "merge_base_sha": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "head_sha": "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1", "accepted_trees": ["TREE"]},
  "contracts": [{"file": "scope_contract.json", "path": ".closeout/scope_contract.json", "commit": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "trust": "base"}],
  "event": {"name": "pull_request", "action": "labeled", "head_sha": "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1", "label": "closeout-override", "sender": "mona"},
  "digests": ["DIGEST"],
  "files": [
    {"file": "feedback_record.jsonl", "path": ".closeout/evidence/feedback_record.jsonl"},
    {"file": "rule_report.json", "path": ".closeout/evidence/rule_report.json"}
  ],
  "github": {
    "pull_request": {
      "number": 12, "state": "open", "author": "shop-agent", "author_id": "8", "author_type": "User", "base_branch": "main", "base_sha": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "head_sha": "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1", "last_head_sha": "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1", "changed_files": 1, "labels": ["closeout-override"],
      "label_events": [{"id": "101", "event": "labeled", "label": "closeout-override", "actor": "mona", "actor_id": "7", "actor_type": "User", "created_at": "2026-03-01T10:00:00Z"}],
      "commits": [{"sha": "4f1f7c3d2b9a8e6d5c4b3a29181706f5e4d3c2b1", "author": "shop-agent", "author_id": "8", "committer": "shop-agent", "committer_id": "8", "verified": true}],
      "comments": [{"id": "201", "author": "mona", "author_id": "7", "author_type": "User", "created_at": "2026-03-01T09:59:00Z", "updated_at": "2026-03-01T09:59:00Z", "body": "/closeout-override CODE the runner is out of disk space"}],
      "reviews": [], "same_head": []
    },
    "people": [
      {"login": "mona", "id": "7", "type": "User", "permission": "maintain"},
      {"login": "shop-agent", "id": "8", "type": "User", "permission": "maintain"}
    ]
  }
}
`,
	}
}

// edit replaces texts that a file must contain.
func (f files) edit(name string, pairs ...string) files {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(f[name], pairs[i]) {
			panic(name + " does not contain " + pairs[i])
		}
		f[name] = strings.ReplaceAll(f[name], pairs[i], pairs[i+1])
	}
	return f
}

// contract edits the contract.
func (f files) contract(pairs ...string) files { return f.edit("scope_contract.json", pairs...) }

// overridden lets the bundle need an override: the change adds a file out of scope.
func (f files) overridden() files {
	return f.edit("changes.json", "\n]}", `,
  {"path": "tools/x", "status": "added", "old_mode": "000000", "new_mode": "100644", "old_id": null, "new_id": "cccccccccccccccccccccccccccccccccccccccc"}`+"\n]}")
}

// judge writes the bundle and judges it.
func (f files) judge(t testing.TB) (*verify.Bundle, *report.Report) {
	t.Helper()
	dir := t.TempDir()
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	code := "none"
	for {
		log := strings.NewReplacer("TREE", strings.Repeat("7e1d", 10), "REPORT", sum(f["rule_report.json"])).Replace(f["feedback_record.jsonl"])
		for name, text := range f {
			if name == "feedback_record.jsonl" {
				text = log
			}
			text = strings.NewReplacer("TREE", strings.Repeat("7e1d", 10), "DIGEST", sum(log), "CODE", code).Replace(text)
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		found, err := collect.Bundle(dir)
		if err != nil {
			t.Fatal(err)
		}
		found.Settings.Limits = strict.DefaultLimits()
		r := verify.Judge(found.Bundle)
		if r.OverrideCode == nil || *r.OverrideCode == code {
			return found.Bundle, r
		}
		code = *r.OverrideCode
	}
}

// run makes the counter-checks of a bundle that must pass or be overridden.
func (f files) run(t testing.TB) *report.Canary {
	t.Helper()
	b, r := f.judge(t)
	if !r.Passed {
		t.Fatalf("the verdict is %s: %+v %+v", r.Verdict, r.Findings, r.OverrideRefused)
	}
	return canary.Run(b, r, canary.Options{})
}
