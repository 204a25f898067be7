package webnn

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// TestHostile calls every method with arguments and options that no page should give. Each call returns operands that
// the builder can go on with, or an error, and none panics.
func TestHostile(t *testing.T) {
	testdata.Wide(t)
	calls := testdata.Cases(800, 10_000)
	c, err := ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range methods {
		t.Run(m.name, func(t *testing.T) {
			r := hostile{rand.New(rand.NewPCG(1, 2))}
			var b *GraphBuilder
			var operands []*Operand
			for i := range calls {
				if i%10 == 0 {
					b, err = NewGraphBuilder(c)
					if err != nil {
						t.Fatal(err)
					}
					operands = r.operands(t, b)
				}
				args, options := make([]any, len(m.args)), Options{}
				for i, p := range m.args {
					args[i] = r.value(p.kind, operands)
				}
				for _, p := range m.options {
					if r.IntN(3) == 0 {
						options[p.name] = r.value(p.kind, operands)
					}
				}
				out, err := b.Call(m.name, args, options)
				if err != nil {
					checkRejection(t, m.name, err)
					continue
				}
				for _, o := range out {
					if err := o.Shape().Check(); err != nil || o.DataType() == tensor.Invalid {
						t.Fatalf("%v %v: result %v %v: %v", args, options, o.DataType(), o.Shape(), err)
					}
				}
			}
		})
	}
}

// checkRejection checks that an error names its kind, its method and the rule that is broken, and that no operator had to
// refuse what the rules let pass.
func checkRejection(t *testing.T, method string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("the error %v is no *Error", err)
	}
	if e.Name != TypeError || e.Method != "MLGraphBuilder."+method || !strings.HasPrefix(e.Rule, method+".") || e.Reason == "" {
		t.Fatalf("the error is %#v", e)
	}
	if e.Rule == method+".operator" {
		t.Fatalf("no rule of the method rejects what an operator refuses: %v", e)
	}
}

type hostile struct{ *rand.Rand }

// operands adds inputs of one type, mostly, and of related shapes, some of them huge.
func (r hostile) operands(t *testing.T, b *GraphBuilder) []*Operand {
	var list []*Operand
	d := DataTypes[r.IntN(len(DataTypes))]
	shape := tensor.Shape{}
	for range r.IntN(6) {
		shape = append(shape, pick(r, []int{1, 2, 3, 4, 4, 4, 1<<31 - 1}))
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		s := shape.Clone()
		if r.IntN(3) == 0 && len(s) > 0 {
			s = s[r.IntN(len(s)):]
		}
		if r.IntN(4) == 0 {
			d = DataTypes[r.IntN(len(DataTypes))]
		}
		o, err := b.Input(name, OperandDescriptor{d, s})
		if err != nil { // such as too many elements
			o, err = b.Input(name, OperandDescriptor{d, tensor.Shape{}})
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	return list
}

func pick[T any](r hostile, list []T) T { return list[r.IntN(len(list))] }

func (r hostile) int() int {
	if r.IntN(3) > 0 {
		return r.IntN(6) - 1
	}
	return pick(r, []int{1 << 30, 1<<31 - 1, math.MaxInt & (1 << 31), math.MaxInt & (1 << 40), math.MaxInt, math.MinInt, math.MaxInt - 1, -1 << 31})
}

func (r hostile) float() float64 {
	return pick(r, []float64{0, 1, -1, 0.5, 2, 1e-300, 1e300, math.Inf(1), math.Inf(-1), math.NaN()})
}

func many[T any](r hostile, f func() T) []T {
	list := make([]T, pick(r, []int{0, 1, 2, 2, 3, 4, 4, 4, 20}))
	for i := range list {
		list[i] = f()
	}
	return list
}

// value returns a value of the kind, or sometimes of another one.
func (r hostile) value(k kind, operands []*Operand) any {
	if r.IntN(20) == 0 {
		k = kind(r.IntN(int(kindType) + 2))
	}
	switch k {
	case kindOperand:
		return pick(r, operands)
	case kindOperands:
		return many(r, func() *Operand { return pick(r, append(slices.Clone(operands), nil)) })
	case kindInt, kindLong:
		return r.int()
	case kindInts:
		return many(r, r.int)
	case kindIntOrInts:
		if r.IntN(2) == 0 {
			return r.int()
		}
		return many(r, r.int)
	case kindFloat:
		return r.float()
	case kindFloats:
		return many(r, r.float)
	case kindNumber:
		if r.IntN(2) == 0 {
			return new(big.Int).Lsh(big.NewInt(-1), uint(r.IntN(100)))
		}
		return r.float()
	case kindBool:
		return r.IntN(2) == 0
	case kindEnum:
		return pick(r, []string{"", "nhwc", "nchw", "hwio", "ohwi", "edge", "reflection", "linear", "both", "rzn", "ceil"})
	case kindEnums:
		return many(r, func() string { return pick(r, []string{"relu", "tanh", "sigmoid", "", "?"}) })
	case kindType:
		return tensor.DType(r.IntN(20))
	}
	return nil
}
