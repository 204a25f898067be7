package operators

// Unbounded are the bits of numbers of which nothing is known: any int32 may occur, even the least.
const Unbounded = MaxPrecision + 1

// Bits bounds the elements that each output really has, by |x| ≤ 2^(bits-1) - 1, if Precision are such bits of the operands, up to
// Unbounded. It follows the rules of precisions of a strict call, but knows fillers, and has a result whatever precisions the operands
// have, if the attributes are legal. Where arithmetic may wrap, that is Unbounded, unless results are clipped afterwards.
func (c *Call) Bits() []int {
	strict := *c
	strict.Compat = false
	out, err := c.Operator.precisions(&strict)
	if err != nil {
		out = make([]int, c.Operator.Outputs)
		for k := range out {
			if out[k] = Unbounded; c.Operator.Clips {
				out[k] = c.Attrs.Int("precision")
			}
		}
	}
	for _, k := range c.Operator.Fillers {
		out[k] = max(out[k], 2)
	}
	for k := range out {
		out[k] = min(out[k], Unbounded)
	}
	return out
}
