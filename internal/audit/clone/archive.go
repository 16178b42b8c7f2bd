package clone

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/internal/audit/archive"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/git"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// ArchiveRefs are where an archive is looked for when no ref is named.
var ArchiveRefs = []string{"refs/remotes/origin/closeout-archive", archive.Ref}

// maxArchived is how large a file of a bundle may be to be read from an archive, in bytes.
const maxArchived = 128 << 20

// maxTop is how many bytes of a file at the top of an archive are read.
const maxTop = archive.MaxStateBytes

// Archive is an archive of decisions, in a commit of a repository.
type Archive struct {
	Commit string
	Date   int64 // of the commit, in seconds
	git    *Clone
	top    map[string]git.Entry // what the commit's tree contains
}

// Archive finds the archive that a ref or commit names; "" is the first of [ArchiveRefs]. The error is [ErrNoArchive] when it leads
// to something else.
func (g *Clone) Archive(ref string) (*Archive, error) {
	if ref == "" {
		found, err := g.FirstRef(ArchiveRefs...)
		if err != nil {
			return nil, err
		}
		if ref = found; ref == "" {
			return nil, errNoBranch
		}
	}
	commit, err := g.repo.Resolve(ref)
	if err != nil {
		return nil, collect.Fixed(err)
	}
	info, err := g.repo.Commit(commit)
	if err != nil {
		return nil, collect.Fixed(err)
	}
	entries, err := g.repo.Tree(info.Tree)
	if err != nil {
		return nil, collect.Fixed(err)
	}
	a := &Archive{Commit: commit.String(), Date: info.Date, git: g, top: map[string]git.Entry{}}
	for _, e := range entries {
		a.top[e.Name] = e
	}
	_, state := a.top[archive.StateFile]
	_, checkpoint := a.top[archive.CheckpointFile]
	if _, decisions := a.top[archive.Decisions]; !state && !checkpoint && !decisions {
		return nil, fmt.Errorf("%w: %q contains neither %s nor %s nor %s: name the branch of the archive with --ref", ErrNoArchive, ref, archive.StateFile, archive.CheckpointFile, archive.Decisions)
	}
	return a, nil
}

// errNoBranch says that no ref was named, and none of [ArchiveRefs] exists.
var errNoBranch = errors.New("there is no branch closeout-archive here: git fetch origin closeout-archive:closeout-archive, or name the ref with --ref")

// ErrNoArchive says that a commit is none of an archive.
var ErrNoArchive = errors.New("this is no archive")

// File reads a regular file at the top of the archive; nil when there is none. It reads at most a megabyte.
func (a *Archive) File(name string) ([]byte, error) {
	return a.git.regularBlob(a.top[name], maxTop)
}

// regularBlob reads a file; nil when the entry is none.
func (g *Clone) regularBlob(e git.Entry, limit int64) ([]byte, error) {
	if e.Mode != git.ModeFile {
		return nil, nil
	}
	data, err := g.repo.Blob(e.ID, limit)
	if _, large := errors.AsType[*git.TooLarge](err); large {
		return nil, nil // no file of ours is so large
	}
	if err != nil {
		return nil, archiveFixed(err)
	}
	return append([]byte{}, data...), nil
}

// archiveFixed adds how to fetch what is missing of an archive.
func archiveFixed(err error) error {
	if _, missing := errors.AsType[*git.MissingObject](err); missing {
		return collect.WithFix(err, "fetch the whole archive: git fetch --refetch --no-filter origin closeout-archive")
	}
	return collect.Fixed(err)
}

// itemRef is the directory of an item, before it is read.
type itemRef struct {
	dir string
	id  git.ID
}

// items lists the directories of all entries in the order of their numbers, and the paths that no archive has.
func (a *Archive) items() (list []itemRef, strange []string, err error) {
	for name, e := range a.top {
		if want, known := topModes[name]; !known || e.Mode != want {
			strange = append(strange, name)
		}
	}
	groups, strangeGroups, err := a.numbered(a.top[archive.Decisions], archive.Decisions, "")
	strange = append(strange, strangeGroups...)
	seen := map[git.ID]bool{}
	groups, strange = distinct(groups, strange, seen)
	for _, group := range groups {
		if err != nil {
			break
		}
		var dirs []itemRef
		var odd []string
		dirs, odd, err = a.numbered(git.Entry{Mode: git.ModeTree, ID: group.id}, group.dir, "-")
		if len(dirs)+len(odd) == 0 {
			odd = []string{group.dir} // git makes no empty directory
		}
		dirs, odd = distinct(dirs, odd, seen)
		list, strange = append(list, dirs...), append(strange, odd...)
	}
	slices.Sort(strange)
	return list, strange, err
}

// distinct moves directories that are the same as an earlier one to what is strange: each entry has its own number. A few objects could
// name millions of entries otherwise.
func distinct(list []itemRef, strange []string, seen map[git.ID]bool) ([]itemRef, []string) {
	list = slices.DeleteFunc(list, func(r itemRef) bool {
		twice := seen[r.id]
		if seen[r.id] = true; twice {
			strange = append(strange, r.dir)
		}
		return twice
	})
	return list, strange
}

// topModes are what an archive has at its top.
var topModes = map[string]uint32{
	archive.ReadmeFile: git.ModeFile, archive.CheckpointFile: git.ModeFile, archive.StateFile: git.ModeFile, archive.Decisions: git.ModeTree,
}

// numbered lists the directories in a tree whose names begin with a number, which ends before a separator, by that number; and the
// paths of what else is there.
func (a *Archive) numbered(tree git.Entry, dir, separator string) (list []itemRef, strange []string, err error) {
	if tree.Mode != git.ModeTree {
		return nil, nil, nil
	}
	entries, err := a.git.repo.Tree(tree.ID)
	if err != nil {
		return nil, nil, archiveFixed(err)
	}
	numbers := map[string]int64{}
	for _, e := range entries {
		digits := e.Name
		if separator != "" {
			digits, _, _ = strings.Cut(e.Name, separator)
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		name := path.Join(dir, e.Name)
		if err != nil || e.Mode != git.ModeTree || strings.Trim(digits, "0123456789") != "" {
			strange = append(strange, name)
			continue
		}
		numbers[name] = n
		list = append(list, itemRef{name, e.ID})
	}
	input.SortStable(list, func(a, b itemRef) int {
		return cmp.Or(cmp.Compare(numbers[a.dir], numbers[b.dir]), cmp.Compare(a.dir, b.dir))
	})
	return list, strange, nil
}

// ArchiveCheck is how an archive is checked.
type ArchiveCheck struct {
	Since string // a commit of the branch that the auditor kept; "" for none
	// Content gets each item and what was read of its bundle; nil for none. It is called from several goroutines.
	Content func(*archive.Item, Contents)
	// Visit gets each item after its content was read, in the order of the numbers; nil for none.
	Visit func(*archive.Item) error
}

// Check checks an archive: its entries, their bundles, and the earlier commits of the branch that the clone has. The error says that
// an object is missing or damaged: then nothing is known.
func (a *Archive) Check(how ArchiveCheck) (*archive.Check, error) {
	list, strange, err := a.items()
	if err != nil {
		return nil, err
	}
	var past *past
	var pastErr error
	var reading sync.WaitGroup
	reading.Go(func() { past, pastErr = a.history(how.Since) })
	defer reading.Wait()
	c := archive.NewChecker()
	c.RefusePaths(strange)
	content := func(it *archive.Item) error {
		read, err := a.read(it)
		if err == nil && how.Content != nil {
			how.Content(it, read)
		}
		return err
	}
	err = a.walk(list, content, func(it *archive.Item) error {
		c.Add(it)
		if how.Visit == nil {
			return nil
		}
		return how.Visit(it)
	})
	reading.Wait()
	if err := cmp.Or(err, pastErr); err != nil {
		return nil, err
	}
	state, err := a.File(archive.StateFile)
	if err != nil {
		return nil, err
	}
	result := c.End(state)
	for _, note := range slices.Concat(past.wrong, past.touched) {
		note(c)
	}
	result.Complete = past.complete
	return result, nil
}

// walk reads items, with as many workers as there are processors, and visits them in their order. A hundred of them are in memory.
func (a *Archive) walk(list []itemRef, content func(*archive.Item) error, visit func(*archive.Item) error) error {
	for part := range slices.Chunk(list, archive.GroupSize) {
		items, errs := make([]*archive.Item, len(part)), make([]error, len(part))
		collect.Parallel(len(part), func(i int) {
			items[i], errs[i] = a.item(part[i])
			if errs[i] == nil {
				errs[i] = content(items[i])
			}
		})
		for i, it := range items {
			if errs[i] != nil {
				return errs[i]
			}
			if err := visit(it); err != nil {
				return err
			}
		}
	}
	return nil
}

// item reads an item.
func (a *Archive) item(ref itemRef) (*archive.Item, error) {
	entries, err := a.git.repo.Tree(ref.id)
	if err != nil {
		return nil, archiveFixed(err)
	}
	var data []byte
	var bundle git.Entry
	var strange []string
	for _, e := range entries {
		switch {
		case e.Name == archive.EntryFile && e.Mode == git.ModeFile:
			if data, err = a.git.regularBlob(e, archive.MaxEntryBytes); err != nil {
				return nil, err
			}
		case e.Name == archive.BundleDir && e.Mode == git.ModeTree:
			bundle = e
		default:
			strange = append(strange, e.Name)
		}
	}
	it := archive.NewItem(ref.dir, data)
	it.UnknownPaths = strange
	if bundle.Mode == git.ModeTree {
		l := &lister{git: a.git, item: it}
		if err := l.tree(bundle.ID, ""); err != nil {
			return nil, err
		}
	}
	input.SortStable(it.Files, func(a, b archive.Stored) int { return cmp.Compare(a.Path, b.Path) })
	return it, nil
}

// lister lists the files of a bundle.
type lister struct {
	git  *Clone
	item *archive.Item
	read int
}

// maxListedFiles is how many entries of trees are read for one bundle.
const maxListedFiles = 10 * archive.MaxFiles

func (l *lister) tree(id git.ID, prefix string) error {
	entries, err := l.git.repo.Tree(id)
	if err != nil {
		return archiveFixed(err)
	}
	if len(entries) == 0 {
		l.item.UnknownPaths = append(l.item.UnknownPaths, path.Join(archive.BundleDir, prefix))
	}
	for _, e := range entries {
		if l.read++; l.read > maxListedFiles || len(prefix) > 4096 {
			l.item.UnknownPaths = append(l.item.UnknownPaths, path.Join(archive.BundleDir, prefix+e.Name))
			return nil
		}
		if e.Mode == git.ModeTree {
			if err := l.tree(e.ID, prefix+e.Name+"/"); err != nil {
				return err
			}
			continue
		}
		f := archive.Stored{File: archive.File{Path: prefix + e.Name}, ID: e.ID.String()}
		if e.Mode != git.ModeFile {
			f.Problem = fmt.Sprintf("its mode is %06o", e.Mode)
		}
		l.item.Files = append(l.item.Files, f)
	}
	return nil
}

// Contents are files of a bundle that are as the entry lists them, by their paths: those that are not too large to be kept.
type Contents map[string][]byte

// maxContents is how many bytes of a bundle are kept.
const maxContents = 4 << 20

// read reads the files of a bundle that the entry lists, and notes sizes and digests.
func (a *Archive) read(it *archive.Item) (Contents, error) {
	kept, left := Contents{}, maxContents
	for i := range it.Files {
		f := &it.Files[i]
		want, listed := it.Listed(f.Path)
		if !listed || f.Problem != "" {
			continue
		}
		data, err := a.blob(f.ID, want.Bytes)
		switch {
		case errors.Is(err, collect.ErrTooLarge):
			f.Problem = fmt.Sprintf("it has more than %d bytes", min(want.Bytes, maxArchived))
		case err != nil:
			return nil, err
		default:
			f.Bytes, f.SHA256 = int64(len(data)), input.Digest(data)
			if f.File == want && len(data) <= left {
				kept[f.Path], left = data, left-len(data)
			}
		}
	}
	return kept, nil
}

func (a *Archive) blob(id string, limit int64) ([]byte, error) {
	data, err := a.git.Blob(id, min(limit, maxArchived))
	if err != nil && !errors.Is(err, collect.ErrTooLarge) {
		return nil, archiveFixed(err)
	}
	return data, err
}

// Bundle gives the inputs of an entry's decision, and the report that was written then. Each file is read when it is opened, and
// must have the digest that the entry lists; those that were read before are not read again. The report is nil when the archive does
// not have it.
func (a *Archive) Bundle(it *archive.Item, before Contents) (*collect.Found, []byte, error) {
	files := map[string]verify.Opener{}
	for _, f := range it.Files {
		if want, listed := it.Listed(f.Path); listed && f.Problem == "" {
			files[f.Path] = func() (io.ReadCloser, error) {
				if data, ok := before[f.Path]; ok {
					return io.NopCloser(bytes.NewReader(data)), nil
				}
				data, err := a.blob(f.ID, want.Bytes)
				if err == nil && (int64(len(data)) != want.Bytes || input.Digest(data) != want.SHA256) {
					err = fmt.Errorf("the archive has another content than %s/%s lists", it.Dir, archive.EntryFile)
				}
				return io.NopCloser(bytes.NewReader(data)), err
			}
		}
	}
	found, err := collect.BundleFrom(files, path.Join(it.Dir, archive.BundleDir))
	if err != nil {
		return nil, nil, err
	}
	open := files[report.FileName]
	if open == nil {
		return found, nil, nil
	}
	file, err := open()
	if err != nil {
		return nil, nil, err
	}
	data, err := collect.ReportFrom(file)
	return found, data, err
}

// ErrNoBundle says that there is nothing to withdraw.
var ErrNoBundle = errors.New("nothing can be withdrawn")

// Withdrawal checks the archive, and finds the entry whose bundle is withdrawn. The reason is left to the caller.
func (g *Clone) Withdrawal(ref string, seq int64) (*archive.Withdrawal, error) {
	a, err := g.Archive(ref)
	if err != nil {
		return nil, err
	}
	d := &archive.Withdrawal{Commit: a.Commit, Date: a.Date}
	check, err := a.Check(ArchiveCheck{Visit: func(it *archive.Item) error {
		if it.Entry != nil && it.Entry.Seq == seq && len(it.Files) > 0 {
			d.Entry = it.Entry
		}
		return nil
	}})
	if err != nil {
		return nil, err
	}
	if len(check.Problems) > 0 {
		return nil, fmt.Errorf("%w: the archive is not intact; closeout audit shows why", ErrNoBundle)
	}
	if d.Entry == nil {
		return nil, fmt.Errorf("%w: the archive has %d entries, and none with the number %d that has a bundle", ErrNoBundle, check.Size, seq)
	}
	data, err := a.File(archive.StateFile)
	if err == nil {
		d.State, _ = archive.ReadState(data) // it was read before
	}
	return d, err
}
