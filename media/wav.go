package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// Sound is a recording. Its samples lie in -1 … 1, the channels of one moment beside each other.
type Sound struct {
	Rate     int // moments a second
	Channels int
	Samples  []float32
}

// Len returns the number of moments: 0 without channels.
func (s *Sound) Len() int {
	if s.Channels < 1 {
		return 0
	}
	return len(s.Samples) / s.Channels
}

// Mono returns the mean of the channels at each moment.
func (s *Sound) Mono() []float32 {
	if s.Channels == 1 {
		return s.Samples
	}
	mono := make([]float32, s.Len())
	for i := range mono {
		sum := 0.0
		for _, v := range s.Samples[i*s.Channels:][:s.Channels] {
			sum += float64(v)
		}
		mono[i] = float32(sum / float64(s.Channels))
	}
	return mono
}

// OpenSound reads a WAV file; see DecodeWAV.
func OpenSound(name string) (*Sound, error) {
	data, err := mapfile.ReadFile(name, MaxFileBytes)
	if err != nil {
		return nil, err
	}
	s, err := DecodeWAV(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// The limits of a sound.
const (
	maxChannels = limits.MediaChannels
	maxRate     = limits.MediaRate
)

// wavFormat is the content of a WAV file's "fmt " chunk.
type wavFormat struct {
	code, channels, rate, bits, frame int // frame is the bytes of one moment
}

// The format codes that are read.
const (
	wavInteger    = 1
	wavFloat      = 3
	wavExtensible = 0xfffe
)

// DecodeWAV reads a sound in the WAV format (RIFF, "Multimedia Programming Interface and Data Specifications 1.0"):
// integers of 8, 16, 24 or 32 bits, or floats of 32 or 64. An integer is divided by the greatest magnitude of its type,
// a float must be finite. A last chunk that is longer than the file, as recorders leave it when they are cut off, counts
// as far as it goes.
func DecodeWAV(data []byte) (*Sound, error) { return Limits{}.DecodeWAV(data) }

// DecodeWAV is the function [DecodeWAV] within limits.
func (l Limits) DecodeWAV(data []byte) (*Sound, error) {
	f, body, at, err := wavData(data)
	if err != nil {
		return nil, err
	}
	n := int64(len(body) / f.frame)
	what := func() string { return fmt.Sprintf("the sound of %d samples", n*int64(f.channels)) }
	var s *Sound
	err = l.within(f.bytes(n), what, func() (err error) {
		s, err = f.decode(body)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", at, err)
	}
	return s, nil
}

// bytes returns what n moments take, and their mean over the channels.
func (f *wavFormat) bytes(n int64) int64 { return sample * n * int64(f.channels+1) }

// wavData returns the format of a WAV file's samples, the bytes that they are, and where their chunk stands.
func wavData(data []byte) (format *wavFormat, body []byte, at int, err error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return nil, nil, 0, errors.New("this is no WAV file: it does not begin with RIFF and WAVE")
	}
	for at := 12; at+8 <= len(data); {
		name, size := string(data[at:at+4]), int64(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		body = body[:min(size, int64(len(body)))]
		switch name {
		case "fmt ":
			if format != nil {
				return nil, nil, 0, fmt.Errorf("byte %d: there is a second \"fmt \" chunk", at)
			}
			f, err := parseFormat(body)
			if err != nil {
				return nil, nil, 0, fmt.Errorf("byte %d: %w", at, err)
			}
			format = &f
		case "data":
			if format == nil {
				return nil, nil, 0, fmt.Errorf("byte %d: the \"data\" chunk comes before the \"fmt \" chunk", at)
			}
			return format, body, at, nil
		}
		at += 8 + len(body) + len(body)%2
	}
	return nil, nil, 0, errors.New("the WAV file has no \"data\" chunk")
}

func parseFormat(b []byte) (wavFormat, error) {
	if len(b) < 16 {
		return wavFormat{}, fmt.Errorf("the \"fmt \" chunk has %d bytes; it must have 16 or more", len(b))
	}
	le := binary.LittleEndian
	rate := le.Uint32(b[4:]) // more than an int holds on some machines
	f := wavFormat{
		code: int(le.Uint16(b)), channels: int(le.Uint16(b[2:])), rate: int(min(rate, maxRate)),
		frame: int(le.Uint16(b[12:])), bits: int(le.Uint16(b[14:])),
	}
	if f.code == wavExtensible && len(b) >= 26 {
		f.code = int(le.Uint16(b[24:])) // the first bytes of the sub-format's identifier
	}
	switch {
	case f.code == wavInteger && (f.bits == 8 || f.bits == 16 || f.bits == 24 || f.bits == 32):
	case f.code == wavFloat && (f.bits == 32 || f.bits == 64):
	default:
		return f, fmt.Errorf("the samples are of format %d with %d bits; they must be integers (format 1) of 8, 16, 24 or 32 bits or floats (format 3) of 32 or 64", f.code, f.bits)
	}
	switch {
	case f.channels < 1 || f.channels > maxChannels:
		return f, fmt.Errorf("there are %d channels; 1 to %d are allowed", f.channels, maxChannels)
	case rate < 1 || rate > maxRate:
		return f, fmt.Errorf("the rate is %d samples a second; 1 to %d are allowed", rate, maxRate)
	case f.frame != f.channels*f.bits/8:
		return f, fmt.Errorf("%d channels of %d bits take %d bytes, not %d", f.channels, f.bits, f.channels*f.bits/8, f.frame)
	}
	return f, nil
}

// decode converts the samples. An incomplete last moment is left out.
func (f *wavFormat) decode(b []byte) (*Sound, error) {
	s := &Sound{Rate: f.rate, Channels: f.channels, Samples: make([]float32, len(b)/f.frame*f.channels)}
	le := binary.LittleEndian
	var sample func(b []byte) float32
	switch {
	case f.code == wavFloat && f.bits == 32:
		sample = func(b []byte) float32 { return math.Float32frombits(le.Uint32(b)) }
	case f.code == wavFloat:
		sample = func(b []byte) float32 { return float32(math.Float64frombits(le.Uint64(b))) }
	case f.bits == 8: // the only unsigned one
		sample = func(b []byte) float32 { return float32(int(b[0])-1<<7) / (1 << 7) }
	case f.bits == 16:
		sample = func(b []byte) float32 { return float32(int16(le.Uint16(b))) / (1 << 15) }
	case f.bits == 24:
		sample = func(b []byte) float32 {
			return float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8) / (1 << 23)
		}
	default:
		sample = func(b []byte) float32 { return float32(int32(le.Uint32(b))) / (1 << 31) }
	}
	for i := range s.Samples {
		v := sample(b[i*f.bits/8:])
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("sample %d is %v; it must be finite", i, v)
		}
		s.Samples[i] = v
	}
	return s, nil
}
