package export

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// symbolStatement is the name of the extension that has the text of a symbol.
const symbolStatement = "concord_cvm"

// symbolOf returns the symbol that is among the statements; nil if there is none.
func symbolOf(statements []string) (*symbol.Symbol, error) {
	i := slices.IndexFunc(statements, func(s string) bool { return s == symbolStatement || strings.HasPrefix(s, symbolStatement+" ") })
	if i < 0 {
		return nil, nil
	}
	text, rest, ok := graph.UnquoteText(strings.TrimSpace(statements[i][len(symbolStatement):]))
	if !ok || rest != "" {
		return nil, fmt.Errorf("extension %s: there must be one text in quotes, a symbol", symbolStatement)
	}
	s, err := symbol.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("extension %s: %w", symbolStatement, err)
	}
	return s, nil
}

// recovered returns the model of a symbol, of which a graph has the parameters. Those that it does not have become zeros, and their names are
// returned. It fails if the graph is not what the symbol means.
func recovered(g *graph.Graph, s *symbol.Symbol) (f cvm.Files, unused []string, err error) {
	text, err := s.AppendText(nil)
	if err != nil {
		return f, nil, err
	}
	meant, err := cvm.Formal(cvm.Files{Symbol: text})
	if err != nil {
		return f, nil, err
	}
	same, err := match(meant, g)
	if err != nil {
		return f, nil, err
	}
	elements := 0
	var list []params.Param
	for _, in := range meant.Inputs {
		v := same[in]
		switch {
		case in.Name == cvm.DataName && v != nil && v.Const != nil:
			return f, nil, errors.New("a constant stands for the input")
		case in.Name == cvm.DataName:
			continue
		case v == nil:
			if elements += in.Type.Shape.Len(); elements > limits.CVMUnused {
				return f, nil, fmt.Errorf("the parameters that no result depends on have more than %d elements", limits.CVMUnused)
			}
			zeros, err := tensor.New(tensor.Int8, in.Type.Shape)
			if err != nil {
				return f, nil, err
			}
			list, unused = append(list, params.Param{Name: in.Name, Tensor: zeros}), append(unused, in.Name)
		case v.Const == nil:
			return f, nil, fmt.Errorf("the parameter %s is no constant", in.Name)
		default:
			p, err := parameter(in.Name, v.Const)
			if err != nil {
				return f, nil, err
			}
			list = append(list, p)
		}
	}
	f, err = cvm.Encode(s, list)
	return f, unused, err
}

// match compares what the outputs of two graphs are computed from. It returns the values of the second that stand for values of the first;
// inputs of the first may be any values.
func match(first, second *graph.Graph) (same map[*graph.Value]*graph.Value, err error) {
	if len(first.Outputs) != len(second.Outputs) {
		return nil, errors.New("the outputs differ in number")
	}
	if len(second.States) > 0 {
		return nil, errors.New("the graph has states")
	}
	same = make(map[*graph.Value]*graph.Value)
	join := func(v, w *graph.Value) {
		v, w = origin(v), origin(w)
		known, ok := same[v]
		switch {
		case err != nil:
		case !ok:
			err = alike(v, w)
		case known != w:
			err = fmt.Errorf("%s and %s stand for one value", known.Name, w.Name)
		}
		same[v] = w
	}
	for i := range first.Outputs {
		join(first.Outputs[i].Value, second.Outputs[i].Value)
	}
	for _, n := range slices.Backward(first.Nodes) { // those that read its results come before
		for _, v := range n.Out {
			w := same[v]
			if w == nil || err != nil {
				continue
			}
			for i, x := range n.In {
				if y := w.Producer.In[i]; x != nil && y != nil {
					join(x, y)
				} else if x != y {
					return nil, fmt.Errorf("%s has another number of operands", w.Name)
				}
			}
		}
	}
	return same, err
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
	if v.Producer == nil && v.Const == nil {
		return nil // an input
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
	if m == nil || n.Op != m.Op || len(n.In) != len(m.In) || slices.Index(n.Out, v) != slices.Index(m.Out, w) || !reflect.DeepEqual(n.Attrs, m.Attrs) {
		return fmt.Errorf("%s is not the result of the same operator", w.Name)
	}
	return nil
}
