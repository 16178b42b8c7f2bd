package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// sample is a value that a flag of a type takes; the text of any other type is free.
var sample = map[string]string{"bool": "true", "duration": "1s", "int": "1", "int64": "1", "uint": "1", "when": "auto"}

// TestFlagsGivenTwice gives each flag of each command twice: only one that takes a list has a second value.
func TestFlagsGivenTwice(t *testing.T) {
	root := newRoot(console.Streams{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
	refuseTwice(root)
	single, lists := 0, 0
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			walk(below)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value := sample[f.Value.Type()]
			if value == "" {
				value = "x"
			}
			first, second := f.Value.Set(value), f.Value.Set(value)
			want := fmt.Sprintf("the flag was given before, with %q: give it once", f.Value.String())
			list := isList(f.Value)
			switch {
			case first != nil:
				t.Errorf("%s --%s %s: %v", c.CommandPath(), f.Name, value, first)
			case list && second == nil:
				lists++
			case !list && second != nil && second.Error() == want:
				single++
			default:
				t.Errorf("%s --%s %s, twice: %v", c.CommandPath(), f.Name, value, second)
			}
		})
	}
	walk(root)
	if single < 100 || lists < 10 {
		t.Errorf("%d flags with one value, %d with a list", single, lists)
	}
}
