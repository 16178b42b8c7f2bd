package gitobj

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"
)

// looseName is where an object lies that has a file of its own, below a folder of objects.
func looseName(dir string, id ID) string {
	text := id.String()
	return filepath.Join(dir, text[:2], text[2:])
}

// readLoose reads an object from a file of its own (gitformat-loose): a zlib stream of type, size and content.
func (s *store) readLoose(id ID, name string, l limits) (object, error) {
	f, err := openFile(name, nil)
	if err != nil {
		return object{}, err
	}
	found, err := readLooseFile(id, f, l)
	return found, errors.Join(err, f.close())
}

func readLooseFile(id ID, f *file, l limits) (object, error) {
	// No compressor makes content larger by a half.
	if most := max(l.blob, deltaLimit) * 3 / 2; f.size > most {
		return object{}, &TooLarge{What: "bytes in the file of object " + id.String(), Limit: most}
	}
	compressed, err := f.direct(0, int(f.size))
	if err != nil {
		return object{}, &Corrupt{What: f.name, Why: err.Error()}
	}
	found, err := parseLoose(id, compressed, l)
	if large := (*TooLarge)(nil); err != nil && !errors.As(err, &large) {
		err = &Corrupt{What: f.name, Why: err.Error()}
	}
	return found, err
}

// parseLoose decompresses the first bytes, reads type and size from them, and then decompresses the whole.
func parseLoose(id ID, compressed []byte, l limits) (object, error) {
	var space [32]byte
	n, err := inflateSome(space[:], compressed)
	header, _, ok := bytes.Cut(space[:n], []byte{0})
	if err != nil && !errors.Is(err, errFull) {
		return object{}, err
	}
	k, size, wellFormed := looseHeader(header)
	if !ok || !wellFormed {
		return object{}, errors.New("its type and size are malformed")
	}
	if err := l.admit(k, id, size); err != nil {
		return object{}, err
	}
	whole := make([]byte, len(header)+1+int(size))
	if err := inflate(whole, compressed); err != nil {
		return object{}, err
	}
	return object{k, whole[len(header)+1:]}, nil
}

// looseHeader reads "type size".
func looseHeader(header []byte) (k kind, size int64, ok bool) {
	name, digits, _ := bytes.Cut(header, []byte{' '})
	k, ok = kindOf(name)
	size, err := strconv.ParseInt(string(digits), 10, 64)
	return k, size, ok && err == nil && strconv.FormatInt(size, 10) == string(digits) && size >= 0
}
