package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Sync writes all files of a directory to the disk, and then the directories: they must be there before an event that names them. The
// directories above it up to the state folder are synced too. Several files are synced at a time, because a disk writes them together.
func (s *Store) Sync(name string) error {
	var files, dirs []string
	err := filepath.WalkDir(s.Path(name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			dirs = append(dirs, path)
		case entry.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	})
	for dir := filepath.Dir(s.Path(name)); err == nil && within(s.Dir, dir); dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, list := range [][]string{files, dirs} {
		if err == nil {
			err = syncEach(list)
		}
	}
	return err
}

// syncEach syncs several files at a time.
func syncEach(list []string) error {
	errs, free := make([]error, len(list)), make(chan bool, 16)
	var all sync.WaitGroup
	for i, name := range list {
		free <- true
		all.Go(func() {
			errs[i] = syncOne(name)
			<-free
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func syncOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it is only read
	return f.Sync()
}
