package collect

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
)

// union joins comparisons of one head with several merge bases. Of a path that more than one of them touches, the entry
// stays that says most: what one base lacks is an addition beside it, and a change beside another.
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
	slices.SortStableFunc(all, func(a, b change.Change) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// weight orders the statuses that a path can have beside one head by how much they say.
func weight(s change.Status) int {
	return slices.Index([]change.Status{
		change.Added, change.Deleted, change.ModeChanged, change.Modified, change.TypeChanged,
	}, s)
}
