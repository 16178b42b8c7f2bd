package pagetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// Digest is a sha256 that looks real and is always the same for a name.
func Digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

var update = flag.Bool("update", false, "update the golden files")

// Golden compares got with a file of testdata, or writes it.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; inspect it with -update and git diff. Got:\n%s", path, got)
	}
}

// FullDisk is a writer that writes nothing, and returns [ErrFull].
type FullDisk struct{}

// ErrFull is the error of a [FullDisk].
var ErrFull = errors.New("no space left")

// Write returns ErrFull.
func (FullDisk) Write([]byte) (int, error) { return 0, ErrFull }
