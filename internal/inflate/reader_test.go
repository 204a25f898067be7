package inflate_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"github.com/concord-nn/concord/internal/inflate"
	"github.com/concord-nn/concord/internal/testdata"
	"hash/crc32"
	"io"
	mathbits "math/bits"
	"math/rand/v2"
	"os"
	"testing"
	"testing/iotest"
)

// ours unpacks, handing the packed bytes out in the way of wrap.
func ours(data []byte, wrap func(io.Reader) io.Reader) ([]byte, error) {
	r, err := inflate.NewReader(wrap(bytes.NewReader(data)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func theirs(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// compare unpacks with this package and the standard library's.
func compare(t *testing.T, data []byte) {
	t.Helper()
	want, wantErr := theirs(data)
	for name, wrap := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "one by one": iotest.OneByteReader} {
		got, err := ours(data, wrap)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%d bytes, read %s, unpack to %d, %v; want %d, %v", len(data), name, len(got), err, len(want), wantErr)
		}
	}
}

func pack(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples are bytes of which few and many, near and far ones repeat.
func samples() [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	out := [][]byte{nil, {7}, bytes.Repeat([]byte{0}, 300_000), bytes.Repeat([]byte("abcdefg"), 30_000)}
	for _, size := range []int{100, 5_000, 200_000} {
		noise, words, steep := make([]byte, size), make([]byte, 0, size), make([]byte, size)
		for i := range noise {
			noise[i] = byte(rng.Uint32())
			steep[i] = byte(min(rng.ExpFloat64()*3, 255))
		}
		for len(words) < size {
			if len(words) < 50 || rng.IntN(3) == 0 {
				words = append(words, byte(rng.Uint32()))
				continue
			}
			from := max(0, len(words)-1-rng.IntN(33_000))
			words = append(words, words[from:min(len(words), from+1+rng.IntN(300))]...)
		}
		out = append(out, noise, words, steep)
	}
	return out
}

func TestReader(t *testing.T) {
	for _, data := range samples() {
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, gzip.BestSpeed, gzip.DefaultCompression, gzip.BestCompression} {
			packed := pack(t, data, level)
			if got, err := ours(packed, iotest.DataErrReader); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%d bytes at level %d come as %d: %v", len(data), level, len(got), err)
			}
			compare(t, packed)
			compare(t, append(bytes.Clone(packed), packed...))
			compare(t, append(bytes.Clone(packed), 0))
		}
	}
}

// TestDamaged cuts off and changes packed bytes.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, data := range samples() {
		if len(data) > 10_000 {
			continue
		}
		for _, level := range []int{gzip.HuffmanOnly, gzip.NoCompression, gzip.BestSpeed, gzip.BestCompression} {
			packed := pack(t, data, level)
			for range testdata.Cases(12, 100) {
				cut := packed[:1+rng.IntN(len(packed)-1)]
				compare(t, cut)
				if _, err := ours(cut, iotest.HalfReader); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%d of %d bytes: %v", len(cut), len(packed), err)
				}
				damaged := bytes.Clone(packed)
				damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
				compare(t, damaged)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	packed := pack(t, []byte("content"), 9)
	wrong := bytes.Clone(packed)
	wrong[len(wrong)-8]++
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		src  io.Reader
		want error
	}{
		"nothing":       {bytes.NewReader(nil), io.EOF},
		"no gzip":       {bytes.NewReader([]byte("this is no gzip at all")), inflate.ErrHeader},
		"another sum":   {bytes.NewReader(wrong), inflate.ErrChecksum},
		"cut off":       {bytes.NewReader(packed[:len(packed)-1]), io.ErrUnexpectedEOF},
		"broken source": {io.MultiReader(bytes.NewReader(packed[:len(packed)-9]), iotest.ErrReader(broken)), broken},
	} {
		r, err := inflate.NewReader(c.src)
		if err == nil {
			_, err = io.ReadAll(r)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, data := range samples()[:6] {
		f.Add(pack(f, data[:min(len(data), 3000)], 9))
	}
	f.Fuzz(compare)
}

func BenchmarkReader(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := make([]byte, 0, 1<<20)
	for len(weights) < 1<<20 {
		weights = append(weights, byte(rng.Uint32()), byte(rng.Uint32()), byte(min(rng.ExpFloat64()*30, 255)), 0x3C+byte(rng.Uint32()&0x83))
	}
	packed := pack(b, weights, 9)
	if name := os.Getenv("GZ"); name != "" {
		packed, _ = os.ReadFile(name)
	}
	for name, unpack := range map[string]func() ([]byte, error){
		"ours": func() ([]byte, error) { return ours(packed, func(r io.Reader) io.Reader { return r }) }, "compress/gzip": func() ([]byte, error) { return theirs(packed) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := unpack(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestEndOfMemory has the longest match follow on literals, wherever it stands before the end of the memory that is filled at once.
func TestEndOfMemory(t *testing.T) {
	for literals := 96<<10 - 270; literals < 96<<10-250; literals++ {
		data := bytes.Repeat([]byte{0}, literals+258)
		packed := []byte{0x1F, 0x8B, 8, 9: 0}
		var bits uint64
		var n uint
		put := func(v uint16, size uint) { // a code, from its highest bit on
			bits |= uint64(mathbits.Reverse16(v)>>(16-size)) << n
			for n += size; n >= 8; n -= 8 {
				packed = append(packed, byte(bits))
				bits >>= 8
			}
		}
		put(0b110, 3) // the last block, of fixed codes
		for range literals {
			put(0x30, 8)
		}
		put(0xC5, 8) // 258 bytes
		put(0, 5)    // as the last one
		put(0, 7+8)  // the end, and the rest of a byte
		packed = binary.LittleEndian.AppendUint32(packed, crc32.ChecksumIEEE(data))
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(data)))
		if got, err := ours(packed, func(r io.Reader) io.Reader { return r }); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d literals, then a match: %d bytes, %v; want %d", literals, len(got), err, len(data))
		}
	}
}
