package onnx

import (
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// What the first versions of operators had in common: consumed_inputs, which said whose memory may be overwritten, and broadcasting that
// must be asked for.

const consumed = "consumed_inputs: ints"

// early returns the forms of an operator whose version 1 has consumed_inputs, too. The declaration has a semicolon.
func early(versions, declaration string) declarations { return earlyAnd(versions, declaration) }

// earlyAnd is early with further pairs, as [forms] takes them.
func earlyAnd(versions, declaration string, further ...string) declarations {
	operands, rest, _ := strings.Cut(declaration, ";")
	attrs, results, _ := strings.Cut(rest, "->")
	if attrs = strings.TrimSpace(attrs); attrs != "" {
		attrs += ", "
	}
	return forms(append([]string{"1", operands + "; " + attrs + consumed + " -> " + results, versions, declaration}, further...)...)
}

// pairForms returns the forms of an operator on pairs of elements. Those of version 1 may be overwritten, or are compared.
func pairForms(versions string, arithmetic bool) declarations {
	const broadcast, plain = "A, B; axis: int, broadcast=0 -> C", "A, B -> C"
	if arithmetic {
		return earlyAnd("6", broadcast, versions, plain)
	}
	return forms("1", broadcast, versions, plain)
}

// Pair returns the two operands of an operator on pairs of elements, of equal ranks.
func (c *lowering) Pair() []*graph.Value {
	a, b := c.In(0), c.In(1)
	if c.form.declared("broadcast") == nil {
		return c.AlignRight(a, b)
	}
	to, from := a.Type.Shape, b.Type.Shape
	switch {
	case !c.Flag("broadcast") && !to.Equal(from):
		c.failf("B", "it is %v; it must have the shape of A, %v, or broadcast must be 1", b.Type, to)
	case len(from) > len(to):
		c.failf("B", "it is %v; it must not have more dimensions than A, %v", b.Type, to)
	case c.Given("axis"):
		b = c.from(b, c.Axis("axis", c.Int("axis"), len(to)), len(to))
	}
	return c.AlignRight(a, b)
}

// from gives a value extents of 1 behind its own, so that it begins at a dimension of a tensor of some rank.
func (c *lowering) from(v *graph.Value, axis, rank int) *graph.Value {
	own := len(v.Type.Shape)
	if axis+own > rank {
		c.failf("axis", "%v has no place at dimension %d of a tensor of rank %d", v.Type, axis, rank)
	}
	return c.Unsqueeze(v, emit.Counting(own, rank-axis-own)...)
}
