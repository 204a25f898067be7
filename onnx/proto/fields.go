package proto

// The fields of all messages, with the numbers and names of onnx.proto.

func (*Model) table() any            { return modelFields }
func (*OperatorSet) table() any      { return operatorSetFields }
func (*StringEntry) table() any      { return stringEntryFields }
func (*Graph) table() any            { return graphFields }
func (*Node) table() any             { return nodeFields }
func (*Attribute) table() any        { return attributeFields }
func (*ValueInfo) table() any        { return valueInfoFields }
func (*TensorAnnotation) table() any { return tensorAnnotationFields }
func (*Function) table() any         { return functionFields }
func (*TrainingInfo) table() any     { return trainingInfoFields }
func (*Tensor) table() any           { return tensorFields }
func (*Segment) table() any          { return segmentFields }
func (*SparseTensor) table() any     { return sparseTensorFields }
func (*Type) table() any             { return typeFields }
func (*TensorType) table() any       { return tensorTypeFields }
func (*ElementType) table() any      { return elementTypeFields }
func (*MapType) table() any          { return mapTypeFields }
func (*OpaqueType) table() any       { return opaqueTypeFields }
func (*Shape) table() any            { return shapeFields }
func (*Dim) table() any              { return dimFields }
func (*Sequence) table() any         { return sequenceFields }
func (*Optional) table() any         { return optionalFields }

var modelFields = rows(
	row(1, "ir_version", number(signed, func(m *Model) *int64 { return &m.IRVersion })),
	row(2, "producer_name", text(func(m *Model) *string { return &m.ProducerName })),
	row(3, "producer_version", text(func(m *Model) *string { return &m.ProducerVersion })),
	row(4, "domain", text(func(m *Model) *string { return &m.Domain })),
	row(5, "model_version", number(signed, func(m *Model) *int64 { return &m.ModelVersion })),
	row(6, "doc_string", text(func(m *Model) *string { return &m.Doc })),
	row(7, "graph", one(func(m *Model) **Graph { return &m.Graph })),
	row(8, "opset_import", many(func(m *Model) *[]*OperatorSet { return &m.OpsetImport })),
	row(14, "metadata_props", many(func(m *Model) *[]*StringEntry { return &m.Metadata })),
	row(20, "training_info", many(func(m *Model) *[]*TrainingInfo { return &m.TrainingInfo })),
	row(25, "functions", many(func(m *Model) *[]*Function { return &m.Functions })),
)

var operatorSetFields = rows(
	row(1, "domain", text(func(m *OperatorSet) *string { return &m.Domain })),
	row(2, "version", number(signed, func(m *OperatorSet) *int64 { return &m.Version })),
)

var stringEntryFields = rows(
	row(1, "key", text(func(m *StringEntry) *string { return &m.Key })),
	row(2, "value", text(func(m *StringEntry) *string { return &m.Value })),
)

var graphFields = rows(
	row(1, "node", many(func(m *Graph) *[]*Node { return &m.Node })),
	row(2, "name", text(func(m *Graph) *string { return &m.Name })),
	row(5, "initializer", many(func(m *Graph) *[]*Tensor { return &m.Initializer })),
	row(10, "doc_string", text(func(m *Graph) *string { return &m.Doc })),
	row(11, "input", many(func(m *Graph) *[]*ValueInfo { return &m.Input })),
	row(12, "output", many(func(m *Graph) *[]*ValueInfo { return &m.Output })),
	row(13, "value_info", many(func(m *Graph) *[]*ValueInfo { return &m.ValueInfo })),
	row(14, "quantization_annotation", many(func(m *Graph) *[]*TensorAnnotation { return &m.QuantizationAnnotation })),
	row(15, "sparse_initializer", many(func(m *Graph) *[]*SparseTensor { return &m.SparseInitializer })),
	row(16, "metadata_props", many(func(m *Graph) *[]*StringEntry { return &m.Metadata })),
)

var nodeFields = rows(
	row(1, "input", texts(func(m *Node) *[]string { return &m.Input })),
	row(2, "output", texts(func(m *Node) *[]string { return &m.Output })),
	row(3, "name", text(func(m *Node) *string { return &m.Name })),
	row(4, "op_type", text(func(m *Node) *string { return &m.OpType })),
	row(5, "attribute", many(func(m *Node) *[]*Attribute { return &m.Attribute })),
	row(6, "doc_string", text(func(m *Node) *string { return &m.Doc })),
	row(7, "domain", text(func(m *Node) *string { return &m.Domain })),
	row(8, "overload", text(func(m *Node) *string { return &m.Overload })),
	row(9, "metadata_props", many(func(m *Node) *[]*StringEntry { return &m.Metadata })),
)

// The value of an attribute is written even if it is zero: some readers look for it.
var attributeFields = rows(
	row(1, "name", text(func(m *Attribute) *string { return &m.Name })),
	row(2, "f", number(single, func(m *Attribute) *float32 { return &m.F }).
		when(func(m *Attribute) bool { return m.Type == AttributeFloat || single.bits(m.F) != 0 })),
	row(3, "i", number(signed, func(m *Attribute) *int64 { return &m.I }).
		when(func(m *Attribute) bool { return m.Type == AttributeInt || m.I != 0 })),
	row(4, "s", text(func(m *Attribute) *string { return &m.S }).
		when(func(m *Attribute) bool { return m.Type == AttributeString || m.S != "" })),
	row(5, "t", one(func(m *Attribute) **Tensor { return &m.T })),
	row(6, "g", one(func(m *Attribute) **Graph { return &m.G })),
	row(7, "floats", numbers(single, func(m *Attribute) *[]float32 { return &m.Floats })),
	row(8, "ints", numbers(signed, func(m *Attribute) *[]int64 { return &m.Ints })),
	row(9, "strings", texts(func(m *Attribute) *[]string { return &m.Strings })),
	row(10, "tensors", many(func(m *Attribute) *[]*Tensor { return &m.Tensors })),
	row(11, "graphs", many(func(m *Attribute) *[]*Graph { return &m.Graphs })),
	row(13, "doc_string", text(func(m *Attribute) *string { return &m.Doc })),
	row(14, "tp", one(func(m *Attribute) **Type { return &m.TP })),
	row(15, "type_protos", many(func(m *Attribute) *[]*Type { return &m.TypeProtos })),
	row(20, "type", enum(func(m *Attribute) *AttributeType { return &m.Type })),
	row(21, "ref_attr_name", text(func(m *Attribute) *string { return &m.RefAttrName })),
	row(22, "sparse_tensor", one(func(m *Attribute) **SparseTensor { return &m.SparseTensor })),
	row(23, "sparse_tensors", many(func(m *Attribute) *[]*SparseTensor { return &m.SparseTensors })),
)

var valueInfoFields = rows(
	row(1, "name", text(func(m *ValueInfo) *string { return &m.Name })),
	row(2, "type", one(func(m *ValueInfo) **Type { return &m.Type })),
	row(3, "doc_string", text(func(m *ValueInfo) *string { return &m.Doc })),
	row(4, "metadata_props", many(func(m *ValueInfo) *[]*StringEntry { return &m.Metadata })),
)

var tensorAnnotationFields = rows(
	row(1, "tensor_name", text(func(m *TensorAnnotation) *string { return &m.TensorName })),
	row(2, "quant_parameter_tensor_names", many(func(m *TensorAnnotation) *[]*StringEntry { return &m.QuantParameterTensorNames })),
)

var functionFields = rows(
	row(1, "name", text(func(m *Function) *string { return &m.Name })),
	row(4, "input", texts(func(m *Function) *[]string { return &m.Input })),
	row(5, "output", texts(func(m *Function) *[]string { return &m.Output })),
	row(6, "attribute", texts(func(m *Function) *[]string { return &m.Attribute })),
	row(7, "node", many(func(m *Function) *[]*Node { return &m.Node })),
	row(8, "doc_string", text(func(m *Function) *string { return &m.Doc })),
	row(9, "opset_import", many(func(m *Function) *[]*OperatorSet { return &m.OpsetImport })),
	row(10, "domain", text(func(m *Function) *string { return &m.Domain })),
	row(11, "attribute_proto", many(func(m *Function) *[]*Attribute { return &m.AttributeProto })),
	row(12, "value_info", many(func(m *Function) *[]*ValueInfo { return &m.ValueInfo })),
	row(13, "overload", text(func(m *Function) *string { return &m.Overload })),
	row(14, "metadata_props", many(func(m *Function) *[]*StringEntry { return &m.Metadata })),
)

var trainingInfoFields = rows(
	row(1, "initialization", one(func(m *TrainingInfo) **Graph { return &m.Initialization })),
	row(2, "algorithm", one(func(m *TrainingInfo) **Graph { return &m.Algorithm })),
	row(3, "initialization_binding", many(func(m *TrainingInfo) *[]*StringEntry { return &m.InitializationBinding })),
	row(4, "update_binding", many(func(m *TrainingInfo) *[]*StringEntry { return &m.UpdateBinding })),
)

var tensorFields = rows(
	row(1, "dims", numbers(signed, func(m *Tensor) *[]int64 { return &m.Dims })),
	row(2, "data_type", enum(func(m *Tensor) *DataType { return &m.DataType })),
	row(3, "segment", one(func(m *Tensor) **Segment { return &m.Segment })),
	row(4, "float_data", packed(viewed(single), func(m *Tensor) *[]float32 { return &m.FloatData })),
	row(5, "int32_data", packed(narrow[int32](), func(m *Tensor) *[]int32 { return &m.Int32Data })),
	row(6, "string_data", texts(func(m *Tensor) *[]string { return &m.StringData })),
	row(7, "int64_data", packed(signed, func(m *Tensor) *[]int64 { return &m.Int64Data })),
	row(8, "name", text(func(m *Tensor) *string { return &m.Name })),
	row(9, "raw_data", data(func(m *Tensor) *[]byte { return &m.RawData })),
	row(10, "double_data", packed(viewed(double), func(m *Tensor) *[]float64 { return &m.DoubleData })),
	row(11, "uint64_data", packed(unsigned, func(m *Tensor) *[]uint64 { return &m.Uint64Data })),
	row(12, "doc_string", text(func(m *Tensor) *string { return &m.Doc })),
	row(13, "external_data", many(func(m *Tensor) *[]*StringEntry { return &m.ExternalData })),
	row(14, "data_location", enum(func(m *Tensor) *DataLocation { return &m.DataLocation })),
	row(16, "metadata_props", many(func(m *Tensor) *[]*StringEntry { return &m.Metadata })),
)

var segmentFields = rows(
	row(1, "begin", number(signed, func(m *Segment) *int64 { return &m.Begin })),
	row(2, "end", number(signed, func(m *Segment) *int64 { return &m.End })),
)

var sparseTensorFields = rows(
	row(1, "values", one(func(m *SparseTensor) **Tensor { return &m.Values })),
	row(2, "indices", one(func(m *SparseTensor) **Tensor { return &m.Indices })),
	row(3, "dims", numbers(signed, func(m *SparseTensor) *[]int64 { return &m.Dims })),
)

// The kinds of a type are alternatives: the last one counts.
var typeFields = rows(
	row(1, "tensor_type", one(func(m *Type) **TensorType { return &m.Tensor }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, Tensor: m.Tensor} })),
	row(4, "sequence_type", one(func(m *Type) **ElementType { return &m.Sequence }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, Sequence: m.Sequence} })),
	row(5, "map_type", one(func(m *Type) **MapType { return &m.Map }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, Map: m.Map} })),
	row(6, "denotation", text(func(m *Type) *string { return &m.Denotation })),
	row(7, "opaque_type", one(func(m *Type) **OpaqueType { return &m.Opaque }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, Opaque: m.Opaque} })),
	row(8, "sparse_tensor_type", one(func(m *Type) **TensorType { return &m.SparseTensor }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, SparseTensor: m.SparseTensor} })),
	row(9, "optional_type", one(func(m *Type) **ElementType { return &m.Optional }).
		then(func(m *Type) { *m = Type{Denotation: m.Denotation, Optional: m.Optional} })),
)

var tensorTypeFields = rows(
	row(1, "elem_type", enum(func(m *TensorType) *DataType { return &m.ElemType })),
	row(2, "shape", one(func(m *TensorType) **Shape { return &m.Shape })),
)

var elementTypeFields = rows(
	row(1, "elem_type", one(func(m *ElementType) **Type { return &m.ElemType })),
)

var mapTypeFields = rows(
	row(1, "key_type", enum(func(m *MapType) *DataType { return &m.KeyType })),
	row(2, "value_type", one(func(m *MapType) **Type { return &m.ValueType })),
)

var opaqueTypeFields = rows(
	row(1, "domain", text(func(m *OpaqueType) *string { return &m.Domain })),
	row(2, "name", text(func(m *OpaqueType) *string { return &m.Name })),
)

var shapeFields = rows(
	row(1, "dim", many(func(m *Shape) *[]*Dim { return &m.Dim })),
)

// A number and a parameter are alternatives: the last one counts.
var dimFields = rows(
	row(1, "dim_value", number(signed, func(m *Dim) *int64 { return &m.Value }).
		when(func(m *Dim) bool { return m.Known }).
		then(func(m *Dim) { m.Known, m.Param = true, "" })),
	row(2, "dim_param", text(func(m *Dim) *string { return &m.Param }).
		then(func(m *Dim) { m.Known, m.Value = false, 0 })),
	row(3, "denotation", text(func(m *Dim) *string { return &m.Denotation })),
)

var sequenceFields = rows(
	row(1, "name", text(func(m *Sequence) *string { return &m.Name })),
	row(2, "elem_type", enum(func(m *Sequence) *ElementKind { return &m.ElemType })),
	row(3, "tensor_values", many(func(m *Sequence) *[]*Tensor { return &m.TensorValues })),
	row(4, "sparse_tensor_values", many(func(m *Sequence) *[]*SparseTensor { return &m.SparseTensorValues })),
	row(5, "sequence_values", many(func(m *Sequence) *[]*Sequence { return &m.SequenceValues })),
	row(7, "optional_values", many(func(m *Sequence) *[]*Optional { return &m.OptionalValues })),
)

var optionalFields = rows(
	row(1, "name", text(func(m *Optional) *string { return &m.Name })),
	row(2, "elem_type", enum(func(m *Optional) *ElementKind { return &m.ElemType })),
	row(3, "tensor_value", one(func(m *Optional) **Tensor { return &m.TensorValue })),
	row(4, "sparse_tensor_value", one(func(m *Optional) **SparseTensor { return &m.SparseTensorValue })),
	row(5, "sequence_value", one(func(m *Optional) **Sequence { return &m.SequenceValue })),
	row(7, "optional_value", one(func(m *Optional) **Optional { return &m.OptionalValue })),
)
