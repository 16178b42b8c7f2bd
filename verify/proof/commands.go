package proof

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// Command is a command that a finding names.
type Command struct {
	Text  string // argv, quoted where a shell would need it and cut to a readable length; or a host
	Cwd   string
	Key   [16]byte // distinguishes null exits with the same shortened text; zero where the command does not split
	Exit  int64
	Line  int // of the first occurrence
	Times int
	// NotStarted is true for a null exit where nothing ran, each time: the recorder could not start the command.
	NotStarted bool
	Rules      bool   // the command of rules.run
	Why        string // why that one has no exit code, in the words of the recorder
}

// Commands counts different commands and keeps the first MaxDetails of them. The zero value is empty.
type Commands struct {
	List []*Command // in the order of their lines
	More int        // different ones beyond the list

	listed map[digest]*Command
	beyond map[digest]struct{} // different ones beyond the list: sixteen bytes each
}

// add counts one command; describe is called only when it is new and will be listed.
func (c *Commands) add(s *Stream, key digest, line int, describe func() Command) {
	if c.listed == nil {
		c.listed, c.beyond = map[digest]*Command{}, map[digest]struct{}{}
	}
	if known := c.listed[key]; known != nil {
		known.Times++
		return
	}
	if len(c.List) >= MaxDetails {
		if c.beyond[key] = struct{}{}; len(c.beyond) > c.More {
			s.remember(weightID)
		}
		c.More = len(c.beyond)
		return
	}
	s.remember(weightDetail)
	one := describe()
	one.Line, one.Times = line, 1
	c.listed[key] = &one
	c.List = append(c.List, &one)
}

// MaxOpen is how many null exits may be open at once before the rest are only counted.
const MaxOpen = 100_000

// openNulls are the null exits without a later record that settles them.
type openNulls struct {
	byKey map[digest]*openNull
	byID  map[digest]*openNull
}

// openNull is a command that ended one or more times without an exit code.
type openNull struct {
	Command
	key digest
	ids []digest
}

// add opens a null exit. One without a known directory is identified by its line.
func (o *openNulls) add(s *Stream, r *feedback.Record) {
	if o.byKey == nil {
		o.byKey, o.byID = map[digest]*openNull{}, map[digest]*openNull{}
	}
	key := digestOf(s.key)
	if len(s.key) == 0 {
		key = digestOf(r.Line)
	}
	null := o.byKey[key]
	if null == nil {
		if len(o.byKey) >= MaxOpen {
			s.Unsettled++
			return
		}
		null = &openNull{Command: Command{Text: commandText(r), Cwd: short(r.Cwd), Line: r.Pos.Line, NotStarted: true, Rules: s.isRules()}, key: key}
		if len(s.key) > 0 {
			null.Key = key
		}
		o.byKey[key] = null
		s.remember(weightDetail)
	}
	null.Times++
	null.NotStarted = null.NotStarted && s.nothingRan(r)
	if null.Rules {
		null.Why = r.Problem()
	}
	if r.ID != "" {
		id := digestOf([]byte(r.ID))
		null.ids = append(null.ids, id)
		s.remember(weightLink)
		o.byID[id] = null
	}
}

// nothingRan reports whether a record without an exit code is one of a command that could not be started and changed nothing:
// most often a misspelled name, which no later record of the same command can settle. It proves nothing and hides nothing. The
// command of rules.run has to run. In doubt, as for one outside of the repository, the null exit stays open.
func (s *Stream) nothingRan(r *feedback.Record) bool {
	return r.NotStarted && len(r.Produced) == 0 && r.TreeBefore == r.TreeAfter && len(s.key) > 0 && !s.isRules()
}

// isRules reports whether the current record is one of the command of rules.run.
func (s *Stream) isRules() bool { return len(s.key) > 0 && string(s.key) == s.ledger.rules }

// settle closes the null exits that a record with an exit code settles: those of the same command, and the one that it names
// as its parent.
func (s *Stream) settle(r *feedback.Record) {
	if r.Exit == nil || len(s.open.byKey) == 0 {
		return
	}
	if len(s.key) > 0 {
		s.open.forget(s.open.byKey[digestOf(s.key)])
	}
	if r.Parent != "" {
		s.open.forget(s.open.byID[digestOf([]byte(r.Parent))])
	}
}

func (o *openNulls) forget(null *openNull) {
	if null == nil {
		return
	}
	delete(o.byKey, null.key)
	for _, id := range null.ids {
		delete(o.byID, id)
	}
}

// Open lists the commands whose null exit no record settled, in the order of their lines.
func (s *Stream) Open() []Command {
	var list []Command
	for _, null := range s.open.byKey {
		list = append(list, null.Command)
	}
	input.SortStable(list, func(a, b Command) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return list
}

// maxCommand is the maximum length of a command line in a finding.
const maxCommand = 200

// commandText is the command of a record as text.
func commandText(r *feedback.Record) string {
	if r.Argv == nil && r.Shell != "" {
		return strconv.Quote(short(r.Shell))
	}
	return CommandLine(r.Argv)
}

// CommandLine writes argv as a person would type it: elements with special characters are quoted.
func CommandLine(argv []string) string {
	if argv == nil {
		return "(a command that does not split into words)"
	}
	var b strings.Builder
	for i, arg := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		special := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`'"\$|&;<>()*?[]{}~#!`+"`", r) }
		if arg == "" || strings.ContainsFunc(arg, special) {
			arg = strconv.Quote(arg)
		}
		b.WriteString(arg)
		if b.Len() > maxCommand {
			break
		}
	}
	return short(b.String())
}

// short cuts a text to a readable length, at the end of a character.
func short(s string) string {
	if len(s) <= maxCommand {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:maxCommand], "") + "…"
}
