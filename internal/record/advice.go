package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/input"
)

// scriptPlaces are the directories of a repository where scripts usually are.
var scriptPlaces = []string{".", "scripts", "script", "bin", "tools", "ci", ".ci", "hack", "test", "tests"}

// shellWords are commands that only a shell has.
var shellWords = []string{"cd", "export", "source", "alias", "eval", "set", "unset", "if", "for", "while"}

// notInPath says that PATH has no program of a name, and what was most likely meant.
func (r *Recorder) notInPath(c Command) string {
	name := c.Argv[0]
	problem := fmt.Sprintf("there is no program %s in PATH", input.Quote(name))
	words := strings.Fields(name)
	switch variable, _, assigns := strings.Cut(name, "="); {
	case slices.Contains(shellWords, name), len(words) > 1 && len(c.Argv) == 1 && strings.ContainsAny(name, "|&;<>$`"):
		return problem + ": it is for a shell: write bash -c '" + input.Clip(strings.Join(c.Argv, " ")) + "'"
	case assigns && variable != "" && len(words) == 1 && len(c.Argv) > 1:
		return problem + ": write env " + input.Clip(strings.Join(c.Argv, " "))
	}
	if len(words) > 1 && len(c.Argv) == 1 {
		return problem + ": write each word by itself: " + input.Clip(strings.Join(words, " "))
	}
	if found := r.script(c.Cwd, name); found != "" {
		return problem + ": write " + found
	}
	return problem
}

// notStarted says why a program could not be started, and what to do.
func (r *Recorder) notStarted(c Command, err error) string {
	problem := "the command could not be started: " + reason(err).Error()
	name := c.Argv[0]
	info, statErr := os.Stat(filepath.Join(r.dir(c.Cwd), filepath.FromSlash(name)))
	inTree := strings.Contains(name, "/") && !filepath.IsAbs(name)
	switch {
	case !inTree:
	case statErr == nil && errors.Is(err, fs.ErrPermission) && info.Mode().IsRegular():
		file := input.QuotePath(path.Clean(name))
		return problem + ": make it executable: chmod +x " + file + "; git update-index --chmod=+x " + file
	case statErr == nil && errors.Is(err, fs.ErrNotExist):
		return problem + ": the interpreter that the first line of " + input.QuotePath(name) + " names does not exist"
	case errors.Is(statErr, fs.ErrNotExist):
		if words := strings.Fields(name); len(words) > 1 && len(c.Argv) == 1 {
			return problem + ": write each word by itself: " + input.Clip(strings.Join(words, " "))
		}
		if found := r.script(c.Cwd, path.Base(name)); found != "" {
			return problem + ": there is " + found
		}
	}
	return problem
}

// script finds a file of the work tree by its name, in the directory of the command and where scripts usually are; "" when
// there is none. Symlinks are not followed.
func (r *Recorder) script(cwd, name string) string {
	if strings.ContainsAny(name, "/") {
		return ""
	}
	for _, dir := range scriptPlaces {
		at := path.Join(dir, name)
		if info, err := os.Lstat(filepath.Join(r.dir(cwd), filepath.FromSlash(at))); err == nil && info.Mode().IsRegular() {
			return input.QuotePath("./" + at)
		}
	}
	return ""
}
