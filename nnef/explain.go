package nnef

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Explanation says how the operations of a flat graph are computed.
type Explanation struct {
	Flat  *flat.Graph
	nodes map[*flat.Op][]*graph.Node
	names map[*graph.Value]string
}

// Nodes returns the nodes of the graph that compute an operation. There are none if its shapes are not known.
func (e *Explanation) Nodes(o *flat.Op) []*graph.Node { return e.nodes[o] }

// Name returns the name of the tensor of the flat graph that a value is, and else the name of the value itself, which
// stands between the nodes of one operation.
func (e *Explanation) Name(v *graph.Value) string {
	if name, ok := e.names[v]; ok {
		return name
	}
	return v.Name
}

// Explain flattens the document, as [File.Flatten] does, and says how each operation is computed. It reads no data:
// variables are inputs of the graph whose nodes it shows. If there are errors, which are a [syntax.Diagnostics], the
// explanation holds what could be evaluated. It is nil if [Options.Shapes] does not fit the document.
func (f *File) Explain(level flat.Level) (_ *Explanation, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	e := &Explanation{nodes: make(map[*flat.Op][]*graph.Node), names: make(map[*graph.Value]string)}
	w := &watcher{Inferrer: newInferrer(f), Explanation: e}
	switch d := w.Inferrer.(type) {
	case *document:
		w.d = d
	case probes:
		w.d = d[0][0]
	}
	e.Flat, err = f.flatten(level, false, w)
	if e.Flat == nil {
		return nil, err
	}
	if found := f.static(); found.Err() != nil {
		err = merged(found, valueFindings(diagnostics(err)))
	}
	return e, err
}

// merged joins two lists of findings about one document, of which some may be the same.
func merged(a, b syntax.Diagnostics) syntax.Diagnostics {
	list := slices.Clone(a)
	for _, d := range b {
		if !slices.ContainsFunc(a, func(e syntax.Diagnostic) bool { return e.Code == d.Code && e.Span == d.Span }) {
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

// watcher infers shapes and keeps the nodes that each operation becomes.
type watcher struct {
	flat.Inferrer
	*Explanation
	d *document
}

// Infer implements [flat.Inferrer].
func (w *watcher) Infer(o *flat.Op) error {
	from := len(w.d.nodes)
	err := w.Inferrer.Infer(o)
	known := func(list []*flat.Tensor) bool {
		return !slices.ContainsFunc(list, func(t *flat.Tensor) bool { return !t.Known })
	}
	for _, t := range o.Outputs() {
		if t.Index < len(w.d.values) && w.d.values[t.Index] != nil {
			w.names[w.d.values[t.Index]] = t.Name
		}
	}
	if err == nil && known(o.Inputs()) && known(o.Outputs()) { // otherwise numbers stand for what is not known
		w.nodes[o] = slices.Clone(w.d.nodes[from:])
	}
	return err
}

// Window is the geometry of the window that slides over the input of an operator.
type Window struct {
	Node *graph.Node
	Up   bool // the result is the larger tensor: the window slides over it
	Axes []WindowAxis
}

// WindowAxis is a window along one dimension.
type WindowAxis struct {
	Axis                   int // the dimension
	Large, Small           int // extents; the large one is that of the input, or of the result if the window is Up
	Size, Stride, Dilation int
	Before, After          int // padding around the large extent
}

// Reach returns the extent that one window covers.
func (a *WindowAxis) Reach() int { return (a.Size-1)*a.Dilation + 1 }

// Windows returns the windows of the operators that compute an operation, with their padding as it was given or computed.
// There are several if the operation is made of several such, and none if the shapes are not known.
func (e *Explanation) Windows(o *flat.Op) []Window {
	var list []Window
	for _, n := range e.nodes[o] {
		if w, ok := windowOf(n); ok {
			list = append(list, w)
		}
	}
	return list
}

// Padded reports whether the text gives the padding of an operation, which else is computed.
func Padded(o *flat.Op) bool {
	list, _ := o.Arg("padding").(eval.Array)
	return len(list) > 0
}

// windowOf reads the window of a node from its attributes.
func windowOf(n *graph.Node) (Window, bool) {
	padding, ok := n.Attrs.Get("padding").([]int)
	stride, sliding := n.Attrs.Get("stride").([]int)
	if !ok || !sliding || len(n.In) == 0 || len(n.Out) == 0 {
		return Window{}, false
	}
	dilation, _ := n.Attrs.Get("dilation").([]int)
	_, up := n.Attrs.Get("output_shape").([]int)
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	size, ok := n.Attrs.Get("size").([]int)
	if !ok && len(n.In) > 1 && len(n.In[1].Type.Shape) >= 2 {
		size, ok = n.In[1].Type.Shape[2:], true
	}
	first := len(in) - len(size) // the window of a convolution leaves out batch and channels
	if !ok || first < 0 || len(in) != len(out) || len(padding) != 2*len(size) {
		return Window{}, false
	}
	w := Window{Node: n, Up: up, Axes: make([]WindowAxis, len(size))}
	for i := range size {
		large, small := in[first+i], out[first+i]
		if up {
			large, small = small, large
		}
		w.Axes[i] = WindowAxis{first + i, large, small, size[i], itemOr1(stride, i), itemOr1(dilation, i), padding[2*i], padding[2*i+1]}
	}
	return w, true
}

// itemOr1 returns item i of a list of which an empty one stands for ones.
func itemOr1(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 1
}
