package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// BlameJob names the jobs of this run that did not succeed in a finding about a record that is not there: recording it
// by hand would not help. Where they are not known, it says what lets the gate see them.
func (p *Pass) BlameJob(f Finding) Finding {
	if p.Facts == nil {
		return f
	}
	if u, lacks := p.Facts.Lacking(facts.WantedJobs, ""); lacks {
		f.Fix += "; the page of this run shows which job did not record, and the gate names it: " + u.Fix
		return f
	}
	var ends []string
	for i := range p.Facts.Jobs {
		how, fix := p.jobEnd(&p.Facts.Jobs[i])
		if ends = append(ends, how); i == 0 {
			f.Fix = fix
		}
	}
	if len(ends) > 0 {
		f.Message += ": " + strings.Join(input.First(ends, 3), ", ")
	}
	return f
}

// jobEnd says how a job of this run ended, and what helps. A change of the workflow is a push, which starts a run of
// its own.
func (p *Pass) jobEnd(j *facts.Job) (how, fix string) {
	const again = "; then push, or use Re-run failed jobs on the page of this run"
	name, step, in := "the job "+strconv.Quote(j.Name), "step "+strconv.Quote(j.Step), ""
	how, fix = name+" ended as "+strconv.Quote(j.Conclusion), "open the log of "+name+", and fix what it says"+again
	if j.Step != "" {
		in = " in its " + step
		how, fix = name+" failed"+in, "open the log of its "+step+" in "+name+", and fix what it says"+again
	}
	switch {
	case j.Conclusion == "skipped":
		how, fix = name+" was skipped", "look at `if` and `needs` of "+name+" in the workflow"
	case j.Conclusion == "cancelled" && j.Began:
		how, fix = name+" was cancelled"+in, "let "+name+" end: a person, a newer run of its concurrency group, or timeout-minutes cancelled it; then use Re-run all jobs"
	case j.Conclusion == "" && in == "":
		how, fix = name+" has not ended", "list "+name+" under `needs` of the job that judges, so that the gate waits for it"
	case j.Conclusion == "": // the job that judges
		how = step + " of " + name + " failed"
	case !j.Began:
		how, fix = name+" never started ("+j.Conclusion+")", "look at `runs-on` of "+name+", at its runners, and at the limits of the account"+again
	}
	if j.Attempt != p.Facts.Event.Attempt {
		how += fmt.Sprintf(", in attempt %d of this run", j.Attempt)
	}
	return how, fix
}
