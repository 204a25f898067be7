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

// plainTypes are the Go types of those that are not named after the interface.
var plainTypes = map[string]string{
	"boolean": "bool", "double": "float64", "float": "float64", "unsigned long": "int", "long": "int",
	"USVString": "string", "MLOperandDataType": "tensor.DType", "MLNumber": "Number",
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

// goType returns the Go type of an argument or result of an operator, or of an option.
func goType(doc *idl.Document, t idl.Type) (string, error) {
	if t.Name == "sequence" {
		item, err := goType(doc, t.Params[0])
		return "[]" + item, err
	}
	switch plain, ok := plainTypes[t.Name]; {
	case ok:
		return plain, nil
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
