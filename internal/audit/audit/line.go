package audit

import "fmt"

// Commit is a commit of the line of first parents of a branch.
type Commit struct {
	ID      string
	Seconds int64 // the committer's clock; a person who makes a commit chooses it
	Subject string
	Author  string
}

// Line is the line of first parents of a branch, the newest commit first.
type Line struct {
	Commits []Commit
	// Incomplete says that the clone does not contain the commits before the oldest one.
	Incomplete bool
	at         map[string]int
}

// NewLine makes a line of commits, the newest first.
func NewLine(commits []Commit) *Line {
	l := &Line{Commits: commits, at: make(map[string]int, len(commits))}
	for i, c := range commits {
		l.at[c.ID] = i
	}
	return l
}

// At is the position of a commit, 0 for the newest one; ok is false when the line does not contain it.
func (l *Line) At(id string) (at int, ok bool) {
	at, ok = l.at[id]
	return at, ok
}

// Parent is the first parent of the commit at a position; "" when the line ends with it.
func (l *Line) Parent(at int) string {
	if at+1 < len(l.Commits) {
		return l.Commits[at+1].ID
	}
	return ""
}

// Date is the day of the commit at a position, YYYY-MM-DD in UTC.
func (l *Line) Date(at int) string { return civil(dayOf(l.Commits[at].Seconds)) }

// The first and the last day that a date can name: 0001-01-01 and 9999-12-31, as days since 1970-01-01.
const (
	firstDay = -719162
	lastDay  = 2932896
)

const secondsPerDay = 24 * 60 * 60

// dayOf is the day of a second, as days since 1970-01-01.
func dayOf(seconds int64) int {
	d := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		d--
	}
	return int(min(max(d, firstDay), lastDay))
}

// civil writes a day as YYYY-MM-DD, in the calendar of today also for the past.
func civil(day int) string {
	year, month, dom := split(day)
	return fmt.Sprintf("%04d-%02d-%02d", year, month, dom)
}

// split takes a day apart. It counts from March, so that the leap day is the last day of a year, in eras of 400 years.
func split(day int) (year, month, dom int) {
	const era = 146097
	z := day + 719468
	eras := z / era
	rest := z % era
	years := (rest - rest/1460 + rest/36524 - rest/146096) / 365
	inYear := rest - (365*years + years/4 - years/100)
	march := (5*inYear + 2) / 153
	dom, month, year = inYear-(153*march+2)/5+1, march+3, years+eras*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, dom
}

// monday is the first day of the week of a day.
func monday(day int) int { return day - ((day+3)%7+7)%7 }
