package proto

import (
	"math"

	"github.com/concord-nn/concord/internal/wire"
)

// What the tags of the messages, which have the numbers and names of onnx.proto, do not say.
func init() {
	// The value of an attribute is written even if it is zero: some readers look for it.
	wire.Refine(func(t wire.Table[Attribute]) {
		t.When(2, func(m *Attribute) bool { return m.Type == AttributeFloat || math.Float32bits(m.F) != 0 })
		t.When(3, func(m *Attribute) bool { return m.Type == AttributeInt || m.I != 0 })
		t.When(4, func(m *Attribute) bool { return m.Type == AttributeString || m.S != "" })
	})
	// The kinds of a type are alternatives: the last one counts.
	wire.Refine(func(t wire.Table[Type]) {
		t.Then(1, func(m *Type) { *m = Type{Denotation: m.Denotation, Tensor: m.Tensor} })
		t.Then(4, func(m *Type) { *m = Type{Denotation: m.Denotation, Sequence: m.Sequence} })
		t.Then(5, func(m *Type) { *m = Type{Denotation: m.Denotation, Map: m.Map} })
		t.Then(7, func(m *Type) { *m = Type{Denotation: m.Denotation, Opaque: m.Opaque} })
		t.Then(8, func(m *Type) { *m = Type{Denotation: m.Denotation, SparseTensor: m.SparseTensor} })
		t.Then(9, func(m *Type) { *m = Type{Denotation: m.Denotation, Optional: m.Optional} })
	})
	// A number and a parameter are alternatives, too.
	wire.Refine(func(t wire.Table[Dim]) {
		t.When(1, func(m *Dim) bool { return m.Known })
		t.Then(1, func(m *Dim) { m.Known, m.Param = true, "" })
		t.Then(2, func(m *Dim) { m.Known, m.Value = false, 0 })
	})
}
