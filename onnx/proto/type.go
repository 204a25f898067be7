package proto

// Type is the type of a value (TypeProto). At most one of the pointers is not nil.
type Type struct {
	Tensor       *TensorType
	Sequence     *ElementType
	Map          *MapType
	Denotation   string
	Opaque       *OpaqueType
	SparseTensor *TensorType
	Optional     *ElementType
}

// TensorType is the type of a tensor, or of a sparse one.
type TensorType struct {
	ElemType DataType
	Shape    *Shape // nil if not even the rank is known
}

// ElementType is the type of a sequence of values of a type, or of such a value that may be absent.
type ElementType struct{ ElemType *Type }

// MapType is the type of a map.
type MapType struct {
	KeyType   DataType
	ValueType *Type
}

// OpaqueType is a type that only has a name.
type OpaqueType struct{ Domain, Name string }

// Shape lists the extents of a tensor (TensorShapeProto).
type Shape struct{ Dim []*Dim }

// Dim is an extent: a number if Known, else that for which Param stands, or any if Param is "".
type Dim struct {
	Value      int64
	Param      string
	Denotation string
	Known      bool
}
