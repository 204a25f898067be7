package tensorfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, d := range tensor.DTypes() {
		for _, shape := range []tensor.Shape{{}, {0}, {5}, {2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 2}} {
			want, err := tensor.New(d, shape)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Bytes() {
				if want.Bytes()[i] = byte(rng.Uint32()); d == tensor.Bool {
					want.Bytes()[i] &= 1
				}
			}
			var file bytes.Buffer
			if err := Encode(&file, want); err != nil {
				t.Fatal(err)
			}
			got, info, err := Decode(file.Bytes())
			if err != nil {
				t.Fatalf("%v: %v", want, err)
			}
			if info.Provisional || info.Quantized() {
				t.Errorf("%v: info is %+v", want, info)
			}
			if d == tensor.BFloat16 {
				if want, err = tensor.Cast(want, tensor.Float32); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != want.String() || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("wrote %v, read %v or other elements", want, got)
			}
		}
	}
}

// TestEncode holds the bytes of a small file to the fields that the standard lists.
func TestEncode(t *testing.T) {
	x, err := tensor.FromSlice([]float32{1, -2}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := Encode(&got, x); err != nil {
		t.Fatal(err)
	}
	want := "4eef" + "0100" + "08000000" + "02000000" + "01000000" + "02000000" + strings.Repeat("00", 24) +
		"20000000" + "0000" + "0000" + strings.Repeat("00", 32+44) + "0000803f" + "000000c0"
	if hex.EncodeToString(got.Bytes()) != want {
		t.Errorf("the file is\n%x, want\n%s", got.Bytes(), want)
	}
}

// file makes a file with the given header fields.
func file(length, rank uint32, extents []uint32, bits uint32, item, vendor uint16, data ...byte) []byte {
	h := make([]byte, HeaderSize, HeaderSize+len(data))
	copy(h, []byte{0x4E, 0xEF, 1, 0})
	le := binary.LittleEndian
	le.PutUint32(h[4:], length)
	le.PutUint32(h[8:], rank)
	for i, n := range extents {
		le.PutUint32(h[12+4*i:], n)
	}
	le.PutUint32(h[44:], bits)
	le.PutUint16(h[48:], item)
	le.PutUint16(h[50:], vendor)
	return append(h, data...)
}

func TestRejects(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":             {},
		"magic":             append([]byte{1, 2}, file(1, 1, []uint32{1}, 8, 1, 0, 7)[2:]...),
		"version":           func() []byte { f := file(1, 1, []uint32{1}, 8, 1, 0, 7); f[2] = 2; return f }(),
		"short header":      file(1, 1, []uint32{1}, 8, 1, 0, 7)[:100],
		"rank":              file(1, 9, nil, 8, 1, 0, 7),
		"truncated":         file(4, 1, []uint32{4}, 8, 1, 0, 1, 2, 3),
		"trailing":          file(1, 1, []uint32{1}, 8, 1, 0, 7, 7),
		"length":            file(2, 1, []uint32{4}, 8, 1, 0, 1, 2),
		"overflow":          file(0, 8, slices.Repeat([]uint32{1 << 30}, 8), 8, 1, 0),
		"zero and overflow": file(0, 8, append([]uint32{0}, slices.Repeat([]uint32{1 << 30}, 7)...), 8, 1, 0),
		"bits":              file(0, 1, []uint32{0}, 65, 1, 0),
		"no bits":           file(0, 1, []uint32{0}, 0, 1, 0),
		"float bits":        file(1, 1, []uint32{1}, 8, 0, 0, 7),
		"bool value":        file(1, 1, []uint32{1}, 8, 5, 0, 7),
		"item type":         file(1, 1, []uint32{1}, 8, 6, 0, 7),
		"old quantized":     file(1, 1, []uint32{1}, 8, 0x10, 0, 7),
		"vendor":            file(1, 1, []uint32{1}, 8, 1, 0x5452, 7),
	} {
		_, _, err := Decode(data)
		var typed *Error
		if !errors.As(err, &typed) {
			t.Errorf("%s: the error is %v; want an *Error", name, err)
		}
	}
}

func TestPacked(t *testing.T) {
	got, _, err := Decode(file(3, 1, []uint32{5}, 4, 4, 0, 0x12, 0xF0, 0x80))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int8{1, 2, -1, 0, -8}; !slices.Equal(tensor.Data[int8](got), want) {
		t.Errorf("signed 4-bit items are %v; want %v", tensor.Data[int8](got), want)
	}
}

func TestFloat64(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(math.NaN()))
	got, _, err := Decode(file(16, 1, []uint32{2}, 64, 0, 0, data...))
	if err != nil {
		t.Fatal(err)
	}
	v := tensor.Data[float32](got)
	if v[0] != 0.1 || math.Float32bits(v[1]) != 0x7FC00000 {
		t.Errorf("64-bit floats are read as %v", v)
	}
}

// TestCases reads the tensor files of the conformance set.
func TestCases(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "nnef", "tensors")
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, File string
		Expect   struct {
			Verdict, DType string
			Shape          []int
			Data           []any
		}
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		data, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Decode(data)
		if (err == nil) != (c.Expect.Verdict == "accept") {
			t.Errorf("%s: %v; want %s", c.ID, err, c.Expect.Verdict)
		}
		if err != nil || c.Expect.Verdict != "accept" {
			continue
		}
		values, err := tensor.Cast(got, tensor.Float32)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range c.Expect.Data {
			if b, ok := w.(bool); ok {
				w = map[bool]float64{true: 1}[b]
			}
			if g := float64(tensor.Data[float32](values)[i]); g != w {
				t.Errorf("%s: item %d is %v; want %v", c.ID, i, g, w)
			}
		}
		if !slices.Equal(got.Shape(), tensor.Shape(c.Expect.Shape)) {
			t.Errorf("%s: shape %v; want %v", c.ID, got.Shape(), c.Expect.Shape)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(file(4, 1, []uint32{4}, 8, 1, 0, 1, 2, 3, 4))
	f.Add(file(3, 1, []uint32{5}, 4, 4, 0, 0x12, 0xF0, 0x80))
	f.Add([]byte("\x4E\xEF\x01\x00\x18\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x20\x04\x00abcd01234567"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, info, err := Decode(data)
		if err != nil {
			var typed *Error
			if !errors.As(err, &typed) {
				t.Fatalf("the error %v is no *Error", err)
			}
			return
		}
		var out bytes.Buffer
		if err := Encode(&out, x); err != nil {
			t.Fatal(err)
		}
		again, _, err := Decode(out.Bytes())
		if err != nil || !bytes.Equal(again.Bytes(), x.Bytes()) {
			t.Fatalf("%v (%+v) does not survive: %v", x, info, err)
		}
	})
}
