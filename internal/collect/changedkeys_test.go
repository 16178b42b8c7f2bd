package collect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/verify/change"
)

// TestFindKeys checks what the list of changes says about files with keys: a fact, nothing, or that any key may have changed.
func TestFindKeys(t *testing.T) {
	large := `{"x":"` + strings.Repeat("a", 5<<20) + `"}`
	var h history
	h.commit(1)
	h.put("100644", "package.json", `{"scripts":{"t":"x"},"version":"1"}`)
	h.put("100644", "broken/package.json", `{}`)
	h.put("100644", "large/package.json", `{}`)
	h.put("120000", "link/package.json", `{"version":"1"}`)
	h.put("100644", "mode/package.json", `{}`)
	h.put("100644", "gone/package.json", `{}`)
	h.put("100644", "pyproject.toml", "[project]\nversion = '1'\n")
	h.put("100644", "broken/pyproject.toml", "a = 1\n")
	h.put("100644", "large/pyproject.toml", "a = 1\n")
	h.put("100644", "other/Pyproject.toml", "a = 1\n")
	h.commit(2)
	h.put("100644", "package.json", `{"version":"2","scripts":{"t":"x"}}`)
	h.put("100644", "broken/package.json", `{"jest":{},"jest":{}}`)
	h.put("100644", "large/package.json", large)
	h.put("120000", "link/package.json", `{"version":"2"}`)
	h.put("100755", "mode/package.json", `{}`)
	fmt.Fprintln(&h, "D gone/package.json")
	h.put("100644", "new/package.json", `{"overrides":{}}`)
	h.put("100644", "new/broken/package.json", `{"jest":{},"jest":{}}`)
	h.put("100644", "new/large/package.json", large)
	h.put("120000", "new/link/package.json", `{}`)
	h.put("100644", "new/pyproject.toml", "a = 1\n")
	h.put("100644", "new/go.mod", "module m\n")
	h.put("100644", "pyproject.toml", "[project]\nversion = '2'\n[tool.x]\n")
	h.put("100644", "broken/pyproject.toml", "a = 1\na = 1\n")
	h.put("100644", "large/pyproject.toml", "a = 1\n#"+strings.Repeat("a", 128<<10))
	h.put("100644", "other/Pyproject.toml", "a = 2\n")
	dir, base, head := h.repository(t)
	compared := Compare(openTest(t, dir), base, head)
	got := map[string]string{}
	for _, c := range compared.Changes {
		if got[c.Path] = "nothing"; c.KeysKnown {
			got[c.Path] = strings.Join(c.KeysChanged, " ")
		}
	}
	for path, want := range map[string]string{
		"package.json": "version", "broken/package.json": "nothing", "large/package.json": "nothing", "link/package.json": "nothing",
		"mode/package.json": "nothing", "gone/package.json": "nothing", "new/package.json": "overrides",
		"new/broken/package.json": change.AnyKey, "new/large/package.json": change.AnyKey, "new/link/package.json": "nothing",
		"new/pyproject.toml": "a", "new/go.mod": "nothing", "pyproject.toml": "project.version tool.x",
		"broken/pyproject.toml": "nothing", "large/pyproject.toml": "nothing", "other/Pyproject.toml": "nothing",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	if len(compared.Unavailable) > 0 {
		t.Errorf("unavailable: %v", compared.Unavailable)
	}
}

// contents are objects that only give contents, and count how often they are asked.
type contents struct {
	Objects
	blobs map[string]string
	asked int
}

func (c *contents) Blob(id string, limit int64) ([]byte, error) {
	c.asked++
	if int64(len(c.blobs[id])) > limit {
		return nil, ErrTooLarge
	}
	return []byte(c.blobs[id]), nil
}

// TestKeyFinderEnds checks that a change cannot make the gate read without end: a content counts once, and all together are
// bounded.
func TestKeyFinderEnds(t *testing.T) {
	objects := &contents{blobs: map[string]string{}}
	f := &keyFinder{objects: objects}
	for range 1_000 {
		objects.blobs["same"] = `{"jest": 1}`
		if keys, err := f.between(keyedPair{"package.json", "", "same"}); err != nil || len(keys) != 1 {
			t.Fatal(keys, err)
		}
	}
	if objects.asked != 1 {
		t.Errorf("one content was read %d times", objects.asked)
	}
	refused := 0
	for i := range 200 {
		id := fmt.Sprint(i)
		objects.blobs[id] = "#" + id + strings.Repeat(" ", 100<<10)
		if _, err := f.between(keyedPair{"pyproject.toml", id, id}); errors.Is(err, ErrTooLarge) {
			refused++
		}
	}
	if most := 2 * int(maxKeyedCost/(16*100<<10)); refused == 0 || objects.asked > most+2 {
		t.Errorf("%d of 200 refused, %d contents were read, expected at most %d", refused, objects.asked, most)
	}
}
