//go:build soak

package main

import (
	"strings"
	"testing"
)

// TestSoakPublish refuses each call of the forge once, before or after it did its work: as many tries as calls finish the release.
func TestSoakPublish(t *testing.T) {
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			p := newPublisher(t)
			p.key, p.refuse = "-----BEGIN OPENSSH PRIVATE KEY-----", when
			tries := 0
			for out, err := p.run(); err != nil; out, err = p.run() {
				if tries++; tries > 40 || !strings.Contains(out, "the forge refuses") {
					t.Fatalf("try %d: %v\n%s", tries, err, out)
				}
			}
			if tries < 10 {
				t.Errorf("%d calls were refused", tries)
			}
			p.released()
		})
	}
}
