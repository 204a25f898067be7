package manifest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Encode writes the manifest as a document that [Parse] reads as the same one. Keys that have their default are left out, and names of
// classes that stood in a file are part of it, so that it needs no other file. It fails if the document would be larger than [MaxBytes].
func (m *Manifest) Encode() ([]byte, error) {
	m = cmp.Or(m, new(Manifest))
	root := object{}
	root.add("version", Version)
	if m.Title != "" {
		root.add("title", m.Title)
	}
	var inputs, outputs object
	for _, in := range m.Inputs {
		inputs.add(in.Name, encoded(in.Kind, in.Kind.inputKind(), inputKinds, in.Note))
	}
	for _, out := range m.Outputs {
		outputs.add(out.Name, encoded(out.Kind, out.Kind.outputKind(), outputKinds, out.Note))
	}
	root.add("inputs", inputs)
	root.add("outputs", outputs)
	var b bytes.Buffer
	write(&b, root, "")
	b.WriteByte('\n')
	if b.Len() > MaxBytes {
		return nil, fmt.Errorf("the manifest would have %d bytes; at most %d are allowed", b.Len(), MaxBytes)
	}
	return b.Bytes(), nil
}

// Renamed returns the manifest of the same model under other names: input and output say what a name becomes, "" that the model has it no
// longer. What refers to an output that is gone is gone, too.
func (m *Manifest) Renamed(input, output func(name string) string) *Manifest {
	r := &Manifest{Source: m.Source, Title: m.Title}
	for _, in := range m.Inputs {
		in.Name = input(in.Name)
		if s, ok := in.Kind.(*State); ok {
			s = &State{From: output(s.From)}
			if in.Kind = s; s.From == "" {
				continue
			}
		}
		if in.Name != "" {
			r.Inputs = append(r.Inputs, in)
		}
	}
	for _, out := range m.Outputs {
		out.Name = output(out.Name)
		if b, ok := out.Kind.(*Boxes); ok {
			renamed := *b
			renamed.Scores = output(b.Scores)
			if out.Kind = &renamed; renamed.Scores == "" {
				continue
			}
		}
		if out.Name != "" {
			r.Outputs = append(r.Outputs, out)
		}
	}
	return r
}

// object is an object of a document: its members in their order.
type object []entry

type entry struct {
	key   string
	value any // object, string, bool, int, float64, []string, []float64 or []object
}

func (o *object) add(key string, value any) { *o = append(*o, entry{key, value}) }

// encoded is the object of an input or output.
func encoded(kind any, name string, kinds map[string]func() any, note string) object {
	var d *document
	_, fields := d.fields(kind)
	_, defaults := d.fields(kinds[name]())
	o := append(object{{"kind", name}}, changed(fields, defaults)...)
	if note != "" {
		o.add("note", note)
	}
	return o
}

// changed has the members that differ from their defaults, which are the same fields of another object.
func changed(fields, defaults []field) (o object) {
	for i, f := range fields {
		if v := f.value(); v != nil && v != "" && !reflect.DeepEqual(v, defaults[i].value()) {
			o.add(f.key, v)
		}
	}
	return o
}

// width is how long a line of a document gets before a list is broken.
const width = 120

// write writes a value that stands behind an indentation.
func write(b *bytes.Buffer, value any, indent string) {
	switch v := value.(type) {
	case object:
		writeItems(b, "{}", v, indent, func(e entry) {
			writeString(b, e.key)
			b.WriteString(": ")
			write(b, e.value, indent+"  ")
		})
	case []object:
		writeItems(b, "[]", v, indent, func(o object) { writeLine(b, o) })
	case []string:
		if line := inline(v); len(indent)+len(line) <= width {
			b.WriteString(line)
			return
		}
		writeItems(b, "[]", v, indent, func(s string) { writeString(b, s) })
	default:
		writeLine(b, v)
	}
}

// writeItems writes the items of an object or a list, a line each.
func writeItems[T any](b *bytes.Buffer, brackets string, items []T, indent string, item func(T)) {
	if len(items) == 0 {
		b.WriteString(brackets)
		return
	}
	b.WriteByte(brackets[0])
	for i, x := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + indent + "  ")
		item(x)
	}
	b.WriteString("\n" + indent + brackets[1:])
}

func inline(value any) string {
	var b bytes.Buffer
	writeLine(&b, value)
	return b.String()
}

// writeLine writes a value in one line.
func writeLine(b *bytes.Buffer, value any) {
	switch v := value.(type) {
	case object:
		writeList(b, "{}", v, func(e entry) {
			writeString(b, e.key)
			b.WriteString(": ")
			writeLine(b, e.value)
		})
	case []any:
		writeList(b, "[]", v, func(x any) { writeLine(b, x) })
	case []string:
		writeList(b, "[]", v, func(s string) { writeString(b, s) })
	case []float64:
		writeList(b, "[]", v, func(x float64) { writeLine(b, x) })
	case string:
		writeString(b, v)
	case float64:
		b.WriteString(formatNumber(v))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case int:
		b.WriteString(strconv.Itoa(v))
	default:
		panic(fmt.Sprintf("manifest: %T has no JSON", value))
	}
}

// formatNumber writes a number as people do, with an exponent only where it is needed.
func formatNumber(x float64) string {
	if s := strconv.FormatFloat(x, 'f', -1, 64); len(s) <= 21 {
		return s
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func writeList[T any](b *bytes.Buffer, brackets string, items []T, item func(T)) {
	b.WriteByte(brackets[0])
	for i, x := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		item(x)
	}
	b.WriteByte(brackets[1])
}

// writeString writes a string as JSON, with <, > and & as they are.
func writeString(b *bytes.Buffer, s string) {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can be encoded
	b.WriteString(strings.TrimSuffix(text.String(), "\n"))
}
