package session

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFollowed follows links as the system does, also before ".." and to what is not there.
func TestFollowed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"to_abs": dir + "/deep/er", "gone": "no/where", "loop": "loop", "up": "..", "chain": "to_abs"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a/b": "a/b", "to_abs/x": "deep/er/x", "to_abs/../x": "deep/x", "gone": "no/where", "gone/x": "no/where/x", "chain/y": "deep/er/y",
		"loop/x": "loop/x", "./a//b/": "a/b", "up/" + filepath.Base(dir) + "/z": "z",
	} {
		if got := Followed(dir + "/" + path); got != filepath.Join(dir, want) {
			t.Errorf("%s leads to %s, expected %s", path, got, want)
		}
	}
}
