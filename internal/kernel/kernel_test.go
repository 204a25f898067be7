package kernel_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestKernels holds every row of every tier that this machine has to the reference: on generated cases and on shapes around the sizes of
// tiles, however the pieces are divided and whoever computes them when, wherever in memory operands and results lie, and whatever results and
// working memory hold before.
func TestKernels(t *testing.T) {
	cases := testdata.Cases(20, 400)
	least := cases / 4 // that a row must take
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Sources {
			return // see TestSums
		}
		t.Parallel()
		taken := 0
		for seed := 0; seed < cases || taken < least && seed < 10*cases; seed++ { // some take only known filters
			if compareRow(t, row, uint64(seed), 1+seed%cases*5/cases) {
				taken++
			}
		}
		if taken < least {
			t.Errorf("the row takes %d of %d cases", taken, cases)
		}
	})
}

// compareRow holds a row to the reference on a random case, and reports whether it takes that.
func compareRow(t *testing.T, row *kernel.Kernel, seed uint64, size int) bool {
	t.Helper()
	r := op.NewRand(seed, size)
	c := draw(r, row)
	n := node(t, r, row.Op, c)
	if !row.Takes(n) {
		t.Fatalf("the row does not take %v %v", c.In, c.Attrs)
	}
	p := row.Prepare(offered(r, n))
	if p == nil {
		return false
	}
	p.Kernel = row.Name
	newTrial(t, r, row.Op, c, p).check()
	return true
}

// eachRow runs a test for each row of the tiers that this machine has.
func eachRow(t *testing.T, f func(t *testing.T, row *kernel.Kernel)) {
	for i := range kernel.Tiers {
		tier := &kernel.Tiers[i]
		if tier.Has != nil && !tier.Has() {
			continue
		}
		for k := range tier.Kernels {
			row := &tier.Kernels[k]
			t.Run(tier.Name+"/"+row.Op+"/"+row.Name, func(t *testing.T) { f(t, row) })
		}
	}
}

// draw returns a case for a row: one of the operator's generator, or one of shapes around those of tiles, in types that the row takes, and
// some of extreme values.
func draw(r *op.Rand, row *kernel.Kernel) op.Case {
	d, _ := op.Lookup(row.Op)
	generate := d.Draw
	if own := aroundTiles[row.Op+" "+row.Name]; own != nil && (row.Op == "pad" || r.IntN(4) > 0) { // what a pad adds may be no number of another type
		generate = own
	} else if tiled := aroundTiles[row.Op]; tiled != nil && r.Bool() {
		generate = tiled
	}
	c := generate(r)
	extreme, end := r.IntN(3) == 0, r.IntN(4)
	for i, x := range c.In {
		if x == nil || d.In[min(i, len(d.In)-1)].Name == "lengths" {
			continue
		}
		to := sumType(c, row)
		switch {
		case i > 0 && d.In[min(i, len(d.In)-1)].Like != "":
			to = c.In[slices.IndexFunc(d.In, func(o op.Operand) bool { return o.Name == d.In[min(i, len(d.In)-1)].Like })].DType()
		case i < len(row.In):
			to = r.DType(row.In[i])
		}
		switch {
		case !d.In[min(i, len(d.In)-1)].Types.Has(to):
			c.In[i] = nil // a zero point, which floats have not
		case extreme && to.IsInteger():
			c.In[i] = extremes(r, to, x.Shape(), end)
		case extreme && r.Bool():
			c.In[i] = r.Extremes(to, x.Shape())
		case to != x.DType():
			c.In[i] = must(tensor.Cast(x, to))
		}
	}
	return c
}

// extremes returns a tensor of the least or the greatest integers of a type, of which sums are the greatest, or of any.
func extremes(r *op.Rand, d tensor.DType, shape tensor.Shape, end int) *tensor.Tensor {
	least, most := d.IntRange()
	lo, hi := least, int64(min(most, math.MaxInt64))
	switch end {
	case 0:
		lo = hi
	case 1:
		hi = lo
	default:
		lo, hi = lo/2+1, hi/2-1 // which differ by an int64
	}
	return r.Integers64(d, shape, lo, hi)
}

// sumType returns the type of sums, which a bias has.
func sumType(c op.Case, row *kernel.Kernel) tensor.DType {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
		if row.In[0].Has(d) {
			return d
		}
	}
	if d, ok := c.Attrs.Get("dtype").(tensor.DType); ok {
		return d
	}
	return tensor.Int32
}

// node returns the node of a case. Some of its operands behind the first are constants.
func node(t testing.TB, r *op.Rand, name string, c op.Case) *graph.Node {
	t.Helper()
	n, _ := nodeIn(t, r, graph.NewBuilder(op.Rules, "case"), name, c)
	return n
}

// nodeIn is node in a graph that is being built, which it returns, too.
func nodeIn(t testing.TB, r *op.Rand, b *graph.Builder, name string, c op.Case) (*graph.Node, *graph.Builder) {
	t.Helper()
	in := make([]*graph.Value, len(c.In))
	all := r.Bool()
	for i, x := range c.In {
		if x == nil {
			continue
		}
		var err error
		if i > 0 && (all || r.Bool()) {
			in[i], err = b.Constant("", "", x)
		} else {
			in[i], err = b.Input("input"+string(rune('0'+i)), graph.TypeOf(x))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Node(name, in, c.Attrs, "")
	if err != nil {
		t.Fatalf("%s of %v %v: %v", name, c.In, c.Attrs, err)
	}
	return out[0].Producer, b
}

// offered returns the region of nodes, some of whose operands are there in blocks of channels.
func offered(r *op.Rand, nodes ...*graph.Node) kernel.Region {
	region := kernel.Region{Nodes: nodes, Layouts: make(map[*graph.Value]kernel.Layout)}
	for _, n := range nodes {
		for _, v := range n.In {
			if v != nil && v.Const == nil && kernel.Blockable(v.Type) && r.Bool() {
				region.Layouts[v] = kernel.Blocked16
			}
		}
	}
	return region
}

// short writes the beginning of a tensor's bytes.
func short(t *tensor.Tensor) string {
	const most = 400
	if b := t.Bytes(); len(b) > most {
		return fmt.Sprintf("%x…", b[:most])
	}
	return hex.EncodeToString(t.Bytes())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
