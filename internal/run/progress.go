package run

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/verify/proof"
	"github.com/closeout-gate/closeout/verify/report"
)

// Progress shows a line for each command: on a terminal one that is updated while the command runs.
type Progress struct {
	To     io.Writer // neutral
	live   io.Writer // a terminal; nil when there is none
	passOn bool      // the output of the commands is shown as they write it

	Command string // that speaks

	Count  int // of commands
	number int // of the current one
	failed []failure

	mu    sync.Mutex // guards what is drawn
	drawn bool       // the live line is on the terminal
	stop  chan struct{}
	done  chan struct{}
}

// failure is a command that did not end as expected.
type failure struct {
	name  string
	tails [2]string
}

func NewProgress(std console.Streams, passOn bool) *Progress {
	p := &Progress{To: std.Err, passOn: passOn, Command: "run"}
	if !passOn && console.IsScreen(console.Bare(std.Err)) {
		p.live = console.Bare(std.Err)
	}
	return p
}

// Say prints a message of the recorder.
func (p *Progress) Say(text string) { p.printLine("closeout " + p.Command + ": " + text) }

// printLine prints a line, above the live one.
func (p *Progress) printLine(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLine()
	fmt.Fprintln(p.To, text)
}

// Start shows that a command starts.
func (p *Progress) Start(s record.Step) {
	p.number++
	line := fmt.Sprintf("[%d/%d] %s", p.number, p.Count, present.Neutral(s.Name))
	switch {
	case p.passOn:
		p.printLine(line + ": " + words(s))
	case p.live != nil:
		p.stop, p.done = make(chan struct{}), make(chan struct{})
		go p.draw(line)
	}
}

// draw draws the live line until the command ends.
func (p *Progress) draw(line string) {
	defer close(p.done)
	start := time.Now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		p.mu.Lock()
		p.clearLine()
		fmt.Fprintf(p.live, "%s … %s", line, short(time.Since(start)))
		p.drawn = true
		p.mu.Unlock()
		select {
		case <-p.stop:
			return
		case <-ticker.C:
		}
	}
}

// clearLine removes what was drawn on the live line.
func (p *Progress) clearLine() {
	if p.drawn {
		io.WriteString(p.live, "\r\x1b[K") // a terminal that is gone does not matter
		p.drawn = false
	}
}

// End shows how a command ended.
func (p *Progress) End(s record.Step, result *record.Result, met bool) {
	p.end()
	text := fmt.Sprintf("[%d/%d] %s: %s, %s", p.number, p.Count, present.Neutral(s.Name), howEnded(s, result, met), short(result.Took))
	if !p.passOn {
		text += " (" + words(s) + ")"
	}
	p.printLine(text)
	if (result.Exit == nil || result.Problem != nil) && result.Why != "" {
		p.printLine("  " + present.Neutral(result.Why))
	}
	if !met || (result.Exit != nil && *result.Exit != 0 && s.Criterion == nil) {
		p.failed = append(p.failed, failure{s.Name, result.Tails})
	}
}

// end ends the live line.
func (p *Progress) end() {
	if p.stop == nil {
		return
	}
	close(p.stop)
	<-p.done
	p.stop = nil
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLine()
}

// showFailed shows the end of the output of each command that failed, once: unless all of it was shown, or printed, a
// report that is printed next, shows it. printed is nil where there is none.
func (p *Progress) showFailed(printed *report.Report) {
	failed := p.failed
	p.failed = nil
	for _, f := range failed {
		if printed != nil && slices.ContainsFunc(printed.Findings, func(x report.Finding) bool { return x.Criterion == f.name && x.Output != nil }) {
			continue
		}
		for i, what := range []string{"standard output", "standard error"} {
			tail := proof.StreamTail(what, f.tails[i]) // of go test -json the text
			if p.passOn || tail == nil {
				continue
			}
			p.printLine(fmt.Sprintf("\n%s: the end of its %s:", present.Neutral(f.name), what))
			for _, line := range tail.Lines {
				p.printLine("  " + present.Neutral(line))
			}
		}
	}
}

// words are the words of a command, as far as they fit.
func words(s record.Step) string {
	const most = 100
	text := []rune(present.Neutral(strings.Join(s.Command.Argv, " ")))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// short is a duration for people.
func short(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
