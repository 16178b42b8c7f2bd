package input

import (
	"regexp"
	"sync"
)

// Lazily compiles a pattern when it is asked for the first time: a run needs few of them, and starts for most of its
// life on small inputs. Inlined, it would be compiled anew for each of more than a hundred patterns.
//
//go:noinline
func Lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
