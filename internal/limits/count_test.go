package limits

import (
	"math"
	"testing"
)

func TestCounts(t *testing.T) {
	const most = math.MaxInt64
	for _, c := range [][3]int64{{1, 2, 3}, {most, 0, most}, {most, 1, most}, {most - 1, 1, most}, {most / 2, most, most}} {
		if got := Add(c[0], c[1]); got != c[2] {
			t.Errorf("%d + %d is %d; want %d", c[0], c[1], got, c[2])
		}
	}
	for _, c := range []struct {
		factors []int64
		want    int64
	}{
		{[]int64{2, 3, 4}, 24}, {[]int64{most, 2}, most}, {[]int64{1 << 62, 2, 0}, 0}, {[]int64{0, most, most}, 0}, {[]int64{1 << 31, 1 << 31}, 1 << 62},
		{[]int64{most, most, 1}, most},
	} {
		if got := Times(1, c.factors...); got != c.want {
			t.Errorf("the product of %d is %d; want %d", c.factors, got, c.want)
		}
	}
}
