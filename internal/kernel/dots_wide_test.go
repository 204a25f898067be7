package kernel_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestWideSums holds sums of 64 bits to the references where they are as great as they can be: factors of some magnitude on one side, and on the other the
// greatest ones of the same signs.
func TestWideSums(t *testing.T) {
	const k, m, n = 1003, 5, 37
	shapes := map[string][2]tensor.Shape{"conv": {{1, k, m}, {n, k, 1}}, "deconv": {{1, k, m}, {k, n, 1}}, "matmul": {{m, k}, {k, n}}, "linear": {{m, k}, {n, k}}}
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if shape, ok := shapes[row.Op]; ok && row.In[0].Has(tensor.Int16) && row.In[1].Has(tensor.Int16) && !row.In[0].Has(tensor.Int64) {
			for seed, magnitude := range []int{32768, 100, 3000, 1, 60, 1000, 8191, 20000}[:testdata.Cases(3, 8)] {
				for side := range 2 {
					r := op.NewRand(uint64(seed), 4)
					c := op.Case{Attrs: graph.AttrsOf("dtype", tensor.Int64), In: make([]*tensor.Tensor, 2)}
					if row.Op == "conv" || row.Op == "deconv" {
						c.Attrs = append(c.Attrs, graph.AttrsOf("padding", []int{0, 0})...)
					}
					c.In[side] = r.Integers(tensor.Int16, shape[side], -magnitude, min(magnitude, 32767))
					c.In[1-side] = greatest(shape[1-side], c.In[side], shape[side], k)
					root := constantNode(t, row.Op, c)
					if row.Op != "linear" && r.Bool() {
						root = node(t, r, row.Op, c)
					}
					p := row.Prepare(kernel.Region{Nodes: []*graph.Node{root}})
					if p == nil {
						t.Fatal("the row does not take sums of 64 bits")
					}
					p.Kernel = fmt.Sprint(row.Name, " by ", magnitude)
					newTrial(t, r, row.Op, c, p).check()
				}
			}
		}
	})
}

// greatest returns the numbers of the greatest magnitudes with the signs of those of another tensor that belong to its first sum of k products.
func greatest(shape tensor.Shape, of *tensor.Tensor, ofShape tensor.Shape, k int) *tensor.Tensor {
	x, signs := must(tensor.New(tensor.Int16, shape)), tensor.Data[int16](of)
	// step returns the distance of the factors of a sum.
	step := func(s tensor.Shape) int {
		for d := range s {
			if s[d] == k {
				return s[d+1:].Len()
			}
		}
		panic("no factors of a sum")
	}
	y, own, other := tensor.Data[int16](x), step(shape), step(ofShape)
	for i := range y {
		if y[i] = 32767; signs[i/own%k*other] < 0 {
			y[i] = -32768
		}
	}
	return x
}
