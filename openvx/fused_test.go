package openvx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/openvx"
)

// network is a random graph on tensors of one size, with views as operands and kernels of the application among the layers.
type network struct {
	dtype   openvx.Type
	fixed   int8
	dims    []int
	virtual []bool // by tensor; the first few are inputs
	inputs  int
	nodes   []networkNode // in an order in which they can run
	shuffle []int         // the order in which they are made
}

type networkNode struct {
	op      string
	in, out []box
}

// box is a tensor, or the view from start to end of one.
type box struct {
	tensor     int
	start, end []int
}

func randomNetwork(r *rand.Rand) *network {
	n := &network{dtype: openvx.TypeUint8, dims: []int{4, 4, 2 * (1 + r.IntN(2))}, inputs: 1 + r.IntN(2)}
	if r.IntN(2) == 0 {
		n.dtype, n.fixed = openvx.TypeInt16, 8
	}
	n.virtual = make([]bool, n.inputs)
	for range 1 + r.IntN(12) {
		out := len(n.virtual)
		n.virtual = append(n.virtual, r.IntN(3) > 0)
		if r.IntN(3) > 0 {
			n.add(r, n.whole(out), out)
			continue
		}
		axis := r.IntN(3) // two nodes write a part each
		cut := 1 + r.IntN(n.dims[axis]-1)
		first, second := n.whole(out), n.whole(out)
		first.start, first.end = make([]int, 3), slices.Clone(n.dims)
		second.start, second.end = make([]int, 3), slices.Clone(n.dims)
		first.end[axis], second.start[axis] = cut, cut
		n.add(r, first, out)
		n.add(r, second, out)
	}
	n.shuffle = r.Perm(len(n.nodes))
	return n
}

func (n *network) whole(tensor int) box { return box{tensor: tensor} }

// add adds a node that writes out and reads parts, of its size, of tensors before.
func (n *network) add(r *rand.Rand, out box, before int) {
	node := networkNode{op: []string{"add", "subtract", "relu", "abs", "user"}[r.IntN(5)], out: []box{out}}
	for range map[string]int{"add": 2, "subtract": 2}[node.op] + map[string]int{"relu": 1, "abs": 1, "user": 1}[node.op] {
		in := box{tensor: r.IntN(before)}
		if out.start != nil {
			in.start, in.end = make([]int, 3), make([]int, 3)
			for i := range in.start {
				size := out.end[i] - out.start[i]
				in.start[i] = r.IntN(n.dims[i] - size + 1)
				in.end[i] = in.start[i] + size
			}
		}
		node.in = append(node.in, in)
	}
	n.nodes = append(n.nodes, node)
}

// objects are the tensors and views of a network in a context.
type objects struct {
	tensors []*openvx.Tensor
	views   []*openvx.Tensor
}

func (n *network) objects(t *testing.T, c *openvx.Context, g *openvx.Graph, seed uint64) *objects {
	r := rand.New(rand.NewPCG(seed, 1))
	o := &objects{}
	for i, virtual := range n.virtual {
		if virtual && g != nil {
			o.tensors = append(o.tensors, must(g.CreateVirtualTensor(n.dims, n.dtype, n.fixed)))
			continue
		}
		x := must(c.CreateTensor(n.dims, n.dtype, n.fixed))
		o.tensors = append(o.tensors, x)
		if i < n.inputs {
			data := make([]byte, n.bytes())
			for k := range data {
				data[k] = byte(r.Uint32())
			}
			status(t, n.copy(x, data, openvx.WriteOnly), openvx.Success)
		}
	}
	return o
}

func (n *network) size() int {
	if n.dtype == openvx.TypeInt16 {
		return 2
	}
	return 1
}

func (n *network) bytes() int { return n.size() * n.dims[0] * n.dims[1] * n.dims[2] }

// copy copies all elements of a tensor.
func (n *network) copy(x *openvx.Tensor, data []byte, u openvx.Usage) error {
	dims := x.Dims()
	strides := []int{n.size(), n.size() * dims[0], n.size() * dims[0] * dims[1]}
	return x.CopyPatch(make([]int, 3), dims, strides, data, u)
}

func (o *objects) at(b box) *openvx.Tensor {
	if b.start == nil {
		return o.tensors[b.tensor]
	}
	v := must(o.tensors[b.tensor].CreateView(b.start, b.end))
	o.views = append(o.views, v)
	return v
}

func (o *objects) release(t *testing.T) {
	for _, x := range slices.Concat(o.views, o.tensors) {
		status(t, x.Release(), openvx.Success)
	}
}

// results returns the elements of all tensors that are not virtual.
func (n *network) results(t *testing.T, o *objects) [][]byte {
	var all [][]byte
	for i, x := range o.tensors {
		if n.virtual[i] {
			continue
		}
		data := make([]byte, n.bytes())
		status(t, n.copy(x, data, openvx.ReadOnly), openvx.Success)
		all = append(all, data)
	}
	return all
}

// turned is the kernel of the application: it turns all bits.
func turned(n *network) openvx.UserKernel {
	return openvx.UserKernel{
		Run: func(_ *openvx.Node, params []openvx.Reference) error {
			in, out := params[0].(*openvx.Tensor), params[1].(*openvx.Tensor)
			data := make([]byte, n.bytes())
			if err := n.copy(in, data, openvx.ReadOnly); err != nil {
				return err
			}
			for i := range data {
				data[i] = ^data[i]
			}
			return n.copy(out, data, openvx.WriteOnly)
		},
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			return metas[1].FromReference(params[0])
		},
	}
}

// graph makes the nodes of a network.
func (n *network) graph(t *testing.T, c *openvx.Context, g *openvx.Graph, k *openvx.Kernel, o *objects) {
	for _, i := range n.shuffle {
		node := n.nodes[i]
		in := o.at(node.in[0])
		out := o.at(node.out[0])
		var made *openvx.Node
		switch node.op {
		case "add":
			made = must(g.TensorAddNode(in, o.at(node.in[1]), openvx.ConvertPolicySaturate, out))
		case "subtract":
			made = must(g.TensorSubtractNode(in, o.at(node.in[1]), openvx.ConvertPolicyWrap, out))
		case "relu":
			made = must(g.ActivationLayer(in, openvx.ActivationRelu, 0, 0, out))
		case "abs":
			made = must(g.ActivationLayer(in, openvx.ActivationAbs, 0, 0, out))
		case "user":
			made = must(g.CreateGenericNode(k))
			status(t, made.SetParameter(0, in), openvx.Success)
			status(t, made.SetParameter(1, out), openvx.Success)
		}
		status(t, made.Release(), openvx.Success)
	}
}

// immediate computes the nodes one after the other.
func (n *network) immediate(t *testing.T, c *openvx.Context, o *objects) {
	for _, node := range n.nodes {
		in, out := o.at(node.in[0]), o.at(node.out[0])
		switch node.op {
		case "add":
			status(t, c.TensorAddNode(in, o.at(node.in[1]), openvx.ConvertPolicySaturate, out), openvx.Success)
		case "subtract":
			status(t, c.TensorSubtractNode(in, o.at(node.in[1]), openvx.ConvertPolicyWrap, out), openvx.Success)
		case "relu":
			status(t, c.ActivationLayer(in, openvx.ActivationRelu, 0, 0, out), openvx.Success)
		case "abs":
			status(t, c.ActivationLayer(in, openvx.ActivationAbs, 0, 0, out), openvx.Success)
		case "user":
			status(t, turned(n).Run(nil, []openvx.Reference{in, out}), openvx.Success)
		}
	}
}

// TestFusion compares random graphs with what their nodes compute one by one: in segments, each node by itself as while times are
// measured, and in immediate mode, where no tensor is virtual.
func TestFusion(t *testing.T) {
	seeds := uint64(testdata.Cases(100, 1000))
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		n := randomNetwork(r)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			c := context(t)
			plain := n.objects(t, c, nil, seed)
			n.immediate(t, c, plain)
			want := n.results(t, plain)
			plain.release(t)

			k := addKernel(t, c, "org.example.turned", 2, turned(n))
			g := must(c.CreateGraph())
			o := n.objects(t, c, g, seed)
			n.graph(t, c, g, k, o)
			status(t, g.Verify(), openvx.Success)
			for run := range 3 {
				switch run {
				case 1:
					status(t, c.Directive(c, openvx.DirectiveEnablePerformance), openvx.Success)
				case 2:
					status(t, c.Directive(c, openvx.DirectiveDisablePerformance), openvx.Success)
				}
				status(t, g.Process(), openvx.Success)
				for i, got := range n.results(t, o) {
					if !slices.Equal(got, want[i]) {
						t.Fatalf("run %d, tensor %d: got %v, want %v\n%+v", run, i, got, want[i], n)
					}
				}
			}
			if p := g.Performance(); p.Num != 1 || p.Sum != p.End-p.Begin || p.Min != p.Max {
				t.Errorf("%+v", p)
			}
			o.release(t)
			status(t, g.Release(), openvx.Success)
			status(t, k.Remove(), openvx.Success)
		})
	}
}
