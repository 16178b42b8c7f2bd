package session

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Sync writes all files of a directory to the disk, and then the directories, so that an event may speak of them. The directories
// above it up to the state folder are synced as well.
func (s *Store) Sync(name string) error {
	var dirs []string
	err := filepath.WalkDir(s.Path(name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			dirs = append(dirs, path)
		case entry.Type().IsRegular():
			return syncOne(path)
		}
		return nil
	})
	for dir := filepath.Dir(s.Path(name)); err == nil && within(s.Dir, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range dirs {
		if err == nil {
			err = syncOne(dir)
		}
	}
	return err
}

func syncOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it is only read
	return f.Sync()
}
