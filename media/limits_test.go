package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// TestFileLimit reads a file of as many bytes as are allowed, and of one more.
func TestFileLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, n := range []int{1000, 1001} {
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := readFile(name, 1000); (err == nil) != (n == 1000) || err == nil && len(data) != n {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if MaxFileBytes != limits.MediaFile {
		t.Errorf("a file may have %d bytes", MaxFileBytes)
	}
	if testing.Short() {
		return // what follows takes a second
	}
	if err := os.Truncate(name, limits.MediaFile+1); err != nil {
		t.Skipf("sparse files cannot be made here: %v", err)
	}
	if _, err := OpenSound(name); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("a large file: %v", err)
	}
}

// TestPixelLimit has pictures of which only the size is there.
func TestPixelLimit(t *testing.T) {
	const width = 1 << 13
	for _, n := range []int{limits.MediaPixels / width, limits.MediaPixels/width + 1} {
		var header bytes.Buffer
		header.WriteString("IHDR")
		for _, v := range []uint32{width, uint32(n)} {
			header.Write(binary.BigEndian.AppendUint32(nil, v))
		}
		header.Write([]byte{8, 0, 0, 0, 0}) // gray, of 8 bits
		data := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
		data = binary.BigEndian.AppendUint32(append(data, header.Bytes()...), crc32.ChecksumIEEE(header.Bytes()))
		_, err := DecodePicture(data)
		if err == nil || strings.Contains(err.Error(), "are allowed") != (n > limits.MediaPixels/width) {
			t.Errorf("%d pixels: %v", width*n, err)
		}
	}
	x := manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 3, 2, 2}}
	large := &image.RGBA{Rect: image.Rect(0, 0, width, limits.MediaPixels/width+1)}
	if _, _, err := PrepareImage(spec(t, ``), x, large); err == nil || !strings.Contains(err.Error(), "are allowed") {
		t.Errorf("a picture from elsewhere: %v", err)
	}
}

func TestPlotLimit(t *testing.T) {
	track := &Track{Values: []float32{0, 1}, Step: 1}
	for _, n := range []int{limits.MediaPlot, limits.MediaPlot + 1} {
		for _, side := range [][2]int{{n, minPlot}, {minPlot, n}} {
			if _, err := DrawTrack(track, side[0], side[1]); (err == nil) != (n == limits.MediaPlot) {
				t.Errorf("%v pixels: %v", side, err)
			}
		}
	}
	if _, err := DrawTrack(track, limits.MediaPlot, limits.MediaPixels/limits.MediaPlot+1); err == nil {
		t.Error("a plot may have more pixels than a picture")
	}
}

func TestWAVLimits(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		data func(n int) []byte
	}{
		"channels": {limits.MediaChannels, func(n int) []byte { return wav(fmtChunk(wavInteger, n, 8000, 8), chunk("data", make([]byte, n))) }},
		"rate":     {limits.MediaRate, func(n int) []byte { return wav(fmtChunk(wavInteger, 1, n, 8), chunk("data", []byte{1})) }},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if _, err := DecodeWAV(c.data(n)); (err == nil) != (n == c.most) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}
