package collect

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel does something for each of n numbers, with as many workers as there are processors.
func Parallel(n int, do func(i int)) {
	var taken atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
