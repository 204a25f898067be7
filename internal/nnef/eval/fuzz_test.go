package eval

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// FuzzExpression holds expressions to ending within the limits, and their values to the types that checking finds.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"2 + 3 * 4 ^ n", "[1, 2] * n + v[1:]", "x * y if b && n > 1 else -x ^ 2.0", "[for i in v, j in range_of(v) if i > j yield (i, [s, 1.0])][0][1]",
		"'ab' * n + string(s) + t[0]", "sum([x, 1.0, y])", "two(x)[0] + pool(x, size = [1] + v, k = s)", "join([x, y]) < x || c", "scalar('1.5') / s",
		"integer(s) in [n, 1]", "shape_of(x) + [length_of(v)]", "cast<scalar>(c) if false else 0.5", "same(c)", "neg(0.5) * 2.0", "[x, 1.0][1] + 1.0",
		"(p[0], p[1] + 1.0)[1]", "[] if b else v", "[[], [1]][1:2]", "f(x = x, a = 1.0)",
	} {
		f.Add(text)
	}
	lib := newFakes(f, library)
	known := map[string]Value{
		"x": fake{syntax.Scalar, []int{4, 5}, "x"}, "y": fake{syntax.Scalar, nil, "y"}, "c": fake{syntax.Logical, []int{}, "c"},
		"v": Array{int64(1), int64(2), int64(3)}, "n": int64(2), "s": 0.5, "b": true, "t": "text", "p": Tuple{int64(1), fake{syntax.Scalar, nil, "p"}},
	}
	unknown := make(map[string]Value)
	for name, v := range known {
		unknown[name] = unknownOf(new(Evaluator).typeOf(v), -1)
	}
	limits := Limits{Depth: 20, Steps: 5000, Items: 5000, Calls: 200}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := syntax.ParseExpr("fuzz", text)
		if err != nil || len(text) > 1000 {
			return
		}
		run := func(vars map[string]Value, checking bool) (*Evaluator, Value, error) {
			e := New(limits)
			e.checking = checking
			v, err := e.eval(&frame{place: &place{op: &Operation{Scope: lib, Source: syntax.NewSource("fuzz", text)}}, vars: scopeOf(vars)}, x, nil)
			return e, v, err
		}
		c, checked, errChecked := run(unknown, true)
		e, v, err := run(known, false)
		if errChecked != nil || len(c.diagnostics) > 0 {
			return
		}
		var d *fault
		if errors.As(err, &d) {
			if c := d.Class(); c != syntax.ClassEval && d.Code != CodeAttribute {
				t.Errorf("the evaluation of %s, which is %s, finds %v", text, e.typeName(checked), err)
			}
			return
		}
		_ = Text(v)
		if m := e.rigid(); err == nil && !m.fits(unknownOf(e.typeOf(v), -1), e.typeOf(checked)) {
			t.Errorf("%s is %s; checking says %s", text, e.typeName(v), e.typeName(checked))
		}
	})
}
