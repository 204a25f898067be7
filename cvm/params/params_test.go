package params_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

func must(t testing.TB, x *tensor.Tensor, err error) *tensor.Tensor {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// sample returns a file of two arrays: w of shape [2,3] and type int8, and b of shape [2] and type int32.
func sample(t testing.TB) []byte {
	t.Helper()
	w, err := tensor.FromSlice([]int8{1, -2, 3, -128, 127, 0}, 2, 3)
	w = must(t, w, err)
	b, err := tensor.FromSlice([]int32{math.MinInt32, 0x01020304}, 2)
	b = must(t, b, err)
	file, err := params.Append(nil, []params.Param{{Name: "w", Tensor: w}, {Name: "b", Tensor: b}})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Offsets in the sample.
const (
	names    = 16
	arrays   = names + 8 + 9 + 9
	first    = arrays + 8
	device   = first + 16
	rank     = first + 24
	code     = first + 28
	bits     = first + 29
	lanes    = first + 30
	dim0     = first + 32
	dim1     = dim0 + 8
	size     = dim1 + 8
	data     = size + 8
	second   = data + 6
	data2    = second + 32 + 8 + 8
	fileSize = data2 + 8
)

func TestSample(t *testing.T) {
	file := sample(t)
	if len(file) != fileSize {
		t.Fatalf("%d bytes, want %d", len(file), fileSize)
	}
	if got := file[data2:]; !bytes.Equal(got, []byte{0, 0, 0, 0x80, 4, 3, 2, 1}) {
		t.Errorf("int32 is written as % x", got)
	}
	list, err := params.Parse(append(file, 1, 2, 3)) // more is ignored
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Name != "w" || list[1].Name != "b" || list[0].Offset != first || list[1].Offset != second {
		t.Fatalf("%+v", list)
	}
	if w := list[0].Tensor; !w.Shape().Equal(tensor.Shape{2, 3}) || tensor.Data[int8](w)[3] != -128 {
		t.Errorf("w is %v %v", w, tensor.Data[int8](w))
	}
	if b := tensor.Data[int32](list[1].Tensor); b[0] != math.MinInt32 || b[1] != 0x01020304 {
		t.Errorf("b is %v", b)
	}
	again, err := params.Append(nil, list)
	if err != nil || !bytes.Equal(again, file) {
		t.Errorf("written differently: %v", err)
	}
}

func TestRefused(t *testing.T) {
	type edit struct {
		offset int
		width  int // bytes
		value  uint64
	}
	const minusOne = math.MaxUint64
	tests := []struct {
		name   string
		edits  []edit
		cut    int // length of the file; 0 for all
		class  fault.Class
		offset int64
		part   string
	}{
		{"list magic", []edit{{0, 1, 0}}, 0, fault.Logic, 0, ""},
		{"short list magic", nil, 7, fault.Logic, 0, ""},
		{"short reserved", nil, 15, fault.Logic, 8, ""},
		{"short number of names", nil, 20, fault.Logic, names, ""},
		{"short name length", nil, names + 10, fault.Logic, names + 8, ""},
		{"short name", nil, names + 16, fault.Logic, names + 8, ""},
		{"short number of arrays", nil, arrays + 7, fault.Logic, arrays, ""},
		{"more names than memory", []edit{{names, 8, 1 << 40}}, 0, fault.Runtime, names, ""},
		{"more names than C++ can have", []edit{{names, 8, minusOne}}, 0, fault.Logic, names, ""},
		{"a name beyond the file", []edit{{names + 8, 8, 1000}}, 0, fault.Logic, names + 8, ""},
		{"a name beyond memory", []edit{{names + 8, 8, 1 << 40}}, 0, fault.Runtime, names + 8, ""},
		{"a name beyond C++ strings", []edit{{names + 8, 8, minusOne}}, 0, fault.Logic, names + 8, ""},
		{"number of arrays", []edit{{arrays, 8, 1}}, 0, fault.Logic, arrays, ""},
		{"no array", nil, first, fault.Runtime, first, "w"},
		{"array magic", []edit{{second, 1, 0}}, 0, fault.Runtime, second, "b"},
		{"negative rank", []edit{{rank, 4, minusOne}}, 0, fault.Logic, rank, "w"},
		{"huge rank", []edit{{rank, 4, math.MaxInt32}}, 0, fault.Runtime, dim0, "w"},
		{"short shape", nil, dim1 + 3, fault.Runtime, dim0, "w"},
		{"short size", nil, size + 3, fault.Runtime, size, "w"},
		{"no lanes", []edit{{lanes, 2, 0}}, 0, fault.Runtime, code, "w"},
		{"odd bits", []edit{{bits, 1, 12}}, 0, fault.Runtime, code, "w"},
		{"one bit", []edit{{bits, 1, 1}}, 0, fault.Runtime, code, "w"},
		{"bits of no power of two", []edit{{bits, 1, 24}}, 0, fault.Runtime, code, "w"},
		{"lanes that cannot be aligned", []edit{{lanes, 2, 65}}, 0, fault.Runtime, rank, "w"},
		{"unknown device", []edit{{device, 4, 2}}, 0, fault.Runtime, device, "w"},
		{"huge shape", []edit{{dim0, 8, 1 << 40}}, 0, fault.Runtime, rank, "w"},
		{"negative extent", []edit{{dim0, 8, minusOne}}, 0, fault.Runtime, rank, "w"},
		{"size", []edit{{size, 8, 7}}, 0, fault.Runtime, size, "w"},
		{"negative size", []edit{{size, 8, minusOne}}, 0, fault.Runtime, size, "w"},
		{"empty", []edit{{dim0, 8, 0}, {size, 8, 0}}, 0, fault.Runtime, size, "w"},
		{"no bits", []edit{{bits, 1, 0}, {size, 8, 0}}, 0, fault.Runtime, size, "w"},
		{"short array before the last", nil, data + 3, fault.Runtime, data, "w"},
		{"short last array", nil, fileSize - 1, fault.Logic, data2, "b"},
		{"no last array", nil, data2, fault.Runtime, data2, "b"},
		// What the original reads but no variable takes.
		{"unsigned", []edit{{code, 1, 1}}, 0, fault.Logic, code, "w"},
		{"float", []edit{{code, 1, 2}}, 0, fault.Logic, code, "w"},
		{"unsigned of one bit", []edit{{code, 1, 1}, {bits, 1, 1}}, 0, fault.Logic, code, "w"},
		{"int16", []edit{{bits, 1, 16}, {dim0, 8, 1}}, 0, fault.Logic, code, "w"},
		{"two lanes", []edit{{lanes, 2, 2}}, 0, fault.Logic, code, "w"},
		{"formal device", []edit{{device, 4, 3}}, 0, fault.Logic, device, "w"},
		{"two negative extents", []edit{{dim0, 8, minusOne - 1}, {dim1, 8, minusOne - 2}}, 0, fault.Logic, dim0, "w"},
		{"unsigned, and a bad array after it", []edit{{code, 1, 1}, {second, 1, 0}}, 0, fault.Runtime, second, "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := sample(t)
			for _, e := range test.edits {
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], e.value)
				copy(file[e.offset:], b[:e.width])
			}
			if test.cut > 0 {
				file = file[:test.cut]
			}
			_, err := params.Parse(file)
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Class != test.class || e.Offset != test.offset || e.Part != test.part || e.Stage != fault.Params || e.Node != -1 {
				t.Errorf("%#v\nwant %v at %d in %q", err, test.class, test.offset, test.part)
			}
		})
	}
}

// TestAnyShape: what shape an array must have is not the business of this package.
func TestAnyShape(t *testing.T) {
	for _, shape := range []tensor.Shape{{}, {1}, {1, 1, 1, 1, 1, 1, 1, 1}} {
		x, err := tensor.New(tensor.Int8, shape)
		file, err := params.Append(nil, []params.Param{{Tensor: must(t, x, err)}, {Tensor: x}})
		if err != nil {
			t.Fatal(err)
		}
		list, err := params.Parse(file)
		if err != nil || len(list) != 2 || !list[1].Tensor.Shape().Equal(shape) {
			t.Errorf("%v: %v, %v", shape, list, err)
		}
	}
	deep := make(tensor.Shape, tensor.MaxRank)
	for i := range deep {
		deep[i] = 1
	}
	x, err := tensor.New(tensor.Int8, deep)
	file, err := params.Append(nil, []params.Param{{Name: "x", Tensor: must(t, x, err)}})
	if err != nil {
		t.Fatal(err)
	}
	rank := 16 + 8 + 9 + 8 + 24
	binary.LittleEndian.PutUint32(file[rank:], tensor.MaxRank+1)
	one := binary.LittleEndian.AppendUint64(nil, 1)
	file = append(file[:rank+8:rank+8], append(one, file[rank+8:]...)...)
	if _, err := params.Parse(file); fault.ClassOf(err) != fault.Logic {
		t.Errorf("rank %d: %v", tensor.MaxRank+1, err)
	}
}

func TestMemoryIsShared(t *testing.T) {
	file := sample(t)
	list, err := params.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	file[data]++
	if tensor.Data[int8](list[0].Tensor)[0] != 2 {
		t.Error("an int8 array was copied")
	}
}

func TestAppendRefused(t *testing.T) {
	for _, x := range []struct {
		d     tensor.DType
		shape tensor.Shape
	}{{tensor.Uint8, tensor.Shape{1}}, {tensor.Int16, tensor.Shape{1}}, {tensor.Int8, tensor.Shape{2, 0}}} {
		y, err := tensor.New(x.d, x.shape)
		b, err := params.Append([]byte("x"), []params.Param{{Name: "p", Tensor: must(t, y, err)}})
		if fault.ClassOf(err) != fault.Logic || string(b) != "x" || !strings.Contains(err.Error(), "p: cannot write") {
			t.Errorf("%v: %q %v", x, b, err)
		}
	}
	if _, err := params.Append(nil, []params.Param{{Name: "p"}}); fault.ClassOf(err) != fault.Logic {
		t.Errorf("a parameter without a tensor: %v", err)
	}
	w, err := tensor.FromSlice([]int32{1, 2, 3, 4}, 2, 2)
	turned, err := must(t, w, err).Transpose(1, 0)
	file, err := params.Append(nil, []params.Param{{Name: "t", Tensor: must(t, turned, err)}})
	if err != nil {
		t.Fatal(err)
	}
	list, err := params.Parse(file)
	if err != nil || tensor.Data[int32](list[0].Tensor)[1] != 3 {
		t.Errorf("a strided array is written wrongly: %v", err)
	}
}

func TestSharedModels(t *testing.T) {
	root := testdata.Shared(t, "conformance", "cvm", "models")
	malformed := map[string]fault.Class{"bad-param-count": fault.Logic, "bad-param-magic": fault.Logic, "bad-param-trunc": fault.Logic}
	dirs, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		file, err := os.ReadFile(filepath.Join(root, dir.Name(), "params.bin"))
		if err != nil {
			t.Fatal(err)
		}
		list, err := params.Parse(file)
		if got := fault.ClassOf(err); got != malformed[dir.Name()] {
			t.Errorf("%s: class %v: %v", dir.Name(), got, err)
		}
		if err != nil {
			continue
		}
		again, err := params.Append(nil, list)
		if err != nil || !bytes.HasPrefix(file, again) || (len(again) < len(file) && dir.Name() != "ok-param-tail") {
			t.Errorf("%s: written differently: %v", dir.Name(), err)
		}
	}
}
