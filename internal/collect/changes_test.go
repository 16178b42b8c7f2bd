package collect

import (
	"reflect"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
)

var oldID, newID = strings.Repeat("a", 40), strings.Repeat("b", 40)

// Of a path that several comparisons touch, the entry stays that says most.
func TestUnion(t *testing.T) {
	added := change.Change{Path: "b", Status: change.Added, NewID: newID}
	modified := change.Change{Path: "b", Status: change.Modified, OldID: oldID, NewID: newID}
	link := change.Change{Path: "b", Status: change.TypeChanged}
	a, c := change.Change{Path: "a", Status: change.Deleted}, change.Change{Path: "c", Status: change.Added}
	for name, test := range map[string]struct{ lists, want [][]change.Change }{
		"one base":             {[][]change.Change{{a, added}}, [][]change.Change{{a, added}}},
		"each has its own":     {[][]change.Change{{added}, {a, c}}, [][]change.Change{{a, added, c}}},
		"modified beats added": {[][]change.Change{{added, c}, {modified}}, [][]change.Change{{modified, c}}},
		"in either order":      {[][]change.Change{{modified}, {added, c}}, [][]change.Change{{modified, c}}},
		"a type change beats":  {[][]change.Change{{modified}, {link}}, [][]change.Change{{link}}},
		"nothing":              {[][]change.Change{{}, {}}, [][]change.Change{nil}},
	} {
		if got := union(test.lists); !reflect.DeepEqual(got, test.want[0]) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want[0])
		}
	}
}
