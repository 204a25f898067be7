package media

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestClassTable(t *testing.T) {
	classes := []Class{{7, "seven", 0.75}, {1, "one", 0.125}, {2, "two", 0}, {3, "six", 1.5}}
	got := strings.Join(ClassTable(classes, Style{Width: 40}), "\n")
	want := strings.Join([]string{
		"seven  ████████████              75.00 %",
		"one    ██                        12.50 %",
		"two                               0.00 %",
		"six    ████████████████████████      1.5",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	coloured := ClassTable(classes[:1], Style{Width: 40, Colour: true})[0]
	if !strings.Contains(coloured, "\x1b[") || !strings.HasSuffix(coloured, "75.00 %") {
		t.Errorf("%q", coloured)
	}
	for _, line := range ClassTable([]Class{{0, strings.Repeat("ä", 200), 0.3}, {1, "b", 0.2}}, Style{Width: 60}) {
		if n := len([]rune(line)); n != 60 {
			t.Errorf("a line has %d columns: %s", n, line)
		}
	}
}

func TestBoxTable(t *testing.T) {
	got := strings.Join(BoxTable([]Box{{1, "face", 0.9876, 1, 2.25, 300, 400}}, Style{}), "\n")
	want := "object   score     left      top    right   bottom\n" +
		"face    0.9876      1.0      2.2    300.0    400.0"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSmallBoxes reads boxes back from the table: what is printed overlaps with what was found, however small the picture is.
func TestSmallBoxes(t *testing.T) {
	for _, size := range []float64{0.012, 0.31, 1.7, 2.51, 9.9, 10.1, 120} {
		box := Box{Label: "face", Score: 0.5, Left: 3.4567 * size, Top: 1.2345 * size, Right: 4.4567 * size, Bottom: 2.7345 * size}
		lines := BoxTable([]Box{box, {Label: "face", Right: 2000, Bottom: 1000}, {Left: math.NaN()}}, Style{})
		var label string
		var score, left, top, right, bottom float64
		if _, err := fmt.Sscan(lines[1], &label, &score, &left, &top, &right, &bottom); err != nil {
			t.Fatal(err)
		}
		common := (min(right, box.Right) - max(left, box.Left)) * (min(bottom, box.Bottom) - max(top, box.Top))
		all := (right-left)*(bottom-top) + (box.Right-box.Left)*(box.Bottom-box.Top) - common
		if iou := common / all; !(iou > 0.97) {
			t.Errorf("a box of %v pixels: %s overlaps by %v", size, lines[1], iou)
		}
	}
}

func TestTrackTable(t *testing.T) {
	track := &Track{Label: "speech", Threshold: 0.5, Step: 0.5, Values: []float32{0, 0.5, 1, 2, -1}}
	got := TrackTable(track, Style{})
	want := []string{"▁▅██▁", "    0.50 s …     2.00 s  speech"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := TrackTable(track, Style{Width: 2}); len([]rune(got[0])) != 5 {
		t.Errorf("got %q", got)
	}
	if got := TrackTable(&Track{}, Style{}); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestDrawBoxes(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	before := slices.Clone(m.Pix)
	boxes := []Box{{1, "face", 0.9, 50.4, 40.4, 120, 90}, {1, "face", 0.8, -1e30, -5, 1e30, 1e30}, {1, "face", 0.7, 60, 60, 60, 60}}
	got, err := DrawBoxes(m, boxes)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Pix, before) {
		t.Error("the picture itself was drawn on")
	}
	line, paper := palette[0], color.RGBA{255, 255, 255, 255}
	for _, test := range []struct {
		x, y int
		want color.RGBA
	}{
		{50, 70, line}, {51, 70, line}, {119, 70, line}, {118, 70, line}, {100, 89, line}, {100, 88, line}, // two pixels wide, crisp
		{85, 70, paper}, {140, 70, paper},
	} {
		if c := got.RGBAAt(test.x, test.y); c != test.want {
			t.Errorf("pixel %d,%d is %v, want %v", test.x, test.y, c, test.want)
		}
	}
	// The score stands on a plate above the frame.
	dark := 0
	for y := 25; y < 40; y++ {
		for x := 50; x < 90; x++ {
			if c := got.RGBAAt(x, y); c.R < 0x30 && c.G < 0x60 {
				dark++
			}
		}
	}
	if c := got.RGBAAt(50, 38); c != line || dark < 15 {
		t.Errorf("the plate is %v, with %d dark pixels", c, dark)
	}
	// A part of a picture is drawn from its own corner.
	part, err := DrawBoxes(m.SubImage(image.Rect(100, 0, 200, 100)).(*image.RGBA), nil)
	if err != nil || part.Rect != image.Rect(0, 0, 100, 100) {
		t.Errorf("%v, %v", part.Rect, err)
	}
}

func TestDrawTrack(t *testing.T) {
	track := &Track{Label: "speech", Threshold: 0.5, Step: 1, Values: []float32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}}
	m, err := DrawTrack(track, 400, 200)
	if err != nil {
		t.Fatal(err)
	}
	if m.Rect != image.Rect(0, 0, 400, 200) {
		t.Errorf("the picture is %v", m.Rect)
	}
	blueish := func(x, y int) bool { c := m.RGBAAt(x, y); return int(c.B) > int(c.R)+0x60 }
	// The area of the curve is 48…376 by 24…152: low in the left half, high and tinted in the right one.
	if !blueish(100, 151) || !blueish(300, 24) || blueish(100, 60) {
		t.Error("the curve is not where the values are")
	}
	if left, right := m.RGBAAt(100, 60), m.RGBAAt(300, 60); left != paper || right == paper {
		t.Errorf("the tint is %v at the left and %v at the right", left, right)
	}
	if c := m.RGBAAt(49, 88); c != limit {
		t.Errorf("the threshold is %v", c)
	}
	for _, size := range []image.Point{{10, 200}, {400, 1 << 20}} {
		if _, err := DrawTrack(track, size.X, size.Y); err == nil {
			t.Errorf("a plot of %v was drawn", size)
		}
	}
	if _, err := DrawTrack(&Track{Step: 1}, 400, 200); err == nil {
		t.Error("a plot of nothing was drawn")
	}
}

func TestTickStep(t *testing.T) {
	for _, test := range []struct{ length, most, want float64 }{{20, 10, 2}, {20, 3, 10}, {0.032, 5, 0.01}, {3600, 8, 500}, {1, 0, 1}} {
		if got := tickStep(test.length, test.most); got < test.want*0.999 || got > test.want*1.001 {
			t.Errorf("%v in at most %v steps: %v, want %v", test.length, test.most, got, test.want)
		}
	}
}
