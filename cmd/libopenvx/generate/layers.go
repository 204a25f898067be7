package main

import (
	"fmt"
	"strings"
)

// enumParams are the enumerations of parameters and fields of layers by their names.
var enumParams = map[string]string{
	"overflow_policy": "ConvertPolicy", "policy": "ConvertPolicy", "rounding_policy": "RoundPolicy", "rounding": "SizeRounding",
	"down_scale_size_rounding": "SizeRounding", "pooling_type": "Pooling", "pool_type": "Pooling", "type": "Normalization", "function": "Activation",
}

// goFields are the fields of Go's structures that have other names than C's.
var goFields = map[string]string{
	"down_scale_size_rounding": "DownScaleSize", "transpose_input1": "TransposeA", "transpose_input2": "TransposeB", "transpose_input3": "TransposeC",
}

// layer reports whether a function adds a node of a built-in kernel to a graph, or performs one at once.
func (f function) layer() (node, atOnce bool) {
	node = f.result == "vx_node" && len(f.params) > 2 && f.params[0].typ == "vx_graph"
	return node, strings.HasPrefix(f.name, "vxu")
}

// operands are the parameters of a layer behind the graph or the context. Sizes of structures are for C alone.
func (f function) operands() []param {
	var list []param
	for _, p := range f.params[1:] {
		if !strings.HasPrefix(p.name, "size_of_") {
			list = append(list, p)
		}
	}
	return list
}

// aggregate returns the name of the structure that a parameter points to, or "".
func (p param) aggregate() string {
	name, _ := strings.CutSuffix(strings.TrimPrefix(p.typ, "const "), " *")
	if strings.HasSuffix(name, "_t") {
		return name
	}
	return ""
}

// goStructure names a structure of package openvx: vx_nn_convolution_params_t is ConvolutionParams.
func goStructure(c string) string {
	return goName(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(c, "_t"), "vx_nn_"), "vx_tensor_"))
}

// goType returns the type of an operand in package openvx.
func (p param) goType() string {
	switch {
	case p.aggregate() != "":
		return goStructure(p.aggregate())
	case p.typ == "vx_enum":
		return enumParams[p.name]
	case p.typ == "vx_size":
		return "int"
	case p.typ == "vx_float32":
		return "float32"
	}
	return "*" + goName(strings.TrimPrefix(p.typ, "vx_"))
}

// goParam is a parameter's name in Go, where type is a word and count a function of the C library's.
func (p param) goParam() string {
	switch p.name {
	case "type":
		return "kind"
	case "count":
		return "number"
	}
	return lower(goName(p.name))
}

// lower makes a Go name one that is not exported.
func lower(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// method is the name of a layer's function in Go.
func (f function) method() string {
	if short, ok := strings.CutPrefix(f.name, "vxu"); ok {
		return short + "Node"
	}
	return strings.TrimPrefix(f.name, "vx")
}

// list returns parameters with their types, of which neighbours share one.
func list(params []param, typ func(param) string) string {
	var b strings.Builder
	for i, p := range params {
		b.WriteString(p.goParam())
		if last := i == len(params)-1; last || typ(params[i+1]) != typ(p) {
			b.WriteString(" " + typ(p))
		}
		if i < len(params)-1 {
			b.WriteString(", ")
		}
	}
	return b.String()
}

// functionsOfLayers returns the source of the methods of graphs that add nodes, and of contexts that perform them at once. The arguments of
// nodes are in the order of C, the parameters of kernels have the result at the end.
func (h *interfaceC) functionsOfLayers() string {
	immediate := map[string]string{}
	for _, f := range h.functions {
		if _, atOnce := f.layer(); atOnce {
			immediate[f.method()] = " (" + f.name + ")"
		}
	}
	var b strings.Builder
	b.WriteString(generatedGo + "package openvx\n")
	for _, f := range h.functions {
		if node, _ := f.layer(); !node {
			continue
		}
		name, id := f.method(), "Kernel"+strings.TrimSuffix(f.method(), "Node")
		var inputs, outputs []string
		for _, p := range f.operands() {
			switch arg := p.goParam(); {
			case strings.HasPrefix(p.name, "output"):
				outputs = append(outputs, arg)
			case p.typ == "vx_enum":
				inputs = append(inputs, "Enum("+arg+")")
			default:
				inputs = append(inputs, arg)
			}
		}
		args := strings.Join(append(inputs, outputs...), ", ")
		params := list(f.operands(), param.goType)
		doc := strings.ReplaceAll(strings.TrimSuffix(f.doc, "."), "NULL", "nil")
		b.WriteString("\n" + comment(fmt.Sprintf("%s %s (%s).", name, strings.ToLower(doc[:1])+doc[1:], f.name)))
		fmt.Fprintf(&b, "func (g *Graph) %s(%s) (*Node, error) {\n\treturn g.add(%q, %s, %s)\n}\n", name, params, name, id, args)
		b.WriteString("\n" + comment(fmt.Sprintf("%s performs [Graph.%s] at once%s.", name, name, immediate[name])))
		fmt.Fprintf(&b, "func (c *Context) %s(%s) error {\n\treturn c.perform(%q, %s, %s)\n}\n", name, params, name, id, args)
	}
	return b.String()
}

// comment writes a text as comments of Go.
func comment(text string) string {
	var b strings.Builder
	line := "//"
	for word := range strings.SplitSeq(text, " ") {
		if len(line)+1+len(word) > 140 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
