package git

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// compress makes a zlib stream of one of the standard library's levels.
func compress(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zlib.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(content)
	z.Close()
	return out.Bytes()
}

// TestInflate decompresses contents of many kinds and all levels, whole and cut.
func TestInflate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 70_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	few := bytes.Clone(noise)
	for i := range few {
		few[i] &= 0x13
	}
	var skewed []byte // long codes: each byte is half as frequent as the one before
	for i := range 20 {
		skewed = append(skewed, bytes.Repeat([]byte{byte('a' + i)}, 1+(1<<18>>i))...)
	}
	random.Shuffle(len(skewed), func(i, j int) { skewed[i], skewed[j] = skewed[j], skewed[i] })
	for i, content := range [][]byte{nil, []byte("a"), noise, few, skewed, []byte(strings.Repeat("ab", 40_000)), bytes.Repeat([]byte{0}, 300_000), []byte("tree with few words, few words, few words")} {
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
			stream := compress(t, content, level)
			got := make([]byte, len(content))
			if err := inflate(got, source{block: stream}); err != nil || !bytes.Equal(got, content) {
				t.Errorf("content %d, level %d: %v", i, level, err)
			}
			if err := inflate(make([]byte, len(content)+1), source{block: stream}); !errors.Is(err, errShort) {
				t.Errorf("content %d, level %d: %v, want less", i, level, err)
			}
			if len(content) > 0 {
				if err := inflate(got[1:], source{block: stream}); !errors.Is(err, errLonger) {
					t.Errorf("content %d, level %d: %v, want more", i, level, err)
				}
			}
			for _, n := range []int{0, 1, 2, 3, len(stream) / 2, len(stream) - 6} {
				if err := inflate(got, source{block: stream[:n]}); !errors.Is(err, errTruncated) {
					t.Errorf("content %d, level %d, %d of %d bytes: %v, want truncated", i, level, n, len(stream), err)
				}
			}
		}
	}
}

// TestInflateStopsAtTheEnd checks that no byte beyond a stream is taken: not its checksum, and not what follows.
func TestInflateStopsAtTheEnd(t *testing.T) {
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
		stream := compress(t, []byte("content content"), level)
		z, err := newInflater(source{block: append(stream, "garbage"...)})
		if err != nil {
			t.Fatal(err)
		}
		if err := readRest(make([]byte, len("content content")), z); err != nil || len(z.source.block)-z.source.taken != 4+len("garbage") {
			t.Errorf("level %d: %v, %d bytes left", level, err, len(z.source.block)-z.source.taken)
		}
		z.release()
	}
}

// TestInflateHeader checks the two bytes with which a stream begins.
func TestInflateHeader(t *testing.T) {
	stream := compress(t, []byte("content"), 6)
	for _, c := range []struct {
		header string
		want   error
	}{
		{"\x78\x9c", nil},
		{"\x78\x01", nil},
		{"\x79\x9c", errStream}, // another method
		{"\x78\x9d", errStream}, // no multiple of 31
		{"\x78\xbb", errStream}, // with a dictionary
	} {
		if err := inflate(make([]byte, len("content")), source{block: append([]byte(c.header), stream[2:]...)}); !errors.Is(err, c.want) {
			t.Errorf("%x: %v, want %v", c.header, err, c.want)
		}
	}
}

// TestEmptyBlocks checks that a small object in a pack cannot make us read the whole pack: here its data is a long row of
// blocks without content.
func TestEmptyBlocks(t *testing.T) {
	const zlibHeader, empty, last = "\x78\x9c", "\x00\x00\x00\xff\xff", "\x01\x01\x00\xfe\xffx"
	for blocks, want := range map[int]string{10: "", 1 << 20: errTruncated.Error()} {
		p := &packFile{format: sha1Format, file: memory([]byte(zlibHeader + strings.Repeat(empty, blocks) + last + strings.Repeat("0", 24)))}
		got, err := p.inflate(header{size: 1})
		if want == "" && (err != nil || string(got) != "x") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d blocks: %q %v, want %q", blocks, got, err, want)
		}
	}
}

// FuzzInflate compares with the standard library's decompressor, which knows neither sizes nor the pool: what one of them
// accepts the other accepts too, with the same content, and only with its exact size.
func FuzzInflate(f *testing.F) {
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
		f.Add(compress(f, []byte("some words, some words and others, 0123456789abcdef"), level), uint16(1))
	}
	f.Fuzz(func(t *testing.T, stream []byte, more uint16) {
		if len(stream) < 2 {
			return
		}
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(stream[2:])), 1<<20))
		if len(want) == 1<<20 {
			return
		}
		stream[0], stream[1] = 0x78, 0x9c
		got := make([]byte, len(want))
		err := inflate(got, source{block: stream})
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%q %v, want %q %v", got, err, want, wantErr)
		}
		for size, want := range map[int]error{len(want) - 1 - int(more): errLonger, len(want) + 1 + int(more): errShort} {
			if size < 0 || wantErr != nil {
				continue
			}
			if err := inflate(make([]byte, size), source{block: stream}); !errors.Is(err, want) {
				t.Errorf("%d bytes for %d: %v, want %v", size, len(got), err, want)
			}
		}
	})
}
