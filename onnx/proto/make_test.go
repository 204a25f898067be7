package proto

import (
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

func TestNewAttribute(t *testing.T) {
	for _, c := range []struct {
		value any
		want  Attribute
	}{
		{true, Attribute{Type: AttributeInt, I: 1}},
		{false, Attribute{Type: AttributeInt}},
		{-2, Attribute{Type: AttributeInt, I: -2}},
		{int64(-2), Attribute{Type: AttributeInt, I: -2}},
		{tensor.Float32, Attribute{Type: AttributeInt, I: int64(Float)}},
		{float32(0.1), Attribute{Type: AttributeFloat, F: 0.1}},
		{0.1, Attribute{Type: AttributeFloat, F: 0.1}},
		{"a", Attribute{Type: AttributeString, S: "a"}},
		{[]int{1, -2}, Attribute{Type: AttributeInts, Ints: []int64{1, -2}}},
		{[]int64{1, -2}, Attribute{Type: AttributeInts, Ints: []int64{1, -2}}},
		{[]float32{0.1}, Attribute{Type: AttributeFloats, Floats: []float32{0.1}}},
		{[]float64{0.1}, Attribute{Type: AttributeFloats, Floats: []float32{0.1}}},
		{[]string{"a"}, Attribute{Type: AttributeStrings, Strings: []string{"a"}}},
		{&Tensor{Name: "t"}, Attribute{Type: AttributeTensor, T: &Tensor{Name: "t"}}},
		{&Graph{Name: "g"}, Attribute{Type: AttributeGraph, G: &Graph{Name: "g"}}},
		{&Type{}, Attribute{Type: AttributeTypeProto, TP: &Type{}}},
	} {
		c.want.Name = "x"
		if got, err := NewAttribute("x", c.value); err != nil || !reflect.DeepEqual(got, &c.want) {
			t.Errorf("%T: %+v, %v; want %+v", c.value, got, err, c.want)
		}
	}
	for _, value := range []any{nil, struct{}{}, uint8(1), []bool{true}, tensor.Invalid} {
		if got, err := NewAttribute("x", value); err == nil {
			t.Errorf("%T becomes %+v", value, got)
		} else if value != tensor.Invalid && !strings.Contains(err.Error(), "it must be") {
			t.Errorf("%T: %v", value, err)
		}
	}
}

func TestNewValueInfo(t *testing.T) {
	for _, s := range []*Shape{nil, {}, {Dim: []*Dim{{Known: true, Value: 2}, {Known: true}}}} {
		got := NewValueInfo("x", Float, s)
		if got.Name != "x" || got.Type.Tensor.ElemType != Float || got.Type.Tensor.Shape != s {
			t.Errorf("%+v", got)
		}
	}
	if got := NewShape([]int{2, 0}); !reflect.DeepEqual(got, &Shape{Dim: []*Dim{{Known: true, Value: 2}, {Known: true}}}) {
		t.Errorf("%+v", got)
	}
}
