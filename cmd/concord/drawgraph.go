package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/layout"
	"github.com/concord-nn/concord/op"
)

// family is a kind of operators, with the colour that they have in pictures.
type family struct{ name, fill, line string }

// The families. What belongs to which follows from the operators' definitions.
var (
	boundary    = &family{"inputs and outputs", "#f3f4f6", "#6b7280"}
	products    = &family{"sums of products", "#dbeafe", "#2563eb"}
	elementwise = &family{"element by element", "#dcfce7", "#16a34a"}
	moving      = &family{"other views of elements", "#fef3c7", "#d97706"}
	blocks      = &family{"blocks", "#f3e8ff", "#9333ea"}
	others      = &family{"others", "#ccfbf1", "#0d9488"}
	families    = []*family{boundary, products, elementwise, moving, blocks, others}
)

func familyOf(n *graph.Node) *family {
	d, ok := op.Lookup(n.Op)
	switch {
	case !ok:
		return others
	case len(n.Blocks) > 0:
		return blocks
	case d.SumsProducts():
		return products
	case d.View != nil || d.Join != nil:
		return moving
	case d.Traits.Has(op.Elementwise):
		return elementwise
	}
	return others
}

// drawnBox is a box of the picture of a graph: an input, a state, a node or an output.
type drawnBox struct {
	*family
	title string // in bold; may be empty
	lines []string
	hint  string // what is shown when somebody points at it
}

// drawnGraph is what the picture of a graph shows. Constants, and nodes that read nothing else, are left out.
type drawnGraph struct {
	name  string
	boxes []drawnBox
	edges []layout.Edge
}

// drawGraph lists the boxes and edges of a graph.
func drawGraph(name string, g *graph.Graph) *drawnGraph {
	d := &drawnGraph{name: filepath.Base(name)}
	from := make(map[*graph.Value]int) // the boxes that yield values
	yields := func(v *graph.Value, b drawnBox) {
		from[v] = len(d.boxes)
		d.boxes = append(d.boxes, b)
	}
	for _, v := range g.Inputs {
		yields(v, drawnBox{boundary, v.Name, []string{v.Type.String()}, "input " + v.Name})
	}
	for _, s := range g.States {
		yields(s.Value, drawnBox{boundary, s.Value.Name, []string{"state", s.Value.Type.String()}, "state " + s.Value.Name})
	}
	drawn := func(v *graph.Value) bool { _, ok := from[v]; return ok && v != nil }
	reads := func(to int, v *graph.Value, seen map[int]bool) {
		if i := from[v]; drawn(v) && !seen[i] {
			seen[i] = true
			d.edges = append(d.edges, layout.Edge{From: i, To: to})
		}
	}
	returned := make(map[*graph.Value]bool)
	for _, o := range g.Outputs {
		returned[o.Value] = true
	}
	for _, n := range g.Nodes {
		if len(n.In) > 0 && !slices.ContainsFunc(n.In, drawn) && !slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return returned[v] }) {
			continue
		}
		at, seen := len(d.boxes), make(map[int]bool)
		for _, v := range n.In {
			reads(at, v, seen)
		}
		for _, v := range n.Out {
			from[v] = at
		}
		d.boxes = append(d.boxes, nodeBox(n))
	}
	for _, o := range g.Outputs {
		reads(len(d.boxes), o.Value, make(map[int]bool))
		d.boxes = append(d.boxes, drawnBox{boundary, o.Name, []string{o.Value.Type.String()}, "output " + o.Name})
	}
	for _, s := range g.States {
		if drawn(s.Next) {
			reads(len(d.boxes), s.Next, make(map[int]bool))
			d.boxes = append(d.boxes, drawnBox{boundary, s.Value.Name, []string{"next state"}, "next state " + s.Value.Name})
		}
	}
	return d
}

func nodeBox(n *graph.Node) drawnBox {
	b := drawnBox{family: familyOf(n), title: n.Op}
	name := n.Label
	if name == "" && len(n.Out) > 0 {
		name = n.Out[0].Name
	}
	if name != "" {
		b.lines = append(b.lines, name)
	}
	var hint strings.Builder
	hint.WriteString(n.Op + " " + name)
	for _, v := range n.Out {
		hint.WriteString("\n" + v.Name + ": " + v.Type.String())
	}
	if len(n.Out) > 0 {
		line := n.Out[0].Type.String()
		if len(n.Out) > 1 {
			line += fmt.Sprintf(" and %d more", len(n.Out)-1)
		}
		b.lines = append(b.lines, line)
	}
	for _, a := range n.Attrs {
		hint.WriteString("\n" + a.Name + " = " + fmt.Sprint(a.Value))
	}
	b.hint = hint.String()
	return b
}

// Sizes of boxes, in pixels. Letters have no measure here; fonts that are wider than usual are cut at the box.
const (
	letter    = 7.0
	boxLine   = 16
	boxPad    = 10
	boxLeast  = 80.0
	boxLetter = 36 // the most letters of a line
	margin    = 24
)

func (b *drawnBox) texts() []string {
	list := append([]string{b.title}, b.lines...)
	for i := range list {
		list[i] = shortened(escape.Text(list[i]), boxLetter)
	}
	return list
}

func (b *drawnBox) size() layout.Box {
	width := boxLeast
	for _, text := range b.texts() {
		width = max(width, float64(len([]rune(text)))*letter+2*boxPad)
	}
	return layout.Box{Width: width, Height: float64(boxLine*(1+len(b.lines)) + boxPad)}
}

const graphStyle = `<style>
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; text-anchor: middle }
.title { font-weight: 600 } .soft { fill: #57606a; font-size: 11px } .legend { text-anchor: start }
path { fill: none; stroke: #8c959f; stroke-width: 1.3 }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill: #8c959f; stroke: none"/></marker></defs>
`

// svg draws the graph.
func (g *drawnGraph) svg(w io.Writer) error {
	sizes := make([]layout.Box, len(g.boxes))
	for i := range g.boxes {
		sizes[i] = g.boxes[i].size()
	}
	p, err := layout.Place(sizes, g.edges)
	if err != nil {
		return err
	}
	used := make(map[*family]bool)
	for i := range g.boxes {
		used[g.boxes[i].family] = true
	}
	const head, foot = 44, 16
	width := max(p.Width, 320) + 2*margin
	places, rows := legend(used, int(width))
	height := p.Height + head + foot + 2*margin + legendRow*float64(rows)
	left, top := (width-p.Width)/2, float64(head+margin)
	var d drawing
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n", width, height, width, height)
	d.WriteString(graphStyle)
	fmt.Fprintf(&d, `<rect width="%.0f" height="%.0f" fill="#fff"/>`+"\n", width, height)
	d.text("title", int(width/2), head-8, shortened(escape.Text(g.name), int(width/letter)))
	for _, e := range p.Edges {
		d.path(e, left, top)
	}
	for i := range g.boxes {
		b := &g.boxes[i]
		d.box(b, sizes[i], p.Boxes[i].X+left, p.Boxes[i].Y+top)
	}
	for i, f := range families {
		if used[f] {
			x, y := places[i][0], int(height)-margin-legendRow*(rows-places[i][1])+legendRow/2
			fmt.Fprintf(&d, `<rect x="%d" y="%d" width="12" height="12" rx="3" fill="%s" stroke="%s"/>`, x, y-10, f.fill, f.line)
			d.text("soft legend", x+18, y, f.name)
		}
	}
	d.WriteString("</svg>\n")
	_, err = io.WriteString(w, d.String())
	return err
}

// path draws an edge, which is vertical at its points.
func (d *drawing) path(points []layout.Point, left, top float64) {
	for i, q := range points {
		x, y := q.X+left, q.Y+top
		if i == 0 {
			fmt.Fprintf(d, `<path marker-end="url(#tip)" d="M%.1f %.1f`, x, y)
			continue
		}
		if last := points[i-1]; last.X == q.X {
			fmt.Fprintf(d, "V%.1f", y)
		} else {
			middle := (last.Y+q.Y)/2 + top
			fmt.Fprintf(d, "C%.1f %.1f %.1f %.1f %.1f %.1f", last.X+left, middle, x, middle, x, y)
		}
	}
	d.WriteString("\"/>\n")
}

func (d *drawing) box(b *drawnBox, size layout.Box, x, y float64) {
	round := 5.0
	if b.family == boundary {
		round = size.Height / 2
	}
	fmt.Fprintf(d, `<g><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f" fill="%s" stroke="%s"/>`, x, y, size.Width, size.Height, round, b.fill, b.line)
	d.hint(b.hint)
	for i, text := range b.texts() {
		class := "soft"
		if i == 0 {
			class = "title"
		}
		d.text(class, int(x+size.Width/2), int(y)+boxPad/2+boxLine*(i+1)-4, text)
	}
	d.WriteString("</g>\n")
}

// hint is shown when somebody points at what it stands in.
func (d *drawing) hint(text string) {
	d.WriteString("<title>")
	d.escaped(escape.Lines(text))
	d.WriteString("</title>\n")
}

const legendRow = 20

// legend places the families that were used: where each begins and in which row. It returns how many rows there are.
func legend(used map[*family]bool, width int) (places [][2]int, rows int) {
	x, row := margin, 0
	for _, f := range families {
		step := 36 + int(letter*float64(len(f.name)))
		if used[f] && x > margin && x+step > width {
			x, row = margin, row+1
		}
		places = append(places, [2]int{x, row})
		if used[f] {
			x += step
		}
	}
	return places, row + 1
}

// dot writes the graph in the language of Graphviz.
func (g *drawnGraph) dot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box style=\"rounded,filled\" fontname=\"sans-serif\" fontsize=11]\n", quoteDot(escape.Text(g.name)))
	for i := range g.boxes {
		n := &g.boxes[i]
		fmt.Fprintf(&b, "  n%d [label=%s fillcolor=%q color=%q tooltip=%s]\n", i, quoteDot(strings.Join(n.texts(), "\n")), n.fill, n.line, quoteDot(escape.Lines(n.hint)))
	}
	for _, e := range g.edges {
		b.WriteString("  n" + strconv.Itoa(e.From) + " -> n" + strconv.Itoa(e.To) + "\n")
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quoteDot writes a string as Graphviz reads it: within quotes only the quote and the backslash, which it takes for the beginning of an escape,
// are written otherwise.
func quoteDot(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
