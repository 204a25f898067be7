package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Encode writes the manifest as a document that [Parse] reads as the same one. Keys that have their default are left out, and names of
// classes that stood in a file are part of it, so that it needs no other file. It fails if the document would be larger than [MaxBytes].
func (m *Manifest) Encode() ([]byte, error) {
	root := object{}
	root.add("version", Version)
	root.unless("title", m.Title, "")
	var inputs, outputs object
	for _, in := range m.Inputs {
		inputs.add(in.Name, encodeInput(in.Kind, in.Note))
	}
	for _, out := range m.Outputs {
		outputs.add(out.Name, encodeOutput(out.Kind, out.Note))
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

// unless adds a member that differs from its default.
func (o *object) unless(key string, value, def any) {
	if value != def {
		o.add(key, value)
	}
}

// choice adds one of several words that differs from the default, which "" stands for, too.
func (o *object) choice(key, value, def string) {
	if value != "" {
		o.unless(key, value, def)
	}
}

// channels adds a value for each channel, or one for all, that differs from the default.
func (o *object) channels(key string, values []float64, def float64) {
	if len(values) > 0 && !slices.Equal(values, []float64{def}) {
		o.add(key, single(values))
	}
}

// single returns a list of one number as a number.
func single(values []float64) any {
	if len(values) == 1 {
		return values[0]
	}
	return values
}

func (o *object) size(key string, width, height int) {
	if width != 0 || height != 0 {
		o.add(key, []float64{float64(width), float64(height)})
	}
}

func (o *object) labels(l *Labels) {
	switch {
	case l.Names != nil:
		o.add("labels", l.Names)
	case l.File != "":
		o.add("labels_file", l.File)
	}
}

func encodeInput(kind InputKind, note string) object {
	var o object
	o.add("kind", kind.inputKind())
	switch k := kind.(type) {
	case *Image:
		o.size("size", k.Width, k.Height)
		o.unless("layout", k.Layout, "")
		o.choice("colour", string(k.Colour), string(RGB))
		o.unless("invert", k.Invert, false)
		o.choice("crop", string(k.Crop), string(CropNone))
		o.unless("margin", k.Margin, 0.0)
		o.choice("resize", string(k.Resize), string(Stretch))
		o.choice("filter", string(k.Filter), string(Bilinear))
		o.unless("round", k.Round, false)
		o.channels("pad", k.Pad, 0)
		o.channels("mean", k.Mean, 0)
		o.channels("std", k.Std, 1)
	case *Audio:
		o.add("rate", k.Rate)
		o.unless("window", k.Window, 0)
		o.unless("hop", k.Hop, 0)
		o.unless("context", k.Context, 0)
		o.unless("scale", k.Scale, 1.0)
	case *Tensor:
		if k.Value != nil {
			o.add("value", single(k.Value))
		}
	case *State:
		o.add("from", k.From)
	}
	o.unless("note", note, "")
	return o
}

func encodeOutput(kind OutputKind, note string) object {
	var o object
	o.add("kind", kind.outputKind())
	switch k := kind.(type) {
	case *Classes:
		o.labels(&k.Labels)
		o.unless("softmax", k.Softmax, false)
		o.unless("top", k.Top, 5)
	case *Boxes:
		o.add("scores", k.Scores)
		o.labels(&k.Labels)
		o.unless("background", k.Background, -1)
		o.choice("format", string(k.Format), string(Corners))
		if k.Format != Deltas {
			o.choice("units", string(k.Units), string(Unit))
		}
		if k.Priors != nil {
			o.add("priors", encodePriors(k.Priors))
		}
		o.unless("score_threshold", k.ScoreThreshold, 0.5)
		o.unless("iou_threshold", k.IoUThreshold, 0.5)
		o.unless("limit", k.Limit, 0)
	case *Track:
		o.unless("label", k.Label, "")
		o.unless("index", k.Index, -1)
		o.unless("threshold", k.Threshold, 0.5)
	}
	o.unless("note", note, "")
	return o
}

func encodePriors(p *Priors) object {
	var o object
	o.size("size", p.Width, p.Height)
	maps := make([]object, len(p.Maps))
	for i, m := range p.Maps {
		maps[i].size("cells", m.Columns, m.Rows)
		boxes := make([]any, len(m.Boxes))
		for k, b := range m.Boxes {
			if boxes[k] = b[0]; b[0] != b[1] {
				boxes[k] = b[:]
			}
		}
		maps[i].add("boxes", boxes)
	}
	o.add("maps", maps)
	o.unless("clamp", p.Clamp, false)
	if p.Variance != [2]float64{0.1, 0.2} {
		o.add("variance", p.Variance[:])
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
