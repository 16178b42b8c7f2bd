//go:build soak

package clone_test

import "testing"

// TestSoakArchiveFlipped changes every byte.
func TestSoakArchiveFlipped(t *testing.T) { flipEach(t, 1) }
