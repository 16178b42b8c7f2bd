package find

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/github"
)

// zipped makes a zip of names and contents in turn.
func zipped(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.Create(pairs[i])
		if err == nil && pairs[i+1] != "" {
			_, err = io.WriteString(f, pairs[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// moded makes a zip of one file of a mode.
func moded(t *testing.T, name string, mode fs.FileMode, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode)
	f, err := w.CreateHeader(h)
	if err == nil && content != "" && !strings.HasSuffix(name, "/") {
		_, err = io.WriteString(f, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func manyNames(t *testing.T, n int) []byte {
	t.Helper()
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("tests/%d", i), "")
	}
	return zipped(t, pairs...)
}

// bomb is a zip of some files of zeros.
func bomb(t *testing.T, sizes ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i, size := range sizes {
		f, err := w.Create(fmt.Sprint(i))
		if err == nil {
			_, err = io.CopyN(f, zeros{}, int64(size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestUnzip(t *testing.T) {
	honest := zipped(t, "facts.json", "{}", "feedback/001.jsonl", "a", "tests/.closeout/evidence/junit.xml", "<x/>", "feedback/", "")
	files, err := unzip(honest, 8)
	if err != nil || len(files) != 3 || files[1].Path != "feedback/001.jsonl" || string(files[1].Data) != "a" {
		t.Fatalf("got %v, %v", files, err)
	}
	if files, err := unzip(manyNames(t, maxNames), 0); err != nil || len(files) != maxNames {
		t.Errorf("%d names: %d, %v", maxNames, len(files), err)
	}
	if files, err := unzip(bomb(t, 200<<10, 56<<10), 256<<10); err != nil || len(files) != 2 {
		t.Errorf("256 KiB of 256: %v", err)
	}
	lying := bytes.Clone(honest)
	at := bytes.Index(lying, []byte("PK\x01\x02"))
	sum := bytes.Clone(honest)
	sum[at+16] ^= 1
	copy(lying[at+24:], []byte{0xff, 0xff, 0xff, 0x0f}) // the size that the directory claims
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":            {nil, "not a zip"},
		"a text":             {[]byte("PK\x03\x04 no zip"), "not a zip"},
		"cut off":            {honest[:len(honest)-30], "not a zip"},
		"too large":          {make([]byte, github.MaxArtifact+1), "more than 67108864 bytes"},
		"leads out":          {zipped(t, "../x", ""), `the name "../x"`},
		"leads out inside":   {zipped(t, "a/../../x", ""), "the name"},
		"leads out, folder":  {zipped(t, "../", ""), "the name"},
		"absolute":           {zipped(t, "/etc/passwd", ""), "the name"},
		"a drive":            {zipped(t, "C:/x", ""), "the name"},
		"a backslash":        {zipped(t, `..\x`, ""), "the name"},
		"a dot":              {zipped(t, "./x", ""), "the name"},
		"two slashes":        {zipped(t, "a//x", ""), "the name"},
		"empty":              {zipped(t, "", ""), "the name"},
		"a control":          {zipped(t, "a\nb", ""), "the name"},
		"not UTF-8":          {zipped(t, "a\xff", ""), "the name"},
		"git's own":          {zipped(t, "tests/.GIT/config", ""), "the name"},
		"a symlink":          {moded(t, "facts.json", fs.ModeSymlink|0o777, "/etc/passwd"), "not a regular file"},
		"a device":           {moded(t, "facts.json", fs.ModeDevice|0o600, ""), "not a regular file"},
		"a symlink to a dir": {moded(t, "feedback/", fs.ModeSymlink|0o777, "/etc"), "not a regular file"},
		"twice":              {zipped(t, "facts.json", "{}", "facts.json", "[]"), "twice"},
		"twice in two cases": {zipped(t, "facts.json", "{}", "Facts.json", "[]"), "twice"},
		"dirs in two cases":  {zipped(t, "a/x", "", "A", ""), "twice"},
		"a long s":           {zipped(t, "facts.json", "{}", "fact\u017f.json", "[]"), "twice"},
		"below a file":       {zipped(t, "feedback", "", "feedback/001.jsonl", ""), "below a file"},
		"a file above":       {zipped(t, "feedback/001.jsonl", "", "feedback", ""), "twice"},
		"1,001 names":        {manyNames(t, maxNames+1), "more than 1000 names"},
		"70,000 names":       {manyNames(t, 70_000), "more than 1000 names"},
		"a million names":    {bytes.Repeat([]byte("PK\x01\x02"), 1_000_000), "more than 1000 names"},
		"a bomb":             {bomb(t, 100<<20), "too large together"},
		"two halves":         {bomb(t, 200<<10, 57<<10), "too large together"},
		"a wrong sum":        {sum, "checksum"},
		"a lie about a size": {lying, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := unzip(c.data, 256<<10)
			if err == nil || !strings.Contains(err.Error(), c.want) || files != nil {
				t.Errorf("got %d files, %v; expected %q", len(files), err, c.want)
			}
		})
	}
}

// FuzzUnzip wants names that an archive can have, whatever the zip.
func FuzzUnzip(f *testing.F) {
	f.Add(zipped(f, "facts.json", "{}", "feedback/001.jsonl", "a"))
	f.Add(zipped(f, "a", "b", "A", "c"))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := unzip(data, 1<<20)
		seen := map[string]bool{}
		for _, file := range files {
			folded := strings.ToLower(file.Path)
			if err != nil || !archive.IsPath(file.Path) || seen[folded] {
				t.Fatalf("%q, %v", file.Path, err)
			}
			seen[folded] = true
		}
	})
}
