package onnx_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// einsumOf evaluates an equation of letters by its definition: the sum of the products of elements over all values of the indices.
func einsumOf(terms []string, out string, extents map[byte]int, operands []*tensor.Tensor) *tensor.Tensor {
	var letters []byte
	for l := range extents {
		letters = append(letters, l)
	}
	shape := tensor.Shape{}
	for k := range len(out) {
		shape = append(shape, extents[out[k]])
	}
	y := make([]float32, shape.Len())
	index := make(map[byte]int)
	at := func(term string, shape tensor.Shape) int {
		place := 0
		for k := range len(term) {
			place = place * shape[k]
			if shape[k] > 1 {
				place += index[term[k]]
			}
		}
		return place
	}
	var visit func(n int)
	visit = func(n int) {
		if n < len(letters) {
			for index[letters[n]] = 0; index[letters[n]] < extents[letters[n]]; index[letters[n]]++ {
				visit(n + 1)
			}
			return
		}
		product := float32(1)
		for k, x := range operands {
			product *= tensor.Data[float32](x)[at(terms[k], x.Shape())]
		}
		y[at(out, shape)] += product
	}
	visit(0)
	return array(shape, y...)
}

// TestEinsum compares random equations with their definition. Elements are small integers, so that sums are exact in any order.
func TestEinsum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testdata.Cases(100, 400) {
		extents := make(map[byte]int)
		var used []byte
		terms := make([]string, 1+r.IntN(3))
		var in []*tensor.Tensor
		var names []string
		for k := range terms {
			shape := tensor.Shape{}
			for range r.IntN(5) {
				l := "abcdeF"[r.IntN(6)]
				n, ok := extents[l]
				if !ok {
					n = 1 + r.IntN(3)
					extents[l], used = n, append(used, l)
				}
				if r.IntN(8) == 0 && !strings.Contains(terms[k], string(l)) {
					n = 1 // broadcasts
				} else if at := strings.IndexByte(terms[k], l); at >= 0 {
					n = shape[at]
				}
				terms[k] += string(l)
				shape = append(shape, n)
			}
			x := make([]float32, shape.Len())
			for e := range x {
				x[e] = float32(r.IntN(7) - 3)
			}
			in, names = append(in, array(shape, x...)), append(names, fmt.Sprintf("x%d", k))
		}
		for l := range extents { // all operands may broadcast
			extents[l] = 1
			for k, term := range terms {
				if at := strings.IndexByte(term, l); at >= 0 {
					extents[l] = max(extents[l], in[k].Shape()[at])
				}
			}
		}
		out := ""
		r.Shuffle(len(used), func(a, b int) { used[a], used[b] = used[b], used[a] })
		for _, l := range used {
			if r.IntN(2) == 0 {
				out += string(l)
			}
		}
		equation := strings.Join(terms, ", ") + " -> " + out
		n := node("Einsum", strings.Join(names, ", ")+" -> y", "equation", equation)
		c := rowCase{opset: 12, node: n, in: in, want: of(einsumOf(terms, out, extents, in))}
		got, err := c.run(t, false)
		if err == nil {
			err = nearCase(got["y"], c.want[0])
		}
		if err != nil {
			t.Fatalf("%s of %v: %v", equation, in, err)
		}
	}
}

func TestEinsumForms(t *testing.T) {
	x, v := counted(2, 3), counted(3, 2)
	equation := func(text string, operands string) *proto.Node {
		return node("Einsum", operands+" -> y", "equation", text)
	}
	checkRows(t,
		rowCase{12, equation("ij,jk", "x, v"), of(x, v), of(f(s(2, 2), 10, 13, 28, 40)), ""},
		rowCase{12, equation("ba", "x"), of(x), of(f(s(3, 2), 0, 3, 1, 4, 2, 5)), ""},
		rowCase{12, equation("ii", "x"), of(counted(3, 3)), of(f(nil, 12)), ""},
		rowCase{12, equation("i...->...", "x"), of(x), of(f(s(3), 3, 5, 7)), ""},
		rowCase{12, equation("...i,...i->...", "x, v"), of(x, f(s(3), 1, 0, 2)), of(f(s(2), 4, 13)), ""},
		rowCase{12, equation("...ij,...jk", "x, v"), of(counted(1, 2, 3), v), of(f(s(1, 2, 2), 10, 13, 28, 40)), ""},
		rowCase{12, equation("i,j->ij", "x, v"), of(list(1, 2), list(3, 4)), of(i(s(2, 2), 3, 4, 6, 8)), ""},
		rowCase{12, equation("i,i", "x, v"), of(array(s(2), int8(100), 2), array(s(2), int8(2), 1)), of(array(nil, int8(-54))), ""},
		rowCase{12, equation("ij,jk->ik", "x, v"), of(counted(2, 0), counted(0, 2)), of(f(s(2, 2), 0, 0, 0, 0)), ""},
		rowCase{12, equation(",->", "x, v"), of(f(nil, 3), f(nil, 4)), of(f(nil, 12)), ""},
		rowCase{12, equation("i->ii", "x"), of(f(s(1), 3)), nil, "equation: the result has the dimension i twice"},
		rowCase{12, equation("i->j", "x"), of(f(s(1), 3)), nil, "equation: no operand has the dimension j of the result"},
		rowCase{12, equation("i,i->i", "x"), of(f(s(1), 3)), nil, "equation: it has 2 terms; there are 1 operands"},
		rowCase{12, equation("i1->i", "x"), of(x), nil, `equation: "1" is neither a letter nor an ellipsis`},
		rowCase{12, equation("......i->i", "x"), of(x), nil, "has two ellipses"},
		rowCase{12, equation("ijk->i", "x"), of(x), nil, `Inputs[0]: it is float32[2,3]; the term "ijk" of the equation is for rank 3`},
		rowCase{12, equation("...ijk->i", "x"), of(x), nil, `of the equation is for rank 3`},
		rowCase{12, equation("ii->i", "x"), of(x), nil, "equation: the dimensions i of float32[2,3] have the extents 2 and 3; they must be equal"},
		rowCase{12, equation("ij,ij->i", "x, v"), of(x, v), nil, "Inputs[1]: dimension i of float32[3,2] has the extent 3; elsewhere it is 2"},
	)
}
