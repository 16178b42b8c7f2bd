// Package keydiff tells which keys differ between two versions of a file, for files of which only some keys are protected:
// package.json, go.mod, pyproject.toml and pnpm-workspace.yaml.
package keydiff

import (
	"bytes"
	"errors"
	"io"
	"path"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/modfile"
)

// Kind is a kind of files of which only some keys are protected.
type Kind struct {
	Added bool  // the keys of a new file matter
	Limit int64 // how large a file may be to be compared by its keys
	Cost  int64 // what reading a byte costs at worst, in bytes of JSON
	// changed tells which keys changed, sorted; before is nil when there was no file. An error says that a content is
	// malformed: then the changed keys are unknown.
	changed func(before, after []byte) ([]string, error)
}

// kinds are the kinds by the name of the file. The time for a TOML file can grow with the square of its size.
var kinds = map[string]*Kind{
	"package.json":        {changed: jsonKeysChanged, Added: true, Limit: 4 << 20, Cost: 1},
	"go.mod":              {changed: modKeysChanged, Limit: 4 << 20, Cost: 1},
	"pyproject.toml":      {changed: tomlKeysChanged, Limit: 128 << 10, Cost: 16},
	"pnpm-workspace.yaml": {changed: yamlKeysChanged, Limit: 128 << 10, Cost: 64},
}

// KindOf is the kind of the file at a path; nil for any other file.
func KindOf(name string) *Kind { return kinds[path.Base(name)] }

const (
	maxKeys     = 1000     // keys that changed in one file
	maxKeysSize = 64 << 10 // bytes of them
)

// MalformedError says that a content is not what the name of the file promises, or that too many of its keys changed.
type MalformedError struct{ error }

// Changed lists the keys that differ between two versions of a file, sorted; before is nil for a new file. The error is a
// *MalformedError.
func (k *Kind) Changed(before, after []byte) ([]string, error) {
	keys, err := k.changed(before, after)
	size := 0
	for _, key := range keys {
		size += len(key)
	}
	if err == nil && (len(keys) > maxKeys || size > maxKeysSize) {
		err = errors.New("too many keys changed")
	}
	if err != nil {
		return nil, &MalformedError{err}
	}
	return keys, nil
}

// jsonKeysChanged lists the keys of the top level whose values differ, sorted. A key that appears twice is an error:
// which value counts depends on the reader.
func jsonKeysChanged(before, after []byte) ([]string, error) {
	var old map[string]string
	var err error
	if before != nil {
		if old, err = topLevel(before); err != nil {
			return nil, err
		}
	}
	now, err := topLevel(after)
	if err != nil {
		return nil, err
	}
	return differing(old, now), nil
}

// differing lists the keys whose values differ, sorted. No value is empty, so a key that only one side has differs.
func differing(old, now map[string]string) []string {
	keys := []string{}
	for key, was := range old {
		if now[key] != was {
			keys = append(keys, key)
		}
	}
	for key := range now {
		if _, both := old[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// topLevel reads the members of a JSON object, each value without insignificant blanks.
func topLevel(data []byte) (map[string]string, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if d.PeekKind() != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	members := map[string]string{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		value = slices.Clone(value)
		if err := value.Compact(); err != nil {
			return nil, err
		}
		members[name] = string(value)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	return members, nil
}

// modKeysChanged names replace when the replace directives of two go.mod files differ, in whatever order.
func modKeysChanged(before, after []byte) ([]string, error) {
	old, err := replaced(before)
	if err != nil {
		return nil, err
	}
	now, err := replaced(after)
	if err != nil {
		return nil, err
	}
	if slices.Equal(old, now) {
		return []string{}, nil
	}
	return []string{"replace"}, nil
}

// replaced lists the replace directives of a go.mod, sorted.
func replaced(data []byte) ([]string, error) {
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, r := range f.Replace {
		list = append(list, r.Old.String()+" => "+r.New.String())
	}
	slices.Sort(list)
	return list, nil
}
