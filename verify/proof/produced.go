package proof

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// Companion is a report: its file, and the commands whose records may confirm it.
type Companion struct {
	Path string // that the report names
	// Declared is the path that a contract declares for it, where Path is a name in a bundle; "" when there is none.
	Declared string
	SHA256   string
	// Rules limits it to the command that writes the rule report.
	Rules bool
	// Exact requires that a record names the file with this path.
	Exact bool
	// Only limits it to the criteria with these indexes; nil is no limit.
	Only []int
	// Own are criteria of the contract of the change whose records confirm it as well; those of its other criteria never do.
	Own []int
}

// Vouched is what the logs say about a companion.
type Vouched struct {
	Level  input.Level
	Denied Denial // why a record that names the file does not confirm it; "" when there is none
	Clash  *Clash // nil when there is none
	Clean  bool   // a record confirms it, and each one that does has exit code 0
	Root   string // of the work tree, as all records that confirm it name it; "" when they differ or name none
	// Streams are the names of the logs with a record that confirms it.
	Streams []string
}

// Denial says why the records that name a file do not confirm it.
type Denial string

// The denials, the one that explains most first.
const (
	DeniedRules     Denial = "only the last record of rules.run with an exit code can confirm it"
	DeniedCriterion Denial = "only records of the criterion in coverage.criterion can confirm it"
	DeniedHead      Denial = "the record that names it belongs to the contract of the change"
	DeniedPath      Denial = "no last record of a command names it with this path and content"
	DeniedMany      Denial = "too many records name reports"
)

// Clash is a file that two commands of one log wrote with different content.
type Clash struct {
	Stream        string
	Line          int // of the later record
	Path          string
	First, Second string
}

// Limits of what a ledger keeps about reports that commands wrote.
const (
	maxMade      = 10_000
	maxMadeBytes = 16 << 20
	maxRoots     = 100
	maxRoot      = 1024 // bytes
)

// maker is a command that wrote reports, with the content of its last record in a stream.
type maker struct {
	command  string // its key
	text     string
	owner    owner
	criteria []int
	rules    bool
	clean    bool // exit code 0
	root     string
	level    input.Level
	line     int
	files    []feedback.Produced // those with the file name of a companion
	revoked  []bool              // of each file, whether a later, unbound record of the command names other content or none
}

// slot separates records that do not replace each other: those of the contract of the change, and those that are bound.
type slot struct{ head, bound bool }

// addProduced keeps what the record says about reports. It replaces what an earlier record of the same command and level
// says. An unbound record replaces nothing of a bound one; in a log with a supplied digest it revokes what it does not
// confirm. For the rule command, the last record with an exit code counts, at any level.
func (s *Stream) addProduced(r *feedback.Record, by owner, matches []int) {
	if len(r.Produced) == 0 && len(s.makers) == 0 {
		return
	}
	rules := s.isRules()
	level := s.level(r)
	at := slot{by == ofHead, level == input.Bound && !rules}
	known, bound := s.makers[at], s.makers[slot{at.head, true}]
	if (len(known)+len(bound) == 0 && len(r.Produced) == 0) || (rules && r.Exit == nil) {
		return
	}
	command := s.commandKey(r)
	if earlier := bound[command]; earlier != nil && !at.bound {
		earlier.revoke(r.Produced)
	}
	before := 0
	if old := known[command]; old != nil {
		before = len(old.files)
		for _, f := range old.files {
			s.ledger.made, s.ledger.madeBytes = s.ledger.made-1, s.ledger.madeBytes-len(f.Path)
		}
		delete(known, command)
	}
	files := s.keep(r.Produced)
	s.remember(weightDetail * int64(max(len(files)-before, 0)))
	if len(files) == 0 {
		return
	}
	if known == nil {
		known = map[string]*maker{}
		s.makers[at] = known
	}
	known[command] = &maker{
		command: command, text: CommandLine(r.Argv), owner: by, criteria: matches, rules: rules, level: level, line: r.Pos.Line, files: files,
		clean: r.Exit != nil && *r.Exit == 0, root: s.ledger.root(r.Root), revoked: make([]bool, len(files)),
	}
}

// root keeps the root of a work tree once; "" when it is not absolute, too long or one too many.
func (l *Ledger) root(root string) string {
	root = strings.TrimSuffix(root, "/")
	if (!strings.HasPrefix(root, "/") && !strings.HasPrefix(root[min(len(root), 1):], ":/")) || len(root) > maxRoot {
		return ""
	}
	if i := slices.Index(l.roots, root); i >= 0 {
		return l.roots[i]
	}
	if len(l.roots) == maxRoots {
		return ""
	}
	l.roots = append(l.roots, root)
	return root
}

// revoke marks the files that a later record does not name with the same content.
func (m *maker) revoke(later []feedback.Produced) {
	last := map[string]string{}
	for _, p := range later {
		last[strings.TrimPrefix(p.Path, "./")] = p.SHA256
	}
	for i, f := range m.files {
		m.revoked[i] = last[f.Path] != f.SHA256
	}
}

// commandKey identifies a command. One that does not split is identified by its line.
func (s *Stream) commandKey(r *feedback.Record) string {
	const longest = 512
	switch {
	case len(s.key) == 0:
		d := digestOf(r.Line)
		return "?" + string(d[:])
	case len(s.key) > longest:
		d := digestOf(s.key)
		return "#" + string(d[:])
	default:
		return "=" + string(s.key)
	}
}

// keep returns the files with the name of a companion. If a record names a path twice, the last one counts.
func (s *Stream) keep(produced []feedback.Produced) []feedback.Produced {
	l := s.ledger
	byPath := map[string]string{}
	for _, p := range produced {
		if l.digests[p.SHA256] && !s.named[p.SHA256] {
			s.remember(weightLink)
			s.named[p.SHA256] = true
		}
		if l.names[path.Base(p.Path)] {
			byPath[strings.TrimPrefix(p.Path, "./")] = p.SHA256
		}
	}
	var files []feedback.Produced
	for _, p := range slices.Sorted(maps.Keys(byPath)) {
		if l.made == maxMade || l.madeBytes+len(p) > maxMadeBytes {
			l.overflow = true
			break
		}
		l.made, l.madeBytes = l.made+1, l.madeBytes+len(p)
		files = append(files, feedback.Produced{Path: p, SHA256: byPath[p]})
	}
	return files
}

// Fits reports whether a file can be the one that a record names by a path in the repository. Artifacts unpack into
// directories, so the path may have a longer prefix; a name in a bundle has no directory at all.
func Fits(file, produced string) bool {
	return file == produced || strings.HasSuffix(file, "/"+produced) || (!strings.Contains(file, "/") && strings.HasSuffix(produced, "/"+file))
}

// made is a file that the last record of a command names.
type made struct {
	*maker
	stream       int
	path, sha256 string
	revoked      bool
}

// index sorts the files of all streams by name, so that thousands of reports are found among thousands of records.
func (l *Ledger) index() {
	l.byName, l.namedIn = map[string][]made{}, map[string][]int{}
	for n, s := range l.Streams {
		for sum := range s.named {
			l.namedIn[sum] = append(l.namedIn[sum], n)
		}
		for _, known := range s.makers {
			for _, m := range known {
				for i, f := range m.files {
					name := path.Base(f.Path)
					l.byName[name] = append(l.byName[name], made{m, n, f.Path, f.SHA256, m.revoked[i]})
				}
			}
		}
	}
	for _, list := range l.byName {
		input.SortStable(list, func(a, b made) int {
			return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.line, b.line), cmp.Compare(a.path, b.path))
		})
	}
}

// Writes reports whether the last record of a command names a file that is called like this one, with any content.
func (l *Ledger) Writes(file string) bool {
	l.indexed.Do(l.index)
	return len(l.byName[path.Base(file)]) > 0
}

// namedLike lists the files in records with the name of the companion, or of the path that is declared for it.
func (l *Ledger) namedLike(c *Companion) []made {
	name, declared := path.Base(c.Path), path.Base(c.Declared)
	list := l.byName[name]
	if c.Declared == "" || declared == name {
		return list
	}
	list = slices.Concat(list, l.byName[declared])
	input.SortStable(list, func(a, b made) int { return cmp.Compare(a.stream, b.stream) })
	return list
}

func (c *Companion) fits(produced string) bool {
	if c.Exact {
		return c.Path == produced
	}
	return Fits(c.Path, produced) || (c.Declared != "" && Fits(c.Declared, produced))
}

// Vouch returns what the logs say about a companion: its level is that of the best record that may confirm it. Call it after
// the last record was added.
func (l *Ledger) Vouch(c *Companion, trust []Trust) Vouched {
	v := Vouched{Level: input.Claimed}
	if l.overflow {
		v.Denied = DeniedMany
		return v
	}
	l.indexed.Do(l.index)
	var list []made // of one stream
	vouched := false
	for _, m := range l.namedLike(c) {
		if !trust[m.stream].Counts || !c.fits(m.path) {
			continue
		}
		if len(list) > 0 && list[0].stream != m.stream {
			v.note(l, list, trust)
			list = list[:0]
		}
		list = append(list, m)
		if m.sha256 != c.SHA256 || (m.revoked && trust[m.stream].Recorded) {
			continue
		}
		if denied := m.denies(c); denied != "" {
			v.Denied = denied
			continue
		}
		v.Clean = m.clean && (v.Clean || !vouched)
		if !vouched {
			v.Root = m.root
		} else if v.Root != m.root {
			v.Root = ""
		}
		v.Streams = append(v.Streams, l.Streams[m.stream].Name)
		vouched, v.Level = true, input.Stronger(v.Level, trust[m.stream].raise(m.level))
	}
	v.note(l, list, trust)
	counts := func(n int) bool { return trust[n].Counts }
	if vouched {
		v.Denied = ""
	} else if v.Denied == "" && slices.ContainsFunc(l.namedIn[c.SHA256], counts) {
		v.Denied = DeniedPath
	}
	return v
}

// note keeps the first clash among the files of one stream.
func (v *Vouched) note(l *Ledger, list []made, trust []Trust) {
	if v.Clash == nil && len(list) > 1 {
		n := list[0].stream
		v.Clash = clash(l.Streams[n].Name, list, trust[n])
	}
}

// raise is the level of a record in a log with this trust.
func (t Trust) raise(level input.Level) input.Level {
	if level == input.Bound && t.Recorded {
		return input.Recorded
	}
	return level
}

// denies says why the command may not confirm a companion; "" when it may.
func (m *maker) denies(c *Companion) Denial {
	among := func(criteria []int) bool {
		return slices.ContainsFunc(m.criteria, func(i int) bool { return slices.Contains(criteria, i) })
	}
	switch {
	case m.owner == ofHead && !among(c.Own):
		return DeniedHead
	case c.Rules && !m.rules:
		return DeniedRules
	case c.Only != nil && !among(c.Only):
		return DeniedCriterion
	default:
		return ""
	}
}

// clash finds two commands of one log that wrote one path with different content. It ignores records of a lower level than
// others, unless the workflow supplied the digest of the log: such a log was started for this run.
func clash(stream string, list []made, trust Trust) *Clash {
	best := input.Absent
	for _, m := range list {
		best = input.Stronger(best, m.level)
	}
	byPath := map[string]made{}
	for _, m := range list {
		if m.level != best && !trust.Recorded {
			continue
		}
		first, there := byPath[m.path]
		switch {
		case !there:
			byPath[m.path] = m
		case first.command != m.command && first.sha256 != m.sha256:
			return &Clash{Stream: stream, Line: m.line, Path: m.path, First: first.text, Second: m.text}
		}
	}
	return nil
}
