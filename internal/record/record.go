// Package record runs commands and records them: one line of a feedback log per command, bound to the code by the ids of the
// code tree before and after.
//
// It belongs to the impure half: it starts processes, reads clocks and asks git. Package feedback reads what it writes. The
// order makes a record trustworthy: the tree before the start, the command, the end of everything that the command left
// running, the tree again, and only then the record, so that no process of the command can edit a file after the tree was
// computed.
package record

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/closeout-gate/closeout/internal/record/system"
	"github.com/closeout-gate/closeout/verify/input"
)

// Exit statuses of a recorder, besides those of the command; the same as in GNU timeout.
const (
	StatusTimeout  = 124 // the command timed out
	StatusFailed   = 125 // the recorder itself failed
	StatusNotRun   = 126 // the command could not be started
	StatusNotFound = 127 // there is no such command
	StatusSignal   = 128 // plus the number of the signal that ended the command
)

// Defaults of a recorder.
const (
	DefaultTail  = 16 << 10        // bytes of each output stream that a record keeps
	LargestTail  = 1 << 20         // escaped, it may be six times as long, and the gate reads lines of 16 MiB
	DefaultGrace = 5 * time.Second // between asking a command to end and ending it
	drainTime    = 500 * time.Millisecond
)

// FileName is the name of a feedback log.
const FileName = "feedback_record.jsonl"

// Recorder records commands of one repository in one log. All fields except Commands, Signals, Watch and Tell are required;
// see [Find] for Root.
type Recorder struct {
	Root     string           // of the work tree: absolute, without symlinks
	Git      *Git             // nil records without trees
	Evidence string           // the directory that the code tree excludes, relative to the root, with slashes
	Log      string           // absolute
	Env      []string         // the environment of the caller; a command gets what [system.ChildEnv] leaves
	Stdout   io.Writer        // receives the output of a command
	Stderr   io.Writer        //
	Commands io.Writer        // where GitHub's runner reads workflow commands; nil outside of a workflow
	Tail     int              // bytes kept of each stream
	Grace    time.Duration    // between SIGTERM and SIGKILL
	Signals  <-chan os.Signal // passed on to the command; may be nil
	LogsAway bool             // a tracked log stays away at the end: a gate that is given no digests would read it
	Watch    *Watch           // owns the log, which no other process may write; nil when recorders share a log
	Tell     func(string)     // receives messages for the user; may be nil
	Cross    *Cross           // the tree that the work tree was composed of; nil for the work tree of a change

	aside    trackedAside    // the tracked files of the evidence directory, while commands run
	reported map[string]bool // texts that were reported already
	last     *snapshot       // after the last command: an edit since then counts as one while the next command runs
}

// Command is a command to record.
type Command struct {
	Argv      []string
	Cwd       string // relative to the root, with slashes, normalised; "." is the root
	Task      string // "" when it belongs to none
	Criterion string
	Timeout   time.Duration // 0 is none
	Produces  []string      // files that it writes, relative to the root, with slashes
	Stdout    string        // the one of them that the recorder writes the standard output to, "" when there is none
	Coverage  string        // the one of them that may be tracked outside of the evidence directory, "" when there is none
}

// Result is how a recorded command ended.
type Result struct {
	Exit    *int           // nil when it has no exit code
	Status  int            // what a recorder should exit with
	Signal  syscall.Signal // received while it ran; 0 for none
	Why     string         // the error of the record; "" when it has none
	Took    time.Duration
	Tails   [2]string // the redacted ends of its output: standard output, standard error
	Problem error     // what makes the record worthless
}

// Run runs a command and appends its record. An error means that there is no record.
func (r *Recorder) Run(c Command) (*Result, error) {
	e, path, err := r.prepare(c)
	if err != nil {
		return nil, err
	}
	if err := r.before(e); err != nil {
		return nil, err
	}
	products, err := r.moveProducts(c)
	if err != nil {
		return nil, err
	}
	out, errs := newOutputStream(r.Stdout, r.Tail), newOutputStream(r.Stderr, r.Tail)
	if c.Stdout != "" {
		out.kept = newKeptReport()
	}
	foreign := r.notComposed(e)
	end := Outcome{started: time.Now(), Status: StatusFailed, Problem: foreign, notRun: true}
	if foreign == "" {
		end = r.execute(c, path, out, errs)
	}
	if end.notRun {
		c.Stdout = ""
	}
	e.Exit = end.Exit
	e.StartedAt = end.started.UTC().Format(time.RFC3339)
	e.DurationMS = max(end.Took.Milliseconds(), 0)
	e.StdoutTail, e.StdoutSum, e.Truncations.Stdout, e.Redactions.Stdout = out.end()
	e.StderrTail, e.StderrSum, e.Truncations.Stderr, e.Redactions.Stderr = errs.end()
	missing, problem := r.settle(e, products, c.Stdout, out)
	problem = errors.Join(end.Left, problem, r.after(e))
	if r.Cross != nil {
		e.TreeBefore = r.Cross.Tree // a record of another tree would count for none
	}
	texts := []string{end.Problem, missing}
	if end.notRun {
		texts = texts[:1] // what did not run produced nothing
	}
	if problem != nil {
		texts = append(texts, problem.Error())
	}
	e.Error = strings.ToValidUTF8(oneLine(texts...), "\ufffd")
	e.NotStarted = end.notRun && foreign == "" && problem == nil
	result := &Result{Exit: end.Exit, Status: end.Status, Signal: end.Signal, Why: e.Error, Problem: problem, Took: end.Took, Tails: [2]string{e.StdoutTail, e.StderrTail}}
	if err := r.write(e, result); err != nil {
		return nil, fmt.Errorf("the record could not be written: %w", err)
	}
	if result.Problem != nil {
		result.Status = StatusFailed
	}
	if result.Signal == 0 {
		result.Signal = r.pending()
	}
	return result, nil
}

// pending is a signal that arrived when no command ran, or just as one ended; 0 when there is none.
func (r *Recorder) pending() syscall.Signal {
	select {
	case s := <-r.Signals:
		number, _ := s.(syscall.Signal)
		return number
	default:
		return 0
	}
}

// write appends a record to the log.
func (r *Recorder) write(e *entry, result *Result) error {
	if r.Watch == nil {
		return appendRecord(r.Root, r.Log, e)
	}
	tampered, err := r.Watch.record(r.Log, e, e.Command)
	if tampered != "" {
		r.tell("tampering: " + tampered)
		result.Problem = errors.Join(result.Problem, errors.New(tampered))
	}
	return err
}

// Setup runs a command that prepares the others and has no record. Any exit code but 0 is an error. The result is nil when the
// command was not run.
func (r *Recorder) Setup(c Command) (*Result, error) {
	_, path, err := r.prepare(c)
	if err != nil {
		return nil, err
	}
	r.last = nil
	out, errs := newOutputStream(r.Stdout, r.Tail), newOutputStream(r.Stderr, r.Tail)
	end := r.execute(c, path, out, errs)
	result := &Result{Exit: end.Exit, Status: end.Status, Why: end.Problem, Took: end.Took}
	result.Tails[0], _, _, _ = out.end()
	result.Tails[1], _, _, _ = errs.end()
	if end.Signal == 0 {
		end.Signal = r.pending()
	}
	tampered := ""
	if r.Watch != nil {
		if tampered, err = r.Watch.record(r.Log, nil, c.Argv); err != nil {
			return result, err
		}
	}
	return result, setupProblem(end, tampered)
}

// setupProblem says why nothing can be recorded after a setup; nil when it did what it should.
func setupProblem(end Outcome, tampered string) error {
	switch {
	case tampered != "":
		return fmt.Errorf("the setup wrote what only the recorder may write: %s", tampered)
	case end.Left != nil:
		return fmt.Errorf("the setup: %w", end.Left)
	case end.Signal != 0:
		return fmt.Errorf("the recorder received a signal while the setup ran, so nothing was recorded: %s", end.Signal)
	case end.Exit == nil:
		return fmt.Errorf("the setup has no exit code, so nothing was recorded: %s", end.Problem)
	case *end.Exit != 0:
		return fmt.Errorf("the setup ended with exit code %d, so nothing was recorded", *end.Exit)
	}
	return nil
}

// prepare refuses a command that cannot be recorded, and starts its record. path is that of the program, "" when there is
// none, which is recorded as well.
func (r *Recorder) prepare(c Command) (e *entry, path string, err error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, "", errors.New("there is no command to record: write closeout record -- make test")
	}
	for _, text := range append([]string{c.Cwd, c.Task, c.Criterion}, append(c.Argv, c.Produces...)...) {
		if !utf8.ValidString(text) {
			return nil, "", fmt.Errorf("%q is not valid UTF-8: a record cannot contain it", text)
		}
	}
	if dir, err := filepath.EvalSymlinks(r.dir(c.Cwd)); err == nil && !system.Below(r.Root, dir) {
		return nil, "", fmt.Errorf("the directory %q leads out of the repository", c.Cwd)
	}
	if path, err = system.LookPath(c.Argv[0], r.Root, r.dir(c.Cwd), r.Env); err != nil {
		return nil, "", err
	}
	if r.Watch == nil {
		if err := probe(r.Root, r.Log); err != nil {
			return nil, "", err
		}
	}
	e = &entry{
		Command: c.Argv, Cwd: c.Cwd, ID: randomHex(6), Task: c.Task, Criterion: c.Criterion,
		Runner: strings.ToValidUTF8(system.LookEnv(r.Env, "RUNNER_NAME"), "\ufffd"),
		RunID:  strings.ToValidUTF8(system.LookEnv(r.Env, "GITHUB_RUN_ID"), "\ufffd"),
	}
	if n, err := strconv.ParseInt(system.LookEnv(r.Env, "GITHUB_RUN_ATTEMPT"), 10, 64); err == nil && n > 0 {
		e.RunAttempt = n
	}
	return e, path, nil
}

// dir is a directory of the repository as a path of this machine.
func (r *Recorder) dir(cwd string) string { return filepath.Join(r.Root, filepath.FromSlash(cwd)) }

func (r *Recorder) before(e *entry) error {
	if r.Git == nil {
		return nil
	}
	if _, _, err := r.Look(); err != nil {
		return err
	}
	s := r.last
	e.Head, e.TreeBefore, e.start, e.OtherBytes, e.Changed = s.head, s.id, s, r.OtherBytes(), r.Changed()
	return nil
}

// Look computes the code tree, unless that after the last command is known, and tells the user if it differs from HEAD.
func (r *Recorder) Look() (tree string, differs bool, err error) {
	if r.last == nil {
		s, err := r.Git.tree(r.Evidence)
		if err != nil {
			return "", false, fmt.Errorf("the code tree before the command cannot be computed: %w", err)
		}
		r.last = &s
	}
	r.tellPaths("the work tree differs from HEAD, so this record is not about the commit", r.Differing())
	if other := r.OtherBytes(); other != "" {
		r.tell("some files do not have the bytes that the code tree stands for, so no record of it can count: " + other)
	}
	return r.last.id, len(r.last.changes) > 0, nil
}

// Differing are the paths at which the work tree differed from HEAD when it was last looked at.
func (r *Recorder) Differing() []string { return slices.Sorted(maps.Keys(r.last.changes)) }

// Changed are the first paths at which the work tree differed from HEAD when it was last looked at.
func (r *Recorder) Changed() []string {
	if r.last == nil {
		return nil
	}
	return shortest(r.Differing())
}

// OtherBytes says at which files a checkout of the code tree would have written other bytes when the work tree was
// last looked at, and why; "" when there are none.
func (r *Recorder) OtherBytes() string {
	if r.last == nil {
		return ""
	}
	return describe(r.last.odd)
}

// after computes the tree again. If that fails there is still a record, with a lower evidence level.
func (r *Recorder) after(e *entry) (err error) {
	if r.Git == nil {
		return nil
	}
	r.last = nil
	s, err := r.Git.tree(r.Evidence)
	if err != nil {
		return fmt.Errorf("the code tree after the command cannot be computed: %w", err)
	}
	r.last, e.TreeAfter = &s, s.id
	changed, odd := e.start.changed(&s), append(slices.Clone(e.start.odd), s.odd...)
	if s.id == e.TreeBefore {
		changed = e.start.rewritten(&s)
		for _, path := range changed {
			odd = append(odd, oddFile{path, "was rewritten while the command ran: git reads the same content from other bytes"})
		}
	}
	e.OtherBytes = describe(odd)
	if len(changed) > 0 {
		e.Changed = shortest(changed)
		r.tellPaths("the code changed while the command ran", changed)
	}
	return nil
}

// changed are the paths at which another snapshot differs from HEAD in another way.
func (s *snapshot) changed(other *snapshot) []string {
	paths := map[string]string{}
	maps.Copy(paths, s.changes)
	maps.Copy(paths, other.changes)
	maps.DeleteFunc(paths, func(path, _ string) bool { return s.changes[path] == other.changes[path] })
	return slices.Sorted(maps.Keys(paths))
}

// rewritten are the paths of files that have the bytes of the tree in one snapshot, and those of a checkout in the
// other one.
func (s *snapshot) rewritten(other *snapshot) (paths []string) {
	for _, two := range [][2][]string{{s.converted, other.converted}, {other.converted, s.converted}} {
		for _, path := range two[0] {
			if _, both := slices.BinarySearch(two[1], path); !both {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// Limits of the paths in a record and in a message.
const (
	maxChanged     = 20
	maxChangedPath = 512
	maxShown       = 5
)

// shortest are the first of some paths, as a record contains them.
func shortest(paths []string) (list []string) {
	for _, path := range paths[:min(len(paths), maxChanged)] {
		list = append(list, input.CutTo(strings.ToValidUTF8(path, "\ufffd"), maxChangedPath))
	}
	return list
}

// describe names the first of some odd files, each once; "" for none.
func describe(list []oddFile) string {
	var texts []string
	named := map[string]bool{}
	for _, o := range list {
		if !named[o.path] {
			named[o.path] = true
			texts = append(texts, strconv.Quote(shortest([]string{o.path})[0])+" "+o.why)
		}
	}
	return strings.ToValidUTF8(strings.Join(input.First(texts, maxShown), "; "), "\ufffd")
}

// tellPaths reports the first of some paths to the user.
func (r *Recorder) tellPaths(what string, paths []string) {
	if len(paths) == 0 {
		return
	}
	var shown []string
	for _, path := range shortest(paths[:min(len(paths), maxShown)]) {
		shown = append(shown, strconv.Quote(path))
	}
	text := what + ": " + strings.Join(shown, ", ")
	if more := len(paths) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	r.tell(text)
}

// tell reports something to the user, each text once.
func (r *Recorder) tell(text string) {
	if r.Tell != nil && !r.reported[text] {
		if r.reported == nil {
			r.reported = map[string]bool{}
		}
		r.reported[text] = true
		r.Tell(text)
	}
}

// reason is the innermost cause of an error, the first of several: the outer ones contain paths of this machine.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			inner = several.Unwrap()[0]
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}

// oneLine joins texts for a record, leaving out empty ones.
func oneLine(texts ...string) string {
	var kept []string
	for _, t := range texts {
		if t != "" {
			kept = append(kept, strings.ReplaceAll(t, "\n", "; "))
		}
	}
	return strings.Join(kept, "; ")
}
