package gitobj

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// errStream is what a damaged zlib stream gives.
var errStream = errors.New("its compressed data is damaged")

// inflater decompresses zlib streams (RFC 1950). The checksum at their end is not looked at: the hash of every object
// is checked.
type inflater struct {
	source bytes.Reader
	stream io.Reader
}

var inflaters = sync.Pool{New: func() any {
	z := &inflater{}
	z.stream = flate.NewReader(&z.source)
	return z
}}

// start begins a stream. The inflater must be given back with inflaters.Put.
func startInflate(compressed []byte) (*inflater, error) {
	if len(compressed) < 2 {
		return nil, errTruncated
	}
	method, flags := compressed[0], compressed[1]
	if method&0x0f != 8 || (uint(method)<<8|uint(flags))%31 != 0 || flags&0x20 != 0 {
		return nil, errStream
	}
	z := inflaters.Get().(*inflater)
	z.source.Reset(compressed[2:])
	if err := z.stream.(flate.Resetter).Reset(&z.source, nil); err != nil {
		return nil, err
	}
	return z, nil
}

// fill reads len(content) bytes.
func (z *inflater) fill(content []byte) error {
	_, err := io.ReadFull(z.stream, content)
	return streamError(err)
}

// end holds that nothing is left.
func (z *inflater) end() error {
	var more [1]byte
	n, err := io.ReadFull(z.stream, more[:])
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		return errors.New("it holds more than it says")
	}
	return streamError(err)
}

// streamError tells a stream that ends too early, so that more of it may help, from one that is damaged.
func streamError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errTruncated
	}
	return errStream
}

// inflate decompresses a stream that holds exactly len(content) bytes. errTruncated when it goes on beyond what was
// given.
func inflate(content, compressed []byte) error {
	z, err := startInflate(compressed)
	if err != nil {
		return err
	}
	defer inflaters.Put(z)
	if err := z.fill(content); err != nil {
		return err
	}
	return z.end()
}
