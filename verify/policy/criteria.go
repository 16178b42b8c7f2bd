package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/input"
)

// addCriteria appends the criteria of a contract. A criterion that an earlier contract also names is joined with it; an id
// for two different commands is a problem.
func (p *Policy) addCriteria(s Source) []input.Error {
	var problems []input.Error
	offset := len(p.Criteria)
	p.joined = map[string]string{}
	for _, c := range s.Contract.Criteria {
		id, e := p.addCriterion(c, s, offset)
		if e != nil {
			problems = append(problems, *e)
		}
		p.joined[c.ID] = id
	}
	problems = append(problems, p.resolveProves(offset)...)
	if s.HeadOnly() {
		problems = append(problems, p.checkHeadCriteria(s, offset)...)
	}
	return problems
}

// addCriterion returns the id of the criterion in the join. It compares commands only with the criteria before offset: the
// parser compared those of the same contract.
func (p *Policy) addCriterion(c contract.Criterion, s Source, offset int) (string, *input.Error) {
	if old := p.sameCriterion(c, offset); old != nil {
		return old.ID, p.joinCriterion(old, c, s)
	}
	switch {
	case c.IDGiven:
	case p.TaskIDs != nil && s.IsTask():
		c.ID = s.Contract.TaskID.Value + "/" + c.ID
	case offset > 0:
		c.ID = p.freeID(s.Contract)
	}
	if p.hasID(c.ID) {
		return c.ID, clash(c, "the criterion id "+c.ID+" names another command in "+p.whose(c.ID), c.ID, "an id of its own")
	}
	if p.current > 0 {
		p.raise[c.ID], c.MinEvidence = c.MinEvidence, ""
	}
	p.origin[c.ID] = p.current
	p.Criteria = append(p.Criteria, c)
	return c.ID, nil
}

// sameCriterion is the criterion before offset with the same command, which the same records decide, preferably with the same
// id; nil when there is none.
func (p *Policy) sameCriterion(c contract.Criterion, offset int) *contract.Criterion {
	var same *contract.Criterion
	for i := range p.Criteria[:offset] {
		old := &p.Criteria[i]
		if old.Cwd == c.Cwd && slices.Equal(old.Run, c.Run) && (same == nil || (c.IDGiven && old.ID == c.ID)) {
			same = old
		}
	}
	return same
}

func (p *Policy) hasID(id string) bool {
	return slices.ContainsFunc(p.Criteria, func(o contract.Criterion) bool { return o.ID == id })
}

// freeID is the next id by position that neither the join nor the contract that is being joined uses.
func (p *Policy) freeID(own *contract.Contract) string {
	for n := len(p.Criteria) + 1; ; n++ {
		id := fmt.Sprintf("c%d", n)
		given := slices.ContainsFunc(own.Criteria, func(c contract.Criterion) bool { return c.IDGiven && c.ID == id })
		if !given && !p.hasID(id) {
			return id
		}
	}
}

// Minimum is the evidence level that a criterion requires, where fallback is the level for all. A later contract can require
// a higher level, not a lower one.
func (p *Policy) Minimum(c *contract.Criterion, fallback input.Level) input.Level {
	if c.MinEvidence != "" {
		fallback = c.MinEvidence
	}
	return input.Stronger(fallback, p.raise[c.ID])
}

// joinCriterion joins two criteria with the same command to the stricter one.
func (p *Policy) joinCriterion(old *contract.Criterion, c contract.Criterion, s Source) *input.Error {
	if c.IDGiven && c.ID != old.ID && p.hasID(c.ID) {
		return clash(c, "the criterion id "+c.ID+" names another command in "+p.whose(c.ID), c.ID, old.ID)
	}
	old.UnknownExit, old.When = joinUnknown(old, &c), nil
	if s.HeadOnly() && !p.IsHead(old.ID) {
		return p.joinHeadCriterion(old, c)
	}
	switch {
	case old.ExpectFail != c.ExpectFail:
		return clash(c, p.whose(old.ID)+" expects the opposite of this command", "the opposite expect", "the same expect")
	case old.TestReport != "" && c.TestReport != "" && (old.TestReport != c.TestReport || old.ReportFrom != c.ReportFrom):
		return clash(c, p.whose(old.ID)+" names another test report for this command", c.TestReport, old.TestReport)
	}
	old.MaxAttempts = min(old.MaxAttempts, c.MaxAttempts)
	p.raise[old.ID] = input.Stronger(p.raise[old.ID], c.MinEvidence)
	old.MinTests = max(old.MinTests, c.MinTests)
	if old.TestReport == "" {
		old.TestReport, old.ReportFrom = c.TestReport, c.ReportFrom
	}
	return nil
}

// joinUnknown joins the exit codes that say that a command cannot know. For a command that must pass, such a code is more lenient
// than a failure: both contracts must list it. For a negative control it is stricter: without it, the code proves the control.
func joinUnknown(old, c *contract.Criterion) (codes []int64) {
	if c.ExpectFail || old.ExpectFail {
		more := slices.DeleteFunc(slices.Clone(c.UnknownExit), func(code int64) bool { return slices.Contains(old.UnknownExit, code) })
		return slices.Concat(old.UnknownExit, more)
	}
	return slices.DeleteFunc(slices.Clone(old.UnknownExit), func(code int64) bool { return !slices.Contains(c.UnknownExit, code) })
}

// whose says which contract names a criterion first.
func (p *Policy) whose(criterion string) string {
	if s := p.Origin(criterion); s.IsTask() && p.TaskIDs != nil {
		return "the contract of the task " + s.Contract.TaskID.Value + " (" + s.Path + ")"
	}
	return "the standing contract"
}

func clash(c contract.Criterion, message, found, expected string) *input.Error {
	return &input.Error{
		Pos: c.Pos, Where: "/acceptance_criteria", Message: message, Found: found, Expected: expected,
		Fix: "remove the criterion from the task contract, or change it to match the standing contract",
	}
}

// resolveProves translates the ids in proves to those of the join, and checks that each control proves a criterion that is
// expected to pass.
func (p *Policy) resolveProves(offset int) []input.Error {
	var problems []input.Error
	for i := range p.Criteria[offset:] {
		c := &p.Criteria[offset+i]
		if c.Proves.Value == "" {
			continue
		}
		c.Proves.Value = p.idOf(c.Proves.Value)
		proven := slices.IndexFunc(p.Criteria, func(o contract.Criterion) bool { return o.ID == c.Proves.Value })
		if proven < 0 || p.Criteria[proven].ExpectFail {
			problems = append(problems, input.Error{
				Pos: c.Proves.Pos, Where: "/acceptance_criteria", Message: "a negative control proves a criterion that does not exist",
				Found: c.Proves.Value, Expected: "the id of a criterion that is expected to pass", Fix: p.provesFix(c.Proves.Value),
			})
		}
	}
	return problems
}

// provesFix lists the ids that a negative control can prove, the one that is nearest to what it says first.
func (p *Policy) provesFix(said string) string {
	var ids []string
	for _, c := range p.Criteria {
		if !c.ExpectFail {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return `add a criterion with "expect": "pass" that the control proves`
	}
	fix := "write "
	if near := input.Nearest(said, ids); near != "" {
		ids = append([]string{near}, slices.DeleteFunc(ids, func(id string) bool { return id == near })...)
	} else if len(ids) > 1 {
		fix = "write one of "
	}
	const most = 10
	more := ""
	if len(ids) > most {
		ids, more = ids[:most], ", …"
	}
	for i, id := range ids {
		ids[i] = `"proves": ` + input.QuoteJSON(id)
	}
	return fix + strings.Join(ids, ", or ") + more
}
