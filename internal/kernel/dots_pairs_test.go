package kernel_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestPairs holds sums of pairs of bytes to the references where they are as great as they can be: weights that just are partners, that just are not, and
// that have none, with inputs that are all the greatest, or the least.
func TestPairs(t *testing.T) {
	for _, n := range []int{8, 17} {
		t.Run(strconv.Itoa(n), func(t *testing.T) { comparePairs(t, n) })
	}
}

// comparePairs is TestPairs for so many channels of the result.
func comparePairs(t *testing.T, n int) {
	const k, m = 40, 7
	some := func(c, live int) bool { return c%16 < live }
	weights := map[string]func(r *op.Rand, c int) int{
		"63 and 64":   func(_ *op.Rand, c int) int { return 63 + c%2 },
		"63 or 64":    func(r *op.Rand, _ int) int { return r.Between(63, 64) },
		"-64":         func(*op.Rand, int) int { return -64 },
		"-64 and -65": func(r *op.Rand, c int) int { return -64 - r.Between(0, 1)*(c%2) },
		"either sign": func(r *op.Rand, c int) int { return (127 - c) * (1 - 2*(c%2)) },
		"127 alone": func(r *op.Rand, c int) int {
			if !some(c, 10) {
				return 0
			}
			return 127
		},
		"-128 alone": func(r *op.Rand, c int) int {
			if !some(c, 9) {
				return 0
			}
			return -128
		},
		"anything": func(r *op.Rand, _ int) int { return r.Between(-50, 50) + r.Between(-50, 50) },
		"nothing":  func(*op.Rand, int) int { return 0 },
	}
	shapes := map[string][2]tensor.Shape{"conv": {{1, k, m}, {n, k, 1}}, "deconv": {{1, k, m}, {k, n, 1}}, "matmul": {{m, k}, {k, n}}, "linear": {{m, k}, {n, k}}}
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Name != "dot products of pairs of bytes" {
			return
		}
		shape, taken := shapes[row.Op], 0
		for name, of := range weights {
			for seed, d := range []tensor.DType{tensor.Uint8, tensor.Uint8, tensor.Int8, tensor.Int8, tensor.Uint8} {
				r := op.NewRand(uint64(seed), 4)
				w := must(tensor.New(tensor.Int8, shape[1]))
				for i := range tensor.Data[int8](w) {
					c := i % k // the channel of the input
					if shape[1][0] == k {
						c = i / n
					}
					tensor.Data[int8](w)[i] = int8(of(r, c))
				}
				least, most := d.IntRange()
				x := r.Tensor(d, shape[0])
				switch seed {
				case 0, 2:
					x = r.Integers64(d, shape[0], int64(most), int64(most))
				case 1, 3:
					x = r.Integers64(d, shape[0], least, least)
				}
				c := op.Case{In: []*tensor.Tensor{x, w}}
				if row.Op == "conv" || row.Op == "deconv" {
					c.Attrs = graph.AttrsOf("padding", []int{0, 0})
				}
				p := row.Prepare(kernel.Region{Nodes: []*graph.Node{constantNode(t, row.Op, c)}})
				if p == nil {
					continue // they are partners too seldom
				}
				p.Kernel = fmt.Sprintf("%s, %s by %s %d", row.Name, name, d, seed)
				newTrial(t, r, row.Op, c, p).check()
				taken++
			}
		}
		if least := 5 * (len(weights) - 2); taken < least {
			t.Errorf("the row takes %d cases, not %d", taken, least)
		}
	})
}
