package git

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// readLoose reads an object that is not in a pack (gitformat-loose): a zlib stream of type, size and content.
func readLoose(id ID, at place, l limits) (found object, err error) {
	f, err := openFile(at.loose, nil)
	if err != nil {
		return object{}, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	// No compressor makes content larger by half.
	if most := max(l.blob, deltaLimit) * 3 / 2; f.size > most {
		return object{}, &TooLarge{What: "bytes in the file of object " + id.String(), Limit: most}
	}
	compressed, err := f.direct(0, int(f.size))
	if err != nil {
		return object{}, &Corrupt{What: f.name, Why: err.Error()}
	}
	found, err = parseLoose(id, compressed, l)
	if large := (*TooLarge)(nil); err != nil && !errors.As(err, &large) {
		err = &Corrupt{What: f.name, Why: err.Error()}
	}
	return found, err
}

// parseLoose decompresses an object after its header, "type size NUL".
func parseLoose(id ID, compressed []byte, l limits) (object, error) {
	z, err := newInflater(source{block: compressed})
	if err != nil {
		return object{}, err
	}
	defer z.release()
	stream := bufio.NewReaderSize(z, maxLooseHeader)
	header, err := stream.ReadSlice(0)
	if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
		return object{}, err
	}
	header, ended := bytes.CutSuffix(header, []byte{0})
	name, digits, _ := bytes.Cut(header, []byte{' '})
	k, known := typeOf(name)
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if !ended || !known || err != nil || strconv.FormatInt(size, 10) != string(digits) || size < 0 {
		return object{}, errors.New("its type and size are malformed")
	}
	if err := l.admit(k, id, size); err != nil {
		return object{}, err
	}
	content := make([]byte, size)
	if err := readRest(content, stream); err != nil {
		return object{}, err
	}
	return object{kind: k, content: content}, nil
}

// maxLooseHeader is the largest size of the header, in bytes.
const maxLooseHeader = 32
