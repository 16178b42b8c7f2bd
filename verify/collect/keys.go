package collect

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/mod/modfile"

	"github.com/closeout-gate/closeout/verify/evidence"
)

// keyedFiles are the files of which only some keys are protected, and how to tell which keys changed. An error says that
// a content is none of the kind; nobody knows then what changed.
var keyedFiles = map[string]func(before, after []byte) ([]string, error){
	"package.json": jsonKeysChanged,
	"go.mod":       modKeysChanged,
}

// maxKeyed is how large such a file may be to be looked into.
const maxKeyed = 4 << 20

// keyed reports whether somebody must look which keys of a file changed.
func keyed(c *evidence.Change) bool {
	return c.Status == evidence.Modified && keyedFiles[path.Base(c.Path)] != nil
}

// formError says that a content is not what the file's name promises.
type formError struct{ error }

// keysChanged compares a file before and after, by its name. The error is a *formError.
func keysChanged(name string, before, after []byte) ([]string, error) {
	keys, err := keyedFiles[path.Base(name)](before, after)
	if err != nil {
		return nil, &formError{err}
	}
	return keys, nil
}

// jsonKeysChanged lists the keys of the top level whose values differ, sorted. A key that stands twice is an error: which
// value counts depends on the reader.
func jsonKeysChanged(before, after []byte) ([]string, error) {
	old, err := topLevel(before)
	if err != nil {
		return nil, err
	}
	now, err := topLevel(after)
	if err != nil {
		return nil, err
	}
	keys := []string{}
	for key := range mergedKeys(old, now) {
		if was, is := old[key], now[key]; !bytes.Equal(was, is) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

func mergedKeys(a, b map[string]jsontext.Value) map[string]jsontext.Value {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// topLevel reads the members of a JSON object, each value without insignificant blanks.
func topLevel(data []byte) (map[string]jsontext.Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data))
	if d.PeekKind() != '{' {
		return nil, errors.New("it is no JSON object")
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	members := map[string]jsontext.Value{}
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
		members[name] = value
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
