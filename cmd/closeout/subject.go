package main

import (
	"fmt"
	"slices"

	"github.com/closeout-gate/closeout/internal/agent/item"
	"github.com/closeout-gate/closeout/internal/agent/session"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/internal/run"
	"github.com/closeout-gate/closeout/verify/report"
)

// tellPersons says which of the paths that the commits should not change were on disk before the agent came: a report does not
// know.
func tellPersons(s *run.Work, r *report.Report, std console.Streams) {
	store, err := session.Find("", s.Root, s.Git.CommonDir())
	if err != nil {
		return
	}
	var list []string
	for _, fact := range item.Leave(item.FactsOf(r), store.Persons(s.Root)) {
		if fact.Fix == item.WasThere && !slices.Contains(list, fact.Path) {
			list = append(list, fact.Path)
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(std.Err, "closeout run: do not revert %s: %s\n", item.Several(list), item.WasThere)
	}
}
