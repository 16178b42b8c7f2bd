package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/record"
	"github.com/closeout-gate/closeout/internal/record/system"
)

// showPage shows a page of our own documentation: on a terminal through a pager, with lines that fit and bold headings.
func showPage(w io.Writer, text string) error {
	s := console.DisplayOf(w)
	shown := present.Page(text, s.Width, s.Color)
	if s.Terminal && throughPager(console.Bare(w), shown) {
		return nil
	}
	if s.Color {
		w = console.Bare(w) // the text is ours
	}
	_, err := io.WriteString(w, shown)
	return err
}

// throughPager shows a text with the pager that the environment names; false when there is none. A pager that the user leaves
// early is no error.
func throughPager(w io.Writer, text string) bool {
	words := pager()
	if len(words) == 0 || os.Getenv("TERM") == "dumb" {
		return false
	}
	program := outsideOfTree(words[0])
	if program == "" {
		return false
	}
	c := exec.Command(program, words[1:]...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), w, os.Stderr
	c.Env = os.Environ()
	for _, usual := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(usual[0]); !set {
			c.Env = append(c.Env, usual[0]+"="+usual[1])
		}
	}
	interrupts := make(chan os.Signal, 1) // an interrupt is for the pager
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if c.Start() != nil {
		return false
	}
	_ = c.Wait() // it showed what the user wanted to see
	return true
}

// pager is the command that CLOSEOUT_PAGER or PAGER names, else less; none when that is empty or cat.
func pager() []string {
	name, set := os.LookupEnv("CLOSEOUT_PAGER")
	if !set {
		name, set = os.LookupEnv("PAGER")
	}
	if !set {
		name = "less"
	}
	words := strings.Fields(name)
	if len(words) == 1 && words[0] == "cat" {
		return nil
	}
	return words
}

// outsideOfTree finds a program that is not in the work tree of a repository around us, where a change could have put it; ""
// when there is none.
func outsideOfTree(name string) string {
	path, err := exec.LookPath(name)
	if err != nil { // also when it is found through a relative path in PATH
		return ""
	}
	if path, err = filepath.Abs(path); err != nil {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	root, err := record.Find(here)
	if errors.Is(err, fs.ErrNotExist) {
		return path
	}
	if planted, wrong := system.InTree(root, path); err != nil || wrong != nil || planted {
		return ""
	}
	return path
}
