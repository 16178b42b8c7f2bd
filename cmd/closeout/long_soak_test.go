//go:build soak

package main

import "testing"

// TestSoakScripts runs the scenarios that take long.
func TestSoakScripts(t *testing.T) { runScripts(t, "../../testdata/script/long") }
