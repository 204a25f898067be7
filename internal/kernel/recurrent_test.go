package kernel_test

import (
	"slices"
	"strings"
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
		if row.Name != "steps" || strings.HasSuffix(row.Op, "_cell") {
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

// sequence returns a case of a recurrent network or cell, with states around blocks: as networks have them, or with what few have.
func sequence(r *op.Rand, name string) op.Case {
	d, _ := op.Lookup(name)
	gates := map[string]int{"lstm": 4, "lstm_cell": 4, "gru": 3, "gru_cell": 3, "rnn": 1}[name]
	dirs, direction := 1, op.Pick(r, []string{"forward", "backward", "both"})
	steps, batch, in, hidden := op.Pick(r, []int{1, 2, 5, 8}), op.Pick(r, []int{1, 1, 2, 3, 4, 7}), r.Between(1, 9), op.Pick(r, []int{1, 7, 16, 17, 33})
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
	var attrs graph.Attrs
	set := func(name string, value any) { attrs = attrs.With(name, value) }
	cell := d.In[0].Rank.Max == 2
	shape := func(extents ...int) tensor.Shape {
		if cell {
			return extents
		}
		return append(tensor.Shape{dirs}, extents...)
	}
	if cell {
		steps = 1
	} else {
		if direction == "both" {
			dirs = 2
		}
		set("steps", steps)
		set("direction", direction)
		set("return_sequence", r.Bool())
	}
	set("hidden_size", hidden)
	few := r.Bool()
	for _, a := range d.Attrs {
		switch a.Name {
		case "layout", "peephole_output":
			set(a.Name, op.Pick(r, a.Enum))
		case "reset_after":
			set(a.Name, r.Bool())
		case "coupled":
			set(a.Name, few && r.IntN(3) == 0)
		case "clip":
			set(a.Name, op.Pick(r, []float64{0, 0, 0.25})*float64(truth(few)))
		case "activations":
			functions := a.Default.([]string)
			if few {
				functions = make([]string, d.GateFunctions()*op.Pick(r, []int{1, dirs}))
				parameters := make([]float64, len(functions))
				for i := range functions {
					functions[i], parameters[i] = op.Pick(r, a.Enum), float64(r.Between(1, 8))/4
				}
				if !cell && r.Bool() {
					set("activation_alpha", parameters)
					set("activation_beta", parameters)
				}
			} else if r.Bool() {
				functions = slices.Repeat(functions, dirs)
			}
			set(a.Name, functions)
		}
	}
	c := op.Case{Attrs: attrs}
	for _, o := range d.In {
		var x *tensor.Tensor
		switch o.Name {
		case "input":
			x = r.Tensor(tensor.Float32, tensor.Shape{steps, batch, in}[truth(cell):])
		case "weight":
			x = r.Tensor(tensor.Float32, shape(gates*hidden, in))
		case "recurrent_weight":
			x = r.Tensor(tensor.Float32, shape(gates*hidden, hidden))
		case "bias", "recurrent_bias":
			x = r.Tensor(tensor.Float32, shape(gates*hidden))
		case "peephole_weight":
			if few {
				x = r.Tensor(tensor.Float32, shape(3*hidden))
			}
		case "lengths":
			if few {
				x = r.Integers(op.Pick(r, []tensor.DType{tensor.Int32, tensor.Int64}), tensor.Shape{batch}, -1, steps+1)
			}
		default:
			x = r.Tensor(tensor.Float32, shape(batch, hidden))
		}
		if o.Optional && r.IntN(3) == 0 {
			x = nil
		}
		c.In = append(c.In, x)
	}
	return c
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestRecurrentPlans holds plans to forms of weights that tell layouts apart, to memory that does not grow far beyond that of the states, and to none for
// extents that no memory is for.
func TestRecurrentPlans(t *testing.T) {
	w := op.NewRand(1, 3).Tensor(tensor.Float32, tensor.Shape{1, 4, 1})
	plan := func(name, layout string, gates, steps, batch int) *kernel.Plan {
		b := graph.NewBuilder(op.Rules, "plans")
		x := must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{steps, batch, 1}}))
		of := must(b.Constant("", "", must(w.Slice(1, 0, gates, 1))))
		attrs := graph.AttrsOf("steps", steps, "hidden_size", 1)
		if layout != "" {
			attrs = attrs.With("layout", layout)
		}
		out := must(b.Node(name, []*graph.Value{x, of, of}, attrs, ""))
		return kernel.For(kernel.Tiers, kernel.Region{Nodes: []*graph.Node{out[0].Producer}})
	}
	if len(kernel.TiersInUse()) == 1 {
		t.Skip("the portable tier has no kernels of recurrent networks")
	}
	if a, b := plan("lstm", "iofg", 4, 1, 1), plan("lstm", "ifgo", 4, 1, 1); a.Pack[0].Form == b.Pack[0].Form {
		t.Errorf("both layouts have the form %q", a.Pack[0].Form)
	}
	for _, name := range []string{"lstm", "rnn"} {
		gates := map[string]int{"lstm": 4, "rnn": 1}[name]
		if p := plan(name, "", gates, 1, 1000); p == nil {
			t.Errorf("%s: no kernel", name)
		}
		if p := plan(name, "", gates, 1, 1<<22); p != nil {
			t.Errorf("%s of very many items of one element takes %d bytes", name, p.Shared)
		}
		const most = (tensor.MaxElements + 1) / 2
		if plan(name, "", gates, 1, most) != nil || plan(name, "", gates, most, 1) != nil {
			t.Errorf("%s has a plan for more items or steps than there is memory for", name)
		}
	}
}
