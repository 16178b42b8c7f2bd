package main

import (
	"errors"
	"io"
	"os"

	"github.com/closeout-gate/closeout/internal/present"
)

// neutral wraps the standard streams, so that everything that a command prints passes one writer, which prevents that text of
// a change acts on the terminal or on the workflow runner. Some output uses the bare streams: the output of a recorded
// command, JSON, and the formats that write workflow commands or colours of their own.
func (s stdio) neutral() (wrapped stdio, flush func() error) {
	color := new(colorMode)
	out, errs := &console{present.NewWriter(s.out), color}, &console{present.NewWriter(s.err), color}
	return stdio{s.in, out, errs}, func() error { return errors.Join(out.Flush(), errs.Flush()) }
}

// bare is the stream behind a wrapped one.
func bare(w io.Writer) io.Writer {
	if wrapped, ok := w.(interface{ Unwrap() io.Writer }); ok {
		return wrapped.Unwrap()
	}
	return w
}

// jsonTo is where JSON goes: unchanged, except for what GitHub's runner would execute as a command.
func jsonTo(w io.Writer) io.Writer {
	if inActions() {
		return present.NewJSONWriter(bare(w))
	}
	return bare(w)
}

// inActions reports whether a workflow runner reads the output.
func inActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// printTo is where a format goes.
func printTo(w io.Writer, kind present.Stream) io.Writer {
	switch kind {
	case present.JSON:
		return jsonTo(w)
	case present.Commands, present.HTML:
		return bare(w)
	}
	return w
}
