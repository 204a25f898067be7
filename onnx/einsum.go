package onnx

import (
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

var einsumRows = []row{
	{name: "Einsum", forms: forms("12", "Inputs...: number; equation: string! -> Output"), lower: einsum},
}

// labelled is a tensor whose dimensions have names: a letter of an equation, or a number for a dimension that an ellipsis stands for,
// counted from the last one.
type labelled struct {
	value  *graph.Value
	labels []string
}

// extent returns the extent of the dimension of that name; 1, which broadcasts, if there is none.
func (t labelled) extent(label string) int {
	if d := slices.Index(t.labels, label); d >= 0 {
		return t.value.Type.Shape[d]
	}
	return 1
}

// joint returns the extent of a dimension in what two tensors broadcast to.
func joint(a, b labelled, label string) int {
	if n := a.extent(label); n != 1 {
		return n
	}
	return b.extent(label)
}

// einsum joins the operands from left to right, two at a time. A sum is taken as soon as nothing to come has its letter.
func einsum(c *call) []*graph.Value {
	operands, out := c.equation(c.All(0))
	extents := make(map[string]int)
	for i, t := range operands {
		for _, l := range t.labels {
			n := t.extent(l)
			if m, ok := extents[l]; ok && m != n && m != 1 && n != 1 {
				c.failf(c.operandName(i), "dimension %s of %v has the extent %d; elsewhere it is %d", l, t.value.Type, n, m)
			} else if !ok || m == 1 {
				extents[l] = n
			}
		}
	}
	last := make(map[string]int) // the last operand that has a dimension
	for i, t := range operands {
		for _, l := range t.labels {
			last[l] = i
		}
	}
	for _, l := range out {
		last[l] = len(operands)
	}
	var y labelled
	for i, t := range operands {
		var needed []string
		for l, at := range last {
			if at > i {
				needed = append(needed, l)
			}
		}
		if i == 0 {
			y = c.summed(c.diagonals(t), needed)
			continue
		}
		t = c.summed(c.diagonals(t), append(slices.Clone(needed), y.labels...))
		y = c.contract(c.summed(y, append(slices.Clone(needed), t.labels...)), t, needed)
	}
	return one(c.arranged(y, out))
}

// equation parses the equation and returns operands and result with their labels.
func (c *call) equation(values []*graph.Value) (operands []labelled, out []string) {
	left, right, explicit := strings.Cut(strings.ReplaceAll(c.Str("equation"), " ", ""), "->")
	terms := strings.Split(left, ",")
	if len(terms) != len(values) {
		c.failf("equation", "it has %d terms; there are %d operands", len(terms), len(values))
	}
	most := 0 // dimensions that an ellipsis stands for
	count := make(map[string]int)
	for i, v := range values {
		letters := c.letters(terms[i])
		rank := len(v.Type.Shape)
		rest := rank - len(letters)
		if at := slices.Index(letters, ellipsis); at >= 0 {
			rest++
			letters = slices.Concat(letters[:at], numbered(rest), letters[at+1:])
			most = max(most, rest)
		}
		if len(letters) != rank {
			c.failf(c.operandName(i), "it is %v; the term %q of the equation is for rank %d", v.Type, terms[i], len(letters))
		}
		for _, l := range letters {
			count[l]++
		}
		operands = append(operands, labelled{v, letters})
	}
	if explicit {
		out = c.letters(right)
		if at := slices.Index(out, ellipsis); at >= 0 {
			out = slices.Concat(out[:at], numbered(most), out[at+1:])
		}
	} else {
		for l, n := range count {
			if n == 1 && isLetter(l) {
				out = append(out, l)
			}
		}
		slices.Sort(out)
		out = append(numbered(most), out...)
	}
	for i, l := range out {
		switch {
		case slices.Contains(out[:i], l):
			c.failf("equation", "the result has the dimension %s twice", l)
		case count[l] == 0:
			c.failf("equation", "no operand has the dimension %s of the result", l)
		}
	}
	return operands, out
}

const ellipsis = "..."

// numbered returns the labels of n dimensions that an ellipsis stands for.
func numbered(n int) []string {
	var out []string
	for i := n; i > 0; i-- {
		out = append(out, strconv.Itoa(i))
	}
	return out
}

func isLetter(s string) bool { return s >= "A" && s <= "Z" || s >= "a" && s <= "z" }

// letters splits a term of an equation.
func (c *call) letters(term string) []string {
	var out []string
	for rest := term; rest != ""; {
		l := rest[:1]
		if strings.HasPrefix(rest, ellipsis) {
			l = ellipsis
		}
		switch {
		case l != ellipsis && !isLetter(l):
			c.failf("equation", "%q is neither a letter nor an ellipsis", l)
		case l == ellipsis && slices.Contains(out, l):
			c.failf("equation", "the term %q has two ellipses", term)
		}
		out, rest = append(out, l), rest[len(l):]
	}
	return out
}

// diagonals leaves one dimension of those of one name: the elements whose indices in them are equal.
func (c *call) diagonals(t labelled) labelled {
	for i, l := range t.labels {
		j := i + 1 + slices.Index(t.labels[i+1:], l)
		if j == i {
			continue
		}
		n := t.value.Type.Shape[i]
		if m := t.value.Type.Shape[j]; m != n {
			c.failf("equation", "the dimensions %s of %v have the extents %d and %d; they must be equal", l, t.value.Type, n, m)
		}
		// The two in front, as one dimension, of which the diagonal is every n+1st element.
		rest := slices.DeleteFunc(emit.Counting(0, len(t.labels)), func(d int) bool { return d == i || d == j })
		v := c.Transpose(t.value, append([]int{i, j}, rest...)...)
		v = c.Reshape(v, append([]int{n * n}, v.Type.Shape[2:]...)...)
		v = c.Slice(v, span{0, 0, n * n, n + 1})
		labels := []string{l}
		for _, d := range rest {
			labels = append(labels, t.labels[d])
		}
		return c.diagonals(labelled{v, labels})
	}
	return t
}

// summed sums over the dimensions that are not needed.
func (c *call) summed(t labelled, needed []string) labelled {
	var axes []int
	var labels []string
	for d, l := range t.labels {
		if slices.Contains(needed, l) {
			labels = append(labels, l)
		} else {
			axes = append(axes, d)
		}
	}
	if axes == nil {
		return t
	}
	return labelled{c.Squeeze(c.Node("sum_reduce", emit.Attr("axes", axes), t.value), axes...), labels}
}

// contract multiplies two tensors and sums over the dimensions that both have and that are not needed: it is a product of matrices, or
// one of elements if there is no such dimension.
func (c *call) contract(a, b labelled, needed []string) labelled {
	var batch, summed, rows, columns []string
	for _, l := range a.labels {
		switch both := slices.Contains(b.labels, l); {
		case !both:
			rows = append(rows, l)
		case slices.Contains(needed, l):
			batch = append(batch, l)
		default:
			summed = append(summed, l)
		}
	}
	for _, l := range b.labels {
		if !slices.Contains(a.labels, l) {
			columns = append(columns, l)
		}
	}
	labels := slices.Concat(batch, rows, columns)
	if summed == nil {
		return labelled{c.Node("mul", nil, c.spread(a, labels), c.spread(b, labels)), labels}
	}
	x, transposeA := c.matrices(a, b, batch, rows, summed)
	y, transposeB := c.matrices(b, a, batch, summed, columns)
	d := x.Type.DType
	sums := tensor.Int32
	if d.Size() == 8 {
		sums = tensor.Int64
	}
	product := c.Node("matmul", emit.Attr("transposeA", transposeA, "transposeB", transposeB, "dtype", sums), x, y)
	shape := make([]int, len(labels))
	for i, l := range labels {
		shape[i] = joint(a, b, l)
	}
	return labelled{c.Reshape(c.Cast(product, d), shape...), labels}
}

// spread gives a tensor the dimensions of the given names, with extents of 1 for those that it does not have.
func (c *call) spread(t labelled, labels []string) *graph.Value {
	var own []string
	var missing []int
	for d, l := range labels {
		if slices.Contains(t.labels, l) {
			own = append(own, l)
		} else {
			missing = append(missing, d)
		}
	}
	return c.Unsqueeze(c.arranged(t, own), missing...)
}

// matrices makes a tensor matrices to be multiplied by those of another: batches, rows and columns of several dimensions each. They may be
// transposed, if that is how they lie already.
func (c *call) matrices(t, other labelled, batch, rows, columns []string) (v *graph.Value, transposed bool) {
	transposed = slices.Equal(t.labels, slices.Concat(batch, columns, rows)) && len(rows) > 0
	if transposed {
		rows, columns = columns, rows
	}
	labels := slices.Concat(batch, rows, columns)
	v = c.arranged(t, labels)
	shape := make(tensor.Shape, len(labels))
	for d, l := range labels {
		shape[d] = joint(t, other, l)
	}
	v = c.Broadcast(v, shape...)
	b, r := len(batch), len(batch)+len(rows)
	return c.Reshape(v, shape[:b].Len(), shape[b:r].Len(), shape[r:].Len()), transposed
}

// arranged transposes a tensor to dimensions of the given names, which are its own.
func (c *call) arranged(t labelled, labels []string) *graph.Value {
	axes := make([]int, len(labels))
	for i, l := range labels {
		axes[i] = slices.Index(t.labels, l)
	}
	return c.Transpose(t.value, axes...)
}
