package checks

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/check"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/policy"
)

// inContract places a finding in a contract.
func inContract(s *policy.Source, pos input.Pos, f check.Finding) check.Finding {
	f.Input, f.Path, f.Pos = check.Kind(s.Kind), s.Path, pos
	return f
}

// atKey places a finding at a key of the standing contract, which decides.
func atKey(p *check.Pass, key string, f check.Finding) check.Finding {
	f.Contract = standing(p, key)
	return inContract(&p.Policy.Sources[0], f.Contract.Pos, f)
}

// standing is the place of a key of the standing contract; without line where it does not contain the key.
func standing(p *check.Pass, key string) check.Place {
	s := &p.Policy.Sources[0]
	return check.Place{Path: s.Path, Pos: s.Contract.Keys[key]}
}

// inLog places a finding at a record.
func inLog(log string, line int, f check.Finding) check.Finding {
	f.Input, f.Path, f.Pos = check.Feedback, log, input.Pos{Line: line, Column: 1}
	return f
}

// reportMore reports what is beyond a list, of which only the number is known, with what the findings about the list
// share.
func reportMore(p *check.Pass, f check.Finding, more int, message string) {
	if more > 0 {
		count := fmt.Sprint(more)
		f.Message, f.Actual, f.Pos, f.Identity, f.Times = fmt.Sprintf(message, more), count, input.Pos{}, []string{"more", count}, more
		p.Report(f)
	}
}
