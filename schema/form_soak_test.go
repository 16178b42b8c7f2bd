//go:build soak

package schema_test

import "testing"

func TestSoakFormAgreesWithLibrary(t *testing.T) { formAgrees(t, 1) }
