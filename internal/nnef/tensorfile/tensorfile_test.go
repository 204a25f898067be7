package tensorfile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// readAs returns the type as which elements come back, and the elements as it.
func readAs(t *testing.T, x *tensor.Tensor) *tensor.Tensor {
	d, err := x.DType(), error(nil)
	if d.IsSmallFloat() { // their codes do
		if d = tensor.Uint8; x.DType().IsPacked() {
			d = tensor.Uint4
		}
		x, err = x.Reinterpret(d)
	}
	if to, ok := map[tensor.DType]tensor.DType{tensor.BFloat16: tensor.Float32, tensor.Int4: tensor.Int8, tensor.Uint4: tensor.Uint8,
		tensor.Int2: tensor.Int8, tensor.Uint2: tensor.Uint8}[d]; ok && err == nil {
		x, err = tensor.Cast(x, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

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
				if used := want.Len() % d.PerByte() * d.Bits(); used > 0 && i == len(want.Bytes())-1 {
					want.Bytes()[i] &= 1<<used - 1
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
			want = readAs(t, want)
			if got.Describe() != want.Describe() || !bytes.Equal(got.Bytes(), want.Bytes()) {
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

// TestEncodePacked holds items of 4 bits to the order that files have: the first one in the high half of a byte.
func TestEncodePacked(t *testing.T) {
	x, err := tensor.FromSlice([]int8{1, -2, 7}, 3)
	if err == nil {
		x, err = tensor.Cast(x, tensor.Int4)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := Encode(&got, x); err != nil {
		t.Fatal(err)
	}
	if want := file(2, 1, []uint32{3}, 4, uint16(Signed), 0, 0x1E, 0x70); !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the file is\n%x, want\n%x", got.Bytes(), want)
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

// with returns a file with a field of its header changed.
func with[T uint8 | uint16 | uint32](f []byte, at int, v T) []byte {
	f = bytes.Clone(f)
	for i := range binary.Size(v) {
		f[at+i] = byte(uint64(v) >> (8 * i))
	}
	return f
}

func TestRejects(t *testing.T) {
	one := file(1, 1, []uint32{1}, 8, 1, 0, 7)
	codes := file(1, 1, []uint32{1}, 8, 2, 0, 7)
	provisional := []byte("\x4E\xEF\x01\x00\x18\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x20\x04\x00abcd01234567")
	huge := slices.Repeat([]uint32{1 << 30}, 8)
	for name, c := range map[string]struct {
		data []byte
		at   int
		msg  string
	}{
		"empty":             {nil, 0, "the file is empty"},
		"magic":             {with(one, 0, uint8(1)), 0, "begins with 4E EF"},
		"version":           {with(one, 2, uint8(2)), 2, "the version is 2.0; tensor files of NNEF 1.0 to 1.0.5 have version 1.0"},
		"short header":      {one[:100], 100, "ends within the header of 128 bytes"},
		"very short header": {one[:10], 10, "ends within the header"},
		"rank":              {with(one, 8, uint32(9)), 8, "the rank is 9; the header has room for the extents of 8 dimensions"},
		"truncated":         {file(4, 1, []uint32{4}, 8, 1, 0, 1, 2, 3), 4, "only 3 follow, so the file is cut off"},
		"trailing":          {append(bytes.Clone(one), 7), 4, "announces 1 bytes of items; 2 follow; the file must end with the items, after 129 bytes"},
		"early NNEF-Tools":  {append(file(1, 1, []uint32{1}, 8, 1, 0), 0, 0, 0, 0, 7), 4, "fix_nnef_binary_size.py"},
		"padding":           {append(bytes.Clone(one), 0, 0), 4, "3 follow, the last 2 of them zero; nothing may stand behind the items: cut the file to 129 bytes"},
		"many zeros behind": {append(bytes.Clone(one), make([]byte, tail+1)...), 4, "announces 1 bytes of items; 4098 follow; the file must end with the items, after 129 bytes"},
		"four zeros behind": {append(bytes.Clone(one), 0, 0, 0, 0), 4, "5 follow, the last 4 of them zero"},
		"length field":      {file(12, 1, []uint32{2}, 32, 0, 0, make([]byte, 8)...), 4, "8 follow, as many as shape [2] of 32-bit items takes: the length must be 8"},
		"length":            {file(2, 1, []uint32{4}, 8, 1, 0, 1, 2), 4, "takes 4 bytes; there are 2"},
		"extent":            {with(one, 12, uint32(1<<31)), 12, "is too large"},
		"overflow":          {file(0, 8, huge, 8, 1, 0), 12, ""},
		"zero and overflow": {file(0, 8, append([]uint32{0}, huge[1:]...), 8, 1, 0), 12, ""},
		"bits":              {file(0, 1, []uint32{0}, 65, 1, 0), 44, "65 bits are not allowed"},
		"all bits":          {file(0, 1, []uint32{0}, 1<<32-1, 1, 0), 44, "bits are not allowed"},
		"no bits":           {file(0, 1, []uint32{0}, 0, 1, 0), 44, "cannot have 0 bits"},
		"float bits":        {file(1, 1, []uint32{1}, 8, 0, 0, 7), 44, "items of type 0 (float) cannot have 8 bits; they have 16, 32 or 64"},
		"bool bits":         {file(2, 1, []uint32{1}, 16, 5, 0, 0, 1), 44, "items of type 5 (bool) cannot have 16 bits; they have 1 or 8"},
		"item type":         {with(one, 48, uint16(6)), 48, "item type 6 is not known; the types are 0 (float), 1 (unsigned integer)"},
		"old linear":        {with(one, 48, uint16(0x10)), 48, "early Khronos NNEF-Tools"},
		"old logarithmic":   {with(one, 48, uint16(0x11)), 48, "logarithmically quantized"},
		"no range":          {with(with(codes, 52, math.Float32bits(1)), 56, math.Float32bits(-1)), 52, "that is no range"},
		"NaN range":         {with(codes, 52, uint32(0x7FC00000)), 52, "that is no range"},
		"vendor":            {with(one, 50, uint16(0x1234)), 50, "items of vendor 0x1234"},
		"tract strings":     {with(one, 48, uint32(0x5452_1000)), 48, "strings (type 0x1000 of tract)"},
		"tract complex":     {with(one, 48, uint32(0x5452_0000)), 48, "complex floats (type 0x0000 of tract)"},
		"tract unknown":     {with(one, 48, uint32(0x5452_2041)), 48, "item type 0x2041 of tract is not known"},
		"tract row":         {file(18, 2, []uint32{2, 16}, 1<<32-1, 0x3040, Tract, make([]byte, 18)...), 12, "multiples of 32"},
		"tract blocks":      {file(17, 2, []uint32{1, 32}, 1<<32-1, 0x3040, Tract, make([]byte, 17)...), 4, "takes 1 blocks of 18 bytes"},
		"provisional type":  {with(provisional, 16, uint8(4)), 16, "item type 4 is not known"},
		"provisional bits":  {with(provisional, 17, uint8(24)), 17, "cannot have 24 bits"},
		"provisional items": {provisional[:30], 4, "takes 8 bytes; there are 6"},
	} {
		_, _, err := Decode(c.data)
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("byte %d: ", c.at)) || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: the error is %v; want byte %d: …%s…", name, err, c.at, c.msg)
		}
	}
}

// TestWidths packs items of every width, the most significant bit first, and reads them back.
func TestWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= 64; width++ {
		for _, item := range []ItemType{Unsigned, QuantizedUnsigned, QuantizedSigned, Signed} {
			const n = 11
			want := make([]uint64, n)
			stored := new(big.Int)
			for i := range want {
				want[i] = rng.Uint64() >> (64 - width)
				stored.Or(stored.Lsh(stored, uint(width)), new(big.Int).SetUint64(want[i]))
			}
			size := (n*width + 7) / 8
			data := stored.Lsh(stored, uint(8*size-n*width)).FillBytes(make([]byte, size))
			if width%8 == 0 {
				for i := range want {
					slices.Reverse(data[i*width/8 : (i+1)*width/8])
				}
			}
			got, info, err := Decode(file(uint32(size), 1, []uint32{n}, uint32(width), uint16(item), 0, data...))
			if err != nil {
				t.Fatalf("type %d of %d bits: %v", item, width, err)
			}
			signed := item == Signed || item == QuantizedSigned
			name := map[bool]string{false: "uint", true: "int"}[signed] + strconv.Itoa(width)
			if info.DType() != name || got.DType().Size()*8 < width || got.DType().IsSigned() != signed {
				t.Errorf("%v with items %s; want %s", got, info.DType(), name)
			}
			wide, err := tensor.Cast(got, map[bool]tensor.DType{false: tensor.Uint64, true: tensor.Int64}[signed])
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if signed {
					w = uint64(int64(w<<(64-width)) >> (64 - width))
				}
				if g := binary.NativeEndian.Uint64(wide.Bytes()[8*i:]); g != w {
					t.Fatalf("%s: item %d is %x; want %x", name, i, g, w)
				}
			}
		}
	}
}

func TestBools(t *testing.T) {
	for name, data := range map[string][]byte{
		"bits":    file(1, 1, []uint32{3}, 1, 5, 0, 0b1010_0000),
		"bytes":   file(3, 1, []uint32{3}, 8, 5, 0, 1, 0, 1),
		"strange": file(3, 1, []uint32{3}, 8, 5, 0, 7, 0, 255),
	} {
		got, info, err := Decode(data)
		if err != nil || info.DType() != "bool" || !slices.Equal(tensor.Data[bool](got), []bool{true, false, true}) {
			t.Errorf("%s: %v, %v, %v", name, got, info.DType(), err)
		}
	}
}

func TestDeprecated(t *testing.T) {
	f := with(with(file(1, 1, []uint32{1}, 8, 2, 0, 7), 52, math.Float32bits(-1)), 56, math.Float32bits(2))
	_, info, err := Decode(f)
	if err != nil || !info.Ranged || info.Min != -1 || info.Max != 2 {
		t.Errorf("the range is %v, %v…%v, %v; want -1…2", info.Ranged, info.Min, info.Max, err)
	}
	got, info, err := Decode(with(file(1, 1, []uint32{1}, 8, 1, 0, 255), 52, uint32(1)))
	if err != nil || info.Type != Signed || tensor.Data[int8](got)[0] != -1 {
		t.Errorf("a signed integer of early versions is %v, %+v, %v", got, info, err)
	}
}

// TestBlocks reads blocks of 32 items that share a scale: ½ here.
func TestBlocks(t *testing.T) {
	half := []byte{0, 0x38}
	nibbles := make([]byte, 16)
	for i := range nibbles {
		nibbles[i] = byte(i | 0xF0)
	}
	bytes32 := make([]byte, 32)
	for i := range bytes32 {
		bytes32[i] = byte(i - 5)
	}
	for _, c := range []struct {
		item   uint16
		data   []byte
		name   string
		values map[int]float32
	}{
		{0x2040, nibbles, "q4_0", map[int]float32{0: -4, 1: 3.5, 2: -3.5, 30: 3.5, 31: 3.5}},
		{0x3040, nibbles, "q4_0", map[int]float32{0: -4, 1: -3.5, 15: 3.5, 16: 3.5, 31: 3.5}},
		{0x3080, bytes32, "q8_0", map[int]float32{0: -2.5, 5: 0, 31: 13}},
		{0x3081, append([]byte{1, 2}, bytes32...), "q8_1", map[int]float32{0: -2.5, 5: 0, 31: 13}},
	} {
		block := append(slices.Clone(half), c.data...)
		data := append(slices.Clone(block), block...)
		got, info, err := Decode(file(uint32(len(data)), 2, []uint32{2, 32}, 1<<32-1, c.item, Tract, data...))
		if err != nil || info.DType() != c.name || got.DType() != tensor.Float32 {
			t.Fatalf("%s: %v, %v, %v", c.name, got, info.DType(), err)
		}
		for i, want := range c.values {
			if v := tensor.Data[float32](got); v[i] != want || v[32+i] != want {
				t.Errorf("type 0x%04X: items %d are %v and %v; want %v", c.item, i, v[i], v[32+i], want)
			}
		}
	}
}

// TestProvisional reads a file with a provisional header, in which the items are not aligned.
func TestProvisional(t *testing.T) {
	f, err := Parse([]byte("\x4E\xEF\x01\x00\x19\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x20\x05\x00abcde\x00\x00\x80\x3F\x00\x00\x00\x40"))
	if err != nil || !f.Provisional || f.Quantization != "abcde" {
		t.Fatalf("%+v, %v", f, err)
	}
	if got, err := f.Tensor(); err != nil || !slices.Equal(tensor.Data[float32](got), []float32{1, 2}) {
		t.Errorf("the items are %v, %v", got, err)
	}
}

// TestProvisionalSize reads a provisional file whose size is also that of a final one.
func TestProvisionalSize(t *testing.T) {
	data := []byte("\x4E\xEF\x01\x00\x14\x00\x00\x00\x01\x00\x00\x00\x20\x00\x00\x00\x00\x20\x00\x00")
	for i := range 32 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	f, err := Parse(data)
	if err != nil || !f.Provisional || !f.Shape.Equal(tensor.Shape{32}) {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestSharesMemory holds items of whole bytes to being used where they stand.
func TestSharesMemory(t *testing.T) {
	for _, item := range []ItemType{Unsigned, Bool} {
		data := tensor.AlignedBytes(HeaderSize + 1<<20)
		copy(data, file(1<<20, 1, []uint32{1 << 20}, 8, uint16(item), 0))
		got, _, err := Decode(data)
		if err != nil || &got.Bytes()[0] != &data[HeaderSize] {
			t.Errorf("items of type %d are copied, %v", item, err)
		}
	}
}

func TestEncodeCodes(t *testing.T) {
	for _, c := range []struct {
		x    *tensor.Tensor
		item ItemType
	}{{tensor.Scalar(int8(-3)), QuantizedSigned}, {tensor.Scalar(uint16(3)), QuantizedUnsigned}} {
		var b bytes.Buffer
		if err := EncodeCodes(&b, c.x); err != nil {
			t.Fatal(err)
		}
		got, info, err := Decode(b.Bytes())
		if err != nil || info.Type != c.item || !info.Quantized() || !bytes.Equal(got.Bytes(), c.x.Bytes()) {
			t.Errorf("wrote %v, read %v of type %d, %v", c.x, got, info.Type, err)
		}
	}
	if EncodeCodes(io.Discard, tensor.Scalar(float32(1))) == nil {
		t.Error("floats are written as codes")
	}
}

func TestEncodeRejects(t *testing.T) {
	testdata.Wide(t)
	x, err := tensor.New(tensor.Bool, slices.Repeat(tensor.Shape{1}, MaxRank+1))
	if err != nil {
		t.Fatal(err)
	}
	large, err := tensor.Scalar(float32(0)).Reshape(1)
	if err == nil {
		large, err = large.Expand(1 << 30)
	}
	if err != nil {
		t.Fatal(err)
	}
	wide := 32 // no constant, as an int of 32 bits has no such number
	empty, err := tensor.New(tensor.Bool, tensor.Shape{1 << wide, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*tensor.Tensor{x, large, empty} {
		if Encode(io.Discard, x) == nil {
			t.Errorf("%v is written", x)
		}
	}
}

// TestOverflow refuses extents that are too large, and a shape whose items would take 2^64 bytes.
func TestOverflow(t *testing.T) {
	if f, err := Parse([]byte("\x4E\xEF\x01\x00\x14\x00\x00\x00\x01\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x20\x00\x00")); err == nil ||
		!strings.Contains(err.Error(), "which is too large") {
		t.Errorf("a provisional file of 2^32-1 items: %+v, %v", f, err)
	}
	if f, err := Parse(file(0, 2, []uint32{1 << 30, 1 << 28}, 64, 0, 0)); err == nil {
		t.Errorf("a file without items has shape %v", f.Shape)
	}
}

func TestFloat64(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1))
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(math.NaN()))
	got, info, err := Decode(file(16, 1, []uint32{2}, 64, 0, 0, data...))
	if err != nil {
		t.Fatal(err)
	}
	if v := tensor.Data[float64](got); len(v) != 2 || v[0] != 0.1 || v[1] == v[1] || info.DType() != "float64" {
		t.Errorf("64-bit floats of type %s are read as %v", info.DType(), got)
	}
}

// TestWrite gives files another header and keeps their items.
func TestWrite(t *testing.T) {
	header := func(kind, bits byte, extent byte, quantization string) []byte {
		h := []byte{0x4E, 0xEF, 1, 0, byte(20 + len(quantization)), 0, 0, 0, 1, 0, 0, 0, extent, 0, 0, 0, kind, bits, byte(len(quantization)), 0}
		return append(h, quantization...)
	}
	for name, c := range map[string]struct {
		old, items []byte
		item       ItemType
	}{
		"double":   {header(0, 64, 1, ""), binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1)), Float},
		"codes":    {header(1, 4, 3, "linear_quantize(min = 0.0, max = 1.0, bits = 4)"), []byte{0x12, 0x3F}, QuantizedUnsigned},
		"signed":   {header(2, 12, 2, ""), []byte{0x12, 0x3F, 0xFF}, Signed},
		"unsigned": {header(3, 8, 2, ""), []byte{0xFF, 1}, Unsigned},
		"ranged":   {with(file(1, 1, []uint32{1}, 8, 2, 0), 56, math.Float32bits(1)), []byte{7}, QuantizedUnsigned},
		"blocks":   {file(18, 2, []uint32{1, 32}, 1<<32-1, 0x2040, Tract), make([]byte, 18), 0x2040},
	} {
		old, err := Parse(append(c.old, c.items...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b bytes.Buffer
		if err := old.Write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := Parse(b.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := old.Info
		want.Provisional, want.Quantization = false, ""
		if !old.Provisional && !bytes.Equal(b.Bytes()[:HeaderSize], c.old) {
			t.Errorf("%s: the header is %x; it was %x", name, b.Bytes()[:HeaderSize], c.old)
		}
		if f.Info != want || f.Type != c.item || !f.Shape.Equal(old.Shape) || !bytes.Equal(b.Bytes()[HeaderSize:], c.items) {
			t.Errorf("%s: got %+v %v %x; want %+v %v %x", name, f.Info, f.Shape, b.Bytes()[HeaderSize:], want, old.Shape, c.items)
		}
	}
	deep := File{Info: Info{Type: Bool, Bits: 8}, Shape: slices.Repeat(tensor.Shape{1}, MaxRank+1), items: []byte{1}}
	if err := deep.Write(io.Discard); err == nil {
		t.Error("a tensor of 9 dimensions is written")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(file(4, 1, []uint32{4}, 8, 1, 0, 1, 2, 3, 4))
	f.Add(file(3, 1, []uint32{5}, 4, 4, 0, 0x12, 0xF0, 0x80))
	f.Add([]byte("\x4E\xEF\x01\x00\x18\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x20\x04\x00abcd01234567"))
	f.Add(file(18, 2, []uint32{1, 32}, 1<<32-1, 0x2040, Tract, make([]byte, 18)...))
	f.Add(with(file(1, 1, []uint32{1}, 8, 2, 0, 7), 56, math.Float32bits(1)))
	f.Add(file(16, 1, []uint32{2}, 64, 0, 0, make([]byte, 16)...))
	f.Add(file(2, 2, []uint32{2, 4}, 1, 5, 0, 0x5A))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, info, err := Decode(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "byte ") {
				t.Fatalf("the error %v names no byte", err)
			}
			return
		}
		if x.Rank() > MaxRank {
			return // of a provisional file
		}
		old, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		var anew bytes.Buffer
		if err := old.Write(&anew); err != nil {
			t.Fatal(err)
		}
		f, err := Parse(anew.Bytes())
		if err != nil || !f.Shape.Equal(old.Shape) || !bytes.Equal(f.items, old.items) || f.DType() != old.DType() {
			t.Fatalf("%+v with another header: %+v, %v", old.Info, f, err)
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
