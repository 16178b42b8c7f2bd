//go:build soak

package hook

import "testing"

func TestSoakRandomSettings(t *testing.T) { runRandomSettings(t, 200) }
