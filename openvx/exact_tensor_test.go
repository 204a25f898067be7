package openvx_test

import "fmt"

// The files exact_*_test.go evaluate the layers and tensor nodes of OpenVX straight from the text of the standard, in exact arithmetic, one
// element after the other. It is the opinion that TestExact compares with: it is deliberately slow, follows the formulas as the text has
// them, and knows nothing of package op or of the lowering to it.
//
// Elements are plain integers, as they stand in memory. Sums and products are exact; what a layer rounds it rounds once, at the end.
// Where a formula has a transcendental function, an interval encloses its value, and a [Result] says which elements are possible.
//
// Where the text is silent or cannot be meant, a comment says what holds; docs/deviations.md lists these places.

// exactTensor is an array of elements. Dimension 0 is the fastest in memory.
type exactTensor struct {
	Dims   []int   `json:"dims"`
	Values []int64 `json:"values"`
}

// New makes a tensor of zeros.
func New(dims ...int) *exactTensor {
	return &exactTensor{Dims: dims, Values: make([]int64, Volume(dims))}
}

// Volume returns the number of elements.
func Volume(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// at returns the element at an index.
func (t *exactTensor) at(index ...int) int64 {
	offset := 0
	for i := len(t.Dims) - 1; i >= 0; i-- {
		offset = offset*t.Dims[i] + index[i]
	}
	return t.Values[offset]
}

// each calls f with all indices of a tensor, in the order of memory. f must not keep the index.
func each(dims []int, f func(index []int)) {
	index := make([]int, len(dims))
	for range Volume(dims) {
		f(index)
		for i := range index {
			if index[i]++; index[i] < dims[i] {
				break
			}
			index[i] = 0
		}
	}
}

// Result is what a layer may yield: at each place an element from Low to High. They differ only where the text leaves something open.
type Result struct {
	Dims      []int
	Low, High []int64
}

// certain fills a result of elements that the text determines.
func certain(dims []int, f func(index []int) int64) Result {
	r := Result{Dims: dims}
	each(dims, func(index []int) { r.Low = append(r.Low, f(index)) })
	r.High = r.Low
	return r
}

// within fills a result of elements between bounds.
func within(dims []int, f func(index []int) (low, high int64)) Result {
	r := Result{Dims: dims}
	each(dims, func(index []int) {
		low, high := f(index)
		r.Low, r.High = append(r.Low, min(low, high)), append(r.High, max(low, high))
	})
	return r
}

// Check compares what an implementation yielded.
func (r Result) Check(got []int64) error {
	if len(got) != len(r.Low) {
		return fmt.Errorf("%d elements, want %d", len(got), len(r.Low))
	}
	bad, first := 0, -1
	for i, v := range got {
		if v < r.Low[i] || v > r.High[i] {
			if bad++; first < 0 {
				first = i
			}
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d elements differ, first [%d]: %d, want %d to %d", bad, len(got), first, got[first], r.Low[first], r.High[first])
}

// Open counts the elements that the text leaves open.
func (r Result) Open() int {
	n := 0
	for i := range r.Low {
		if r.Low[i] != r.High[i] {
			n++
		}
	}
	return n
}
