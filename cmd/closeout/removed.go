package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// removed are the commands and flags that an older version had, after the command that had them, and what to use instead.
var removed = map[string]string{
	"archive add --branch":     fromFind,
	"archive add --commit":     fromFind,
	"archive add --date":       fromFind,
	"archive add --decision":   fromFind,
	"archive add --gap":        fromFind,
	"archive add --origin":     fromFind,
	"archive add --parent":     fromFind,
	"archive add --repairs":    fromFind,
	"archive add --repo":       fromFind,
	"archive verify":           "closeout audit shows whether the archive only grew",
	"audit --since-checkpoint": "name the id of a commit of the archive that you kept: closeout audit --since COMMIT",
	"audit --link-base":        "copy the ids of the page; --format csv lists a line for each commit",
	"audit --replay":           "leave it out: every decision is judged again",
	"canary":                   "closeout lint names what a contract cannot refuse",
	"item scan --add":          "scan the longer list into another state folder: closeout item scan LIST --template FILE --state FOLDER",
	"item scan --fence":        "docs/reference/items.md says what keeps an agent from the state folder; no result names it any more",
	"item scan --reason":       "write it where the team reads it; a plan is not pinned again",
	"item scan --repin":        "scan into another state folder: closeout item scan --state FOLDER",
	"reopen":                   "closeout item release ITEM --reason WHY gives new tries",
}

// fromFind says how entries are made.
const fromFind = "closeout archive find makes the entries that --found takes"

// wasRemoved is the error for a word that an older version knew; nil for any other. The commands about items had names of their own.
func wasRemoved(c *cobra.Command, word string) error {
	name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath()+" "+word, c.Root().Name()), " ")
	instead, known := removed[name]
	if !known {
		instead, known = removed["item "+name]
	}
	if old, below := strings.CutPrefix(name, "item "); !known && below {
		instead, known = removed[old]
	}
	if !known {
		return nil
	}
	return fmt.Errorf("closeout %s was removed: %s; see docs/upgrading.md", name, instead)
}
