package main

import (
	"fmt"
	"strings"
)

// Sizes of the picture, in pixels.
const (
	pictureWidth = 1000
	pictureLeft  = 220 // where bars begin
	pictureUnit  = 430 // of a ratio of 1
	pictureMost  = 1.4 // the greatest ratio that is drawn as long as it is
	pictureBar   = 11
	pictureRow   = 36 // of a network, with a bar for each number of threads
	pictureTop   = 96
)

const pictureStyle = `<style>
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.soft { fill: #6b7280; font-size: 12px }
.end { text-anchor: end }
.middle { text-anchor: middle }
.reached { fill: #15803d }
.faster { fill: #86bf98 }
.slower { fill: #d08700 }
.disturbed { fill: #d1d5db }
.one { stroke: #1f2328; stroke-width: 1.5 }
.grid { stroke: #e5e7eb }
.target { stroke: #b91c1c; stroke-width: 2.5 }
.spread { stroke: #1f2328; stroke-opacity: .55 }
</style>
`

// picture draws the ratios of the networks as bars from 0, with a line at 1, which is ONNX Runtime, and a mark at what is aimed at.
func (p *processor) picture() []byte {
	groups := append(p.Networks(), p.Products()...)
	var b strings.Builder
	height := pictureTop + len(groups)*pictureRow + 24
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n"+pictureStyle, pictureWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", pictureWidth, height)
	text := func(class string, x, y float64, text string) {
		fmt.Fprintf(&b, `<text class="%s" x="%.0f" y="%.0f">%s</text>`+"\n", class, x, y, strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text))
	}
	stroke := func(class string, x, top, bottom float64) {
		fmt.Fprintf(&b, `<line class="%[1]s" x1="%.1[2]f" y1="%.1[3]f" x2="%.1[2]f" y2="%.1[4]f"/>`+"\n", class, x, top, bottom)
	}
	at := func(ratio float64) float64 { return pictureLeft + float64(pictureUnit*min(ratio, pictureMost)) } // rounded alike on all processors
	text("title", 24, 34, "Time of Concord ÷ time of ONNX Runtime")
	text("soft", 24, 56, p.Machine.Processor+": on one thread, and below it on two; shorter is faster")
	for _, l := range []struct {
		class, text string
		x, y        float64
	}{{"reached", "target reached", 560, 14}, {"faster", "faster, but short of the target", 560, 32}, {"slower", "slower", 560, 50}, {"disturbed", "disturbed by others", 806, 50}} {
		fmt.Fprintf(&b, `<rect class="%s" x="%.0f" y="%.0f" width="12" height="12"/>`+"\n", l.class, l.x, l.y)
		text("soft", l.x+18, l.y+10, l.text)
	}
	stroke("target", 806, 14, 27)
	text("soft", 824, 24, "target")
	stroke("one", 806, 32, 45)
	text("soft", 824, 42, "ONNX Runtime")
	bottom := float64(height - 24)
	for _, x := range []float64{0, 0.25, 0.5, 0.75, 1, 1.25} {
		stroke("grid", at(x), pictureTop-8, bottom)
		text("soft middle", at(x), pictureTop-14, fmt.Sprint(x))
	}
	for i, lines := range groups {
		y := float64(pictureTop + i*pictureRow)
		text("end", pictureLeft-12, y+17, lines[0].Title)
		for k, l := range lines {
			target := p.target(l.row)
			ratio, class := l.Ratio, "slower" // as in the table, whatever the row is judged by
			switch r := p.judged(l.row); {
			case r == 0:
				class = "disturbed"
			case r <= target:
				class = "reached"
			case r < 1:
				class = "faster"
			}
			top := y + 2 + float64(k)*(pictureBar+2)
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%.1f" width="%.1f" height="%d"/>`+"\n", class, pictureLeft, top, at(ratio.Value)-pictureLeft, pictureBar)
			if ratio.Value <= pictureMost {
				fmt.Fprintf(&b, `<line class="spread" x1="%.1[1]f" y1="%.1[2]f" x2="%.1[3]f" y2="%.1[2]f"/>`+"\n", at(ratio.Low), top+pictureBar/2.0, at(ratio.High))
			}
			if target > 0 {
				stroke("target", at(target), top-1, top+pictureBar+1)
			}
			text("soft", at(pictureMost)+24, top+pictureBar-1, fmt.Sprintf("%.2f  %s", ratio.Value, l.Verdict))
		}
	}
	stroke("one", at(1), pictureTop-8, bottom)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
