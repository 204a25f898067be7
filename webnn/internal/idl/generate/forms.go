package main

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// form is the Go form of a member that does not follow the rule: the names of declarations, and a remark. Without names the
// remark says why Go has nothing like it.
type form struct {
	names  []string
	remark string
}

// forms has the members that do not follow the rule that a member is a declaration of the same name, by interface and
// overload.
var forms = map[string]form{
	"Navigator":       {nil, noPage},
	"WorkerNavigator": {nil, noPage},
	"NavigatorML":     {nil, noPage},
	"NavigatorML.ml":  {[]string{"ML"}, "the zero value is ready"},
	"ML.createContext(gpuDevice)": {[]string{"ML.CreateContextFromGPUDevice"},
		"always a NotSupportedError: Concord computes on the processor"},
	"MLContext.lost": {[]string{"Context.Lost", "Context.LostInfo"},
		"a channel that is closed, and the reason"},
	"MLContext.readTensor(tensor)": {[]string{"Context.ReadTensor", "Context.EnqueueRead"},
		"waiting for the bytes, or for later"},
	"MLContext.readTensor(tensor, outputData)": {[]string{"Context.ReadTensorInto"}, ""},
	"MLGraphBuilder.constructor(context)":      {[]string{"NewGraphBuilder"}, ""},
	"MLGraphBuilder.constant(dataType, value)": {[]string{"GraphBuilder.ConstantNumber"}, ""},
	"MLGraphBuilder.constant(tensor)":          {[]string{"GraphBuilder.ConstantTensor"}, ""},
	"MLDataTypeList":                           {nil, "`[]tensor.DType`"},
	"MLOperandDataType":                        {nil, "`tensor.DType`; `DataTypes` lists its values"},
}

const noPage = "there is no page; the zero value of `ML` is the entry"

// plainTypes are the Go types of the plain types of WebIDL, and of what the standard takes from others.
var plainTypes = map[string]struct{ goType, remark string }{
	"boolean":                 {"bool", ""},
	"double":                  {"float64", "finite, or a TypeError"},
	"float":                   {"float64", "rounded to single precision, and finite, or a TypeError"},
	"unrestricted double":     {"Float", "one of the types of Number"},
	"bigint":                  {"BigInt", "one of the types of Number; Int and Uint serve, too"},
	"unsigned long":           {"int", "from 0 to 4294967295, or a TypeError"},
	"long":                    {"int", "from -2147483648 to 2147483647, or a TypeError"},
	"unsigned long long":      {"int64", ""},
	"USVString":               {"string", "UTF-8"},
	"DOMString":               {"string", "UTF-8"},
	"undefined":               {"", "no result but the error"},
	"AllowSharedBufferSource": {"any", "a slice of bytes, or of the Go type of the elements"},
	"ArrayBuffer":             {"[]byte", "elements little-endian, on any machine"},
	"MLOperandDataType":       {"tensor.DType", ""},
	"MLDataTypeList":          {"[]tensor.DType", ""},
	"MLNumber":                {"Number", "an interface: Float, Int, Uint or BigInt"},
	"MLNamedTensors":          {"NamedTensors", ""},
	"MLNamedOperands":         {"NamedOperands", ""},
	"GPUDevice":               {"none", "Concord computes on the processor"},
}

// genericTypes are the Go forms of the generic types of WebIDL.
var genericTypes = map[string]string{
	"Promise":     "a result and an error; what waits takes a `context.Context`",
	"sequence":    "a slice: nil if the member is absent, which an empty one is not",
	"FrozenArray": "a slice, or `tensor.Shape`",
	"record":      "a map",
	"or":          "an interface, or a method for each type",
}

// extendedAttributes are the Go forms of extended attributes.
var extendedAttributes = map[string]string{
	"SecureContext": "none: a Go program has no origin that could be insecure",
	"Exposed":       "none: there is no window and no worker; goroutines may share all objects",
	"SameObject":    "none: values of ML are all alike",
	"EnforceRange":  "numbers out of range are errors with the rule *parameter*`.range`",
}

// title makes the first letter of an ASCII name a capital.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// goName is the rule for names of types: without the prefix ML.
func goName(name string) string {
	if name == "ML" {
		return name
	}
	return strings.TrimPrefix(name, "ML")
}

// goType returns the Go type of an argument, result or member. Dictionaries are values unless they are optional arguments.
func goType(doc *idl.Document, t idl.Type) (string, error) {
	switch t.Name {
	case "Promise":
		return goType(doc, t.Params[0])
	case "sequence", "FrozenArray":
		item, err := goType(doc, t.Params[0])
		return "[]" + item, err
	}
	switch plain, ok := plainTypes[t.Name]; {
	case ok:
		return plain.goType, nil
	case doc.Interface(t.Name) != nil:
		return "*" + goName(t.Name), nil
	case doc.Dictionary(t.Name) != nil || doc.Enum(t.Name) != nil:
		return goName(t.Name), nil
	}
	return "", fmt.Errorf("the type %s has no Go form", t)
}

// dataTypeConstant returns the constant of package tensor for a value of MLOperandDataType.
func dataTypeConstant(value string) (string, error) {
	d, err := tensor.ParseDType(value)
	return "tensor." + title(d.String()), err
}
