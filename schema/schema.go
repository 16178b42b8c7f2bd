// Package schema holds the JSON Schemas of every input and output, one file each: draft 2020-12, but draft-07 for the report,
// which every run compiles and which takes half the time so.
//
// The schemas are for editors, other tools and auditors. The gate's own parsers are stricter where a schema cannot be
// (duplicate keys, how a number is written, globs); a test feeds every case to both.
package schema

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed *.schema.json
var files embed.FS

const suffix = ".schema.json"

// Names lists the schemas, sorted, without their ending.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder can be listed
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	slices.Sort(names)
	return names
}

// Text returns a schema as it is written.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(name + suffix)
	if err != nil {
		return nil, fmt.Errorf("no schema %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return text, nil
}

// Compile makes a validator of one schema. It costs about a millisecond, so nothing is compiled that a run does not
// need.
func Compile(name string) (*jsonschema.Schema, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	return jsonschema.CompileString(name+suffix, string(text))
}
