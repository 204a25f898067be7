package proto

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/wire"
)

// declared is a field as onnx.proto declares it.
type declared struct {
	number int
	name   string
	wire   wire.Type
	list   bool // of numbers
}

func fieldsOf[M any]() []declared {
	var list []declared
	for _, f := range wire.Of[M]().Fields {
		list = append(list, declared{f.Number, f.Name, f.Type, f.List})
	}
	return list
}

// tables returns the fields of all messages by the standard's names.
func tables() map[string][]declared {
	return map[string][]declared{
		"ModelProto": fieldsOf[Model](), "OperatorSetIdProto": fieldsOf[OperatorSet](), "StringStringEntryProto": fieldsOf[StringEntry](),
		"GraphProto": fieldsOf[Graph](), "NodeProto": fieldsOf[Node](), "AttributeProto": fieldsOf[Attribute](),
		"ValueInfoProto": fieldsOf[ValueInfo](), "TensorAnnotation": fieldsOf[TensorAnnotation](), "FunctionProto": fieldsOf[Function](),
		"TrainingInfoProto": fieldsOf[TrainingInfo](), "TensorProto": fieldsOf[Tensor](), "TensorProto.Segment": fieldsOf[Segment](),
		"SparseTensorProto": fieldsOf[SparseTensor](), "TypeProto": fieldsOf[Type](), "TypeProto.Tensor": fieldsOf[TensorType](),
		"TypeProto.SparseTensor": fieldsOf[TensorType](), "TypeProto.Sequence": fieldsOf[ElementType](), "TypeProto.Optional": fieldsOf[ElementType](),
		"TypeProto.Map": fieldsOf[MapType](), "TypeProto.Opaque": fieldsOf[OpaqueType](), "TensorShapeProto": fieldsOf[Shape](),
		"TensorShapeProto.Dimension": fieldsOf[Dim](), "SequenceProto": fieldsOf[Sequence](), "OptionalProto": fieldsOf[Optional](),
	}
}

// skipped are the fields that are passed over.
var skipped = []string{"NodeProto.device_configurations", "ModelProto.configuration", "SequenceProto.map_values", "OptionalProto.map_value"}

// TestStandard compares the tables with the standard, of which the environment variable CONCORD_ONNX_PROTO names the folder with onnx.proto and
// onnx-data.proto.
func TestStandard(t *testing.T) {
	dir := os.Getenv("CONCORD_ONNX_PROTO")
	if dir == "" {
		t.Skip("set CONCORD_ONNX_PROTO to the folder of the standard's onnx.proto to compare with it")
	}
	wires := map[string]wire.Type{"string": wire.Lengthed, "bytes": wire.Lengthed, "float": wire.Fixed32, "double": wire.Fixed64, "int32": wire.Varint, "int64": wire.Varint, "uint64": wire.Varint}
	open := regexp.MustCompile(`^(message|enum|oneof) (\w+) *{`)
	line := regexp.MustCompile(`^(?:(optional|repeated) +)?(\w+) +(\w+) *= *(\d+)`)
	constant := regexp.MustCompile(`^(\w+) *= *(\d+);`)
	want, enums := make(map[string][]declared), []string{"DataType", "AttributeType", "DataLocation"}
	for _, file := range []string{"onnx.proto", "onnx-data.proto"} {
		b, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		var inside [][]string // kind and name of what is open
		for text := range strings.Lines(string(b)) {
			text = strings.TrimSpace(text)
			kind, path := "", ""
			for _, in := range inside {
				if kind = in[0]; kind == "message" {
					path = strings.TrimPrefix(path+"."+in[1], ".")
				}
			}
			if m := open.FindStringSubmatch(text); m != nil {
				inside = append(inside, m[1:])
			} else if strings.HasPrefix(text, "}") {
				inside = inside[:len(inside)-1]
			} else if m := constant.FindStringSubmatch(text); m != nil && kind == "enum" {
				if n, _ := strconv.Atoi(m[2]); path == "TensorProto" && inside[1][1] == "DataType" && DataType(n).String() != m[1] {
					t.Errorf("the data type %d is %v; the standard has %s", n, DataType(n), m[1])
				}
			} else if m := line.FindStringSubmatch(text); m != nil && kind != "enum" && !slices.Contains(skipped, path+"."+m[3]) {
				w, scalar := wires[m[2]]
				switch {
				case slices.Contains(enums, m[2]):
					w = wire.Varint
				case !scalar:
					w = wire.Lengthed
				}
				n, _ := strconv.Atoi(m[4])
				want[path] = append(want[path], declared{n, m[3], w, m[1] == "repeated" && w != wire.Lengthed})
			}
		}
	}
	for name, got := range tables() {
		slices.SortFunc(want[name], func(a, b declared) int { return a.number - b.number })
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s has the fields\n%v\nthe standard has\n%v", name, got, want[name])
		}
	}
}
