package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// baseCache is how many bytes of objects are kept as possible bases of deltas.
const baseCache = 16 << 20

func newBaseCache() *cache[place, object] {
	return newCache[place](baseCache, func(o object) int { return cap(o.content) + 128 })
}

// store is the object directory of a repository and its alternates.
type store struct {
	format  *format
	dirs    []string // absolute, its own first
	lost    []string // alternates that do not exist
	packs   []*packFile
	multis  []multi
	recent  atomic.Pointer[packFile] // where the last object was found
	blocks  *cache[blockKey, []byte] // of packs
	places  *cache[blockKey, []byte] // of indexes
	bases   *cache[place, object]
	promise bool // a remote has objects that a pack refers to
}

// multi is a multi-pack-index and the packs that have no other index, by name.
type multi struct {
	index *multiIndex
	packs map[string]*packFile
}

func openStore(dir string, format *format) (*store, error) {
	s := &store{format: format, blocks: newBlockCache(blockCache), places: newBlockCache(indexCache), bases: newBaseCache()}
	if err := s.borrow(dir, 0); err != nil {
		return nil, err
	}
	for _, dir := range s.dirs {
		if err := s.openPacks(filepath.Join(dir, "pack")); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// openPacks opens the indexes of a directory of packs.
func (s *store) openPacks(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plainError(err)
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	orphans := map[string]*packFile{}
	for _, name := range names {
		s.promise = s.promise || strings.HasSuffix(name, ".promisor")
		base, ok := strings.CutSuffix(name, ".pack")
		if !ok {
			continue
		}
		p := &packFile{name: filepath.Join(dir, base), format: s.format, blocks: s.blocks}
		if _, indexed := slices.BinarySearch(names, base+".idx"); !indexed {
			orphans[base] = p
			continue
		}
		if err := s.addPack(p); err != nil {
			return err
		}
	}
	return s.addMulti(dir, names, orphans)
}

func (s *store) addPack(p *packFile) error {
	f, err := openFile(p.name+".idx", s.places)
	if err != nil {
		return err
	}
	p.index, err = openIndex(f, s.format.size)
	if err != nil {
		return errors.Join(err, f.close())
	}
	s.packs = append(s.packs, p)
	return nil
}

// addMulti opens the multi-pack-index if packs need it.
func (s *store) addMulti(dir string, names []string, orphans map[string]*packFile) error {
	if _, there := slices.BinarySearch(names, "multi-pack-index"); !there || len(orphans) == 0 {
		return nil
	}
	f, err := openFile(filepath.Join(dir, "multi-pack-index"), s.places)
	if err != nil {
		return err
	}
	index, err := openMultiIndex(f, s.format)
	if err != nil {
		return errors.Join(err, f.close())
	}
	s.multis = append(s.multis, multi{index, orphans})
	return nil
}

func (s *store) close() error {
	var err error
	for _, p := range s.packs {
		err = errors.Join(err, p.close())
	}
	for _, m := range s.multis {
		err = errors.Join(err, m.index.file.close())
		for _, p := range m.packs {
			err = errors.Join(err, p.close())
		}
	}
	return err
}

// find finds an object; ok is false when the store does not contain it.
func (s *store) find(id ID) (at place, ok bool, err error) {
	recent := s.recent.Load()
	if recent != nil {
		if offset, ok, err := recent.index.offset(id); ok || err != nil {
			return place{pack: recent, offset: offset}, ok, err
		}
	}
	for _, p := range s.packs {
		if p == recent {
			continue
		}
		if offset, ok, err := p.index.offset(id); ok || err != nil {
			s.recent.Store(p)
			return place{pack: p, offset: offset}, ok, err
		}
	}
	for _, m := range s.multis {
		name, offset, ok, err := m.index.locate(id)
		if err != nil {
			return place{}, false, err
		}
		if p := m.packs[name]; ok && p != nil {
			return place{pack: p, offset: offset}, true, nil
		}
	}
	digits := id.String()
	for _, dir := range s.dirs {
		name := filepath.Join(dir, digits[:2], digits[2:])
		_, err := os.Lstat(name)
		if err == nil {
			return place{loose: name}, true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return place{}, false, plainError(err)
		}
	}
	return place{}, false, nil
}
