package main

import (
	"cmp"
	_ "embed" // what the table looks like
	"encoding/json"
	"slices"
	"strings"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// scriptFile is the table of the interface for web/webidl.js. A type is its name, with a "!" behind it for [EnforceRange], or a list of a name
// and types. An overload is a list of the result and the arguments, which are [name, type], and [name, type, 1] if they are optional. A dictionary is a
// list of its parent and members in the order in which they are converted, which are [name, type], and [name, type, 1] if they are required.
const scriptFile = "../web/idl.js"

//go:embed script.tmpl
var scriptTemplate string

// script writes a part of the table.
func script(part any) string { return string(must(json.Marshal(listed(part)))) }

// listed returns the lists and texts that stand for a part of the interface.
func listed(part any) any {
	switch x := part.(type) {
	case idl.Type:
		if len(x.Params) > 0 {
			return append([]any{x.Name}, each(x.Params)...)
		} else if x.EnforceRange {
			return x.Name + "!"
		}
		return x.Name
	case []idl.Operation:
		return each(x)
	case idl.Operation:
		return append([]any{listed(x.Result)}, each(x.Args)...)
	case idl.Argument:
		return marked(x.Name, x.Type, x.Optional)
	case idl.Dictionary:
		byName := func(a, b idl.Member) int { return strings.Compare(a.Name, b.Name) }
		return append([]any{x.Parent}, each(slices.SortedFunc(slices.Values(x.Members), byName))...)
	case idl.Member:
		return marked(x.Name, x.Type, x.Required)
	}
	return part
}

func each[T any](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = listed(x)
	}
	return out
}

func marked(name string, t idl.Type, mark bool) []any {
	if mark {
		return []any{name, listed(t), 1}
	}
	return []any{name, listed(t)}
}

// overloads returns the operations of an interface, those of one name together.
func overloads(i idl.Interface) (list [][]idl.Operation) {
	for _, o := range i.Operations {
		if n := len(list); n > 0 && list[n-1][0].Name == o.Name {
			list[n-1] = append(list[n-1], o)
		} else {
			list = append(list, []idl.Operation{o})
		}
	}
	return list
}

// returned says whether a dictionary only describes what the interface returns.
func returned(dictionary string) bool {
	return strings.HasSuffix(dictionary, "Limits") || strings.HasSuffix(dictionary, "Info")
}

// typesFile has the types of the interface for TypeScript.
const typesFile = "../web/webnn.d.ts"

//go:embed types.tmpl
var typesTemplate string

// scriptTypes are the types of WebIDL that have other names in TypeScript.
var scriptTypes = map[string]string{
	"USVString": "string", "DOMString": "string", "unsigned long": "number", "unsigned long long": "number", "long": "number", "float": "number",
	"double": "number", "unrestricted double": "number", "undefined": "void",
	"AllowSharedBufferSource": "ArrayBufferLike | ArrayBufferView",
}

// typescript writes a type as TypeScript has it.
func typescript(t idl.Type) string {
	param := func(i int) string { return typescript(t.Params[i]) }
	switch t.Name {
	case "sequence":
		return param(0) + "[]"
	case "FrozenArray":
		return "readonly " + param(0) + "[]"
	case "record":
		return "Record<string, " + param(1) + ">"
	case "Promise":
		return "Promise<" + param(0) + ">"
	case "or":
		return param(0) + " | " + param(1)
	}
	return cmp.Or(scriptTypes[t.Name], t.Name)
}

// needsGPU says whether an operation takes an object of another interface, which TypeScript may not know.
func needsGPU(o idl.Operation) bool {
	return slices.ContainsFunc(o.Args, func(a idl.Argument) bool { return a.Type.Is("GPUDevice") })
}

func constructs(i idl.Interface) bool {
	return slices.ContainsFunc(i.Operations, func(o idl.Operation) bool { return o.Name == "constructor" })
}
