//go:build unix && soak

package git_test

import "testing"

func TestSoakCompose(t *testing.T) { composeAll(t, 500) }

// TestSoakMergeBasesShallow asks clones of more random histories than each run of the tests does.
func TestSoakMergeBasesShallow(t *testing.T) { basesOfShallow(t, 12) }
