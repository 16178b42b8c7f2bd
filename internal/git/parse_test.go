package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const idA, idB = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"

// TestParseCommit checks which commits are valid.
func TestParseCommit(t *testing.T) {
	const author = "author A <a> 1 +0000\n"
	const committer = "committer C <c> 2 +0000\n"
	for _, c := range []struct{ text, want string }{
		{"tree " + idA + "\n" + author + committer + "\nm", ""},
		{"tree " + idA + "\nparent " + idB + "\nparent " + idA + "\n" + author + committer + "\nm", ""},
		{"tree " + idA + "\n" + author + committer, ""},
		{"", "its tree"},
		{"tree " + idA, "its tree"},
		{"tree " + idA[1:] + "\n" + author + committer, "its tree"},
		{"tree " + idA + "x\n" + author + committer, "its tree"},
		{"tree " + strings.Repeat("0", 40) + "\n" + author + committer, "its tree"},
		{"Tree " + idA + "\n" + author + committer, "its tree"},
		{"parent " + idB + "\ntree " + idA + "\n" + author + committer, "its tree"},
		{"tree " + idA + "\nparent " + idB[1:] + "\n" + author + committer, "parent"},
		{"tree " + idA + "\nparent x\n" + author + committer, "parent"},
		{"tree " + idA + "\ntree " + idB + "\n" + author + committer, "no author"},
		{"tree " + idA + "\n" + committer + author, "no author"},
		{"tree " + idA + "\n" + author + "\nm", "no committer"},
		{"tree " + idA + "\n" + author + "parent " + idB + "\n" + committer, "no committer"},
	} {
		info, err := parseCommit([]byte(c.text), 20)
		if c.want == "" && (err != nil || info.Tree.String() != idA) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %+v %v, want %q", c.text, info, err, c.want)
		}
	}
	info, _ := parseCommit([]byte("tree "+idA+"\nparent "+idB+"\nparent "+idA+"\n"+author+committer), 20)
	if fmt.Sprint(info.Parents) != "["+idB+" "+idA+"]" {
		t.Error(info.Parents)
	}
}

// TestCommitTexts checks what a commit says about itself, also a hostile one.
func TestCommitTexts(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ author, rest, wantAuthor, wantSubject string }{
		{"A B <a@b> 1 +0000", "\nsubject\n\nbody", "A B", "subject"},
		{"A B <a@b> 1 +0000", "gpgsig -----BEGIN\n \n x\n -----END\n\nsigned", "A B", "signed"},
		{"<a@b> 1 +0000", "\n\nafter an empty line", "", ""},
		{" 1 +0000", "", "1 +0000", ""},
		{"\x1b[31m\xff <<a> 1 +0000", "\n\x1b[31m\r\xff\n", "\x1b[31m\xff", "\x1b[31m\r\xff"},
		{long + " <a> 1 +0000", "\n" + long, long[:maxText], long[:maxText]},
	} {
		info, err := parseCommit([]byte("tree "+idA+"\nauthor "+c.author+"\ncommitter C <c> 2 +0000\n"+c.rest), 20)
		if err != nil || info.Author != c.wantAuthor || info.Subject != c.wantSubject {
			t.Errorf("%.50q: got %.50q, %.50q, %v", c.author+c.rest, info.Author, info.Subject, err)
		}
	}
}

// TestConfig checks the syntax of the configuration.
func TestConfig(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"[a]b=c":                                "a.b=c",
		"[a]\n\tb = c\n[d]\n\te = f\n":          "a.b=c d.e=f",
		"\uFEFF[a]\nb=c":                        "a.b=c",
		"[A \"B c\\\"d\"]\nE = F":               `a.B c"d.e=F`,
		"[a.B]\nc = d":                          "a.b.c=d",
		"# [x]\n; y\n[a] # z\nb = c # d\n":      "a.b=c",
		"[a]\nb\nc # d":                         "a.b=true a.c=true",
		"[a]\nb = \"c # d\" ; e":                "a.b=c # d",
		"[a]\nb = c \\\n  d":                    "a.b=c   d",
		"[a]\nb = c\\td\\\\e\\\"":               "a.b=c\td\\e\"",
		"[a]\r\nb = c\r\n":                      "a.b=c",
		"[a]\nb =":                              "a.b=",
		"[a]\nb = \" c \"":                      "a.b= c ",
		"[a]\nb = c d ":                         "a.b=c d",
		"[extensions]\nobjectFormat = sha256\n": "extensions.objectformat=sha256",
		"[ a]":                                  "error",
		"[]":                                    "error",
		"[a":                                    "error",
		"[a \"b]\nc=d":                          "error",
		"[a]\nb = \"c\nd":                       "error",
		"[a]\nb = \\x":                          "error",
		"[a]\n_b = c":                           "error",
		"[a]\nb c":                              "error",
		"b = c":                                 "error",
		"[a]\nb = \"c":                          "error",
		"[a]\nb = c\n[extensions\nobjectformat=x": "error",
	} {
		settings, err := parseConfig(text)
		words := []string{}
		for _, s := range settings {
			words = append(words, s.section+"."+s.key+"="+s.value)
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
}

// TestDeltas checks valid and malformed deltas.
func TestDeltas(t *testing.T) {
	base := []byte("0123456789")
	for _, c := range []struct{ delta, want string }{
		{"\x0a\x03\x90\x03", "012"},
		{"\x0a\x03\x91\x07\x03", "789"},
		{"\x0a\x05\x91\x07\x03\x02ab", "789ab"},
		{"\x0a\x00", ""},
		{"\x0b\x03\x90\x03", "error: another size"},
		{"\x0a\x03\x91\x08\x03", "error: malformed"}, // beyond the base
		{"\x0a\x02\x90\x03", "error: malformed"},     // more than its header says
		{"\x0a\x04\x90\x03", "error: shorter"},
		{"\x0a\x01\x00", "error: malformed"},
		{"\x0a\x03\x03ab", "error: malformed"},
		{"\x0a\x03\x91", "error: malformed"},
		{"\x0a\x03\x80", "error: malformed"}, // 64 KiB
		{"\x0a\xff\xff\x7f\x90\x03", "error: the limit"},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "error: malformed"},
		{"\x0a", "error: malformed"},
		{"", "error: malformed"},
		{"\x0a\x03\xff\xff\xff\xff\xff\xff\xff\xff", "error: malformed"},
	} {
		got, err := applyDelta(base, []byte(c.delta), 1000)
		want, wrong := strings.CutPrefix(c.want, "error: ")
		if wrong && (err == nil || !strings.Contains(err.Error(), want)) || !wrong && (err != nil || string(got) != want) {
			t.Errorf("%q: %q %v, want %q", c.delta, got, err, c.want)
		}
	}
	long := bytes.Repeat([]byte("x"), 1<<16+5)
	delta := append(append(varint(len(long)), varint(1<<16)...), 0x80)
	if got, err := applyDelta(long, delta, 1<<20); err != nil || len(got) != 1<<16 {
		t.Errorf("a size of 0 means 65536: %d %v", len(got), err)
	}
}

// TestLooseObjects checks the header, the size and the compressed data of loose objects.
func TestLooseObjects(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"blob 3\x00abc", ""},
		{"blob 0\x00", ""},
		{"blob 3\x00abcd", "longer than its header says"},
		{"blob 3\x00ab", "shorter than its header says"},
		{"blob 03\x00abc", "malformed"},
		{"blob -3\x00abc", "malformed"},
		{"blob +3\x00abc", "malformed"},
		{"blob 3", "malformed"},
		{"blob  3\x00abc", "malformed"},
		{"blub 3\x00abc", "malformed"},
		{"object 3\x00abc", "malformed"},
		{"blob\x00", "malformed"},
		{"blob " + strings.Repeat("9", 40) + "\x00", "malformed"},
		{"blob 1001\x00" + strings.Repeat("x", 1001), "more than 1000 bytes"},
		{"", "malformed"},
	} {
		found, err := parseLoose(ID{}, deflate([]byte(c.text)), limits{blob: 1000})
		if c.want == "" && (err != nil || string(found.content) != c.text[7:]) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %q %v, want %q", c.text, found.content, err, c.want)
		}
	}
	stream := deflate([]byte("blob 3\x00abc"))
	for _, bad := range [][]byte{nil, {0x78}, append([]byte{0x79}, stream[1:]...), append([]byte{0x78, 0xbb}, stream[2:]...), stream[:len(stream)-6]} {
		if _, err := parseLoose(ID{}, bad, limits{blob: 1000}); err == nil {
			t.Errorf("%x: no error", bad)
		}
	}
}

// shattered is the beginning of two files of one SHA-1 (https://shattered.io, 2017): 192 bytes that are equal, then the
// two blocks in which they differ.
var shattered = func() [2][]byte {
	const prefix = "255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f547970652034203020522f" +
		"537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f4c656e6774682038203020522f42697473506572" +
		"436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01"
	return [2][]byte{decodeHex(prefix + "7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d2" +
		"3c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1"), decodeHex(prefix + "7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb76038e972722fe7ad728f0e4904e046c2" +
		"30570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514e74ddc0f2cc1a874cd0c78305a21566461309789606bd0bf3f98cda8044629a1")}
}()

func decodeHex(text string) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return decoded
}

// TestCollision checks that each of two contents with the same SHA-1 is recognized on its own, without the other.
func TestCollision(t *testing.T) {
	if sha1.Sum(shattered[0]) != sha1.Sum(shattered[1]) || bytes.Equal(shattered[0], shattered[1]) {
		t.Fatal("these two should have one SHA-1")
	}
	for i, content := range shattered {
		if _, collided := sha1Format.hashers.Get().(*hashing).digest(nil, content); !collided {
			t.Errorf("%d: the collision is not seen", i)
		}
		if _, collided := sha1Format.hashers.Get().(*hashing).digest(nil, content[:192]); collided {
			t.Errorf("%d: the common beginning is harmless", i)
		}
		content = append([]byte{}, content...)
		content[200] ^= 1
		if _, collided := sha1Format.hashers.Get().(*hashing).digest(nil, content); collided {
			t.Errorf("%d: a changed bit makes it harmless", i)
		}
	}
}

// TestHashIsChecked checks that an object whose content has another id is refused, loose and packed.
func TestHashIsChecked(t *testing.T) {
	wrong := packed{id: wholeObject(blobType, []byte("one")).id, code: int(blobType), data: []byte("two")}
	r := craftRepo(t, []packed{wrong}, 1<<31)
	dir := t.TempDir()
	put(t, dir, "HEAD", nil)
	put(t, dir, "refs/x", nil)
	put(t, dir, "objects/"+wrong.id.String()[:2]+"/"+wrong.id.String()[2:], deflate([]byte("blob 3\x00two")))
	for i, r := range []*Repo{r, mustOpen(t, dir)} {
		_, err := r.Blob(wrong.id, 100)
		if damaged := (*Corrupt)(nil); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "has the id") {
			t.Errorf("%d: %v", i, err)
		}
		if _, err := r.Commit(wrong.id); err == nil {
			t.Errorf("%d: it is no commit either", i)
		}
	}
}
