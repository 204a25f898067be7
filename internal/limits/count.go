package limits

import "math"

// Add returns the sum of two counts, neither of them negative, or the greatest int64 if it is beyond that: more than any limit.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Times returns the product of counts, none of them negative, or the greatest int64 if it is beyond that.
func Times(count int64, factors ...int64) int64 {
	for _, n := range factors {
		if n > 0 && count > math.MaxInt64/n {
			count = math.MaxInt64
			continue
		}
		count *= n
	}
	return count
}
