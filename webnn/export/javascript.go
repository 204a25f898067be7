package export

import (
	"bytes"
	_ "embed" // the part of modules that is always the same
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// Files are the files of an exported model. The weights serve the module and the session.
type Files struct {
	JavaScript []byte // an ES module
	Session    []byte // JSON
	Weights    []byte // the contents of all constants, little-endian
}

// Files writes the model. weights is the name under which the weights will lie beside the other two files, such as model.bin;
// the module, which says how it is used, takes itself for model.js then.
//
// The module exports the functions buildGraph(context, weights) and loadWeights(url) and the objects inputs and outputs, which
// hold the descriptors by their names. Equal models give equal bytes.
func (m *Model) Files(weights string) (_ *Files, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if m.Session == nil {
		return nil, errors.New("there is no session to write")
	}
	s := *m.Session
	s.Weights = weights
	f := &Files{}
	if f.Session, f.Weights, err = s.Encode(); err != nil {
		return nil, err
	}
	w := &writer{names: make(map[session.Ref]string), used: maps.Clone(reserved)}
	w.module(m, weights, len(f.Weights))
	f.JavaScript = w.text.Bytes()
	return f, w.err
}

// writer writes a module. The first error sticks.
type writer struct {
	text  bytes.Buffer
	names map[session.Ref]string // the constants of the module that hold operands
	used  kit.Names
	at    int // where the next buffer lies in the weights
	err   error
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

func (w *writer) module(m *Model, weights string, size int) {
	w.header(m, weights)
	w.ports("inputs", "The descriptors of the inputs, by name.", m.Inputs)
	w.ports("outputs", "The descriptors of the outputs, by name.", m.Outputs)
	replace := strings.NewReplacer("@VIEWS@", views(), "@WEIGHTS@", quote(relative(weights)), "@SIZE@", strconv.Itoa(size))
	w.text.WriteString("\n" + replace.Replace(loader))
	for i := range m.Session.Calls {
		w.call(&m.Session.Calls[i])
	}
	w.printf("  return { graph, inputs, outputs };\n}\n")
}

// relative returns the address of a file beside the module.
func relative(name string) string { return "./" + url.PathEscape(name) }

// header says how the module is used, with its own names.
func (w *writer) header(m *Model, weights string) {
	w.printf(`// This module builds a graph by WebNN (https://www.w3.org/TR/webnn/). On a page:
//
//   import { buildGraph, loadWeights, inputs, outputs } from %s;
//
//   const context = await navigator.ml.createContext();
//   const { graph } = await buildGraph(context, await loadWeights());
`, quote(relative(strings.TrimSuffix(weights, filepath.Ext(weights))+".js")))
	tensors := func(variable, from, usage string, ports []Port) {
		w.printf("//   const %s = {\n", variable)
		for _, p := range ports {
			w.printf("//     %s: await context.createTensor({ ...%s%s, %s: true }),\n", property(p.Name), from, access(p.Name), usage)
		}
		w.printf("//   };\n")
	}
	tensors("given", "inputs", "writable", m.Inputs)
	tensors("results", "outputs", "readable", m.Outputs)
	for _, p := range m.Inputs {
		w.printf("//   context.writeTensor(given%s, /* a typed array */);\n", access(p.Name))
	}
	w.printf("//   context.dispatch(graph, given, results);\n")
	for _, p := range m.Outputs {
		w.printf("//   await context.readTensor(results%s); // an ArrayBuffer\n", access(p.Name))
	}
	w.printf(`//
// Logical values are uint8, 0 and 1. The weights, %s, are little-endian, as the processors of all browsers are.
`, quote("./"+weights))
}

// views writes the members of the object views.
func views() string {
	var b strings.Builder
	for _, d := range webnn.DataTypes {
		array := session.TypedArray(d)
		if d == tensor.Float16 {
			array = "globalThis." + array + " ?? " + session.TypedArray(tensor.Uint8) // not all pages have it
		}
		fmt.Fprintf(&b, "  %v: %s,\n", d, array)
	}
	return b.String()
}

//go:embed loader.js.txt
var loader string

func (w *writer) ports(name, doc string, ports []Port) {
	w.printf("\n// %s\nexport const %s = {\n", doc, name)
	for _, p := range ports {
		shape := make([]string, len(p.Shape))
		for i, n := range p.Shape {
			shape[i] = strconv.Itoa(n)
		}
		w.printf("  %s: { dataType: %s, shape: [%s] },\n", property(p.Name), quote(p.DataType.String()), strings.Join(shape, ", "))
	}
	w.printf("};\n")
}

func (w *writer) call(c *session.Call) {
	switch {
	case c.Method == "createContext" || c.Method == "MLGraphBuilder":
		return // the context is an argument
	case c.Method == "build":
		w.printf("  const graph = await builder.build(%s);\n", w.value(c.Args[0]))
		return
	case c.IDs != nil:
		list := make([]string, len(c.IDs))
		for i, id := range c.IDs {
			list[i] = w.define(id)
		}
		w.printf("  const [%s] = ", strings.Join(list, ", "))
	default:
		w.printf("  const %s = ", w.define(c.ID))
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		if b, ok := a.(*session.Buffer); ok {
			d, _ := c.Args[0].(session.Dict)
			name, _ := d["dataType"].(string)
			args[i] = w.buffer(name, b)
			continue
		}
		args[i] = w.value(a)
	}
	w.printf("builder.%s(%s);\n", c.Method, strings.Join(args, ", "))
}

// buffer writes the elements of a constant: a single one as a number, others as a view of the weights.
func (w *writer) buffer(dataType string, b *session.Buffer) string {
	at := session.Align(w.at)
	w.at = at + len(b.Data)
	if text, ok := single(dataType, b.Data); ok {
		return text
	}
	return fmt.Sprintf("view(%s, %d, %d)", quote(dataType), at, len(b.Data))
}

// single writes the typed array of one element, if a number has all its bits.
func single(dataType string, data []byte) (string, bool) {
	d, err := tensor.ParseDType(dataType)
	if err != nil || len(data) != d.Size() {
		return "", false
	}
	number := ""
	switch d {
	case tensor.Float32:
		x := math.Float32frombits(binary.LittleEndian.Uint32(data))
		if x != x {
			return "", false
		}
		number = shortest(x)
	case tensor.Int32:
		number = strconv.FormatInt(int64(int32(binary.LittleEndian.Uint32(data))), 10)
	case tensor.Uint32:
		number = strconv.FormatUint(uint64(binary.LittleEndian.Uint32(data)), 10)
	case tensor.Int64:
		number = strconv.FormatInt(int64(binary.LittleEndian.Uint64(data)), 10) + "n"
	case tensor.Uint64:
		number = strconv.FormatUint(binary.LittleEndian.Uint64(data), 10) + "n"
	case tensor.Int8:
		number = strconv.Itoa(int(int8(data[0])))
	case tensor.Uint8:
		number = strconv.Itoa(int(data[0]))
	default: // pages without Float16Array cannot round
		return "", false
	}
	return "new " + session.TypedArray(d) + "([" + number + "])", true
}

// shortest writes a float32 with few digits: those that a page, which reads a double, rounds back to it.
func shortest(x float32) string {
	text := literal(float64(x), 32)
	if back, err := strconv.ParseFloat(text, 64); err != nil || float32(back) != x {
		text = literal(float64(x), 64)
	}
	return text
}

// literal writes a number with the fewest digits from which a float of so many bits can be read back, and -0 with its sign.
func literal(x float64, bits int) string {
	if text, ok := session.NonFinite(x); ok {
		return text
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}

// value writes an argument.
func (w *writer) value(v session.Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return quote(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 && (v != 0 || !math.Signbit(v)) {
			return strconv.FormatInt(int64(v), 10)
		}
		return literal(v, 64)
	case *big.Int:
		return v.String() + "n"
	case session.Ref:
		if name, ok := w.names[v]; ok {
			return name
		}
		w.fail("there is no operand %q", v)
	case session.Dict:
		members := make([]string, 0, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			member, value := property(key), w.value(v[key])
			if _, operand := v[key].(session.Ref); !operand || member != value {
				member += ": " + value
			}
			members = append(members, member)
		}
		if len(members) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case []session.Value:
		items := make([]string, len(v))
		for i, x := range v {
			items[i] = w.value(x)
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		w.fail("a %T is no argument of a builder", v)
	}
	return "undefined"
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// define returns the name of the constant that holds a result.
func (w *writer) define(id string) string {
	name := w.used.Take(identifier(id))
	w.names[session.Ref(id)] = name
	return name
}

// identifier returns the text with everything replaced that an identifier of ASCII cannot have.
func identifier(text string) string {
	var b strings.Builder
	for i, r := range text {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '$'
		digit := '0' <= r && r <= '9'
		switch {
		case digit && i == 0:
			b.WriteByte('_')
			fallthrough
		case letter || digit:
			b.WriteByte(byte(r))
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// property writes a key of an object literal. The key __proto__ would be the prototype; in brackets it is one like others.
func property(key string) string {
	switch {
	case key == "__proto__":
		return `["__proto__"]`
	case key != "" && key == identifier(key):
		return key
	}
	return quote(key)
}

// access writes the access to a property.
func access(key string) string {
	if name := property(key); name == key {
		return "." + name
	}
	return "[" + quote(key) + "]"
}

// quote writes a string literal, in which nothing ends a script or a line.
func quote(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	text, _ := json.Marshal(s) // strings cannot fail; < and the separators of lines are escaped
	return string(text)
}

// reserved are the names that constants cannot have: words of the language, and what the module itself uses.
var reserved = func() kit.Names {
	words := kit.NamesOf(strings.Fields(`arguments async await break case catch class const continue debugger default delete do else
		enum eval export extends false finally for function if implements import in instanceof interface let new null package
		private protected public return static super switch this throw true try typeof undefined var void while with yield
		NaN Infinity globalThis builder context graph inputs outputs view views weights buildGraph loadWeights MLGraphBuilder
		RangeError Error URL fetch`)...)
	for _, d := range webnn.DataTypes {
		words[session.TypedArray(d)] = 1
	}
	return words
}()
