package webnn

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestGenericRules breaks every generic rule for every argument and option of every method: the value is of the wrong kind, out
// of range, not finite, no member of its enumeration, or an operand of another builder, of a wrong type or of a wrong rank.
func TestGenericRules(t *testing.T) {
	c, err := ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	for i := range methods {
		m := &methods[i]
		t.Run(m.name, func(t *testing.T) {
			checkRule(t, c, m, "", nil, "")
			for _, p := range slices.Concat(m.args, m.options) {
				for _, w := range wrongValues(m, p) {
					checkRule(t, c, m, p.name, w.value, p.name+"."+w.rule)
				}
			}
		})
	}
}

// wrongValue is a value for a parameter and the rule that it breaks. The descriptor of an operand stands for the operand.
type wrongValue struct {
	rule  string
	value any
}

func wrongValues(m *method, p param) []wrongValue {
	wrong := []wrongValue{{"kind", struct{}{}}, {"kind", nil}}
	switch p.kind {
	case kindInt:
		wrong = append(wrong, wrongValue{"range", -1}, wrongValue{"range", 0x1p32}, wrongValue{"kind", []int{1}})
	case kindLong:
		wrong = append(wrong, wrongValue{"range", -0x1p31 - 1}, wrongValue{"range", 0x1p31})
	case kindInts, kindIntOrInts:
		if n := math.MaxInt & (1 << 32); n != 0 { // which an int of 32 bits does not hold
			wrong = append(wrong, wrongValue{"range", []int{n}})
		}
		wrong = append(wrong, wrongValue{"range", []int{-1}}, wrongValue{"kind", []string{"1"}})
	case kindFloat:
		wrong = append(wrong, wrongValue{"finite", math.NaN()}, wrongValue{"finite", math.Inf(1)})
	case kindFloats:
		wrong = append(wrong, wrongValue{"finite", []float64{math.NaN()}}, wrongValue{"finite", []float64{1e39}})
	case kindNumber:
		wrong = append(wrong, wrongValue{"kind", (*Float)(nil)}, wrongValue{"kind", BigInt{}}, wrongValue{"kind", (*big.Int)(nil)})
	case kindEnum:
		wrong = append(wrong, wrongValue{"enum", "?"}, wrongValue{"enum", ""})
	case kindEnums:
		wrong = append(wrong, wrongValue{"enum", []string{"?"}})
	case kindType:
		wrong = append(wrong, wrongValue{"enum", tensor.Bool})
	case kindOperand:
		wrong = append(wrong, wrongOperands(m, p)...)
	}
	return wrong
}

// wrongOperands are descriptors of operands that are not allowed, and an operand of another builder.
func wrongOperands(m *method, p param) []wrongValue {
	row := m.limits[slices.IndexFunc(m.limits, func(r operandLimits) bool { return r.name == p.name })]
	limits := opSupportLimits(1000).Operators[m.name]
	shape := slices.Repeat(tensor.Shape{1}, required(m, row.name).RequiredRanks.Min)
	wrong := []wrongValue{{"builder", &Operand{owner: &GraphBuilder{}}}, {"kind", (*Operand)(nil)}}
	for _, d := range DataTypes {
		if d != limits[row.name].DataTypes[0] && (row.sameType != "" || !slices.Contains(row.types, d)) {
			wrong = append(wrong, wrongValue{"dataType", OperandDescriptor{d, shape}})
			break
		}
	}
	ranks := limits[row.name].RankRange
	if ranks.Max < MaxRank {
		s := slices.Repeat(tensor.Shape{1}, ranks.Max+1)
		wrong = append(wrong, wrongValue{"rank", OperandDescriptor{limits[row.name].DataTypes[0], s}})
	}
	if ranks.Min > 0 && row.sameRank == "" {
		s := slices.Repeat(tensor.Shape{1}, ranks.Min-1)
		wrong = append(wrong, wrongValue{"rank", OperandDescriptor{limits[row.name].DataTypes[0], s}})
	}
	return wrong
}

// checkRule makes the sample call of a method with another value for one parameter, if there is one, and expects the rule.
func checkRule(t *testing.T, c *Context, m *method, name string, value any, rule string) {
	t.Helper()
	b, err := NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSample(m)
	if err != nil {
		t.Fatal(err)
	}
	ranks := make(map[string]int)
	for _, row := range m.limits {
		ranks[row.name] = required(m, row.name).RequiredRanks.Min
	}
	bound := func(p param) any {
		v := s.value(p, ranks)
		switch list, _ := v.([]*graph.Value); {
		case p.name == name:
			v = value
		case len(list) > 0:
			return []*Operand{newOperand(t, b, list[0])}
		}
		switch v := v.(type) {
		case *graph.Value:
			return newOperand(t, b, v)
		case OperandDescriptor:
			return newOperand(t, b, &graph.Value{Type: graph.Type{DType: v.DataType, Shape: v.Shape}})
		}
		return v
	}
	var args []any
	for _, p := range m.args {
		args = append(args, bound(p))
	}
	options := make(Options)
	for _, p := range m.options {
		if v := bound(p); v != nil || p.name == name {
			options[p.name] = v
		}
	}
	_, err = b.Call(m.name, args, options)
	var e *Error
	switch {
	case rule == "" && err != nil:
		t.Errorf("the sample is rejected: %v", err)
	case rule != "" && (!errors.As(err, &e) || e.Rule != m.name+"."+rule || e.Name != TypeError):
		t.Errorf("%s = %v: the error is %v; want one by rule %s", name, value, err, rule)
	}
}

func newOperand(t *testing.T, b *GraphBuilder, like *graph.Value) *Operand {
	t.Helper()
	o, err := b.Input(fmt.Sprint("input", len(b.inputs)), OperandDescriptor{like.Type.DType, like.Type.Shape})
	if err != nil {
		t.Fatal(err)
	}
	return o
}
