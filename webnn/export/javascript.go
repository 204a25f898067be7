package export

import (
	_ "embed" // the form of modules
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// Files are the files of an exported model. The weights serve the module and the session.
type Files struct {
	JavaScript []byte                  // an ES module
	Session    []byte                  // JSON
	Weights    func(w io.Writer) error // writes the contents of all constants, little-endian
}

// Files writes the model. weights is the name under which the weights will lie beside the other two files, such as model.bin;
// the module, which says how it is used, takes itself for model.js then.
//
// The module exports the functions buildGraph(context, weights) and loadWeights(url) and the objects inputs and outputs, which
// hold the descriptors by their names. Equal models give equal bytes.
func (m *Model) Files(weights string) (_ *Files, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if m == nil || m.Session == nil {
		return nil, errors.New("there is no session to write")
	}
	s := *m.Session
	s.Weights = weights
	f := &Files{}
	if f.Session, f.Weights, err = s.Encode(); err != nil {
		return nil, err
	}
	w := &writer{names: make(map[session.Ref]string), used: maps.Clone(reserved)}
	for i := range m.Session.Calls {
		w.call(&m.Session.Calls[i])
	}
	words := []string{"@MODULE@", quote(relative(strings.TrimSuffix(weights, filepath.Ext(weights)) + ".js")), "@FILE@", quote("./" + weights),
		"@WEIGHTS@", quote(relative(weights)), "@SIZE@", strconv.Itoa(w.at), "@CALLS@", w.text.String()}
	var text strings.Builder
	for line := range strings.Lines(moduleForm) {
		ports := []Port{{}}
		if rest, ok := strings.CutPrefix(line, "@IN@"); ok {
			line, ports = rest, m.Inputs
		} else if rest, ok := strings.CutPrefix(line, "@OUT@"); ok {
			line, ports = rest, m.Outputs
		}
		for _, p := range ports {
			shape := strings.Join(strings.Fields(fmt.Sprint([]int(p.Shape))), ", ")
			of := []string{"@KEY@", property(p.Name), "@ACCESS@", access(p.Name), "@TYPE@", quote(p.DataType.String()), "@SHAPE@", shape}
			text.WriteString(strings.NewReplacer(slices.Concat(words, of)...).Replace(line))
		}
	}
	f.JavaScript = []byte(text.String())
	return f, w.err
}

// moduleForm is a module. A line behind @IN@ or @OUT@ stands there for each input or output.
//
//go:embed module.js.txt
var moduleForm string

// writer writes the calls of a module. The first error sticks.
type writer struct {
	text  strings.Builder
	names map[session.Ref]string // the constants of the module that hold operands
	used  naming.Set
	at    int // where the next buffer lies in the weights
	err   error
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.text, format, args...) }

// relative returns the address of a file beside the module.
func relative(name string) string { return "./" + url.PathEscape(name) }

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
	if text, ok := w.single(dataType, b.Data); ok {
		return text
	}
	return fmt.Sprintf("view(%s, %d, %d)", quote(dataType), at, len(b.Data))
}

// single writes the typed array of one element, if a number has all its bits.
func (w *writer) single(dataType string, data []byte) (string, bool) {
	d, err := tensor.ParseDType(dataType)
	if err != nil || len(data) != d.Size() || d == tensor.Float16 { // as pages without Float16Array cannot round
		return "", false
	}
	array := session.TypedArray(d)
	elements, _ := (&session.Buffer{Type: array, Data: data}).Elements()
	if len(elements) != 1 || elements[0] != elements[0] { // a NaN
		return "", false
	}
	number := w.value(elements[0])
	if d == tensor.Float32 {
		number = shortest(float32(elements[0].(float64)))
	}
	return "new " + array + "([" + number + "])", true
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
		for _, key := range naming.Sorted(v) {
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
	text = strings.Map(func(r rune) rune {
		if r == '$' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, text)
	if text == "" || unicode.IsDigit(rune(text[0])) {
		return "_" + text
	}
	return text
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
var reserved = func() naming.Set {
	words := naming.Of(strings.Fields(`arguments async await break case catch class const continue debugger default delete do else
		enum eval export extends false finally for function if implements import in instanceof interface let new null package
		private protected public return static super switch this throw true try typeof undefined var void while with yield
		NaN Infinity globalThis builder context graph inputs outputs view views weights buildGraph loadWeights MLGraphBuilder
		RangeError Error URL fetch`)...)
	for _, d := range webnn.DataTypes {
		words.Add(session.TypedArray(d))
	}
	return words
}()
