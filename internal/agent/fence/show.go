package fence

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/closeout-gate/closeout/internal/agent/hook"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/collect"
	"github.com/closeout-gate/closeout/verify/input"
)

// Show prints what the hook answered, in the sessions of a repository or in one, the oldest session first.
func Show(stateDir, named string, out io.Writer) error {
	git, err := collect.OpenGit(".", input.DefaultLimits())
	if err != nil {
		return err
	}
	defer git.Close()
	store, err := session.Find(stateDir, git.Root(), git.CommonDir())
	if err != nil {
		return err
	}
	list := store.Sessions()
	if named != "" {
		list = slices.DeleteFunc(list, func(s session.Session) bool { return s.Key != named && s.Key != hook.Digest(named) })
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(out, "no hook has answered yet, as far as %s says\n", input.Neutral(store.Dir))
		return err
	}
	var b strings.Builder
	for _, s := range list {
		showSession(&b, s)
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// showSession writes what was answered, and how often nothing was.
func showSession(b *strings.Builder, s session.Session) {
	answered, counts := 0, map[string]int{}
	for _, l := range s.Lines {
		if l.Answer != "" {
			answered++
			counts[l.Answer]++
		}
	}
	first, last := s.Lines[0], s.Lines[len(s.Lines)-1]
	fmt.Fprintf(b, "session %s of %s, %s to %s: %s, %d answered\n", s.Key, input.Neutral(string(first.Agent)),
		input.Neutral(first.At), input.Neutral(last.At), input.Plural(len(s.Lines), "call"), answered)
	for _, l := range s.Lines {
		if l.Answer == "" {
			continue
		}
		what := strings.TrimSpace(cmp.Or(l.Tool, string(l.Event)) + " " + l.Code)
		var paths []string
		for _, p := range l.Paths {
			paths = append(paths, input.QuotePath(p))
		}
		text := fmt.Sprintf("  %s %s %s: %s", l.At, l.Answer, what, strings.Join(paths, ", "))
		fmt.Fprintln(b, input.Neutral(strings.TrimSuffix(text, ": ")))
	}
	var sums []string
	for answer := range counts {
		sums = append(sums, fmt.Sprintf("%d %s", counts[answer], answer))
	}
	slices.Sort(sums)
	if len(sums) > 0 {
		fmt.Fprintf(b, "  in all: %s\n", strings.Join(sums, ", "))
	}
}
