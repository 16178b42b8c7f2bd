// Package memory lets tests use memory where that saves time. Tests of repositories make and remove some hundred thousand small
// files, which costs twice the time on a disk; and a fifth of the time of many tests was the collection of garbage.
package memory

import (
	"os"
	"runtime/debug"
)

// Waste collects garbage less often in this process; GOGC wins.
func Waste() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}
