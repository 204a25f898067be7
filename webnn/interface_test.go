package webnn

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestDataTypesAreTheInterfaces: what is a type of package tensor has the values of the standard's enumeration.
func TestDataTypesAreTheInterfaces(t *testing.T) {
	var names []string
	for _, d := range DataTypes {
		names = append(names, d.String())
	}
	if want := idl.WebNN.Enum("MLOperandDataType").Values; !slices.Equal(names, want) {
		t.Errorf("the data types are %v; they must be %v", names, want)
	}
}

// TestTablesNameMethods: the tables about methods are about some, and every method has an operator.
func TestTablesNameMethods(t *testing.T) {
	for _, name := range Methods() {
		if definition(name) == nil {
			t.Errorf("%s: no operator has this name in WebNN", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(differences)), slices.Collect(maps.Keys(preparations)), slices.Collect(maps.Keys(fewerDimensions))) {
		if methodOf(name) == nil {
			t.Errorf("%s is no method", name)
		}
	}
	for name, pairs := range differences {
		for own, param := range pairs {
			if param != "true" && methodOf(name).param(param) == nil {
				t.Errorf("%s: %s cannot be %s, which is no parameter", name, own, param)
			}
		}
	}
}

func newTestContext(t *testing.T) *Context {
	t.Helper()
	c, err := ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Destroy)
	return c
}

// optionStructs has a pointer to each option struct, by its dictionary.
func optionStructs(t *testing.T) map[string]reflect.Type {
	t.Helper()
	out := make(map[string]reflect.Type)
	builder := reflect.TypeFor[*GraphBuilder]()
	for _, o := range idl.WebNN.Operators() {
		m, ok := builder.MethodByName(goMethod(o.Name))
		if !ok {
			t.Fatalf("GraphBuilder has no method %s", goMethod(o.Name))
		}
		out[o.Options()] = m.Type.In(m.Type.NumIn() - 1)
	}
	return out
}

func goMethod(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// TestDictionary: each option struct gives exactly the members that are set, with the values that Call takes.
func TestDictionary(t *testing.T) {
	for name, pointer := range optionStructs(t) {
		if got := dictionary(reflect.Zero(pointer).Interface()); got != nil {
			t.Errorf("%s: a nil pointer gives %v", name, got)
		}
		if got := dictionary(reflect.New(pointer.Elem()).Interface()); got != nil {
			t.Errorf("%s: an empty struct gives %v", name, got)
		}
		d := idl.WebNN.Dictionary(name)
		options := reflect.New(pointer.Elem())
		want := Options{"label": "x"}
		options.Elem().FieldByName("Label").SetString("x")
		for _, m := range d.Members {
			if m.Name == "label" {
				continue
			}
			field := options.Elem().FieldByName(goMethod(m.Name))
			if !field.IsValid() {
				t.Errorf("%s: there is no field for %s", name, m.Name)
				continue
			}
			want[m.Name] = fill(t, optionOf(name, m.Name), field)
		}
		if n := options.Elem().NumField(); n != len(want) {
			t.Errorf("%s: %d fields stand for %d members", name, n, len(want))
		}
		if got := dictionary(options.Interface()); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the dictionary is %v; want %v", name, got, want)
		}
	}
}

// optionOf returns the row of a member of a dictionary.
func optionOf(options, member string) *param {
	for _, o := range idl.WebNN.Operators() {
		if o.Options() == options {
			return methodOf(o.Name).param(member)
		}
	}
	return nil
}

// fill sets a field to a value of the member's type and returns what Call must be given for it.
func fill(t *testing.T, p *param, field reflect.Value) any {
	t.Helper()
	k := p.kind
	value, ok := map[kind]any{
		kindOperand: new(Operand), kindInt: 7, kindLong: -7, kindInts: []int{}, kindFloat: 0.5, kindFloats: []float64{1},
		kindNumber: Uint(3), kindBool: true, kindType: tensor.Int64,
	}[k]
	switch {
	case k == kindEnum:
		value = p.enum.words[1]
		field.SetString(value.(string))
		return value
	case k == kindEnums:
		words := p.enum.words
		field.Set(reflect.MakeSlice(field.Type(), len(words), len(words)))
		for i, w := range words {
			field.Index(i).SetString(w)
		}
		return words
	case !ok:
		t.Fatalf("no value of kind %d", k)
	case field.Kind() == reflect.Pointer && k != kindOperand:
		field.Set(reflect.New(field.Type().Elem()))
		field.Elem().Set(reflect.ValueOf(value))
	default:
		field.Set(reflect.ValueOf(value))
	}
	return value
}

// TestPointersToZero: a member that is set to Go's zero value is present where its default is another one.
func TestPointersToZero(t *testing.T) {
	got := dictionary(&GruOptions{ResetAfter: new(false), Activations: []RecurrentNetworkActivation{}})
	want := Options{"resetAfter": false, "activations": []string{}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the dictionary is %v; want %v", got, want)
	}
	got = dictionary(&HardSigmoidOptions{Alpha: new(0.0)})
	if want := (Options{"alpha": 0.0}); !reflect.DeepEqual(got, want) {
		t.Errorf("the dictionary is %v; want %v", got, want)
	}
	got = dictionary(&PadOptions{Value: Float(0)})
	if want := (Options{"value": Float(0)}); !reflect.DeepEqual(got, want) {
		t.Errorf("the dictionary is %v; want %v", got, want)
	}
}

// typedArgs has the arguments of methods that do not take operands float32[2,3] only: operands by their types and shapes.
var typedArgs = map[string][]any{
	"argMin": {"float32 2 3", 1}, "argMax": {"float32 2 3", 0},
	"batchNormalization": {"float32 2 3", "float32 3", "float32 3"},
	"cast":               {"float32 2 3", tensor.Int8},
	"concat":             {[]string{"float32 2 3", "float32 1 3"}, 0},
	"conv2d":             {"float32 1 1 3 3", "float32 1 1 2 2"}, "convTranspose2d": {"float32 1 1 3 3", "float32 1 1 2 2"},
	"cumulativeSum": {"float32 2 3", 1},
	"logicalNot":    {"uint8 2"}, "logicalAnd": {"uint8 2", "uint8 2"},
	"logicalOr": {"uint8 2", "uint8 2"}, "logicalXor": {"uint8 2", "uint8 2"},
	"dequantizeLinear": {"int8 2 3", "float32 1 3", "int8 1 3"}, "quantizeLinear": {"float32 2 3", "float32 1 3", "int8 1 3"},
	"expand": {"float32 2 3", []int{4, 2, 3}},
	"gather": {"float32 2 3", "int32 4"}, "gatherElements": {"float32 2 3", "int32 4 3"}, "gatherND": {"float32 2 3", "int32 4 1"},
	"gemm": {"float32 2 3", "float32 3 2"}, "matmul": {"float32 2 3", "float32 3 2"},
	"gru":                   {"float32 2 1 3", "float32 1 12 3", "float32 1 12 4", 2, 4},
	"gruCell":               {"float32 1 3", "float32 12 3", "float32 12 4", "float32 1 4", 4},
	"instanceNormalization": {"float32 1 2 3 3"},
	"lstm":                  {"float32 2 1 3", "float32 1 16 3", "float32 1 16 4", 2, 4},
	"lstmCell":              {"float32 1 3", "float32 16 3", "float32 16 4", "float32 1 4", "float32 1 4", 4},
	"pad":                   {"float32 2 3", []int{1, 0}, []int{0, 2}},
	"averagePool2d":         {"float32 1 1 3 3"}, "l2Pool2d": {"float32 1 1 3 3"}, "maxPool2d": {"float32 1 1 3 3"},
	"prelu": {"float32 2 3", "float32 3"}, "resample2d": {"float32 1 1 3 3"},
	"reshape":         {"float32 2 3", []int{6}},
	"scatterElements": {"float32 2 3", "int32 1 3", "float32 1 3"}, "scatterND": {"float32 2 3", "int32 1 1", "float32 1 3"},
	"slice":   {"float32 2 3", []int{0, 1}, []int{1, 2}},
	"softmax": {"float32 2 3", 1}, "split": {"float32 2 3", 2}, "SplitSizes": {"float32 2 3", []int{1, 1}},
	"tile": {"float32 2 3", []int{2, 1}}, "where": {"uint8 2 3", "float32 3", "float32 2 3"},
}

// TestTypedMethodsAreCalls: each typed method calls the method of its name with its arguments, in their order, and its
// options, and returns the results.
func TestTypedMethodsAreCalls(t *testing.T) {
	b, err := NewGraphBuilder(newTestContext(t))
	if err != nil {
		t.Fatal(err)
	}
	var last Call
	b.Record(func(c Call) { last = c })
	inputs := 0
	input := func(spec string) *Operand {
		t.Helper()
		inputs++
		typ, dims, _ := strings.Cut(spec, " ")
		d, err := tensor.ParseDType(typ)
		if err != nil {
			t.Fatal(err)
		}
		var shape tensor.Shape
		for _, s := range strings.Fields(dims) {
			n := 0
			if _, err := fmt.Sscan(s, &n); err != nil {
				t.Fatal(err)
			}
			shape = append(shape, n)
		}
		o, err := b.Input(fmt.Sprint("input", inputs), OperandDescriptor{DataType: d, Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	typed := map[string]string{"SplitSizes": "split"} // methods by their Go names
	for _, m := range Methods() {
		typed[goMethod(m)] = m
	}
	for goName, name := range typed {
		given, ok := typedArgs[goName]
		if !ok {
			given, ok = typedArgs[name]
		}
		if !ok {
			given = slices.Repeat([]any{"float32 2 3"}, len(methodOf(name).args))
		}
		method := reflect.ValueOf(b).MethodByName(goName)
		args, in := []any{}, []reflect.Value{}
		for _, a := range given {
			switch spec := a.(type) {
			case string:
				a = input(spec)
			case []string:
				list := make([]*Operand, len(spec))
				for i, s := range spec {
					list[i] = input(s)
				}
				a = list
			}
			args, in = append(args, a), append(in, reflect.ValueOf(a))
		}
		options := reflect.New(method.Type().In(len(given)).Elem())
		options.Elem().FieldByName("Label").SetString(goName)
		out := method.Call(append(in, options))
		if err, _ := out[1].Interface().(error); err != nil {
			t.Errorf("%s: %v", goName, err)
			continue
		}
		results, several := out[0].Interface().([]*Operand)
		if !several {
			results = []*Operand{out[0].Interface().(*Operand)}
		}
		if want := (Call{name, args, Options{"label": goName}, results}); !reflect.DeepEqual(last, want) {
			t.Errorf("%s calls %v; want %v", goName, last, want)
		}
		// Without options, and with arguments that the compiler accepts but the interface does not.
		for i := range in {
			in[i] = reflect.Zero(in[i].Type())
		}
		out = method.Call(append(in, reflect.Zero(options.Type())))
		err, _ := out[1].Interface().(error)
		if !errors.Is(err, TypeError) || !out[0].IsNil() {
			t.Errorf("%s of nothing gives %v and the error %v", goName, out[0], err)
		}
	}
}
