//go:build soak

package rules

import "testing"

func TestSoakDamagedFiles(t *testing.T) {
	runDamaged(t, 40)
}
