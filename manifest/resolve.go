package manifest

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Resolved returns what a picture is prepared by, with the defaults of the document in place of fields that are zero: so the zero Image is
// that of {"kind": "image"}. It fails on a field that cannot have its value, and names it.
func (im *Image) Resolved() (*Image, error) {
	if im == nil {
		return nil, errors.New("Image is nil")
	}
	r := *im
	for _, c := range []struct {
		field   string
		value   *string
		allowed []string
	}{
		{"Image.Colour", (*string)(&r.Colour), []string{string(RGB), string(BGR), string(Gray)}},
		{"Image.Crop", (*string)(&r.Crop), []string{string(CropNone), string(CropContent)}},
		{"Image.Resize", (*string)(&r.Resize), []string{string(Stretch), string(Fit), string(Fill)}},
		{"Image.Filter", (*string)(&r.Filter), []string{string(Bilinear), string(Area)}},
		{"Image.Layout", &r.Layout, append([]string{""}, Layouts...)},
	} {
		if err := choice(c.field, c.value, c.allowed); err != nil {
			return nil, err
		}
	}
	channels := r.Colour.Channels()
	for _, v := range []struct {
		field  string
		values *[]float64
		n      int // how many there may be besides one
		lo, hi float64
		def    float64
	}{
		{"Image.Pad", &r.Pad, 3, 0, 255, 0},
		{"Image.Mean", &r.Mean, channels, 0, 255, 0},
		{"Image.Std", &r.Std, channels, -maxNumber, maxNumber, 1},
	} {
		switch n := len(*v.values); {
		case n == 0:
			*v.values = []float64{v.def}
		case n != 1 && n != v.n:
			return nil, fmt.Errorf("%s has %d numbers; there must be 1 or %d", v.field, n, v.n)
		}
		for _, x := range *v.values {
			if !(x >= v.lo && x <= v.hi) || v.def == 1 && math.Abs(x) < 1/maxNumber {
				return nil, fmt.Errorf("%s has the number %v, which is not allowed", v.field, x)
			}
		}
	}
	switch {
	case r.Width < 0 || r.Height < 0 || r.Width > maxSide || r.Height > maxSide || (r.Width == 0) != (r.Height == 0):
		return nil, fmt.Errorf("Image.Width and Image.Height are %d and %d; they must be from 1 to %d, or both 0", r.Width, r.Height, maxSide)
	case !(r.Margin >= 0 && r.Margin <= 10):
		return nil, fmt.Errorf("Image.Margin is %v; it must be from 0 to 10", r.Margin)
	}
	return &r, nil
}

// Resolved returns how a sound is cut, with a Scale of 1 in place of 0. It fails on a field that cannot have its value, and names it: Rate must
// be given.
func (a *Audio) Resolved() (*Audio, error) {
	if a == nil {
		return nil, errors.New("Audio is nil")
	}
	r := *a
	if r.Scale == 0 {
		r.Scale = 1
	}
	if !(math.Abs(r.Scale) <= maxNumber) {
		return nil, fmt.Errorf("Audio.Scale is %v, which is not allowed", r.Scale)
	}
	for _, f := range []struct {
		field         string
		value, lo, hi int
	}{{"Audio.Rate", r.Rate, 1, maxRate}, {"Audio.Window", r.Window, 0, maxWindow}, {"Audio.Hop", r.Hop, 0, maxWindow}, {"Audio.Context", r.Context, 0, maxWindow}} {
		if f.value < f.lo || f.value > f.hi {
			return nil, fmt.Errorf("%s is %d; it must be from %d to %d", f.field, f.value, f.lo, f.hi)
		}
	}
	return &r, nil
}

// Resolved returns how boxes are read, with corners in units in place of an empty Format and Units. It fails on a field that cannot have its
// value, and names it. Other fields mean what they say when they are zero: column 0 is the background, boxes with a score above 0 stay, and
// those that overlap at all exclude each other.
func (b *Boxes) Resolved() (*Boxes, error) {
	if b == nil {
		return nil, errors.New("Boxes is nil")
	}
	r := *b
	if err := choice("Boxes.Format", (*string)(&r.Format), []string{string(Corners), string(Centre), string(Deltas)}); err != nil {
		return nil, err
	}
	if err := choice("Boxes.Units", (*string)(&r.Units), []string{string(Unit), string(Pixels)}); err != nil {
		return nil, err
	}
	switch {
	case (r.Format == Deltas) != (r.Priors != nil):
		return nil, fmt.Errorf("Boxes.Priors goes with the Format %q, and only with it", Deltas)
	case math.IsNaN(r.ScoreThreshold):
		return nil, errors.New("Boxes.ScoreThreshold is not a number")
	case !(r.IoUThreshold >= 0 && r.IoUThreshold <= 1):
		return nil, fmt.Errorf("Boxes.IoUThreshold is %v; it must be from 0 to 1", r.IoUThreshold)
	case r.Limit < 0:
		return nil, fmt.Errorf("Boxes.Limit is %d; it must be 0, for all, or more", r.Limit)
	}
	return &r, nil
}

// choice gives a field that is empty its default, the first one that is allowed.
func choice(field string, value *string, allowed []string) error {
	if *value == "" {
		*value = allowed[0]
	}
	if !slices.Contains(allowed, *value) {
		return fmt.Errorf("%s is %s; it must be %s", field, quote(*value), list(slices.DeleteFunc(allowed, func(s string) bool { return s == "" })))
	}
	return nil
}
