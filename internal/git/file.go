package git

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// Packs and indexes are read in blocks through a bounded cache, not mapped into memory: memory use is small whatever the
// size of the pack, and a file that shrinks during reading gives an error instead of a fault.
//
// A block is small: the objects of an audit, and their places in the index, are far apart in files that are larger than the cache.
const (
	blockSize  = 1 << 13
	blockCache = 16 << 20
	// indexCache is for the indexes: their entries are in the order of hashes, so that every part is asked for again and again. Half
	// of it holds the index of half a million objects.
	indexCache = 32 << 20
)

type blockKey struct {
	file  *file
	block int64
}

func newBlockCache(limit int) *cache[blockKey, []byte] {
	return newCache[blockKey](limit, func(b []byte) int { return cap(b) + 64 })
}

// readOnly opens a file without waiting: opening a pipe would wait for a writer.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// file is a file of the repository, for random access.
type file struct {
	name   string
	reader io.ReaderAt
	size   int64
	blocks *cache[blockKey, []byte]
}

// openFile opens a file of the repository. The caller must close it.
func openFile(name string, blocks *cache[blockKey, []byte]) (*file, error) {
	opened, err := os.OpenFile(name, readOnly, 0)
	if err != nil {
		return nil, plainError(err)
	}
	info, err := opened.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Corrupt{What: name, Why: "it is not a regular file"}
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

// view gives n bytes at an offset, or errTruncated when the file ends before them. The bytes may be shared and must not
// be changed.
func (f *file) view(offset int64, n int) ([]byte, error) {
	if offset < 0 || n < 0 || offset > f.size || int64(n) > f.size-offset {
		return nil, errTruncated
	}
	number, start := offset/blockSize, int(offset%blockSize)
	if start+n <= blockSize {
		block, err := f.block(number)
		if err != nil || start+n > len(block) {
			return nil, errors.Join(err, errTruncated)
		}
		return block[start : start+n : start+n], nil
	}
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

// direct reads n bytes at an offset without the cache.
func (f *file) direct(offset int64, n int) ([]byte, error) {
	bytes := make([]byte, n)
	_, err := f.reader.ReadAt(bytes, offset)
	if errors.Is(err, io.EOF) {
		err = errTruncated
	}
	return bytes, err
}

func (f *file) block(number int64) ([]byte, error) {
	key := blockKey{f, number}
	if block, ok := f.blocks.get(key); ok {
		return block, nil
	}
	offset := number * blockSize
	if offset >= f.size {
		return nil, errTruncated // the block before was read when the file was shorter
	}
	block, err := f.direct(offset, int(min(blockSize, f.size-offset)))
	if err != nil {
		return nil, err
	}
	f.blocks.put(key, block)
	return block, nil
}
