package github

import (
	"errors"
	"fmt"
	"testing"

	"github.com/closeout-gate/closeout/verify/strict"
)

// TestDirectoriesThatMultiply walks a few directories, each of which contains the next one ten times, down to one that is empty or
// contains a file. They represent ten thousand million paths, and no call is made for any of them.
func TestDirectoriesThatMultiply(t *testing.T) {
	for name, leaf := range map[string][]entry{"empty": {}, "a file": {{"f", "100644", idA}}} {
		trees := &trees{known: map[string][]entry{"0": leaf}}
		for level := range 10 {
			for i := range 10 {
				trees.known[fmt.Sprint(level+1)] = append(trees.known[fmt.Sprint(level+1)], entry{fmt.Sprint(i), dirMode, fmt.Sprint(level)})
			}
		}
		for limit, flag := range map[int64]string{109: strict.FlagTreeEntries, 210: ""} {
			d := &differ{trees: trees, limits: strict.DefaultLimits()}
			d.limits.TreeEntries = limit
			err := d.dirs("", "", "2") // ten directories, with ten directories each
			if failed := (*failure)(nil); flag != "" && (!errors.As(err, &failed) || failed.Limit() != flag) || flag == "" && err != nil {
				t.Errorf("%s, at most %d entries: %v", name, limit, err)
			}
		}
		d := &differ{trees: trees, limits: strict.DefaultLimits()}
		d.limits.TreeEntries = 10_000
		if err := d.dirs("", "", "10"); err == nil || d.seen > 10_100 {
			t.Errorf("%s: %d entries were looked at, %v", name, d.seen, err)
		}
	}
}
