package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// thunks returns the source of those functions of the C library that only convert arguments. What is written by hand, in Go or in C, is left out.
func (h *interfaceC) thunks(dir, api string) (string, error) {
	written, err := byHand(dir)
	if err != nil {
		return "", err
	}
	of, err := methodsOf(api)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(generatedGo + "package main\n\n// #include \"shim.h\"\nimport \"C\"\n\n" +
		"import (\n\t\"unsafe\"\n\n\t\"github.com/concord-nn/concord/openvx\"\n)\n")
	structs := map[string]bool{}
	for _, f := range h.functions {
		if written[f.name] {
			continue
		}
		body, err := f.body(of)
		if err != nil {
			return "", err
		}
		result := "int32"
		if f.result != "vx_status" {
			result = "uintptr"
		}
		fmt.Fprintf(&b, "\n//export %s\nfunc %s(%s) %s { %s }\n", f.name, f.name, list(f.params, param.cType), result, body)
		for _, p := range f.params {
			structs[p.aggregate()] = p.aggregate() != "vx_rectangle_t"
		}
	}
	for _, s := range h.structs {
		if structs[s.name] {
			b.WriteString(s.conversion())
		}
	}
	return b.String(), nil
}

// byHand returns the functions of the C library that are not generated.
func byHand(dir string) (map[string]bool, error) {
	written := map[string]bool{}
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	export := regexp.MustCompile(`(?m)^(?://export |\w[\w ]* \*?)(vxu?[A-Z]\w*)(?:$|\()`)
	for _, name := range append(sources, filepath.Join(dir, "shim.c")) {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(text), generatedGo) {
			continue
		}
		for _, m := range export.FindAllStringSubmatch(string(text), -1) {
			written[m[1]] = true
		}
	}
	return written, nil
}

// cType returns the type of a parameter in Go's part of the C library, which sees objects as numbers.
func (p param) cType() string {
	switch {
	case p.aggregate() != "":
		return "*C." + p.aggregate()
	case strings.HasSuffix(p.typ, "void *"):
		return "unsafe.Pointer"
	case p.typ == "const vx_char *":
		return "*C.char"
	case strings.HasSuffix(p.typ, " *"):
		return "*uintptr"
	case p.typ == "vx_uint32" || p.typ == "vx_df_image":
		return "uint32"
	case p.typ == "vx_enum" || p.typ == "vx_int32":
		return "int32"
	case p.typ == "vx_int8":
		return "int8"
	case p.typ == "vx_float32":
		return "float32"
	}
	return "uintptr"
}

// method is a method of package openvx: the types of its parameters and of its first result.
type method struct {
	params []string
	result string
}

// methodsOf returns the methods of a package by type and name.
func methodsOf(dir string) (map[string]method, error) {
	all := map[string]method{}
	sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() || f.Type.Results == nil {
				continue
			}
			m := method{result: text(f.Type.Results.List[0].Type)}
			for _, p := range f.Type.Params.List {
				for range p.Names {
					m.params = append(m.params, text(p.Type))
				}
			}
			all[strings.TrimPrefix(text(f.Recv.List[0].Type), "*")+"."+f.Name.Name] = m
		}
	}
	return all, nil
}

// text is an expression as its file has it.
func text(e ast.Expr) string {
	var b strings.Builder
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return b.String()
}

// renamed are the methods whose names do not follow from those of C.
var renamed = map[string]string{
	"vxGetKernelByName": "KernelByName", "vxGetKernelByEnum": "KernelByID", "vxImportKernelFromURL": "ImportKernel",
	"vxGetGraphParameterByIndex": "Parameter", "vxGetKernelParameterByIndex": "Parameter", "vxGetParameterByIndex": "Parameter",
	"vxSetGraphParameterByIndex": "SetParameter", "vxSetParameterByIndex": "SetParameter", "vxSetParameterByReference": "Set",
	"vxAddParameterToGraph": "AddParameter", "vxAddParameterToKernel": "AddParameter", "vxGetObjectArrayItem": "Item",
	"vxGetReferenceFromDelay": "Reference", "vxSetMetaFormatFromReference": "FromReference", "vxCreateImageFromROI": "CreateFromROI",
	"vxUnmapTensorPatch": "UnmapPatch", "vxUnmapImagePatch": "UnmapPatch", "vxUnmapLUT": "Unmap",
}

// body returns what a function does by its name and its parameters.
func (f function) body(methods map[string]method) (string, error) {
	node, atOnce := f.layer()
	of, _ := strings.CutSuffix(f.params[0].typ, " *")
	object, first := goName(strings.TrimPrefix(of, "vx_")), f.params[0].goParam()
	switch {
	case node:
		return fmt.Sprintf("return create(%s, func(g *openvx.Graph) (*openvx.Node, error) { return g.%s(%s) })", first, f.method(), f.arguments()), nil
	case atOnce:
		return fmt.Sprintf("return do(%s, func(c *openvx.Context) error { return c.%s(%s) })", first, f.method(), f.arguments()), nil
	case f.name == "vxRelease"+object:
		return fmt.Sprintf("return release[*openvx.%s](%s)", object, first), nil
	case strings.TrimSuffix(f.name, "Attribute") == "vxQuery"+object:
		return fmt.Sprintf("return query(%s, %sAttributes, attribute, ptr, size)", first, lower(object)), nil
	case f.name == "vxSet"+object+"Attribute":
		return fmt.Sprintf("return set(%s, %sAttributes, attribute, ptr, size)", first, lower(object)), nil
	}
	same := strings.TrimPrefix(f.name, "vx")
	for _, name := range []string{renamed[f.name], same, strings.TrimSuffix(same, object)} {
		m, ok := methods[object+"."+name]
		if !ok {
			continue
		}
		if f.result == "vx_status" {
			return fmt.Sprintf("return do(%s, func(o *openvx.%s) error { return o.%s(%s) })", first, object, name, m.arguments(f.params[1:])), nil
		}
		return fmt.Sprintf("return create(%s, func(o *openvx.%s) (%s, error) { return o.%s(%s) })", first, object, exported(m.result), name, m.arguments(f.params[1:])), nil
	}
	return "", fmt.Errorf("%s is neither written by hand nor of a form that could be generated", f.name)
}

// exported puts the package before a type of package openvx.
func exported(typ string) string {
	if pointer, ok := strings.CutPrefix(typ, "*"); ok {
		return "*openvx." + pointer
	}
	return "openvx." + typ
}

// lengths are the bounds of strings by the names of their parameters, in bytes.
var lengths = map[string]string{"name": "openvx.MaxKernelName", "type": "openvx.MaxKernelName", "module": "maxModule", "url": "maxURL"}

// arguments returns C's arguments as a method takes them.
func (m method) arguments(params []param) string {
	var args []string
	for _, typ := range m.params {
		p := params[0]
		params = params[1:]
		name := p.goParam()
		switch {
		case typ == "[]int":
			name = fmt.Sprintf(`sizes("the size", %s, %s)`, name, params[0].goParam())
			params = params[1:]
		case typ == "int" && p.typ == "vx_size":
			name = fmt.Sprintf("count(%q, %s)", p.name, name)
		case typ == "int" || typ == "int8" || typ == "uint64":
			name = fmt.Sprintf("%s(%s)", typ, name)
		case typ == "string":
			name = fmt.Sprintf("text(%q, %s, %s)", "the "+p.name, name, lengths[p.name])
		case typ == "Rectangle":
			name = fmt.Sprintf("rectangle(%s)", name)
		case typ == "Reference" || typ[0] == '*':
			name = fmt.Sprintf("optional[%s](%s)", exported(typ), name)
		default:
			name = fmt.Sprintf("%s(%s)", exported(typ), name)
		}
		args = append(args, name)
	}
	return strings.Join(args, ", ")
}

// arguments returns the operands of a layer as package openvx takes them.
func (f function) arguments() string {
	var args []string
	for i, p := range f.params[1:] {
		name := p.goParam()
		switch {
		case strings.HasPrefix(p.name, "size_of_"):
			continue
		case p.aggregate() != "":
			size := "unsafe.Sizeof(*" + name + ")"
			if next := f.params[i+2]; strings.HasPrefix(next.name, "size_of_") {
				size = next.goParam()
			}
			name = fmt.Sprintf("%s(%s, %s)", conversionOf(p.aggregate()), name, size)
		case p.typ == "vx_enum":
			name = fmt.Sprintf("openvx.%s(%s)", p.goType(), name)
		case p.typ == "vx_size":
			name = fmt.Sprintf("count(%q, %s)", p.name, name)
		case p.typ != "vx_float32":
			name = fmt.Sprintf("optional[*openvx.%s](%s)", p.goType()[1:], name)
		}
		args = append(args, name)
	}
	return strings.Join(args, ", ")
}

// conversionOf names the function that makes a structure of package openvx of one of C.
func conversionOf(c string) string { return lower(goStructure(c)) + "Of" }

// conversion returns the source of that function.
func (s structure) conversion() string {
	var b strings.Builder
	typ := "openvx." + goStructure(s.name)
	fmt.Fprintf(&b, "\nfunc %s(c *C.%s, size uintptr) %s {\n\tp := structure(c, size)\n\treturn %s{\n", conversionOf(s.name), s.name, typ, typ)
	for _, f := range s.fields {
		convert := map[string]string{
			"vx_size": fmt.Sprintf("count(%q, uintptr(p.%s))", f.name, f.name),
			"vx_enum": fmt.Sprintf("openvx.%s(p.%s)", enumParams[f.name], f.name),
			"vx_bool": fmt.Sprintf("p.%s != 0", f.name),
		}
		fmt.Fprintf(&b, "\t\t%s: %s,\n", f.goField(), convert[f.typ])
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}
