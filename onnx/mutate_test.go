package onnx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// sound is a model that works, with inputs.
type sound struct {
	name    string
	encoded []byte
	in      model.Values
}

// decoded returns a copy of the model.
func (s *sound) decoded() *proto.Model {
	m, err := proto.Decode(s.encoded)
	if err != nil {
		panic(err)
	}
	return m
}

var (
	soundOnce sync.Once
	soundList []*sound
)

// soundModels returns models to change: those that are made by hand, and the shared cases of the standard, if they are there.
func soundModels(tb testing.TB) []*sound {
	tb.Helper()
	soundOnce.Do(func() {
		for _, path := range testdata.Glob(tb, "conformance", "onnx", "*", "*", "model.onnx") {
			b, err := os.ReadFile(path)
			if err != nil || len(b) > 20000 {
				continue
			}
			m, err := proto.Decode(b)
			if err != nil {
				continue
			}
			dir := filepath.Dir(path)
			s := &sound{name: filepath.Base(dir), encoded: b, in: make(model.Values)}
			for i, v := range m.Graph.Input {
				if t, err := readTensor(filepath.Join(dir, "test_data_set_0", fmt.Sprintf("input_%d.pb", i))); err == nil && t != nil {
					s.in[v.Name] = t
				}
			}
			soundList = append(soundList, s)
		}
		soundList = append(soundList, handMade(tb)...)
	})
	return soundList
}

// mutate changes a sound model here and there. It returns the inputs that stay.
func (d *dice) mutate(s *sound) (*proto.Model, model.Values) {
	m, in := s.decoded(), make(model.Values)
	d.graph = m.Graph
	for _, x := range m.OpsetImport {
		if d.opset = int(x.Version); x.Domain == "" && !d.often(6) {
			x.Version = int64(1 + d.roll(28))
		}
	}
	keep := m.Graph.Input[:0]
	all := d.roll(3)
	for _, v := range m.Graph.Input {
		if t := s.in[v.Name]; t == nil || all == 0 || all == 1 && d.roll(2) == 0 {
			keep = append(keep, v)
			in[v.Name] = t
		} else if p, err := proto.NewTensor(v.Name, t); err == nil {
			m.Graph.Initializer = append(m.Graph.Initializer, p)
		}
	}
	m.Graph.Input = keep
	for range 1 + d.roll(3) {
		d.change(m)
	}
	return m, in
}

// change changes one thing.
func (d *dice) change(m *proto.Model) {
	g := m.Graph
	graphs := []*proto.Graph{g}
	for i := 0; i < len(graphs); i++ {
		for _, n := range graphs[i].Node {
			for _, a := range n.Attribute {
				if a.G != nil {
					graphs = append(graphs, a.G)
				}
			}
		}
	}
	var nodes []*proto.Node
	if in := d.roll(len(graphs) + len(m.Functions)); in < len(graphs) {
		nodes = graphs[in].Node
	} else {
		nodes = m.Functions[in-len(graphs)].Node
	}
	var n *proto.Node
	if len(nodes) > 0 {
		n = nodes[d.roll(len(nodes))]
	}
	switch what := d.roll(10); {
	case what < 3 && len(g.Input) > 0:
		v := g.Input[d.roll(len(g.Input))]
		if v.Type != nil && v.Type.Tensor != nil {
			d.changeType(v.Type.Tensor)
		}
	case what < 5 && len(g.Initializer) > 0:
		d.changeTensor(g.Initializer[d.roll(len(g.Initializer))])
	case n == nil:
	case what < 8 && len(n.Attribute) > 0:
		k := d.roll(len(n.Attribute))
		if n.Attribute[k].Type == proto.AttributeTensor && n.Attribute[k].T != nil && d.often(4) {
			d.changeTensor(n.Attribute[k].T)
		} else if d.roll(5) == 4 {
			n.Attribute = slices.Delete(n.Attribute, k, k+1)
		} else {
			d.changeAttribute(n.Attribute[k], n)
		}
	default:
		d.changeNode(n)
	}
}

func (d *dice) changeType(t *proto.TensorType) {
	if t.Shape == nil || d.roll(4) == 3 {
		t.ElemType = choose(d, elementTypes...)
		return
	}
	dims := t.Shape.Dim
	dim := &proto.Dim{Known: true, Value: int64(d.extent())}
	switch d.roll(4) {
	case 0, 1:
		if len(dims) > 0 {
			dims[d.roll(len(dims))] = dim
		}
	case 2:
		t.Shape.Dim = slices.Insert(slices.Clone(dims), d.roll(len(dims)+1), dim)
	case 3:
		if len(dims) > 0 {
			k := d.roll(len(dims))
			t.Shape.Dim = slices.Delete(slices.Clone(dims), k, k+1)
		}
	}
}

func (d *dice) changeTensor(t *proto.Tensor) {
	x, err := t.Value(nil)
	if err != nil {
		return
	}
	shape, kind := []int(x.Shape().Clone()), t.DataType
	switch d.roll(5) {
	case 0: // elements
	case 1:
		kind = choose(d, elementTypes...)
	case 2:
		if len(shape) > 0 {
			shape[d.roll(len(shape))] = d.extent()
		}
	case 3:
		shape = slices.Insert(shape, d.roll(len(shape)+1), 1)
	case 4:
		if len(shape) > 0 {
			k := d.roll(len(shape))
			shape = slices.Delete(shape, k, k+1)
		}
	}
	if !small(shape, mostElements) {
		return
	}
	if made := d.tensor(t.Name, kind, shape); kind != t.DataType && tensor.Shape(shape).Len() == x.Len() {
		if dtype, _ := kind.DType(); dtype != tensor.Invalid {
			if y, err := tensor.Cast(x, dtype); err == nil {
				made, _ = proto.NewTensor(t.Name, y)
			}
		}
		*t = *made
	} else {
		*t = *made
	}
}

func (d *dice) changeAttribute(a *proto.Attribute, n *proto.Node) {
	switch {
	case a.Type == proto.AttributeInts && len(a.Ints) > 0 && d.roll(3) > 0:
		a.Ints = slices.Clone(a.Ints)
		switch k := d.roll(len(a.Ints)); d.roll(4) {
		case 0, 1:
			a.Ints[k] = d.number()
		case 2:
			a.Ints = append(a.Ints, d.number())
		case 3:
			a.Ints = slices.Delete(a.Ints, k, k+1)
		}
	case a.G != nil: // graphs are changed inside
	default:
		*a = *d.attribute(a.Name, a.Type, n)
	}
}

func (d *dice) changeNode(n *proto.Node) {
	in := slices.Clone(n.Input)
	if len(in) > 0 {
		switch k, j := d.roll(len(in)), d.roll(len(in)); d.roll(6) {
		case 0:
			in[k] = ""
		case 1:
			in[k] = in[j]
		case 2:
			in[k], in[j] = in[j], in[k]
		case 3:
			in = append(in, in[k])
		case 4:
			in = slices.Delete(in, k, k+1)
		case 5:
			in[k] = d.operand("")
		}
	}
	n.Input = in
	if d.roll(5) == 4 && len(n.Output) > 0 {
		n.Output = n.Output[:d.roll(len(n.Output)+1)]
	} else if d.roll(10) == 9 {
		n.Output = append(slices.Clone(n.Output), d.name("extra"))
	}
}

// readTensor reads a tensor of a case; nil if there is no such file.
func readTensor(path string) (*tensor.Tensor, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := proto.DecodeTensor(data)
	if err != nil {
		return nil, err
	}
	return p.Value(nil)
}
