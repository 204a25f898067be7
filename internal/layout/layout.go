// Package layout places the boxes of a directed graph without cycles in layers, from the top to the bottom, as Sugiyama, Tagawa and Toda do:
// layers by longest paths, few crossings by barycentres, then places that keep edges straight. Equal graphs have equal places.
package layout

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/concord-nn/concord/internal/limits"
)

// Box is a node of a graph, in pixels.
type Box struct{ Width, Height float64 }

// Edge leads from a box to one behind it: from a smaller index to a greater.
type Edge struct{ From, To int }

// Point is a place in the picture, whose upper left corner is (0, 0).
type Point struct{ X, Y float64 }

// Picture says where boxes and edges are.
type Picture struct {
	Width, Height float64
	Boxes         []Point   // the upper left corners
	Edges         [][]Point // where each edge passes: it goes down vertically at each point
}

// The distances between boxes, in pixels.
const (
	besides = 24 // of boxes in a layer
	passing = 14 // of an edge that passes
	between = 34 // layers
)

// Place places boxes. Edges must lead from smaller to greater indices. It fails if edges would pass more layers than
// [limits.DrawPoints] in all.
func Place(boxes []Box, edges []Edge) (*Picture, error) {
	l := &layout{boxes: boxes}
	layers := layersOf(len(boxes), edges)
	if err := bounded(edges, layers); err != nil {
		return nil, err
	}
	for i, b := range boxes {
		l.add(vertex{box: i, layer: layers[i], half: b.Width / 2})
	}
	paths := make([][]int, len(edges))
	for i, e := range edges {
		paths[i] = l.connect(e, layers)
	}
	l.order()
	l.straighten()
	return l.picture(paths), nil
}

// bounded counts the layers that edges pass.
func bounded(edges []Edge, layers []int) error {
	points := 0
	for _, e := range edges {
		if points += layers[e.To] - layers[e.From]; points > limits.DrawPoints {
			return fmt.Errorf("the graph is too large to be drawn: its edges pass more than %d layers", limits.DrawPoints)
		}
	}
	return nil
}

// layersOf returns the layer of each box: behind those that lead to it, and what nothing leads to right in front of what it leads to.
func layersOf(n int, edges []Edge) []int {
	byFrom := slices.SortedStableFunc(slices.Values(edges), func(a, b Edge) int { return cmp.Compare(a.From, b.From) })
	layers, entered := make([]int, n), make([]bool, n)
	for _, e := range byFrom { // whose layer is settled, as all edges to it come from smaller indices
		layers[e.To] = max(layers[e.To], layers[e.From]+1)
		entered[e.To] = true
	}
	first := make([]int, n)
	for _, e := range edges {
		if first[e.From] == 0 || layers[e.To] < first[e.From] {
			first[e.From] = layers[e.To]
		}
	}
	for i := range layers {
		if !entered[i] && first[i] > 0 {
			layers[i] = first[i] - 1
		}
	}
	return layers
}

// vertex is a box, or the place in a layer where an edge passes.
type vertex struct {
	box      int // -1 where an edge passes
	layer    int
	half     float64 // of its width
	up, down []link
	x        float64 // of its middle
	at       int     // its place in the layer
}

// link leads to a vertex of the next layer. Its weight is how much it wants to be straight.
type link struct {
	to     int
	weight float64
}

type layout struct {
	boxes    []Box
	vertices []vertex
	layers   [][]int // vertices from left to right
}

func (l *layout) add(v vertex) int {
	for len(l.layers) <= v.layer {
		l.layers = append(l.layers, nil)
	}
	v.at = len(l.layers[v.layer])
	l.vertices = append(l.vertices, v)
	l.layers[v.layer] = append(l.layers[v.layer], len(l.vertices)-1)
	return len(l.vertices) - 1
}

// connect links two boxes through the layers between them and returns the vertices of the way.
func (l *layout) connect(e Edge, layers []int) []int {
	path := []int{e.From}
	for layer := layers[e.From] + 1; layer < layers[e.To]; layer++ {
		path = append(path, l.add(vertex{box: -1, layer: layer}))
	}
	path = append(path, e.To)
	for i := range path[1:] {
		a, b := path[i], path[i+1]
		weight := 1.0 // a chain of boxes is rather straight than an edge that passes by,
		if (l.vertices[a].box < 0) == (l.vertices[b].box < 0) {
			weight = 8 // which is straight itself
		}
		l.vertices[a].down = append(l.vertices[a].down, link{b, weight})
		l.vertices[b].up = append(l.vertices[b].up, link{a, weight})
	}
	return path
}

// above and below are the links of a vertex to the layers on both sides.
func above(v *vertex) []link { return v.up }
func below(v *vertex) []link { return v.down }

// sweeps is how often layers are ordered, and how often they are straightened, from one end to the other.
const sweeps = 12

// order exchanges vertices within layers so that few edges cross: each goes where the middle of its neighbours in the layer before is.
func (l *layout) order() {
	best, least := l.snapshot(), l.crossings()
	for sweep := 0; sweep < sweeps && least > 0; sweep++ {
		l.sweep(sweep%2 == 0, l.sortLayer)
		if n := l.crossings(); n < least {
			best, least = l.snapshot(), n
		}
	}
	l.layers = best
	for _, layer := range l.layers {
		l.number(layer)
	}
}

// sweep visits all layers but the first one, downwards or upwards, with the links that lead back.
func (l *layout) sweep(down bool, visit func(layer []int, back func(*vertex) []link)) {
	for i := 1; i < len(l.layers); i++ {
		if down {
			visit(l.layers[i], above)
		} else {
			visit(l.layers[len(l.layers)-1-i], below)
		}
	}
}

func (l *layout) snapshot() [][]int {
	out := make([][]int, len(l.layers))
	for i, layer := range l.layers {
		out[i] = slices.Clone(layer)
	}
	return out
}

func (l *layout) number(layer []int) {
	for at, i := range layer {
		l.vertices[i].at = at
	}
}

func (l *layout) sortLayer(layer []int, back func(*vertex) []link) {
	middle := make(map[int]float64, len(layer))
	for _, i := range layer {
		v := &l.vertices[i]
		middle[i] = float64(v.at) // without neighbours it stays
		if links := back(v); len(links) > 0 {
			sum := 0.0
			for _, n := range links {
				sum += float64(l.vertices[n.to].at)
			}
			middle[i] = sum / float64(len(links))
		}
	}
	slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
	l.number(layer)
}

// crossings counts pairs of links that cross.
func (l *layout) crossings() int {
	total := 0
	for _, layer := range l.layers {
		var ends []int // in the next layer, of links from left to right
		for _, i := range layer {
			from := len(ends)
			for _, n := range l.vertices[i].down {
				ends = append(ends, l.vertices[n.to].at)
			}
			sort.Ints(ends[from:])
		}
		total += inversions(ends, make([]int, len(ends)))
	}
	return total
}

// inversions sorts a list and counts the pairs that stood in the wrong order.
func inversions(list, free []int) int {
	if len(list) < 2 {
		return 0
	}
	half := len(list) / 2
	n := inversions(list[:half], free) + inversions(list[half:], free)
	a, b, out := list[:half], list[half:], free[:0]
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
			n += len(a)
		}
	}
	out = append(append(out, a...), b...)
	copy(list, out)
	return n
}

// straighten gives vertices their places: those of a layer as near as they can be to where their neighbours want them.
func (l *layout) straighten() {
	for _, layer := range l.layers {
		l.settle(layer, make([]float64, len(layer)), nil)
	}
	for sweep := range sweeps {
		l.sweep(sweep%2 == 0, l.align)
	}
	l.sweep(true, l.align)
}

// align moves the vertices of a layer to the weighted means of their neighbours.
func (l *layout) align(layer []int, back func(*vertex) []link) {
	wish, weights := make([]float64, len(layer)), make([]float64, len(layer))
	for k, i := range layer {
		v := &l.vertices[i]
		wish[k], weights[k] = v.x, 0.01
		if links := back(v); len(links) > 0 {
			sum, weight := 0.0, 0.0
			for _, n := range links {
				sum += float64(n.weight * l.vertices[n.to].x) // in two steps on every processor
				weight += n.weight
			}
			wish[k], weights[k] = sum/weight, weight
		}
	}
	l.settle(layer, wish, weights)
}

// settle places the vertices of a layer in their order and with their distances, so that the weighted squares of what they are away from their
// wishes have the least sum: neighbours that are too near to each other become a block at their mean, which may join the next. Without weights
// all are equal.
func (l *layout) settle(layer []int, wish, weights []float64) {
	type block struct {
		first, n    int
		sum, weight float64 // of wishes without the distances
	}
	at := make([]float64, len(layer)) // from the first vertex
	for k := 1; k < len(layer); k++ {
		at[k] = at[k-1] + l.distance(&l.vertices[layer[k-1]], &l.vertices[layer[k]])
	}
	var blocks []block
	for k := range layer {
		weight := 1.0
		if weights != nil {
			weight = weights[k]
		}
		b := block{k, 1, float64(weight * (wish[k] - at[k])), weight}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/last.weight < b.sum/b.weight {
				break
			}
			b = block{last.first, last.n + b.n, last.sum + b.sum, last.weight + b.weight}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks {
		for k := b.first; k < b.first+b.n; k++ {
			l.vertices[layer[k]].x = b.sum/b.weight + at[k]
		}
	}
}

// distance is how far the middles of neighbours are apart at least.
func (l *layout) distance(a, b *vertex) float64 {
	gap := float64(besides)
	if a.box < 0 || b.box < 0 {
		gap = passing
	}
	return a.half + gap + b.half
}

// picture moves everything into the picture and lists the points of edges.
func (l *layout) picture(paths [][]int) *Picture {
	p := &Picture{Boxes: make([]Point, len(l.boxes)), Edges: make([][]Point, len(paths))}
	if len(l.boxes) == 0 {
		return p
	}
	left, right := l.vertices[0].x, l.vertices[0].x
	for i := range l.vertices {
		v := &l.vertices[i]
		left, right = min(left, v.x-v.half), max(right, v.x+v.half)
	}
	tops, heights := make([]float64, len(l.layers)), make([]float64, len(l.layers))
	y := 0.0
	for k, layer := range l.layers {
		for _, i := range layer {
			if b := l.vertices[i].box; b >= 0 {
				heights[k] = max(heights[k], l.boxes[b].Height)
			}
		}
		tops[k] = y
		y += heights[k] + between
	}
	p.Width, p.Height = right-left, y-between
	for i := range l.boxes {
		v := &l.vertices[i]
		p.Boxes[i] = Point{v.x - left - v.half, tops[v.layer] + (heights[v.layer]-l.boxes[i].Height)/2}
	}
	for i, path := range paths {
		for k, at := range path {
			v := &l.vertices[at]
			x, top := v.x-left, tops[v.layer]
			switch {
			case k == 0:
				p.Edges[i] = append(p.Edges[i], Point{x, p.Boxes[v.box].Y + l.boxes[v.box].Height})
			case v.box >= 0:
				p.Edges[i] = append(p.Edges[i], Point{x, p.Boxes[v.box].Y})
			default:
				p.Edges[i] = append(p.Edges[i], Point{x, top}, Point{x, top + heights[v.layer]})
			}
		}
	}
	return p
}
