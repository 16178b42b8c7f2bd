// Package system is what the recorder asks of the operating system: which program a name means and which environment it gets,
// the processes that a command leaves behind, and locks of files.
package system

import "errors"

// LeftOver is the error of a record whose command left processes running.
const LeftOver = "processes that the command left running were ended"

// ErrAlive is the problem of a record whose command is still partly running: it could change everything afterwards.
var ErrAlive = errors.New("processes that the command left running could not be ended")
