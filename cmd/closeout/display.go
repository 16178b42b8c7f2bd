package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
)

// colorMode is the value of --color: auto, always or never; "" is auto.
type colorMode string

var colorModes = []string{"auto", "always", "never"}

func (m *colorMode) String() string { return cmp.Or(string(*m), colorModes[0]) }

// Type is what the help calls the value.
func (m *colorMode) Type() string { return "when" }

// Set refuses other values.
func (m *colorMode) Set(value string) error {
	for _, known := range colorModes {
		if value == known {
			*m = colorMode(value)
			return nil
		}
	}
	return fmt.Errorf("unknown value %q%s expected one of %s", value, didYouMean(value, colorModes, ""), strings.Join(colorModes, ", "))
}

// console is a standard stream. What is written to it is neutralised.
type console struct {
	*present.Writer
	color *colorMode // both streams share it
}

// colorOf is where --color of the command line goes.
func colorOf(w io.Writer) *colorMode {
	if c, ok := w.(*console); ok {
		return c.color
	}
	return new(colorMode)
}

// display is what a text is shown on. The zero value is a file or a pipe: plain bytes, without line breaks of ours.
type display struct {
	terminal bool
	color    bool
	width    int // in columns; 0 is unknown
}

// narrow is the smallest width that lines are broken for.
const narrow = 40

func displayOf(w io.Writer) display {
	var s display
	if f, ok := bare(w).(*os.File); ok {
		s.width, s.terminal = terminal(f)
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); s.terminal && err == nil {
		s.width = columns
	}
	if s.width < narrow {
		s.width = 0
	}
	s.color = colored(colorOf(w).String(), s.terminal)
	return s
}

// colored decides about colours: what the call says, then what the environment says, then whether there is a terminal.
func colored(mode string, terminal bool) bool {
	set := func(name string) bool { v := os.Getenv(name); return v != "" && v != "0" }
	switch {
	case mode != "auto":
		return mode == "always"
	case os.Getenv("NO_COLOR") != "":
		return false
	case set("CLICOLOR_FORCE") || set("FORCE_COLOR"):
		return true
	}
	return terminal && os.Getenv("TERM") != "dumb" && os.Getenv("CLICOLOR") != "0"
}

// printAs prints what write writes, as its kind requires; colors says whether it can be coloured.
func printAs(w io.Writer, kind present.Stream, colors bool, write func(w io.Writer, color bool) error) error {
	if kind != present.Plain {
		return write(printTo(w, kind), false)
	}
	color := colors && displayOf(w).color
	return show(w, color, func(w io.Writer) error { return write(w, color) })
}

// show prints a text for people, with lines that fit the terminal. The writer that write gets neutralises, unless it is told
// that the text is neutral and contains colours.
func show(w io.Writer, colors bool, write func(io.Writer) error) error {
	s := displayOf(w)
	var text strings.Builder
	to, flush := io.Writer(&text), func() error { return nil }
	switch {
	case s.width == 0 && colors:
		to = bare(w)
	case s.width == 0:
		to = w
	case !colors:
		neutral := present.NewWriter(&text)
		to, flush = neutral, neutral.Flush
	}
	if err := write(to); err != nil {
		return err
	}
	if err := flush(); err != nil || s.width == 0 {
		return err
	}
	_, err := io.WriteString(bare(w), present.Wrap(text.String(), s.width))
	return err
}
