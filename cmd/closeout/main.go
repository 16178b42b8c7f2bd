// Command closeout decides whether a coding agent's pull request is really done.
package main

import (
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Below memoryLimit the collector stays out of the way, which is all the life of a usual run: a small machine runs the
// gate beside a build. Inputs that hold more than that are given room, or collecting would take most of the time.
const (
	memoryLimit = 48 << 20
	gcPercent   = 400
	lookEvery   = 50 * time.Millisecond
)

func main() {
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(gcPercent)
	go giveRoom()
	os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}

// giveRoom takes the limit away when what is alive comes near it.
func giveRoom() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for range time.Tick(lookEvery) {
		if metrics.Read(live); live[0].Value.Uint64() > memoryLimit/6*5 {
			debug.SetMemoryLimit(math.MaxInt64)
			debug.SetGCPercent(100)
			return
		}
	}
}
