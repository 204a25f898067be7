package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif"  // a picture format
	_ "image/jpeg" // a picture format

	"io"
	"reflect"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/stage"
)

// The limits of what is read.
const (
	MaxFileBytes = limits.MediaFile   // the size of a picture's or sound's file
	MaxPixels    = limits.MediaPixels // width times height of a picture
)

// The limits of what decoding costs beside that.
const (
	maxSide    = limits.MediaSide    // a row of a pixel takes far longer than a pixel
	maxScanned = limits.MediaScanned // a scan of a progressive JPEG takes a few bytes, and goes through all pixels
)

// startOfScan marks each scan of a JPEG, and nothing else in one.
var startOfScan = []byte{0xFF, 0xDA}

// progressive reports whether a JPEG may have several scans of a pixel, whose coefficients are kept meanwhile.
func progressive(data []byte) bool { return bytes.Contains(data, []byte{0xFF, 0xC2}) }

// OpenPicture reads a picture file; see DecodePicture.
func OpenPicture(name string) (*image.RGBA, error) {
	data, err := mapfile.ReadFile(name, MaxFileBytes)
	if err != nil {
		return nil, err
	}
	m, err := DecodePicture(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// DecodePicture reads a PNG, a JPEG or the first frame of a GIF. The picture is upright: the orientation that a camera
// noted in a JPEG is applied. Its upper left corner is (0, 0).
func DecodePicture(data []byte) (*image.RGBA, error) { return Limits{}.DecodePicture(data) }

// DecodePicture is the function [DecodePicture] within limits.
func (l Limits) DecodePicture(data []byte) (m *image.RGBA, err error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errors.New("this is no PNG, JPEG or GIF picture")
	case err != nil:
		return nil, fmt.Errorf("the picture is damaged: %w", err)
	}
	if config.Width < 1 || config.Height < 1 || config.Width > MaxPixels/config.Height {
		return nil, fmt.Errorf("the picture has %d×%d pixels; 1 to %d are allowed", config.Width, config.Height, MaxPixels)
	}
	if side := max(config.Width, config.Height); side > maxSide {
		return nil, fmt.Errorf("a side of the picture has %d pixels; at most %d are allowed", side, maxSide)
	}
	if format == "jpeg" && int64(bytes.Count(data, startOfScan))*int64(config.Width*config.Height) > maxScanned {
		return nil, fmt.Errorf("the picture of %d×%d pixels has %d scans; all may have %d pixels", config.Width, config.Height, bytes.Count(data, startOfScan), maxScanned)
	}
	what := func() string {
		return fmt.Sprintf("the %s picture of %d×%d pixels", format, config.Width, config.Height)
	}
	err = l.within(decodedBytes(data, config, format), what, func() (err error) {
		m, err = decode(data, format)
		return err
	})
	return m, err
}

// decode decodes a picture whose size is known to fit.
func decode(data []byte, format string) (*image.RGBA, error) {
	m, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the %s picture is damaged: %w", format, err)
	}
	upright, err := RGBA(m)
	if err != nil {
		return nil, fmt.Errorf("the %s picture is damaged: %w", format, err)
	}
	if format == "jpeg" {
		upright = orient(upright, orientation(data))
	}
	return upright, nil
}

var errNil = errors.New("the picture is nil")

// absent reports whether a picture is nil, or a nil pointer.
func absent(m image.Image) bool {
	v := reflect.ValueOf(m)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// errShort is what is wrong with a picture that was not made by package image.
var errShort = errors.New("the picture has fewer pixels than its bounds say")

// check refuses pictures that are too large, and those that lack pixels, as far as that can be seen.
func check(m image.Image) error {
	if absent(m) {
		return errNil
	}
	bounds := m.Bounds()
	if bounds.Empty() || bounds.Dx() > MaxPixels/bounds.Dy() {
		return fmt.Errorf("the picture has %d×%d pixels; 1 to %d are allowed", bounds.Dx(), bounds.Dy(), MaxPixels)
	}
	last := bounds.Max.Sub(image.Pt(1, 1))
	switch m := m.(type) {
	case *image.RGBA:
		if m.Stride < 4*bounds.Dx() || m.PixOffset(last.X, last.Y)+4 > len(m.Pix) {
			return errShort
		}
	case *image.YCbCr:
		if c := m.COffset(last.X, last.Y); m.YStride < bounds.Dx() || m.YOffset(last.X, last.Y) >= len(m.Y) || c >= len(m.Cb) || c >= len(m.Cr) {
			return errShort
		}
	}
	return nil
}

// RGBA returns a picture of any kind as [PrepareImage] takes it, with the pixels that [DecodePicture] gives for the same file: its upper left
// corner is (0, 0). A picture that is so already is returned as it is.
func RGBA(m image.Image) (*image.RGBA, error) {
	if err := check(m); err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.RGBA:
		if m.Rect.Min == (image.Point{}) {
			return m, nil
		}
	case *image.YCbCr:
		if r := upsampled(m); r != nil {
			return r, nil
		}
	}
	return drawn(m)
}

// drawn returns a picture whose pixels only it can read, which it may fail to do.
func drawn(m image.Image) (*image.RGBA, error) {
	r := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
	err := reading(func() error {
		draw.Draw(r, r.Rect, m, m.Bounds().Min, draw.Src)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// reading calls what reads pixels that may not be there.
func reading(read func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errShort
		}
	}()
	return read()
}

// SavePNG writes a picture. The file is complete or as it was before.
func SavePNG(name string, m image.Image) error {
	if err := check(m); err != nil {
		return err
	}
	return stage.Write(name, func(w io.Writer) error { return writePNG(w, m) })
}
