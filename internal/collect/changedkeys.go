package collect

import (
	"errors"
	"path"

	"github.com/closeout-gate/closeout/internal/toolchain/keydiff"
	"github.com/closeout-gate/closeout/verify/change"
)

// findKeys notes which keys of a file changed, where only some are protected. A file that is too large or malformed gets
// none, so that every change of it counts; in a new file each key may be there.
func (c *Comparison) findKeys(finder *keyFinder, changed *change.Change, bases []string) {
	if kind := keydiff.KindOf(changed.Path); kind == nil || !comparesKeys(kind, changed) {
		return
	}
	keys, err := finder.find(changed, bases)
	var malformed *keydiff.MalformedError
	unread := errors.Is(err, ErrTooLarge) || errors.Is(err, errNoFile) || errors.As(err, &malformed)
	switch {
	case err == nil:
		changed.KeysChanged, changed.KeysKnown = keys, true
	case unread && changed.Status == change.Added:
		changed.KeysChanged, changed.KeysKnown = []string{change.AnyKey}, true
	case !unread:
		c.lacks(changed.Path, err)
	}
}

// comparesKeys reports whether a change of a file is judged by its keys.
func comparesKeys(kind *keydiff.Kind, c *change.Change) bool {
	switch c.Status {
	case change.Modified:
		return isFile(c.OldMode) && isFile(c.NewMode)
	case change.Added:
		return kind.Added && isFile(c.NewMode)
	}
	return false
}

// errNoFile is for a path at which a merge base contains no regular file.
var errNoFile = errors.New("it was no file before")

// maxKeyedCost bounds what is read to compare files by their keys: all files together, each pair of contents once. Beyond it a
// file has no keys, and every change of it counts.
const maxKeyedCost = 64 << 20

// keyFinder compares files by their keys, and remembers the results: a change may bring one content in many places.
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
			return nil, errNoFile
		}
		more, err := f.between(keyedPair{path.Base(c.Path), id, c.NewID})
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	return unique(keys), nil
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
	kind := keydiff.KindOf(pair.name)
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
	return kind.Changed(before, after)
}

// read reads a content, never nil, while there is something left to spend.
func (f *keyFinder) read(id string, kind *keydiff.Kind) ([]byte, error) {
	if f.spent >= maxKeyedCost {
		return nil, ErrTooLarge
	}
	data, err := f.objects.Blob(id, kind.Limit)
	f.spent += int64(len(data)+1) * kind.Cost
	return append([]byte{}, data...), err
}
