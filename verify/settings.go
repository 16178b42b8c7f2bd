package verify

import (
	"fmt"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
	"github.com/closeout-gate/closeout/verify/input"
)

// Modes are the values of a mode.
func Modes() []string { return []string{Enforce, Observe} }

// maxLimit is the largest integer that every JSON reader represents exactly: the report contains the limits.
const maxLimit = 1<<53 - 1

// Check refuses invalid settings, and writes digests in their plain form.
func (s *Settings) Check() error {
	if s.Mode != "" && s.Mode != Enforce && s.Mode != Observe {
		meant := ":"
		if near := input.Nearest(s.Mode, Modes()); near != "" {
			meant = fmt.Sprintf(" (did you mean %q?):", near)
		}
		return fmt.Errorf("unknown mode %q%s expected enforce or observe", s.Mode, meant)
	}
	for _, id := range s.Tasks {
		if err := CheckTask(id); err != nil {
			return err
		}
	}
	for i, d := range s.Digests {
		digest, err := facts.ReadDigest(d)
		if err != nil {
			return err
		}
		s.Digests[i] = digest
	}
	for _, limit := range input.AllLimits {
		if v := limit.Get(&s.Limits); v < 1 || v > maxLimit {
			return fmt.Errorf("a limit cannot be %d: expected 1 to %d", v, int64(maxLimit))
		}
	}
	return nil
}

// CheckTask refuses a task id that no contract can have; "" is none.
func CheckTask(id string) error {
	if id == "" || contract.ValidTaskID(id) {
		return nil
	}
	return fmt.Errorf("%q is not a task id: expected at most 64 letters, digits, dots, underscores and hyphens, and no two dots in a row", id)
}
