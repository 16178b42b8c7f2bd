//go:build soak

package change

import "testing"

func TestSoakReadDiffDamage(t *testing.T) { readDamaged(t, 1) }
