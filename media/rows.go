package media

import (
	"runtime"
	"sync"
)

// rowsEach is the least number of rows of a picture that are worth a goroutine.
const rowsEach = 64

// inRows calls f for parts of n rows, which it must be able to compute at the same time.
func inRows(n int, f func(from, to int)) {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/rowsEach))
	var all sync.WaitGroup
	for i := 1; i < parts; i++ {
		all.Go(func() { f(i*n/parts, (i+1)*n/parts) })
	}
	f(0, n/parts)
	all.Wait()
}
