package facts

import (
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/testkit/stricttest"
	"github.com/closeout-gate/closeout/verify/input"
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

var factsCases = []stricttest.ReadCase{
	{Name: "the schema alone", In: `{"schema":"closeout.facts/v1"}`},
	{Name: "everything", In: wholeFacts},
	{Name: "nulls", In: `{"schema":"closeout.facts/v1","settings":{"mode":null,"strict":null,"task":null,"today":null},
		"subject":{"repository":null,"repository_id":null,"pull_request":null,"base_branch":null,"default_branch":null,
		"base_sha":null,"merge_base_sha":null,"head_sha":null,"changes_from":null},
		"contracts":[{"file":"c.json","path":null,"commit":null,"trust":"operator"}],"event":{"name":"push","action":null}}`},
	{Name: "empty lists", In: factsWith(`"contracts":[],"digests":[],"argument_paths":[],"files":[],"subject":{"accepted_trees":[],"pull_requests":[]},"membership":{"head_in_group":true,"differs":[]}`)},
	{Name: "a head in the group", In: factsWith(`"membership":{"head_in_group":true,"x-a":1}`)},
	{Name: "notes", In: factsWith(`"x-a":1,"settings":{"x-b":1},"subject":{"x-c":1},"contracts":[{"file":"f","trust":"head","x-d":1}],"event":{"name":"n","x-e":1},
		"files":[{"file":"f","path":"p","x-f":1}]`)},
	{Name: "a leap day", In: factsWith(`"settings":{"today":"2024-02-29"}`)},
	{Name: "a leap day of a century", In: factsWith(`"settings":{"today":"2000-02-29"}`)},
	{Name: "github asked in vain", In: factsWith(`"github":{},"unavailable":[{"what":"pull_request","error":"HTTP 503"}]`)},
	{Name: "nothing there on github", In: factsWith(`"github":{"pull_request":null,"people":[]}`)},
	{Name: "an account that is gone", In: factsWith(pullWith(`"author":null,"reviews":[{"id":"1","author":null,"state":"APPROVED","commit_id":null,"submitted_at":null}]`))},

	{Name: "no ids", In: factsWith(pullWith(`"author":"a","author_id":null,"author_type":null,"author_apps":[],"commits":[{"sha":"` + hex40 + `","author_id":null,"parents":[]}],"same_head":[]`))},
	{Name: "an author id as a number", In: factsWith(pullWith(`"author_id":1`)), Errs: []string{"3:13: author_id must be a string of digits"}},
	{Name: "a parent that is none", In: factsWith(pullWith(`"commits":[{"sha":"` + hex40 + `","parents":["main"]}]`)), Errs: []string{"3:73: each of parents must be an object id"}},
	{Name: "a clean merge as text", In: factsWith(pullWith(`"commits":[{"sha":"` + hex40 + `","clean_merge":"true"}]`)), Errs: []string{"3:76: clean_merge must be true or false"}},
	{Name: "jobs, none", In: factsWith(`"jobs":[]`)},
	{Name: "job that has not ended", In: factsWith(`"jobs":[{"name":"a","attempt":1,"conclusion":null,"step":null,"began":false}]`)},
	{Name: "jobs is null", In: factsWith(`"jobs":null`), Errs: []string{"2:8: jobs must be a list"}},
	{Name: "job without name", In: factsWith(`"jobs":[{"attempt":1}]`), Errs: []string{`2:9: the key "name" is missing`}},
	{Name: "job of attempt 0", In: factsWith(`"jobs":[{"name":"a","attempt":0}]`), Errs: []string{"2:31: attempt must be an integer from 1 to"}},
	{Name: "same head is null", In: factsWith(pullWith(`"same_head":null`)), Errs: []string{"3:13: same_head must be a list"}},
	{Name: "same head without number", In: factsWith(pullWith(`"same_head":[{"author":"a"}]`)), Errs: []string{`3:14: the key "number" is missing`}},
	{Name: "no schema", In: `{}`, Errs: []string{`1:1: the key "schema" is missing`}},
	{Name: "another schema", In: `{"schema":"closeout.facts/v2"}`, Errs: []string{`1:11: schema must be "closeout.facts/v1"`}},
	{Name: "schema is null", In: `{"schema":null}`, Errs: []string{`1:11: schema must be "closeout.facts/v1"`}},
	{Name: "a list", In: `[]`, Errs: []string{"1:1: facts.json must be an object"}},
	{Name: "nothing", In: ` `, Errs: []string{"1:2: the file is empty"}},
	{Name: "an unknown key", In: factsWith(`"digest":[]`), Errs: []string{`2:1: the key "digest" is unknown`}},
	{Name: "the schema twice", In: factsWith(`"schema":"closeout.facts/v1"`), Errs: []string{`2:1: the key "schema" occurs twice`}, Lax: true},

	{Name: "settings is null", In: factsWith(`"settings":null`), Errs: []string{"2:12: settings must be an object"}},
	{Name: "settings unknown", In: factsWith(`"settings":{"stric":true}`), Errs: []string{`2:13: the key "stric" is unknown`}},
	{Name: "mode unknown", In: factsWith(`"settings":{"mode":"off"}`), Errs: []string{"2:20: mode must be one of enforce, observe"}},
	{Name: "strict is a string", In: factsWith(`"settings":{"strict":"true"}`), Errs: []string{"2:22: strict must be true or false"}},
	{Name: "task is blank", In: factsWith(`"settings":{"task":""}`), Errs: []string{"2:20: task must be a task id: letters, digits and . _ -, at most 64, without .."}},
	{Name: "a day that is none", In: factsWith(`"settings":{"today":"2023-02-29"}`), Errs: []string{"2:21: today must be a day"}, Lax: true},
	{Name: "a leap day of another century", In: factsWith(`"settings":{"today":"1900-02-29"}`), Errs: []string{"2:21: today must be a day"}, Lax: true},
	{Name: "a thirty-first", In: factsWith(`"settings":{"today":"2024-04-31"}`), Errs: []string{"2:21: today must be a day"}, Lax: true},
	{Name: "day zero", In: factsWith(`"settings":{"today":"2024-04-00"}`), Errs: []string{"2:21: today must be a day"}},
	{Name: "month zero", In: factsWith(`"settings":{"today":"2024-00-01"}`), Errs: []string{"2:21: today must be a day"}},
	{Name: "month thirteen", In: factsWith(`"settings":{"today":"2024-13-01"}`), Errs: []string{"2:21: today must be a day"}},
	{Name: "a day with time", In: factsWith(`"settings":{"today":"2024-01-01T00:00:00Z"}`), Errs: []string{"2:21: today must be a day"}},
	{Name: "a day as a number", In: factsWith(`"settings":{"today":20240101}`), Errs: []string{"2:21: today must be a day"}},

	{Name: "subject is a list", In: factsWith(`"subject":[]`), Errs: []string{"2:11: subject must be an object"}},
	{Name: "subject unknown", In: factsWith(`"subject":{"head":"x"}`), Errs: []string{`2:12: the key "head" is unknown`}},
	{Name: "a repository without owner", In: factsWith(`"subject":{"repository":"r"}`), Errs: []string{"2:25: repository must be a repository"}},
	{Name: "a repository as a URL", In: factsWith(`"subject":{"repository":"github.com/o/r"}`), Errs: []string{"2:25: repository must be a repository"}},
	{Name: "a repository id as a number", In: factsWith(`"subject":{"repository_id":1}`), Errs: []string{"2:28: repository_id must be a string of digits"}},
	{Name: "a repository id with a sign", In: factsWith(`"subject":{"repository_id":"-1"}`), Errs: []string{"2:28: repository_id must be a string of digits"}},
	{Name: "pull request zero", In: factsWith(`"subject":{"pull_request":0}`), Errs: []string{"2:27: pull_request must be an integer"}},
	{Name: "a pull request as a string", In: factsWith(`"subject":{"pull_request":"1"}`), Errs: []string{"2:27: pull_request must be an integer"}},
	{Name: "pull requests are null", In: factsWith(`"subject":{"pull_requests":null}`), Errs: []string{"2:28: pull_requests must be a list"}},
	{Name: "a pull request zero among them", In: factsWith(`"subject":{"pull_requests":[1,0]}`), Errs: []string{"2:31: each of pull_requests must be the number of a pull request, each once"}},
	{Name: "a pull request twice", In: factsWith(`"subject":{"pull_requests":[1,2,1]}`), Errs: []string{"2:33: each of pull_requests must be the number"}},
	{Name: "a pull request too large", In: factsWith(`"subject":{"pull_requests":[9007199254740992]}`), Errs: []string{"2:29: each of pull_requests must be the number"}},
	{Name: "pull requests as strings", In: factsWith(`"subject":{"pull_requests":["1"]}`), Errs: []string{"2:29: each of pull_requests must be the number"}},
	{Name: "membership is null", In: factsWith(`"membership":null`), Errs: []string{"2:14: membership must be an object", `2:14: the key "head_in_group" is missing`}},
	{Name: "membership says nothing", In: factsWith(`"membership":{}`), Errs: []string{`2:14: the key "head_in_group" is missing`}},
	{Name: "membership unknown", In: factsWith(`"membership":{"head_in_group":true,"differ":[]}`), Errs: []string{`2:36: the key "differ" is unknown`}},
	{Name: "head in the group as a string", In: factsWith(`"membership":{"head_in_group":"true"}`), Errs: []string{"2:31: head_in_group must be true or false"}},
	{Name: "head in the group is null", In: factsWith(`"membership":{"head_in_group":null}`), Errs: []string{"2:31: head_in_group must be true or false"}},
	{Name: "differs is null", In: factsWith(`"membership":{"head_in_group":false,"differs":null}`), Errs: []string{"2:47: differs must be a list"}},
	{Name: "a path that is empty", In: factsWith(`"membership":{"head_in_group":false,"differs":["a",""]}`), Errs: []string{"2:52: each of differs must be a path"}},
	{Name: "a blank branch", In: factsWith(`"subject":{"base_branch":" "}`), Errs: []string{"2:26: base_branch must be a string"}},
	{Name: "a short commit id", In: factsWith(`"subject":{"head_sha":"a1b2c3d"}`), Errs: []string{"2:23: head_sha must be an object id"}},
	{Name: "an upper-case commit id", In: factsWith(`"subject":{"base_sha":"` + strings.Repeat("A", 40) + `"}`), Errs: []string{"2:23: base_sha must be an object id"}},
	{Name: "a commit id with an outsider inside", In: factsWith(`"subject":{"base_sha":"` + hex40[:20] + "g" + hex40[:19] + `"}`), Errs: []string{"2:23: base_sha must be an object id"}},
	{Name: "trees is null", In: factsWith(`"subject":{"accepted_trees":null}`), Errs: []string{"2:29: accepted_trees must be a list"}},
	{Name: "a tree that is null", In: factsWith(`"subject":{"accepted_trees":["` + hex40 + `",null]}`), Errs: []string{"2:73: each of accepted_trees must be an object id"}},
	{Name: "changes from elsewhere", In: factsWith(`"subject":{"changes_from":"pulls"}`), Errs: []string{"2:27: changes_from must be one of"}},

	{Name: "contracts is null", In: factsWith(`"contracts":null`), Errs: []string{"2:13: contracts must be a list"}},
	{Name: "a contract that is a string", In: factsWith(`"contracts":["c.json"]`),
		Errs: []string{"2:14: each of contracts must be an object", `2:14: the key "file" is missing`, `2:14: the key "trust" is missing`}},
	{Name: "a contract without trust", In: factsWith(`"contracts":[{"file":"c.json"}]`), Errs: []string{`2:14: the key "trust" is missing`}},
	{Name: "a contract of unknown trust", In: factsWith(`"contracts":[{"file":"c.json","trust":"main"}]`), Errs: []string{"2:39: trust must be one of"}},
	{Name: "a contract whose trust is null", In: factsWith(`"contracts":[{"file":"c.json","trust":null}]`), Errs: []string{"2:39: trust must be one of"}},
	{Name: "a contract without file", In: factsWith(`"contracts":[{"trust":"base"}]`), Errs: []string{`2:14: the key "file" is missing`}},
	{Name: "a contract twice", In: factsWith(`"contracts":[{"file":"c.json","trust":"head"},{"file":"c.json","trust":"base"}]`),
		Errs: []string{`2:55: the file "c.json" occurs twice`}, Lax: true},
	{Name: "a contract's commit", In: factsWith(`"contracts":[{"file":"c.json","trust":"base","commit":"main"}]`), Errs: []string{"2:55: commit must be an object id"}},
	{Name: "a contract with an unknown key", In: factsWith(`"contracts":[{"file":"c.json","trust":"base","sha":"x"}]`), Errs: []string{`2:46: the key "sha" is unknown`}},

	{Name: "event is null", In: factsWith(`"event":null`), Errs: []string{"2:9: event must be an object", `2:9: the key "name" is missing`}},
	{Name: "an event without name", In: factsWith(`"event":{"action":"opened"}`), Errs: []string{`2:9: the key "name" is missing`}},
	{Name: "an event with an unknown key", In: factsWith(`"event":{"name":"push","ref":"r"}`), Errs: []string{`2:24: the key "ref" is unknown`}},
	{Name: "digests is null", In: factsWith(`"digests":null`), Errs: []string{"2:11: digests must be a list"}},
	{Name: "a digest of 40 digits", In: factsWith(`"digests":["` + hex40 + `"]`), Errs: []string{"2:12: each of digests must be a sha256"}},
	{Name: "a digest with its algorithm", In: factsWith(`"digests":["sha256:` + hex64 + `"]`), Errs: []string{"2:12: each of digests must be a sha256"}},
	{Name: "paths is a string", In: factsWith(`"argument_paths":"a"`), Errs: []string{"2:18: argument_paths must be a list"}},
	{Name: "a blank path", In: factsWith(`"argument_paths":[""]`), Errs: []string{"2:19: an item of \"argument_paths\" must be a string that is not blank"}},
	{Name: "files is null", In: factsWith(`"files":null`), Errs: []string{"2:9: files must be a list"}},
	{Name: "a file without path", In: factsWith(`"files":[{"file":"f"}]`), Errs: []string{`2:10: the key "path" is missing`}},
	{Name: "a file twice", In: factsWith(`"files":[{"file":"f","path":"a"},{"file":"f","path":"b"}]`), Errs: []string{`2:42: the file "f" occurs twice`}, Lax: true},
	{Name: "a file with an unknown key", In: factsWith(`"files":[{"file":"f","path":"a","sha":1}]`), Errs: []string{`2:33: the key "sha" is unknown`}},
	{Name: "github is null", In: factsWith(`"github":null`), Errs: []string{"2:10: github must be an object"}},
	{Name: "merge bases is null", In: factsWith(`"subject":{"merge_bases":null}`), Errs: []string{"2:26: merge_bases must be a list"}},
	{Name: "a merge base that is none", In: factsWith(`"subject":{"merge_bases":["main"]}`), Errs: []string{"2:27: each of merge_bases must be an object id"}},
	{Name: "head holds is null", In: factsWith(`"contracts":[{"file":"f","trust":"operator","head_holds":null}]`), Errs: []string{"2:58: head_holds must be true or false"}},
	{Name: "coverage of the base is null", In: factsWith(`"base_coverage":null`), Errs: []string{
		"2:17: base_coverage must be an object", `2:17: the key "current" is missing`, `2:17: the key "path" is missing`}},
	{Name: "coverage of the base in percent", In: factsWith(`"base_coverage":{"path":"c.json","current":83}`), Errs: []string{"2:44: current must be a number from 0 to 1"}},
	{Name: "coverage of the base with an unknown key", In: factsWith(`"base_coverage":{"path":"c.json","current":1,"previous":1}`), Errs: []string{`2:46: the key "previous" is unknown`}},
	{Name: "cross is null", In: factsWith(`"cross":null`), Errs: []string{"2:9: cross must be a list"}},
	{Name: "cross without head and paths", In: factsWith(`"cross":[{"old_tests":"` + hex40 + `"}]`), Errs: []string{
		`2:10: the key "head" is missing`, `2:10: the key "test_paths" is missing`}},
	{Name: "a cross tree that is null", In: factsWith(`"cross":[{"head":"` + hex40 + `","base":null,"old_tests":"` + hex40 + `","test_paths":1}]`),
		Errs: []string{"2:68: base must be an object id"}},
	{Name: "a cross tree by its branch", In: factsWith(`"cross":[{"head":"` + hex40 + `","old_tests":"main","test_paths":1}]`), Errs: []string{"2:73: old_tests must be an object id"}},
	{Name: "neither tests of the base nor a reason", In: factsWith(`"cross":[{"head":"` + hex40 + `","test_paths":1}]`), Errs: []string{`2:10: there must be either "old_tests" or`}},
	{Name: "tests of the base and a reason", In: factsWith(`"cross":[{"head":"` + hex40 + `","old_tests":"` + hex40 + `","incomparable":"why","test_paths":1}]`),
		Errs: []string{`2:10: there must be either "old_tests" or`}},
	{Name: "a blank reason", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":" ","test_paths":1}]`), Errs: []string{"2:76: incomparable must be a string"}},
	{Name: "fewer than no test paths", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":-1}]`), Errs: []string{"2:95: test_paths must be an integer"}},
	{Name: "a place of a test without a line", In: factsWith(`"test_places":[{"name":"n","file":"f"}]`), Errs: []string{`2:16: the key "line" is missing`}},
	{Name: "places is null", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":1,"places":null}]`), Errs: []string{"2:106: places must be a list"}},
	{Name: "a place without anything", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":1,"places":[{}]}]`), Errs: []string{
		`2:107: the key "file" is missing`, `2:107: the key "line" is missing`, `2:107: the key "name" is missing`}},
	{Name: "a place before the first line", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":1,"places":[{"name":"n","file":"f","line":0}]}]`),
		Errs: []string{"2:137: line must be an integer"}},
	{Name: "a place with an unknown key", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":1,"places":[{"name":"n","file":"f","line":1,"end":2}]}]`),
		Errs: []string{`2:139: the key "end" is unknown`}},
	{Name: "cross with an unknown key", In: factsWith(`"cross":[{"head":"` + hex40 + `","incomparable":"why","test_paths":1,"no_tests":"` + hex40 + `"}]`),
		Errs: []string{`2:97: the key "no_tests" is unknown`}},
	{Name: "misplaced at no place", In: factsWith(`"misplaced":[{"at":"there","path":"p"}]`), Errs: []string{"2:20: at must be one of named, base, head, work_tree"}},
	{Name: "misplaced without path", In: factsWith(`"misplaced":[{"at":"base"}]`), Errs: []string{`2:14: the key "path" is missing`}},
	{Name: "unmatched is null", In: factsWith(`"unmatched":null`), Errs: []string{"2:13: unmatched must be a list"}},
	{Name: "unmatched of another kind", In: factsWith(`"unmatched":[{"kind":"diff","pattern":"p"}]`), Errs: []string{"2:22: kind must be one of feedback, rules"}},
	{Name: "unmatched without pattern", In: factsWith(`"unmatched":[{"kind":"rules"}]`), Errs: []string{`2:14: the key "pattern" is missing`}},
	{Name: "unmatched with an unknown key", In: factsWith(`"unmatched":[{"kind":"rules","pattern":"p","n":0}]`), Errs: []string{`2:44: the key "n" is unknown`}},
	{Name: "unavailable is null", In: factsWith(`"unavailable":null`), Errs: []string{"2:15: unavailable must be a list"}},
	{Name: "unavailable what", In: factsWith(`"unavailable":[{"error":"e"}]`), Errs: []string{`2:16: the key "what" is missing`}},
	{Name: "unavailable of another kind", In: factsWith(`"unavailable":[{"what":"weather","error":"e"}]`), Errs: []string{"2:24: what must be one of"}},
	{Name: "unavailable without error", In: factsWith(`"unavailable":[{"what":"changes"}]`), Errs: []string{`2:16: the key "error" is missing`}},
	{Name: "unavailable with an unknown key", In: factsWith(`"unavailable":[{"what":"changes","error":"e","why":"w"}]`), Errs: []string{`2:46: the key "why" is unknown`}},
	{Name: "an event's head", In: factsWith(`"event":{"name":"pull_request","head_sha":"main"}`), Errs: []string{"2:43: head_sha must be an object id"}},
	{Name: "github with an unknown key", In: factsWith(`"github":{"pulls":[]}`), Errs: []string{`2:11: the key "pulls" is unknown`}},
	{Name: "a pull request without anything", In: factsWith(`"github":{"pull_request":{}}`), Errs: []string{
		`2:26: the key "base_branch" is missing`, `2:26: the key "base_sha" is missing`, `2:26: the key "changed_files" is missing`,
		`2:26: the key "head_sha" is missing`, `2:26: the key "number" is missing`, `2:26: the key "state" is missing`}},
	{Name: "labels is null", In: factsWith(pullWith(`"labels":null`)), Errs: []string{"3:10: labels must be a list"}},
	{Name: "a label that is null", In: factsWith(pullWith(`"labels":[null]`)), Errs: []string{"3:11: an item of \"labels\" must be a string that is not blank"}},
	{Name: "label events is null", In: factsWith(pullWith(`"label_events":null`)), Errs: []string{"3:16: label_events must be a list"}},
	{Name: "a label event of another kind", In: factsWith(pullWith(`"label_events":[{"id":"1","event":"closed","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), Errs: []string{"3:35: event must be one of labeled, unlabeled"}},
	{Name: "a label event without id", In: factsWith(pullWith(`"label_events":[{"event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), Errs: []string{`3:17: the key "id" is missing`}},
	{Name: "an id as a number", In: factsWith(pullWith(`"label_events":[{"id":1,"event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z"}]`)), Errs: []string{"3:23: id must be a string of digits"}},
	{Name: "a time with an offset", In: factsWith(pullWith(`"label_events":[{"id":"1","event":"labeled","label":"l","created_at":"2026-01-01T00:00:00+01:00"}]`)), Errs: []string{"3:70: created_at must be a time in UTC"}},
	{Name: "an intent that is no boolean", In: factsWith(pullWith(`"label_events":[{"id":"1","event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z","intent":null}]`)), Errs: []string{"3:102: intent must be true or false"}},
	{Name: "a force-push without time", In: factsWith(pullWith(`"force_pushed_at":"yesterday"`)), Errs: []string{"3:19: force_pushed_at must be a time in UTC"}},
	{Name: "no force-push", In: factsWith(pullWith(`"force_pushed_at":null`))},
	{Name: "a comment without body", In: factsWith(pullWith(`"comments":[{"id":"1","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}]`)), Errs: []string{`3:13: the key "body" is missing`}},
	{Name: "a review of another state", In: factsWith(pullWith(`"reviews":[{"id":"1","state":"approved"}]`)), Errs: []string{"3:30: state must be one of APPROVED"}},
	{Name: "a commit without id", In: factsWith(pullWith(`"commits":[{}]`)), Errs: []string{`3:12: the key "sha" is missing`}},
	{Name: "a permission that is none", In: factsWith(`"github":{"people":[{"login":"a","id":"1","type":"User","permission":"owner"}]}`), Errs: []string{"2:70: permission must be one of admin"}},
	{Name: "a person twice", In: factsWith(`"github":{"people":[{"login":"Ann","id":"1","type":"User"},{"login":"ann","id":"1","type":"User"}]}`),
		Errs: []string{`2:69: the account "ann" occurs twice`}, Lax: true},
	{Name: "an id twice", In: factsWith(`"github":{"people":[{"login":"ann","id":"1","type":"User"},{"login":"bob","id":"1","type":"User"}]}`),
		Errs: []string{`2:69: the account "bob" occurs twice`}, Lax: true},
	{Name: "github is a boolean", In: factsWith(`"github":true`), Errs: []string{"2:10: github must be an object"}},
}

var wholeFacts = `{"schema": "closeout.facts/v1",
 "settings": {"mode": "observe", "strict": true, "unattended": true, "task": "T-001", "today": "2026-11-21"},
 "subject": {"repository": "o/r.x", "repository_id": "12345678901234567890", "pull_request": 12, "base_branch": "main",
             "default_branch": "trunk", "base_sha": "` + hex40 + `", "merge_base_sha": "` + hex64 + `", "head_sha": "` + hex40 + `",
             "merge_bases": ["` + hex40 + `"], "accepted_trees": ["` + hex40 + `", "` + hex64 + `"], "changes_from": "git", "pull_requests": [12, 9007199254740991]},
 "contracts": [{"file": "scope_contract.json", "path": ".closeout/scope_contract.json", "commit": "` + hex40 + `", "trust": "base"},
               {"file": "contracts/T-001.json", "path": ".closeout/tasks/T-001.json", "trust": "head", "head_holds": true}],
 "base_coverage": {"path": "coverage_report.json", "commit": "` + hex40 + `", "current": 0.835},
 "test_places": [{"name": "TestB", "file": "b_test.go", "line": 9}],
 "cross": [{"head": "` + hex40 + `", "base": "` + hex64 + `", "old_tests": "` + hex40 + `", "new_tests": "` + hex40 + `", "test_paths": 3, "places": [{"suite": "p", "name": "TestA", "file": "a_test.go", "line": 7}]},
           {"head": "` + hex40 + `", "test_paths": 0, "incomparable": "the change has several merge bases"}],
 "event": {"name": "pull_request", "action": "synchronize", "base_branch": "main", "sender": "ann", "sender_id": "1", "attempt": 2},
 "digests": ["` + hex64 + `"],
 "argument_paths": ["scripts/test.sh"],
 "files": [{"file": "feedback/0.jsonl", "path": ".closeout/evidence/feedback_record.jsonl"}],
 "misplaced": [{"at": "head", "path": "scope_contract.json"}],
 "trial": true,
 "quotes": [{"file": "a.go", "line": 4, "quote": "return nil", "at": 5, "in": "b.go"}, {"file": "a.go", "quote": "x"}],
 "unmatched": [{"kind": "feedback", "pattern": "logs/*.jsonl"}],
 "jobs": [{"name": "record", "attempt": 2, "conclusion": "failure", "step": "Record", "began": true}],
 "membership": {"head_in_group": false, "differs": ["src/a.go", " "]},
 "unavailable": [{"what": "teams", "error": "HTTP 404", "fix": "give the token the right to read teams", "about": "o/core"}],
 "github": {"pull_request": {"number": 12, "state": "open", "merged": false, "draft": true, "author": "agent", "author_id": "11", "author_type": "Bot", "author_apps": ["agent-app"], "asked_by": [{"login": "mona", "id": "7"}, {}], "threads": [{"opened_by": "r[bot]", "opened_by_id": "5", "resolved_by": "mona", "resolved_by_id": "7", "path": "a", "line": 3}], "base_branch": "main",
              "base_sha": "` + hex40 + `", "head_sha": "` + hex40 + `", "last_head_sha": "` + hex40 + `", "force_pushed_at": "2026-11-21T09:00:00Z", "changed_files": 2, "labels": ["bug"],
              "label_events": [{"id": "7", "event": "labeled", "label": "closeout-override", "actor": "ann", "actor_id": "1", "actor_type": "User",
                                "app": null, "intent": false, "created_at": "2026-11-21T10:00:00Z"}],
              "commits": [{"sha": "` + hex40 + `", "author": "agent", "author_id": "11", "author_email": "a@x.org", "committer_email": "c@x.org", "committer": "web-flow", "committer_id": "19864447", "co_authors": ["12+bob"], "verified": true,
                           "parents": ["` + hex40 + `", "` + hex64 + `"], "clean_merge": true, "override": null}],
              "comments": [{"id": "8", "author": "ann", "author_id": "1", "author_type": "User", "app": null, "created_at": "2026-11-21T10:00:00Z",
                            "updated_at": "2026-11-21T10:00:00Z", "body": "/closeout-override k7f3-3q2d-ab5c-mnop-zyx7-2222 known"}],
              "same_head": [{"number": 13, "author": "bob", "author_id": "12", "author_type": "User", "author_apps": ["an-app"], "fork": true, "base_branch": "dev"}],
              "reviews": [{"id": "9", "author": "ann", "author_id": "1", "state": "APPROVED", "commit_id": "` + hex40 + `", "submitted_at": "2026-11-21T10:00:00Z"}]},
            "people": [{"login": "ann", "id": "1", "type": "User", "email": "ann@example.org", "permission": "maintain", "teams": ["o/core"]}]}}`

func TestParseFactsCases(t *testing.T) { stricttest.Cases(t, "facts", factsCases, Parse) }

func TestParseFactsValues(t *testing.T) {
	facts, errs := Parse([]byte(wholeFacts), input.DefaultLimits())
	stricttest.CheckErrors(t, errs, nil)
	want := &Facts{
		Schema:   Schema,
		Quotes:   []Quote{{File: "a.go", Line: 4, Quote: "return nil", At: 5, In: "b.go"}, {File: "a.go", Quote: "x"}},
		Settings: Settings{Mode: "observe", Strict: true, Task: "T-001", Unattended: true, Today: "2026-11-21"},
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
		BaseCoverage: &BaseCoverage{Path: "coverage_report.json", Commit: hex40, Current: input.Whole / 1000 * 835},
		Jobs:         []Job{{Name: "record", Attempt: 2, Conclusion: "failure", Step: "Record", Began: true}},
		TestPlaces:   []CrossPlace{{Name: "TestB", File: "b_test.go", Line: 9}},
		Cross: []CrossTrees{
			{Head: hex40, Base: hex64, OldTests: hex40, NewTests: hex40, TestPaths: 3, Places: []CrossPlace{{Suite: "p", Name: "TestA", File: "a_test.go", Line: 7}}},
			{Head: hex40, Incomparable: "the change has several merge bases"},
		},
		Event:         Event{Name: "pull_request", Action: "synchronize", BaseBranch: "main", Sender: "ann", SenderID: "1", Attempt: 2},
		Digests:       []string{hex64},
		ArgumentPaths: []string{"scripts/test.sh"},
		Files:         []FileOrigin{{File: "feedback/0.jsonl", Path: ".closeout/evidence/feedback_record.jsonl"}},
		Misplaced:     []Misplaced{{At: "head", Path: "scope_contract.json"}},
		Trial:         true,
		Unmatched:     []Unmatched{{Kind: "feedback", Pattern: "logs/*.jsonl"}},
		Unavailable:   []Unavailable{{What: WantedTeams, Error: "HTTP 404", Fix: "give the token the right to read teams", About: "o/core"}},
		GitHub: &GitHub{
			PullRequest: &PullRequest{
				Number: 12, State: "open", Draft: true, Author: "agent", AuthorID: "11", AuthorType: "Bot", AuthorApps: []string{"agent-app"}, AskedBy: []Account{{"mona", "7"}, {}}, Threads: []Thread{{"r[bot]", "5", "mona", "7", "a", 3}}, BaseBranch: "main", BaseSHA: hex40, HeadSHA: hex40,
				LastHeadSHA: hex40, ForcePushedAt: "2026-11-21T09:00:00Z", ChangedFiles: 2, Labels: []string{"bug"},
				LabelEvents: []LabelEvent{{
					ID: "7", Event: "labeled", Label: "closeout-override", Actor: "ann", ActorID: "1", ActorType: "User", CreatedAt: "2026-11-21T10:00:00Z",
				}},
				Commits: []Commit{{
					SHA: hex40, Author: "agent", AuthorID: "11", AuthorEmail: "a@x.org", CommitterEmail: "c@x.org", Committer: "web-flow", CommitterID: "19864447", CoAuthors: []string{"12+bob"}, Verified: true,
					Parents: []string{hex40, hex64}, CleanMerge: true,
				}},
				SameHead: []Peer{{Number: 13, Author: "bob", AuthorID: "12", AuthorType: "User", AuthorApps: []string{"an-app"}, Fork: true, BaseBranch: "dev"}},
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

// What is written is what is read, each field of it: one that is read or written under another name, or not at all, is
// missing in one of the two texts.
func TestFactsWrittenAreRead(t *testing.T) {
	found := map[string]bool{}
	for _, text := range []string{
		wholeFacts, factsWith(`"contracts":[],"digests":[],"argument_paths":[],"subject":{"accepted_trees":[]},"github":{}`),
		factsWith(`"settings":{"tasks":["T-1","T-2"]},"trailers":[{"task":"T-1, T-2","commit":"` + hex40 + `"}]`),
		factsWith(`"event":{"name":"e","head_sha":"` + hex40 + `","label":"l"},"membership":{"head_in_group":true},
			"contracts":[{"file":"f","trust":"head","base_holds":"p"}],"unavailable":[{"what":"teams","error":"e","limit":"--max-rows"}],` +
			pullWith(`"merged":true,"label_events":[{"id":"1","event":"labeled","label":"l","created_at":"2026-01-01T00:00:00Z","app":"a","intent":true}],
			"commits":[{"sha":"`+hex40+`","override":"o"}],"comments":[{"id":"1","app":"a","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","body":"b"}]`)),
	} {
		facts, errs := Parse([]byte(text), input.DefaultLimits())
		stricttest.CheckErrors(t, errs, nil)
		written, err := facts.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, errs := Parse(written, input.DefaultLimits())
		stricttest.CheckErrors(t, errs, nil)
		if !reflect.DeepEqual(again, facts) {
			t.Errorf("written %s\ngot  %+v\nwant %+v", written, again, facts)
		}
		markFields(found, reflect.ValueOf(again))
	}
	for field, set := range found {
		if !set {
			t.Errorf("no text of this test sets %s", field)
		}
	}
}

// markFields notes of each field of the structs in v whether one of them has it.
func markFields(found map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			markFields(found, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			markFields(found, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			found[name] = found[name] || !v.Field(i).IsZero()
			markFields(found, v.Field(i))
		}
	}
}

// An empty list says that there is none; an absent one says nothing.
func TestParseFactsEmptyIsNotAbsent(t *testing.T) {
	absent, _ := Parse([]byte(`{"schema":"closeout.facts/v1","subject":{}}`), input.DefaultLimits())
	if absent.Digests != nil || absent.Subject.AcceptedTrees != nil || absent.ArgumentPaths != nil || absent.GitHub != nil {
		t.Errorf("absent: %+v", absent)
	}
	empty, _ := Parse([]byte(factsWith(`"digests":[],"argument_paths":[],"subject":{"accepted_trees":[]},"github":{}`)), input.DefaultLimits())
	if empty.Digests == nil || empty.Subject.AcceptedTrees == nil || empty.ArgumentPaths == nil || empty.GitHub == nil {
		t.Errorf("empty: %+v", empty)
	}
}

func TestParseFactsLimits(t *testing.T) { stricttest.Limits(t, factsWith(`"github":{}`), Parse) }

func FuzzParseFacts(f *testing.F) {
	for _, c := range factsCases {
		f.Add([]byte(c.In))
	}
	s := stricttest.CompileSchema(f, "facts")
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, errs := Parse(data, stricttest.TightLimits(1<<16, 20))
		stricttest.CheckPlaces(t, data, errs)
		if errs.Any() {
			return
		}
		if err := stricttest.Validate(s, data); err != nil {
			t.Errorf("accepted, but the schema says: %v", err)
		}
		for _, id := range append(facts.Subject.AcceptedTrees, facts.Digests...) {
			if !input.IsLowerHex(id, 40, 64) {
				t.Errorf("id %q", id)
			}
		}
	})
}
