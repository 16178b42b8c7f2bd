package strict

import (
	"regexp"
	"sync"
)

// Lazily compiles a pattern when it is asked for the first time: a run needs few of them, and starts for most of its
// life on small inputs.
func Lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
