package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/closeout-gate/closeout/verify/input"
)

const (
	firstBlock = 16 << 10  // most files are small
	blockSize  = 256 << 10 // how much of a large one is read, hashed and parsed at a time
	blocks     = 4         // how many blocks are under way between reading and parsing
)

// seen is what the report says about a file that was read.
type seen struct {
	sha256 string
	bytes  int64
}

// stream reads an input once: a goroutine reads and hashes while consume parses what was read. When consume returns
// before the end, the rest is still hashed, so that the digest is that of the whole file.
func stream(in Input, consume func(io.Reader)) seen {
	file, err := in.Open()
	if err != nil {
		file = io.NopCloser(failingReader{err})
	}
	defer file.Close()
	p := newPipe(file)
	defer p.drain() // also when consume panics: the file must not be closed under the goroutine
	consume(p)
	p.drain()
	return seen{hex.EncodeToString(p.sum.Sum(nil)), p.size}
}

// failingReader is the content of a file that cannot be opened.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// block is a piece of a file, and what follows it: nil, io.EOF or an error.
type block struct {
	data []byte
	err  error
}

// pipe hands blocks from the goroutine that reads and hashes to the one that parses.
type pipe struct {
	full    chan block
	free    chan []byte
	sum     hash.Hash // complete when full is closed
	size    int64
	current block  // what Read gives out next
	buffer  []byte // the memory of current
}

func newPipe(r io.Reader) *pipe {
	p := &pipe{full: make(chan block, blocks), free: make(chan []byte, blocks), sum: sha256.New()}
	go p.produce(r)
	return p
}

// produce reads to the end or to the first error. Memory is taken as the file needs it: a small file costs one block.
func (p *pipe) produce(r io.Reader) {
	defer close(p.full)
	size := firstBlock
	for taken := 0; ; taken++ {
		if taken < blocks {
			p.free <- make([]byte, size)
			size = blockSize
		}
		buf := <-p.free
		n, err := io.ReadFull(r, buf)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		p.sum.Write(buf[:n])
		p.size += int64(n)
		p.full <- block{buf[:n], err}
		if err != nil {
			return
		}
	}
}

// Read gives out the next bytes. Errors are those of the file, without its path.
func (p *pipe) Read(out []byte) (int, error) {
	for len(p.current.data) == 0 {
		if p.current.err != nil {
			return 0, input.Reason(p.current.err)
		}
		if !p.next() {
			return 0, io.EOF
		}
	}
	n := copy(out, p.current.data)
	p.current.data = p.current.data[n:]
	return n, nil
}

// next frees the memory of the current block and takes the next block.
func (p *pipe) next() bool {
	if p.buffer != nil {
		p.free <- p.buffer[:cap(p.buffer)]
		p.buffer = nil
	}
	b, ok := <-p.full
	if ok {
		p.current, p.buffer = b, b.data[:0]
	}
	return ok
}

// drain discards what was not read. It returns when the whole file was hashed.
func (p *pipe) drain() {
	for p.next() {
	}
}

// readAll reads a small input into memory. It returns nil and adds an error when the input is larger than limit or
// cannot be read.
func readAll(in Input, what string, limit int64, flag string, errs *input.Errors) ([]byte, seen) {
	var data []byte
	got := stream(in, func(r io.Reader) {
		var buf bytes.Buffer
		_, err := buf.ReadFrom(io.LimitReader(r, limit+1))
		switch {
		case err != nil:
			errs.Add(input.Unreadable(what, err))
		case int64(buf.Len()) > limit:
			errs.Add(input.TooLarge(what, limit, flag))
		default:
			data = buf.Bytes()
		}
	})
	return data, got
}
