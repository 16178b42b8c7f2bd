package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// itemsProblems looks at the workflow that runs an agent: it has a secret and can write nothing; what writes runs nothing of the
// change, and pushes to one branch; what judges has neither.
func itemsProblems(w *actionlint.Workflow, data []byte) (list []string) {
	list = frameProblems(itemsWorkflow, w)
	for _, event := range w.On {
		if event.EventName() != "workflow_dispatch" {
			list = append(list, "event "+event.EventName())
		}
	}
	const there = "${{ !cancelled() && needs.list.result == 'success' && needs.list.outputs.items != '[]' }}"
	for id, want := range map[string]struct{ permissions, condition, secret string }{
		"list": {"contents: read", "github.ref == 'refs/heads/main'", ""}, "work": {"contents: read", "needs.list.outputs.items != '[]'", "${{ secrets.ANTHROPIC_API_KEY }}"},
		"push": {"contents: write", there, "${{ github.token }}"}, "judge": {"contents: read", there, ""},
	} {
		job := w.Jobs[id]
		if job == nil {
			list = append(list, "there is no job "+id)
			continue
		}
		if got := permissions(job.Permissions); got != want.permissions {
			list = append(list, "permissions of "+id+": "+got)
		}
		if got := text(job.If); got != want.condition {
			list = append(list, "condition of "+id+": "+got)
		}
		for _, step := range job.Steps {
			if _, ok := step.Exec.(*actionlint.ExecAction); ok || step.Env == nil {
				continue
			}
			for _, v := range step.Env.Vars {
				if got := v.Value.Value; regexp.MustCompile(`secrets|token`).MatchString(got) && got != want.secret {
					list = append(list, "secret of "+id+": "+got)
				}
			}
		}
		if steps := job.Steps; id == "judge" && !regexp.MustCompile(`^exec closeout run (--base|--task|--bundle|--timeout| |"\$[A-Z_]+"|20m)+$`).MatchString(scriptOf(steps, "Record and judge")) {
			list = append(list, "judge does more than judge")
		}
	}
	if n := len(regexp.MustCompile(`\{\{[^}]*(secrets\b|github\.token)`).FindAll(data, -1)); n != 2 {
		list = append(list, "names a secret elsewhere")
	}
	if got := pushes.FindAllString(string(data), -1); len(got) != 1 || got[0] != `git push --quiet origin "FETCH_HEAD:refs/heads/items/$ITEM"` {
		list = append(list, "push: "+strings.Join(got, "; "))
	}
	if script := scriptOf(w.Jobs["push"].Steps, "Push them to a branch of their own"); regexp.MustCompile(`checkout|bash|sh -c|closeout`).MatchString(script) {
		list = append(list, "push runs more than git")
	}
	return list
}

// scriptOf is the script of a step.
func scriptOf(steps []*actionlint.Step, name string) string {
	for _, step := range steps {
		if run, ok := step.Exec.(*actionlint.ExecRun); ok && text(step.Name) == name {
			lines := strings.Split(run.Run.Value, "\n")
			return strings.TrimSpace(lines[len(lines)-1] + strings.Join(lines[:len(lines)-1], "\n"))
		}
	}
	return ""
}

// TestItemsWorkflowBroken breaks each promise of items.yml in turn.
func TestItemsWorkflowBroken(t *testing.T) {
	data := string(readWorkflow(t, itemsWorkflow))
	for _, c := range []struct{ old, new, want string }{
		{"permissions: {}", "permissions: read-all", "permissions of the workflow"},
		{"cancel-in-progress: false", "cancel-in-progress: true", "concurrency"},
		{"  workflow_dispatch:\n", "  workflow_dispatch:\n  pull_request_target:\n", "event pull_request_target"},
		{"    if: github.ref == 'refs/heads/main'\n", "", "condition of list"},
		{"max-parallel: 8\n      matrix:\n        item: ${{ fromJSON(needs.list.outputs.items) }}\n    runs-on: ubuntu-latest\n    timeout-minutes: 120\n    permissions:\n      contents: read", "max-parallel: 8\n      matrix:\n        item: ${{ fromJSON(needs.list.outputs.items) }}\n    runs-on: ubuntu-latest\n    timeout-minutes: 120\n    permissions:\n      contents: write", "permissions of work"},
		{"contents: write", "contents: write\n      actions: write", "permissions of push"},
		{"BUNDLE: ${{ runner.temp }}/bundle\n", "BUNDLE: ${{ runner.temp }}/bundle\n          KEY: ${{ github.token }}\n", "secret of judge"},
		{"secrets.ANTHROPIC_API_KEY", "github.token", "secret of work"},
		{`exec closeout run --base "$GITHUB_SHA"`, `make; exec closeout run --base "$GITHUB_SHA"`, "judge does more"},
		{`git push --quiet origin "FETCH_HEAD:refs/heads/items/$ITEM"`, `git push --quiet --force origin "FETCH_HEAD:refs/heads/items/$ITEM"`, "push: "},
		{`refs/heads/items/$ITEM"`, `refs/heads/$ITEM"`, "push: "},
		{`          git merge-base`, `          git checkout FETCH_HEAD && bash setup.sh; git merge-base`, "push runs more"},
		{`--task "$ITEM" --commit`, `--task "${{ matrix.item }}" --commit`, "expression in a script"},
		{"persist-credentials: false", "persist-credentials: true", "credentials"},
	} {
		if !strings.Contains(data, c.old) {
			t.Fatalf("there is no %q", c.old)
		}
		if found := problems(t, itemsWorkflow, []byte(strings.Replace(data, c.old, c.new, 1))); !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("with %q: got %q, expected %q", c.new, found, c.want)
		}
	}
}
