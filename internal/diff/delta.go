package diff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Tolerance is the difference that is allowed between elements a and b: |a-b| ≤ Abs + Rel·|b|. A NaN is equal to a NaN.
// The zero Tolerance allows none: every bit must be equal.
type Tolerance struct{ Abs, Rel float64 }

// Number is a number that JSON shows as null where it has none for it: infinities and NaN.
type Number float64

// MarshalJSON writes the number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Delta says how far two tensors of the same type are apart. Elements that are NaN on one side only count as differing
// but not in the greatest differences.
type Delta struct {
	Elements int    `json:"elements"`
	Differ   int    `json:"differ"`      // how many elements have other bits
	Beyond   int    `json:"beyond"`      // how many differ by more than the tolerance
	MaxAbs   Number `json:"maxAbsolute"` // the greatest |a-b|
	MaxRel   Number `json:"maxRelative"` // the greatest |a-b| / max(|a|, |b|)
	MaxULP   uint64 `json:"maxULP"`      // the greatest count of representable numbers from a to b
	NaN      [2]int `json:"nan"`         // how many elements are NaN, on either side
	Worst    *Worst `json:"worst,omitempty"`
}

// Worst is the element that differs most; one that is NaN on one side only comes before all others.
type Worst struct {
	At []int  `json:"at"` // its indices
	A  string `json:"a"`
	B  string `json:"b"`
}

// Measure compares two tensors. It fails if their types or shapes differ.
func Measure(a, b *tensor.Tensor, tol Tolerance) (Delta, error) {
	if a == nil || b == nil {
		return Delta{}, errors.New("a tensor is nil")
	}
	if a.DType() != b.DType() || !a.Shape().Equal(b.Shape()) {
		return Delta{}, fmt.Errorf("%v and %v cannot be compared", a.Describe(), b.Describe())
	}
	a, b = a.Contiguous(), b.Contiguous()
	m := meter{tol: tol, at: -1}
	m.Elements = a.Len()
	if bytes.Equal(a.Bytes(), b.Bytes()) && !a.DType().IsFloat() && !a.DType().IsSmallFloat() {
		return m.Delta, nil
	}
	wideA, err := inBytes(a)
	if err != nil {
		return Delta{}, err
	}
	wideB, err := inBytes(b)
	if err != nil {
		return Delta{}, err
	}
	if d := a.DType(); d.IsSmallFloat() {
		small(&m, d, tensor.Data[uint8](wideA), tensor.Data[uint8](wideB))
	} else {
		meters[wideA.DType()](&m, wideA, wideB)
	}
	if m.at >= 0 {
		m.Worst = &Worst{indices(m.at, a.Shape()), show(a, m.at), show(b, m.at)}
	}
	return m.Delta, nil
}

// inBytes returns packed integers as int8 and small floats as their codes, and other tensors as they are.
func inBytes(t *tensor.Tensor) (*tensor.Tensor, error) {
	switch d := t.DType(); {
	case d.IsSmallFloat() && d.IsPacked():
		codes, err := t.Reinterpret(tensor.Uint4)
		if err != nil {
			return nil, err
		}
		return tensor.Cast(codes, tensor.Uint8)
	case d.IsSmallFloat():
		return t.Reinterpret(tensor.Uint8)
	case d.IsPacked():
		return tensor.Cast(t, tensor.Int8)
	}
	return t, nil
}

// indices returns the indices of element i in row-major order.
func indices(i int, shape tensor.Shape) []int {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = i % shape[k]
		i /= shape[k]
	}
	return at
}

type meter struct {
	Delta
	tol   Tolerance
	at    int     // of the worst element, -1 for none
	worst float64 // its difference, +Inf for a NaN on one side
}

// add counts a pair of elements with other bits. The keys count the numbers of the type in their order.
func (m *meter) add(i int, a, b float64, keyA, keyB int64) {
	m.Differ++
	nanA, nanB := math.IsNaN(a), math.IsNaN(b)
	if nanA != nanB {
		m.Beyond++
		if m.at < 0 || !math.IsNaN(m.worst) {
			m.at, m.worst = i, math.NaN()
		}
		return
	}
	distance := 0.0
	if !nanA {
		m.MaxULP = max(m.MaxULP, uint64(max(keyA, keyB))-uint64(min(keyA, keyB)))
	}
	if !nanA && a != b {
		distance = math.Abs(a - b)
		m.MaxRel = max(m.MaxRel, Number(relative(distance, a, b)))
		m.MaxAbs = max(m.MaxAbs, Number(distance))
	}
	if m.tol == (Tolerance{}) || !nanA && a != b && !(distance <= m.tol.Abs+m.tol.Rel*math.Abs(b)) {
		m.Beyond++
	}
	if m.at < 0 || distance > m.worst {
		m.at, m.worst = i, distance
	}
}

func relative(distance, a, b float64) float64 {
	if scale := max(math.Abs(a), math.Abs(b)); !math.IsInf(scale, 0) {
		return distance / scale
	}
	return 1
}

// meters hold the measurement for each element type but those that [inBytes] changes.
var meters = [tensor.NumDTypes]func(m *meter, a, b *tensor.Tensor){
	tensor.Bool:     integers[bool](func(x bool) int64 { return int64(btoi(x)) }),
	tensor.Int8:     integers[int8](func(x int8) int64 { return int64(x) }),
	tensor.Int16:    integers[int16](func(x int16) int64 { return int64(x) }),
	tensor.Int32:    integers[int32](func(x int32) int64 { return int64(x) }),
	tensor.Int64:    integers[int64](func(x int64) int64 { return x }),
	tensor.Uint8:    integers[uint8](func(x uint8) int64 { return int64(x) }),
	tensor.Uint16:   integers[uint16](func(x uint16) int64 { return int64(x) }),
	tensor.Uint32:   integers[uint32](func(x uint32) int64 { return int64(x) }),
	tensor.Uint64:   unsigned,
	tensor.Float16:  floats[tensor.F16](func(x tensor.F16) float64 { return float64(x.Float32()) }, func(x tensor.F16) int64 { return signed(uint64(x), 15) }),
	tensor.BFloat16: floats[tensor.BF16](func(x tensor.BF16) float64 { return float64(x.Float32()) }, func(x tensor.BF16) int64 { return signed(uint64(x), 15) }),
	tensor.Float32: floats[float32](func(x float32) float64 { return float64(x) },
		func(x float32) int64 { return signed(uint64(math.Float32bits(x)), 31) }),
	tensor.Float64: floats[float64](func(x float64) float64 { return x },
		func(x float64) int64 { return signed(math.Float64bits(x), 63) }),
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// signed turns sign and magnitude into a number, so that both zeros are 0.
func signed(bits uint64, sign uint) int64 {
	magnitude := int64(bits &^ (1 << sign))
	if bits>>sign != 0 {
		return -magnitude
	}
	return magnitude
}

func integers[T tensor.Element](key func(T) int64) func(m *meter, a, b *tensor.Tensor) {
	return func(m *meter, a, b *tensor.Tensor) {
		y := tensor.Data[T](b)
		for i, x := range tensor.Data[T](a) {
			if k, l := key(x), key(y[i]); k != l {
				m.add(i, float64(k), float64(l), k, l)
			}
		}
	}
}

func unsigned(m *meter, a, b *tensor.Tensor) {
	y := tensor.Data[uint64](b)
	for i, x := range tensor.Data[uint64](a) {
		if x != y[i] {
			m.add(i, float64(x), float64(y[i]), int64(x^1<<63), int64(y[i]^1<<63))
		}
	}
}

func floats[T tensor.Element](wide func(T) float64, key func(T) int64) func(m *meter, a, b *tensor.Tensor) {
	return func(m *meter, a, b *tensor.Tensor) {
		size := a.DType().Size()
		bitsA, bitsB := a.Bytes(), b.Bytes()
		x, y := tensor.Data[T](a), tensor.Data[T](b)
		for i := range x {
			v, w := wide(x[i]), wide(y[i])
			m.countNaN(v, w)
			if x[i] != y[i] || v == 0 || v != v {
				if !bytes.Equal(bitsA[i*size:(i+1)*size], bitsB[i*size:(i+1)*size]) {
					m.add(i, v, w, key(x[i]), key(y[i]))
				}
			}
		}
	}
}

func (m *meter) countNaN(a, b float64) {
	if a != a {
		m.NaN[0]++
	}
	if b != b {
		m.NaN[1]++
	}
}

// small measures codes of small floats.
func small(m *meter, d tensor.DType, a, b []uint8) {
	key := func(code uint8) int64 { return signed(uint64(code), uint(d.Bits()-1)) }
	if d == tensor.Float8E8M0 {
		key = func(code uint8) int64 { return int64(code) }
	}
	for i, code := range a {
		v, w := float64(tensor.SmallFloat32(d, code)), float64(tensor.SmallFloat32(d, b[i]))
		m.countNaN(v, w)
		if code != b[i] {
			m.add(i, v, w, key(code), key(b[i]))
		}
	}
}

// show writes an element of a contiguous tensor with the fewest digits that tell it from its neighbours, as the text of a tensor has it.
func show(t *tensor.Tensor, i int) string {
	one, err := t, error(nil)
	if d := t.DType(); d.IsPacked() { // which cannot be sliced
		wide := tensor.Int8
		if d.IsSmallFloat() {
			wide = tensor.Float32
		}
		one, err = tensor.Cast(t, wide)
	}
	if err == nil {
		one, err = one.Reshape(one.Len())
	}
	if err == nil {
		one, err = one.Slice(0, i, i+1, 1)
	}
	if err == nil {
		one, err = one.Reshape()
	}
	if err != nil {
		return "?" // no type fails
	}
	_, text, _ := strings.Cut(one.String(), " ")
	return text
}
