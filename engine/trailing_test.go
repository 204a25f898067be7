package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestTrailingOperands leaves trailing operands out of a node's list: those that are absent, which means the same as nil, and often all optional ones.
func TestTrailingOperands(t *testing.T) {
	for _, d := range op.All() {
		for seed := range uint64(60) {
			c := d.Draw(op.NewRand(seed, 3))
			in := c.In
			for n := len(in); n > 0 && (in[n-1] == nil || n <= len(d.In) && d.In[n-1].Optional && seed%4 < 2); n-- {
				in = in[:n-1]
			}
			if len(in) == len(c.In) {
				continue
			}
			if seed%4 == 0 { // for kernels of what is common
				c.Attrs = slices.DeleteFunc(slices.Clone(c.Attrs), func(a graph.Attr) bool { return a.Name == "activations" || a.Name == "clip" })
			}
			n, feed := newNet(t), make(map[string]*tensor.Tensor)
			operands := make([]*graph.Value, len(in))
			for i, x := range in {
				if x == nil {
					continue
				}
				if i > 0 && seed%2 == 0 { // for kernels that pack constants
					v, err := n.Constant("", "", x)
					ok(t, v, err)
					operands[i] = v
					continue
				}
				name := fmt.Sprintf("x%d", i)
				operands[i], feed[name] = n.input(name, x.DType(), x.Shape()...), x
			}
			results, err := n.Add(graph.Node{Op: d.Name, In: operands, Attrs: c.Attrs, Blocks: c.Blocks})
			if err != nil && seed%4 < 2 { // an attribute asks for what was left out
				continue
			}
			ok(t, results, err)
			for i, v := range results {
				n.output(fmt.Sprintf("y%d", i), v)
			}
			g, err := n.Build()
			ok(t, g, err)
			p, err := Compile(g, Options{Threads: 1})
			ok(t, p, err)
			s := session(t, p)
			ok(t, s, s.setAll(feed))
			want, wrong := op.Eval(d, c.In[:len(in)], c.Attrs, c.Blocks...)
			if err := s.Run(t.Context()); (err != nil) != (wrong != nil) {
				t.Errorf("%s: %v; the reference: %v", d.Name, err, wrong)
				continue
			}
			for i := range want {
				if wrong == nil && string(s.Output(i).Bytes()) != string(want[i].Bytes()) {
					t.Errorf("%s, seed %d: result %d differs", d.Name, seed, i)
				}
			}
		}
	}
}
