package tensor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

func golden(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "npy", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// readNPY reads an array from a stream and from memory.
func readNPY(data []byte) (*tensor.Tensor, error) {
	t, err := tensor.ReadNPY(bytes.NewReader(data), tensor.Limits{})
	in := append(tensor.AlignedBytes(0), data...)
	u, inErr := tensor.NPYOf(in, tensor.Limits{})
	if (err == nil) != (inErr == nil) || err == nil && !equal(t, u) || !bytes.Equal(in, data) {
		return nil, fmt.Errorf("as a stream: %v, %w; in memory: %v, %w", t, err, u, inErr)
	}
	return t, err
}

// equal reports whether two tensors have the same type, shape and bits.
func equal(a, b *tensor.Tensor) bool {
	return a.DType() == b.DType() && a.Shape().Equal(b.Shape()) && bytes.Equal(a.Contiguous().Bytes(), b.Contiguous().Bytes())
}

// arrays maps the golden files to what they hold.
func arrays() map[string]*tensor.Tensor {
	f4 := must(tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5}, 2, 3))
	return map[string]*tensor.Tensor{
		"f4_c":           f4,
		"f4_fortran":     f4,
		"f4_big":         f4,
		"f8_v2":          must(tensor.FromSlice([]float64{0.1, 1 + 0x1p-24, 1e300, math.Float64frombits(canonicalNaN64)}, 4)),
		"f8_big_fortran": must(tensor.FromSlice([]float64{1, 2, 3, 4}, 2, 2)),
		"f2":             must(tensor.FromSlice([]tensor.F16{0x3E00, 0x8000, 0x7BFF}, 3)),
		"bf16":           must(tensor.FromSlice([]tensor.BF16{0x3F80, 0xC000}, 2)),
		"bool":           must(tensor.FromSlice([]bool{true, false, true}, 3)),
		"i1":             must(tensor.FromSlice([]int8{-128, 127}, 2)),
		"i2_big":         must(tensor.FromSlice([]int16{-2, 258}, 2)),
		"i4":             must(tensor.FromSlice([]int32{math.MinInt32, 7}, 2)),
		"i8_v1_scalar":   tensor.Scalar[int64](math.MinInt64),
		"u1_zero":        must(tensor.New(tensor.Uint8, tensor.Shape{0, 3})),
		"u2":             must(tensor.FromSlice([]uint16{65535, 1}, 1, 2)),
		"u4":             must(tensor.FromSlice([]uint32{math.MaxUint32}, 1)),
		"u8_python2":     must(tensor.FromSlice([]uint64{math.MaxUint64, 3}, 2, 1)),
	}
}

func TestReadNPY(t *testing.T) {
	for name, want := range arrays() {
		data := golden(t, name+".npy")
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			got, err := tensor.ReadNPY(r, tensor.Limits{})
			if err != nil || !equal(got, want) {
				t.Errorf("%s is %v, %v; want %v", name, got, err, want)
			}
		}
		// What is written in the same order and type is the same file; "<V2" and "|b1" included.
		switch name {
		case "f4_c", "f2", "bf16", "bool", "i1", "i4", "i8_v1_scalar", "u1_zero", "u2", "u4":
			var out bytes.Buffer
			if err := tensor.WriteNPY(&out, want); err != nil || !bytes.Equal(out.Bytes(), data) {
				t.Errorf("%s is not written as the golden file: %v\n%q", name, err, out.Bytes())
			}
		}
		// Every shorter file is refused, at an offset within it.
		for n := range data {
			_, err := readNPY(data[:n])
			var f *tensor.FormatError
			if !errors.As(err, &f) || !errors.Is(err, io.ErrUnexpectedEOF) || f.Offset > int64(n) {
				t.Fatalf("%s cut at %d: %v", name, n, err)
			}
		}
	}
}

// TestReadNPYSequence reads arrays that follow one another.
func TestReadNPYSequence(t *testing.T) {
	r := bytes.NewReader(append(golden(t, "i4.npy"), golden(t, "bool.npy")...))
	for _, want := range []string{"i4", "bool"} {
		if got, err := tensor.ReadNPY(r, tensor.Limits{}); err != nil || !equal(got, arrays()[want]) {
			t.Errorf("%s: %v, %v", want, got, err)
		}
	}
	if r.Len() != 0 {
		t.Errorf("%d bytes are left", r.Len())
	}
}

const magic = "\x93NUMPY"

// header1 returns data with a header of version 1.0.
func header1(text, data string) []byte {
	return []byte(magic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text + data)
}

func TestReadNPYRefused(t *testing.T) {
	testdata.Wide(t)
	dict := func(descr, order, shape string) string {
		return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	}
	for _, c := range []struct {
		name, text, data string
		offset           int64
		want             string
		cause            error
	}{
		{"not a dictionary", "[]", "", 10, `"{" is expected`, nil},
		{"empty", "", "", 10, `"{" is expected`, nil},
		{"missing key", "{'descr': '<f4', 'shape': ()}", "", 10, `"fortran_order" is missing`, nil},
		{"key twice", "{'descr': '<f4', 'descr': '<f8'}", "", 27, `"descr" is given twice`, nil},
		{"unknown key", "{'x': 1}", "", 11, `"x" is unknown`, nil},
		{"key without quotes", "{descr: '<f4'}", "", 11, "string is expected", nil},
		{"open string", "{'descr", "", 11, "no end", nil},
		{"text behind", dict("'<f4'", "False", "()") + "x", "", 65, "text follows", nil},
		{"order", dict("'<f4'", "0", "()"), "", 44, "True or False", nil},
		{"object", dict("'|O'", "False", "()"), "", 20, `"|O" is not supported`, nil},
		{"text type", dict("'<U4'", "False", "()"), "", 20, "not supported", nil},
		{"complex", dict("'<c8'", "False", "()"), "", 20, "not supported", nil},
		{"native order", dict("'=f4'", "False", "()"), "", 20, "not supported", nil},
		{"no order", dict("'|f4'", "False", "()"), "", 20, "not supported", nil},
		{"structure", dict("[('a', '<f4')]", "False", "()"), "", 20, "structured", nil},
		{"negative extent", dict("'<f4'", "False", "(-1,)"), "", 61, "extent", nil},
		{"huge extent", dict("'<f4'", "False", "(99999999999999999999,)"), "", 61, "extent", nil},
		{"overflow", dict("'<f4'", "False", "(4294967296, 4294967296, 0)"), "", 60, "more elements", nil},
		{"overflow in bytes", dict("'<f8'", "False", "(576460752303423487,)"), "", -1, "at most", tensor.ErrLimit},
		{"no tuple", dict("'<f4'", "False", "(3)"), "", 60, "shape of one dimension is (3,)", nil},
		{"rank", dict("'<f4'", "False", "("+strings.Repeat("1,", 17)+")"), "", 60, "more than 16", nil},
		{"declared, not there", dict("'<f4'", "False", "(1000000000,)"), "abcd", -1, "there are 4", io.ErrUnexpectedEOF},
		{"bool", dict("'|b1'", "False", "(3,)"), "\x01\x00\x02", 69, "a bool is 2", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readNPY(header1(c.text, c.data))
			var f *tensor.FormatError
			if got != nil || !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || c.cause != nil && !errors.Is(err, c.cause) {
				t.Fatalf("%v, %v; want %q", got, err, c.want)
			}
			if c.offset >= 0 && f.Offset != c.offset {
				t.Errorf("%v is at offset %d", err, c.offset)
			}
		})
	}
	if _, err := readNPY([]byte("PK\x03\x04....")); err == nil || !strings.Contains(err.Error(), "offset 0") {
		t.Errorf("another format: %v", err)
	}
	if _, err := readNPY([]byte(magic + "\x04\x00........")); err == nil || !strings.Contains(err.Error(), "version 4.0") {
		t.Errorf("another version: %v", err)
	}
	if _, err := readNPY([]byte(magic + "\x02\x00\xff\xff\xff\xff")); !errors.Is(err, tensor.ErrLimit) {
		t.Errorf("a header of 4 GiB: %v", err)
	}
	broken := errors.New("broken")
	if _, err := tensor.ReadNPY(iotest.ErrReader(broken), tensor.Limits{}); !errors.Is(err, broken) {
		t.Errorf("a broken reader: %v", err)
	}
}

func TestLimits(t *testing.T) {
	data := golden(t, "f8_v2.npy") // a header of 118 bytes, 4 elements of 8 bytes
	for _, c := range []struct {
		limits tensor.Limits
		ok     bool
	}{
		{tensor.Limits{Header: 116, Elements: 4, Bytes: 32}, true},
		{tensor.Limits{Header: 115}, false},
		{tensor.Limits{Elements: 3}, false},
		{tensor.Limits{Bytes: 31}, false},
	} {
		_, err := tensor.ReadNPY(bytes.NewReader(data), c.limits)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, tensor.ErrLimit) {
			t.Errorf("%+v: %v", c.limits, err)
		}
	}
	zipped := golden(t, "deflated.npz") // arrays of 152 and 131 bytes
	for _, c := range []struct {
		limits tensor.Limits
		ok     bool
	}{
		{tensor.Limits{Members: 2, Bytes: 155}, true},
		{tensor.Limits{Members: 1}, false},
		{tensor.Limits{Bytes: 154}, false},
	} {
		_, err := tensor.ReadNPZ(bytes.NewReader(zipped), int64(len(zipped)), c.limits)
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, tensor.ErrLimit) {
			t.Errorf("%+v: %v", c.limits, err)
		}
	}
}

// TestBoundedMemory reads files that promise much more than they hold.
func TestBoundedMemory(t *testing.T) {
	data := header1("{'descr': '<f4', 'fortran_order': False, 'shape': (2000000000,)}", strings.Repeat("x", 1000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		if _, err := readNPY(data); err == nil {
			t.Fatal("accepted")
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 10<<18 {
		t.Errorf("%d bytes are allocated for ten arrays that are not there", n)
	}
}

// failingWriter takes n bytes.
type failingWriter int

func (w *failingWriter) Write(p []byte) (int, error) {
	if n := int(*w); len(p) > n {
		*w = 0
		return n, errors.New("the disk is full")
	}
	*w -= failingWriter(len(p))
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	x := arrays()["f4_c"]
	list := []tensor.Named{{"x", x}}
	var archive bytes.Buffer
	if err := tensor.WriteNPZ(&archive, list, false); err != nil {
		t.Fatal(err)
	}
	for n := range archive.Len() + 2 {
		w := failingWriter(n)
		if err := tensor.WriteNPY(&w, x); (err == nil) != (n >= 152) {
			t.Errorf("%d bytes taken: %v", n, err)
		}
		w = failingWriter(n)
		if err := tensor.WriteNPZ(&w, list, false); (err == nil) != (n >= archive.Len()) {
			t.Errorf("%d bytes of an archive taken: %v", n, err)
		}
	}
}

// TestNoNPY holds types that the format does not have to an error that names the type and what would be right.
func TestNoNPY(t *testing.T) {
	standIn := regexp.MustCompile(`\[3\]; cast it to one that it has, such as (\w+)$`)
	for _, d := range tensor.DTypes() {
		if !d.IsPacked() && !d.IsSmallFloat() {
			continue
		}
		x := must(tensor.New(d, tensor.Shape{3}))
		for _, err := range []error{tensor.WriteNPY(io.Discard, x), tensor.WriteNPZ(io.Discard, []tensor.Named{{"x", x}}, true)} {
			var f *tensor.FormatError
			if !errors.As(err, &f) || !strings.Contains(err.Error(), d.String()+"[3]") || !standIn.MatchString(err.Error()) {
				t.Errorf("%v: %v", d, err)
				continue
			}
			other := must(tensor.ParseDType(standIn.FindStringSubmatch(err.Error())[1]))
			y := must(tensor.Cast(must(tensor.Cast(x, other)), d)) // of which nothing may be lost
			if !equal(x, y) {
				t.Errorf("%v becomes %v", x, y)
			}
		}
	}
}

// TestNumPyFiles reads files that NumPy wrote and writes the arrays again.
func TestNumPyFiles(t *testing.T) {
	for _, path := range []string{"ultraface/input_1.npy", "silero-vad/probs_op15.npy"} {
		data := must(os.ReadFile(testdata.Shared(t, "models", filepath.FromSlash(path))))
		x, err := readNPY(data)
		if err != nil {
			t.Fatal(path, err)
		}
		var out bytes.Buffer
		if err := tensor.WriteNPY(&out, x); err != nil {
			t.Fatal(path, err)
		}
		if back, err := readNPY(out.Bytes()); err != nil || !equal(back, x) {
			t.Errorf("%s does not come back: %v", path, err)
		}
	}
	list, err := readNPZ(must(os.ReadFile(testdata.Shared(t, "models", "ultraface", "expected_slim320_1.npz"))))
	if err != nil || len(list) == 0 {
		t.Error(list, err)
	}
}

func FuzzReadNPY(f *testing.F) {
	for name := range arrays() {
		f.Add(golden(f, name+".npy"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := readNPY(data)
		if err != nil {
			if fe := (*tensor.FormatError)(nil); !errors.As(err, &fe) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if len(x.Bytes()) > len(data) {
			t.Fatalf("%d bytes become %v", len(data), x)
		}
		var out bytes.Buffer
		if err := tensor.WriteNPY(&out, x); err != nil {
			t.Fatal(err)
		}
		if back, err := readNPY(out.Bytes()); err != nil || !equal(back, x) {
			t.Fatalf("%v does not come back: %v", x, err)
		}
	})
}
