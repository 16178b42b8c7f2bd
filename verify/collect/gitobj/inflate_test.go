package gitobj

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
			if err := inflate(got, stream); err != nil || !bytes.Equal(got, content) {
				t.Errorf("content %d, level %d: %v", i, level, err)
			}
			if err := inflate(make([]byte, len(content)+1), stream); !errors.Is(err, errLess) {
				t.Errorf("content %d, level %d: %v, want less", i, level, err)
			}
			if len(content) > 0 {
				if err := inflate(got[1:], stream); !errors.Is(err, errFull) {
					t.Errorf("content %d, level %d: %v, want more", i, level, err)
				}
			}
			for _, n := range []int{0, 1, 2, 3, len(stream) / 2, len(stream) - 6} {
				if err := inflate(got, stream[:n]); !errors.Is(err, errTruncated) {
					t.Errorf("content %d, level %d, %d of %d bytes: %v, want too early", i, level, n, len(stream), err)
				}
			}
		}
	}
}

// FuzzInflate holds the decompressor against the standard library's: what one of them takes the other takes too, with
// the same content, and a cut stream is never taken.
func FuzzInflate(f *testing.F) {
	for _, level := range []int{flate.HuffmanOnly, 0, 1, 9} {
		f.Add(compress(f, []byte("some words, some words and others, 0123456789abcdef"), level), uint16(0))
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
		got := make([]byte, len(want)+int(more))
		n, err := inflateSome(got, stream)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got[:n], want) {
			t.Errorf("%q %v, want %q %v", got[:n], err, want, wantErr)
		}
	})
}
