package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// randomRows returns the row of random bits.
func randomRows(t *simd.Tier) []Kernel {
	if !t.RandomBits.Exists() {
		return nil
	}
	return []Kernel{{Name: "elements", Op: "random_bits", In: []op.Types{op.TypeSet(tensor.Int64)}, Prepare: alone(func(a *application) *Plan {
		seed, n := a.Ints("seed"), a.out[0].Shape.Len()
		p := evenly(n, func(c *op.Call, lo, hi int) {
			x, y, watch := c.In[0].Bytes(), c.Out[0].Bytes(), c.Watch()
			args := simd.RandomArgs{Key0: uint32(seed[0]), Key1: uint32(seed[1])}
			for lo < hi && !watch.Stops(castCall) {
				some := min(hi-lo, castCall)
				if args.N = some / block; args.N > 0 {
					some = args.N * block
					args.X, args.Out = simd.At(x, 8*lo), simd.At(y, 4*lo)
					t.RandomBits.Run(&args)
				} else { // the last ones in working memory
					args.N, args.X, args.Out = 1, simd.At(c.Scratch, 0), simd.At(c.Scratch, 0)
					copy(c.Scratch, x[8*lo:][:8*some])
					t.RandomBits.Run(&args)
					copy(y[4*lo:][:4*some], c.Scratch)
				}
				lo += some
			}
		})
		p.Scratch, p.Nanos = 8*block, 3*int64(n)
		return p
	})}}
}
