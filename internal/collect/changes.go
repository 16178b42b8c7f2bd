package collect

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// union joins comparisons of one head with several merge bases. Of a path in more than one of them, the entry that says most
// stays: a file may be new compared with one base, and changed compared with another.
func union(lists [][]change.Change) []change.Change {
	if len(lists) == 1 {
		return lists[0]
	}
	at := map[string]int{}
	var all []change.Change
	for _, list := range lists {
		for _, c := range list {
			i, known := at[c.Path]
			switch {
			case !known:
				at[c.Path] = len(all)
				all = append(all, c)
			case weight(c.Status) > weight(all[i].Status):
				all[i] = c
			}
		}
	}
	input.SortStable(all, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// weight orders the statuses of one path by how much they say.
func weight(s change.Status) int {
	return slices.Index([]change.Status{
		change.Added, change.Deleted, change.ModeChanged, change.Modified, change.TypeChanged,
	}, s)
}
