package kernel_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestInputsAhead holds recurrent networks to the reference whose steps multiply inputs of later ones: some columns of them, as many as they have time for.
func TestInputsAhead(t *testing.T) {
	wide := make(map[string][]uint64) // seeds of such cases by operator: all tiers have the same ones
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Name != "steps" {
			return
		}
		taken := 0
		for i := 0; taken < 3 && i < 20; i++ {
			seeds := wide[row.Op]
			for seed := uint64(1000 * i); i == len(seeds); seed++ {
				if c := draw(op.NewRand(seed, 5), row); c.Attrs.Int("hidden_size") >= 64 && c.In[0].Shape()[2] >= 100 {
					seeds = append(seeds, seed)
				}
			}
			if wide[row.Op] = seeds; compareRow(t, row, seeds[i], 5) {
				taken++
			}
		}
		if taken < 3 {
			t.Errorf("the row takes %d cases", taken)
		}
	})
}

// sequence returns a case of a recurrent network with that many gates and states, with states around blocks.
func sequence(r *op.Rand, name string, gates int, functions, layouts []string, states int, more graph.Attrs) op.Case {
	dirs, direction := 1, op.Pick(r, []string{"forward", "backward", "both"})
	if direction == "both" {
		dirs = 2
	}
	steps, batch, in, hidden := op.Pick(r, []int{1, 2, 5, 8}), r.Between(1, 3), r.Between(1, 9), op.Pick(r, []int{1, 7, 16, 17, 33})
	if r.IntN(16) == 0 {
		steps, batch, hidden = 130, 1, 1
	}
	if r.IntN(4) == 0 { // enough for inputs to be multiplied ahead
		steps, batch, hidden = op.Pick(r, []int{17, 33, 37}), r.Between(1, 2), op.Pick(r, []int{64, 65, 100, 129})
		in = op.Pick(r, []int{in, 64, 100, 130})
		if r.IntN(32) == 0 {
			in, hidden = 300, 516
		}
		if interpreting != nil {
			steps, batch, hidden, in = 17, 1, op.Pick(r, []int{64, 65}), min(in, 65)
		}
	} else if r.IntN(8) == 0 {
		in = op.Pick(r, []int{63, 64, 65, 130})
	}
	tensors := []*tensor.Tensor{r.Tensor(tensor.Float32, tensor.Shape{steps, batch, in}),
		r.Tensor(tensor.Float32, tensor.Shape{dirs, gates * hidden, in}), r.Tensor(tensor.Float32, tensor.Shape{dirs, gates * hidden, hidden})}
	for range 2 {
		tensors = append(tensors, r.Tensor(tensor.Float32, tensor.Shape{dirs, gates * hidden}))
	}
	if states == 2 {
		tensors = append(tensors, nil) // peepholes
	}
	for range states {
		tensors = append(tensors, r.Tensor(tensor.Float32, tensor.Shape{dirs, batch, hidden}))
	}
	for i := 3; i < len(tensors); i++ {
		if r.IntN(3) == 0 {
			tensors[i] = nil
		}
	}
	return op.Case{In: append(tensors, nil), Attrs: append(more, graph.AttrsOf("steps", steps, "hidden_size", hidden, "direction", direction,
		"activations", functions, "layout", op.Pick(r, layouts), "return_sequence", r.Bool())...)}
}
