package export

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// maxUnused bounds the elements of parameters that a graph does not have, because no result depends on them.
const maxUnused = limits.CVMUnused

// recover gives the variables of a symbol that extension statements say the tensors that stand for them in a graph, and returns the names
// of those that have none, which become zeros. It fails if the graph is not what the symbol means.
func (b *builder) recover(g *graph.Graph, m *model) (unused []string, err error) {
	text, err := b.symbol(m.version, m.postprocess, m.heads).AppendText(nil)
	if err != nil {
		return nil, err
	}
	meant, err := cvm.Formal(cvm.Files{Symbol: text})
	if err != nil {
		return nil, err
	}
	same, err := match(meant, g)
	if err != nil {
		return nil, err
	}
	elements := 0
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.call != nil {
			continue
		}
		v := same[meant.Input(n.name)]
		switch {
		case n.name == cvm.DataName:
			if v != nil && v.Const != nil {
				return nil, errors.New("a constant stands for the input")
			}
		case v == nil:
			shape := b.outs[n.first].Shape
			if elements += shape.Len(); elements > maxUnused {
				return nil, fmt.Errorf("the parameters that no result depends on have more than %d elements", maxUnused)
			}
			if n.data, err = tensor.New(tensor.Int8, shape); err != nil {
				return nil, err
			}
			unused = append(unused, n.name)
		case v.Const == nil:
			return nil, fmt.Errorf("the parameter %s is no constant", n.name)
		default:
			n.data = v.Const
		}
	}
	return unused, nil
}

// match compares what the outputs of two graphs are computed from. It returns the values of the second that stand for values of the first;
// inputs of the first may be any values.
func match(first, second *graph.Graph) (map[*graph.Value]*graph.Value, error) {
	if len(first.Outputs) != len(second.Outputs) {
		return nil, errors.New("the outputs differ in number")
	}
	if len(second.States) > 0 {
		return nil, errors.New("the graph has states")
	}
	type pair struct{ first, second *graph.Value }
	var todo []pair
	for i := range first.Outputs {
		todo = append(todo, pair{first.Outputs[i].Value, second.Outputs[i].Value})
	}
	same := make(map[*graph.Value]*graph.Value)
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v, w := origin(p.first), origin(p.second)
		if known, ok := same[v]; ok {
			if known != w {
				return nil, fmt.Errorf("%s and %s stand for one value", known.Name, w.Name)
			}
			continue
		}
		if err := alike(v, w); err != nil {
			return nil, err
		}
		same[v] = w
		if v.Producer == nil {
			continue
		}
		for k, x := range v.Producer.In {
			if y := w.Producer.In[k]; x != nil {
				todo = append(todo, pair{x, y})
			} else if y != nil {
				return nil, fmt.Errorf("%s has a further operand", w.Name)
			}
		}
	}
	return same, nil
}

// origin returns the value of which a value is a copy.
func origin(v *graph.Value) *graph.Value {
	for v.Producer != nil {
		d, ok := op.Lookup(v.Producer.Op)
		if !ok || !d.Copies() {
			break
		}
		v = v.Producer.In[0]
	}
	return v
}

// alike compares two values without what they are computed from.
func alike(v, w *graph.Value) error {
	if !v.Type.Shape.Equal(w.Type.Shape) {
		return fmt.Errorf("%s is %v in place of %v", w.Name, w.Type, v.Type)
	}
	isInput := v.Producer == nil && v.Const == nil
	if isInput {
		return nil
	}
	if v.Type.DType != w.Type.DType {
		return fmt.Errorf("%s is %v in place of %v", w.Name, w.Type, v.Type)
	}
	if v.Const != nil {
		if w.Const == nil || !bytes.Equal(v.Const.Bytes(), w.Const.Bytes()) {
			return fmt.Errorf("%s is not the constant that it must be", w.Name)
		}
		return nil
	}
	n, m := v.Producer, w.Producer
	if m == nil || n.Op != m.Op || len(n.In) != len(m.In) || index(n, v) != index(m, w) || !reflect.DeepEqual(n.Attrs, m.Attrs) {
		return fmt.Errorf("%s is not the result of the same operator", w.Name)
	}
	return nil
}

// index returns which result of a node a value is.
func index(n *graph.Node, v *graph.Value) int {
	for i := range n.Out {
		if n.Out[i] == v {
			return i
		}
	}
	return -1
}
