package export

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/openvx"
)

// Files are the files of a network.
type Files struct {
	Source  []byte                  // C99
	Header  []byte                  // C, which C++ can include too
	Weights func(w io.Writer) error // writes the elements of all constants, little-endian
}

// Files writes the network. name is that of the files, without an ending; the names of the structure and the functions begin with it, made an
// identifier. Equal networks give equal bytes.
//
// The header declares the structure NAME_network with the graph and the tensors of inputs and outputs, NAME_create, which makes it of a file of
// weights, NAME_create_from_memory, and NAME_release.
func (n *Network) Files(name string) *Files {
	w := &writer{Network: n, file: name, name: identifier(name), offsets: make(map[any]int), weights: stage.Pieces{Align: 8}}
	w.lay()
	return &Files{Header: w.header(), Source: w.source(), Weights: w.weights.Write}
}

// writer writes the files of a network.
type writer struct {
	*Network
	text       bytes.Buffer
	file, name string
	offsets    map[any]int // of weights and tables in their file
	weights    stage.Pieces
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

// take returns what has been written.
func (w *writer) take() []byte {
	text := bytes.Clone(w.text.Bytes())
	w.text.Reset()
	return text
}

// lay lays the contents of constants one behind the other.
func (w *writer) lay() {
	for _, t := range w.Tensors {
		if t.Kind == Weights {
			w.offsets[t] = w.weights.Add(t.Data)
		}
	}
	for _, t := range w.LUTs {
		w.offsets[t] = w.weights.Add(t.Data)
	}
}

// fill writes a part of the generated code with texts in the places of names: in turn.
func (w *writer) fill(text string, pairs ...string) {
	w.text.WriteString(strings.NewReplacer(append(pairs, "NETWORK", w.name)...).Replace(text))
}

func (w *writer) header() []byte {
	var ports, writes, reads strings.Builder
	port := func(role string, p Port, lines *strings.Builder, usage string) {
		fmt.Fprintf(&ports, "    vx_tensor %s; /* %s %s: %s; extents %s, in the model %v%v */\n", p.Tensor.Name, role, comment(p.Name),
			formats[p.Tensor.row()].note, list(p.Tensor.Dims), p.DType, p.Shape)
		fmt.Fprintf(lines, " *     vxCopyTensorPatch(network.%s, ..., %s, VX_MEMORY_TYPE_HOST);\n", p.Tensor.Name, usage)
	}
	for _, p := range w.Inputs {
		port("input", p, &writes, "VX_WRITE_ONLY")
	}
	for _, p := range w.Outputs {
		port("output", p, &reads, "VX_READ_ONLY")
	}
	w.fill(named("header"), "@MODEL@", comment(w.Name), "@WEIGHTS@", comment(w.file+".bin"), "@GUARD@", strings.ToUpper(w.name)+"_H",
		"@PORTS@", ports.String(), "@WRITES@", writes.String(), "@READS@", reads.String())
	return w.take()
}

// list writes numbers with commas.
func list(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

func (w *writer) source() []byte {
	w.tensors()
	tensors := w.take()
	w.calls()
	calls := w.take()
	w.printf("/* Made by Concord: see %s. */\n\n#include \"%s.h\"\n\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n", comment(w.file+".h"), included(w.file))
	used := string(tensors) + string(calls)
	for i := range parts {
		if parts[i].in(used) {
			w.fill(parts[i].text + "\n")
		}
	}
	w.printf("/* Elements: type, and number of fractional bits. */\n")
	for _, f := range formats {
		if strings.Contains(used, f.macro+",") {
			w.printf("#define %s %v, %d\n", f.macro, f.Type, f.Fixed)
		}
	}
	w.printf("\nstatic void make(builder *to)\n{\n    vx_graph graph = to->network->graph;\n\n%s\n    if (to->status != VX_SUCCESS)\n        return;\n\n%s}\n", tensors, calls)
	w.fill("\n"+named("entry"), "@SIZE@", strconv.Itoa(w.weights.Len()))
	return w.take()
}

// included writes the name of a file as a directive takes it, which knows no escapes.
func included(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
}

func (w *writer) tensors() {
	public := make(map[*Tensor]bool)
	for _, p := range append(w.Inputs[:len(w.Inputs):len(w.Inputs)], w.Outputs...) {
		public[p.Tensor] = true
	}
	for _, t := range w.Tensors {
		w.printf("    vx_tensor %s = ", t.Name)
		if public[t] {
			w.printf("to->network->%s = ", t.Name)
		}
		switch t.Kind {
		case Virtual:
			w.printf("virtual_tensor(to, %s, LIST(%s));\n", formats[t.row()].macro, list(t.Dims))
		case Weights:
			w.printf("weights(to, %d, %s, LIST(%s));\n", w.offsets[t], formats[t.row()].macro, list(t.Dims))
		case View:
			w.printf("view(to, %s, LIST(%s), AT(%s));\n", t.Of.Name, list(t.Start), list(t.End))
		default:
			w.printf("tensor(to, %s, LIST(%s));\n", formats[t.row()].macro, list(t.Dims))
		}
	}
	for _, t := range w.LUTs {
		w.printf("    vx_lut %s = table(to, %d, %v, %d);\n", t.Name, w.offsets[t], t.Type, t.Count)
	}
}

func (w *writer) calls() {
	for _, c := range w.Calls {
		if c.Label != "" {
			w.printf("    /* %s */\n", comment(c.Label))
		}
		indent := "    "
		if c.Times > 1 {
			w.printf("    for (vx_size group = 0; group < %d; group++)\n", c.Times)
			indent += "    "
		}
		args := make([]string, len(c.Args))
		for i, a := range c.Args {
			args[i] = argument(a, c.Times, indent)
		}
		w.printf("%snode(to, %s, %s(graph, %s));\n", indent, literal(c.Value), c.Function, strings.ReplaceAll(strings.Join(args, ", "), ", \n", ",\n"))
	}
}

// argument writes an argument of a call.
func argument(v any, times int, indent string) string {
	switch v := v.(type) {
	case *Tensor:
		if v == nil {
			return "NULL"
		}
		return v.Name
	case Part:
		return fmt.Sprintf("part(to, %s, %d, group, %d)", v.Of.Name, v.Axis, times)
	case *LUT:
		return v.Name
	case Real:
		return "real(to, " + float(float32(v)) + ")"
	case float32:
		return float(v)
	case int:
		return strconv.Itoa(v)
	case bool:
		return map[bool]string{false: "vx_false_e", true: "vx_true_e"}[v]
	case openvx.MatrixMultiplyParams:
		return "&(vx_tensor_matrix_multiply_params_t){" + fields(v) + "}"
	}
	if t, ok := structures[reflect.TypeOf(v)]; ok {
		return "\n" + indent + "    PARAMS(" + t + ", " + fields(v) + ")"
	}
	return fmt.Sprint(v) // an enumeration, by the standard's name
}

// fields writes the fields of parameters, which are in the order of the structure in C.
func fields(params any) string {
	v := reflect.ValueOf(params)
	list := make([]string, v.NumField())
	for i := range list {
		list[i] = argument(v.Field(i).Interface(), 1, "")
	}
	return strings.Join(list, ", ")
}

// float writes a constant of type float with all its bits.
func float(x float32) string {
	text := strconv.FormatFloat(float64(x), 'g', -1, 32)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text + "f"
}
