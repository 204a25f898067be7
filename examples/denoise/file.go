package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// left is the share of the noise that stays in files: complete silence between words sounds unnatural.
const left = 0.04

// file removes the noise of a WAV file. Sounds of fewer samples in a second get as many as the bands are meant for.
func file(ctx context.Context, from, to string) error {
	sound, err := media.OpenSound(from)
	if err != nil {
		return err
	}
	samples, rate := sound.Mono(), sound.Rate
	if rate < 44100 {
		if samples, err = media.Resample(samples, rate, 48000); err != nil {
			return err
		}
		rate = 48000
	}
	clean, err := through(ctx, samples, left)
	if err != nil {
		return err
	}
	return write(to, clean, rate)
}

// through returns what the whole network makes of samples, as many as there are, with a share of the noise left.
func through(ctx context.Context, samples []float32, keep float32) ([]float32, error) {
	g, err := whole()
	if err != nil {
		return nil, err
	}
	p, err := engine.Compile(g, engine.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		return nil, err
	}
	noisy, clean := tensor.Data[float32](s.Input(0)), tensor.Data[float32](s.Output(0))
	tensor.Data[float32](s.Input(1))[0] = keep
	var all []float32
	for at := 0; at < len(samples)+hop; at += hop { // one frame more, as what comes out is a frame late
		clear(noisy)
		if at < len(samples) {
			copy(noisy, samples[at:])
		}
		if err := s.Run(ctx); err != nil {
			return nil, err
		}
		all = append(all, clean...)
	}
	return all[hop:][:len(samples)], nil
}

// write writes samples as a WAV file of floats.
func write(name string, samples []float32, rate int) error {
	size := uint32(4 * len(samples))
	var b bytes.Buffer
	for _, part := range []any{
		[]byte("RIFF"), 36 + size, []byte("WAVEfmt "), uint32(16), uint16(3), uint16(1), uint32(rate), uint32(4 * rate), uint16(4), uint16(32),
		[]byte("data"), size, samples,
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
