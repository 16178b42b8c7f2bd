//go:build !linux

package main

import "os"

// onTerminal is for Linux; scripts that need it are skipped elsewhere.
func onTerminal() { os.Exit(111) }
