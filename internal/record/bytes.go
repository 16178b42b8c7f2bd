package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/closeout-gate/closeout/internal/git/gitindex"
)

// A code tree is git's view of the work tree: attributes let git read the same content from other bytes, and a
// command runs the bytes. So each file whose bytes are not those in the tree is compared with what a checkout writes.

// oddFile is a file whose bytes are neither those in the code tree nor those that a checkout of it writes.
type oddFile struct{ path, why string }

// comparison is what some files of the work tree have to do with their entries in the index.
type comparison struct {
	attributes map[string][]string // of each path, as far as git converts the file by them
	odd        []oddFile
	bound      map[string]string // mode and object id of the bytes of the other ones
	converted  []string          // paths of files that are as a checkout writes them, and not as in the tree
}

// conversions are the attributes by which git converts a file.
var conversions = []string{"text", "crlf", "eol", "ident", "working-tree-encoding", "filter"}

const filterLFS = "filter=lfs"

// bind compares all files with the index, puts the bytes of the odd ones into it, so that the tree is not that of
// HEAD, and says of the first differences from HEAD why git may not show them on this machine.
func (t *treeMaker) bind(s *snapshot) error {
	x, err := t.readIndex()
	if err != nil {
		return err
	}
	found, err := t.compare(x, x.Entries, s.changes)
	if err != nil {
		return err
	}
	s.converted = found.converted
	if len(found.bound) > 0 {
		var lines strings.Builder
		for _, e := range x.Entries {
			if is := found.bound[e.Path]; is != "" {
				fmt.Fprintf(&lines, "%s\t%s\x00", is, e.Path)
			}
		}
		if _, err := t.feed(lines.String(), "update-index", "-z", "--index-info"); err != nil {
			return err
		}
		if s.changes, err = t.changes(); err != nil {
			return err
		}
	}
	s.odd = slices.Concat(found.odd, t.unseen(s.changes, found), t.leftOut(x))
	slices.SortFunc(s.odd, func(a, b oddFile) int { return strings.Compare(a.path, b.path) })
	return nil
}

// leftOut are the files that a sparse checkout left out although they were there at the first look: a command narrowed it.
func (t *treeMaker) leftOut(x *gitindex.Index) (list []oddFile) {
	if !t.sparse {
		return nil
	}
	there := map[string]bool{}
	for _, e := range x.Entries {
		if _, err := os.Lstat(t.onDisk(e.Path)); err == nil {
			there[e.Path] = true
		} else if t.real.first[e.Path] {
			list = append(list, oddFile{e.Path, "is gone since the recorder started, outside of the sparse checkout"})
		}
	}
	if t.real.first == nil {
		t.real.first = there
	}
	return list
}

// unseen are those of the first differences from HEAD that git may not show where the settings of the machine count:
// files that a filter wrote, and files with other line ends.
func (t *treeMaker) unseen(changes map[string]string, found *comparison) (list []oddFile) {
	paths := make([]string, 0, len(changes))
	for name := range changes {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	for _, name := range paths[:min(len(paths), maxChanged)] {
		fields := strings.Fields(changes[name]) // :old mode, new mode, old id, new id, status
		if len(fields) != 5 || fields[4] != "M" || !strings.HasPrefix(fields[1], "100") || found.bound[name] != "" {
			continue
		}
		for _, attribute := range found.attributes[name] {
			if strings.HasPrefix(attribute, "filter=") {
				list = append(list, oddFile{name, "(" + attribute + ") has other bytes than the commit, and no filter counts"})
			}
		}
		data := readSome(t.onDisk(name))
		if ends := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")); len(ends) < len(data) {
			if is, _ := t.hashBlob(gitindex.ModeFile, bytes.NewReader(ends), int64(len(ends))); is == gitindex.ModeFile+" "+fields[2] {
				list = append(list, oddFile{name, "has the line ends CRLF, and in the commit LF"})
			}
		}
	}
	return list
}

// compare compares the files of some entries of the index, which git has just read, with what git has for them. Only
// attributes let git convert a file: see neutral. changes are the differences of the index from HEAD.
func (t *treeMaker) compare(x *gitindex.Index, entries []gitindex.Entry, changes map[string]string) (*comparison, error) {
	found := &comparison{bound: map[string]string{}}
	var err error
	if found.attributes, err = t.attributes(entries); err != nil {
		return nil, err
	}
	// Git may have read a file by attributes that were removed together with the file that contains them.
	all := false
	for name := range changes {
		all = all || path.Base(name) == ".gitattributes"
	}
	entries = slices.DeleteFunc(slices.Clone(entries), func(e gitindex.Entry) bool {
		if t.content[e.Path] {
			found.converted = append(found.converted, e.Path)
			return true
		}
		return !x.IsFile(e) || (!all && len(found.attributes[e.Path]) == 0)
	})
	attributes := found.attributes
	if all {
		attributes = nil
	}
	are, err := t.hashAll(x, entries, attributes)
	if err != nil {
		return nil, err
	}
	var differ []gitindex.Entry
	for i, e := range entries {
		if are[i] == "" || are[i] == x.Mode(e)+" "+x.ID(e) {
			continue
		}
		found.bound[e.Path] = are[i]
		differ = append(differ, e)
	}
	if len(differ) > 0 {
		err = t.settle(found, x, differ, changes)
	}
	slices.Sort(found.converted)
	return found, err
}

// settle finds the odd ones among the files whose bytes are not those in the index.
func (t *treeMaker) settle(found *comparison, x *gitindex.Index, differ []gitindex.Entry, changes map[string]string) error {
	clean, err := t.clean()
	if err != nil {
		return err
	}
	attributes, err := clean.attributes(differ, "--cached")
	if err != nil {
		return err
	}
	// Checking thousands of files out would take seconds, and most of those that are converted have other line ends
	// and no more.
	var rest []gitindex.Entry
	for _, e := range differ {
		is := attributes[e.Path]
		byEnds := slices.Contains(is, "eol=crlf") && onlyLineEnds(is) && slices.Equal(is, found.attributes[e.Path])
		if byEnds && t.endsInCRLF(e.Path, x.Mode(e)+" "+x.ID(e)) {
			found.converted = append(found.converted, e.Path)
			delete(found.bound, e.Path)
		} else {
			rest = append(rest, e)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	// With a prefix, no .gitattributes among the files is where git looks for attributes.
	if _, err := clean.feed(pathList(rest), "checkout-index", "-f", "-z", "--stdin", "--prefix=out/"); err != nil {
		return err
	}
	for _, e := range rest {
		want := filepath.Join(clean.root, "out", filepath.FromSlash(e.Path))
		checkedOut, err := t.hashFile(x.Mode(e), want)
		if err != nil {
			return err
		}
		is, old := found.bound[e.Path], strings.Fields(changes[e.Path])
		switch {
		case checkedOut == is:
			found.converted = append(found.converted, e.Path)
		case len(old) == 5 && is == old[1]+" "+old[2]:
			continue // the bytes are those of HEAD, although git would commit others
		default:
			found.odd = append(found.odd, oddFile{e.Path, t.why(found.attributes[e.Path], want, e.Path)})
			continue
		}
		delete(found.bound, e.Path)
	}
	return nil
}

// pointers gives files back the entries that they had in an index before git added what it found, where the attributes of
// the tree give the file to Git LFS, the entry was a pointer, and the file has the content that it names.
func (t *treeMaker) pointers(before *gitindex.Index) error {
	x, err := t.readIndex()
	if err != nil {
		return err
	}
	ids := map[string]string{}
	var changed []gitindex.Entry
	old := before.Entries
	for _, e := range x.Entries { // both are sorted by path
		for len(old) > 0 && old[0].Path < e.Path {
			old = old[1:]
		}
		if len(old) > 0 && old[0].Path == e.Path && !bytes.Equal(before.RawID(old[0]), x.RawID(e)) && x.IsFile(e) {
			ids[e.Path] = before.ID(old[0])
			changed = append(changed, e)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	clean, err := t.clean()
	if err != nil {
		return err
	}
	attributes, err := clean.attributes(changed, "--cached")
	if err != nil {
		return err
	}
	changed = slices.DeleteFunc(changed, func(e gitindex.Entry) bool { return !slices.Contains(attributes[e.Path], filterLFS) })
	if len(changed) == 0 {
		return nil
	}
	added := make([]string, len(changed))
	for i, e := range changed {
		added[i] = x.ID(e)
		x.SetID(e, ids[e.Path])
	}
	if err := x.Write(t.index); err != nil {
		return err
	}
	if _, err := clean.feed(pathList(changed), "checkout-index", "-f", "-z", "--stdin", "--prefix=lfs/"); err != nil {
		return err
	}
	t.content = map[string]bool{}
	for i, e := range changed {
		pointer := filepath.Join(clean.root, "lfs", filepath.FromSlash(e.Path))
		if t.content[e.Path] = namesContent(pointer, t.onDisk(e.Path)); !t.content[e.Path] {
			x.SetID(e, added[i])
		}
	}
	return x.Write(t.index)
}

// endsInCRLF reports whether a file is what git makes of an entry that it gives CRLF to: every line ends so, and with
// LF it would be the entry. Git has found that it is text when it read the file by the same attributes.
func (t *treeMaker) endsInCRLF(name, entry string) bool {
	data := readSome(t.onDisk(name))
	ends := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if len(data)-len(ends) != bytes.Count(data, []byte("\n")) || bytes.Contains(ends, []byte("\r\n")) {
		return false
	}
	mode, _, _ := strings.Cut(entry, " ")
	is, err := t.hashBlob(mode, bytes.NewReader(ends), int64(len(ends)))
	return err == nil && is == entry
}

// why says how an odd file differs from what a checkout writes.
func (t *treeMaker) why(attributes []string, want, name string) string {
	by := ""
	if len(attributes) > 0 {
		by = "(" + strings.Join(attributes, " ") + ") "
	}
	withoutReturns := func(file string) []byte { return bytes.ReplaceAll(readSome(file), []byte("\r"), nil) }
	if got := withoutReturns(t.onDisk(name)); len(got) > 0 && bytes.Equal(got, withoutReturns(want)) {
		return by + "has other line ends than a checkout writes"
	}
	return by + "has other bytes than a checkout writes"
}

// onlyLineEnds reports whether git converts line ends by attributes, and nothing else.
func onlyLineEnds(attributes []string) bool {
	return len(attributes) > 0 && !slices.ContainsFunc(attributes, func(attribute string) bool {
		name, _, _ := strings.Cut(attribute, "=")
		return name != "text" && name != "crlf" && name != "eol"
	})
}

// readSome reads a file to say more about it; nil when it is too long for that.
func readSome(file string) []byte {
	const most = 16 << 20
	if info, err := os.Stat(file); err != nil || info.Size() > most {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return data
}

// attributes asks git by which attributes it converts the files of entries: when it adds them, or with an option when
// it checks them out.
func (g *Git) attributes(entries []gitindex.Entry, option ...string) (map[string][]string, error) {
	out, err := g.feed(pathList(entries), append([]string{"check-attr", "-z", "--stdin", "--all"}, option...)...)
	if err != nil {
		return nil, err
	}
	found := map[string][]string{}
	parts := strings.Split(out, "\x00") // path, attribute, value, …
	for ; len(parts) > 3; parts = parts[3:] {
		name, attribute, value := parts[0], parts[1], parts[2]
		if !slices.Contains(conversions, attribute) || value == "unset" {
			continue
		}
		if value != "set" {
			attribute += "=" + value
		}
		found[name] = append(found[name], attribute)
	}
	return found, nil
}

// pathList are the paths of entries as git reads them from standard input.
func pathList(entries []gitindex.Entry) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Path)
		b.WriteByte(0)
	}
	return b.String()
}

// clean is git with the objects and the index, and nothing else of the repository or of the machine, at an empty work
// tree: all attributes come from the tree, and no setting counts.
func (t *treeMaker) clean() (*Git, error) {
	c := t.Git
	c.root = filepath.Join(t.temp, "clean")
	gitDir := filepath.Join(t.temp, "git")
	format := "[core]\n\trepositoryFormatVersion = 0\n"
	if t.sum == sha256.Size {
		format = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	err := errors.Join(
		os.MkdirAll(c.root, 0o700), os.MkdirAll(filepath.Join(gitDir, "refs"), 0o700),
		os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(gitDir, "config"), []byte(format), 0o600),
	)
	c.env = append(slices.Clone(t.env), "GIT_DIR="+gitDir, "GIT_WORK_TREE="+c.root,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	c.env = append(c.env, configured(settings, neutral)...)
	return &c, err
}

// namesContent reports whether a file is a pointer of Git LFS that names the content of another one.
func namesContent(pointer, content string) bool {
	const most = 1024 // of a pointer, says the specification
	info, err := os.Stat(pointer)
	if err != nil || info.Size() >= most {
		return false
	}
	text, err := os.ReadFile(pointer)
	if err != nil || !bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/v1\n")) {
		return false
	}
	f, err := os.Open(content)
	if err != nil {
		return false
	}
	defer f.Close() // it is only read
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	lines := strings.Split(string(text), "\n")
	named := slices.Contains(lines, "oid sha256:"+hex.EncodeToString(sum.Sum(nil)))
	return err == nil && named && slices.Contains(lines, "size "+strconv.FormatInt(size, 10))
}

// onDisk is a file of the work tree as a path of this machine.
func (t *treeMaker) onDisk(name string) string {
	return filepath.Join(t.root, filepath.FromSlash(name))
}

// hashAll returns what entries of an index would be with the bytes of their files: mode and object id; "" for a file
// that a sparse checkout left out.
func (t *treeMaker) hashAll(x *gitindex.Index, entries []gitindex.Entry, attributes map[string][]string) ([]string, error) {
	are, errs := make([]string, len(entries)), make([]error, len(entries))
	workers := min(runtime.GOMAXPROCS(0), len(entries))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			buffer := make([]byte, 64<<10)
			for i := w; i < len(entries); i += workers {
				e := entries[i]
				are[i], errs[i] = t.hashEntry(x.Mode(e), e.Path, onlyLineEnds(attributes[e.Path]), buffer)
				if are[i] == sameBytes {
					are[i] = x.Mode(e) + " " + x.ID(e)
				}
			}
		})
	}
	wait.Wait()
	return are, errors.Join(errs...)
}

// sameBytes is what hashEntry returns for a file in which git had nothing to convert.
const sameBytes = "same"

// hashEntry is hashAll for one entry. lineEnds says that git could only have removed carriage returns.
func (t *treeMaker) hashEntry(mode, name string, lineEnds bool, buffer []byte) (string, error) {
	file := t.onDisk(name)
	info, err := os.Lstat(file)
	switch {
	case os.IsNotExist(err) && t.sparse:
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%q changed while it was read", name)
	}
	if info.Size() > int64(len(buffer)) {
		return t.hashFile(mode, file)
	}
	// An os.File costs a third more: the poller is asked first, and it is cleaned up later.
	fd, err := syscall.Open(file, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	buffer = buffer[:info.Size()]
	n, err := syscall.Read(fd, buffer)
	syscall.Close(fd) // it is only read
	if err != nil || n != len(buffer) {
		return t.hashFile(mode, file) // which reads on after an interruption
	}
	if lineEnds && bytes.IndexByte(buffer, '\r') < 0 {
		return sameBytes, nil
	}
	return t.hashBlob(mode, bytes.NewReader(buffer), info.Size())
}

func (t *treeMaker) hashFile(mode, file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() // it is only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return t.hashBlob(mode, f, info.Size())
}

// hashBlob returns the mode, and the object id that git gives to content.
func (t *treeMaker) hashBlob(mode string, content io.Reader, size int64) (string, error) {
	sum := gitindex.NewHash(t.sum)
	fmt.Fprintf(sum, "blob %d\x00", size)
	n, err := io.Copy(sum, content)
	if err == nil && n != size {
		err = fmt.Errorf("a file of %d bytes changed while it was read", size)
	}
	return mode + " " + hex.EncodeToString(sum.Sum(nil)), err
}
