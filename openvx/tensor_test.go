package openvx

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// dataContext returns a context for tests of data objects.
func dataContext(t testing.TB, o Options) *Context {
	t.Helper()
	c, err := NewContext(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// wantStatus reports an error of another status.
func wantStatus(t testing.TB, what string, err error, want Status) {
	t.Helper()
	if got := StatusOf(err); got != want {
		t.Errorf("%s: status %d (%v); want %d", what, got, err, want)
	}
}

func TestCreateTensor(t *testing.T) {
	c := dataContext(t, Options{MaxTensorBytes: 1 << 20})
	g := must(c.CreateGraph())
	many := slices.Repeat([]int{1}, MaxTensorDims)
	for _, test := range []struct {
		name          string
		dims          []int
		dtype         Type
		fixed         int8
		plain, hidden Status // of CreateTensor and CreateVirtualTensor
	}{
		{"one element", []int{1}, TypeUint8, 0, Success, Success},
		{"as many dimensions as possible", many, TypeInt16, 8, Success, Success},
		{"one more", append(many, 1), TypeInt16, 8, ErrorInvalidDimension, ErrorInvalidDimension},
		{"no dimensions", nil, TypeUint8, 0, ErrorInvalidDimension, Success},
		{"extent 0", []int{4, 0}, TypeUint8, 0, ErrorInvalidDimension, Success},
		{"a negative extent", []int{4, -1}, TypeUint8, 0, ErrorInvalidDimension, ErrorInvalidDimension},
		{"no type", []int{4}, TypeInvalid, 0, ErrorInvalidType, Success},
		{"float64", []int{4}, TypeFloat64, 0, ErrorInvalidType, ErrorInvalidFormat},
		{"an object's type", []int{4}, TypeTensor, 0, ErrorInvalidType, ErrorInvalidFormat},
		{"an unknown type", []int{4}, -5, 0, ErrorInvalidType, ErrorInvalidFormat},
		{"position 15", []int{4}, TypeInt16, 15, Success, Success},
		{"position 16", []int{4}, TypeInt16, 16, ErrorInvalidType, ErrorInvalidFormat},
		{"position -1", []int{4}, TypeInt16, -1, ErrorInvalidType, ErrorInvalidFormat},
		{"position 7 of 8 bits", []int{4}, TypeInt8, 7, Success, Success},
		{"position 8 of 8 bits", []int{4}, TypeUint8, 8, ErrorInvalidType, ErrorInvalidFormat},
		{"a fraction of a float", []int{4}, TypeFloat32, 1, ErrorInvalidType, ErrorInvalidFormat},
		{"a fraction of a bool", []int{4}, TypeBool, 1, ErrorInvalidType, ErrorInvalidFormat},
		{"the limit", []int{1 << 10, 1 << 9}, TypeInt16, 8, Success, Success},
		{"beyond the limit", []int{1 << 10, 1<<9 + 1}, TypeInt16, 8, ErrorNoMemory, ErrorNoMemory},
		{"an overflow", []int{math.MaxInt, math.MaxInt, math.MaxInt}, TypeFloat32, 0, ErrorNoMemory, ErrorNoMemory},
		{"an overflow beside what is open", []int{math.MaxInt, 0, 2}, TypeInvalid, 0, ErrorInvalidDimension, ErrorNoMemory},
	} {
		dims := slices.Clone(test.dims)
		plain, err := c.CreateTensor(dims, test.dtype, test.fixed)
		wantStatus(t, test.name, err, test.plain)
		hidden, err := g.CreateVirtualTensor(dims, test.dtype, test.fixed)
		wantStatus(t, test.name+", virtual", err, test.hidden)
		if !slices.Equal(dims, test.dims) {
			t.Errorf("%s: the caller's extents have changed", test.name)
		}
		for i := range dims {
			dims[i] = 77 // they are the caller's
		}
		for _, x := range []*Tensor{plain, hidden} {
			if x == nil {
				continue
			}
			if !slices.Equal(x.Dims(), test.dims) || x.DataType() != test.dtype || x.FixedPointPosition() != test.fixed || x.Virtual() != (x == hidden) {
				t.Errorf("%s: queries return %v, %v, %v, %v", test.name, x.Dims(), x.DataType(), x.FixedPointPosition(), x.Virtual())
			}
		}
	}
}

// elementTypes are the types of elements, by number.
var elementTypes = slices.DeleteFunc(slices.Sorted(maps.Keys(numberTypes)), func(t Type) bool { return t.elementType() == tensor.Invalid })

// TestWriteRead takes values of every type of elements there and back.
func TestWriteRead(t *testing.T) {
	c := dataContext(t, Options{})
	slicesOf := []any{
		[]int8{-128, 127, 0, 1}, []uint8{1, 255, 0, 7}, []int16{-32768, 32767, 5, 6}, []uint16{65535, 0, 1, 2},
		[]int32{math.MinInt32, math.MaxInt32, 0, 1}, []uint32{math.MaxUint32, 0, 1, 2}, []int64{math.MinInt64, math.MaxInt64, 0, 1},
		[]uint64{math.MaxUint64, 0, 1, 2}, []float32{1.5, -2, float32(math.Inf(1)), 0}, []tensor.F16{0x3c00, 0x7c00, 0, 1}, []int32{1, 0, 1, 1},
	}
	for i, e := range elementTypes {
		x := must(c.CreateTensor([]int{2, 1, 2}, e, 0))
		data := slicesOf[i]
		back := reflect.MakeSlice(reflect.TypeOf(data), 4, 4).Interface()
		if err := x.Read(back); err != nil || !zeros(back) {
			t.Errorf("%v: a new tensor has %v (%v); want zeros", e, back, err)
		}
		if err := x.Write(data); err != nil {
			t.Error(err)
		}
		if err := x.Read(back); err != nil || !reflect.DeepEqual(back, data) {
			t.Errorf("%v: %v came back as %v (%v)", e, data, back, err)
		}
		wantStatus(t, "another type", x.Write([]string{"a"}), ErrorInvalidType)
		wantStatus(t, "elements of another type", x.Read(slicesOf[(i+1)%len(slicesOf)]), ErrorInvalidType)
		wantStatus(t, "nil", x.Read(nil), ErrorInvalidType)
		wantStatus(t, "another length", x.Write(reflect.MakeSlice(reflect.TypeOf(data), 3, 3).Interface()), ErrorInvalidParameters)
	}
	if len(slicesOf) != len(elementTypes) {
		t.Error("types are missing")
	}
}

func zeros(slice any) bool {
	v := reflect.ValueOf(slice)
	for i := range v.Len() {
		if !v.Index(i).IsZero() {
			return false
		}
	}
	return true
}

// TestResolve gives a virtual tensor a format, as verification does.
func TestResolve(t *testing.T) {
	c := dataContext(t, Options{MaxTensorBytes: 1000})
	g := must(c.CreateGraph())
	x := must(g.CreateVirtualTensor([]int{0, 3}, TypeInvalid, 0))
	if err := try(func() { x.elements() }); StatusOf(err) != ErrorNotAllocated {
		t.Errorf("elements of an open format: %v", err)
	}
	_, err := x.CreateView([]int{0}, []int{1})
	wantStatus(t, "a view of an open format", err, ErrorInvalidParameters)
	wantStatus(t, "an open format", try(func() { x.resolve(format{TypeInt16, 8, []int{0, 3}}) }), ErrorInvalidDimension)
	wantStatus(t, "a large format", try(func() { x.resolve(format{TypeInt16, 8, []int{3000, 3}}) }), ErrorNoMemory)
	f := format{TypeInt16, 8, []int{4, 3}}
	wantStatus(t, "a format", try(func() { x.resolve(f) }), Success)
	f.dims[0] = 5 // the tensor's are its own
	if e := x.elements(); !e.Shape().Equal(tensor.Shape{3, 4}) || e.DType() != tensor.Int16 {
		t.Error(e)
	}
	wantStatus(t, "another format", try(func() { x.resolve(format{TypeUint8, 0, []int{2, 3, 4}}) }), Success)
	if e := x.elements(); !e.Shape().Equal(tensor.Shape{4, 3, 2}) {
		t.Error(e)
	}
	v := must(x.CreateView([]int{0, 1}, []int{1, 3}))
	wantStatus(t, "another format of what has a view", try(func() { x.resolve(format{TypeUint8, 0, []int{2}}) }), ErrorInvalidFormat)
	if x.reopen(); len(x.Dims()) != 3 {
		t.Error("a view must fix the format")
	}
	wantStatus(t, "release of the view", v.Release(), Success)
	if x.reopen(); !slices.Equal(x.Dims(), []int{0, 3}) || x.DataType() != TypeInvalid {
		t.Error("the declared format must come back")
	}
}
