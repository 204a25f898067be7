package formal

// Tensor is a tensor of plain integers. One of which only shape and precision are known has no Data.
type Tensor struct {
	Shape     []int64
	Precision int
	Data      []int64 // row-major
}

// Len returns the number of elements that the shape has.
func (t *Tensor) Len() int64 { return product(t.Shape) }

// at returns X[d0, d1, …].
func (t *Tensor) at(d ...int64) int64 { return t.Data[flattenIndex(d, t.Shape)] }

// set makes Y[d0, d1, …] = v.
func (t *Tensor) set(v int64, d ...int64) { t.Data[flattenIndex(d, t.Shape)] = v }

// flattenIndex is flatten_index of the text, section flatten.
func flattenIndex(d, n []int64) int64 {
	var sum int64
	for i := range d {
		sum += d[i] * product(n[i+1:])
	}
	return sum
}

// each calls f for all d with d_i ∈ [0, n_i), in row-major order. f may keep nothing of d.
func each(n []int64, f func(d []int64)) {
	d := make([]int64, len(n))
	var nest func(i int)
	nest = func(i int) {
		if i == len(n) {
			f(d)
			return
		}
		for d[i] = 0; d[i] < n[i]; d[i]++ {
			nest(i + 1)
		}
	}
	nest(0)
}

func product(n []int64) int64 {
	p := int64(1)
	for _, x := range n {
		p *= x
	}
	return p
}

// bitlen returns the number of binary digits of n ≥ 1.
func bitlen(n int64) int {
	b := 0
	for ; n > 0; n /= 2 {
		b++
	}
	return b
}

// bound returns α = 2^(precision-1) - 1.
func bound(precision int64) int64 { return 1<<(precision-1) - 1 }

func clip(x, lo, hi int64) int64 {
	if x >= hi {
		return hi
	}
	if x <= lo {
		return lo
	}
	return x
}

// floorDiv returns ⌊a / b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilDiv returns ⌈a / b⌉ for b > 0.
func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

// wrap brings a value to int32. It changes nothing but what follows a where of deployed precision, whose values may exceed 32 bits later.
func wrap(v int64) int64 { return int64(int32(v)) }
