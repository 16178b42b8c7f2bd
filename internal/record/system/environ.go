package system

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// StepVariables give access to the workflow step: they allow to set its outputs and the environment of later steps, and to
// request tokens in its name.
var StepVariables = []string{
	"GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "ACTIONS_RUNTIME_TOKEN",
}

// tokenPrefix begins the names of more of them.
const tokenPrefix = "ACTIONS_ID_TOKEN_REQUEST_"

// ChildEnv is the environment of a recorded command: that of the caller without access to the step, and without variables of
// git, which could redirect a command to another repository. This only raises the bar: the command runs as the same user on
// the same machine.
func ChildEnv(env []string) []string {
	return slices.DeleteFunc(WithoutStep(env), func(variable string) bool { return strings.HasPrefix(variable, "GIT_") })
}

// WithoutStep removes the variables that give access to the step.
func WithoutStep(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(StepVariables, name) || strings.HasPrefix(name, tokenPrefix)
	})
}

// LookEnv returns the value of a variable, "" when it is missing. The last one counts, as in os/exec.
func LookEnv(env []string, name string) string {
	for _, variable := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// LookPath finds a program like execvp: it searches PATH for a name without a slash, and relative directories in PATH are
// relative to the directory that the command will run in. It returns "" when there is none. A program in the work tree is an
// error: the change under test could have planted it, and a contract that says go means that of the machine. A program of
// the repository must be named with its path.
func LookPath(name, root, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, searched := range filepath.SplitList(LookEnv(env, "PATH")) {
		if !filepath.IsAbs(searched) {
			searched = filepath.Join(dir, searched) // an empty one is the current directory
		}
		path := filepath.Join(searched, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		planted, err := InTree(root, path)
		if err != nil {
			return "", err
		}
		if planted {
			return "", fmt.Errorf("PATH finds %q in the work tree, as %q: name it with its path if you want to run it, or take the directory out of PATH", name, path)
		}
		return path, nil
	}
	return "", nil
}

// InTree reports whether a program is in the work tree: by its own path, as the target of a link, or by a link to a directory that is
// followed on the way, since the change can turn any of them. The path is absolute, and root is without symlinks.
func InTree(root, path string) (bool, error) {
	at := filepath.VolumeName(path) + string(filepath.Separator)
	rest := split(path[len(filepath.VolumeName(path)):])
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		rest = rest[1:]
		if next != root && Below(root, next) {
			return true, nil
		}
		info, err := os.Lstat(next)
		if err != nil {
			return false, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > 255 {
			return false, errors.Join(fmt.Errorf("the link %q cannot be followed", next), err)
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(filepath.VolumeName(target)):]
		}
		rest = append(split(target), rest...)
	}
	return false, nil
}

// split are the names of a path. ".." stays: it is the parent of what a link leads to.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
}

// Below reports whether a path is the root or below it. Both are absolute and without symlinks.
func Below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
