package collect

import (
	"errors"

	"github.com/closeout-gate/closeout/internal/rules"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/reports"
)

// RunRules runs the diff rules, before the facts are made. What they find becomes an input of the decision; when a file cannot
// be read, that is unavailable. There is nothing to say when the changes are unavailable.
func (c *Comparison) RunRules() {
	if c.Changes == nil {
		return
	}
	found, err := c.DiffRules()
	if err == nil {
		c.rows, err = marshalRows(found, input.DefaultLimits().RulesBytes)
	}
	if err != nil {
		c.Unavailable = append(c.Unavailable, unavailable(facts.WantedDiffRules, "", err))
	}
}

// DiffRules says what the diff rules find in the changes.
func (c *Comparison) DiffRules() (*reports.Diff, error) {
	var lost error // the first question about the head that has no answer
	found, err := rules.Run(c.Changes, c.Objects.Blob, ErrTooLarge, func(path string) bool {
		mode, _, found, err := c.Objects.Entry(c.Head, path)
		if lost == nil {
			lost = err
		}
		return found && isFile(mode)
	}, c.reports...)
	return found, errors.Join(err, lost)
}

func isFile(mode change.Mode) bool { return mode == change.Regular || mode == change.Executable }

// marshalRows writes diff_rules.json. Of rules that found very much, so that the judge would refuse the file, the last rows are
// left out: each rule that failed still has rows.
func marshalRows(d *reports.Diff, limit int64) ([]byte, error) {
	data, err := d.Marshal()
	for most := len(d.Rules); err == nil && int64(len(data)) > limit && most > 1; {
		most /= 2
		data, err = d.First(most).Marshal()
	}
	return data, err
}

// ruleRows is the input that says what the diff rules found; none when it is unavailable.
func (c *Comparison) ruleRows() []verify.Input {
	if c.rows == nil {
		return nil
	}
	return []verify.Input{{Kind: check.DiffRules, Name: verify.DiffRulesFile, Open: bytesOpener(c.rows)}}
}
