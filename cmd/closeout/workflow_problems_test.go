package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rhysd/actionlint"

	"github.com/closeout-gate/closeout/internal/github"
)

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

// crossProblems looks for what each tree needs: a machine of its own without caches, an output, and a digest that the
// gate is given.
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
