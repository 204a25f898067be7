package nnef

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// folded is a graph in which constants of type float32 stand for the codes of quantized variables, or for 16-bit floats,
// and the nodes that make numbers of them.
type folded struct {
	graph   *graph.Graph
	codes   map[*tensor.Tensor]*tensor.Tensor // what is stored, by the elements of the constant, which are not the numbers
	entries []quant.Entry                     // of different tensors
	kept    map[string]*quant.Entry           // of codes that no nodes decode, by the names of their values
}

// fold finds the variables of a graph that are stored in another type, as the reader makes them.
func fold(g *graph.Graph) (*folded, error) {
	names := make(map[string]int) // how many values and outputs have an identifier
	for v := range g.Values() {
		names[graph.Identifier(v.Name)]++
	}
	for _, o := range g.Outputs {
		names[o.Name]++
	}
	results := make(map[*graph.Node]*decoding)
	for _, n := range g.Nodes {
		if d := match(n); d != nil && names[n.Out[0].Name] == 1 {
			results[n] = d
		}
	}
	f := &folded{codes: make(map[*tensor.Tensor]*tensor.Tensor)}
	standIns := make(map[*tensor.Tensor]*tensor.Tensor)
	var err error
	f.graph, err = graph.Rewrite(g, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		d := results[n]
		if d == nil {
			return r.Keep(in)
		}
		stored := standIns[d.codes.Const]
		if stored == nil {
			t, err := tensor.New(tensor.Float32, d.codes.Const.Shape())
			if err != nil {
				return nil, err
			}
			stored = t
			standIns[d.codes.Const], f.codes[t] = t, d.codes.Const
		}
		if d.entry.Operation != "" {
			f.entries = append(f.entries, d.entry)
		}
		v, err := r.Constant(n.Out[0].Name, d.codes.Label, stored)
		return []*graph.Value{v}, err
	})
	return f, err
}

// encode makes constants and states that were decoded when they were loaded be stored as codes again. Each has an entry
// under the name of its value.
func (f *folded) encode(decoded map[*tensor.Tensor]coded) {
	add := func(v *graph.Value, t *tensor.Tensor) {
		c, ok := decoded[t]
		if !ok || f.codes[t] != nil {
			return
		}
		f.codes[t] = c.codes
		if f.kept == nil {
			f.kept = make(map[string]*quant.Entry)
		}
		f.kept[v.Name] = &c.entry
	}
	for _, s := range f.graph.States {
		add(s.Value, s.Init)
	}
	for v := range f.graph.Constants() {
		if graph.Stored(v) {
			add(v, v.Const)
		}
	}
}

// keep adds entries, by the names of values, for what the document of a graph declares under these identifiers.
func (f *folded) keep(entries map[string]*quant.Entry, identifiers map[string]string) {
	given := make(map[string]bool)
	for i := range f.entries {
		given[f.entries[i].Tensor] = true
	}
	for _, list := range []map[string]*quant.Entry{f.kept, entries} {
		for name, entry := range list {
			if id := identifiers[name]; id != "" && !given[id] {
				own := *entry
				own.Tensor, given[id] = id, true
				f.entries = append(f.entries, own)
			}
		}
	}
}

// sameStored reports whether two tensors can stand in one file.
func (f *folded) sameStored(a, b *tensor.Tensor) bool {
	x, y := f.codes[a], f.codes[b]
	if x == nil || y == nil {
		return a == b || x == nil && y == nil && sameElements(a, b)
	}
	return x == y || sameElements(x, y)
}

// quantization returns the text of the quantization file, nil if there are no entries.
func (f *folded) quantization() ([]byte, error) {
	slices.SortFunc(f.entries, func(a, b quant.Entry) int { return strings.Compare(a.Tensor, b.Tensor) })
	q := &syntax.Quantization{}
	for i := range f.entries {
		e := &f.entries[i]
		call := &syntax.Call{Name: &syntax.Ident{Name: e.Operation}}
		for _, a := range e.Args {
			call.Args = append(call.Args, syntax.Arg{Name: &syntax.Ident{Name: a.Name}, Value: eval.Expr(a.Value, nil)})
		}
		q.Entries = append(q.Entries, syntax.QuantEntry{Tensor: &syntax.StringLit{Value: e.Tensor}, Call: call})
	}
	return syntax.FormatQuant(q)
}

// decoding is what a node makes numbers of: the codes of a variable, or floats of another size.
type decoding struct {
	codes *graph.Value
	entry quant.Entry // without an operation for floats
}

// match returns the decoding that a node is, nil if it is none that can be said in a quantization file.
func match(n *graph.Node) *decoding {
	out := n.Out[0]
	if out.Type.DType != tensor.Float32 {
		return nil
	}
	var d *decoding
	switch n.Op {
	case "dequantize_linear":
		d = zeroPoint(n)
	case "cast":
		d = otherFloat(n)
	}
	if d == nil {
		return nil
	}
	d.entry.Tensor = out.Name
	return d
}

// inFile reports whether a value is a constant that is stored in a file, with elements.
func inFile(v *graph.Value) bool { return v.Const != nil && v.Label != "" && v.Const.Len() > 0 }

// otherFloat matches what [document.asSingle] makes.
func otherFloat(n *graph.Node) *decoding {
	if x := n.In[0]; inFile(x) && (x.Type.DType == tensor.Float16 || x.Type.DType == tensor.Float64) {
		return &decoding{codes: x}
	}
	return nil
}

// zeroPoint matches what [quantizer.zeroPoint] makes.
func zeroPoint(n *graph.Node) *decoding {
	codes, scale, zero := n.In[0], n.In[1], n.In[2]
	if !inFile(codes) || scale.Const == nil || zero.Const == nil || !codes.Type.DType.IsInteger() {
		return nil
	}
	if _, err := scale.Const.Expand(codes.Const.Shape()...); err != nil && scale.Const.Rank() > 0 {
		return nil
	}
	d := codes.Type.DType
	for _, x := range tensor.Data[float32](scale.Const) {
		if !(x > 0 && x <= math.MaxFloat32) {
			return nil
		}
	}
	return &decoding{codes: codes, entry: quant.Entry{Operation: quant.ZeroPoint, Args: []quant.Arg{
		{Name: "zero_point", Value: nested(zero.Const)}, {Name: "scale", Value: nested(scale.Const)},
		{Name: "bits", Value: int64(d.Bits())}, {Name: "signed", Value: d.IsSigned()}, {Name: "symmetric", Value: false}}}}
}

// nested returns the elements of a small tensor as a quantization file has them: a number for a scalar, and else nested
// arrays, without those of one item at the innermost levels, which aligning adds again.
func nested(t *tensor.Tensor) eval.Value {
	var numbers []eval.Value
	if t.DType().IsInteger() {
		wide, err := tensor.Cast(t, tensor.Int64)
		if err != nil { // Without this a lack of memory would be a panic.
			return nil
		}
		for _, x := range tensor.Data[int64](wide) {
			numbers = append(numbers, x)
		}
	} else {
		for _, x := range tensor.Data[float32](t) {
			numbers = append(numbers, shortest(x))
		}
	}
	shape := t.Shape()
	for len(shape) > 1 && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	for d := len(shape) - 1; d >= 0; d-- {
		var rows []eval.Value
		for ; len(numbers) > 0; numbers = numbers[shape[d]:] {
			rows = append(rows, eval.Array(numbers[:shape[d]:shape[d]]))
		}
		numbers = rows
	}
	return numbers[0]
}

// shortest returns the number with the fewest digits that is x as a float32.
func shortest(x float32) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64) // which is a number
	return y
}
