package lint

import (
	"io/fs"
	"strings"

	"github.com/closeout-gate/closeout/verify/change"
)

// Texts is the input of a repository with these files and no others: path → content. Files that begin with #! are executable.
func Texts(files map[string]string) Input {
	in := Input{Read: func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}}
	in.Ignored = func(path string) (bool, error) {
		ignored := false
		for line := range strings.Lines(files[".gitignore"]) { // git itself answers in testdata/script/lint.txtar
			pattern := strings.Trim(strings.TrimSpace(line), "/")
			ignored = ignored || pattern == path || strings.HasPrefix(path, pattern+"/")
		}
		return ignored, nil
	}
	for path, text := range files {
		mode := change.Regular
		if strings.HasPrefix(text, "#!") {
			mode = change.Executable
		}
		in.Files = append(in.Files, File{path, mode})
	}
	return in
}
