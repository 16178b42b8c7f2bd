package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// withPath is this process's environment with the PATH of a plan, for commands in the work tree at root. Without one it is unchanged.
func withPath(path []string, root string) []string {
	env := os.Environ()
	if path == nil {
		return env
	}
	var list []string
	for _, entry := range path {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(root, entry)
		}
		list = append(list, entry)
	}
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return append(env, "PATH="+strings.Join(list, string(filepath.ListSeparator)))
}
