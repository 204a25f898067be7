package media

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/escape"
)

// Style says how results are written as text.
type Style struct {
	Width  int  // columns to fill; at least 40 and at most 4096 are taken, and 80 if it is 0
	Colour bool // whether to use ANSI escape sequences
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return min(max(s.Width, 40), 1<<12)
}

// bright and dim return text in another rendition.
func (s Style) bright(text string) string { return s.rendition("1;32", text) }
func (s Style) dim(text string) string    { return s.rendition("2", text) }

func (s Style) rendition(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// ClassTable writes one line for each class: label, bar, probability. Bars are drawn on a scale from 0 to 1; a value
// outside of it has an empty or a full bar and is written as it is.
func ClassTable(classes []Class, s Style) []string {
	labels := make([]string, len(classes))
	longest := 0
	for i, c := range classes {
		labels[i] = shorten(c.Label, s.width()/2)
		longest = max(longest, utf8.RuneCountInString(labels[i]))
	}
	const number = 9
	room := s.width() - longest - number - 2
	lines := make([]string, len(classes))
	scale := 1.0 // of scores that are no probabilities, the greatest
	for _, c := range classes {
		scale = max(scale, float64(c.Probability))
	}
	for i, c := range classes {
		full, rest := bar(float64(c.Probability)/scale, room)
		value := fmt.Sprintf("%*s", number, percent(c.Probability))
		label := labels[i] + strings.Repeat(" ", longest-utf8.RuneCountInString(labels[i]))
		if i == 0 {
			label, full = s.rendition("1", label), s.bright(full)
		}
		lines[i] = label + "  " + full + rest + value
	}
	return lines
}

// percent writes a probability; what is none is written as a number.
func percent(p float32) string {
	if p >= 0 && p <= 1 {
		return fmt.Sprintf("%.2f %%", 100*float64(p))
	}
	if whole := math.Trunc(float64(p)); whole == float64(p) && math.Abs(whole) < 1e9 {
		return fmt.Sprintf("%.0f", whole)
	}
	return fmt.Sprintf("%.4g", p)
}

// eighths are blocks that fill 0 to 8 eighths of a column.
var eighths = []rune(" ▏▎▍▌▋▊▉█")

// bar returns the blocks that show x on a scale of the given number of columns, and the spaces after them.
func bar(x float64, columns int) (full, rest string) {
	if math.IsNaN(x) {
		x = 0
	}
	n := int(math.Round(max(0, min(x, 1)) * float64(8*columns)))
	full = strings.Repeat("█", n/8)
	if n%8 > 0 {
		full += string(eighths[n%8])
	}
	return full, strings.Repeat(" ", columns-utf8.RuneCountInString(full))
}

// shorten cuts a text, which may be foreign, to a number of characters.
func shorten(text string, most int) string {
	text = escape.Text(text)
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// BoxTable writes one line for each box: label, score, and the corners in pixels, with so many decimals that the smallest box keeps its place and
// size. The first line names the columns.
func BoxTable(boxes []Box, s Style) []string {
	longest := len("object")
	for _, b := range boxes {
		longest = max(longest, utf8.RuneCountInString(shorten(b.Label, s.width()/2)))
	}
	digits := decimals(boxes)
	lines := []string{s.dim(fmt.Sprintf("%-*s   score     left      top    right   bottom", longest, "object"))}
	for _, b := range boxes {
		lines = append(lines, fmt.Sprintf("%-*s  %6.4f %8.*f %8.*f %8.*f %8.*f",
			longest, shorten(b.Label, s.width()/2), b.Score, digits, b.Left, digits, b.Top, digits, b.Right, digits, b.Bottom))
	}
	return lines
}

// decimals returns how many it takes for corners to be exact within a two-hundredth of the smallest box's shorter side; at least one, and at most four.
func decimals(boxes []Box) int {
	least := math.Inf(1)
	for _, b := range boxes {
		if side := min(b.Right-b.Left, b.Bottom-b.Top); side > 0 {
			least = min(least, side)
		}
	}
	n := 1
	for size := 10.0; n < 4 && least < size; size /= 10 {
		n++
	}
	return n
}

// TrackTable writes a line of columns that show the course of a track on a scale from 0 to 1, and one line for each
// stretch of time during which the track is at its threshold or above.
func TrackTable(t *Track, s Style) []string {
	if t == nil || len(t.Values) == 0 {
		return nil
	}
	lines := []string{sparkline(t.Values, min(s.width(), len(t.Values)))}
	for _, seg := range t.Segments() {
		line := fmt.Sprintf("%8.2f s … %8.2f s", seg.Begin, seg.End)
		if t.Label != "" {
			line += "  " + s.bright(shorten(t.Label, s.width()/2))
		}
		lines = append(lines, line)
	}
	return lines
}

// heights are blocks that fill 1 to 8 eighths of a line.
var heights = []rune("▁▂▃▄▅▆▇█")

// sparkline shows values as blocks; each column has the greatest value of its part.
func sparkline(values []float32, columns int) string {
	line := make([]rune, columns)
	for i := range line {
		peak := float32(0)
		for _, v := range values[i*len(values)/columns : (i+1)*len(values)/columns] {
			if v > peak { // false for NaN
				peak = v
			}
		}
		line[i] = heights[int(math.Round(float64(min(peak, 1))*float64(len(heights)-1)))]
	}
	return string(line)
}
