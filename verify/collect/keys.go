package collect

import (
	"bytes"
	"errors"
	"io"
	"path"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/modfile"

	"github.com/closeout-gate/closeout/verify/change"
)

// keyedKind is a kind of files of which only some keys are protected.
type keyedKind struct {
	// changed tells which keys changed, sorted; before is nil when there was no file. An error says that a content is
	// none of the kind: then nobody knows what changed.
	changed func(before, after []byte) ([]string, error)
	added   bool  // the keys of a new file matter
	limit   int64 // how large a file may be to be looked into
	cost    int64 // what reading a byte costs at worst, in bytes of JSON
}

// keyedFiles are those kinds by the name of the file. The time for a TOML file can grow with the square of its size.
var keyedFiles = map[string]keyedKind{
	"package.json":        {changed: jsonKeysChanged, added: true, limit: 4 << 20, cost: 1},
	"go.mod":              {changed: modKeysChanged, limit: 4 << 20, cost: 1},
	"pyproject.toml":      {changed: tomlKeysChanged, limit: 128 << 10, cost: 16},
	"pnpm-workspace.yaml": {changed: yamlKeysChanged, limit: 128 << 10, cost: 64},
}

// What is looked into at most. Beyond it a file has no keys, and every change of it counts.
const (
	maxKeyedCost    = 64 << 20 // all files together, each pair of contents once
	maxKeysChanged  = 1000     // keys that changed in one file
	maxKeysTextSize = 64 << 10 // bytes of them
)

// asked reports whether somebody must look which keys of a file changed.
func (k keyedKind) asked(c *change.Change) bool {
	isFile := func(m change.Mode) bool { return m == change.Regular || m == change.Executable }
	switch c.Status {
	case change.Modified:
		return isFile(c.OldMode) && isFile(c.NewMode)
	case change.Added:
		return k.added && isFile(c.NewMode)
	}
	return false
}

// formError says that a content is not what the file's name promises.
type formError struct{ error }

// keysChanged compares a file before and after, by its name. The error is a *formError.
func keysChanged(name string, before, after []byte) ([]string, error) {
	keys, err := keyedFiles[path.Base(name)].changed(before, after)
	size := 0
	for _, k := range keys {
		size += len(k)
	}
	if err == nil && (len(keys) > maxKeysChanged || size > maxKeysTextSize) {
		err = errors.New("too many keys changed")
	}
	if err != nil {
		return nil, &formError{err}
	}
	return keys, nil
}

// keyFinder looks into files with keys, and remembers what it found: a change may bring one content in many places.
type keyFinder struct {
	objects Objects
	spent   int64
	known   map[keyedPair]keysFound
}

type keyedPair struct{ name, before, after string } // ids; before is "" for a new file

type keysFound struct {
	keys []string
	err  error
}

// find names the keys that changed between the merge bases and the head.
func (f *keyFinder) find(c *change.Change, bases []string) ([]string, error) {
	if c.Status == change.Added {
		return f.between(keyedPair{path.Base(c.Path), "", c.NewID})
	}
	keys := []string{}
	for _, base := range bases {
		mode, id, found, err := f.objects.Entry(base, c.Path)
		if err != nil {
			return nil, err
		}
		if !found || id == c.NewID {
			continue
		}
		if mode.Special() {
			return nil, &formError{errors.New("it was no file before")}
		}
		more, err := f.between(keyedPair{path.Base(c.Path), id, c.NewID})
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

func (f *keyFinder) between(pair keyedPair) ([]string, error) {
	if found, ok := f.known[pair]; ok {
		return found.keys, found.err
	}
	var found keysFound
	if found.keys, found.err = f.compare(pair); f.known == nil {
		f.known = map[keyedPair]keysFound{}
	}
	f.known[pair] = found
	return found.keys, found.err
}

func (f *keyFinder) compare(pair keyedPair) ([]string, error) {
	kind := keyedFiles[pair.name]
	after, err := f.read(pair.after, kind)
	if err != nil {
		return nil, err
	}
	var before []byte
	if pair.before != "" {
		if before, err = f.read(pair.before, kind); err != nil {
			return nil, err
		}
	}
	return keysChanged(pair.name, before, after)
}

// read reads a content, never nil, while there is something left to spend.
func (f *keyFinder) read(id string, kind keyedKind) ([]byte, error) {
	if f.spent >= maxKeyedCost {
		return nil, ErrTooLarge
	}
	data, err := f.objects.Blob(id, kind.limit)
	f.spent += int64(len(data)+1) * kind.cost
	return append([]byte{}, data...), err
}

// jsonKeysChanged lists the keys of the top level whose values differ, sorted. A key that stands twice is an error: which
// value counts depends on the reader.
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
		return nil, errors.New("it is no JSON object")
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

// modKeysChanged names replace when the replace directives of two go.mod files differ, in whatever order they stand.
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
