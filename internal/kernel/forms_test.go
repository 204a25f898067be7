package kernel_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestForms gives one constant to nodes of all shapes and attributes that it can have: what their kernels read of it in forms of equal names is equal.
func TestForms(t *testing.T) {
	compared := 0
	for seed := range uint64(testdata.Cases(120, 10_000)) {
		r := op.NewRand(seed, 9)
		name := op.Pick(r, []string{"conv", "conv", "conv", "deconv", "matmul", "linear", "gemm"})
		of := op.Pick(r, []tensor.DType{tensor.Float32, tensor.Float32, tensor.Int8, tensor.Int16})
		if name == "gemm" {
			of = tensor.Float32
		}
		extents := []int{1, 3, 8, 16, 17, 24, 32, 40, 64}
		groups, per, outs := op.Pick(r, []int{1, 1, 1, 4, 16}), op.Pick(r, extents), op.Pick(r, extents)
		shape := tensor.Shape{groups * outs, per, r.Between(1, 3), r.Between(1, 3)}
		switch name {
		case "deconv":
			shape[0], shape[1] = groups*per, outs
		case "matmul", "gemm", "linear":
			shape = tensor.Shape{per, outs}
		}
		w := r.Tensor(of, shape)
		packs := make(map[string][]byte)
		for range 8 {
			x, attrs := tensor.Shape{r.Between(1, 3), groups * per, op.Pick(r, []int{1, 5, 7, 14, 16, 40}), op.Pick(r, []int{1, 3, 7, 14, 20, 40})}, graph.Attrs(nil)
			switch name {
			case "conv", "deconv":
				attrs = graph.AttrsOf("padding", []int{r.Between(0, 2), r.Between(0, 2), r.Between(0, 2), r.Between(0, 2)},
					"stride", []int{r.Between(1, 2), r.Between(1, 2)}, "dilation", []int{r.Between(1, 2), r.Between(1, 2)}, "groups", groups)
			case "linear":
				x = tensor.Shape{x[2] * x[3], outs}
			default:
				x = tensor.Shape{x[2] * x[3], per}
				if transposed := r.Bool(); name == "matmul" && transposed {
					x, attrs = tensor.Shape{x[0], outs}, graph.AttrsOf("transposeB", true)
				}
			}
			b, left := graph.NewBuilder(op.Rules, "forms"), of
			if of == tensor.Int8 && r.Bool() {
				left = tensor.Uint8
			}
			in := []*graph.Value{must(b.Input("x", op.Type{DType: left, Shape: x})), must(b.Constant("", "", w))}
			if name != "matmul" {
				in = append(in, nil)
			}
			made, err := b.One(name, in, attrs, "")
			if err != nil {
				continue // there is no result
			}
			for i := range kernel.Tiers {
				tier := &kernel.Tiers[i]
				p := kernel.For(kernel.Tiers[i:i+1], kernel.Region{Nodes: []*graph.Node{made.Producer}})
				if p == nil {
					continue
				}
				for _, k := range p.Pack {
					data := tensor.AlignedBytes(k.Size)
					for part := range 3 {
						k.Fill(data, part, 3)
					}
					key := tier.Name + " " + k.Form
					if first, ok := packs[key]; !ok {
						packs[key] = data
					} else if compared++; !bytes.Equal(first, data) {
						t.Errorf("seed %d: %s of %v and %s %v with %v: the form %q is another one", seed, name, x, w.Describe(), attrs, p.Kernel, k.Form)
					}
				}
			}
		}
	}
	if compared < 100 && len(kernel.TiersInUse()) > 1 { // the portable tier packs nothing
		t.Errorf("only %d forms are compared", compared)
	}
}
