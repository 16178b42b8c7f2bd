package fakehub

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a git repository that a test fills; the ids in it are the same in every run.
type Repo struct {
	T       testing.TB
	Dir     string
	Commits int    // made so far
	Email   string // of authors and committers; "" is the agent's
	// Committer is the address of committers; "" is Email.
	Committer string
}

// Git runs git in the repository.
func (r *Repo) Git(stdin string, args ...string) string {
	r.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.Dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_INDEX_FILE="+filepath.Join(r.Dir, "test-index"))
	email := cmp.Or(r.Email, "agent@example.com")
	for who, email := range map[string]string{"AUTHOR": email, "COMMITTER": cmp.Or(r.Committer, email)} {
		cmd.Env = append(cmd.Env, "GIT_"+who+"_NAME=Somebody", "GIT_"+who+"_EMAIL="+email,
			fmt.Sprintf("GIT_%s_DATE=%d +0000", who, 1_790_000_000+r.Commits))
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.T.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit makes a commit that contains exactly the given files, and lets a branch point to it. A content that begins with
// "link:", "exec:" or "sub:" makes a symlink, an executable or a submodule.
func (r *Repo) Commit(branch, message string, files map[string]string, parents ...string) string {
	r.T.Helper()
	r.Commits++
	ref := "refs/heads/" + cmp.Or(branch, "unnamed")
	in := &strings.Builder{}
	fmt.Fprintf(in, "commit %s\nmark :1\n", ref)
	when := 1_790_000_000 + r.Commits
	email := cmp.Or(r.Email, "agent@example.com")
	fmt.Fprintf(in, "author Somebody <%s> %d +0000\ncommitter Somebody <%s> %d +0000\ndata %d\n%s\n", email, when, cmp.Or(r.Committer, email), when, len(message)+1, message)
	for i, p := range parents {
		fmt.Fprintf(in, "%s %s\n", []string{"from", "merge"}[min(i, 1)], p)
	}
	in.WriteString("deleteall\n")
	for path, content := range files {
		mode := "100644"
		for prefix, m := range map[string]string{"link:": "120000", "exec:": "100755", "sub:": "160000"} {
			if rest, ok := strings.CutPrefix(content, prefix); ok {
				mode, content = m, rest
			}
		}
		if mode == "160000" {
			fmt.Fprintf(in, "M %s %s %q\n", mode, content, path)
		} else {
			fmt.Fprintf(in, "M %s inline %q\ndata %d\n%s\n", mode, path, len(content), content)
		}
	}
	if branch == "" {
		fmt.Fprintf(in, "reset %s\nfrom %s\n", ref, strings.Repeat("0", 40))
	}
	in.WriteString("get-mark :1\n")
	return r.Git(in.String(), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet", "--force")
}
