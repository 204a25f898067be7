package onnx

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

var einsumRows = family{"Einstein sums", []row{
	{name: "Einsum", forms: forms("12", "Inputs...: number; equation: string! -> Output"), lower: einsum},
}}

// einsum sums products of elements, whose dimensions have letters, or numbers where an ellipsis stands for them, counted from the last one.
func einsum(c *lowering) []*graph.Value {
	operands, out := c.equation(c.All(0))
	for _, t := range operands {
		for d, l := range t.Labels {
			if k := slices.Index(t.Labels, l); k < d && t.Value.Type.Shape[k] != t.Value.Type.Shape[d] {
				c.failf("equation", "the dimensions %s of %v have the extents %d and %d; they must be equal", l, t.Value.Type,
					t.Value.Type.Shape[k], t.Value.Type.Shape[d])
			}
		}
	}
	extents := make(map[string]int)
	for i, t := range operands {
		for d, l := range t.Labels {
			n := t.Value.Type.Shape[d]
			if m, ok := extents[l]; ok && m != n && m != 1 && n != 1 {
				c.failf(c.operandName(i), "dimension %s of %v has the extent %d; elsewhere it is %d", l, t.Value.Type, n, m)
			} else if !ok || m == 1 {
				extents[l] = n
			}
		}
	}
	if c.Err != nil {
		return nil
	}
	return one(c.Einsum(operands, out))
}

// equation parses the equation and returns operands and result with their labels.
func (c *lowering) equation(values []*graph.Value) (operands []emit.Labelled, out []string) {
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
		operands = append(operands, emit.Labelled{Value: v, Labels: letters})
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
		sort.Strings(out)
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
func (c *lowering) letters(term string) []string {
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
