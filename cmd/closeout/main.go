// Command closeout decides whether a coding agent's pull request is really done.
package main

import (
	"os"
	"runtime/debug"
)

// Memory is bounded by what the gate holds, not by how much garbage may pile up: a small machine runs it beside a build.
// Below the limit the collector stays out of the way, which is most of the time of a small run.
const (
	memoryLimit = 48 << 20
	gcPercent   = 400
)

func main() {
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(gcPercent)
	os.Exit(run(os.Args[1:], stdio{os.Stdin, os.Stdout, os.Stderr}))
}
