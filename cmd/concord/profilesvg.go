package main

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Sizes of the picture of a profile, in pixels.
const (
	drawnUnits = 60 // the longest; the others are one bar
	drawnRow   = 20
	drawnLeft  = 300 // where bars begin
	drawnBar   = 340 // the longest bar
	drawnRight = 770 // where the names of kernels begin
	drawnWidth = 1080
	drawnTop   = 108 // where rows begin
)

// drawing writes a picture; the first error sticks to its writer.
type drawing struct{ strings.Builder }

// text writes a text at a place. Names may come from a model.
func (d *drawing) text(class string, x, y int, text string) {
	fmt.Fprintf(d, `<text class="%s" x="%d" y="%d">`, class, x, y)
	d.escaped(text)
	d.WriteString("</text>\n")
}

func (d *drawing) escaped(text string) { _ = xml.EscapeText(d, []byte(text)) } // a builder takes all

func (d *drawing) bar(class string, x, y int, width float64, height int) {
	fmt.Fprintf(d, `<rect class="%s" x="%d" y="%d" width="%.1f" height="%d"/>`+"\n", class, x, y, max(width, 0.5), height)
}

// style is on a white ground, which is drawn, so that it is the same on any page.
const style = `<style>
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.soft { fill: #6b7280 }
.end { text-anchor: end }
.compute { fill: #2563eb } .computeRest { fill: #bfd3fb }
.memory { fill: #d97706 } .memoryRest { fill: #f8dcae }
.none { fill: #9ca3af }
</style>
`

// draw draws a bar for each unit: how long it takes, and within it, darker, the time that its bound allows.
func (r *profileReport) draw(w io.Writer) error {
	units, rest := r.Units, &unitProfile{}
	if len(units) > drawnUnits {
		units = slices.SortedStableFunc(slices.Values(units), func(a, b *unitProfile) int { return cmp.Compare(b.Time, a.Time) })
		for _, u := range units[drawnUnits:] {
			rest.Time += u.Time
			rest.Share += u.Share
		}
		units = slices.SortedFunc(slices.Values(units[:drawnUnits]), func(a, b *unitProfile) int { return cmp.Compare(a.Index, b.Index) })
		rest.Result = fmt.Sprintf("%d shorter units", len(r.Units)-drawnUnits)
		units = append(units, rest)
	}
	longest := 0.0
	for _, u := range units {
		longest = max(longest, u.Time)
	}
	var d drawing
	height := drawnTop + drawnRow*len(units) + 24
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", drawnWidth, height)
	d.WriteString(style)
	fmt.Fprintf(&d, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", drawnWidth, height)
	d.text("title", 24, 36, filepath.Base(r.Model))
	d.text("soft", 24, 58, fmt.Sprintf("%s a run, %s, tier %s, %s of the peak of %s", ms(r.Median), count(int64(r.Threads), "thread"), r.Tier, percent(r.Share), r.Machine.Processor))
	x := 24
	for _, l := range []struct{ class, rest, text string }{
		{"compute", "computeRest", "bound by multiply-adds: the time at the peak, and the rest"},
		{"memory", "memoryRest", "bound by memory: the time at its rate, and the rest"},
	} {
		d.bar(l.class, x, 76, 12, 12)
		d.bar(l.rest, x+12, 76, 12, 12)
		d.text("soft", x+32, 86, l.text)
		x += 440
	}
	for i, u := range units {
		d.unit(u, drawnTop+drawnRow*i, drawnBar/max(longest, 1e-9))
	}
	d.WriteString("</svg>\n")
	_, err := io.WriteString(w, d.String())
	return err
}

// unit draws the row of a unit.
func (d *drawing) unit(u *unitProfile, y int, scale float64) {
	const text = 14 // from the top of a row to the base of its letters
	name := u.operators() + " " + u.Result
	if u.Nodes == nil {
		name = u.Result
	}
	d.text("end", drawnLeft-12, y+text, shortened(strings.TrimSpace(name), 40))
	least := min(u.Least, u.Time)
	if u.Bound == "" {
		d.bar("none", drawnLeft, y+3, u.Time*scale, drawnRow-6)
	} else {
		d.bar(u.Bound+"Rest", drawnLeft, y+3, u.Time*scale, drawnRow-6)
		d.bar(u.Bound, drawnLeft, y+3, least*scale, drawnRow-6)
	}
	d.text("", drawnLeft+int(u.Time*scale)+8, y+text, fmt.Sprintf("%s  %s", ms(u.Time), percent(u.Share)))
	d.text("soft", drawnRight, y+text, shortened(u.evaluator(), 44))
}

// shortened cuts a text down to n letters. Most of them are its last ones, as names differ at their ends.
func shortened(text string, n int) string {
	if letters := []rune(text); len(letters) > n {
		return string(letters[:n/3]) + "…" + string(letters[len(letters)-(n-1-n/3):])
	}
	return text
}
