package loop

import (
	"io"
	"os"
)

// tailFile keeps the end of what is written to it. It never fails a writer: err is the first error.
type tailFile struct {
	file *os.File
	size int64
	most int64
	cut  bool // the start is not in the file any more
	err  error
}

// createTail creates a file, in place of an older one.
func createTail(name string, most int64) (*tailFile, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	return &tailFile{file: f, most: most}, err
}

func (t *tailFile) Write(p []byte) (int, error) {
	if t.err == nil && t.size+int64(len(p)) > t.most {
		t.err = t.dropStart()
	}
	if t.err == nil {
		_, t.err = t.file.WriteAt(p, t.size)
		t.size += int64(len(p))
	}
	return len(p), nil
}

// dropStart leaves the end of the file, half of what may be kept, so that not every write moves it.
func (t *tailFile) dropStart() error {
	kept := min(t.most/2, t.size)
	_, err := io.Copy(io.NewOffsetWriter(t.file, 0), io.NewSectionReader(t.file, t.size-kept, kept))
	if err == nil {
		err = t.file.Truncate(kept)
	}
	t.size, t.cut = kept, true
	return err
}

// read returns what was kept.
func (t *tailFile) read() ([]byte, error) {
	data := make([]byte, t.size)
	_, err := io.ReadFull(io.NewSectionReader(t.file, 0, t.size), data)
	return data, err
}
