package canary

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/diag"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/report"
)

// record is a record of the command of a criterion.
type record struct {
	file, line  int
	before, now string // its trees; "" where it names none
}

// recordsOf lists the records of each criterion, in the order of the report.
func (c *canary) recordsOf() [][]record {
	list, places := make([][]record, len(c.before.Acceptance)), map[string][]int{}
	for i := range c.before.Acceptance {
		key := commandKey(c.before.Acceptance[i].Run, c.before.Acceptance[i].Cwd)
		places[key] = append(places[key], i)
	}
	for _, file := range c.base.of(check.Feedback, whole) {
		feedback.ReadLog(bytes.NewReader(c.base.files[file].data), c.base.settings.Limits, func(r *feedback.Record) {
			if r.Tampered != "" || r.Argv == nil {
				return
			}
			for _, i := range places[commandKey(r.Argv, r.Cwd)] {
				list[i] = append(list[i], record{file, r.Pos.Line, r.TreeBefore, r.TreeAfter})
			}
		})
	}
	return list
}

// commandKey tells the commands of criteria apart: no word of a contract contains NUL.
func commandKey(run []string, cwd string) string { return cwd + "\x00" + strings.Join(run, "\x00") }

// editRecords changes records, each of which is in the list once.
func (in *inputs) editRecords(list []record, change func(r *record, line []byte) []byte) {
	byFile := map[int][]*record{}
	for i := range list {
		byFile[list[i].file] = append(byFile[list[i].file], &list[i])
	}
	for file, records := range byFile {
		lines := bytes.Split(in.files[file].data, []byte("\n"))
		for _, r := range records {
			lines[r.line-1] = change(r, lines[r.line-1])
		}
		in.files[file].data = bytes.Join(lines, []byte("\n"))
	}
}

// ofCriteria breaks what decides each criterion: first all exit codes, then the records.
func (c *canary) ofCriteria() []mutation {
	var exits, gone []mutation
	more := 0
	for i := range c.before.Acceptance {
		a := &c.before.Acceptance[i]
		switch {
		case a.Outcome != report.OutcomePassed:
			c.notTried(ExitCode, fmt.Sprintf("the criterion %s has not passed: what blocks it was overridden", a.ID))
		case len(exits) == MaxCriteria:
			more++
		default:
			exits, gone = append(exits, c.exit(a)), append(gone, c.gone(a, c.records[i]))
		}
	}
	if more > 0 {
		c.notTried(ExitCode, fmt.Sprintf("%d more criteria: copies are broken for the first %d", more, MaxCriteria))
	}
	return append(exits, gone...)
}

func aboutCriterion(a *report.Acceptance) func(*report.Finding) bool {
	return func(f *report.Finding) bool { return f.Criterion == a.ID }
}

// exit turns the exit code of the records that decide a criterion.
func (c *canary) exit(a *report.Acceptance) mutation {
	m := mutation{
		name: ExitCode, text: "the command of " + a.ID + " ended with exit code 1", criterion: a.ID, expected: "acceptance.failed", about: aboutCriterion(a),
	}
	code := "1"
	if a.Expect == "fail" {
		m.text, m.expected, code = "the negative control "+a.ID+" ended with exit code 0", "acceptance.control_passed", "0"
	}
	m.edit = func(in *inputs) string {
		var deciding []record
		for _, d := range a.DecidedBy {
			file, known := c.logs[d.Path]
			if !known {
				return "the log " + d.Path + " is not among the inputs"
			}
			deciding = append(deciding, record{file: file, line: d.Line})
		}
		in.editRecords(deciding, func(_ *record, line []byte) []byte { return set(line, "exit_code", code) })
		return ""
	}
	return m
}

// otherCommand is the command that records of a criterion get in a copy: the sequence of the log stays whole.
const otherCommand = `["closeout-counter-check"]`

// gone makes all records of a criterion those of another command.
func (c *canary) gone(a *report.Acceptance, list []record) mutation {
	return mutation{
		name: Records, text: "the records of " + a.ID + " are of another command", criterion: a.ID, expected: "acceptance.missing", about: aboutCriterion(a),
		edit: func(in *inputs) string {
			in.editRecords(list, func(_ *record, line []byte) []byte { return set(set(line, "command", otherCommand), "exit_code", "0") })
			return ""
		},
	}
}

// ofTrust breaks what shows that the evidence is about this code: trees in records, and digests of logs.
func (c *canary) ofTrust() []mutation {
	var list []mutation
	tree, unbound, known := false, false, false
	for i := range c.before.Acceptance {
		a := &c.before.Acceptance[i]
		if a.Outcome != report.OutcomePassed {
			continue
		}
		switch level, line := c.minimum(a); {
		case level.Rank() >= diag.Bound.Rank() && !tree:
			list, tree = append(list, c.tree(a, c.records[i])), true
		case level.Rank() < diag.Bound.Rank() && line != nil && !unbound:
			list, unbound = append(list, c.unbound(a, c.records[i], line)), true
		}
		known = true
	}
	if known && !tree && !unbound {
		c.notTried(Tree, "no code tree is known, and no contract says how far evidence must be trusted")
	}
	return append(list, c.logByte())
}

// tree lets the code change while the command of a criterion ran.
func (c *canary) tree(a *report.Acceptance, list []record) mutation {
	return mutation{
		name: Tree, text: "the code changed while the command of " + a.ID + " ran", criterion: a.ID, expected: "evidence.dirty_tree", about: aboutCriterion(a),
		edit: func(in *inputs) string {
			if slices.ContainsFunc(list, func(r record) bool { return r.before == "" || r.now == "" }) {
				return "a record of " + a.ID + " names no code tree"
			}
			in.editRecords(list, func(r *record, line []byte) []byte { return set(line, "tree_after", `"`+otherID(r.now)+`"`) })
			return ""
		},
	}
}

// otherID is another object id of the same form.
func otherID(id string) string {
	last := byte('0')
	if id[len(id)-1] == last {
		last = '1'
	}
	return id[:len(id)-1] + string(last)
}

// unbound takes the code trees out of the records of a criterion, so that they may be about any code.
func (c *canary) unbound(a *report.Acceptance, list []record, line *report.CanaryBecause) mutation {
	return mutation{
		name: Unbound, text: "the records of " + a.ID + " name no code tree", criterion: a.ID, expected: "evidence.below_minimum", about: aboutCriterion(a),
		because: func(*report.Report) *report.CanaryBecause { return line },
		edit: func(in *inputs) string {
			in.editRecords(list, func(r *record, line []byte) []byte {
				if r.before != "" {
					line = set(line, "tree_before", "null")
				}
				if r.now != "" {
					line = set(line, "tree_after", "null")
				}
				return line
			})
			return ""
		},
	}
}

// logByte changes one byte of a log whose digest was supplied.
func (c *canary) logByte() mutation {
	return mutation{
		name: LogByte, text: "one byte of a log was added", expected: "evidence.digest_mismatch", asIs: true,
		edit: func(in *inputs) string {
			supplied := c.base.settings.Digests
			if supplied == nil && c.known != nil {
				supplied = c.known.Digests
			}
			sums := map[string]bool{}
			for _, d := range supplied {
				_, sum := facts.SplitDigest(d)
				sums[sum] = true
			}
			for _, i := range in.of(check.Feedback, whole) {
				f := &in.files[i]
				if brace := bytes.IndexByte(f.data, '{'); brace >= 0 && sums[digest(f.data)] {
					f.data = slices.Concat(f.data[:brace+1], []byte(" "), f.data[brace+1:])
					return ""
				}
			}
			return "the run was given no digest of a log"
		},
	}
}
