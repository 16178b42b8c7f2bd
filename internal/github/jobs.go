package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
)

// runJob is a job as the list of an attempt's jobs shows it. GitHub has no field that says which jobs record.
type runJob struct {
	RunID      int64     `json:"run_id"`
	Attempt    int64     `json:"run_attempt"`
	Name       string    `json:"name"`
	Conclusion string    `json:"conclusion"` // "" before it ends
	Runner     string    `json:"runner_name"`
	Steps      []runStep `json:"steps"`
}

type runStep struct {
	Name       string `json:"name"`
	Conclusion string `json:"conclusion"`
}

const (
	maxJobs    = 20  // that did not succeed and go into the facts
	maxJobName = 100 // bytes of the name of a job or a step: the change may have written it
)

// askJobs asks how the other jobs of this run ended where a log is missing that they may have been about to write. The call costs
// a request and a permission of its own, so that no run with all its logs makes it.
func (r *Run) askJobs(ctx context.Context, found *collect.Found, known *facts.Facts) {
	e := r.Event
	if e.RunID == "" || e.Attempt < 1 || !lacksLogs(found, known) {
		return
	}
	r.stage("reading the jobs of this run, because records are missing")
	path := r.Client.path("actions/runs/%s/attempts/%d/jobs", e.RunID, e.Attempt) + "?"
	list, err := wrapped[runJob](ctx, r.Client, path, "jobs")
	for _, j := range list {
		if digits(j.RunID) != e.RunID || j.Attempt < 1 || j.Name == "" {
			err = fmt.Errorf("GitHub lists a job without name or attempt, or of another run than %s", cut(e.RunID, 80))
		}
	}
	if err != nil {
		known.Unavailable = append(known.Unavailable, r.Client.unknown(facts.WantedJobs, "", err))
		return
	}
	known.Jobs = []facts.Job{}
	for i := range list {
		if j := list[i].fact(); list[i].matters(e, &j) && len(known.Jobs) < maxJobs {
			known.Jobs = append(known.Jobs, j)
		}
	}
}

// matters reports whether a job may be why a log is missing. The job that judges has not ended: only what failed in it before matters.
func (j *runJob) matters(e *Event, f *facts.Job) bool {
	isOwn := f.Conclusion == "" && j.Runner != "" && j.Runner == e.Runner
	return f.Step != "" || (!isOwn && f.Conclusion != "success" && f.Conclusion != "neutral")
}

func (j *runJob) fact() facts.Job {
	f := facts.Job{Name: cut(j.Name, maxJobName), Attempt: j.Attempt, Conclusion: cut(j.Conclusion, maxJobName), Began: len(j.Steps) > 0}
	bad := func(s runStep) bool {
		return slices.Contains([]string{"failure", "cancelled", "timed_out"}, s.Conclusion)
	}
	if i := slices.IndexFunc(j.Steps, bad); i >= 0 {
		f.Step = cut(strings.TrimSpace(j.Steps[i].Name), maxJobName)
	}
	return f
}

// lacksLogs reports whether fewer logs arrived than the workflow supplies digests of, or than its jobs should have written: one of each
// leg, and with an edited test one of each composed tree.
func lacksLogs(found *collect.Found, known *facts.Facts) bool {
	legs, composed := 0, 0
	for _, in := range found.Inputs {
		switch {
		case in.Kind != check.Feedback:
		case strings.Contains(in.Name, "/"+check.CrossDir+"/"):
			composed++
		default:
			legs++
		}
	}
	edited := func(t facts.CrossTrees) bool { return t.TestPaths > 0 && t.Incomparable == "" }
	unnamed := func(d string) bool { _, sha256 := facts.SplitDigest(d); return sha256 == "" }
	given := len(known.Digests)
	return legs == 0 || (given > 0 && given != legs+composed) || slices.ContainsFunc(known.Digests, unnamed) ||
		(slices.ContainsFunc(known.Cross, edited) && composed < 2*legs)
}
