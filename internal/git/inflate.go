package git

import (
	"compress/flate"
	"errors"
	"io"
	"sync"
)

// The defects of a compressed object.
var (
	errStream = errors.New("its compressed data is damaged")
	errLonger = errors.New("it is longer than its header says")
	errShort  = errors.New("it is shorter than its header says")
)

// source is the compressed bytes of one object: a part of a file, read block by block, or bytes in memory. Because it is an
// io.ByteReader, flate takes no byte after the end of a stream from it.
type source struct {
	block       []byte
	taken       int // of block
	file        *file
	offset, end int64 // of the part of file after block
}

func (s *source) ReadByte() (byte, error) {
	if s.taken == len(s.block) {
		if err := s.advance(); err != nil {
			return 0, err
		}
	}
	s.taken++
	return s.block[s.taken-1], nil
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.taken == len(s.block) {
		err = s.advance()
	}
	n = copy(p, s.block[s.taken:])
	s.taken += n
	return n, err
}

// advance reads the next block. The end of a source is errTruncated, because a whole stream ends before it.
func (s *source) advance() (err error) {
	n := min(blockSize-s.offset%blockSize, s.end-s.offset)
	if n <= 0 {
		return errTruncated
	}
	s.block, err = s.file.view(s.offset, int(n))
	s.offset, s.taken = s.offset+n, 0
	return err
}

// inflater decompresses one zlib stream (RFC 1950) after another. It does not check the checksum at the end of a stream,
// because the hash of every object is checked.
type inflater struct {
	source source
	flate  io.Reader
}

var inflaters = sync.Pool{New: func() any {
	z := new(inflater)
	z.flate = flate.NewReader(&z.source)
	return z
}}

// newInflater begins a stream. The caller must release the inflater.
func newInflater(from source) (*inflater, error) {
	z := inflaters.Get().(*inflater)
	z.source = from
	var header [2]byte
	_, err := io.ReadFull(&z.source, header[:])
	if err == nil && (header[0]&0x0f != 8 || (uint(header[0])<<8|uint(header[1]))%31 != 0 || header[1]&0x20 != 0) {
		err = errStream
	}
	if err == nil {
		err = z.flate.(flate.Resetter).Reset(&z.source, nil)
	}
	if err != nil {
		z.release()
		return nil, err
	}
	return z, nil
}

func (z *inflater) release() {
	z.source = source{} // the pool must not keep a block alive
	inflaters.Put(z)
}

func (z *inflater) Read(p []byte) (int, error) {
	n, err := z.flate.Read(p)
	if _, corrupt := err.(flate.CorruptInputError); corrupt {
		err = errStream
	}
	return n, err
}

// inflate decompresses a stream of exactly len(content) bytes.
func inflate(content []byte, from source) error {
	z, err := newInflater(from)
	if err != nil {
		return err
	}
	defer z.release()
	return readRest(content, z)
}

// readRest reads content, which must be the rest of a stream.
func readRest(content []byte, stream io.Reader) error {
	_, err := io.ReadFull(stream, content)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errShort
	}
	if err != nil {
		return err
	}
	var more [1]byte
	switch _, err := io.ReadFull(stream, more[:]); err {
	case nil:
		return errLonger
	case io.EOF:
		return nil
	default:
		return err
	}
}
