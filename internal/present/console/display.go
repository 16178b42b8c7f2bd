package console

import (
	"cmp"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/verify/input"
)

// ColorMode is the value of --color: auto, always or never; "" is auto.
type ColorMode string

var ColorModes = []string{"auto", "always", "never"}

func (m *ColorMode) String() string { return cmp.Or(string(*m), ColorModes[0]) }

// Type is what the help calls the value.
func (m *ColorMode) Type() string { return "when" }

// Set refuses other values.
func (m *ColorMode) Set(value string) error {
	err := input.OneOf("unknown value", value, ColorModes)
	if err == nil {
		*m = ColorMode(value)
	}
	return err
}

// stream is a standard stream. What is written to it is neutralised.
type stream struct {
	*present.Writer
	color *ColorMode // both streams share it
}

// ColorOf is where --color of the command line goes.
func ColorOf(w io.Writer) *ColorMode {
	if c, ok := w.(*stream); ok {
		return c.color
	}
	return new(ColorMode)
}

// Display is what a text is shown on. The zero value is a file or a pipe: plain bytes, without line breaks of ours.
type Display struct {
	Terminal bool
	Color    bool
	Width    int // in columns; 0 is unknown
}

// narrow is the smallest width that lines are broken for.
const narrow = 40

func DisplayOf(w io.Writer) Display {
	var s Display
	if f, ok := Bare(w).(*os.File); ok {
		s.Width, s.Terminal = terminal(f)
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); s.Terminal && err == nil {
		s.Width = columns
	}
	if s.Width < narrow {
		s.Width = 0
	}
	s.Color = colored(ColorOf(w).String(), s.Terminal)
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

// Print prints what write writes, as its kind requires; colors says whether it can be coloured.
func Print(w io.Writer, kind present.Stream, colors bool, write func(w io.Writer, color bool) error) error {
	switch kind {
	case present.JSON:
		return write(JSON(w), false)
	case present.Commands, present.HTML:
		return write(Bare(w), false)
	}
	color := colors && DisplayOf(w).Color
	return Show(w, color, func(w io.Writer) error { return write(w, color) })
}

// Show prints a text for people, with lines that fit the terminal. The writer that write gets neutralises, unless it is told
// that the text is neutral and contains colours.
func Show(w io.Writer, colors bool, write func(io.Writer) error) error {
	s := DisplayOf(w)
	var text strings.Builder
	to, flush := io.Writer(&text), func() error { return nil }
	switch {
	case s.Width == 0 && colors:
		to = Bare(w)
	case s.Width == 0:
		to = w
	case !colors:
		neutral := present.NewWriter(&text)
		to, flush = neutral, neutral.Flush
	}
	if err := write(to); err != nil {
		return err
	}
	if err := flush(); err != nil || s.Width == 0 {
		return err
	}
	_, err := io.WriteString(Bare(w), present.Wrap(text.String(), s.Width))
	return err
}
