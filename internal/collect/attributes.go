package collect

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/git/gitattr"
	"github.com/closeout-gate/closeout/verify/change"
	"github.com/closeout-gate/closeout/verify/input"
)

// What finding the effects of attributes may cost. Beyond it they are unknown, and every change of a .gitattributes counts.
const (
	maxAttributesFile  = 1 << 20
	maxAttributesFiles = 64 << 20      // all that are read
	maxAttributeSteps  = 2_000_000_000 // an entry of a tree, or a pattern that is matched with a path, takes some of them
	stepsOfEntry       = 1000
	maxEffects         = 100 // of one file
	maxAttributesDepth = 1000
)

// findEffects notes what the changes of .gitattributes files do to other files: those of the merge bases and of the tip
// of the base that the change does not delete, and new ones. Where the effects cannot be determined, no file gets any.
func (c *Comparison) findEffects(bases []string) {
	f := &effectFinder{objects: c.Objects, head: c.Head, tip: c.Base, eval: gitattr.NewEvaluator(), parsed: map[parsedKey]*gitattr.File{}}
	for i := range c.Changes {
		if dir, file := path.Split(c.Changes[i].Path); file == change.AttributesFile {
			f.dirs = append(f.dirs, dir)
		}
	}
	if len(f.dirs) == 0 {
		return
	}
	slices.Sort(f.dirs)
	all := map[effectKey]*change.Effect{}
	for _, base := range bases {
		err := f.since(base)
		switch {
		case errors.Is(err, ErrTooLarge), errors.Is(err, gitattr.ErrUnclear):
			return
		case err != nil:
			c.lacks(f.dirs[0]+change.AttributesFile, err)
			return
		}
		for key, effect := range f.found {
			if known := all[key]; known == nil || known.Files < effect.Files {
				all[key] = effect
			}
		}
	}
	lists := map[string][]change.Effect{}
	for key, effect := range all {
		lists[key.file] = append(lists[key.file], *effect)
	}
	for i := range c.Changes {
		changed := &c.Changes[i]
		list := lists[changed.Path]
		if path.Base(changed.Path) == change.AttributesFile && len(list) <= maxEffects {
			input.SortStable(list, compareEffects)
			changed.Attributes, changed.KeysKnown = append([]change.Effect{}, list...), true
		}
	}
}

// compareEffects orders effects: those that count first, and of them those that have a line.
func compareEffects(a, b change.Effect) int {
	trueLast := func(a, b bool) int {
		return slices.Index([]bool{false, true}, a) - slices.Index([]bool{false, true}, b)
	}
	return cmp.Or(trueLast(a.Hides(), b.Hides()), trueLast(a.Line == 0, b.Line == 0), cmp.Compare(a.Line, b.Line), trueLast(a.New, b.New),
		cmp.Compare(a.Attribute, b.Attribute), cmp.Compare(a.Was, b.Was), cmp.Compare(a.Now, b.Now))
}

// effectFinder compares the attributes of a base with the attributes of the head.
type effectFinder struct {
	objects         Objects
	base, head, tip string   // commits; tip is the tip of the base branch
	dirs            []string // of the .gitattributes files that the change touches, sorted; each but "" ends in a slash
	eval            *gitattr.Evaluator
	parsed          map[parsedKey]*gitattr.File
	read            int64
	found           map[effectKey]*change.Effect
}

type parsedKey struct {
	id   string
	root bool
}

// effectKey is an effect that is noted once for all its files.
type effectKey struct {
	file, attribute, was, now string
	isNew                     bool
}

// levels are the .gitattributes files above a path, the root's first, and the ids of their contents.
type levels struct {
	list []gitattr.Level
	ids  []string // "" where there is no such file
}

// since finds what the head does to the attributes of a base.
func (f *effectFinder) since(base string) error {
	f.base, f.found = base, map[effectKey]*change.Effect{}
	var walked []string
	for _, dir := range f.dirs {
		if err := f.macros(dir); err != nil {
			return err
		}
		if slices.ContainsFunc(walked, func(above string) bool { return strings.HasPrefix(dir, above) }) {
			continue
		}
		walked = append(walked, dir)
		var old, new levels
		for at := 0; at < len(dir); at += strings.IndexByte(dir[at:], '/') + 1 {
			if err := f.descend(dir[:at], &old, &new); err != nil {
				return err
			}
		}
		if err := f.walk(dir, old, new); err != nil {
			return err
		}
	}
	return nil
}

// descend adds the .gitattributes files of a directory, which ends in a slash.
func (f *effectFinder) descend(dir string, old, new *levels) error {
	err := f.add(f.base, dir, old)
	if err == nil {
		err = f.add(f.head, dir, new)
	}
	return err
}

func (f *effectFinder) add(commit, dir string, to *levels) error {
	file, id, err := f.file(commit, dir)
	to.list = append(to.list[:len(to.list):len(to.list)], gitattr.Level{Dir: dir, File: file})
	to.ids = append(to.ids[:len(to.ids):len(to.ids)], id)
	return err
}

// file reads the .gitattributes of a directory. Git reads only regular files.
func (f *effectFinder) file(commit, dir string) (*gitattr.File, string, error) {
	mode, id, found, err := f.objects.Entry(commit, dir+change.AttributesFile)
	if err != nil || !found || !isFile(mode) {
		return &gitattr.File{}, "", err
	}
	key := parsedKey{id, dir == ""}
	if file, known := f.parsed[key]; known {
		return file, id, nil
	}
	data, err := f.objects.Blob(id, maxAttributesFile)
	if err != nil {
		return nil, "", err
	}
	if f.read += int64(len(data)); f.read > maxAttributesFiles {
		return nil, "", ErrTooLarge
	}
	file, err := f.eval.Parse(data, dir == "")
	if err == nil {
		f.parsed[key] = file
	}
	return file, id, err
}

// macros notes definitions that the base's version of a file does not contain.
func (f *effectFinder) macros(dir string) error {
	before, _, err := f.file(f.base, dir)
	if err != nil {
		return err
	}
	after, _, err := f.file(f.head, dir)
	if err != nil {
		return err
	}
	for _, macro := range after.Macros {
		was := gitattr.Unspecified
		same := slices.ContainsFunc(before.Macros, func(m gitattr.Macro) bool {
			if m.Name == macro.Name {
				was = m.Sets
			}
			return m.Name == macro.Name && m.Sets == macro.Sets
		})
		if !same {
			key := effectKey{dir + change.AttributesFile, change.MacroPrefix + macro.Name, display(was), display(macro.Sets), false}
			f.note(key, macro.Line, "")
		}
	}
	return nil
}

// walk compares the attributes of all files in a directory and below it.
func (f *effectFinder) walk(dir string, old, new levels) error {
	if err := f.descend(dir, &old, &new); err != nil {
		return err
	}
	if len(old.list) > maxAttributesDepth {
		return ErrTooLarge
	}
	const head, base, tip = 0, 1, 2 // the tip of the base branch
	var entries [3]map[string]entry
	var names []string
	for i, commit := range [...]string{f.head, f.base, f.tip} {
		if i == tip && f.tip == f.base {
			entries[tip] = entries[base]
			break
		}
		more, err := f.entries(commit, dir)
		if err != nil {
			return err
		}
		entries[i] = more
		names = slices.AppendSeq(names, maps.Keys(more))
	}
	for _, name := range unique(names) {
		var modes [3]change.Mode
		var ids [3]string
		for i := range entries {
			modes[i], ids[i] = entries[i][name].mode, entries[i][name].id
		}
		before, later := isFile(modes[base]), isFile(modes[tip])
		if isFile(modes[head]) || (later && !before) { // it is there after a merge
			f.compare(dir+name, old, new, before || later)
			if f.eval.Steps > maxAttributeSteps {
				return ErrTooLarge
			}
		}
		if modes[head] == DirMode || (modes[tip] == DirMode && ids[tip] != ids[base]) {
			if err := f.walk(dir+name+"/", old, new); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry is a file or a directory.
type entry struct {
	mode change.Mode
	id   string
}

// entries lists a directory of one commit at once: the repository keeps only the commit that was last asked for.
func (f *effectFinder) entries(commit, dir string) (map[string]entry, error) {
	names, err := f.objects.Names(commit, strings.TrimSuffix(dir, "/"))
	if err != nil {
		return nil, err
	}
	all := make(map[string]entry, len(names))
	for _, name := range names {
		f.eval.Steps += stepsOfEntry
		if f.eval.Steps > maxAttributeSteps {
			return nil, ErrTooLarge
		}
		mode, id, _, err := f.objects.Entry(commit, dir+name)
		if err != nil {
			return nil, err
		}
		all[name] = entry{mode, id}
	}
	return all, nil
}

// compare notes which attributes of a file differ. Where case is ignored, a pattern may be for more files.
func (f *effectFinder) compare(name string, old, new levels, existing bool) {
	var noted [len(gitattr.Attributes)]bool
	for _, fold := range []bool{false, true} {
		f.eval.Fold = fold
		before, after := f.eval.Effects(old.list, name), f.eval.Effects(new.list, name)
		for i, attribute := range gitattr.Attributes {
			was, now := before[i], after[i]
			hides := i == gitattr.Diff || i == gitattr.Generated
			switch {
			case was.Value == now.Value || noted[i]:
				continue
			case hides && now.Value == gitattr.Unspecified:
				continue
			case !existing && (now.Value == gitattr.Unspecified || (i != gitattr.Filter && i != gitattr.Encoding)):
				continue
			}
			noted[i] = true
			key := effectKey{"", attribute, display(was.Value), display(now.Value), !existing}
			f.blame(key, old, new, was, now, name)
		}
	}
}

// blame notes an effect at the files that decide about it, and that the change touches. Where both are as before, it is
// a macro, or what a line that is gone overruled: then at every file above the path that the change touches.
func (f *effectFinder) blame(key effectKey, old, new levels, was, now gitattr.Effect, name string) {
	differ := func(at int) bool { return at >= 0 && old.ids[at] != new.ids[at] }
	note := func(at, line int) {
		key.file = new.list[at].Dir + change.AttributesFile
		f.note(key, line, name)
	}
	if differ(now.Level) {
		note(now.Level, now.Line)
	}
	if was.Level != now.Level && differ(was.Level) {
		note(was.Level, 0)
	}
	if differ(now.Level) || differ(was.Level) {
		return
	}
	for at := range new.list {
		if differ(at) {
			note(at, 0)
		}
	}
}

// note adds a file to an effect.
func (f *effectFinder) note(key effectKey, line int, name string) {
	e := f.found[key]
	if e == nil {
		e = &change.Effect{Line: line, Attribute: key.attribute, Was: key.was, Now: key.now, New: key.isNew, Paths: []string{}}
		f.found[key] = e
	}
	if e.Line == 0 || (0 < line && line < e.Line) {
		e.Line = line
	}
	if name == "" {
		return
	}
	const most = 3
	if e.Files++; len(e.Paths) < most {
		e.Paths = append(e.Paths, display(name))
	}
}

// display is a value or a path as messages show it.
func display(text string) string {
	const most = 300
	if len(text) > most {
		text = input.Clip(text)
	}
	return input.QuotePath(text)
}
