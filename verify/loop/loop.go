// Package loop runs an agent again and again: a fresh process for each try, the facts of the last verdict on its standard
// input, and a verdict after each. It is impure: it starts processes and reads clocks. It judges nothing.
package loop

import "github.com/closeout-gate/closeout/verify/item"

// Work is what a loop works at. The methods are those of next and submit.
type Work interface {
	// State folds the events.
	State() (*item.State, error)
	// Next claims an item, that with the id or else the first, and tells what to do; nil when nothing is left to hand out.
	Next(id string) (*item.Handout, error)
	// Submit records, judges and locks the claimed item. stuck is asked about the event before it is appended: a code makes a
	// failed item STUCK, with that code and reason. The event is nil when nothing was judged, as where files are uncommitted;
	// the facts say why.
	Submit(id string, stuck func(item.Event) (code, reason string)) (*item.Event, []item.Fact, error)
	// Append writes an event.
	Append(item.Event) error
	// TryDir is the absolute directory of a try, which exists.
	TryDir(id string, try int) string
}
