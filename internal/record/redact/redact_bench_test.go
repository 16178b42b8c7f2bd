package redact

import (
	"strings"
	"testing"
)

// BenchmarkRedact redacts 1 MiB of output: of tests, which contains no secrets, and of words that begin like them.
func BenchmarkRedact(b *testing.B) {
	tests := strings.Repeat("=== RUN   TestInput/does_not_list_work\n--- PASS: TestInput/does_not_list_work (0.01s)\n    run_test.go:17: reading the script, and its output\n", 1<<13)
	near := strings.Repeat("task-lists SGML hf_ npm_x dop_ run done github.com/a skip /work password\n", 1<<14)
	for _, c := range [][2]string{{"tests", tests[:1<<20]}, {"near", near[:1<<20]}} {
		b.Run(c[0], func(b *testing.B) {
			b.SetBytes(1 << 20)
			for b.Loop() {
				r := &Redactor{To: &Tail{Most: 1 << 16}}
				for text := []byte(c[1]); len(text) > 0; text = text[min(len(text), 32<<10):] {
					r.Add(text[:min(len(text), 32<<10)])
				}
				r.End()
			}
		})
	}
}
