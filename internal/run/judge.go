package run

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/schema"
	"github.com/closeout-gate/closeout/verify"
	"github.com/closeout-gate/closeout/verify/input"
	"github.com/closeout-gate/closeout/verify/report"
)

// ToStdout is the report path that means standard output.
const ToStdout = "-"

// Begin removes an older report before anything is collected, and prepares to write a failing one when a signal ends the
// process.
func Begin(path string, s verify.Settings, std console.Streams) (*collect.Stale, *Watch, error) {
	var old *collect.Stale
	if path != ToStdout {
		var err error
		if old, err = collect.RemoveStale(path); err != nil {
			return nil, nil, err
		}
	}
	return old, ReportOnSignal(path, s, std), nil
}

// JudgeAndWrite judges and writes the report, whatever happens; it returns the report that was written.
func JudgeAndWrite(b *verify.Bundle, path string, w *Watch, std console.Streams) (*report.Report, error) {
	go validators() // compiling the schema takes as long as judging a small bundle
	r := Judge(b)
	if err := w.Decide(func() error { return WriteReport(r, path, std) }); err != nil {
		return nil, err
	}
	return r, nil
}

// IntoBundle writes the report into the bundle that was written beside it, so that the bundle can be replayed.
func IntoBundle(r *report.Report, bundle, path string, std console.Streams) error {
	own := filepath.Join(bundle, report.FileName)
	if bundle == "" || collect.SameFile(own, path) {
		return nil
	}
	return WriteReport(r, own, std)
}

// Caught turns a panic into an error, so that the caller can still write a failing report.
func Caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(present.NewWriter(os.Stderr), "closeout: internal error: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return do()
}

// Judge judges; a panic becomes a failing report.
func Judge(b *verify.Bundle) (r *report.Report) {
	broken := Caught(func() error {
		r = verify.Judge(b)
		return nil
	})
	if broken != nil {
		return verify.Failure(verify.CodeInternal, "the gate failed while it judged", "report this with the bundle that shows it", b.Settings)
	}
	return r
}

// WriteReport validates a report against its schema and writes its canonical bytes.
func WriteReport(r *report.Report, path string, std console.Streams) error {
	data, err := ValidReport(r)
	if err != nil {
		return err
	}
	if path == ToStdout {
		_, err := console.JSON(std.Out).Write(data)
		return err
	}
	if err := collect.Write(path, data); err != nil {
		return err
	}
	if filepath.Base(path) != report.FileName { // a report of that name is not code, wherever it is
		TellCode(path, std)
	}
	return nil
}

// TellCode says that a file which was just written is in the repository, where git does not ignore it.
func TellCode(path string, std console.Streams) {
	if collect.BecomesCode(path) {
		std.Tell("", "%s is in the repository, and git does not ignore it: it is code of the next record. Let git ignore it, or "+
			"write it elsewhere", input.QuotePath(path))
	}
}

// ValidReport is a report's canonical bytes. A report that does not match its schema is a bug, and must not be
// published as a decision.
func ValidReport(r *report.Report) ([]byte, error) {
	v := validators()
	if v.err != nil {
		return nil, v.err
	}
	return report.CanonicalChecked(r, v.whole, v.files)
}

// validators check a report against its schema. They are made once, when they are first used.
var validators = sync.OnceValue(func() (v struct {
	whole, files func([]byte) error
	err          error
}) {
	v.whole, v.files, v.err = schema.ReportValidators()
	return v
})

// Watch waits for a signal that ends the process.
type Watch struct {
	mu      sync.Mutex // held while a report is written
	Decided bool
	signals chan os.Signal
	done    chan struct{}
	stopped sync.Once
}

// ReportOnSignal writes a failing report when the process is told to end before it has decided, and does what comes last.
func ReportOnSignal(path string, s verify.Settings, std console.Streams, last ...func() error) *Watch {
	w := &Watch{signals: make(chan os.Signal, 1), done: make(chan struct{})}
	signal.Notify(w.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case <-w.done:
		case sig := <-w.signals:
			w.end(sig, path, s, std, last)
		}
	}()
	return w
}

// end ends the process. A report that was written stays: the decision was made.
func (w *Watch) end(sig os.Signal, path string, s verify.Settings, std console.Streams, last []func() error) {
	w.mu.Lock() // for good: no other report may follow
	err := fmt.Errorf("ended by the signal %q", sig)
	if !w.Decided {
		r := verify.Failure(verify.CodeInternal, "the gate was ended by a signal before it had decided", "run the gate again", s)
		err = errors.Join(err, WriteReport(r, path, std))
	}
	for _, do := range last {
		err = errors.Join(err, do())
	}
	std.Tell("", "%v", err)
	os.Exit(ExitUsage)
}

// Decide writes the report, unless a signal came before.
func (w *Watch) Decide(write func() error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := write()
	w.Decided = err == nil
	return err
}

// Stop ends the watch; signals end the process as usual then.
func (w *Watch) Stop() {
	w.stopped.Do(func() {
		signal.Stop(w.signals)
		close(w.done)
	})
}

// FileSHA256 is the digest of a report that was written; "" when there is none, or something else in its place.
func FileSHA256(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return input.Digest(data)
}
