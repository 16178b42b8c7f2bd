package evidence

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var (
	hex40 = strings.Repeat("0a", 20)
	hex64 = strings.Repeat("0f", 32)
)

// pullWith is a pull request under github, with more members.
func pullWith(members string) string {
	return `"github":{"pull_request":{"number":1,"state":"open","base_branch":"main","base_sha":"` + hex40 + `","head_sha":"` + hex40 +
		`","changed_files":0,` + "\n" + members + `}}`
}

// factsWith is a facts.json with one more member.
func factsWith(member string) string { return `{"schema":"closeout.facts/v1",` + "\n" + member + `}` }

var factsCases = []readCase{
	{name: "the schema alone", in: `{"schema":"closeout.facts/v1"}`},
	{name: "everything", in: wholeFacts},
	{name: "nulls", in: `{"schema":"closeout.facts/v1","settings":{"mode":null,"strict":null,"task":null,"today":null},
		"subject":{"repository":null,"repository_id":null,"pull_request":null,"base_branch":null,"default_branch":null,
		"base_sha":null,"merge_base_sha":null,"head_sha":null,"changes_from":null},
		"contracts":[{"file":"c.json","path":null,"commit":null,"trust":"operator"}],"event":{"name":"push","action":null}}`},
	{name: "empty lists", in: factsWith(`"contracts":[],"digests":[],"argument_paths":[],"files":[],"subject":{"accepted_trees":[],"pull_requests":[]},"membership":{"head_in_group":true,"differs":[]}`)},
	{name: "a head in the group", in: factsWith(`"membership":{"head_in_group":true,"x-a":1}`)},
	{name: "notes", in: factsWith(`"x-a":1,"settings":{"x-b":1},"subject":{"x-c":1},"contracts":[{"file":"f","trust":"head","x-d":1}],"event":{"name":"n","x-e":1},
		"files":[{"file":"f","path":"p","x-f":1}]`)},
	{name: "a leap day", in: factsWith(`"settings":{"today":"2024-02-29"}`)},
	{name: "a leap day of a century", in: factsWith(`"settings":{"today":"2000-02-29"}`)},
	{name: "github asked in vain", in: factsWith(`"github":{},"unavailable":[{"what":"pull_request","error":"HTTP 503"}]`)},
	{name: "nothing there on github", in: factsWith(`"github":{"pull_request":null,"people":[]}`)},
	{name: "an account that is gone", in: factsWith(pullWith(`"author":null,"reviews":[{"id":"1","author":null,"state":"APPROVED","commit_id":null,"submitted_at":null}]`))},

	{name: "no ids", in: factsWith(pullWith(`"author":"a","author_id":null,"author_type":null,"author_apps":[],"commits":[{"sha":"` + hex40 + `","author_id":null,"parents":[]}],"same_head":[]`))},
	{name: "an author id as a number", in: factsWith(pullWith(`"author_id":1`)), errs: []string{"3:13: author_id must be a string of digits"}},
	{name: "a parent that is none", in: factsWith(pullWith(`"commits":[{"sha":"` + hex40 + `","parents":["main"]}]`)), errs: []string{"3:73: each of parents must be an object id"}},
	{name: "a clean merge as text", in: factsWith(pullWith(`"commits":[{"sha":"` + hex40 + `","clean_merge":"true"}]`)), errs: []string{"3:76: clean_merge must be true or false"}},
	{name: "same head is null", in: factsWith(pullWith(`"same_head":null`)), errs: []string{"3:13: same_head must be a list"}},
	{name: "same head without number", in: factsWith(pullWith(`"same_head":[{"author":"a"}]`)), errs: []string{`3:14: the key "number" is missing`}},
	{name: "no schema", in: `{}`, errs: []string{`1:1: the key "schema" is missing`}},
	{name: "another schema", in: `{"schema":"closeout.facts/v2"}`, errs: []string{`1:11: schema must be "closeout.facts/v1"`}},
	{name: "schema is null", in: `{"schema":null}`, errs: []string{`1:11: schema must be "closeout.facts/v1"`}},
	{name: "a list", in: `[]`, errs: []string{"1:1: facts.json must be an object"}},
	{name: "nothing", in: ` `, errs: []string{"1:2: the text ends before the value does"}},
	{name: "an unknown key", in: factsWith(`"digest":[]`), errs: []string{`2:1: the key "digest" is unknown`}},
	{name: "the schema twice", in: factsWith(`"schema":"closeout.facts/v1"`), errs: []string{`2:1: the key "schema" stands twice`}, lax: true},

	{name: "settings is null", in: factsWith(`"settings":null`), errs: []string{"2:12: settings must be an object"}},
	{name: "settings unknown", in: factsWith(`"settings":{"stric":true}`), errs: []string{`2:13: the key "stric" is unknown`}},
	{name: "mode unknown", in: factsWith(`"settings":{"mode":"off"}`), errs: []string{"2:20: mode must be one of enforce, observe"}},
	{name: "strict is a string", in: factsWith(`"settings":{"strict":"true"}`), errs: []string{"2:22: strict must be true or false"}},
	{name: "task is blank", in: factsWith(`"settings":{"task":""}`), errs: []string{"2:20: task must be a task id: letters, digits and . _ -, at most 64, without .."}},
	{name: "a day that is none", in: factsWith(`"settings":{"today":"2023-02-29"}`), errs: []string{"2:21: today must be a day"}, lax: true},
	{name: "a leap day of another century", in: factsWith(`"settings":{"today":"1900-02-29"}`), errs: []string{"2:21: today must be a day"}, lax: true},
	{name: "a thirty-first", in: factsWith(`"settings":{"today":"2024-04-31"}`), errs: []string{"2:21: today must be a day"}, lax: true},
	{name: "day zero", in: factsWith(`"settings":{"today":"2024-04-00"}`), errs: []string{"2:21: today must be a day"}},
	{name: "month zero", in: factsWith(`"settings":{"today":"2024-00-01"}`), errs: []string{"2:21: today must be a day"}},
	{name: "month thirteen", in: factsWith(`"settings":{"today":"2024-13-01"}`), errs: []string{"2:21: today must be a day"}},
	{name: "a day with time", in: factsWith(`"settings":{"today":"2024-01-01T00:00:00Z"}`), errs: []string{"2:21: today must be a day"}},
	{name: "a day as a number", in: factsWith(`"settings":{"today":20240101}`), errs: []string{"2:21: today must be a day"}},

	{name: "subject is a list", in: factsWith(`"subject":[]`), errs: []string{"2:11: subject must be an object"}},
	{name: "subject unknown", in: factsWith(`"subject":{"head":"x"}`), errs: []string{`2:12: the key "head" is unknown`}},
	{name: "a repository without owner", in: factsWith(`"subject":{"repository":"r"}`), errs: []string{"2:25: repository must be a repository"}},
	{name: "a repository as a URL", in: factsWith(`"subject":{"repository":"github.com/o/r"}`), errs: []string{"2:25: repository must be a repository"}},
	{name: "a repository id as a number", in: factsWith(`"subject":{"repository_id":1}`), errs: []string{"2:28: repository_id must be a string of digits"}},
	{name: "a repository id with a sign", in: factsWith(`"subject":{"repository_id":"-1"}`), errs: []string{"2:28: repository_id must be a string of digits"}},
	{name: "pull request zero", in: factsWith(`"subject":{"pull_request":0}`), errs: []string{"2:27: pull_request must be an integer"}},
	{name: "a pull request as a string", in: factsWith(`"subject":{"pull_request":"1"}`), errs: []string{"2:27: pull_request must be an integer"}},
	{name: "pull requests are null", in: factsWith(`"subject":{"pull_requests":null}`), errs: []string{"2:28: pull_requests must be a list"}},
	{name: "a pull request zero among them", in: factsWith(`"subject":{"pull_requests":[1,0]}`), errs: []string{"2:31: each of pull_requests must be the number of a pull request, each once"}},
	{name: "a pull request twice", in: factsWith(`"subject":{"pull_requests":[1,2,1]}`), errs: []string{"2:33: each of pull_requests must be the number"}},
	{name: "a pull request too large", in: factsWith(`"subject":{"pull_requests":[9007199254740992]}`), errs: []string{"2:29: each of pull_requests must be the number"}},
	{name: "pull requests as strings", in: factsWith(`"subject":{"pull_requests":["1"]}`), errs: []string{"2:29: each of pull_requests must be the number"}},
	{name: "membership is null", in: factsWith(`"membership":null`), errs: []string{"2:14: membership must be an object", `2:14: the key "head_in_group" is missing`}},
	{name: "membership says nothing", in: factsWith(`"membership":{}`), errs: []string{`2:14: the key "head_in_group" is missing`}},
	{name: "membership unknown", in: factsWith(`"membership":{"head_in_group":true,"differ":[]}`), errs: []string{`2:36: the key "differ" is unknown`}},
	{name: "head in the group as a string", in: factsWith(`"membership":{"head_in_group":"true"}`), errs: []string{"2:31: head_in_group must be true or false"}},
	{name: "head in the group is null", in: factsWith(`"membership":{"head_in_group":null}`), errs: []string{"2:31: head_in_group must be true or false"}},
	{name: "differs is null", in: factsWith(`"membership":{"head_in_group":false,"differs":null}`), errs: []string{"2:47: differs must be a list"}},
	{name: "a path that is empty", in: factsWith(`"membership":{"head_in_group":false,"differs":["a",""]}`), errs: []string{"2:52: each of differs must be a path"}},
	{name: "a blank branch", in: factsWith(`"subject":{"base_branch":" "}`), errs: []string{"2:26: base_branch must be a string"}},
	{name: "a short commit id", in: factsWith(`"subject":{"head_sha":"a1b2c3d"}`), errs: []string{"2:23: head_sha must be an object id"}},
	{name: "an upper-case commit id", in: factsWith(`"subject":{"base_sha":"` + strings.Repeat("A", 40) + `"}`), errs: []string{"2:23: base_sha must be an object id"}},
	{name: "a commit id with an outsider inside", in: factsWith(`"subject":{"base_sha":"` + hex40[:20] + "g" + hex40[:19] + `"}`), errs: []string{"2:23: base_sha must be an object id"}},
	{name: "trees is null", in: factsWith(`"subject":{"accepted_trees":null}`), errs: []string{"2:29: accepted_trees must be a list"}},
	{name: "a tree that is null", in: factsWith(`"subject":{"accepted_trees":["` + hex40 + `",null]}`), errs: []string{"2:73: each of accepted_trees must be an object id"}},
	{name: "changes from elsewhere", in: factsWith(`"subject":{"changes_from":"pulls"}`), errs: []string{"2:27: changes_from must be one of"}},

	{name: "contracts is null", in: factsWith(`"contracts":null`), errs: []string{"2:13: contracts must be a list"}},
	{name: "a contract that is a string", in: factsWith(`"contracts":["c.json"]`),
		errs: []string{"2:14: each of contracts must be an object", `2:14: the key "file" is missing`, `2:14: the key "trust" is missing`}},
	{name: "a contract without trust", in: factsWith(`"contracts":[{"file":"c.json"}]`), errs: []string{`2:14: the key "trust" is missing`}},
	{name: "a contract of unknown trust", in: factsWith(`"contracts":[{"file":"c.json","trust":"main"}]`), errs: []string{"2:39: trust must be one of"}},
	{name: "a contract whose trust is null", in: factsWith(`"contracts":[{"file":"c.json","trust":null}]`), errs: []string{"2:39: trust must be one of"}},
	{name: "a contract without file", in: factsWith(`"contracts":[{"trust":"base"}]`), errs: []string{`2:14: the key "file" is missing`}},
	{name: "a contract twice", in: factsWith(`"contracts":[{"file":"c.json","trust":"head"},{"file":"c.json","trust":"base"}]`),
		errs: []string{`2:55: the file "c.json" stands twice`}, lax: true},
	{name: "a contract's commit", in: factsWith(`"contracts":[{"file":"c.json","trust":"base","commit":"main"}]`), errs: []string{"2:55: commit must be an object id"}},
	{name: "a contract with an unknown key", in: factsWith(`"contracts":[{"file":"c.json","trust":"base","sha":"x"}]`), errs: []string{`2:46: the key "sha" is unknown`}},

	{name: "event is null", in: factsWith(`"event":null`), errs: []string{"2:9: event must be an object", `2:9: the key "name" is missing`}},
	{name: "an event without name", in: factsWith(`"event":{"action":"opened"}`), errs: []string{`2:9: the key "name" is missing`}},
	{name: "an event with an unknown key", in: factsWith(`"event":{"name":"push","ref":"r"}`), errs: []string{`2:24: the key "ref" is unknown`}},
	{name: "digests is null", in: factsWith(`"digests":null`), errs: []string{"2:11: digests must be a list"}},
	{name: "a digest of 40 digits", in: factsWith(`"digests":["` + hex40 + `"]`), errs: []string{"2:12: each of digests must be a sha256"}},
	{name: "a digest with its algorithm", in: factsWith(`"digests":["sha256:` + hex64 + `"]`), errs: []string{"2:12: each of digests must be a sha256"}},
	{name: "paths is a string", in: factsWith(`"argument_paths":"a"`), errs: []string{"2:18: argument_paths must be a list"}},
	{name: "a blank path", in: factsWith(`"argument_paths":[""]`), errs: []string{"2:19: 0 must be a string that is not blank"}},
	{name: "files is null", in: factsWith(`"files":null`), errs: []string{"2:9: files must be a list"}},
	{name: "a file without path", in: factsWith(`"files":[{"file":"f"}]`), errs: []string{`2:10: the key "path" is missing`}},
	{name: "a file twice", in: factsWith(`"files":[{"file":"f","path":"a"},{"file":"f","path":"b"}]`), errs: []string{`2:42: the file "f" stands twice`}, lax: true},
	{name: "a file with an unknown key", in: factsWith(`"files":[{"file":"f","path":"a","sha":1}]`), errs: []string{`2:33: the key "sha" is unknown`}},
	{name: "github is null", in: factsWith(`"github":null`), errs: []string{"2:10: github must be an object"}},
	{name: "merge bases is null", in: factsWith(`"subject":{"merge_bases":null}`), errs: []string{"2:26: merge_bases must be a list"}},
	{name: "a merge base that is none", in: factsWith(`"subject":{"merge_bases":["main"]}`), errs: []string{"2:27: each of merge_bases must be an object id"}},
	{name: "head holds is null", in: factsWith(`"contracts":[{"file":"f","trust":"operator","head_holds":null}]`), errs: []string{"2:58: head_holds must be true or false"}},
	{name: "coverage of the base is null", in: factsWith(`"base_coverage":null`), errs: []string{
		"2:17: base_coverage must be an object", `2:17: the key "current" is missing`, `2:17: the key "path" is missing`}},
	{name: "coverage of the base in percent", in: factsWith(`"base_coverage":{"path":"c.json","current":83}`), errs: []string{"2:44: current must be a number from 0 to 1"}},
	{name: "coverage of the base with an unknown key", in: factsWith(`"base_coverage":{"path":"c.json","current":1,"previous":1}`), errs: []string{`2:46: the key "previous" is unknown`}},
	{name: "unmatched is null", in: factsWith(`"unmatched":null`), errs: []string{"2:13: unmatched must be a list"}},
	{name: "unmatched of another kind", in: factsWith(`"unmatched":[{"kind":"diff","pattern":"p"}]`), errs: []string{"2:22: kind must be one of feedback, rules"}},
	{name: "unmatched without pattern", in: factsWith(`"unmatched":[{"kind":"rules"}]`), errs: []string{`2:14: the key "pattern" is missing`}},
	{name: "unmatched with an unknown key", in: factsWith(`"unmatched":[{"kind":"rules","pattern":"p","n":0}]`), errs: []string{`2:44: the key "n" is unknown`}},
	{name: "unavailable is null", in: factsWith(`"unavailable":null`), errs: []string{"2:15: unavailable must be a list"}},
	{name: "unavailable what", in: factsWith(`"unavailable":[{"error":"e"}]`), errs: []string{`2:16: the key "what" is missing`}},
	{name: "unavailable of another kind", in: factsWith(`"unavailable":[{"what":"weather","error":"e"}]`), errs: []string{"2:24: what must be one of"}},
	{name: "unavailable without error", in: factsWith(`"unavailable":[{"what":"changes"}]`), errs: []string{`2:16: the key "error" is missing`}},
	{name: "unavailable with an unknown key", in: factsWith(`"unavailable":[{"what":"changes","error":"e","why":"w"}]`), errs: []string{`2:46: the key "why" is unknown`}},
	{name: "an event's head", in: factsWith(`"event":{"name":"pull_request","head_sha":"main"}`), errs: []string{"2:43: head_sha must be an object id"}},
	{name: "github with an unknown key", in: factsWith(`"github":{"pulls":[]}`), errs: []string{`2:11: the key "pulls" is unknown`}},
	{name: "a pull request without anything", in: factsWith(`"github":{"pull_request":{}}`), errs: []string{
		`2:26: the key "base_branch" is missing`, `2:26: the key "base_sha" is missing`, `2:26: the key "changed_files" is missing`,
		`2:26: the key "head_sha" is missing`, `2:26: the key "number" is missing`, `2:26: the key "state" is missing`}},
	{name: "labels is null", in: factsWith(pullWith(`"labels":null`)), errs: []string{"3:10: labels must be a list"}},
	{name: "a label that is null", in: factsWith(pullWith(`"labels":[null]`)), errs: []string{"3:11: 0 must be a string that is not blank"}},
	{name: "label events is null", in: factsWith(pullWith(`"label_events":null`)), errs: []string{"3:16: label_events must be a list"}},
	{name: "a label event of another kind", in: factsWith(pullWith(`"label_events":[{"id":"1","event":"closed","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), errs: []string{"3:35: event must be one of labeled, unlabeled"}},
	{name: "a label event without id", in: factsWith(pullWith(`"label_events":[{"event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), errs: []string{`3:17: the key "id" is missing`}},
	{name: "an id as a number", in: factsWith(pullWith(`"label_events":[{"id":1,"event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), errs: []string{"3:23: id must be a string of digits"}},
	{name: "a time with an offset", in: factsWith(pullWith(`"label_events":[{"id":"1","event":"labeled","label":"l","created_at":"2026-01-01T00:00:00+01:00"}]`)), errs: []string{"3:70: created_at must be a time in UTC"}},
	{name: "an intent that is no boolean", in: factsWith(pullWith(`"label_events":[{"id":"1","event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z","intent":null}]`)), errs: []string{"3:102: intent must be true or false"}},
	{name: "a force-push without time", in: factsWith(pullWith(`"force_pushed_at":"yesterday"`)), errs: []string{"3:19: force_pushed_at must be a time in UTC"}},
	{name: "no force-push", in: factsWith(pullWith(`"force_pushed_at":null`))},
	{name: "a comment without body", in: factsWith(pullWith(`"comments":[{"id":"1","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}]`)), errs: []string{`3:13: the key "body" is missing`}},
	{name: "a review of another state", in: factsWith(pullWith(`"reviews":[{"id":"1","state":"approved"}]`)), errs: []string{"3:30: state must be one of APPROVED"}},
	{name: "a commit without id", in: factsWith(pullWith(`"commits":[{}]`)), errs: []string{`3:12: the key "sha" is missing`}},
	{name: "a permission that is none", in: factsWith(`"github":{"people":[{"login":"a","id":"1","type":"User","permission":"owner"}]}`), errs: []string{"2:70: permission must be one of admin"}},
	{name: "a person twice", in: factsWith(`"github":{"people":[{"login":"Ann","id":"1","type":"User"},{"login":"ann","id":"1","type":"User"}]}`),
		errs: []string{`2:69: the account "ann" stands twice`}, lax: true},
	{name: "an id twice", in: factsWith(`"github":{"people":[{"login":"ann","id":"1","type":"User"},{"login":"bob","id":"1","type":"User"}]}`),
		errs: []string{`2:69: the account "bob" stands twice`}, lax: true},
	{name: "github is a boolean", in: factsWith(`"github":true`), errs: []string{"2:10: github must be an object"}},
}

var wholeFacts = `{"schema": "closeout.facts/v1",
 "settings": {"mode": "observe", "strict": true, "task": "T-001", "today": "2026-11-21"},
 "subject": {"repository": "o/r.x", "repository_id": "12345678901234567890", "pull_request": 12, "base_branch": "main",
             "default_branch": "trunk", "base_sha": "` + hex40 + `", "merge_base_sha": "` + hex64 + `", "head_sha": "` + hex40 + `",
             "merge_bases": ["` + hex40 + `"], "accepted_trees": ["` + hex40 + `", "` + hex64 + `"], "changes_from": "git", "pull_requests": [12, 9007199254740991]},
 "contracts": [{"file": "scope_contract.json", "path": ".closeout/scope_contract.json", "commit": "` + hex40 + `", "trust": "base"},
               {"file": "contracts/T-001.json", "path": ".closeout/tasks/T-001.json", "trust": "head", "head_holds": true}],
 "base_coverage": {"path": "coverage_report.json", "commit": "` + hex40 + `", "current": 0.835},
 "event": {"name": "pull_request", "action": "synchronize", "base_branch": "main", "sender": "ann", "sender_id": "1"},
 "digests": ["` + hex64 + `"],
 "argument_paths": ["scripts/test.sh"],
 "files": [{"file": "feedback/0.jsonl", "path": ".closeout/evidence/feedback_record.jsonl"}],
 "unmatched": [{"kind": "feedback", "pattern": "logs/*.jsonl"}],
 "membership": {"head_in_group": false, "differs": ["src/a.go", " "]},
 "unavailable": [{"what": "teams", "error": "HTTP 404", "fix": "give the token the right to read teams", "about": "o/core"}],
 "github": {"pull_request": {"number": 12, "state": "open", "merged": false, "draft": true, "author": "agent", "author_id": "11", "author_type": "Bot", "author_apps": ["agent-app"], "base_branch": "main",
              "base_sha": "` + hex40 + `", "head_sha": "` + hex40 + `", "last_head_sha": "` + hex40 + `", "changed_files": 2, "labels": ["bug"],
              "label_events": [{"id": "7", "event": "labeled", "label": "closeout-override", "actor": "ann", "actor_id": "1", "actor_type": "User",
                                "app": null, "intent": false, "created_at": "2026-11-21T10:00:00Z"}],
              "commits": [{"sha": "` + hex40 + `", "author": "agent", "author_id": "11", "author_email": "a@x.org", "committer_email": "c@x.org", "committer": "web-flow", "committer_id": "19864447", "co_authors": ["12+bob"], "verified": true,
                           "parents": ["` + hex40 + `", "` + hex64 + `"], "clean_merge": true, "override": null}],
              "comments": [{"id": "8", "author": "ann", "author_id": "1", "author_type": "User", "app": null, "created_at": "2026-11-21T10:00:00Z",
                            "updated_at": "2026-11-21T10:00:00Z", "body": "/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 known"}],
              "same_head": [{"number": 13, "author": "bob", "author_id": "12", "author_type": "User", "author_apps": ["an-app"], "fork": true}],
              "reviews": [{"id": "9", "author": "ann", "author_id": "1", "state": "APPROVED", "commit_id": "` + hex40 + `", "submitted_at": "2026-11-21T10:00:00Z"}]},
            "people": [{"login": "ann", "id": "1", "type": "User", "email": "ann@example.org", "permission": "maintain", "teams": ["o/core"]}]}}`

func TestParseFactsCases(t *testing.T) {
	s := compileSchema(t, "facts")
	for _, c := range factsCases {
		t.Run(c.name, func(t *testing.T) {
			_, errs := ParseFacts([]byte(c.in), DefaultLimits())
			checkErrors(t, errs, c.errs)
			checkPlaces(t, []byte(c.in), errs)
			checkSchema(t, s, c)
		})
	}
}

func TestParseFactsValues(t *testing.T) {
	facts, errs := ParseFacts([]byte(wholeFacts), DefaultLimits())
	checkErrors(t, errs, nil)
	want := &Facts{
		Schema:   FactsSchema,
		Settings: FactSettings{Mode: "observe", Strict: true, Task: "T-001", Today: "2026-11-21"},
		Subject: Subject{
			Repository: "o/r.x", RepositoryID: "12345678901234567890", PullRequest: 12, BaseBranch: "main", DefaultBranch: "trunk",
			BaseSHA: hex40, MergeBaseSHA: hex64, MergeBases: []string{hex40}, HeadSHA: hex40, AcceptedTrees: []string{hex40, hex64}, ChangesFrom: "git",
			PullRequests: []int64{12, 9007199254740991},
		},
		Membership: &Membership{Differs: []string{"src/a.go", " "}},
		Contracts: []ContractOrigin{
			{File: "scope_contract.json", Path: ".closeout/scope_contract.json", Commit: hex40, Trust: TrustBase},
			{File: "contracts/T-001.json", Path: ".closeout/tasks/T-001.json", Trust: TrustHead, HeadHolds: true},
		},
		BaseCoverage:  &BaseCoverage{Path: "coverage_report.json", Commit: hex40, Current: Whole / 1000 * 835},
		Event:         Event{Name: "pull_request", Action: "synchronize", BaseBranch: "main", Sender: "ann", SenderID: "1"},
		Digests:       []string{hex64},
		ArgumentPaths: []string{"scripts/test.sh"},
		Files:         []FileOrigin{{File: "feedback/0.jsonl", Path: ".closeout/evidence/feedback_record.jsonl"}},
		Unmatched:     []Unmatched{{Kind: "feedback", Pattern: "logs/*.jsonl"}},
		Unavailable:   []Unavailable{{What: WantedTeams, Error: "HTTP 404", Fix: "give the token the right to read teams", About: "o/core"}},
		GitHub: &GitHub{
			PullRequest: &PullRequest{
				Number: 12, State: "open", Draft: true, Author: "agent", AuthorID: "11", AuthorType: "Bot", AuthorApps: []string{"agent-app"}, BaseBranch: "main", BaseSHA: hex40, HeadSHA: hex40,
				LastHeadSHA: hex40, ChangedFiles: 2, Labels: []string{"bug"},
				LabelEvents: []LabelEvent{{
					ID: "7", Event: "labeled", Label: "closeout-override", Actor: "ann", ActorID: "1", ActorType: "User", CreatedAt: "2026-11-21T10:00:00Z",
				}},
				Commits: []Commit{{
					SHA: hex40, Author: "agent", AuthorID: "11", AuthorEmail: "a@x.org", CommitterEmail: "c@x.org", Committer: "web-flow", CommitterID: "19864447", CoAuthors: []string{"12+bob"}, Verified: true,
					Parents: []string{hex40, hex64}, CleanMerge: true,
				}},
				SameHead: []Peer{{Number: 13, Author: "bob", AuthorID: "12", AuthorType: "User", AuthorApps: []string{"an-app"}, Fork: true}},
				Comments: []Comment{{
					ID: "8", Author: "ann", AuthorID: "1", Type: "User", CreatedAt: "2026-11-21T10:00:00Z", UpdatedAt: "2026-11-21T10:00:00Z",
					Body: "/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 known",
				}},
				Reviews: []Review{{ID: "9", Author: "ann", AuthorID: "1", State: "APPROVED", CommitID: hex40, SubmittedAt: "2026-11-21T10:00:00Z"}},
			},
			People: []Person{{Login: "ann", ID: "1", Type: "User", Email: "ann@example.org", Permission: "maintain", Teams: []string{"o/core"}}},
		},
	}
	if !reflect.DeepEqual(facts, want) {
		t.Errorf("got  %+v\nwant %+v", facts, want)
	}
}

// What the collector writes is what the judge reads.
func TestFactsWrittenAreRead(t *testing.T) {
	for _, text := range []string{wholeFacts, factsWith(`"contracts":[],"digests":[],"argument_paths":[],"subject":{"accepted_trees":[]},"github":{}`)} {
		facts, errs := ParseFacts([]byte(text), DefaultLimits())
		checkErrors(t, errs, nil)
		written, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		again, errs := ParseFacts(written, DefaultLimits())
		checkErrors(t, errs, nil)
		if !reflect.DeepEqual(again, facts) {
			t.Errorf("written %s\ngot  %+v\nwant %+v", written, again, facts)
		}
	}
}

// An empty list says that there is none; an absent one says nothing.
func TestParseFactsEmptyIsNotAbsent(t *testing.T) {
	absent, _ := ParseFacts([]byte(`{"schema":"closeout.facts/v1","subject":{}}`), DefaultLimits())
	if absent.Digests != nil || absent.Subject.AcceptedTrees != nil || absent.ArgumentPaths != nil || absent.GitHub != nil {
		t.Errorf("absent: %+v", absent)
	}
	empty, _ := ParseFacts([]byte(factsWith(`"digests":[],"argument_paths":[],"subject":{"accepted_trees":[]},"github":{}`)), DefaultLimits())
	if empty.Digests == nil || empty.Subject.AcceptedTrees == nil || empty.ArgumentPaths == nil || empty.GitHub == nil {
		t.Errorf("empty: %+v", empty)
	}
}

func TestParseFactsLimits(t *testing.T) {
	text := []byte(factsWith(`"github":{}`))
	if _, errs := ParseFacts(text, tightLimits(int64(len(text)), 2)); errs.Any() {
		t.Errorf("at the limits: %v", errs.All())
	}
	facts, errs := ParseFacts(text, tightLimits(int64(len(text))-1, 2))
	checkLimit(t, errs, facts == nil, FlagRulesBytes)
	facts, errs = ParseFacts(text, tightLimits(1000, 1))
	checkLimit(t, errs, facts == nil, FlagDepth)
}

func FuzzParseFacts(f *testing.F) {
	for _, c := range factsCases {
		f.Add([]byte(c.in))
	}
	s := compileSchema(f, "facts")
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, errs := ParseFacts(data, tightLimits(1<<16, 20))
		checkPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		for _, id := range append(facts.Subject.AcceptedTrees, facts.Digests...) {
			if !isLowerHex(id, 40, 64) {
				t.Errorf("id %q", id)
			}
		}
	})
}
