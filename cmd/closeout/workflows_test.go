package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
