package proto

import "github.com/concord-nn/concord/internal/wire"

// The fields of all messages, with the numbers and names of onnx.proto.

var (
	modelFields            wire.Table[Model]
	operatorSetFields      wire.Table[OperatorSet]
	stringEntryFields      wire.Table[StringEntry]
	graphFields            wire.Table[Graph]
	nodeFields             wire.Table[Node]
	attributeFields        wire.Table[Attribute]
	valueInfoFields        wire.Table[ValueInfo]
	tensorAnnotationFields wire.Table[TensorAnnotation]
	functionFields         wire.Table[Function]
	trainingInfoFields     wire.Table[TrainingInfo]
	tensorFields           wire.Table[Tensor]
	segmentFields          wire.Table[Segment]
	sparseTensorFields     wire.Table[SparseTensor]
	typeFields             wire.Table[Type]
	tensorTypeFields       wire.Table[TensorType]
	elementTypeFields      wire.Table[ElementType]
	mapTypeFields          wire.Table[MapType]
	opaqueTypeFields       wire.Table[OpaqueType]
	shapeFields            wire.Table[Shape]
	dimFields              wire.Table[Dim]
	sequenceFields         wire.Table[Sequence]
	optionalFields         wire.Table[Optional]
)

func init() {
	modelFields.Set(func(m *Model) []wire.Field {
		return []wire.Field{
			wire.Number(1, "ir_version", wire.Signed, &m.IRVersion),
			wire.Text(2, "producer_name", &m.ProducerName),
			wire.Text(3, "producer_version", &m.ProducerVersion),
			wire.Text(4, "domain", &m.Domain),
			wire.Number(5, "model_version", wire.Signed, &m.ModelVersion),
			wire.Text(6, "doc_string", &m.Doc),
			wire.One(7, "graph", &graphFields, &m.Graph),
			wire.Many(8, "opset_import", &operatorSetFields, &m.OpsetImport),
			wire.Many(14, "metadata_props", &stringEntryFields, &m.Metadata),
			wire.Many(20, "training_info", &trainingInfoFields, &m.TrainingInfo),
			wire.Many(25, "functions", &functionFields, &m.Functions),
		}
	})

	operatorSetFields.Set(func(m *OperatorSet) []wire.Field {
		return []wire.Field{
			wire.Text(1, "domain", &m.Domain),
			wire.Number(2, "version", wire.Signed, &m.Version),
		}
	})

	stringEntryFields.Set(func(m *StringEntry) []wire.Field {
		return []wire.Field{
			wire.Text(1, "key", &m.Key),
			wire.Text(2, "value", &m.Value),
		}
	})

	graphFields.Set(func(m *Graph) []wire.Field {
		return []wire.Field{
			wire.Many(1, "node", &nodeFields, &m.Node),
			wire.Text(2, "name", &m.Name),
			wire.Many(5, "initializer", &tensorFields, &m.Initializer),
			wire.Text(10, "doc_string", &m.Doc),
			wire.Many(11, "input", &valueInfoFields, &m.Input),
			wire.Many(12, "output", &valueInfoFields, &m.Output),
			wire.Many(13, "value_info", &valueInfoFields, &m.ValueInfo),
			wire.Many(14, "quantization_annotation", &tensorAnnotationFields, &m.QuantizationAnnotation),
			wire.Many(15, "sparse_initializer", &sparseTensorFields, &m.SparseInitializer),
			wire.Many(16, "metadata_props", &stringEntryFields, &m.Metadata),
		}
	})

	nodeFields.Set(func(m *Node) []wire.Field {
		return []wire.Field{
			wire.Texts(1, "input", &m.Input),
			wire.Texts(2, "output", &m.Output),
			wire.Text(3, "name", &m.Name),
			wire.Text(4, "op_type", &m.OpType),
			wire.Many(5, "attribute", &attributeFields, &m.Attribute),
			wire.Text(6, "doc_string", &m.Doc),
			wire.Text(7, "domain", &m.Domain),
			wire.Text(8, "overload", &m.Overload),
			wire.Many(9, "metadata_props", &stringEntryFields, &m.Metadata),
		}
	})

	// The value of an attribute is written even if it is zero: some readers look for it.
	attributeFields.Set(func(m *Attribute) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.Name),
			wire.When(wire.Number(2, "f", wire.Single, &m.F), func(m *Attribute) bool { return m.Type == AttributeFloat || wire.Single.Bits(m.F) != 0 }),
			wire.When(wire.Number(3, "i", wire.Signed, &m.I), func(m *Attribute) bool { return m.Type == AttributeInt || m.I != 0 }),
			wire.When(wire.Text(4, "s", &m.S), func(m *Attribute) bool { return m.Type == AttributeString || m.S != "" }),
			wire.One(5, "t", &tensorFields, &m.T),
			wire.One(6, "g", &graphFields, &m.G),
			wire.Numbers(7, "floats", wire.Single, &m.Floats),
			wire.Numbers(8, "ints", wire.Signed, &m.Ints),
			wire.Texts(9, "strings", &m.Strings),
			wire.Many(10, "tensors", &tensorFields, &m.Tensors),
			wire.Many(11, "graphs", &graphFields, &m.Graphs),
			wire.Text(13, "doc_string", &m.Doc),
			wire.One(14, "tp", &typeFields, &m.TP),
			wire.Many(15, "type_protos", &typeFields, &m.TypeProtos),
			wire.Enum(20, "type", &m.Type),
			wire.Text(21, "ref_attr_name", &m.RefAttrName),
			wire.One(22, "sparse_tensor", &sparseTensorFields, &m.SparseTensor),
			wire.Many(23, "sparse_tensors", &sparseTensorFields, &m.SparseTensors),
		}
	})

	valueInfoFields.Set(func(m *ValueInfo) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.Name),
			wire.One(2, "type", &typeFields, &m.Type),
			wire.Text(3, "doc_string", &m.Doc),
			wire.Many(4, "metadata_props", &stringEntryFields, &m.Metadata),
		}
	})

	tensorAnnotationFields.Set(func(m *TensorAnnotation) []wire.Field {
		return []wire.Field{
			wire.Text(1, "tensor_name", &m.TensorName),
			wire.Many(2, "quant_parameter_tensor_names", &stringEntryFields, &m.QuantParameterTensorNames),
		}
	})

	functionFields.Set(func(m *Function) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.Name),
			wire.Texts(4, "input", &m.Input),
			wire.Texts(5, "output", &m.Output),
			wire.Texts(6, "attribute", &m.Attribute),
			wire.Many(7, "node", &nodeFields, &m.Node),
			wire.Text(8, "doc_string", &m.Doc),
			wire.Many(9, "opset_import", &operatorSetFields, &m.OpsetImport),
			wire.Text(10, "domain", &m.Domain),
			wire.Many(11, "attribute_proto", &attributeFields, &m.AttributeProto),
			wire.Many(12, "value_info", &valueInfoFields, &m.ValueInfo),
			wire.Text(13, "overload", &m.Overload),
			wire.Many(14, "metadata_props", &stringEntryFields, &m.Metadata),
		}
	})

	trainingInfoFields.Set(func(m *TrainingInfo) []wire.Field {
		return []wire.Field{
			wire.One(1, "initialization", &graphFields, &m.Initialization),
			wire.One(2, "algorithm", &graphFields, &m.Algorithm),
			wire.Many(3, "initialization_binding", &stringEntryFields, &m.InitializationBinding),
			wire.Many(4, "update_binding", &stringEntryFields, &m.UpdateBinding),
		}
	})

	tensorFields.Set(func(m *Tensor) []wire.Field {
		return []wire.Field{
			wire.Numbers(1, "dims", wire.Signed, &m.Dims),
			wire.Enum(2, "data_type", &m.DataType),
			wire.One(3, "segment", &segmentFields, &m.Segment),
			wire.Packed(4, "float_data", wire.ViewedSingle, &m.FloatData),
			wire.Packed(5, "int32_data", wire.Narrow, &m.Int32Data),
			wire.Texts(6, "string_data", &m.StringData),
			wire.Packed(7, "int64_data", wire.Signed, &m.Int64Data),
			wire.Text(8, "name", &m.Name),
			wire.Data(9, "raw_data", &m.RawData),
			wire.Packed(10, "double_data", wire.ViewedDouble, &m.DoubleData),
			wire.Packed(11, "uint64_data", wire.Unsigned, &m.Uint64Data),
			wire.Text(12, "doc_string", &m.Doc),
			wire.Many(13, "external_data", &stringEntryFields, &m.ExternalData),
			wire.Enum(14, "data_location", &m.DataLocation),
			wire.Many(16, "metadata_props", &stringEntryFields, &m.Metadata),
		}
	})

	segmentFields.Set(func(m *Segment) []wire.Field {
		return []wire.Field{
			wire.Number(1, "begin", wire.Signed, &m.Begin),
			wire.Number(2, "end", wire.Signed, &m.End),
		}
	})

	sparseTensorFields.Set(func(m *SparseTensor) []wire.Field {
		return []wire.Field{
			wire.One(1, "values", &tensorFields, &m.Values),
			wire.One(2, "indices", &tensorFields, &m.Indices),
			wire.Numbers(3, "dims", wire.Signed, &m.Dims),
		}
	})

	// The kinds of a type are alternatives: the last one counts.
	typeFields.Set(func(m *Type) []wire.Field {
		return []wire.Field{
			wire.Then(wire.One(1, "tensor_type", &tensorTypeFields, &m.Tensor), func(m *Type) { *m = Type{Denotation: m.Denotation, Tensor: m.Tensor} }),
			wire.Then(wire.One(4, "sequence_type", &elementTypeFields, &m.Sequence), func(m *Type) { *m = Type{Denotation: m.Denotation, Sequence: m.Sequence} }),
			wire.Then(wire.One(5, "map_type", &mapTypeFields, &m.Map), func(m *Type) { *m = Type{Denotation: m.Denotation, Map: m.Map} }),
			wire.Text(6, "denotation", &m.Denotation),
			wire.Then(wire.One(7, "opaque_type", &opaqueTypeFields, &m.Opaque), func(m *Type) { *m = Type{Denotation: m.Denotation, Opaque: m.Opaque} }),
			wire.Then(wire.One(8, "sparse_tensor_type", &tensorTypeFields, &m.SparseTensor), func(m *Type) { *m = Type{Denotation: m.Denotation, SparseTensor: m.SparseTensor} }),
			wire.Then(wire.One(9, "optional_type", &elementTypeFields, &m.Optional), func(m *Type) { *m = Type{Denotation: m.Denotation, Optional: m.Optional} }),
		}
	})

	tensorTypeFields.Set(func(m *TensorType) []wire.Field {
		return []wire.Field{
			wire.Enum(1, "elem_type", &m.ElemType),
			wire.One(2, "shape", &shapeFields, &m.Shape),
		}
	})

	elementTypeFields.Set(func(m *ElementType) []wire.Field {
		return []wire.Field{
			wire.One(1, "elem_type", &typeFields, &m.ElemType),
		}
	})

	mapTypeFields.Set(func(m *MapType) []wire.Field {
		return []wire.Field{
			wire.Enum(1, "key_type", &m.KeyType),
			wire.One(2, "value_type", &typeFields, &m.ValueType),
		}
	})

	opaqueTypeFields.Set(func(m *OpaqueType) []wire.Field {
		return []wire.Field{
			wire.Text(1, "domain", &m.Domain),
			wire.Text(2, "name", &m.Name),
		}
	})

	shapeFields.Set(func(m *Shape) []wire.Field {
		return []wire.Field{
			wire.Many(1, "dim", &dimFields, &m.Dim),
		}
	})

	// A number and a parameter are alternatives: the last one counts.
	dimFields.Set(func(m *Dim) []wire.Field {
		return []wire.Field{
			wire.Then(wire.When(wire.Number(1, "dim_value", wire.Signed, &m.Value), func(m *Dim) bool { return m.Known }), func(m *Dim) { m.Known, m.Param = true, "" }),
			wire.Then(wire.Text(2, "dim_param", &m.Param), func(m *Dim) { m.Known, m.Value = false, 0 }),
			wire.Text(3, "denotation", &m.Denotation),
		}
	})

	sequenceFields.Set(func(m *Sequence) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.Name),
			wire.Enum(2, "elem_type", &m.ElemType),
			wire.Many(3, "tensor_values", &tensorFields, &m.TensorValues),
			wire.Many(4, "sparse_tensor_values", &sparseTensorFields, &m.SparseTensorValues),
			wire.Many(5, "sequence_values", &sequenceFields, &m.SequenceValues),
			wire.Many(7, "optional_values", &optionalFields, &m.OptionalValues),
		}
	})

	optionalFields.Set(func(m *Optional) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.Name),
			wire.Enum(2, "elem_type", &m.ElemType),
			wire.One(3, "tensor_value", &tensorFields, &m.TensorValue),
			wire.One(4, "sparse_tensor_value", &sparseTensorFields, &m.SparseTensorValue),
			wire.One(5, "sequence_value", &sequenceFields, &m.SequenceValue),
			wire.One(7, "optional_value", &optionalFields, &m.OptionalValue),
		}
	})
}
