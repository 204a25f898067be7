package media

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// chunk returns a RIFF chunk.
func chunk(name string, body []byte) []byte {
	b := append([]byte(name), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	if b = append(b, body...); len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

// wav returns a file of the given chunks.
func wav(chunks ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WAVE"), slices.Concat(chunks...)...))
}

// fmtChunk returns a format chunk of plain or, with a code above 0xffff, extensible form.
func fmtChunk(code, channels, rate, bits int) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(nil, uint16(min(code, wavExtensible)))
	b = le.AppendUint16(b, uint16(channels))
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(rate*channels*bits/8))
	b = le.AppendUint16(b, uint16(channels*bits/8))
	b = le.AppendUint16(b, uint16(bits))
	if code > 0xffff {
		b = append(b, 22, 0, byte(bits), byte(bits>>8), 0, 0, 0, 0)
		b = le.AppendUint16(b, uint16(code))
		b = append(b, make([]byte, 14)...)
	}
	return chunk("fmt ", b)
}

func TestDecodeWAV(t *testing.T) {
	le := binary.LittleEndian
	floats := func(v ...float32) (b []byte) {
		for _, x := range v {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	for _, test := range []struct {
		name string
		data []byte
		want Sound
	}{
		{"8 bits", wav(fmtChunk(1, 1, 8000, 8), chunk("data", []byte{0, 128, 192, 255})), Sound{8000, 1, []float32{-1, 0, 0.5, 127. / 128}}},
		{"16 bits", wav(fmtChunk(1, 1, 16000, 16), chunk("data", []byte{0, 0x80, 0, 0, 0, 0x40})), Sound{16000, 1, []float32{-1, 0, 0.5}}},
		{"24 bits", wav(fmtChunk(1, 1, 16000, 24), chunk("data", []byte{0, 0, 0x80, 0, 0, 0x40, 1, 0, 0})), Sound{16000, 1, []float32{-1, 0.5, 1. / (1 << 23)}}},
		{"32 bits", wav(fmtChunk(1, 1, 16000, 32), chunk("data", []byte{0, 0, 0, 0x80, 0, 0, 0, 0x40})), Sound{16000, 1, []float32{-1, 0.5}}},
		{"float32", wav(fmtChunk(3, 1, 48000, 32), chunk("data", floats(0.25, -1.5))), Sound{48000, 1, []float32{0.25, -1.5}}},
		{"float64", wav(fmtChunk(3, 1, 48000, 64), chunk("data", le.AppendUint64(nil, math.Float64bits(0.1)))), Sound{48000, 1, []float32{0.1}}},
		{"extensible", wav(fmtChunk(1<<16|1, 2, 44100, 16), chunk("data", []byte{0, 0x40, 0, 0xc0})), Sound{44100, 2, []float32{0.5, -0.5}}},
		{"other chunks", wav(chunk("LIST", []byte("odd")), fmtChunk(1, 1, 8000, 8), chunk("fact", nil), chunk("data", []byte{128})), Sound{8000, 1, []float32{0}}},
		{"cut off", wav(fmtChunk(1, 1, 8000, 16), chunk("data", make([]byte, 9)))[:12+24+8+5], Sound{8000, 1, []float32{0, 0}}},
		{"empty", wav(fmtChunk(1, 1, 8000, 16), chunk("data", nil)), Sound{8000, 1, []float32{}}},
	} {
		got, err := DecodeWAV(test.data)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got.Rate != test.want.Rate || got.Channels != test.want.Channels || !slices.Equal(got.Samples, test.want.Samples) {
			t.Errorf("%s: %+v, want %+v", test.name, *got, test.want)
		}
	}
}

func TestDamagedWAV(t *testing.T) {
	le := binary.LittleEndian
	frame := fmtChunk(1, 2, 8000, 16)
	le.PutUint16(frame[8+12:], 3)
	for _, test := range []struct {
		data []byte
		want string
	}{
		{nil, "this is no WAV file"},
		{[]byte("RIFF....WAVX"), "this is no WAV file"},
		{wav(), `has no "data" chunk`},
		{wav(chunk("data", nil)), `byte 12: the "data" chunk comes before the "fmt " chunk`},
		{wav(chunk("fmt ", make([]byte, 15))), `byte 12: the "fmt " chunk has 15 bytes; it must have 16 or more`},
		{wav(fmtChunk(2, 1, 8000, 16)), "byte 12: the samples are of format 2 with 16 bits; they must be integers"},
		{wav(fmtChunk(1, 1, 8000, 12)), "format 1 with 12 bits"},
		{wav(fmtChunk(1, 0, 8000, 16)), "there are 0 channels; 1 to 64 are allowed"},
		{wav(fmtChunk(1, 1, 0, 16)), "the rate is 0 samples a second"},
		{wav(fmtChunk(1, 1, -1, 16)), "the rate is 4294967295 samples a second; 1 to "},
		{wav(frame), "2 channels of 16 bits take 4 bytes, not 3"},
		{wav(fmtChunk(1, 1, 8000, 8), fmtChunk(1, 1, 8000, 8)), `byte 36: there is a second "fmt " chunk`},
		{wav(fmtChunk(3, 1, 8000, 32), chunk("data", []byte{0, 0, 0, 0, 0, 0, 0xc0, 0x7f})), "byte 36: sample 1 is NaN; it must be finite"},
	} {
		if _, err := DecodeWAV(test.data); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestMono(t *testing.T) {
	s := Sound{8000, 2, []float32{0.5, -0.5, 1, 0.5}}
	if got := s.Mono(); s.Len() != 2 || !slices.Equal(got, []float32{0, 0.75}) {
		t.Errorf("%d moments, mean %v", s.Len(), got)
	}
}

func TestOpenSound(t *testing.T) {
	s, err := OpenSound(testdata.Shared(t, "models", "silero-vad", "speech-20s.wav"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Rate != 16000 || s.Channels != 1 || s.Len() != 20*16000 {
		t.Errorf("%d moments of %d channels, %d a second", s.Len(), s.Channels, s.Rate)
	}
}

// Whatever is read, samples are finite and no more than the file has bytes.
func FuzzDecodeWAV(f *testing.F) {
	f.Add(wav(fmtChunk(1, 1, 8000, 8), chunk("data", []byte{0, 128, 255})))
	f.Add(wav(fmtChunk(1<<16|1, 2, 44100, 24), chunk("LIST", []byte("odd")), chunk("data", make([]byte, 13))))
	f.Add(wav(fmtChunk(3, 2, 48000, 32), chunk("data", make([]byte, 16))))
	f.Add(wav(fmtChunk(3, 1, 48000, 64), chunk("data", make([]byte, 16)))[:50])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeWAV(data)
		if err != nil {
			return
		}
		if s.Channels < 1 || s.Rate < 1 || len(s.Samples) > len(data) || len(s.Samples)%s.Channels != 0 {
			t.Fatalf("%d samples of %d channels, %d a second, from %d bytes", len(s.Samples), s.Channels, s.Rate, len(data))
		}
		for _, v := range slices.Concat(s.Samples, s.Mono()) {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Fatalf("a sample is %v", v)
			}
		}
	})
}
