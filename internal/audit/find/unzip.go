package find

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/verify/input"
)

// What an artifact may contain. The change's own workflow may have made it, so that any byte of it is hostile.
const (
	maxUnzipped = 256 << 20 // bytes of all files together
	maxNames    = archive.MaxFiles
)

// zipFile is a file of an artifact.
type zipFile struct {
	Path string
	Data []byte
}

// unzip reads the files of an artifact into memory, in their order. It accepts regular files under names that an archive can have,
// each once whatever its case, with at most a number of bytes together; every other zip is an error. No size that the zip claims is
// believed.
func unzip(data []byte, most int64) ([]zipFile, error) {
	if len(data) > github.MaxArtifact {
		return nil, fmt.Errorf("the artifact has more than %d bytes", github.MaxArtifact)
	}
	// The reader makes an entry for each header before it says how many there are.
	if bytes.Count(data, []byte("PK\x01\x02")) > 100*maxNames {
		return nil, errNames
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the artifact is not a zip: %w", err)
	case len(r.File) > maxNames:
		return nil, errNames
	}
	var files []zipFile
	names, left := map[string]bool{}, most
	for _, f := range r.File {
		dir, err := checkName(names, f)
		if err != nil {
			return nil, err
		}
		if dir {
			continue
		}
		content, err := inflate(f, left)
		if err != nil {
			return nil, fmt.Errorf("the file %q of the artifact cannot be read: %w", input.Clip(f.Name), err)
		}
		left -= int64(len(content))
		files = append(files, zipFile{f.Name, content})
	}
	return files, nil
}

var errNames = fmt.Errorf("the artifact contains more than %d names", maxNames)

// checkName refuses a name that leads out, that git or a file system could take for another, or that is there twice. names are
// those so far in lower case, with true for a file.
func checkName(names map[string]bool, f *zip.File) (dir bool, err error) {
	name, dir := strings.CutSuffix(f.Name, "/")
	if kind := f.Mode().Type(); kind != 0 && (kind != fs.ModeDir || !dir) {
		return dir, fmt.Errorf("%q in the artifact is not a regular file", input.Clip(f.Name))
	}
	if !archive.IsPath(name) || !fs.ValidPath(name) || strings.Contains(name, ":") {
		return dir, fmt.Errorf("the artifact contains the name %q: expected a path below it, without backslash, colon and names of git", input.Clip(f.Name))
	}
	folded := strings.ToLower(strings.ToUpper(name))
	isFile, there := names[folded]
	if there && (isFile || !dir) {
		return dir, fmt.Errorf("the artifact contains the name %q twice, in one case or two", input.Clip(f.Name))
	}
	names[folded] = !dir
	for i := range len(folded) {
		if folded[i] == '/' && names[folded[:i]] {
			return dir, fmt.Errorf("%q in the artifact is below a file", input.Clip(f.Name))
		} else if folded[i] == '/' {
			names[folded[:i]] = false
		}
	}
	return dir, nil
}

// inflate reads a file of at most a number of bytes. The reader checks its length and sum at the end.
func inflate(f *zip.File, most int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(content)) > most {
		err = errors.New("the files are too large together")
	}
	return content, err
}
