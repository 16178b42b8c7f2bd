package ledger

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/feedback"
)

// Near is a recorded command that no criterion names, and that has words of one.
type Near struct {
	Stream string
	Line   int
	Text   string // as [CommandLine] writes it
	Cwd    string // "" when it is not in the repository, or unknown
	Words  []string
	Shell  bool // the command needs a shell, so that it can match no criterion
}

// Limits of what is kept and compared to explain why a criterion was never run.
const (
	maxNear       = 300    // commands
	maxNearBytes  = 1024   // of a command
	maxNearWords  = 32     // of a command that are compared
	maxComparison = 50_000 // comparisons of two commands
)

// addWords notes the words by which a command can be found again behind a wrapper, or in a longer command.
func (l *Ledger) addWords(run []string) {
	for _, word := range run {
		if !strings.HasPrefix(word, "-") {
			l.words[word] = true
		}
	}
}

// addNear keeps a command that may be meant to be that of a criterion: one of its first words is a word of a criterion.
func (s *Stream) addNear(r *feedback.Record) {
	if s.ledger.Memory.fullOfNear() || len(s.key) > maxNearBytes || len(s.key) > 0 && string(s.key) == s.ledger.rules || s.nearBy[string(s.key)] {
		return
	}
	words := r.Argv
	if r.Argv == nil {
		words = strings.Fields(r.Shell[:min(len(r.Shell), maxNearBytes)])
	}
	known := func(word string) bool { return s.ledger.words[word] }
	if !slices.ContainsFunc(words[:min(len(words), 3)], known) {
		return
	}
	key := string(s.key)
	if key == "" { // it ran outside of the repository
		key = string(appendKey(nil, words[:min(len(words), maxNearWords)], ""))
	}
	if s.nearBy == nil {
		s.nearBy = map[string]bool{}
	}
	if !s.nearBy[key] {
		s.nearBy[key] = true
		if m := s.ledger.Memory; m != nil {
			m.near++
		}
		s.near = append(s.near, &Near{
			Stream: s.Name, Line: r.Pos.Line, Text: commandText(r), Cwd: short(r.Cwd), Words: words, Shell: r.Argv == nil,
		})
	}
}

// nearest returns the command that is most like that of a criterion, among the logs that count; nil when none is like it.
func (l *Ledger) nearest(c *contract.Criterion, trust []Trust) *Near {
	var best *Near
	least := 0
	wanted := c.Run[:min(len(c.Run), maxNearWords)]
	for n, s := range l.Streams {
		if !trust[n].Counts {
			continue
		}
		for _, x := range s.near {
			if l.compared++; l.compared > maxComparison {
				return best
			}
			words := x.Words[:min(len(x.Words), maxNearWords)]
			distance := 2 * wordDistance(wanted, words)
			if !alike(wanted, words, distance) {
				continue
			}
			if x.Cwd != c.Cwd {
				distance++ // less than a word
			}
			if best == nil || distance < least {
				best, least = x, distance
			}
		}
	}
	return best
}

// alike reports whether one command may be meant to be the other: half of the words are the same, or the program is, and another
// word. Programs such as sh and make say nothing by themselves. distance is twice [wordDistance].
func alike(wanted, words []string, distance int) bool {
	common := 0
	for _, word := range wanted {
		if slices.Contains(words, word) {
			common++
		}
	}
	half := distance <= max(len(wanted), len(words))
	return common >= min(2, len(wanted), len(words)) && (half || words[0] == wanted[0])
}

// wordDistance is how many words must be added, removed or replaced to make one command of another.
func wordDistance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// fullOfNear reports whether no more commands may be kept.
func (m *Memory) fullOfNear() bool { return m != nil && m.near >= maxNear }

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
