package feed_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// FuzzReadRaw reads elements from files of any length: they are taken if they fill the input, and come out as they went in.
func FuzzReadRaw(f *testing.F) {
	for _, data := range []string{"", "\x00", "\x00\x01\x00\x01", "\x00\x02", "\xff\xff\xff\x7f\x01\x00\x80\xff", "\x0f"} {
		for d := range byte(tensor.Float8E8M0) + 2 {
			f.Add(d, uint8(len(data)), uint8(1), []byte(data))
			f.Add(d, uint8(1), uint8(3), []byte(data))
		}
	}
	f.Fuzz(func(t *testing.T, d byte, rows, columns uint8, data []byte) {
		typ := graph.Type{DType: tensor.DType(d), Shape: tensor.Shape{int(rows), int(columns)}}
		f := &feed.Feeder{Inputs: []engine.Port{{Name: "x", Type: typ}}, Manifest: new(manifest.Manifest), Content: func(string, int64) ([]byte, error) { return data, nil }}
		in, err := f.Read(&feed.Job{Files: map[int]string{0: "x.bin"}})
		if err != nil {
			return
		}
		if x := in.Tensors["x"]; x.DType() != typ.DType || !x.Shape().Equal(typ.Shape) || !bytes.Equal(tensor.Raw(x), data) {
			t.Errorf("%v holds other bytes than the file", x.Describe())
		}
	})
}

// TestStreamLimit bounds what is read of standard input.
func TestStreamLimit(t *testing.T) {
	s := feed.NewStream(strings.NewReader("PK\x03\x04" + strings.Repeat("x", 997)))
	if s.Most != media.MaxFileBytes {
		t.Errorf("%d bytes are read", s.Most)
	}
	s.Most = 1000
	f := &feed.Feeder{Inputs: []engine.Port{{Name: "x"}}, Manifest: new(manifest.Manifest), Stdin: s}
	if _, err := f.Read(&feed.Job{Files: map[int]string{0: feed.Stdin}}); err == nil || !strings.Contains(err.Error(), "larger than 1000 bytes") {
		t.Errorf("a long stream gives %v", err)
	}
}

// TestSoundMemory: the limit of memory goes with a sound, of which more may become.
func TestSoundMemory(t *testing.T) {
	d, err := manifest.Parse("m", []byte(`{"version": 1, "inputs": {"x": {"kind": "audio", "rate": 8000}}, "outputs": {"y": {"kind": "tensor"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const wav = "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x00\x00\x00\x00\x01\x00\x08\x00data\x01\x00\x00\x00\x80"
	f := &feed.Feeder{Inputs: []engine.Port{{Name: "x"}}, Manifest: d, Memory: 1000, Content: func(string, int64) ([]byte, error) { return []byte(wav), nil }}
	in, err := f.Read(&feed.Job{Files: map[int]string{0: "x.wav"}})
	if err != nil || in.Sound.Len() != 1 || in.Limits.Memory != 1000 {
		t.Errorf("%+v, %v", in, err)
	}
}
