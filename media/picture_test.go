package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

var (
	red   = color.RGBA{255, 0, 0, 255}
	green = color.RGBA{0, 255, 0, 255}
	blue  = color.RGBA{0, 0, 255, 255}
	white = color.RGBA{255, 255, 255, 255}
	black = color.RGBA{0, 0, 0, 255}
)

// picture returns a picture of the given rows of pixels.
func picture(rows ...[]color.RGBA) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
	for y, row := range rows {
		for x, c := range row {
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodePicture(t *testing.T) {
	m := picture([]color.RGBA{red, green}, []color.RGBA{blue, white}, []color.RGBA{black, red})
	var g bytes.Buffer
	second := image.NewPaletted(m.Rect, color.Palette{black})
	first := image.NewPaletted(m.Rect, color.Palette{red, green, blue, white, black})
	for y := range 3 {
		for x := range 2 {
			first.Set(x, y, m.At(x, y))
		}
	}
	if err := gif.EncodeAll(&g, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	for format, data := range map[string][]byte{"png": encodePNG(t, m), "gif": g.Bytes()} {
		got, err := DecodePicture(data)
		if err != nil {
			t.Fatal(format, err)
		}
		if got.Rect != m.Rect || !slices.Equal(got.Pix, m.Pix) {
			t.Errorf("%s: the picture is %v", format, got.Pix)
		}
	}
	// A picture whose corner lies elsewhere is moved.
	got, err := DecodePicture(encodePNG(t, m.SubImage(image.Rect(1, 1, 2, 3))))
	if err != nil || got.Rect != image.Rect(0, 0, 1, 2) || got.RGBAAt(0, 1) != red {
		t.Errorf("part: %v, %v", got, err)
	}
}

func TestBadPicture(t *testing.T) {
	testdata.Wide(t)
	whole := encodePNG(t, picture([]color.RGBA{red, green}))
	huge := slices.Clone(whole)
	binary.BigEndian.PutUint32(huge[16:], 1<<20)
	binary.BigEndian.PutUint32(huge[20:], 1<<20)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	for _, test := range []struct {
		data []byte
		want string
	}{
		{nil, "this is no PNG, JPEG or GIF picture"},
		{[]byte("hello"), "this is no PNG, JPEG or GIF picture"},
		{whole[:40], "the png picture is damaged"},
		{whole[:20], "the picture is damaged: unexpected EOF"},
		{huge, "the picture has 1048576×1048576 pixels; 1 to 67108864 are allowed"},
	} {
		if _, err := DecodePicture(test.data); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if _, err := OpenPicture(filepath.Join(t.TempDir(), "missing.png")); !os.IsNotExist(err) {
		t.Errorf("a missing file gives %v", err)
	}
}

// withOrientation inserts an Exif segment after the first two bytes of a JPEG.
func withOrientation(data []byte, order binary.AppendByteOrder, orientation uint16) []byte {
	tiff := []byte("II*\x00")
	if order == binary.BigEndian {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x010f, 7}, {0x0112, orientation}} {
		tiff = order.AppendUint16(tiff, entry[0])
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, entry[1])
		tiff = order.AppendUint16(tiff, 0)
	}
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return slices.Concat(data[:2], segment, body, data[2:])
}

// Each of the eight orientations of one picture shows it upright: a bright corner at the upper left, a dark one right of it.
func TestOrientation(t *testing.T) {
	upright := image.NewGray(image.Rect(0, 0, 32, 16))
	for y := range 16 {
		for x := range 32 {
			v := uint8(128)
			switch {
			case x < 8 && y < 8:
				v = 255
			case x >= 24 && y < 8:
				v = 0
			}
			upright.SetGray(x, y, color.Gray{v})
		}
	}
	// stored returns what a camera stores for an orientation: row and column of the stored picture as Exif names the
	// sides that they are.
	stored := func(orientation int) image.Image {
		w, h := 32, 16
		m := image.NewGray(image.Rect(0, 0, w, h))
		if orientation >= 5 {
			m = image.NewGray(image.Rect(0, 0, h, w))
		}
		for y := range h {
			for x := range w {
				at := map[int]image.Point{1: {x, y}, 2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
					5: {y, x}, 6: {y, w - 1 - x}, 7: {h - 1 - y, w - 1 - x}, 8: {h - 1 - y, x}}[orientation]
				m.SetGray(at.X, at.Y, upright.GrayAt(x, y))
			}
		}
		return m
	}
	for orientation := 1; orientation <= 8; orientation++ {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, stored(orientation), &jpeg.Options{Quality: 100}); err != nil {
			t.Fatal(err)
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			m, err := DecodePicture(withOrientation(b.Bytes(), order, uint16(orientation)))
			if err != nil {
				t.Fatal(err)
			}
			if m.Rect != upright.Rect || m.RGBAAt(3, 3).R < 240 || m.RGBAAt(28, 3).R > 15 || m.RGBAAt(3, 12).R < 120 || m.RGBAAt(3, 12).R > 136 {
				t.Errorf("orientation %d: %v, corners %v, %v", orientation, m.Rect, m.RGBAAt(3, 3), m.RGBAAt(28, 3))
			}
		}
	}
}

// A damaged Exif segment is as good as none.
func FuzzDecodePicture(f *testing.F) {
	whole := encodePNG(f, picture([]color.RGBA{red, green}))
	f.Add(whole)
	f.Add(whole[:40])
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x4c\x01\x00;"))
	f.Add([]byte("\xff\xd8\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xd9"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodePicture(data)
		if (err == nil) == (m == nil) {
			t.Fatalf("got %v and %v", m, err)
		}
		if m != nil && (m.Rect.Min != image.Point{} || m.Rect.Empty() || m.Rect.Dx()*m.Rect.Dy() > MaxPixels) {
			t.Errorf("the picture reaches over %v", m.Rect)
		}
	})
}

func FuzzOrientation(f *testing.F) {
	f.Add(withOrientation([]byte{0xff, 0xd8, 0xff, 0xda}, binary.LittleEndian, 6))
	f.Add(withOrientation([]byte{0xff, 0xd8, 0xff, 0xda}, binary.BigEndian, 9))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o := orientation(data); o < 1 || o > 8 {
			t.Fatalf("the orientation is %d", o)
		}
	})
}

func TestSavePNG(t *testing.T) {
	dir := t.TempDir()
	m := picture([]color.RGBA{red, green})
	name := filepath.Join(dir, "out.png")
	for range 2 { // the second replaces the first
		if err := SavePNG(name, m); err != nil {
			t.Fatal(err)
		}
	}
	got, err := OpenPicture(name)
	if err != nil || !slices.Equal(got.Pix, m.Pix) {
		t.Errorf("%v, %v", got, err)
	}
	if err := SavePNG(name, image.NewRGBA(image.Rect(0, 0, 0, 0))); err == nil {
		t.Error("an empty picture was written")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
}

// Halved chroma planes are interpolated.
func TestChroma(t *testing.T) {
	for _, test := range []struct {
		ratio         image.YCbCrSubsampleRatio
		width, height int
		want          []uint8 // blue chroma of each pixel
	}{
		{image.YCbCrSubsampleRatio422, 4, 1, []uint8{16, 72, 184, 240}},
		{image.YCbCrSubsampleRatio422, 3, 1, []uint8{16, 72, 184}},
		{image.YCbCrSubsampleRatio440, 1, 4, []uint8{16, 72, 184, 240}},
		{image.YCbCrSubsampleRatio420, 4, 2, []uint8{16, 72, 184, 240, 16, 72, 184, 240}},
	} {
		m := image.NewYCbCr(image.Rect(0, 0, test.width, test.height), test.ratio)
		for i := range m.Y {
			m.Y[i] = 128
		}
		for i := range m.Cb {
			m.Cb[i], m.Cr[i] = 16, 128
		}
		m.Cb[len(m.Cb)-1] = 240
		got := upsampled(m)
		for i, cb := range test.want {
			r, g, b := color.YCbCrToRGB(128, cb, 128)
			if c := got.RGBAAt(i%test.width, i/test.width); c != (color.RGBA{r, g, b, 255}) {
				t.Errorf("%v, pixel %d is %v, want %v", test.ratio, i, c, []uint8{r, g, b})
			}
		}
	}
	if upsampled(image.NewYCbCr(image.Rect(0, 0, 2, 2), image.YCbCrSubsampleRatio444)) != nil {
		t.Error("whole planes were interpolated")
	}
}

// TestWritePNG compares what we write with what package image/png does.
func TestWritePNG(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {2, 3}, {3, 1}, {8, 5}, {13, 200}, {301, 307}, {64, 1000}} {
		for kind := range 5 {
			m := image.NewRGBA(image.Rectangle{Max: size})
			for y := range size.Y {
				for x := range size.X {
					p := m.Pix[m.PixOffset(x, y):][:4]
					switch kind {
					case 0:
						binary.LittleEndian.PutUint32(p, rng.Uint32())
					case 1:
						p[0], p[1], p[2] = uint8(x), uint8(y), uint8(x*y)
					case 2:
						p[0], p[1], p[2] = uint8(x+y)&15*17, uint8(x^y), uint8(x/7*y)
					case 3:
						p[0], p[1], p[2] = 0xff*uint8(rng.IntN(2)), 0x80, uint8(rng.IntN(3)*127)
					}
					p[3] = 255
				}
			}
			var pictures = []image.Image{m, m.SubImage(image.Rect(1, 1, size.X, size.Y-1))}
			if kind == 4 {
				m.Pix[m.PixOffset(size.X-1, size.Y-1)+3] = 100
			}
			for _, m := range pictures {
				if m.Bounds().Empty() {
					continue
				}
				var got, want bytes.Buffer
				if err := writePNG(&got, m); err != nil {
					t.Fatal(err)
				}
				if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&want, m); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want.Bytes()) {
					t.Errorf("kind %d, %v: other bytes than those of image/png", kind, m.Bounds())
				}
			}
		}
	}
}

func BenchmarkWritePNG(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 1024, 484))
	for y := range 484 {
		for x := range 1024 {
			copy(m.Pix[m.PixOffset(x, y):], []uint8{uint8(x*y/99 + x&3), uint8(x/2 + y/3), uint8(x * x / 1000), 255})
		}
	}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			_ = writePNG(io.Discard, m)
		}
	})
	b.Run("theirs", func(b *testing.B) {
		for b.Loop() {
			_ = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(io.Discard, m)
		}
	})
}
