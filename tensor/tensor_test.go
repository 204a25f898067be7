package tensor_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func counting[T tensor.Element](shape ...int) *tensor.Tensor {
	t := must(tensor.New(tensor.TypeOf[T](), shape))
	for i := range t.Len() {
		put(t, i, uint64(i)&1) // bool allows no more
		if tensor.TypeOf[T]() != tensor.Bool {
			put(t, i, uint64(i))
		}
	}
	return t
}

// model is a tensor without tricks: the elements of every view are copied.
type model struct {
	shape tensor.Shape
	data  []uint64
}

// gather returns the model of a view whose element at an index is m's at from(index).
func (m model) gather(shape tensor.Shape, from func(index []int) []int) model {
	out := model{shape: shape.Clone()}
	for i := range shape.Len() {
		index := make([]int, len(shape))
		for d, rest := len(shape)-1, i; d >= 0; d-- {
			index[d] = rest % shape[d]
			rest /= shape[d]
		}
		pos := 0
		for d, k := range from(index) {
			pos = pos*m.shape[d] + k
		}
		out.data = append(out.data, m.data[pos])
	}
	return out
}

// step applies one random view to a tensor and its model.
func step(r *rand.Rand, t *tensor.Tensor, m model) (*tensor.Tensor, model, string) {
	rank := t.Rank()
	switch op := r.IntN(4); {
	case op == 0:
		perm := r.Perm(rank)
		shape := make(tensor.Shape, rank)
		for i, p := range perm {
			shape[i] = m.shape[p]
		}
		return must(t.Transpose(perm...)), m.gather(shape, func(index []int) []int {
			from := make([]int, rank)
			for i, p := range perm {
				from[p] = index[i]
			}
			return from
		}), "transpose"
	case op == 1 && rank > 0:
		axis := r.IntN(rank)
		n := m.shape[axis]
		begin, end, by := r.IntN(n+1), r.IntN(n+1), 1+r.IntN(3)
		if r.IntN(10) == 0 {
			by = math.MaxInt
		}
		if begin > end {
			begin, end, by = begin-1, end-1, -by
		}
		shape := m.shape.Clone()
		shape[axis] = 0
		for i := begin; (by > 0 && i < end) || (by < 0 && i > end); {
			shape[axis]++
			if by == math.MaxInt || by == -math.MaxInt {
				break
			}
			i += by
		}
		return must(t.Slice(axis, begin, end, by)), m.gather(shape, func(index []int) []int {
			from := slices.Clone(index)
			from[axis] = begin + index[axis]*by
			return from
		}), "slice"
	case op == 2:
		shape := m.shape.Clone()
		for d, n := range shape {
			if n == 1 && r.IntN(2) == 0 {
				shape[d] = r.IntN(4)
			}
		}
		return must(t.Expand(shape...)), m.gather(shape, func(index []int) []int {
			from := slices.Clone(index)
			for d, n := range m.shape {
				if n == 1 {
					from[d] = 0
				}
			}
			return from
		}), "expand"
	}
	shape := tensor.Shape{1, m.shape.Len(), 1}
	for _, d := range []int{2, 3} {
		if n := shape[1]; n%d == 0 && r.IntN(2) == 0 {
			shape = append(tensor.Shape{d}, shape...)
			shape[2] /= d
		}
	}
	return must(t.Reshape(shape...)), model{shape, m.data}, "reshape"
}

// TestViews compares chains of views with the model.
func TestViews(t *testing.T) {
	sources := []*tensor.Tensor{counting[float64](2, 3), counting[uint8](3, 1, 4), counting[int16](2, 3, 2), counting[float32](4, 1, 1, 3), counting[int64](5), counting[bool](2, 2), counting[uint32]()}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 9))
		x := sources[r.IntN(len(sources))]
		m := model{shape: x.Shape()}
		for i := range x.Len() {
			m.data = append(m.data, get(x, i))
		}
		var chain []string
		for range 1 + r.IntN(6) {
			var name string
			x, m, name = step(r, x, m)
			chain = append(chain, name)
			compare(t, x, m, chain)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func compare(t *testing.T, x *tensor.Tensor, m model, chain []string) {
	t.Helper()
	if !x.Shape().Equal(m.shape) || x.Len() != len(m.data) {
		t.Fatalf("%v: shape %v; want %v", chain, x.Shape(), m.shape)
	}
	target := must(tensor.New(x.DType(), x.Shape()))
	if err := target.CopyFrom(x); err != nil {
		t.Fatalf("%v: %v", chain, err)
	}
	copies := []*tensor.Tensor{x.Clone(), x.Contiguous(), target}
	if x.IsContiguous() {
		copies = append(copies, x)
	} else if x.Bytes() != nil || tensor.Data[float32](x) != nil || tensor.Words[uint32](x) != nil {
		t.Fatalf("%v: a view that is not contiguous shows its memory", chain)
	}
	for _, c := range copies {
		if !c.IsContiguous() || len(c.Bytes()) != c.Len()*c.DType().Size() {
			t.Fatalf("%v: a copy is not contiguous or has %d bytes", chain, len(c.Bytes()))
		}
		for i, want := range m.data {
			if got := get(c, i); got != want {
				t.Fatalf("%v: element %d is %d; want %d", chain, i, got, want)
			}
		}
	}
}

// TestContiguous lists views that need no copy, which callers rely on.
func TestContiguous(t *testing.T) {
	x := counting[int32](1, 4, 3)
	for name, c := range map[string]struct {
		view *tensor.Tensor
		want bool
	}{
		"leading rows":       {must(x.Slice(1, 1, 3, 1)), true},
		"columns":            {must(x.Slice(2, 0, 2, 1)), false},
		"swap with extent 1": {must(x.Transpose(1, 0, 2)), true},
		"swap":               {must(x.Transpose(0, 2, 1)), false},
		"one element":        {must(must(x.Slice(1, 3, 2, -1)).Slice(2, 2, 3, 5)), true},
		"reversed":           {must(x.Slice(1, 3, -1, -1)), false},
		"expanded":           {must(x.Expand(2, 4, 3)), false},
		"expanded to none":   {must(must(x.Slice(2, 0, 2, 1)).Expand(0, 4, 2)), true},
	} {
		if got := c.view.IsContiguous(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestAliasing checks that views share memory, copies do not.
func TestAliasing(t *testing.T) {
	data := []int32{0, 1, 2, 3, 4, 5}
	x := must(tensor.FromSlice(data, 2, 3))
	transposed, row, flat, clone := must(x.Transpose()), must(x.Slice(0, 1, 2, 1)), must(x.Reshape(6)), x.Clone()
	data[4] = 40
	if tensor.Data[int32](row)[1] != 40 || tensor.Data[int32](flat)[4] != 40 || tensor.Data[int32](transposed.Clone())[3] != 40 {
		t.Error("a view does not share memory")
	}
	if tensor.Data[int32](clone)[4] != 4 {
		t.Error("a clone shares memory")
	}
	tensor.Data[int32](row)[0] = 30
	if data[3] != 30 {
		t.Error("writing to a view does not reach the data")
	}
	tensor.Words[uint32](x)[0] = 7
	if data[0] != 7 {
		t.Error("words do not share memory")
	}
	if tensor.Data[uint32](x) != nil || tensor.Words[uint16](x) != nil {
		t.Error("elements of another type or size are shown")
	}
	if must(transposed.Reshape(6)).IsContiguous(); tensor.Data[int32](must(transposed.Reshape(6)))[1] != 30 {
		t.Error("reshaping a view that is not contiguous must copy in order")
	}
	perm := make([]int, 0, 2)
	must(x.Transpose(perm...))
	if perm = perm[:2]; perm[0] != 0 || perm[1] != 0 {
		t.Error("the caller's slice is changed")
	}
}

func TestFromBytes(t *testing.T) {
	buf := tensor.AlignedBytes(65)
	unalignedLoads := slices.Contains([]string{"amd64", "arm64", "386", "wasm", "ppc64le", "s390x"}, runtime.GOARCH)
	for _, d := range tensor.DTypes() {
		size := max(d.Size(), 1)
		for shift := range 2 {
			data := buf[shift : shift+d.Bytes(4) : shift+d.Bytes(4)]
			x, err := tensor.FromBytes(d, tensor.Shape{2, 2}, data)
			if err != nil {
				t.Fatal(err)
			}
			start := uintptr(unsafe.Pointer(unsafe.SliceData(x.Bytes())))
			if start%uintptr(size) != 0 && !unalignedLoads {
				t.Errorf("%v at %d is not aligned", d, shift)
			}
			shared := unsafe.SliceData(x.Bytes()) == unsafe.SliceData(data)
			if want := shift == 0 || size == 1 || unalignedLoads; shared != want {
				t.Errorf("%v at %d: shared is %v", d, shift, shared)
			}
		}
		if _, err := tensor.FromBytes(d, tensor.Shape{2, 2}, buf[:d.Bytes(4)+1]); err == nil {
			t.Errorf("%v: too many bytes are accepted", d)
		}
	}
	if _, err := tensor.FromBytes(tensor.Bool, tensor.Shape{2}, []byte{1, 2}); err == nil || !strings.Contains(err.Error(), "byte 1") {
		t.Errorf("a bool of 2: %v", err)
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(tensor.AlignedBytes(1))))%tensor.Alignment != 0 || len(tensor.AlignedBytes(0)) != 0 {
		t.Error("memory is not aligned")
	}
}

// TestRefused lists arguments that must give an error and not a panic.
func TestRefused(t *testing.T) {
	testdata.Wide(t)
	x := counting[int32](2, 3)
	fails := func(name string, _ *tensor.Tensor, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	check := func(name string) func(*tensor.Tensor, error) {
		return func(v *tensor.Tensor, err error) { t.Helper(); fails(name, v, err) }
	}
	check("no type")(tensor.New(tensor.Invalid, tensor.Shape{1}))
	check("an unknown type")(tensor.New(tensor.DType(200), tensor.Shape{1}))
	check("a negative extent")(tensor.New(tensor.Int8, tensor.Shape{-1}))
	check("an overflow")(tensor.New(tensor.Int8, tensor.Shape{tensor.MaxElements, tensor.MaxElements}))
	check("an overflow behind 0")(tensor.New(tensor.Int8, tensor.Shape{0, tensor.MaxElements, tensor.MaxElements}))
	check("more than the address space")(tensor.New(tensor.Int64, tensor.Shape{tensor.MaxElements}))
	check("rank 17")(tensor.New(tensor.Int8, make(tensor.Shape, tensor.MaxRank+1)))
	check("too few elements")(tensor.FromSlice([]int8{1}, 2))
	check("a negative extent of a slice")(tensor.FromSlice([]int8{1}, -1, -1))
	check("another size")(x.Reshape(5))
	check("a negative reshape")(x.Reshape(-2, -3))
	check("a short permutation")(x.Transpose(0))
	check("a repeated axis")(x.Transpose(0, 0))
	check("an axis out of range")(x.Transpose(0, 2))
	check("a slice axis")(x.Slice(2, 0, 1, 1))
	check("step 0")(x.Slice(0, 0, 1, 0))
	check("end out of range")(x.Slice(0, 0, 3, 1))
	check("begin after end")(x.Slice(0, 1, 0, 1))
	check("begin out of range")(x.Slice(0, 2, 0, -1))
	check("end before -1")(x.Slice(0, 1, -2, -1))
	check("an extent that is not 1")(x.Expand(4, 3))
	check("another rank")(x.Expand(3))
	check("a huge expansion")(must(x.Slice(0, 0, 1, 1)).Expand(tensor.MaxElements, 3))
	if err := x.CopyFrom(counting[int32](3, 2)); err == nil {
		t.Error("a copy of another shape is accepted")
	}
}

func TestDTypes(t *testing.T) {
	for _, d := range tensor.DTypes() {
		if back, err := tensor.ParseDType(d.String()); err != nil || back != d {
			t.Errorf("%v does not come back: %v, %v", d, back, err)
		}
		kinds := 0
		for _, is := range []bool{d == tensor.Bool, d.IsFloat(), d.IsSmallFloat(), d.IsSigned(), d.IsUnsigned()} {
			kinds += int(b2u(is))
		}
		if d.Bits() < 8 != d.IsPacked() || d.IsPacked() != (d.Size() == 0) || d.Bytes(8) != d.Bits() {
			t.Errorf("the size of %v is not clear", d)
		}
		if kinds != 1 || d.IsInteger() != (d.IsSigned() || d.IsUnsigned()) || d.IsHalf() != (d.IsFloat() && d.Size() == 2) {
			t.Errorf("the kind of %v is not clear", d)
		}
	}
	if _, err := tensor.ParseDType("invalid"); err == nil {
		t.Error("the name of no type is accepted")
	}
	if lo, hi := tensor.Int64.IntRange(); lo != math.MinInt64 || hi != math.MaxInt64 {
		t.Error(lo, hi)
	}
	if lo, hi := tensor.Uint64.IntRange(); lo != 0 || hi != math.MaxUint64 {
		t.Error(lo, hi)
	}
	for d, want := range map[tensor.DType][2]int64{tensor.Int4: {-8, 7}, tensor.Uint4: {0, 15}, tensor.Int2: {-2, 1}, tensor.Uint2: {0, 3}, tensor.Float8E5M2: {}, tensor.Int8: {-128, 127}, tensor.Float64: {}, tensor.Bool: {}} {
		if lo, hi := d.IntRange(); lo != want[0] || int64(hi) != want[1] {
			t.Errorf("the range of %v is %d to %d", d, lo, hi)
		}
	}
	if tensor.TypeOf[tensor.F16]() != tensor.Float16 || tensor.TypeOf[uint16]() != tensor.Uint16 || tensor.TypeOf[bool]() != tensor.Bool || tensor.TypeOf[float64]() != tensor.Float64 {
		t.Error("Go types are mistaken")
	}
	if a, ok := (tensor.Shape{2, 3}).Axis(-1); a != 1 || !ok {
		t.Error("axis -1 of two is 1")
	}
	if _, ok := (tensor.Shape{2, 3}).Axis(-3); ok {
		t.Error("axis -3 of two is accepted")
	}
}

// TestReinterpret shows elements as another type of their width.
func TestReinterpret(t *testing.T) {
	x := must(tensor.FromSlice([]uint8{1, 0, 0x7E, 0xFF}, 2, 2))
	y := must(must(x.Transpose()).Reinterpret(tensor.Float8E4M3FN))
	if y.Describe() != "float8e4m3fn[2,2]" || !bytes.Equal(y.Bytes(), []byte{1, 0x7E, 0, 0xFF}) {
		t.Errorf("%v % x", y, y.Bytes())
	}
	if z := must(must(tensor.Cast(x, tensor.Uint4)).Reinterpret(tensor.Float4E2M1)); !bytes.Equal(z.Bytes(), []byte{0x01, 0xFE}) {
		t.Errorf("%v % x", z, z.Bytes())
	}
	for _, d := range []tensor.DType{tensor.Bool, tensor.Int4, tensor.Uint16, tensor.Invalid} {
		if z, err := x.Reinterpret(d); err == nil {
			t.Errorf("%v", z)
		}
	}
}

func TestDiscard(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Int64, tensor.Bool, tensor.Int4} {
		for _, shape := range []tensor.Shape{{}, {1, 1}, {2, 3}, {0, 2}} {
			x := must(tensor.New(d, shape))
			for i := range x.Bytes() {
				x.Bytes()[i] = 1
			}
			view := must(x.Reshape(shape...))
			was := view.Clone()
			x.Discard()
			want := must(tensor.New(d, shape))
			if d.IsPacked() {
				want = was
			}
			if y := x.Clone(); x.DType() != d || !x.Shape().Equal(shape) || string(y.Bytes()) != string(want.Bytes()) {
				t.Errorf("%v has become %v with %x", was, x, y.Bytes())
			}
			if string(view.Bytes()) != string(was.Bytes()) {
				t.Errorf("a view of %v has changed", was)
			}
		}
	}
}
