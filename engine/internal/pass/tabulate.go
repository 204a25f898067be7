package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The most operators that one table stands for, and the least elements for which it is made.
const (
	tableNodes = 32
	tableSize  = 1 << 8
)

// Tabulate replaces a chain of operators that takes each integer of 8 bits by itself through floats to another one, such as a dequantisation, a
// sigmoid and a quantisation, by a lookup in the table of what they make of all 256. What else the chain reads must be constants of one element.
// Nodes that it passes over are left for [RemoveDead].
func Tabulate(g *graph.Graph) (*graph.Graph, error) {
	if !has(g, func(n *graph.Node) bool { return isByte(n.Out[0]) }) { // Without this the graph would be made anew.
		return g, nil
	}
	left := limits.TableOperations
	var run func(g *graph.Graph) (*graph.Graph, error)
	run = func(g *graph.Graph) (*graph.Graph, error) {
		return rewrite(g, run, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
			from, chain := byteChain(&graph.Node{Op: n.Op, In: in, Out: n.Out, Attrs: n.Attrs})
			if len(chain) < 2 || len(chain)*tableSize > left { // a node alone is no slower than a table
				return r.Keep(in)
			}
			left -= len(chain) * tableSize
			table := tableOf(from.Type, chain)
			if table == nil { // Without this a chain that cannot be evaluated would be a panic.
				return r.Keep(in)
			}
			k, err := r.Constant(n.Out[0].Name+"_table", "", table)
			if err != nil {
				return nil, err
			}
			least, _ := from.Type.DType.IntRange()
			out, err := r.One("lookup", []*graph.Value{from, k}, graph.AttrsOf("offset", int(-least)), n.Label, n.Out[0].Name)
			return []*graph.Value{out}, err
		})
	}
	return run(g)
}

// byteChain returns the chain that ends in a node, its last node first, and where it begins; none if there is no such chain.
func byteChain(n *graph.Node) (from *graph.Value, chain []*graph.Node) {
	if !isByte(n.Out[0]) || n.Out[0].Type.Shape.Len() < tableSize {
		return nil, nil
	}
	for {
		i := onlyOperand(n)
		if i < 0 || len(chain) == tableNodes {
			return nil, nil
		}
		chain, from = append(chain, n), n.In[i]
		switch {
		case isByte(from):
			return from, chain
		case !from.Type.DType.IsFloat() || from.Producer == nil:
			return nil, nil
		}
		n = from.Producer
	}
}

func isByte(v *graph.Value) bool { return v.Type.DType == tensor.Int8 || v.Type.DType == tensor.Uint8 }

// onlyOperand returns the number of the operand of which each element alone decides about one of the node's only result, -1 if there is none.
func onlyOperand(n *graph.Node) int {
	d, _ := op.Lookup(n.Op)
	only := -1
	for i, v := range n.In {
		switch {
		case v == nil || v.Const != nil && (v.Const.Len() == 1 || !d.InPlace(i)):
		case only >= 0 || !d.InPlace(i) || !v.Type.Shape.Equal(n.Out[0].Type.Shape):
			return -1
		default:
			only = i
		}
	}
	return only
}

// tableOf evaluates a chain, its last node first, for all integers of 8 bits in ascending order. It returns nil where that fails.
func tableOf(from graph.Type, chain []*graph.Node) *tensor.Tensor {
	shape := make(tensor.Shape, max(len(from.Shape), 1))
	for d := range shape {
		shape[d] = 1
	}
	shape[0] = tableSize
	x, err := tensor.New(from.DType, shape)
	if err != nil { // Without this a lack of memory would be a panic.
		return nil
	}
	least, _ := from.DType.IntRange()
	for i := range x.Bytes() {
		x.Bytes()[i] = byte(int(least) + i)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		n, in := chain[i], make([]*tensor.Tensor, len(chain[i].In))
		only := onlyOperand(n)
		for k, v := range n.In {
			if v != nil {
				in[k] = v.Const
			}
		}
		in[only] = x
		d, _ := op.Lookup(n.Op)
		out, err := op.Eval(d, in, n.Attrs)
		if err != nil || out[0].Len() != tableSize { // Without this a chain that cannot be evaluated would be a panic.
			return nil
		}
		x = out[0]
	}
	x, _ = x.Reshape(tableSize) // it has as many elements, side by side
	return x
}
