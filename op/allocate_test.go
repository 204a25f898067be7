package op_test

import (
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestReferencesDoNotAllocate runs the references as the engine does, in the memory that they are given.
func TestReferencesDoNotAllocate(t *testing.T) {
	for _, d := range op.All() {
		if d.Control != nil {
			continue // see TestControlAllocatesNothing
		}
		for seed := range uint64(12) {
			c := d.Generate(op.NewRand(seed, 5))
			call, types := &op.Call{}, make([]op.Type, len(c.In))
			for i, x := range c.In {
				if x != nil && d.Widens(x.DType()) {
					x = must(tensor.Cast(x, tensor.Float32))
				}
				if call.In = append(call.In, x); x != nil {
					types[i] = op.Type{DType: x.DType(), Shape: x.Shape()}
				}
			}
			s, out, err := d.Bind(types, c.Attrs)
			if err != nil {
				continue // the cast has made types of a case that do not go together
			}
			call.In, call.Attrs = append(call.In, make([]*tensor.Tensor, len(s.In)-len(c.In))...), s.Attrs
			for _, o := range out {
				call.Out = append(call.Out, must(tensor.New(o.DType, o.Shape)))
			}
			if d.Ref.Scratch != nil {
				call.Scratch = tensor.AlignedBytes(d.Ref.Scratch(s, out))
			}
			sig, types := d.Applied(call)
			kernel, n := d.Kernel(sig), d.Pieces(sig, types)
			if allocs := testing.AllocsPerRun(3, func() { kernel(call, 0, n) }); allocs > 0 {
				t.Errorf("%s allocates %v times for %v %v", d.Name, allocs, c.In, c.Attrs)
				break
			}
		}
	}
}
