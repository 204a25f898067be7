package proto

// Type is the type of a value (TypeProto). At most one of the pointers is not nil.
type Type struct {
	Tensor       *TensorType  `wire:"1,tensor_type"`
	Sequence     *ElementType `wire:"4,sequence_type"`
	Map          *MapType     `wire:"5,map_type"`
	Denotation   string       `wire:"6,denotation"`
	Opaque       *OpaqueType  `wire:"7,opaque_type"`
	SparseTensor *TensorType  `wire:"8,sparse_tensor_type"`
	Optional     *ElementType `wire:"9,optional_type"`
}

// TensorType is the type of a tensor, or of a sparse one.
type TensorType struct {
	ElemType DataType `wire:"1,elem_type"`
	Shape    *Shape   `wire:"2,shape"` // nil if not even the rank is known
}

// ElementType is the type of a sequence of values of a type, or of such a value that may be absent.
type ElementType struct {
	ElemType *Type `wire:"1,elem_type"`
}

// MapType is the type of a map.
type MapType struct {
	KeyType   DataType `wire:"1,key_type"`
	ValueType *Type    `wire:"2,value_type"`
}

// OpaqueType is a type that only has a name.
type OpaqueType struct {
	Domain string `wire:"1,domain"`
	Name   string `wire:"2,name"`
}

// Shape lists the extents of a tensor (TensorShapeProto).
type Shape struct {
	Dim []*Dim `wire:"1,dim"`
}

// Dim is an extent: a number if Known, else that for which Param stands, or any if Param is "".
type Dim struct {
	Value      int64  `wire:"1,dim_value"`
	Param      string `wire:"2,dim_param"`
	Denotation string `wire:"3,denotation"`
	Known      bool
}
