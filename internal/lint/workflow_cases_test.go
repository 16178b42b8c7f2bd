package lint_test

import (
	"github.com/closeout-gate/closeout/internal/lint"
	"github.com/closeout-gate/closeout/verify/input"
)

const (
	caller = `on:
  pull_request: {types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]}
permissions: {contents: read, pull-requests: read, issues: read}
jobs:
  closeout:
    uses: closeout-gate/closeout/.github/workflows/closeout.yml@v0
`
	other = ".github/workflows/ci.yml"
)

var workflowCases = []lintCase{
	{"workflow.missing", "none", []edit{file(flowPath, removed)}, input.Warn, flowPath + ":0:0 no workflow runs the gate on pull requests"},
	{"workflow.missing", "another event", []edit{file(flowPath, "on: push\njobs: {gate: {permissions: {contents: read, issues: read, pull-requests: read}, steps: [{uses: closeout-gate/closeout@v0}]}}\n")}, input.Warn, "no workflow runs the gate"},
	{"workflow.missing", "a comment is no step", []edit{file(flowPath, "on: pull_request\njobs: {gate: {steps: [{run: \"# closeout verify\"}]}}\n")}, input.Warn, "no workflow runs the gate"},
	{"workflow.missing", "called", []edit{file(flowPath, caller)}, "", ""},
	{"workflow.missing", "by a local action", []edit{file(flowPath, "on: pull_request\njobs: {gate: {steps: [{uses: ./.github/actions/gate}]}}\n"), file(".github/actions/gate/action.yml", "runs: {using: composite, steps: [{uses: closeout-gate/closeout@v0}]}")}, "", ""},
	{"workflow.missing", "by a script", []edit{file(flowPath, "on: pull_request\njobs: {gate: {steps: [{run: \"./bin/closeout verify --base main\"}]}}\n")}, "", ""},
	{"workflow.missing", "by a local workflow", []edit{file(other, "on: [pull_request]\njobs: {gate: {uses: ./.github/workflows/closeout.yml}}"), flow("on:\n  pull_request:\n    types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]", "on: {workflow_call: {}}")}, "", ""},

	{"workflow.unreadable", "tag", []edit{flow("permissions: {}", "permissions: !x {}")}, input.Warn, flowPath + ":5:14 this workflow cannot be read"},
	{"workflow.unreadable", "syntax", []edit{flow("jobs:\n", "jobs: [\n")}, input.Warn, "this workflow cannot be read"},
	{"workflow.unreadable", "list", []edit{file(flowPath, "- closeout\n")}, input.Warn, "it is not a mapping"},
	{"workflow.unreadable", "another workflow", []edit{file(other, "a: *b\n./\n")}, "", ""},
	{"workflow.unreadable", "what others write", []edit{flow("        env:\n", "        if: a &&\n          b\n        env:\n          N: 2_17\n"), flow("evidence\n", "evidence\n          \techo\n")}, "", ""},

	{"workflow.trigger", "type", []edit{flow(", unlabeled]", "]")}, input.Warn, flowPath + ":3:3 the gate does not run when a pull request is unlabeled"},
	{"workflow.trigger", "default types", []edit{file(flowPath, "on: pull_request\n"+caller[len("on:\n  pull_request: {types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]}\n"):])}, input.Warn, "is ready_for_review, edited, labeled, unlabeled"},
	{"workflow.trigger", "queue", []edit{file(other, "on: [merge_group]\njobs: {}\n")}, input.Warn, "the gate does not run in the merge queue, in which .github/workflows/ci.yml runs"},
	{"workflow.trigger", "other workflow", []edit{file(other, "on: pull_request\njobs: {a: {steps: [{uses: ./x}]}}\n")}, "", ""},

	{"workflow.filter", "paths", []edit{flow("unlabeled]\n", "unlabeled]\n    paths: [src/**]\n")}, input.Warn, flowPath + ":5:5 with paths the gate does not run on every change"},
	{"workflow.filter", "branches", []edit{flow("unlabeled]\n", "unlabeled]\n    branches-ignore: [x]\n")}, input.Warn, "remove branches-ignore of pull_request"},
	{"workflow.filter", "of push", []edit{flow("on:\n", "on:\n  push: {branches: [main], paths: [x]}\n")}, "", ""},

	{"workflow.skippable", "no condition", []edit{flow("    if: always()\n", "")}, input.Warn, "the job gate is skipped when a job that it needs fails"},
	{"workflow.skippable", "narrower", []edit{flow("if: always()", "if: ${{ always() && github.actor != 'x' }}")}, input.Warn, "the condition can skip the job gate"},
	{"workflow.skippable", "step", []edit{flow("      - name: Judge\n", "      - name: Judge\n        if: github.actor != 'x'\n")}, input.Warn, "the condition can skip the step that judges"},
	{"workflow.skippable", "continue", []edit{flow("      - name: Judge\n", "      - name: Judge\n        continue-on-error: true\n")}, input.Warn, "with continue-on-error the job gate succeeds"},
	{"workflow.skippable", "or true", []edit{flow("        uses: closeout-gate/closeout@v0\n        with:\n          feedback_sha256: ${{ needs.record.outputs.feedback_sha256 }}\n", "        run: closeout verify --base origin/main || true\n")}, input.Warn, "the script hides the failure"},
	{"workflow.skippable", "caller", []edit{file(flowPath, caller+"    if: github.actor != 'bot'\n")}, input.Warn, "the condition can skip the job closeout"},
	{"workflow.skippable", "other step", []edit{flow("      - name: Judge\n", "      - name: Judge\n        if: ${{ !cancelled() }}\n        continue-on-error: false\n")}, "", ""},

	{"workflow.permissions", "none", []edit{flow("    permissions:\n      contents: read\n    outputs", "    outputs"), flow("\npermissions: {}\n", "\n")}, input.Warn, "the job record has the default permissions"},
	{"workflow.permissions", "of the caller", []edit{
		flow("on:\n  pull_request:\n    types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]", "on: {workflow_call: {}}"),
		flow("    permissions:\n      contents: read\n      pull-requests: read\n      issues: read\n", ""), flow("\npermissions: {}\n", "\n"),
	}, "", ""},
	{"workflow.permissions", "of the caller, for the code of the change", []edit{
		flow("on:\n  pull_request:\n    types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]", "on: {workflow_call: {}}"),
		flow("    permissions:\n      contents: read\n    outputs", "    outputs"), flow("\npermissions: {}\n", "\n"),
	}, input.Warn, "the job record has the default permissions"},
	{"workflow.permissions", "write", []edit{flow("      contents: read\n    outputs", "      contents: write\n    outputs")}, input.Warn, flowPath + ":10:7 the job record may do more than it needs: contents: write → remove contents: write"},
	{"workflow.permissions", "all", []edit{flow("    permissions:\n      contents: read\n    outputs", "    permissions: write-all\n    outputs")}, input.Warn, "may write everything"},
	{"workflow.permissions", "less", []edit{flow("      issues: read\n", "")}, input.Warn, "the gate in the job gate lacks issues: read"},
	{"workflow.permissions", "caller", []edit{file(flowPath, caller), flow(", issues: read}", "}")}, input.Warn, "lacks issues: read"},
	{"workflow.permissions", "comment", []edit{flow("      pull-requests: read\n", "      pull-requests: write\n      checks: write\n")}, "", ""},
	{"workflow.permissions", "no token", []edit{flow("      issues: read\n", ""), flow("        with:\n          feedback_sha256", "        with:\n          token: \"\"\n          feedback_sha256")}, "", ""},

	{"workflow.same_job", "one job", []edit{file(flowPath, removed), file(other, oneJob)}, input.Warn, other + ":5:3 the job gate runs the code of the change and judges it"},
	{"workflow.same_job", "by hand", []edit{file(other, byHand)}, "", ""},
	{"workflow.same_job", "accepted", []edit{file(flowPath, oneJob), {contractPath, `"override"`, `"evidence": {"min": "bound"}, "override"`}}, "", ""},

	{"workflow.self_hosted", "label", []edit{flow("runs-on: ubuntu-latest", "runs-on: [self-hosted, linux]")}, input.Warn, flowPath + ":8:15 the job record runs on a self-hosted runner"},
	{"workflow.self_hosted", "another job", []edit{flow("jobs:\n", "jobs:\n  build: {runs-on: self-hosted, steps: [{run: make}]}\n")}, "", ""},

	{"workflow.unpinned", "tag", []edit{flow("actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "actions/checkout@v7")}, input.Warn, "actions/checkout@v7 can be another program tomorrow"},
	{"workflow.unpinned", "image", []edit{flow("actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1", "docker://alpine:3")}, input.Warn, "docker://alpine:3"},
	{"workflow.unpinned", "another job", []edit{flow("jobs:\n", "jobs:\n  build: {runs-on: x, steps: [{uses: a/b@v1}]}\n")}, "", ""},
	{"workflow.unpinned", "local", []edit{flow("      - name: Install closeout\n", "      - uses: ./x\n      - uses: docker://a@sha256:3d3c42e5aac5ba805825da76410c181273ba90b13d3c42e5aac5ba805825da76\n      - name: Install closeout\n")}, "", ""},

	{"workflow.observe", "action", []edit{flow("        with:\n          feedback", "        with:\n          mode: observe\n          feedback")}, input.Warn, "with the mode observe the gate never fails"},
	{"workflow.observe", "caller", []edit{file(flowPath, caller+"    with: {mode: observe}\n")}, input.Warn, flowPath + ":7:18 with the mode observe"},
	{"workflow.observe", "rollout", []edit{flow("        with:\n          feedback", "        with:\n          "+lint.RolloutNote+"\n          mode: observe\n          feedback")}, "", ""},
	{"workflow.observe", "another comment", []edit{flow("        with:\n          feedback", "        with:\n          # Remove it.\n          mode: observe\n          feedback")}, input.Warn, "with the mode observe the gate never fails"},
	{"workflow.observe", "enforce", []edit{file(flowPath, caller+"    with: {mode: enforce, setup: observe}\n")}, "", ""},

	{"workflow.secrets", "env", []edit{flow(`SETUP: ""`, `SETUP: ${{ secrets.NPM_TOKEN }}`)}, input.Block, "the job record runs the code of the change and has secrets.NPM_TOKEN"},
	{"workflow.secrets", "of the workflow", []edit{flow("permissions: {}", "env: {A: \"${{ toJSON(secrets) }}\"}\npermissions: {}")}, input.Block, "has secrets"},
	{"workflow.secrets", "token that may write", []edit{flow(`SETUP: ""`, `T: ${{ github.token }}`), flow("      contents: read\n    outputs", "      contents: write\n    outputs")}, input.Block, "has github.token"},
	{"workflow.secrets", "inherit", []edit{file(flowPath, caller+"    secrets: inherit\n")}, input.Block, "passes secrets to the workflow"},
	{"workflow.secrets", "another job", []edit{flow("jobs:\n", "jobs:\n  build: {runs-on: x, env: {A: \"${{ secrets.A }}\"}, steps: [{run: make}]}\n"), flow("        with:\n          feedback", "        with:\n          token: ${{ secrets.GATE }}\n          feedback")}, "", ""},
	{"workflow.secrets", "token that only reads", []edit{flow(`SETUP: ""`, `T: ${{ secrets.GITHUB_TOKEN }}`), flow("# Bash", "# ${{ secrets.X }} Bash")}, "", ""},

	{"workflow.id_token", "job", []edit{flow("      contents: read\n    outputs", "      contents: read\n      id-token: write\n    outputs")}, input.Block, flowPath + ":11:7 the job record runs the code of the change and may request an identity token"},
	{"workflow.id_token", "workflow", []edit{flow("    permissions:\n      contents: read\n    outputs", "    outputs"), flow("permissions: {}", "permissions: {id-token: write}")}, input.Block, ":5:15 "},
	{"workflow.id_token", "gate", []edit{flow("      pull-requests: read\n", "      pull-requests: read\n      id-token: write\n")}, "", ""},

	{"workflow.target", "pull_request_target", []edit{flow("  pull_request:\n", "  pull_request_target:\n")}, input.Block, flowPath + ":3:3 on pull_request_target"},
	{"workflow.target", "workflow_run", []edit{flow("on:\n", "on:\n  workflow_run: {workflows: [CI]}\n")}, input.Block, "on workflow_run"},
	{"workflow.target", "another workflow", []edit{file(other, "on: pull_request_target\njobs: {label: {steps: [{uses: ./x}]}}\n")}, "", ""},

	{"workflow.untrusted_input", "title", []edit{flow("rm -rf .closeout/evidence", "echo \"${{ github.event.pull_request.title }}\"")}, input.Warn, flowPath + ":22:17 GitHub copies github.event.pull_request.title into the script"},
	{"workflow.untrusted_input", "branch", []edit{flow("rm -rf .closeout/evidence", "git fetch origin ${{ github.head_ref }}")}, input.Warn, "github.head_ref"},
	{"workflow.untrusted_input", "number", []edit{flow("rm -rf .closeout/evidence", "echo ${{ github.event.pull_request.number || github.event.merge_group.base_sha }}")}, "", ""},
	{"workflow.untrusted_input", "environment", []edit{flow(`SETUP: ""`, `TITLE: ${{ github.event.pull_request.title }}`)}, "", ""},
}

// twoJobs is a workflow like the one of the documentation, without comments.
const twoJobs = `name: closeout
on:
  pull_request:
    types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]
permissions: {}
jobs:
  record:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    outputs:
      feedback_sha256: ${{ steps.record.outcome == 'success' && steps.record.outputs.feedback_sha256 || '' }}
    steps:
      - name: Install closeout
        run: go install github.com/closeout-gate/closeout/cmd/closeout@v1
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
      - name: Record
        id: record
        env:
          SETUP: "" # Bash script
        run: |
          rm -rf .closeout/evidence
          closeout record --from-contract "$RUNNER_TEMP/contract.json" \
            --setup "$SETUP" || test "$?" -eq 1; exit
  gate:
    needs: record
    if: always()
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: read
      issues: read
    steps:
      - name: Judge
        uses: closeout-gate/closeout@v0
        with:
          feedback_sha256: ${{ needs.record.outputs.feedback_sha256 }}
`

const oneJob = `on:
  pull_request: {types: [opened, synchronize, reopened, ready_for_review, edited, labeled, unlabeled]}
permissions: {contents: read, pull-requests: read, issues: read}
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - run: closeout record --from-contract
      - uses: closeout-gate/closeout@v0
`

// byHand judges beside the gate, and no merge depends on it.
const byHand = `on: workflow_dispatch
permissions: {contents: read, pull-requests: read, issues: read}
jobs:
  gate:
    if: github.ref == 'refs/heads/main'
    runs-on: ubuntu-latest
    steps:
      - run: closeout record --from-contract
      - uses: closeout-gate/closeout@v0
`
