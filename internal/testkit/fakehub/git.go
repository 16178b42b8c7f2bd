package fakehub

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// git runs git in the repository; "" when it fails, which means that the thing is not there.
func (h *Hub) git(args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", h.Dir, "-c", "safe.directory=*"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// answers are what git said about things that are named by their ids, in any repository: that never changes.
var answers sync.Map

// fixed is git for arguments that name nothing but ids.
func (h *Hub) fixed(args ...string) string {
	key := strings.Join(args, " ")
	if known, ok := answers.Load(key); ok {
		return known.(string)
	}
	text := h.git(args...)
	if text != "" { // the thing may be there in another repository
		answers.Store(key, text)
	}
	return text
}

// names is a git that stays to say what names mean: most requests ask for several, and each process costs more than its answer.
type names struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func (h *Hub) startNames() error {
	n := &names{process: exec.Command("git", "-C", h.Dir, "-c", "safe.directory=*", "cat-file", "--batch-check=%(objectname) %(objecttype)")}
	out, err := n.process.StdoutPipe()
	if err != nil {
		return err
	}
	if n.in, err = n.process.StdinPipe(); err != nil {
		return err
	}
	n.out, h.names = bufio.NewReader(out), n
	return n.process.Start()
}

// Close ends what the hub started.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names != nil {
		_ = h.names.in.Close()
		_ = h.names.process.Wait()
		h.names = nil
	}
}

// object is the id and the type of the object that a name means now; "" for none.
func (h *Hub) object(name string) (id, kind string) {
	if h.names == nil {
		if err := h.startNames(); err != nil {
			panic(err) // a test without git has skipped itself
		}
	}
	if strings.Contains(name, "\n") {
		return "", ""
	}
	fmt.Fprintln(h.names.in, name)
	answer, err := h.names.out.ReadString('\n')
	if err != nil {
		panic(err)
	}
	answer = strings.TrimSuffix(answer, "\n")
	if id, kind, _ = strings.Cut(answer, " "); answer == name+" missing" || answer == name+" ambiguous" {
		return "", ""
	}
	return id, kind
}

// commitID is the commit that a name means; "" for none.
func (h *Hub) commitID(name string) string {
	id, _ := h.object(name + "^{commit}")
	return id
}

func (h *Hub) ref(w http.ResponseWriter, r *http.Request) {
	ref := "refs/" + r.PathValue("ref")
	id, _ := h.object(ref)
	if id == "" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	reply(w, http.StatusOK, map[string]any{"ref": ref, "object": map[string]any{"type": "commit", "sha": id}})
}

func (h *Hub) branch(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("branch")
	id := h.commitID("refs/heads/" + name)
	if id == "" {
		refuse(w, http.StatusNotFound, "Branch not found")
		return
	}
	reply(w, http.StatusOK, map[string]any{"name": name, "commit": h.commit(id), "protected": false})
}

// commitFormat gives tree, parents, the two addresses and the message.
const commitFormat = "--format=%x01%T%x00%P%x00%ae%x00%ce%x00%B"

// list shows commits as pulls/N/commits and compare do; one run of git for all.
func (h *Hub) list(ids []string) []map[string]any {
	shown := []map[string]any{}
	if len(ids) == 0 {
		return shown
	}
	texts := strings.Split(h.fixed(append([]string{"show", "-s", commitFormat}, ids...)...), "\x01")[1:]
	for i, text := range texts {
		f := strings.Split(strings.TrimSuffix(text, "\n"), "\x00")
		c := shape("rest.pr-commits.default")
		c["sha"], c["author"], c["committer"], c["parents"] = ids[i], h.accountOf(f[2]), h.accountOf(f[3]), parents(f[1])
		inner := c["commit"].(map[string]any)
		if h.isVerified(ids[i]) {
			inner["verification"] = map[string]any{"verified": true, "reason": "valid"}
		}
		inner["author"], inner["committer"] = address(f[2]), address(f[3])
		inner["message"], inner["tree"] = strings.TrimSuffix(f[4], "\n"), map[string]any{"sha": f[0]}
		shown = append(shown, c)
	}
	return shown
}

func (h *Hub) isVerified(id string) bool {
	return slices.ContainsFunc(h.Verified, func(name string) bool { return h.commitID(name) == id })
}

func address(email string) map[string]any {
	return map[string]any{"name": "Somebody", "email": email, "date": someTime}
}

func (h *Hub) commit(id string) map[string]any { return h.list([]string{id})[0] }

func parents(ids string) []map[string]any {
	list := []map[string]any{}
	for id := range strings.FieldsSeq(ids) {
		list = append(list, map[string]any{"sha": id})
	}
	return list
}

func (h *Hub) compare(w http.ResponseWriter, r *http.Request) {
	base, head, _ := strings.Cut(r.PathValue("range"), "...")
	from, to := h.commitID(base), h.commitID(head)
	if from == "" || to == "" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	common := strings.TrimSpace(h.fixed("merge-base", from, to))
	if common == "" {
		refuse(w, http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
		return
	}
	ids := strings.Fields(h.fixed("rev-list", "--reverse", "--topo-order", from+".."+to))
	size, at := min(number(r, "per_page", 250), 250), number(r, "page", 1)
	link(w, r, at, (len(ids)+size-1)/size)
	commits := h.list(ids[min((at-1)*size, len(ids)):min(at*size, len(ids))])
	reply(w, http.StatusOK, map[string]any{
		"base_commit": h.commit(from), "merge_base_commit": h.commit(common), "status": "diverged",
		"total_commits": len(ids), "commits": commits, "files": []any{},
	})
}
