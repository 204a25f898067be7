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

// goField names a field of a structure of package openvx.
func (f field) goField() string {
	if name, ok := goFields[f.name]; ok {
		return name
	}
	return goName(f.name)
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

// structTypes are the types of scalars that hold structures, where they are not named as these.
var structTypes = map[string]string{"vx_line2d_t": "TypeLine2d", "vx_hog_t": "TypeHogParams", "vx_hough_lines_p_t": "TypeHoughLinesParams"}

// kind returns the constant of package openvx for scalars that hold the structure, and "" if there is none.
func (s structure) kind(h *interfaceC) string {
	if kind, ok := structTypes[s.name]; ok {
		return kind
	}
	for _, e := range h.enums {
		for _, m := range e.members {
			if m.name == "VX_TYPE_"+strings.ToUpper(strings.TrimSuffix(strings.TrimPrefix(s.name, "vx_"), "_t")) {
				return goName(m.name)
			}
		}
	}
	return ""
}

// goFields returns the fields of the structure in package openvx, with their comments.
func (s structure) goFields() string {
	var b strings.Builder
	for _, f := range s.fields {
		typ := map[string]string{"vx_size": "int", "vx_enum": enumParams[f.name], "vx_bool": "bool"}[f.typ]
		fmt.Fprintf(&b, "\t%s %s `vx:%q`", f.goField(), typ, f.name)
		if f.doc != "" && !strings.HasPrefix(f.doc, "vx_") {
			b.WriteString(" // " + f.doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// structuresOfLayers returns the source of the structures that layers take, with the types of all that scalars hold, and of the parameters
// of layers.
func (h *interfaceC) structuresOfLayers() string {
	taken, params := map[string]bool{}, "\n// layerParams are the parameters of the built-in kernels, the result last.\nvar layerParams = map[KernelID][]param{\n"
	for _, f := range h.functions {
		if node, _ := f.layer(); !node {
			continue
		}
		var inputs, outputs []string
		for _, p := range f.operands() {
			taken[p.aggregate()] = true
			if strings.HasPrefix(p.name, "output") {
				outputs = append(outputs, p.declaration(h))
			} else {
				inputs = append(inputs, p.declaration(h))
			}
		}
		params += fmt.Sprintf("\tKernel%s: {\n\t\t%s,\n\t},\n", strings.TrimSuffix(f.method(), "Node"), strings.Join(append(inputs, outputs...), ",\n\t\t"))
	}
	params += "\tKernelColorConvert: {\n"
	for _, p := range []param{{"vx_image", "input"}, {"vx_image", "output"}} {
		params += "\t\t" + p.declaration(h) + ",\n"
	}
	params += "\t},\n}\n"
	var types, structs strings.Builder
	for _, s := range h.structs {
		kind := s.kind(h)
		if kind == "" {
			continue
		}
		_, size, _ := h.layout(s)
		if !taken[s.name] {
			fmt.Fprintf(&types, "\t%s: {%d, nil},\n", kind, size)
			continue
		}
		name := goStructure(s.name)
		fmt.Fprintf(&types, "\t%s: {%d, reflect.TypeFor[%s]()},\n", kind, size, name)
		structs.WriteString("\n" + comment(fmt.Sprintf("%s are %s (%s).", name, strings.TrimSuffix(strings.ToLower(s.doc[:1])+s.doc[1:], "."), s.name)))
		fmt.Fprintf(&structs, "type %s struct {\n%s}\n", name, s.goFields())
	}
	return "import \"reflect\"\n" + structs.String() + "\n// structTypes are the structures of the standard that scalars hold.\nvar structTypes = map[Type]structType{\n" +
		types.String() + "}\n" + params
}

// kind returns the constant of package openvx for the type of a parameter of a layer.
func (p param) kind(h *interfaceC) string {
	for _, s := range h.structs {
		if s.name == p.aggregate() {
			return s.kind(h)
		}
	}
	return "Type" + goName(strings.TrimPrefix(p.typ, "vx_"))
}

// declaration returns the source of a parameter of a layer: an object, or a scalar in the place of an argument of C. All scalars that are
// objects hold float32.
func (p param) declaration(h *interfaceC) string {
	dir, kind, state, more := "Input", p.kind(h), "Required", ""
	switch p.typ {
	case "vx_tensor", "vx_lut", "vx_image":
	case "vx_scalar":
		more = ", value: TypeFloat32"
	default:
		kind, more = "TypeScalar", fmt.Sprintf(", value: %s, as: reflect.TypeFor[%s]()", kind, p.goType())
	}
	if strings.HasPrefix(p.name, "output") {
		dir = "Output"
	}
	if p.name == "biases" || p.name == "input3" {
		state = "Optional"
	}
	if p.name == "weights" || p.name == "biases" {
		more += ", static: true"
	}
	return fmt.Sprintf("{name: %q, dir: %s, kind: %s, state: ParameterState%s%s}", p.name, dir, kind, state, more)
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
	b.WriteString(generatedGo + "package openvx\n\n" + h.structuresOfLayers())
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

// methodsOfLayers returns the source of the table by which package export finds the methods that functions of C are.
func (h *interfaceC) methodsOfLayers() string {
	var b strings.Builder
	b.WriteString(generatedGo + "package export\n\nimport \"github.com/concord-nn/concord/openvx\"\n\n" +
		"// functions are the methods that perform calls.\nvar functions = map[string]any{\n")
	for _, f := range h.functions {
		if node, _ := f.layer(); node {
			fmt.Fprintf(&b, "\t%q: (*openvx.Graph).%s,\n", f.name, f.method())
		}
	}
	b.WriteString("}\n")
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
