package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stepVariables speak for the step of the workflow: who has them can set its outputs and the environment of later steps,
// or ask for tokens in its name.
var stepVariables = []string{
	"GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "ACTIONS_RUNTIME_TOKEN",
}

// tokenPrefix begins the names of more of them.
const tokenPrefix = "ACTIONS_ID_TOKEN_REQUEST_"

// ChildEnv is the environment that a recorded command gets: the caller's without what speaks for the step, and without
// variables of git, which could turn a command to another repository. That raises the bar and no more: the command is the
// same user on the same machine.
func ChildEnv(env []string) []string {
	return slices.DeleteFunc(withoutStep(env), func(variable string) bool { return strings.HasPrefix(variable, "GIT_") })
}

// withoutStep removes what speaks for the step.
func withoutStep(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(stepVariables, name) || strings.HasPrefix(name, tokenPrefix)
	})
}

// lookEnv returns the value of a variable, "" when it is not there. The last one counts, as for os/exec.
func lookEnv(env []string, name string) string {
	for _, variable := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// lookPath finds a program as execvp does: a name without a slash is looked for along PATH, whose relative folders are
// relative to the folder that the command will run in. It returns "" when there is none. A name that leads into the work
// tree is an error: the change under test could have planted the program, and a contract that says go means the
// machine's go. Who wants a program of the repository names it with its path.
func lookPath(name, root, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, folder := range filepath.SplitList(lookEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder) // an empty one is the current folder
		}
		path := filepath.Join(folder, name)
		if !executable(path) {
			continue
		}
		planted, err := leadsInto(path, root)
		if err != nil {
			return "", err
		}
		if planted {
			return "", fmt.Errorf("%q is found in the work tree through PATH, as %q: name it with its path if that is what you mean, or take the folder out of PATH", name, path)
		}
		return path, nil
	}
	return "", nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// leadsInto reports whether a path lies below the root, or is a link to something that does.
func leadsInto(path, root string) (bool, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false, err
	}
	return below(root, folder) || below(root, target), nil
}

// below reports whether a path is the root or lies below it. Both are absolute and without symlinks.
func below(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// Find returns the root of the repository that encloses a folder, without symlinks: the nearest folder above that holds
// .git. It is an error of the kind fs.ErrNotExist when there is none.
func Find(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%q lies in no git repository: %w", dir, fs.ErrNotExist)
		}
	}
}
