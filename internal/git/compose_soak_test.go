//go:build unix && soak

package git_test

import "testing"

func TestSoakCompose(t *testing.T) { composeAll(t, 500) }
