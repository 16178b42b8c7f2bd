package lint_test

import (
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

const taskPath = ".closeout/tasks/T-1.json"

// task is a task contract with these members.
func task(members string) edit {
	return file(taskPath, `{"task_id": "T-1", "goal": "a", "rollback_plan": "b", "forbidden_files": ["web/**"], `+members+`}`)
}

const noCriteria = `"acceptance_criteria": []`

// many makes the repository large enough for shares.
func many(dir string) []edit {
	var edits []edit
	for c := 'a'; c <= 'z'; c++ {
		for d := 'a'; d <= 'g'; d++ {
			edits = append(edits, file(dir+"/"+string(c)+string(d)+".py", ""))
		}
	}
	return edits
}

var contractCases = []lintCase{
	{"contract", "unknown key", []edit{{contractPath, `"rollback_plan"`, `"rollbackplan"`}, {contractPath, `"Revert."`, `"Revert.", "rollback_plan": "a"`}}, input.Block, `:9:3 the key "rollbackplan" is unknown`},
	{"contract", "none", []edit{file(contractPath, removed)}, input.Block, "the repository has no standing contract"},
	{"contract", "two", []edit{file(".closeout/scope_contract.yml", "a: b\n")}, input.Block, "several standing contracts"},
	{"contract", "yaml", []edit{file(contractPath, removed), file(".closeout/scope_contract.yaml", "allowed_files: [src/**]\nforbidden_files: [web/**]\nacceptance_criteria:\n  - pytest\nrollback_plan: a\n")}, "", ""},
	{"contract", "task without goal", []edit{file(taskPath, `{"task_id": "T-1", "rollback_plan": "b", "allowed_files": ["src/**"], "forbidden_files": ["web/**"], "acceptance_criteria": []}`)}, input.Block, `a task contract requires "goal"`},
	{"contract", "task under another name", []edit{file(".closeout/tasks/T-2.json", `{"task_id": "T-1", "goal": "a", "rollback_plan": "b", "allowed_files": ["src/**"], "forbidden_files": ["web/**"], "acceptance_criteria": []}`)}, input.Block, `the task_id is not the name of the file; found "T-1", expected "T-2" → rename`},
	{"contract", "join", []edit{task(`"allowed_files": ["src/**"], "acceptance_criteria": [{"run": ["a"], "expect": "fail", "proves": "unti"}]`)}, input.Block, "a negative control proves a criterion that does not exist"},
	{"contract", "task", []edit{task(`"allowed_files": ["src/**"], ` + noCriteria)}, "", ""},
	{"contract", "no contract in tasks", []edit{file(".closeout/tasks/README.md", "x")}, "", ""},

	{"evidence_tracked", "log", []edit{file(".closeout/evidence/feedback_record.jsonl", "")}, input.Block, "let git no longer track .closeout/evidence, which stays on disk"},
	{"evidence_tracked", "report", []edit{file("verification_report.json", "")}, input.Block, "let git no longer track verification_report.json, which stays"},
	{"evidence_tracked", "other directory", []edit{{contractPath, `"override"`, `"evidence": {"dir": "ci/ev"}, "override"`}, file("ci/ev/a.xml", "")}, input.Block, "ci/ev"},
	{"evidence_tracked", "committed on purpose", []edit{{contractPath, `"override"`, `"evidence": {"committed": true}, "override"`}, file(".closeout/evidence/a.xml", "")}, "", ""},
	{"evidence_tracked", "committed, but not the report", []edit{{contractPath, `"override"`, `"evidence": {"committed": true}, "override"`}, file("verification_report.json", "")}, input.Block, "let git no longer track verification_report.json"},
	{"evidence_tracked", "not committed on purpose", []edit{{contractPath, `"override"`, `"evidence": {"committed": false}, "override"`}, file(".closeout/evidence/a.xml", "")}, input.Block, "let git no longer track .closeout/evidence"},
	{"evidence_tracked", "similar names", []edit{file(".closeout/evidence2/a", ""), file("docs/verification_report.json", "")}, "", ""},

	{"not_ignored", "directory", []edit{{".gitignore", ".closeout/evidence/\n", ""}}, input.Block, "add the line .closeout/evidence/ at the end of .gitignore"},
	{"not_ignored", "committed on purpose", []edit{{".gitignore", ".closeout/evidence/\n", ""}, {contractPath, `"override"`, `"evidence": {"committed": true}, "override"`}}, "", ""},
	{"not_ignored", "report", []edit{{".gitignore", "/verification_report.json\n", ""}}, input.Block, "add the line /verification_report.json"},
	{"not_ignored", "ignored", nil, "", ""},
	{"not_ignored", "another directory", []edit{{contractPath, `"override"`, `"evidence": {"dir": "ci/ev"}, "override"`}}, input.Block, "add the line ci/ev/"},

	{"glob_matches_nothing", "typo", []edit{allowed(`["srcc/signup/**", "tests/**"]`)}, input.Warn, contractPath + `:2:21 "srcc/signup/**" in allowed_files matches no tracked file → write "src/signup/**" instead`},
	{"glob_matches_nothing", "swapped letters", []edit{allowed(`["src/**", "tests/singup/**"]`)}, input.Warn, `write "tests/signup/**"`},
	{"glob_matches_nothing", "directory", []edit{allowed(`["src", "tests/**"]`)}, input.Warn, `write "src/**" instead of "src"`},
	{"glob_matches_nothing", "one level", []edit{allowed(`["web/*", "tests/**"]`), file("web/package.json", removed), {contractPath, `"web/**"`, `"docs/**"`}}, input.Warn, `write "web/**" instead of "web/*"`},
	{"glob_matches_nothing", "moved", []edit{allowed(`["lib/form.py", "tests/**"]`)}, input.Warn, "correct the pattern, or remove it"},
	{"glob_matches_nothing", "case", []edit{allowed(`["SRC/**", "tests/**"]`)}, input.Warn, `write "src/**"`},
	{"glob_matches_nothing", "task", []edit{task(`"allowed_files": ["src/new.py"], ` + noCriteria)}, input.Info, taskPath + `:1:`},
	{"glob_matches_nothing", "forbidden typo", []edit{{contractPath, `["web/**"]`, `["webb/**"]`}}, input.Warn, `write "web/**"`},
	{"glob_matches_nothing", "forbidden in advance", []edit{{contractPath, `["web/**"]`, `["migrations/**"]`}}, input.Info, "no action is needed"},
	{"glob_matches_nothing", "lifted", []edit{{contractPath, `"override"`, `"may_touch_protected": ["Makefiel"], "override"`}}, input.Warn, `write "Makefile"`},
	{"glob_matches_nothing", "tests typo", []edit{{contractPath, `"files": ["tests/**"`, `"files": ["test/**"`}}, input.Warn, `write "tests/**" instead of "test/**"`},
	{"glob_matches_nothing", "tests to come", []edit{{contractPath, `"files": ["tests/**"`, `"files": ["tests/**", "e2e/**"`}}, input.Info, "no action is needed"},
	{"glob_matches_nothing", "forbidden in another case", []edit{{contractPath, `["web/**"]`, `["WEB/**", "Web"]`}}, "", ""},
	{"glob_matches_nothing", "forbidden in each directory", []edit{{contractPath, `["web/**"]`, `["web", "**/.env"]`}}, "", ""},
	{"glob_matches_nothing", "lock file", []edit{allowed(`["src/**", "go.sum", "web/yarn.lock"]`)}, "", ""},
	{"glob_matches_nothing", "lock file nowhere", []edit{allowed(`["src/**", "wbe/yarn.lock"]`), file("web/yarn.lock", "")}, input.Warn, `write "web/yarn.lock"`},
	{"glob_matches_nothing", "matches", []edit{allowed(`["**/*.py", "s*/**", "src/app.py", "{src,tests}/**", "tests/**"]`)}, "", ""},

	{"overlap", "protected", []edit{allowed(`["src/**", ".github/workflows/**"]`)}, input.Warn, `:2:31 ".github/workflows/**" in allowed_files allows nothing: all files that it matches are closed; .github/workflows/closeout.yml is protected`},
	{"overlap", "forbidden", []edit{allowed(`["src/**", "web/src/**"]`)}, input.Warn, `web/src/index.ts is forbidden: web/**`},
	{"overlap", "outside of the standing contract", []edit{task(`"allowed_files": ["docs/**"], ` + noCriteria)}, input.Info, "not allowed by the standing contract"},
	{"overlap", "one file is open", []edit{allowed(`["src/**", "**/*e*"]`)}, "", ""},
	{"overlap", "lifted", []edit{allowed(`["src/**", "Makefile"]`), {contractPath, `"override"`, `"may_touch_protected": ["Makefile"], "override"`}}, "", ""},
	{"overlap", "a harmless key may change", []edit{allowed(`["src/**", "go.mod"]`), file("go.mod", "module a")}, "", ""},

	{"universal", "all", []edit{allowed(`["**"]`)}, input.Warn, `"**" in allowed_files matches nearly every tracked file → name the directories that changes need: such as "docs/**", "scripts/**", "src/**"`},
	{"universal", "one large directory", append(many("src"), allowed(`["src/**", "tests/**"]`)), input.Warn, `:2:21 "src/**"`},
	{"universal", "by extension", append(many("src"), allowed(`["**/*.py"]`)), input.Warn, `"**/*.py"`},
	{"universal", "task", []edit{task(`"allowed_files": ["**"], ` + noCriteria)}, input.Info, taskPath},
	{"universal", "two directories", append(append(many("src"), many("lib")...), allowed(`["src/**", "lib/**"]`)), "", ""},
	{"universal", "small repository", nil, "", ""},

	{"weak", "claimed", []edit{{contractPath, `"override"`, `"evidence": {"min": "claimed"}, "override"`}}, input.Warn, ":8:3 evidence.min"},
	{"weak", "criterion", []edit{{contractPath, `"id": "unit",`, `"id": "unit", "min_evidence": "claimed",`}}, input.Warn, ":5:5 the criterion unit accepts records"},
	{"weak", "event", []edit{override(`{"binding": "event", "never": ["a.b"]}`)}, input.Warn, "override.binding"},
	{"weak", "author", []edit{override(`{"allow_author": true, "never": ["a.b"]}`)}, input.Warn, "override.allow_author"},
	{"weak", "write", []edit{override(`{"permission": "write", "never": ["a.b"]}`)}, input.Warn, "override.permission"},
	{"weak", "never", []edit{override(`{"never": []}`)}, input.Warn, ":8:3 override.never is empty"},
	{"weak", "no override", []edit{{contractPath, `  "override": {"never": ["contract.changed"]},` + "\n", ""}}, input.Info, "no override.never"},
	{"weak", "off scope", []edit{{contractPath, `"override"`, `"off_scope": "warn", "override"`}}, input.Warn, ":8:3 off_scope lets a change touch files"},
	{"weak", "off scope blocks", []edit{{contractPath, `"override"`, `"off_scope": "block", "override"`}}, "", ""},
	{"weak", "strict", []edit{override(`{"permission": "admin", "binding": "code", "allow_author": false, "never": ["a.b"]}`), {contractPath, `"override"`, `"evidence": {"min": "recorded"}, "override"`}}, "", ""},

	{"unknown_rule", "catalogue", []edit{{contractPath, `"override"`, `"rules": {"catalogue": [{"id": "closeout/test-skiped", "severity": "warn"}]}, "override"`}}, input.Warn, `:8:34 no diff rule has the id "closeout/test-skiped" → write "closeout/test-skipped"`},
	{"unknown_rule", "ignore", []edit{{contractPath, `"override"`, `"rules": {"ignore": [{"id": "closeout/x", "files": "src/**", "reason": "a", "until": "2030-01-01"}]}, "override"`}}, input.Warn, `closeout diff --list`},
	{"unknown_rule", "approval", []edit{{contractPath, `"override"`, `"approvals_required": [{"id": "a", "rules": ["closeout/new-dependencies"]}], "override"`}}, input.Warn, `write "closeout/new-dependency"`},
	{"unknown_rule", "never", []edit{override(`{"never": ["closeout/test-skippedd", "a.b"]}`)}, input.Warn, `:8:3 no diff rule has the id "closeout/test-skippedd"`},
	{"unknown_rule", "gone", []edit{override(`{"never": ["closeout/agent-file", "a.b"]}`)}, input.Warn, `:8:3 the diff rule "closeout/agent-file" is gone`},
	{"unknown_rule", "joined", []edit{override(`{"never": ["closeout/focused-test", "a.b"]}`)}, input.Warn, `:8:3 the diff rule "closeout/focused-test" is a part of another one now: its id counts in this version only → write "closeout/test-skipped"`},
	{"unknown_rule", "known", []edit{override(`{"never": ["closeout/test-skipped", "a.b"]}`), {contractPath, `"override"`, `"rules": {"catalogue": [{"id": "closeout/test-skipped", "severity": "off"}, {"id": "lint/x", "severity": "warn"}]}, "override"`}}, "", ""},

	{"exception", "no end", []edit{exception(``)}, input.Warn, `:8:31 the exception from the rule "r" does not end, and does not count → add "until"`},
	{"exception", "a day too long", []edit{exception(`, "until": "2026-08-29"`)}, input.Warn, `the exception from the rule "r" ends in 181 days: version 0.3.0 does not count it`},
	{"exception", "ended", []edit{exception(`, "until": "2026-02-28"`)}, input.Warn, `has ended and does not count → remove it`},
	{"exception", "ends soon", []edit{exception(`, "until": "2026-03-15"`)}, input.Info, `the exception from the rule "r" ends in 14 days`},
	{"exception", "last day", []edit{exception(`, "until": "2026-03-01"`)}, input.Info, `the exception from the rule "r" ends in 0 days`},
	{"exception", "ends later", []edit{exception(`, "until": "2026-03-16"`)}, "", ""},
	{"exception", "180 days", []edit{exception(`, "until": "2026-08-28"`)}, "", ""},

	{"owners", "no file", []edit{file(".github/CODEOWNERS", removed), file("CODEOWNERS", "/.github/ @a\n")}, input.Warn, `CODEOWNERS:0:0 no code owner must approve a change to /.closeout/ → add the line "/.closeout/ @OWNER"`},
	{"owners", "no line", []edit{file(".github/CODEOWNERS", "/.closeout/ @a\n/src/ @b")}, input.Warn, "no code owner must approve a change to /.github/"},
	{"owners", "taken back", []edit{file(".github/CODEOWNERS", "* @a\n/.closeout/ @a\n*.yml\n")}, input.Warn, "CODEOWNERS:3:1 this line is the last one that matches a new file in /.github/, and names no owner"},
	{"owners", "the gate's workflow alone", []edit{file(".github/CODEOWNERS", "* @a\n/.github/workflows/closeout.yml # later\n")}, input.Warn, "CODEOWNERS:2:1 this line is the last one that matches .github/workflows/closeout.yml"},
	{"owners", "direct files only", []edit{file(".github/CODEOWNERS", "/.closeout/ @a\n/.github/* @a\n")}, input.Warn, "/.github/"},
	{"owners", "GitHub skips the line", []edit{file(".github/CODEOWNERS", "/.closeout/ @a\n/.github/ mona\n")}, input.Warn, "/.github/"},
	{"owners", "everything", []edit{file(".github/CODEOWNERS", removed), file("docs/CODEOWNERS", "*  @a a@example.com # all\n")}, "", ""},
	{"owners", "at any depth", []edit{file(".github/CODEOWNERS", ".github/ @a\n**/.closeout @a\n/.closeout/tasks/\n")}, "", ""},

	{"no_control", "none", []edit{{contractPath, `, "proves": "unit"`, ""}}, input.Info, ":5:5 nothing shows that the criterion \"unit\" (pytest -x tests/signup) can fail"},
	{"no_control", "proven", nil, "", ""},

	{"not_checked", "CODEOWNERS", []edit{file(".github/CODEOWNERS", unreadable)}, input.Info, "the owners of workflows and contracts"},
	{"not_checked", "all", nil, "", ""},
}

// unreadable is the content of a file that cannot be read.
const unreadable = "\x01unreadable"

func words(argv ...string) string { return `["` + strings.Join(argv, `", "`) + `"]` }
