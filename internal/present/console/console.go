// Package console is the standard streams of a command: neutral, coloured where that is wanted, and as wide as the terminal.
package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
)

// WriteJSON prints a value as a line of JSON.
func WriteJSON(std Streams, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = JSON(std.Out).Write(append(data, '\n'))
	}
	return err
}

// Tell prints a message of a command to standard error; command is "" where any may say it.
func (s Streams) Tell(command, format string, args ...any) {
	fmt.Fprintf(s.Err, strings.TrimSuffix("closeout "+command, " ")+": "+format+"\n", args...)
}

// Neutral wraps the standard streams, so that everything that a command prints passes one writer, which prevents that text of
// a change acts on the terminal or on the workflow runner. Some output uses the bare streams: the output of a recorded
// command, JSON, and the formats that write workflow commands or colours of their own.
func (s Streams) Neutral() (wrapped Streams, flush func() error) {
	color := new(ColorMode)
	out, errs := &stream{present.NewWriter(s.Out), color}, &stream{present.NewWriter(s.Err), color}
	return Streams{s.In, out, errs}, func() error { return errors.Join(out.Flush(), errs.Flush()) }
}

// Bare is the stream behind a wrapped one.
func Bare(w io.Writer) io.Writer {
	if wrapped, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return wrapped.Unwrap()
	}
	return w
}

// JSON is where JSON goes: unchanged, except for what GitHub's runner would execute as a command.
func JSON(w io.Writer) io.Writer {
	if InActions() {
		return present.NewJSONWriter(Bare(w))
	}
	return Bare(w)
}

// InActions reports whether a workflow runner reads the output.
func InActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// Streams is the process's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}
