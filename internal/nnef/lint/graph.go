package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
)

// CodeBroadcast marks operands whose alignment on the left makes the result larger than the operand of the highest rank.
const CodeBroadcast syntax.Code = 1290

// Graph returns the warnings about a flattened graph whose shapes were inferred, in the order of the text.
func Graph(g *flat.Graph) syntax.Diagnostics {
	var list syntax.Diagnostics
	for _, o := range g.Ops {
		if !broadcasts(o.Op.Name) { // so it has a site
			continue
		}
		if err := enlarged(o); err != nil {
			d := o.Site.Diagnostic(err)
			d.Severity = syntax.Warning
			list = append(list, d)
		}
	}
	list.Sort()
	return list
}

// broadcasts reports whether the operands of an operation are broadcast to one shape.
func broadcasts(name string) bool {
	d, ok := op.Lookup(name)
	return ok && d.Traits.Has(op.Elementwise) && len(d.In) > 1
}

// enlarged reports an operand of lower rank than another one that is longer where the other has the extent 1. Whoever
// writes that mostly means shapes to be aligned on the right.
func enlarged(o *flat.Op) error {
	var longest *flat.Tensor
	for _, v := range o.Args {
		if t, ok := v.(*flat.Tensor); ok && t.Known && (longest == nil || len(t.Shape) > len(longest.Shape)) {
			longest = t
		}
	}
	for i, v := range o.Args {
		t, ok := v.(*flat.Tensor)
		if !ok || !t.Known || len(t.Shape) == len(longest.Shape) {
			continue
		}
		for axis, n := range t.Shape {
			if n == 1 || longest.Shape[axis] != 1 {
				continue
			}
			return &eval.Error{Code: CodeBroadcast, Arg: o.Op.Params[i].Name, Hint: hint(t.Shape, longest.Shape),
				Msg: fmt.Sprintf("shapes are aligned on the left: dimension %d is %d in %s and 1 in %s, so that it is %d in the result",
					axis, n, extents(t.Shape), extents(longest.Shape), n)}
		}
	}
	return nil
}

// hint returns the shape that aligns a shorter one on the right, if that fits.
func hint(short, long []int) string {
	lead := len(long) - len(short)
	padded := append(slices.Repeat([]int{1}, lead), short...)
	for i, n := range padded {
		if n != 1 && n != long[i] {
			if channels := []int{1, short[0]}; len(short) == 1 && len(long) > 1 && long[1] == short[0] {
				return "for a value of each channel write the shape " + extents(channels)
			}
			return ""
		}
	}
	return "to align it on the right write the shape " + extents(padded)
}

func extents(shape []int) string {
	return "[" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]") + "]"
}
