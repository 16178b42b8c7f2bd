package archive

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"

	"github.com/closeout-gate/closeout/verify/input"
)

// author made each commit of an archive: the same input gives the same commit.
const author = "closeout archive <closeout@archive.invalid>"

// readme is the README.md of an archive.
//
//go:embed readme.md
var readme []byte

// stream writes one commit for git fast-import.
type stream struct{ w *bufio.Writer }

// newStream begins the commit. The first one has no parent, which is "".
func newStream(w io.Writer, parent string, date int64, message string) *stream {
	s := &stream{bufio.NewWriterSize(w, 64<<10)}
	s.line("feature done")
	s.line("commit " + Ref)
	s.line(fmt.Sprintf("committer %s %d +0000", author, date))
	s.data([]byte(message + "\n"))
	if parent == "" {
		s.file(ReadmeFile, readme)
	} else {
		s.line("from " + parent)
	}
	return s
}

// The writer keeps its first error, which end returns.

func (s *stream) line(text string) {
	_, _ = s.w.WriteString(text)
	_ = s.w.WriteByte('\n')
}

func (s *stream) data(content []byte) {
	s.line(fmt.Sprintf("data %d", len(content)))
	_, _ = s.w.Write(content)
	_ = s.w.WriteByte('\n')
}

// file adds a file, or replaces it.
func (s *stream) file(path string, content []byte) {
	s.line("M 100644 inline " + input.QuotePath(path))
	s.data(content)
}

// entry adds entry.json. What cannot be read again is not written.
func (s *stream) entry(e *Entry) error {
	data, err := e.Marshal()
	if err != nil {
		return err
	}
	if _, errs := ReadEntry(data); errs.Any() {
		first := errs.All()[0]
		return fmt.Errorf("it would be no entry: %s; found %s, expected %s", first.Message, first.Found, first.Expected)
	}
	s.file(e.Dir()+"/"+EntryFile, data)
	return nil
}

// end writes the state, and ends the stream. What only older versions wrote goes.
func (s *stream) end(state State) error {
	if state.Root != "" {
		s.line("D " + CheckpointFile)
		s.file(ReadmeFile, readme)
	}
	state.Schema, state.Root, state.Hashes = StateSchema, "", nil
	data, err := state.Marshal()
	if err != nil {
		return err
	}
	s.file(StateFile, data)
	s.line("done")
	return s.w.Flush()
}
