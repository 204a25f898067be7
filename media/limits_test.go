package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// TestFileLimit reads a file of as many bytes as are allowed, and of one more.
func TestFileLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if MaxFileBytes != limits.MediaFile {
		t.Errorf("a file may have %d bytes", MaxFileBytes)
	}
	if err := os.Truncate(name, limits.MediaFile+1); err != nil {
		t.Skipf("sparse files cannot be made here: %v", err)
	}
	if _, err := OpenSound(name); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("a large file: %v", err)
	}
}

// pngHeader returns the beginning of a gray PNG.
func pngHeader(width, height int) []byte {
	var header bytes.Buffer
	header.WriteString("IHDR")
	for _, v := range []int{width, height} {
		header.Write(binary.BigEndian.AppendUint32(nil, uint32(v)))
	}
	header.Write([]byte{8, 0, 0, 0, 0}) // gray, of 8 bits
	data := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(data, header.Bytes()...), crc32.ChecksumIEEE(header.Bytes()))
}

// TestSideLimit has pictures that are as narrow as can be.
func TestSideLimit(t *testing.T) {
	for _, n := range []int{limits.MediaSide, limits.MediaSide + 1} {
		for _, data := range [][]byte{pngHeader(1, n), pngHeader(n, 1)} {
			if _, err := DecodePicture(data); err == nil || strings.Contains(err.Error(), "a side of the picture") != (n > limits.MediaSide) {
				t.Errorf("a side of %d pixels: %v", n, err)
			}
		}
	}
}

// TestScanLimit has a JPEG with more and more scans, of which the last one is cut off.
func TestScanLimit(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	sized := bytes.Index(data, []byte{0xFF, 0xC0}) + 5 // height and width
	binary.BigEndian.PutUint32(data[sized:], 8192<<16|8192)
	for _, n := range []int{limits.MediaScanned >> 26, limits.MediaScanned>>26 + 1} {
		more := append(bytes.Clone(data[:len(data)-2]), bytes.Repeat(startOfScan, n-1)...)
		_, err := DecodePicture(more)
		if err == nil || strings.Contains(err.Error(), "scans") != (n > limits.MediaScanned>>26) {
			t.Errorf("%d scans: %v", n, err)
		}
	}
}

// TestPixelLimit has pictures of which only the size is there.
func TestPixelLimit(t *testing.T) {
	const width = 1 << 13
	for _, n := range []int{limits.MediaPixels / width, limits.MediaPixels/width + 1} {
		_, err := DecodePicture(pngHeader(width, n))
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

// TestMemory has pictures and sounds that are refused before they are decoded, by what decoding would take.
func TestMemory(t *testing.T) {
	const side = 64
	rect := image.Rect(0, 0, side, side)
	files := map[string][]byte{"png": encodePNG(t, image.NewRGBA64(rect)), "palette": encodePNG(t, image.NewPaletted(rect, color.Palette{red, green}))}
	for name, encode := range map[string]func(w io.Writer) error{
		"jpeg": func(w io.Writer) error { return jpeg.Encode(w, image.NewRGBA(rect), nil) },
		"gif":  func(w io.Writer) error { return gif.Encode(w, image.NewRGBA(rect), nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		files[name] = b.Bytes()
	}
	refused := func(name string, err error) {
		t.Helper()
		limit := (*engine.LimitError)(nil)
		if !errors.As(err, &limit) || limit.What != "memory" || limit.Allowed >= limit.Need || !strings.Contains(err.Error(), "bytes of memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, data := range files {
		config, format, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		need := decodedBytes(data, config, format)
		for _, memory := range []int64{need, 0, -1} {
			if _, err := (Limits{memory}).DecodePicture(data); err != nil {
				t.Errorf("%s within %d: %v", name, memory, err)
			}
		}
		_, err = Limits{need - 1}.DecodePicture(data)
		refused(name, err)
	}
	sound := wav(fmtChunk(wavInteger, 2, 8000, 8), chunk("data", make([]byte, 1000)))
	for _, memory := range []int64{6000, 0, -1} {
		if s, err := (Limits{memory}).DecodeWAV(sound); err != nil || s.Len() != 500 {
			t.Errorf("a sound within %d: %v", memory, err)
		}
	}
	_, err := Limits{5999}.DecodeWAV(sound)
	refused("sound", err)
	spec, input := &manifest.Audio{Rate: 16000, Scale: 2}, manifest.Type{Name: "x", DType: tensor.Float32, Shape: tensor.Shape{1, 16}}
	s, err := DecodeWAV(sound)
	if err != nil {
		t.Fatal(err)
	}
	const resampled = 4*(500+2*sincZeros+1000) + 8*3*2*sincZeros
	if _, err := (Limits{resampled}).PrepareAudio(spec, input, s); err != nil {
		t.Error(err)
	}
	_, err = Limits{resampled - 1}.PrepareAudio(spec, input, s)
	refused("resampled", err)
	for _, c := range []struct {
		spec *manifest.Audio
		want int64
	}{{nil, 6000}, {&manifest.Audio{Rate: 8000}, 6000}, {&manifest.Audio{Rate: 1 << 30}, 6000}, {spec, 6000 + resampled + 4000}} {
		if got := SoundBytes(sound, c.spec); got != c.want {
			t.Errorf("SoundBytes with %v: %d; want %d", c.spec, got, c.want)
		}
	}
}

// TestDecodedBytes: 16 bits a channel, and coefficients that are kept, count.
func TestDecodedBytes(t *testing.T) {
	size := image.Config{Width: 10, Height: 10}
	for _, c := range []struct {
		model  color.Model
		format string
		data   string
		want   int64
	}{
		{color.NRGBA64Model, "png", "", 2000},
		{color.GrayModel, "png", "", 1400},
		{color.Palette{red}, "gif", "", 900},
		{color.YCbCrModel, "jpeg", "", 1100},
		{color.YCbCrModel, "jpeg", "\xff\xc2", 2300},
		{color.CMYKModel, "jpeg", "\xff\xc2", 3200},
		{color.RGBAModel, "jpeg", "", 1600},
	} {
		size.ColorModel = c.model
		if got := decodedBytes([]byte(c.data), size, c.format); got != c.want {
			t.Errorf("%v of %s: %d bytes; want %d", c.model, c.format, got, c.want)
		}
	}
}
