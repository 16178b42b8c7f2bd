package gitobj

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Packs and indexes are read in blocks that a bounded cache holds, not mapped into memory: memory stays small however
// large the pack, and a file that shrinks while it is read gives an error and no fault.
const (
	blockSize  = 1 << 16
	blockCache = 16 << 20
	directRead = 4 * blockSize // reads from this size on would only push smaller ones out of the cache
)

type blockKey struct {
	file  *file
	block int64
}

func newBlockCache() *cache[blockKey, []byte] {
	return newCache[blockKey](blockCache, func(b []byte) int { return cap(b) + 64 })
}

// readOnly opens a file without waiting: to open a pipe would otherwise last until somebody writes into it.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// file is a file of the object store, read at random.
type file struct {
	name   string
	reader io.ReaderAt
	size   int64
	blocks *cache[blockKey, []byte]
}

// openFile opens a file of the object store. The caller closes what it reads from.
func openFile(name string, blocks *cache[blockKey, []byte]) (*file, error) {
	opened, err := os.OpenFile(name, readOnly, 0)
	if err != nil {
		return nil, plainError(err)
	}
	info, err := opened.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Corrupt{What: name, Why: "it should be a regular file"}
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &file{name: name, reader: opened, size: info.Size(), blocks: blocks}, nil
}

func (f *file) close() error {
	if closer, ok := f.reader.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// view gives n bytes from an offset on. They may be shared: nobody may write to them. errTruncated when the file is too
// short for them.
func (f *file) view(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > f.size || int64(n) > f.size-offset {
		return nil, errTruncated
	}
	first, start := offset/blockSize, int(offset%blockSize)
	if start+n <= blockSize {
		block, err := f.block(first)
		if err != nil || start+n > len(block) {
			return nil, errors.Join(err, errTruncated)
		}
		return block[start : start+n : start+n], nil
	}
	if n >= directRead {
		return f.direct(offset, n)
	}
	return f.join(first, start, n)
}

// join copies bytes that lie in more than one block.
func (f *file) join(number int64, start, n int) ([]byte, error) {
	joined := make([]byte, 0, n)
	for len(joined) < n {
		block, err := f.block(number)
		if err != nil || start >= len(block) {
			return nil, errors.Join(err, errTruncated)
		}
		joined = append(joined, block[start:min(len(block), start+n-len(joined))]...)
		number, start = number+1, 0
	}
	return joined, nil
}

func (f *file) direct(offset int64, n int) ([]byte, error) {
	bytes := make([]byte, n)
	if _, err := f.reader.ReadAt(bytes, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil {
		return nil, errTruncated
	}
	return bytes, nil
}

func (f *file) block(number int64) ([]byte, error) {
	key := blockKey{f, number}
	if block, ok := f.blocks.get(key); ok {
		return block, nil
	}
	offset := number * blockSize
	block, err := f.direct(offset, int(min(blockSize, f.size-offset)))
	if err != nil {
		return nil, err
	}
	f.blocks.put(key, block)
	return block, nil
}
