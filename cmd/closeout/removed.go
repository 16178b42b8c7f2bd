package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// removed are the commands and flags that an older version had, after the command that had them, and what to use instead.
var removed = map[string]string{
	"audit --link-base": "copy the ids of the page; --format csv lists a line for each commit",
	"audit --replay":    "leave it out: every decision is judged again",
}

// wasRemoved is the error for a word that an older version knew; nil for any other.
func wasRemoved(c *cobra.Command, word string) error {
	name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath()+" "+word, c.Root().Name()), " ")
	instead, known := removed[name]
	if !known {
		return nil
	}
	return fmt.Errorf("closeout %s was removed: %s; see docs/upgrading.md", name, instead)
}
