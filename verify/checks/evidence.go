package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/proof"
)

// EvidenceCheck checks how far the records can be trusted.
var EvidenceCheck = &check.Check{
	ID:    "evidence",
	Title: "The evidence is about this code and comes from a trusted source",
	Codes: slices.Concat(
		check.CodesWith(input.Block,
			"evidence.conflict", "evidence.stale", "evidence.dirty_tree", "evidence.below_minimum",
			"evidence.digest_mismatch",
		),
		check.CodesWith(input.Warn, "evidence.unbound"),
	),
	Scope: check.ScopeChange | check.ScopeGroup | check.ScopeEvidence,
	// Supplied digests are compared with the logs also when no contract can be read.
	Asked: func(in *check.Inputs) bool { return in.State[check.Contract] == check.Usable || len(in.Digests) > 0 },
	Run:   runEvidence,
}

func runEvidence(p *check.Pass) {
	reportDigests(p) // also when no log is left that counts
	if p.State[check.Contract] != check.Usable || p.State[check.Feedback] != check.Usable {
		return
	}
	unknown := false // the collector could not get the code tree, so that no record can be bound
	if p.Facts != nil && p.Facts.Subject.AcceptedTrees == nil {
		_, unknown = p.Facts.Lacking(facts.WantedCodeTree, "")
	}
	for i, d := range p.Decisions {
		if unknown && d.Reason == proof.BelowMinimum && d.At.Last.Trees {
			continue // the tree that it names may be the right one: what is unknown is reported, and is not a failure
		}
		if strings.HasPrefix(string(d.Reason), "evidence.") {
			c := &p.Policy.Criteria[i]
			p.Report(about(p, c, evidenceFinding(p, c, &d)))
		}
	}
	for _, c := range p.Companions {
		switch {
		case c.Minimum == "": // no contract requires it
		case c.Clash != nil:
			reportClash(p, &c)
		case c.Level.Rank() < c.Minimum.Rank() && !unknown:
			reportCompanion(p, &c)
		}
	}
	if p.Unbound {
		p.Report(check.Finding{
			Code: "evidence.unbound", Message: "the records are not bound to this code",
			Expected: "facts that name the code tree, so that a record of other code is noticed",
			Actual:   "no code tree is known; evidence is accepted as claimed",
			Fix:      `judge with facts that name the code tree; a person may accept claims on purpose with "evidence": {"min": "claimed"} in the contract`,
		})
	}
}

func evidenceFinding(p *check.Pass, c *contract.Criterion, d *proof.Decision) check.Finding {
	f := atRecord(check.Finding{Code: string(d.Reason), Identity: decisionKey(c, d)}, d.At)
	switch d.Reason {
	case proof.Conflict:
		f.Message = criterionName(c) + " passed in one log and failed in another"
		f.Expected = expectation(c) + " in every log that has a record of it"
		f.Actual = conflictText(d)
		f.Output = p.Tail(&d.At.Last.Said)
		f.Fix = "fix what makes it fail there, then run and record it again"
	case proof.Stale:
		changed := check.ChangedPaths("; the work tree differed from its commit in ", d.At)
		f.Message = criterionName(c) + " ran on code other than the code that is judged" + changed
		f.Expected = "tree_before and tree_after that name the code tree of this change"
		f.Actual = "the record names another tree" + changed
		f.Fix = "run and record the command again on the code as it is now; a new file that .gitignore does not name is code too"
		if changed != "" {
			f.Fix = "commit what belongs to the change, and leave other people's files as they are: let git ignore them, " +
				"or record in a fresh work tree (git worktree add); then run and record the command again"
		}
	case proof.DirtyTree:
		if other := d.At.Last.OtherBytes; other != "" {
			f.Message = "files did not have the bytes that the code tree stands for when " + criterionName(c) + " ran: " + other
			f.Expected = "files with the bytes of the code tree, or with those that a checkout of it writes on any machine"
			f.Actual = other
			f.Fix = otherBytesFix
			break
		}
		changed := check.ChangedPaths(": ", d.At)
		f.Message = "the code changed while " + criterionName(c) + " ran" + changed
		f.Expected = "the same tree before and after"
		f.Actual = "tree_before and tree_after differ" + changed
		f.Fix = "let the command write only to ignored files or to the evidence directory, or commit what it generates; then run and record it again"
	default:
		f.Message = fmt.Sprintf("the evidence for %s is %s, and it must be %s", criterionName(c), d.Level, d.Minimum)
		f.Expected = "evidence that is at least " + string(d.Minimum)
		f.Actual = string(d.Level) + ": " + check.KeptFrom(d.Level, d.At)
		f.Fix = raiseFix(p, "run the command with closeout record, which records the code tree before and after", d.Minimum)
	}
	f.Fix += provesHint(c)
	return f
}

// otherBytesFix names no command that would overwrite a file.
const otherBytesFix = "let no command rewrite such a file; if a setting of the machine did, set core.autocrlf=false, " +
	"or * text=auto eol=lf in .gitattributes, and record in a fresh checkout"

// raiseFix says how evidence that is recorded in such a way gets to a level, and how to accept less on purpose.
func raiseFix(p *check.Pass, how string, minimum input.Level) string {
	switch {
	case p.Event != "" && p.Facts == nil:
		how = "give the action a token: the input token is empty, so nothing says which code the records must be about; then " + how
	case p.Event != "" && p.Facts.Subject.AcceptedTrees == nil:
		how = "supply facts that name the accepted code trees, or a token and no facts; then " + how
	}
	if minimum == input.Recorded {
		how += ", in a separate job whose output passes the log's sha256 to the gate (feedback_sha256)"
	}
	return how + `; a person may accept less with "evidence": {"min": …} in the contract`
}

func conflictText(d *proof.Decision) string {
	var parts []string
	for _, x := range d.Deciding {
		parts = append(parts, fmt.Sprintf("exit code %d in %s line %d", *x.Last.Exit, x.Stream, x.Last.Line))
	}
	return strings.Join(input.First(parts, 10), "; ")
}

// reportDigests requires every log that the workflow supplied, and a digest of every stream that it names.
func reportDigests(p *check.Pass) {
	there := map[string]bool{}
	for _, l := range p.Logs {
		there[l.SHA256] = true
	}
	for _, d := range p.Digests {
		stream, sha256 := facts.SplitDigest(d)
		if sha256 != "" && there[sha256] {
			continue
		}
		f := check.Finding{
			Code: "evidence.digest_mismatch", Message: "a log that the workflow supplied is missing or was changed", Input: check.Feedback,
			Expected: "a log with sha256 " + sha256, Actual: input.Plural(int64(len(p.Logs)), "log") + ", none with this digest",
			Fix: "supply the log as the recording job wrote it", Identity: []string{sha256},
		}
		if stream != "" {
			f.Message = fmt.Sprintf("the log of the stream %q is missing or was changed", stream)
			f.Identity = append(f.Identity, stream)
		}
		if sha256 == "" {
			f.Message, f.Expected, f.Actual = fmt.Sprintf("the stream %q has no digest", stream), "the sha256 of the stream's log", "a name without digest"
			f.Fix = "let the job that records this stream end, and supply the digest that it printed"
		}
		p.Report(p.BlameJob(f))
	}
}

func reportCompanion(p *check.Pass, c *check.Companion) {
	how := "run the command that writes the report with closeout record --produces, on the code as it is now"
	if c.Kind == check.Rules && p.Policy.Rules.Run != nil {
		how = "commit all edits, then run closeout run, which records the command of rules.run"
	}
	p.Report(check.Finding{
		Code:    "evidence.below_minimum",
		Message: fmt.Sprintf("the %s report is %s, and it must be %s: %s", c.Kind, c.Level, c.Minimum, c.KeptFrom),
		Input:   c.Kind, Path: c.Path,
		Expected: "a report that a record names under produced, with evidence that is at least " + string(c.Minimum),
		Actual:   string(c.Level) + ": " + c.KeptFrom,
		Fix:      raiseFix(p, how, c.Minimum),
		Identity: []string{string(c.Kind), string(c.Level)},
	})
}

// reportClash reports a file that two commands of one log wrote with different content: which of them it is from, and
// whether the other one meant to replace it, is unknown.
func reportClash(p *check.Pass, c *check.Companion) {
	clash := c.Clash
	p.Report(inLog(clash.Stream, clash.Line, check.Finding{
		Code:     "evidence.conflict",
		Message:  fmt.Sprintf("two commands wrote the %s report %s with different content: %s, then %s", c.Kind, clash.Path, clash.First, clash.Second),
		Expected: "one command of a log that writes the file", Actual: "two commands, with different content",
		Fix:      "let each command write a separate file, then record both again",
		Identity: []string{string(c.Kind), clash.Path, clash.First, clash.Second},
	}))
}
