// Package schema contains the JSON Schemas of all inputs and outputs, one file each: draft 2020-12, except draft-07 for the
// report.
//
// The schemas are for editors, other tools and auditors. A run uses that of the report alone, to validate what it writes. The
// parsers of the gate are stricter where a schema cannot be (duplicate keys, how a number is written, globs); a test feeds every
// case to both.
package schema

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.schema.json
var files embed.FS

const suffix = ".schema.json"

// Names lists the schemas, sorted, without their extension.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded directory can be listed
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	slices.Sort(names)
	return names
}

// Text returns the text of a schema.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("no schema %q; the schemas are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}
