package fakehub

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// Commit makes a commit that contains exactly the given files, and lets a branch point to it, unless that is "". A content that begins
// with "link:", "exec:" or "sub:" makes a symlink, an executable or a submodule. The objects are written without git, whose start
// costs more than they do.
func (r *Repo) Commit(branch, message string, files map[string]string, parents ...string) string {
	r.T.Helper()
	r.Commits++
	text := &strings.Builder{}
	fmt.Fprintf(text, "tree %s\n", r.tree(files))
	for _, p := range parents {
		if id, err := hex.DecodeString(p); err != nil || len(id) != sha1.Size {
			r.T.Fatalf("the parent %q is no whole id", p)
		}
		fmt.Fprintf(text, "parent %s\n", p)
	}
	when, email := 1_790_000_000+r.Commits, cmp.Or(r.Email, "agent@example.com")
	fmt.Fprintf(text, "author Somebody <%s> %d +0000\ncommitter Somebody <%s> %d +0000\n\n%s\n", email, when, cmp.Or(r.Committer, email), when, message)
	id := r.object("commit", text.String())
	if branch != "" {
		r.write("refs/heads/"+branch, []byte(id+"\n"))
	}
	return id
}

// tree makes the tree of some files.
func (r *Repo) tree(files map[string]string) (id string) {
	r.T.Helper()
	below := map[string]map[string]string{}
	entries := map[string]string{} // by what git sorts them by
	add := func(key, mode, name, id string) {
		raw, err := hex.DecodeString(id)
		if err != nil {
			r.T.Fatalf("%q has the id %q", name, id)
		}
		entries[key] = mode + " " + name + "\x00" + string(raw)
	}
	for path, content := range files {
		if dir, rest, ok := strings.Cut(path, "/"); ok {
			if below[dir] == nil {
				below[dir] = map[string]string{}
			}
			below[dir][rest] = content
			continue
		}
		kind, text, ok := strings.Cut(content, ":")
		if !ok {
			kind = ""
		}
		switch kind {
		case "sub":
			add(path, "160000", path, text)
		case "link":
			add(path, "120000", path, r.object("blob", text))
		case "exec":
			add(path, "100755", path, r.object("blob", text))
		default:
			add(path, "100644", path, r.object("blob", content))
		}
	}
	for dir, files := range below {
		add(dir+"/", "40000", dir, r.tree(files))
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		text.WriteString(entries[key])
	}
	return r.object("tree", text.String())
}

// object writes an object.
func (r *Repo) object(kind, content string) (id string) {
	r.T.Helper()
	content = fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	sum := sha1.Sum([]byte(content))
	id = hex.EncodeToString(sum[:])
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.NoCompression)
	if err != nil {
		r.T.Fatalf("%v", err)
	}
	_, err = io.WriteString(z, content)
	if err = errors.Join(err, z.Close()); err != nil {
		r.T.Fatalf("%v", err)
	}
	r.write("objects/"+id[:2]+"/"+id[2:], packed.Bytes())
	return id
}

// write writes a file of the git directory.
func (r *Repo) write(name string, data []byte) {
	r.T.Helper()
	path := filepath.Join(r.Dir, ".git", name)
	if _, err := os.Stat(filepath.Join(r.Dir, ".git")); err != nil {
		path = filepath.Join(r.Dir, name)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
		r.T.Fatalf("%v", err)
	}
}
