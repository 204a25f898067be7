package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestBitwise(t *testing.T) {
	x, y := vec[int8](0b0101, -1, math.MinInt8), vec[int8](0b0011, 7, -1)
	for name, want := range map[string][]int8{
		"bitwise_and": {0b0001, 7, math.MinInt8},
		"bitwise_or":  {0b0111, -1, -1},
		"bitwise_xor": {0b0110, -8, math.MaxInt8},
	} {
		if got := apply[int8](t, name, nil, x, y); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := apply[uint16](t, "bitwise_not", nil, vec[uint16](0, 0xF00F)); !slices.Equal(got, []uint16{0xFFFF, 0x0FF0}) {
		t.Errorf("bitwise_not: %x", got)
	}
	rejected(t, "bitwise_and", nil, vec[float32](1), vec[float32](1))
}

func TestShift(t *testing.T) {
	u := vec[uint8](0b1011_0001, 0b1011_0001, 0b1011_0001, 0b1011_0001)
	if got := apply[uint8](t, "shift_left", nil, u, vec[uint8](0, 1, 7, 8)); !slices.Equal(got, []uint8{0b1011_0001, 0b0110_0010, 0b1000_0000, 0}) {
		t.Errorf("left: %b", got)
	}
	if got := apply[uint8](t, "shift_right", nil, u, vec[uint8](0, 1, 7, 255)); !slices.Equal(got, []uint8{0b1011_0001, 0b0101_1000, 1, 0}) {
		t.Errorf("right: %b", got)
	}
	i := vec[int32](-5, -5, 5, -5, 5)
	if got := apply[int32](t, "shift_right", nil, i, vec[int32](1, 32, 32, -1, -1)); !slices.Equal(got, []int32{-3, -1, 0, -1, 0}) {
		t.Errorf("signed right: %d", got)
	}
	if got := apply[int32](t, "shift_left", nil, i, vec[int32](1, 32, 31, -1, math.MinInt32)); !slices.Equal(got, []int32{-10, 0, math.MinInt32, 0, 0}) {
		t.Errorf("signed left: %d", got)
	}
	// ONNX, test_bitshift_left_uint64 and test_bitshift_right_uint16.
	if got := apply[uint64](t, "shift_left", nil, vec[uint64](16, 4, 1), vec[uint64](1, 2, 3)); !slices.Equal(got, []uint64{32, 16, 8}) {
		t.Error(got)
	}
	if got := apply[uint16](t, "shift_right", nil, vec[uint16](16, 4, 1), vec[uint16](1, 2, 3)); !slices.Equal(got, []uint16{8, 1, 0}) {
		t.Error(got)
	}
}

func TestBitCast(t *testing.T) {
	to := func(d tensor.DType) graph.Attrs { return graph.Attrs{with("dtype", d)} }
	x := vec[float32](1, negZero, math.Float32frombits(0x7F80_0123))
	bits := apply[int32](t, "bit_cast", to(tensor.Int32), x)
	if !slices.Equal(bits, []int32{0x3F80_0000, math.MinInt32, 0x7F80_0123}) {
		t.Errorf("%x", bits)
	}
	back := apply[float32](t, "bit_cast", to(tensor.Float32), vec(bits...))
	if math.Float32bits(back[2]) != 0x7F80_0123 {
		t.Errorf("a signalling NaN becomes %x", math.Float32bits(back[2]))
	}
	if got := apply[uint8](t, "bit_cast", to(tensor.Uint8), vec(true, false)); !slices.Equal(got, []uint8{1, 0}) {
		t.Error(got)
	}
	if got := apply[float64](t, "bit_cast", to(tensor.Float64), vec[int64](0x4000_0000_0000_0000)); got[0] != 2 {
		t.Error(got)
	}
	packed := must(tensor.Cast(vec[int8](-1, 7, -8), tensor.Int4))
	out, err := op.Eval(def("bit_cast"), []*tensor.Tensor{packed}, to(tensor.Uint4))
	if err != nil || !slices.Equal(tensor.Data[uint8](must(tensor.Cast(out[0], tensor.Uint8))), []uint8{15, 7, 8}) {
		t.Errorf("%v, %v", out, err)
	}
	rejected(t, "bit_cast", to(tensor.Int64), x)
	rejected(t, "bit_cast", to(tensor.Bool), vec[uint8](1))
}

// TestPhilox compares with the known answers that Random123 publishes for philox4x32-10.
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32, math.MaxUint32}, [2]uint32{math.MaxUint32, math.MaxUint32},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("%x with %x: %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// philox is the plain definition of Philox4x32-10, which the operator takes one word of.
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for round := range uint32(10) {
		p, q := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		k0, k1 := k[0]+round*0x9E3779B9, k[1]+round*0xBB67AE85
		c = [4]uint32{uint32(q>>32) ^ c[1] ^ k0, uint32(q), uint32(p>>32) ^ c[3] ^ k1, uint32(p)}
	}
	return c
}

// TestRandomBits holds the operator to its counter and key, and its bits to being even and different between seeds.
func TestRandomBits(t *testing.T) {
	const n = 1 << 14
	index := everyInt[int64](0, n-1)
	bits := apply[uint32](t, "random_bits", nil, vec(index...))
	if bits[0] != 0x6627e8d5 {
		t.Errorf("the first word is %x", bits[0])
	}
	seed, at := ^uint64(0x299f31d0_a4093822)+1, int64(-0x45a308d3_243f6a88)
	want := philox([4]uint32{uint32(at), uint32(at >> 32)}, [2]uint32{uint32(seed), uint32(seed >> 32)})[0]
	if got := apply[uint32](t, "random_bits", graph.Attrs{with("seed", op.Seed(seed))}, vec(at)); got[0] != want {
		t.Errorf("index %d of seed %d: %x, want %x", at, seed, got[0], want)
	}
	other := apply[uint32](t, "random_bits", graph.Attrs{with("seed", op.Seed(1))}, vec(index...))
	for b := range 32 {
		set, same := 0, 0
		for i := range bits {
			set += int(bits[i] >> b & 1)
			same += int((bits[i] ^ other[i]) >> b & 1)
		}
		for _, k := range []int{set, same} { // within five standard deviations
			if k < n/2-5*64 || k > n/2+5*64 {
				t.Errorf("bit %d: %d set and %d different of %d", b, set, same, n)
			}
		}
	}
}
