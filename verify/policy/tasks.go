package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/facts"
)

// Claim is a task that a change carries, and who names it.
type Claim struct {
	Task, By string
}

// ByCaller is who names a task that the call names.
const ByCaller = "the caller"

// Claims are the tasks that a change carries, each once: those that the caller names, those whose contracts it adds, and those
// that its commits name. Where the caller names one, the others count only if the standing contract allows several: else a
// change could choose another judge.
func Claims(named, added []string, trailers []facts.Trailer, rule contract.TaskRule) (list []Claim) {
	add := func(task, by string) {
		if !slices.ContainsFunc(list, func(c Claim) bool { return c.Task == task }) {
			list = append(list, Claim{task, by})
		}
	}
	for _, id := range named {
		add(id, ByCaller)
	}
	if len(named) > 0 && rule.Most() == 1 {
		return list
	}
	for _, file := range added {
		add(strings.TrimSuffix(path.Base(file), path.Ext(file)), "the contract "+file+" that the change adds")
	}
	for _, t := range trailers {
		add(t.Task, fmt.Sprintf("the commit %.12s", t.Commit))
	}
	return list
}

// Arrange puts the contracts that the change wrote behind the others, and says which of them only narrow: those that the caller
// did not name, where it named another task. The first contract is the standing one.
func Arrange(sources []Source, named []string) {
	slices.SortStableFunc(sources, func(a, b Source) int { return rank(&a) - rank(&b) })
	for i := range sources {
		s := &sources[i]
		s.Narrows = s.HeadOnly() && len(named) > 0 && !slices.Contains(named, s.Contract.TaskID.Value)
	}
}

func rank(s *Source) int {
	switch {
	case !s.IsTask():
		return 0
	case !s.HeadOnly():
		return 1
	}
	return 2
}
