package policy

import (
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/verify/contract"
	"github.com/closeout-gate/closeout/verify/glob"
)

// Exceptions are the contracts' exceptions from rules, on one day.
type Exceptions struct {
	List  []Exception
	byID  map[string][]int // places in List
	meter *glob.Meter
}

// Exception is one of them, and what became of it.
type Exception struct {
	*Ignore
	Expired, Used bool
	files         *glob.Set
}

// Exceptions makes a list of exceptions ready. On an unknown day, "", none counts.
func (p *Policy) Exceptions(from []Ignore, today string) *Exceptions {
	l := &Exceptions{make([]Exception, len(from)), map[string][]int{}, p.Meter}
	for i := range from {
		ignore := &from[i]
		var globs []glob.Pattern
		for _, f := range ignore.Files {
			globs = append(globs, f.Glob)
		}
		l.List[i] = Exception{Ignore: ignore, files: glob.Compile(globs).Metered(p.Meter), Expired: today == "" || today > ignore.Until}
		for _, rows := range []string{ignore.ID.Value, contract.RowsOf(ignore.ID.Value)} {
			l.byID[rows] = append(l.byID[rows], i)
		}
	}
	return l
}

// Excuse returns the exception for which a rule that failed in some files does not count, the one that lasts longest;
// nil when there is none. Every file must be excused; a failure without a file never is.
func (l *Exceptions) Excuse(id string, files []string) *Ignore {
	var best *Ignore
	for _, i := range l.byID[id] {
		e := &l.List[i]
		if e.Expired || l.meter.Spent() || !e.covers(files) {
			continue
		}
		e.Used = true
		if best == nil || e.Until > best.Until {
			best = e.Ignore
		}
	}
	return best
}

// covers reports whether an exception is for all of some files. None is for a file whose path is written in a
// roundabout way.
func (e *Exception) covers(files []string) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool {
		f = strings.TrimPrefix(f, "./")
		return !e.files.Match(f) || Irregular(f) != ""
	})
}
