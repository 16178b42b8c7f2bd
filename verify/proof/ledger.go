// Package proof reduces the feedback logs, as they stream in, to what a decision needs.
//
// It keeps a tally for each criterion and stream, 16 bytes for each command id, and the open null exits: memory grows with
// the number of criteria and ids, not with the size of the logs.
package proof

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/feedback"
	"github.com/closeout-gate/closeout/verify/input"
)

// Config says what to look for.
type Config struct {
	TaskID    string
	HeadTasks []string // the task ids of contracts that only the change contains
	Tasks     []string // other task ids whose records count
	Criteria  []contract.Criterion
	Head      []bool // of each criterion, whether only the contract of the change names it; nil: none of them
	// HeadCommands are criteria that only the contract of another change of the merge group names.
	HeadCommands  []contract.Criterion
	RulesRun      []string // the command that writes the rule report; nil when there is none
	AcceptedTrees []string // nil: no tree is known, so no record can be bound or stale
	Egress        []string // allowed hosts; nil: not enforced
	Companions    []Companion
	Composed      []string // trees that are composed from base and head: their records count elsewhere
	// Tree limits the ledger to records that begin on this tree; "" is no limit.
	Tree string
}

// Ledger is what all logs say. Streams are filled one after another.
type Ledger struct {
	Streams  []*Stream
	Memory   *Memory // nil: without bound
	config   Config
	criteria map[string][]int // command key → indexes into Criteria
	tasks    map[string]bool
	heads    map[string]bool // keys of HeadCommands
	// headWords are keys, without directory, of all commands that only contracts of changes name: the directory of a record
	// may be unknown.
	headWords map[string]bool
	rules     string // key of RulesRun
	accepted  map[string]bool
	egress    map[string]bool

	names, digests  map[string]bool // of companions: the file names without directories
	made, madeBytes int             // what the streams remember of them
	roots           []string        // of work trees in which they were written, at most maxRoots
	overflow        bool            // and there was more
	indexed         sync.Once
	byName          map[string][]made // what streams remember, by the name of the file; set by index
	namedIn         map[string][]int  // digest of a companion → streams in which a record names it
}

// New returns an empty ledger.
func New(c Config) *Ledger {
	l := &Ledger{
		config: c, criteria: map[string][]int{}, accepted: set(c.AcceptedTrees), egress: set(c.Egress),
		tasks: set(append(slices.Clip(c.Tasks), c.TaskID)), heads: map[string]bool{}, headWords: map[string]bool{},
		names: map[string]bool{}, digests: map[string]bool{},
	}
	for i, criterion := range c.Criteria {
		key := string(appendKey(nil, criterion.Run, criterion.Cwd))
		l.criteria[key] = append(l.criteria[key], i)
		if l.isHead(i) {
			l.headWords[string(appendKey(nil, criterion.Run, ""))] = true
		}
	}
	for _, criterion := range c.HeadCommands {
		l.heads[string(appendKey(nil, criterion.Run, criterion.Cwd))] = true
		l.headWords[string(appendKey(nil, criterion.Run, ""))] = true
	}
	if c.RulesRun != nil {
		l.rules = string(appendKey(nil, c.RulesRun, "."))
	}
	for _, companion := range c.Companions {
		l.names[path.Base(companion.Path)] = true
		if companion.Declared != "" {
			l.names[path.Base(companion.Declared)] = true
		}
		l.digests[companion.SHA256] = true
	}
	return l
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[s] = true
	}
	return m
}

// appendKey encodes a command as a unique key: each element is preceded by its length.
func appendKey(buf []byte, argv []string, cwd string) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(cwd)))
	buf = append(buf, cwd...)
	for _, arg := range argv {
		buf = binary.AppendUvarint(buf, uint64(len(arg)))
		buf = append(buf, arg...)
	}
	return buf
}

// digest is a short hash of a command or an id.
type digest [16]byte

func digestOf(b []byte) digest {
	sum := sha256.Sum256(b)
	return digest(sum[:16])
}

// Attempt is a record that matches a criterion.
type Attempt struct {
	Line      int
	SHA256    string // of the line
	Exit      *int64
	Stale     bool   // its trees are equal and none of the accepted ones
	StaleTree string // the tree of a stale one
	Dirty     bool   // its trees differ, or files had other bytes
	Trees     bool   // it names both trees
	Foreign   bool   // it is of the contract of the change, and the criterion is not
	Output    Output
	Said      feedback.Said // of one that did not end as expected or ran no test; the zero value when the ledger keeps too much

	ChangedPaths []string // of a stale or dirty one, as in the record
	OtherBytes   string   // which files had other bytes, and why; "" for none
}

// Tally sums up the attempts at one criterion, of one level, in one stream.
type Tally struct {
	Attempts int64
	Failures int64 // attempts that did not end as the criterion expects, the last one included
	Last     Attempt
}

// criterionTally separates bound and unbound records.
type criterionTally struct {
	claimed, bound Tally
	last           *Tally // the one with the last record of the stream
}

// Met reports whether an exit code is what a criterion expects. A negative control must have failed by itself, and know that it
// did.
func Met(c *contract.Criterion, exit *int64) bool {
	switch {
	case exit == nil:
		return false
	case c.ExpectFail:
		return *exit != 0 && !Cut(*exit) && !SaysUnknown(c, exit)
	default:
		return *exit == 0
	}
}

// SaysUnknown reports whether an exit code is one by which the command of a criterion says that it cannot know.
func SaysUnknown(c *contract.Criterion, exit *int64) bool {
	return exit != nil && slices.Contains(c.UnknownExit, *exit)
}

// Cut reports whether an exit code says that the command did not end by itself, which proves nothing: 124 is a timeout, 126
// and 127 mean that it could not be started, and a negative code or 128 plus the number of a signal that it was killed.
func Cut(exit int64) bool {
	const signals = 64
	return exit < 0 || exit == 124 || exit == 126 || exit == 127 || (128 < exit && exit <= 128+signals)
}

// Stream is one log. Its records are added in order.
type Stream struct {
	Name     string
	Records  int64 // all of them
	Foreign  int64 // records of another task
	Duration int64 // milliseconds of the records of this task; saturates

	Gaps      []Gap
	GapsMore  int // gaps beyond MaxDetails
	Nonzero   Commands
	Hosts     Commands // hosts that are not allowed
	Unseen    int64    // records without network_hosts
	UnseenAt  int      // line of the first of them
	Tampered  Commands // changes of the log that a recorder detected
	Unsettled int      // null exits still open beyond MaxOpen

	ledger  *Ledger
	tallies map[int]*criterionTally
	foreign map[int]int64              // criterion → matching records of another task
	idle    map[int]int64              // criterion → records of the contract of the change that cannot count for it
	makers  map[slot]map[string]*maker // commands that wrote reports, by their key
	named   map[string]bool            // digests of companions that a record names
	ids     map[digest]struct{}
	order   order
	open    openNulls
	key     []byte
}

// MaxDetails is how many details of one kind a stream keeps; the rest are counted.
const MaxDetails = 1000

// Stream starts a new log.
func (l *Ledger) Stream(name string) *Stream {
	s := &Stream{
		Name: name, ledger: l, tallies: map[int]*criterionTally{}, foreign: map[int]int64{}, idle: map[int]int64{},
		makers: map[slot]map[string]*maker{}, named: map[string]bool{}, ids: map[digest]struct{}{},
	}
	l.Streams = append(l.Streams, s)
	s.remember(weightDetail)
	return s
}

// Add adds the next record.
func (s *Stream) Add(r *feedback.Record) {
	if s.ledger.config.Tree != "" && s.ledger.config.Tree != r.TreeBefore {
		return
	}
	s.Records++
	s.checkOrder(r)
	if r.Tampered != "" { // for any task: it is about the log, not a run of a command
		s.Tampered.add(s, digestOf([]byte(r.Tampered)), r.Pos.Line, func() Command { return Command{Text: short(r.Tampered)} })
		return
	}
	if slices.Contains(s.ledger.config.Composed, r.TreeBefore) {
		s.addHosts(r)
		return
	}
	if r.TaskID != "" && !s.ledger.tasks[r.TaskID] {
		s.Foreign++
		for _, i := range s.match(r) {
			if s.foreign[i]++; s.foreign[i] == 1 {
				s.remember(weightLink)
			}
		}
		return
	}
	if s.Duration > math.MaxInt64-r.DurationMS {
		s.Duration = math.MaxInt64
	} else {
		s.Duration += r.DurationMS
	}
	s.addHosts(r)
	matches := s.match(r)
	by := s.ledger.owner(r, s.key, matches)
	s.addProduced(r, by, matches)
	for _, i := range matches {
		// A record of the contract of the change can show that a standing criterion is not met, but not that it is.
		if by != ofHead || s.ledger.isHead(i) || !Met(&s.ledger.config.Criteria[i], r.Exit) {
			s.addAttempt(i, r)
			s.tallies[i].last.Last.Foreign = by == ofHead && !s.ledger.isHead(i)
		} else if s.idle[i]++; s.idle[i] == 1 {
			s.remember(weightLink)
		}
	}
	s.settle(r)
	if len(matches) == 0 {
		s.addOther(r)
	}
}

// match returns the criteria that the record matches, and leaves the key of the command in s.key. A command line for a shell
// matches none, but equals others with the same text: its key begins with a zero byte, which no key of a list of words does,
// as those begin with the length of a cwd.
func (s *Stream) match(r *feedback.Record) []int {
	s.key = s.key[:0]
	switch {
	case r.Cwd == "":
		return nil
	case r.Argv == nil && r.Shell == "":
		return nil
	case r.Argv == nil:
		s.key = appendKey(append(s.key, 0), []string{r.Shell}, r.Cwd)
		return nil
	}
	s.key = appendKey(s.key[:0], r.Argv, r.Cwd)
	return s.ledger.criteria[string(s.key)]
}

// level returns how far a record is bound to the judged code.
func (s *Stream) level(r *feedback.Record) input.Level {
	if r.TreeBefore != "" && r.TreeBefore == r.TreeAfter && r.OtherBytes == "" && s.ledger.accepted[r.TreeBefore] {
		return input.Bound
	}
	return input.Claimed
}

func (s *Stream) addAttempt(i int, r *feedback.Record) {
	t := s.tallies[i]
	if t == nil {
		t = &criterionTally{}
		s.tallies[i] = t
		s.remember(weightDetail)
	}
	tally := &t.claimed
	if s.level(r) == input.Bound {
		tally = &t.bound
	}
	t.last = tally
	tally.Attempts++
	c := &s.ledger.config.Criteria[i]
	met := Met(c, r.Exit)
	if !met {
		tally.Failures++
	}
	before, said := len(tally.Last.ChangedPaths), tally.Last.Said
	tally.Last = s.attempt(r)
	s.remember(weightDetail * int64(max(len(tally.Last.ChangedPaths)-before, 0)))
	// Elsewhere the output cannot matter: a record that did not end as expected, or one attempt too many, is a finding anyway.
	if met && tally.Attempts <= c.MaxAttempts {
		text := r.AppendOutput(nil)
		tally.Last.Output = ReadOutput(text, c.Run, r.Cut, c.ExpectFail)
		if c.TestReport == "" && !c.ExpectFail { // a report counts, and a control should fail
			tally.Last.Output.Failure, tally.Last.Output.Silent = summary(r.Printed(0), r.Printed(1), c.Run)
		}
	}
	output := &tally.Last.Output
	tally.Last.Said = s.ledger.Memory.keep(said, r, !met || vacuous(output.Proof) || output.Failure != "")
}

// maxOtherBytes is how much of other_bytes an attempt keeps: it is only shown.
const maxOtherBytes = 1000

func (s *Stream) attempt(r *feedback.Record) Attempt {
	a := Attempt{Line: r.Pos.Line, SHA256: input.Digest(r.Line)}
	if r.Exit != nil {
		exit := *r.Exit // the record is overwritten when the next line is read
		a.Exit = &exit
	}
	a.Trees = r.TreeBefore != "" && r.TreeAfter != ""
	a.OtherBytes = strings.Clone(input.CutTo(r.OtherBytes, maxOtherBytes))
	a.Dirty = r.OtherBytes != "" || (a.Trees && r.TreeBefore != r.TreeAfter)
	a.Stale = a.Trees && !a.Dirty && s.ledger.config.AcceptedTrees != nil && !s.ledger.accepted[r.TreeBefore]
	if a.Dirty || a.Stale {
		a.ChangedPaths = r.ChangedPaths
	}
	if a.Stale {
		a.StaleTree = strings.Clone(r.TreeBefore)
	}
	return a
}

func (s *Stream) addHosts(r *feedback.Record) {
	if s.ledger.config.Egress == nil {
		return
	}
	if !r.HostsGiven {
		if s.Unseen == 0 {
			s.UnseenAt = r.Pos.Line
		}
		s.Unseen++
	}
	for _, h := range r.Hosts {
		host := strings.ToLower(strings.TrimSuffix(h, "."))
		if !s.ledger.egress[host] {
			s.Hosts.add(s, digestOf([]byte(host)), r.Pos.Line, func() Command { return Command{Text: short(host)} })
		}
	}
}

// addOther adds a command that is not a criterion.
func (s *Stream) addOther(r *feedback.Record) {
	switch {
	case r.Exit == nil:
		s.open.add(s, r)
	case *r.Exit != 0:
		exit := *r.Exit
		s.Nonzero.add(s, digestOf(s.key), r.Pos.Line, func() Command {
			return Command{Text: commandText(r), Cwd: short(r.Cwd), Exit: exit}
		})
	}
}

// Memory counts what all ledgers that share it keep from logs. One command id counts as one; see the weights. What is kept
// only to be shown has limits of its own, and never fills the memory.
type Memory struct {
	used, most int64
	said       int // bytes of what records say
}

// NewMemory returns a memory for the given number of ids.
func NewMemory(most int64) *Memory { return &Memory{most: most} }

// Full reports whether the limit is exceeded.
func (m *Memory) Full() bool { return m != nil && m.used > m.most }

// The weights, by the memory that is used.
const (
	weightID     = 1
	weightLink   = 4  // an entry of a map with a text
	weightDetail = 25 // a detail of a finding, a log, or the tally of a criterion in a log
)

// remember counts memory.
func (s *Stream) remember(weight int64) {
	if m := s.ledger.Memory; m != nil {
		m.used += weight
	}
}

// maxSaid is how many bytes of what records say are kept.
const maxSaid = 4 << 20

// keep replaces what an earlier record said by what a record says, if it is to be shown and there is room.
func (m *Memory) keep(said feedback.Said, r *feedback.Record, shown bool) feedback.Said {
	if m == nil {
		m = &Memory{}
	}
	m.said -= said.Size()
	if !shown || m.said+3*feedback.MaxSaid > maxSaid {
		return feedback.Said{}
	}
	said.Keep(r)
	m.said += said.Size()
	return said
}
