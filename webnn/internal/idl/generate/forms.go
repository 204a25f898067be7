package main

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

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
func goType(doc *idl.Document, t idl.Type) string {
	plain, ok := plainTypes[t.Name]
	switch {
	case t.Name == "sequence":
		return "[]" + goType(doc, t.Params[0])
	case ok:
		return plain
	case doc.Interface(t.Name) != nil:
		return "*" + goName(t.Name)
	case doc.Dictionary(t.Name) != nil || doc.Enum(t.Name) != nil:
		return goName(t.Name)
	}
	panic(fmt.Errorf("the type %s has no Go form", t))
}

// dataTypeConstant returns the constant of package tensor for a value of MLOperandDataType.
func dataTypeConstant(value string) (string, error) {
	d, err := tensor.ParseDType(value)
	return "tensor." + title(d.String()), err
}
