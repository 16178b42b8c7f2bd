package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/internal/github"
)

// The workflows that the documentation hands out.
const (
	oneJob     = "docs/workflows/one-job.yml"
	twoJobs    = "docs/workflows/two-jobs.yml"
	mergeQueue = "docs/workflows/merge-queue.yml"
	matrix     = "docs/workflows/matrix.yml"
	caller     = "docs/workflows/reusable.yml"
	reusable   = ".github/workflows/closeout.yml"
	ownGate    = ".github/workflows/gate.yml" // of this repository
	archiver   = "docs/workflows/archive.yml"
	// itemsWorkflow lets an agent work, pushes branches, and judges them.
	itemsWorkflow = "docs/workflows/items.yml"
	releases      = ".github/workflows/release.yml" // with archiver the only workflow that writes, with the token of its run or the key of the release
)

var handedOut = []string{oneJob, twoJobs, mergeQueue, matrix, caller, reusable}

const (
	gateReads = "actions: read, contents: read, issues: read, pull-requests: read"
	ownAction = "closeout-gate/closeout@v0"
	ownSetup  = "closeout-gate/closeout/.github/actions/setup@v0"
)

var (
	pinned   = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	versions = regexp.MustCompile(`(?m)uses: (\S+@[0-9a-f]{40})( # v\d+\.\d+\.\d+)?$`)
)

// wanted are inputs of other people's actions that matter: the head with its history, and hidden directories in the artifact.
var wanted = map[string]map[string]string{
	"actions/checkout":          {"fetch-depth": "0", "persist-credentials": "false"},
	"actions/upload-artifact":   {"name": "closeout-evidence", "path": ".closeout/evidence", "include-hidden-files": "true"},
	"actions/download-artifact": {"name": "closeout-evidence", "path": ".closeout/evidence"},
}

// crossWanted are inputs that matter where the evidence is that of the tests of the base.
var crossWanted = map[string]map[string]string{
	"actions/upload-artifact": {
		"name": "closeout-evidence-${{ matrix.tree }}", "path": ".closeout/evidence/cross", "include-hidden-files": "true",
		"if-no-files-found": "ignore", "overwrite": "true",
	},
	"actions/download-artifact": {"pattern": "closeout-evidence-*", "path": ".closeout/evidence/cross", "merge-multiple": "true"},
}

// TestWorkflows checks every workflow of the repository and of the documentation against what the documentation promises.
func TestWorkflows(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"docs/workflows/*.yml", ".github/workflows/*.yml"} {
		found, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 5 {
		t.Fatalf("found only %q", paths)
	}
	pins := map[string]string{}
	for _, path := range paths {
		name, err := filepath.Rel(repository, path)
		if err != nil {
			t.Fatal(err)
		}
		data := readWorkflow(t, name)
		for _, problem := range problems(t, name, data) {
			t.Errorf("%s: %s", name, problem)
		}
		for _, m := range versions.FindAllStringSubmatch(string(data), -1) {
			action, _, _ := strings.Cut(m[1], "@")
			if was := pins[action]; was != "" && was != m[0] {
				t.Errorf("%s: %s, and elsewhere %s", name, m[0], was)
			}
			pins[action] = m[0]
		}
	}
}

// TestWorkflowsBroken breaks each promise in turn.
func TestWorkflowsBroken(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{twoJobs, "always()", "alwys()", "undefined function"},
		{twoJobs, "  pull_request:\n", "  pull_request_target:\n", "event pull_request_target"},
		{twoJobs, ", labeled, unlabeled]", "]", "types of pull_request"},
		{mergeQueue, "    types: [checks_requested]\n", "", "types of merge_group"},
		{mergeQueue, "  merge_group:\n    types: [checks_requested]\n", "", "events"},
		{twoJobs, "unlabeled]\n", "unlabeled]\n    paths: [src/**]\n", "filter"},
		{twoJobs, "unlabeled]\n", "unlabeled]\n    branches-ignore: [x]\n", "filter"},
		{twoJobs, "permissions: {}", "permissions: read-all", "permissions of the workflow"},
		{twoJobs, "permissions: {}\n", "", "permissions of the workflow"},
		{twoJobs, "      contents: read\n    outputs", "      contents: write\n    outputs", "permissions of record"},
		{twoJobs, "      issues: read\n", "", "permissions of closeout"},
		{twoJobs, "      actions: read\n", "      actions: write\n", "permissions of closeout"},
		{oneJob, "      issues: read\n", "      issues: write\n", "permissions of closeout"},
		{caller, "issues: read}", "issues: write}", "permissions of the workflow"},
		{twoJobs, "checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1", "checkout@v7", "not pinned"},
		{twoJobs, " # v7.0.1", "", "names no version"},
		{twoJobs, "persist-credentials: false", "persist-credentials: true", "credentials"},
		{twoJobs, "          persist-credentials: false\n", "", "credentials"},
		{twoJobs, `--setup "$SETUP"`, `--setup "${{ github.head_ref }}"`, "expression in a script"},
		{twoJobs, "        id: record\n", "        id: record\n        continue-on-error: true\n", "may fail"},
		{twoJobs, "        id: record\n", "        id: record\n        if: always()\n", "condition of a step"},
		{twoJobs, "      - name: Install closeout\n        uses: closeout-gate/closeout/.github/actions/setup@v0\n", "", "does not install closeout first"},
		{twoJobs, "/setup@v0", "/setup@main", "is not pinned"},
		{twoJobs, "      - name: Upload the evidence\n", "      - run: closeout version\n      - name: Upload the evidence\n", "record runs 2 scripts"},
		{twoJobs, "      - name: Upload the evidence\n", "      - name: Upload the evidence\n        if: always()\n", "condition of a step"},
		{oneJob, "      - name: Judge\n", "      - run: make\n      - name: Judge\n", "closeout runs 4 scripts"},
		{twoJobs, `--timeout 20m`, `--timeout 20m || true`, "does more than record"},
		{twoJobs, `exec closeout`, `closeout`, "does more than record"},
		{twoJobs, `--setup "$SETUP"`, `--setup "$SETUP"; sha256sum x`, "does more than record"},
		{twoJobs, ` --record-only`, ``, "does more than record"},
		{matrix, ` --stream "$LEG"`, ``, "legs"},
		{matrix, "feedback_sha256_arm64", "feedback_sha256_amd64", "legs"},
		{matrix, "{leg: arm64,", "{leg: riscv,", "legs"},
		{matrix, " || 'arm64='", "", "legs"},
		{matrix, "            ${{ needs.record.outputs.arm64 || 'arm64=' }}\n", "", "legs"},
		{matrix, "name: closeout-evidence-arm64", "name: closeout-evidence-amd64", "legs"},
		{matrix, "legs/arm64/.closeout/evidence", "legs/arm64", "legs"},
		{matrix, "fail-fast: false", "fail-fast: true", "legs"},
		{matrix, "closeout-evidence-${{ matrix.leg }}", "closeout-evidence", "legs"},
		{twoJobs, "steps.record.outcome == 'success' && ", "", "output"},
		{twoJobs, "steps.record.outcome", "steps.record.conclusion", "output"},
		{twoJobs, "      - name: Judge\n", "      - run: make\n      - name: Judge\n", "gate runs a script"},
		{twoJobs, "      - name: Judge\n", "      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0\n      - name: Judge\n", "gate uses"},
		{twoJobs, "    if: always()\n", "", "condition of closeout"},
		{twoJobs, "  record:\n", "  record:\n    if: github.actor != 'x'\n", "condition of record"},
		{twoJobs, "cancel-in-progress: false", "cancel-in-progress: true", "concurrency"},
		{twoJobs, "  cancel-in-progress: false\n", "", "concurrency"},
		{twoJobs, "          feedback_sha256: |\n            ${{ needs.record.outputs.feedback_sha256 }}\n            ${{ needs.cross.outputs.base }}\n            ${{ needs.cross.outputs.old_tests }}\n", "", "digest"},
		{oneJob, "        uses: closeout-gate/closeout@v0\n", "        uses: closeout-gate/closeout@v0\n        with:\n          feedback_sha256: x\n", "digest"},
		{twoJobs, "          feedback_sha256: |", "          feedback_sha: |", "no input of the action"},
		{twoJobs, "          path: .closeout/evidence\n          include", "          path: .closeout\n          include", "path is"},
		{twoJobs, "          include-hidden-files: true\n", "", "include-hidden-files is"},
		{twoJobs, "closeout-evidence\n          path: .closeout/evidence\n      - name", "closeout-evidence\n      - name", "path is"},
		{twoJobs, "tree: [base, old_tests]", "tree: [old_tests]", "cross: trees"},
		{twoJobs, "needs: [record, cross]", "needs: [record]", "cross: the gate does not wait"},
		{twoJobs, "outputs.feedback_sha256_old_tests ", "outputs.feedback_sha256_base ", "cross: no digest of old_tests"},
		{mergeQueue, "            ${{ needs.cross.outputs.base }}\n", "", "cross: no digest of base"},
		{matrix, "            ${{ needs.cross.outputs.old_tests_arm64 }}\n", "", "cross: no digest of old_tests_arm64"},
		{reusable, "      fail-fast: false\n", "", "cross: one tree ends the other"},
		{twoJobs, `--cross "$TREE" `, "", "cross: the script does not record"},
		{twoJobs, "${{ matrix.tree }}\n        run", "base\n        run", "cross: the script does not record"},
		{twoJobs, "      - name: Record what the tests", "      - uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3\n        with: {path: x, key: x}\n      - name: Record what the tests", "cross: it restores a cache"},
		{twoJobs, "path: .closeout/evidence/cross\n          include", "path: .closeout/evidence\n          include", "path is"},
		{twoJobs, "          merge-multiple: true\n", "", "merge-multiple is"},
		{twoJobs, "steps.record.outcome == 'success' && steps.record.outputs.feedback_sha256_base", "steps.record.outputs.feedback_sha256_base", "output"},
		{oneJob, "--cross base", "--cross old_tests", "do not run first"},
		{twoJobs, "          ref: ${{ github.event.pull_request.head.sha }}\n", "", "checkout of"},
		{mergeQueue, ".head.sha || github.sha }}", ".head.sha }}", "checkout of"},
		{twoJobs, "          fetch-depth: 0\n", "", "fetch-depth is"},
		{twoJobs, "        continue-on-error: true\n        uses", "        uses", "no job judges"},
		{oneJob, "        if: ${{ !cancelled() }}\n        # No", "        # No", "condition of the gate"},
		{twoJobs, "SETUP: \"\"", "TOKEN: ${{ secrets.GITHUB_TOKEN }}", "secret"},
		{twoJobs, "SETUP: \"\"", "TOKEN: ${{ github.token }}", "secret"},
		{twoJobs, "          git -C closeout.git fetch", "          git -C closeout.git fetch --depth 1", "does not fetch"},
		{twoJobs, "      - name: Fetch the commits\n", "      - name: Fetch the commits\n        continue-on-error: true\n", "does not fetch"},
		{twoJobs, "          GITHUB_TOKEN: ${{ github.token }}\n        run: |\n", "          TOKEN: ${{ github.token }}\n        run: |\n", "secret"},
		{oneJob, "        if: ${{ !cancelled() }}\n        env:\n          GITHUB_TOKEN", "        env:\n          GITHUB_TOKEN", "does not fetch"},
		{mergeQueue, "      - name: Judge\n", "      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n      - name: Judge\n", "gate uses"},
		{ownGate, "          git init --quiet --bare closeout.git\n", "", "does not fetch"},
		{ownGate, ".base.sha }}\n          persist-credentials: false\n      - name: Download", ".head.sha }}\n          persist-credentials: false\n      - name: Download", "./ is the change's own action"},
		{ownGate, "          ref: ${{ github.event.pull_request.base.sha }}\n", "", "setup is the change's own action"},
		{ownGate, "          feedback_sha256: |\n            ${{ needs.record.outputs.feedback_sha256 }}\n            ${{ needs.cross.outputs.base }}\n            ${{ needs.cross.outputs.old_tests }}\n", "          strict: true\n", "digest"},
		{ownGate, "            ${{ needs.cross.outputs.base }}\n", "", "cross: no digest of base"},
		{twoJobs, "          bundle: closeout-bundle\n", "", "writes no bundle"},
		{oneJob, "bundle: closeout-bundle", "bundle: bundle", "writes no bundle"},
		{twoJobs, "bundle\n        if: always()\n", "bundle\n", "upload of the bundle"},
		{twoJobs, "        if: always()\n        continue-on-error: true\n", "        if: always()\n", "upload of the bundle"},
		{reusable, "closeout-bundle\n          include-hidden-files: true\n          if-no-files-found: ignore", "closeout-bundle\n          include-hidden-files: true\n          if-no-files-found: error", "upload of the bundle"},
		{mergeQueue, "          overwrite: true\n          retention", "          retention", "upload of the bundle"},
		{oneJob, "          path: closeout-bundle\n          include-hidden-files: true\n", "          path: closeout-bundle\n", "upload of the bundle"},
		{matrix, "path: closeout-bundle", "path: .", "upload of the bundle"},
		{twoJobs, "Upload the bundle", "Upload", "end with the upload"},
		{archiver, "actions: read", "actions: write", "permissions of find"},
		{archiver, "      contents: write\n", "      contents: write\n      actions: read\n", "permissions of write"},
		{archiver, "permissions: {}", "permissions: read-all", "permissions of the workflow"},
		{archiver, "cancel-in-progress: false", "cancel-in-progress: true", "concurrency"},
		{archiver, "group: closeout-archive", "group: x", "concurrency"},
		{archiver, "    branches: [main]\n", "    branches: [main]\n    paths: [src/**]\n", "event"},
		{archiver, "  schedule:\n    - cron: \"17 3 * * 1\"\n", "", "event"},
		{archiver, "  workflow_dispatch:", "  workflow_run: {workflows: [gate]}\n  workflow_dispatch:", "event"},
		{archiver, "    if: github.ref == 'refs/heads/main'\n", "", "condition of find"},
		{archiver, "if: always() && needs.find", "if: needs.find", "condition of write"},
		{archiver, "sha256sum --check", "sha256sum", "digest"},
		{archiver, "push --quiet", "push --force --quiet", "push"},
		{archiver, "origin refs/heads/closeout-archive; then", "origin +refs/heads/closeout-archive; then", "push"},
		{archiver, "origin refs/heads/closeout-archive; then", "origin HEAD:main; then", "push"},
		{archiver, "      - name: Download what", "      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1\n      - name: Download what", "write uses"},
		{archiver, "${{ github.token }}", "${{ secrets.TOKEN }}", "secret"},
		{archiver, "closeout archive add --found", "closeout archive add ${{ inputs.x }} --found", "expression in a script"},
		{releases, "${{ github.token }}", "${{ secrets.RELEASE }}", "secret"},
		{releases, "persist-credentials: false", "persist-credentials: true", "credentials"},
		{releases, `"${GITHUB_REF_NAME#release/}"`, `"${{ github.ref_name }}"`, "expression in a script"},
		{releases, "@a2bbfa25375fe432b6a289bc6b6cd05ecd0c4c32 # v4.1.0", "@v4", "not pinned"},
	} {
		data := readWorkflow(t, c.file)
		if !bytes.Contains(data, []byte(c.old)) {
			t.Fatalf("%s does not contain %q", c.file, c.old)
		}
		found := problems(t, c.file, bytes.Replace(data, []byte(c.old), []byte(c.new), 1))
		if !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%s with %q for %q: got %q, expected %q", c.file, c.new, c.old, found, c.want)
		}
	}
}

// TestWorkflowsShown wants the workflow that calls ours in the texts exactly as it was checked, and each of the others
// explained.
func TestWorkflowsShown(t *testing.T) {
	block := "```yaml\n" + string(readWorkflow(t, caller)) + "```\n"
	page := readWorkflow(t, "docs/github.md")
	for name, text := range map[string][]byte{"README.md": readWorkflow(t, "README.md"), "docs/github.md": page} {
		if !bytes.Contains(text, []byte(block)) {
			t.Errorf("%s does not show %s as it is", name, caller)
		}
	}
	if !bytes.Contains(readWorkflow(t, "docs/reference/action.md"), []byte(shownStep())) {
		t.Error("docs/reference/action.md does not show the step that fetches")
	}
	for _, name := range []string{oneJob, twoJobs, mergeQueue, matrix, reusable, archiver, itemsWorkflow} {
		if !bytes.Contains(page, []byte(strings.TrimPrefix(name, "docs/"))) {
			t.Errorf("docs/github.md does not name %s", name)
		}
	}
}

// shownStep is the step that fetches, as it is shown to people.
func shownStep() string {
	step := "- name: Fetch the commits\n  env:\n    GITHUB_TOKEN: ${{ github.token }}\n  run: |\n"
	for line := range strings.Lines(github.Fetch) {
		step += "    " + line
	}
	return step
}

func readWorkflow(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// problems lists what is wrong with the workflow that the file name contains.
func problems(t *testing.T, name string, data []byte) []string {
	t.Helper()
	// The linter looks for the entry point of the image in the repository.
	linter, err := actionlint.NewLinter(&bytes.Buffer{}, &actionlint.LinterOptions{IgnorePatterns: []string{`^file "/closeout" does not exist`}})
	if err != nil {
		t.Fatal(err)
	}
	errs, err := linter.Lint(filepath.Join(repository, name), data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range errs {
		list = append(list, e.Error())
	}
	w, _ := actionlint.Parse(data)
	if w == nil {
		return append(list, "is no workflow")
	}
	list = append(list, textProblems(name, data)...)
	ours := slices.Contains(handedOut, name)
	if ours {
		list = append(list, eventProblems(name, w)...)
		list = append(list, frameProblems(name, w)...)
	}
	if name == matrix {
		list = append(list, matrixProblems(data)...)
	}
	if (ours && name != caller && name != oneJob) || name == ownGate {
		list = append(list, crossProblems(name, w)...)
	}
	if name == oneJob && !crossSteps.Match(data) {
		list = append(list, "the tests of the base do not run first")
	}
	if name == archiver {
		list = append(list, archiveProblems(w, data)...)
	}
	if name == itemsWorkflow {
		list = append(list, itemsProblems(w, data)...)
	}
	for _, id := range slices.Sorted(maps.Keys(w.Jobs)) {
		if ours {
			list = append(list, jobProblems(name, id, w.Jobs[id])...)
			if steps := w.Jobs[id].Steps; id == "closeout" && name != caller && text(steps[len(steps)-1].Name) != "Upload the bundle" {
				list = append(list, "gate does not end with the upload of the bundle")
			}
			if id == "record" || id == "cross" || name == oneJob {
				list = append(list, recordProblems(id, w.Jobs[id])...)
			}
		}
		for _, step := range w.Jobs[id].Steps {
			list = append(list, stepProblems(t, name, id, step)...)
		}
		if name == ownGate {
			list = append(list, localProblems(w.Jobs[id])...)
		}
		if (ours && name != caller || name == ownGate) && id == "closeout" {
			list = append(list, fetchProblems(name, w.Jobs[id])...)
		}
	}
	return list
}

// eventProblems looks at what starts a workflow: a filter, or an event that is left out, leaves a required check waiting
// or an override without effect.
func eventProblems(name string, w *actionlint.Workflow) (list []string) {
	types := map[string]string{
		"pull_request": "opened synchronize reopened ready_for_review edited labeled unlabeled",
		"merge_group":  "checks_requested",
	}
	var events []string
	for _, event := range w.On {
		events = append(events, event.EventName())
		e, webhook := event.(*actionlint.WebhookEvent)
		if !webhook {
			continue
		}
		want, known := types[e.Hook.Value]
		var got []string
		for _, v := range e.Types {
			got = append(got, v.Value)
		}
		switch {
		case !known:
			list = append(list, "event "+e.Hook.Value)
		case strings.Join(got, " ") != want:
			list = append(list, fmt.Sprintf("types of %s: %q", e.Hook.Value, got))
		}
		list = append(list, filterProblems(e)...)
	}
	want := map[string]string{mergeQueue: "pull_request merge_group", caller: "pull_request merge_group", reusable: "workflow_call"}[name]
	if want == "" {
		want = "pull_request"
	}
	if strings.Join(events, " ") != want {
		list = append(list, fmt.Sprintf("events: %q", events))
	}
	return list
}

func filterProblems(e *actionlint.WebhookEvent) (list []string) {
	for _, f := range []*actionlint.WebhookEventFilter{e.Paths, e.PathsIgnore, e.Branches, e.BranchesIgnore, e.Tags, e.TagsIgnore} {
		if f != nil {
			list = append(list, "filter "+f.Name.Value)
		}
	}
	return list
}

// fetchProblems looks at the step before the gate, which fetches what the gate reads: it runs the script that is tested,
// whenever the gate runs.
func fetchProblems(name string, job *actionlint.Job) (list []string) {
	condition := ""
	if name == oneJob {
		condition = "${{ !cancelled() }}"
	}
	for i, step := range job.Steps {
		action, ok := step.Exec.(*actionlint.ExecAction)
		if isGate := ok && (action.Uses.Value == ownAction || action.Uses.Value == "./"); !isGate {
			continue
		}
		before := job.Steps[max(i-1, 0)]
		if !fetches(before) || before.ContinueOnError != nil || text(before.If) != condition {
			list = append(list, "the step before the gate does not fetch")
		}
	}
	return list
}

func fetches(step *actionlint.Step) bool {
	run, ok := step.Exec.(*actionlint.ExecRun)
	return ok && run.Run.Value == github.Fetch
}

// crossSteps are the scripts of a job that runs everything: nothing of the head runs before the tests of the base.
var crossSteps = regexp.MustCompile(`(?s)--record-only --cross base .*--record-only --cross old_tests .*--record-only --setup`)

// crossProblems looks for what each tree needs: a machine of its own without caches, an output, and a digest that the gate is given.
func crossProblems(name string, w *actionlint.Workflow) (list []string) {
	job, gate := w.Jobs["cross"], w.Jobs["closeout"]
	if job == nil || job.Strategy == nil || job.Strategy.Matrix == nil {
		return []string{"cross: there is no job for each tree"}
	}
	if job.Strategy.FailFast == nil || job.Strategy.FailFast.Value {
		list = append(list, "cross: one tree ends the other")
	}
	var trees []string
	for _, v := range job.Strategy.Matrix.Rows["tree"].Values {
		trees = append(trees, v.String())
	}
	if !slices.Equal(trees, []string{`"base"`, `"old_tests"`}) {
		list = append(list, fmt.Sprintf("cross: trees %s", trees))
	}
	if len(gate.Needs) != 2 || gate.Needs[1].Value != "cross" {
		list = append(list, "cross: the gate does not wait for it")
	}
	legs := []string{""}
	if name == matrix {
		legs = []string{"_amd64", "_arm64"}
	}
	digests := ""
	for _, step := range gate.Steps {
		if action, ok := step.Exec.(*actionlint.ExecAction); ok && (action.Uses.Value == ownAction || action.Uses.Value == "./") {
			digests = inputOf(action, "feedback_sha256")
		}
	}
	for _, tree := range []string{"base", "old_tests"} {
		for _, leg := range legs {
			output := job.Outputs[tree+leg]
			if output == nil || !strings.Contains(output.Value.Value, "steps.record.outputs.feedback_sha256_"+tree+leg+" ") ||
				!strings.Contains(digests, "${{ needs.cross.outputs."+tree+leg+" }}\n") {
				list = append(list, "cross: no digest of "+tree+leg)
			}
		}
	}
	for _, step := range job.Steps {
		run, ok := step.Exec.(*actionlint.ExecRun)
		if ok && (!strings.Contains(run.Run.Value, `--cross "$TREE" `) || step.Env == nil || step.Env.Vars["tree"].Value.Value != "${{ matrix.tree }}") {
			list = append(list, "cross: the script does not record its tree")
		}
		if action, ok := step.Exec.(*actionlint.ExecAction); ok && strings.Contains(action.Uses.Value, "cache") {
			list = append(list, "cross: it restores a cache")
		}
	}
	return list
}

// matrixProblems looks for what every leg of the matrix needs: an output, an artifact and a digest that is missed.
func matrixProblems(data []byte) (list []string) {
	data = regexp.MustCompile(`(?s)\n  cross:\n.*\n  closeout:\n`).ReplaceAll(data, nil) // see crossProblems
	legs := regexp.MustCompile(`\{leg: (\w+), os: [\w.-]+\}`).FindAllSubmatch(data, -1)
	if len(legs) < 2 {
		return []string{"legs: fewer than two"}
	}
	wanted := []string{"      fail-fast: false\n", "--stream \"$LEG\" ", "          LEG: ${{ matrix.leg }}\n", "          name: closeout-evidence-${{ matrix.leg }}\n"}
	for i, match := range legs {
		leg, dir := string(match[1]), ".closeout/evidence"
		if i > 0 {
			dir = "legs/" + leg + "/" + dir
		}
		wanted = append(wanted,
			fmt.Sprintf("      %s: ${{ steps.record.outcome == 'success' && steps.record.outputs.feedback_sha256_%s || '' }}\n", leg, leg),
			fmt.Sprintf("          name: closeout-evidence-%s\n          path: %s\n", leg, dir),
			fmt.Sprintf("            ${{ needs.record.outputs.%s || '%s=' }}\n", leg, leg))
	}
	for _, want := range wanted {
		if !bytes.Contains(data, []byte(want)) {
			list = append(list, fmt.Sprintf("legs: there is no %q", want))
		}
	}
	return list
}

// textProblems looks for versions and secrets.
func textProblems(name string, data []byte) (list []string) {
	for _, m := range versions.FindAllStringSubmatch(string(data), -1) {
		if m[2] == "" {
			list = append(list, m[1]+" names no version")
		}
	}
	secrets := regexp.MustCompile(`secrets\b|github\.token`)
	switch name {
	case releases:
		data = bytes.ReplaceAll(data, []byte("RELEASE_KEY: ${{ secrets.RELEASE_KEY }}"), nil)
		secrets = regexp.MustCompile(`secrets\b`)
	case archiver:
		secrets = regexp.MustCompile(`secrets\b`)
	case itemsWorkflow: // itemsProblems looks at its secrets
		return list
	}
	_, fetching, _ := strings.Cut(shownStep(), "\n") // the condition of the step may be in between
	fetching = strings.ReplaceAll("      "+fetching, "\n", "\n      ")
	if secrets.Match(bytes.Replace(data, []byte(strings.TrimSpace(fetching)), nil, 1)) {
		list = append(list, "names a secret")
	}
	return list
}

// frameProblems checks what applies to the whole workflow. One that is called runs in the frame of its caller.
func frameProblems(name string, w *actionlint.Workflow) (list []string) {
	want := ""
	if name == caller {
		want = gateReads
	}
	if name == reusable {
		want = "inherited" // the job that judges has what its caller grants; the others say what they need
	}
	if got := permissions(w.Permissions); got != want {
		list = append(list, "permissions of the workflow: "+got)
	}
	c := w.Concurrency
	if name != reusable && (c == nil || c.Group == nil || c.CancelInProgress == nil || c.CancelInProgress.Expression != nil || c.CancelInProgress.Value) {
		list = append(list, "concurrency")
	}
	return list
}

// permissions writes them down in order; "inherited" when nothing sets any.
func permissions(p *actionlint.Permissions) string {
	switch {
	case p == nil:
		return "inherited"
	case p.All != nil:
		return p.All.Value
	}
	var list []string
	for _, s := range p.Scopes {
		list = append(list, s.Name.Value+": "+s.Value.Value)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func jobProblems(name, id string, job *actionlint.Job) (list []string) {
	perms, condition := "contents: read", ""
	switch {
	case name == caller, name == reusable && id == "closeout":
		perms = "inherited"
	case id == "closeout":
		perms = gateReads
	}
	if id == "closeout" && name != oneJob && name != caller {
		condition = "always()"
	}
	if got := permissions(job.Permissions); got != perms {
		list = append(list, "permissions of "+id+": "+got)
	}
	if got := text(job.If); got != condition {
		list = append(list, "condition of "+id+": "+got)
	}
	return list
}

// recordProblems looks at the job that runs the change's code: only one step may, and what hands its result over must not
// be able to hide how it ended.
func recordProblems(id string, job *actionlint.Job) (list []string) {
	scripts := 0
	if first, ok := job.Steps[0].Exec.(*actionlint.ExecAction); !ok || first.Uses.Value != ownSetup {
		list = append(list, id+" does not install closeout first")
	}
	for _, step := range job.Steps {
		run, ok := step.Exec.(*actionlint.ExecRun)
		if !ok {
			if id != "closeout" && step.If != nil {
				list = append(list, "condition of a step: "+text(step.If))
			}
			continue
		}
		if id == "closeout" && fetches(step) {
			continue
		}
		scripts++
		list = append(list, scriptProblems(run.Run.Value)...)
		if step.ContinueOnError != nil {
			list = append(list, "a step that runs a script may fail")
		}
		if step.If != nil {
			list = append(list, "condition of a step: "+text(step.If))
		}
	}
	want := 1 // what records
	if id == "closeout" {
		want = 3 // each tree by itself
	}
	if scripts != want {
		list = append(list, fmt.Sprintf("%s runs %d scripts", id, scripts))
	}
	for _, output := range job.Outputs {
		if id != "closeout" && !ofSuccess.MatchString(output.Value.Value) {
			list = append(list, "output "+output.Value.Value)
		}
	}
	return list
}

// onlyRecords is a script that bash does not read on, and that cannot hide how recording ended.
var onlyRecords = regexp.MustCompile(`^exec closeout run --record-only(( --[a-z]+) ("\$[A-Z]+"|20m|base|old_tests))+$`)

func scriptProblems(script string) (list []string) {
	if !onlyRecords.MatchString(script) {
		list = append(list, "does more than record: "+script)
	}
	return list
}

func text(s *actionlint.String) string {
	if s == nil {
		return ""
	}
	return s.Value
}

func stepProblems(t *testing.T, name, job string, step *actionlint.Step) (list []string) {
	t.Helper()
	ours := slices.Contains(handedOut, name)
	alone := ours && job == "closeout" && name != oneJob
	if run, ok := step.Exec.(*actionlint.ExecRun); ok {
		if strings.Contains(run.Run.Value, "${{") {
			list = append(list, "expression in a script: "+run.Run.Value)
		}
		if alone && !fetches(step) {
			list = append(list, "gate runs a script: "+run.Run.Value)
		}
		return list
	}
	action := step.Exec.(*actionlint.ExecAction)
	uses := action.Uses.Value
	which, _, _ := strings.Cut(uses, "@")
	local := name == ownGate && strings.HasPrefix(uses, "./")
	if uses != ownAction && uses != ownSetup && !local && !pinned.MatchString(uses) {
		list = append(list, uses+" is not pinned")
	}
	if ours && inputOf(action, "name") == "closeout-bundle" {
		return append(list, bundleProblems(which, step)...)
	}
	if alone && !slices.Contains([]string{"actions/download-artifact", "closeout-gate/closeout"}, which) {
		list = append(list, "gate uses "+uses)
	}
	if keep := inputOf(action, "persist-credentials"); which == "actions/checkout" && keep != "false" {
		list = append(list, "checkout keeps its credentials")
	}
	if ours {
		list = append(list, handOverProblems(name, job, which, step)...)
	}
	if uses == ownAction || local && uses == "./" {
		list = append(list, gateProblems(t, name, action)...)
	}
	if uses == ownAction && inputOf(action, "bundle") != "closeout-bundle" {
		list = append(list, "the gate writes no bundle")
	}
	return list
}

// bundleProblems looks at the upload of the bundle: it cannot change how the gate's job ends, and replaces what is there.
func bundleProblems(which string, step *actionlint.Step) []string {
	action, wrong := step.Exec.(*actionlint.ExecAction), which != "actions/upload-artifact" || text(step.If) != "always()"
	for in, want := range map[string]string{"path": "closeout-bundle", "include-hidden-files": "true", "if-no-files-found": "ignore", "overwrite": "true"} {
		wrong = wrong || inputOf(action, in) != want
	}
	if wrong || step.ContinueOnError == nil || !step.ContinueOnError.Value {
		return []string{"the upload of the bundle is another one"}
	}
	return nil
}

// pushes are the pushes of a script.
var pushes = regexp.MustCompile(`git[^\n|;]* push\b[^\n|;]*`)

// archiveProblems looks at the workflow that may write: what reads artifacts cannot write, and what writes opens none.
func archiveProblems(w *actionlint.Workflow, data []byte) (list []string) {
	frame := frameProblems(archiver, w)
	if len(frame) == 0 && w.Concurrency.Group.Value != "closeout-archive" {
		frame = []string{"concurrency"}
	}
	var events []string
	for _, event := range w.On {
		events = append(events, event.EventName())
		if e, ok := event.(*actionlint.WebhookEvent); ok && (e.Branches == nil || len(filterProblems(e)) != 1) {
			list = append(list, "event "+e.Hook.Value)
		}
	}
	if slices.Sort(events); strings.Join(events, " ") != "push schedule workflow_dispatch" {
		list = append(list, fmt.Sprintf("events %q", events))
	}
	for id, want := range map[string][2]string{
		"find":  {"actions: read, contents: read, pull-requests: read", "github.ref == 'refs/heads/main'"},
		"write": {"contents: write", "always() && needs.find.outputs.found_sha256 != ''"},
	} {
		if got := permissions(w.Jobs[id].Permissions); got != want[0] {
			list = append(list, "permissions of "+id+": "+got)
		}
		if got := text(w.Jobs[id].If); got != want[1] {
			list = append(list, "condition of "+id+": "+got)
		}
		for _, step := range w.Jobs[id].Steps {
			if action, ok := step.Exec.(*actionlint.ExecAction); ok && strings.HasPrefix(action.Uses.Value, "actions/checkout@") {
				list = append(list, id+" uses "+action.Uses.Value)
			}
		}
	}
	if !bytes.Contains(data, []byte(`"$FOUND_SHA256  found/index.json" | sha256sum --check --strict --quiet`)) {
		list = append(list, "the digest is not checked")
	}
	for _, push := range pushes.FindAllString(string(data), -1) {
		if push != `git -C "$archive" push --quiet origin refs/heads/closeout-archive` {
			list = append(list, "push: "+push)
		}
	}
	return append(list, frame...)
}

// localProblems wants actions of this repository to be those of the base branch: the change could replace its own.
func localProblems(job *actionlint.Job) (list []string) {
	checkedOut := ""
	for _, step := range job.Steps {
		action, ok := step.Exec.(*actionlint.ExecAction)
		if !ok {
			continue
		}
		uses := action.Uses.Value
		if strings.HasPrefix(uses, "actions/checkout@") {
			checkedOut = inputOf(action, "ref")
		}
		if strings.HasPrefix(uses, "./") && checkedOut != "${{ github.event.pull_request.base.sha }}" {
			list = append(list, uses+" is the change's own action")
		}
	}
	return list
}

func inputOf(action *actionlint.ExecAction, name string) string {
	if in := action.Inputs[name]; in != nil {
		return in.Value.Value
	}
	return ""
}

// handOverProblems looks at how code gets into a job, and evidence out of it.
func handOverProblems(name, job, which string, step *actionlint.Step) (list []string) {
	action := step.Exec.(*actionlint.ExecAction)
	inputs := wanted[which]
	if of := crossWanted[which]; job == "cross" && of != nil || inputOf(action, "pattern") != "" {
		inputs = of
	}
	for in, want := range inputs {
		if name == matrix && strings.HasSuffix(which, "-artifact") && in != "include-hidden-files" {
			continue // see matrixProblems
		}
		if got := inputOf(action, in); got != want {
			list = append(list, fmt.Sprintf("%s: %s is %q", which, in, got))
		}
	}
	head := "${{ github.event.pull_request.head.sha }}"
	if name == mergeQueue || name == reusable {
		head = "${{ github.event.pull_request.head.sha || github.sha }}"
	}
	if got := inputOf(action, "ref"); which == "actions/checkout" && got != head {
		list = append(list, "checkout of "+got)
	}
	if which == "actions/download-artifact" && (step.ContinueOnError == nil || !step.ContinueOnError.Value) {
		list = append(list, "without evidence no job judges")
	}
	if got := text(step.If); name == oneJob && which == "closeout-gate/closeout" && got != "${{ !cancelled() }}" {
		list = append(list, "condition of the gate: "+got)
	}
	return list
}

// gateProblems looks at what the gate is given. A digest out of the gate's own job would vouch for nothing.
func gateProblems(t *testing.T, file string, action *actionlint.ExecAction) (list []string) {
	t.Helper()
	var manifest struct{ Inputs map[string]any }
	if err := yaml.Unmarshal(readWorkflow(t, "action.yml"), &manifest); err != nil {
		t.Fatal(err)
	}
	for name := range action.Inputs {
		if _, known := manifest.Inputs[name]; !known {
			list = append(list, name+" is no input of the action")
		}
	}
	if _, given := action.Inputs["feedback_sha256"]; given == (file == oneJob) {
		list = append(list, fmt.Sprintf("digest is given: %t", given))
	}
	return list
}
