package manifest

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
)

// Parse reads a manifest; source is its name in messages. All mistakes are reported at once, as Errors; with them comes what could be read, whose
// [Manifest.Check] tells them with those that a model shows. Labels that stand in files are not read: [Load] does that.
func Parse(source string, data []byte) (*Manifest, error) {
	data = mapfile.Text(data)
	d := newDocument(source, data)
	if len(data) > MaxBytes {
		d.fail(0, "", "the document has %d bytes; at most %d are allowed", len(data), MaxBytes)
		return &Manifest{Source: source, wrong: d.errs}, d.errs
	}
	m := &Manifest{Source: source}
	if root := d.tree(); root != nil {
		d.manifest(root, m)
	}
	m.wrong = d.errs
	return m, m.wrong.inOrder()
}

// field is a key of an object: how its value is decoded, and what is written for it; nil or "" for nothing. Fields of a nil document are for writing.
type field struct {
	key    string
	decode func(*node)
	value  func() any
}

// bind is the field of a value that is written as it is.
func bind[T any](key string, to *T, decode func(n *node, to *T)) field {
	return field{key, func(n *node) { decode(n, to) }, func() any { return *to }}
}

// word is the field of one of several words.
func word[T ~string](d *document, key string, to *T, allowed ...T) field {
	return field{key, func(n *node) { oneOf(d, n, to, allowed...) }, func() any { return string(*to) }}
}

// numbers is the field of one number or a list.
func numbers(key string, to *[]float64, decode func(n *node)) field {
	return field{key, decode, func() any {
		switch len(*to) {
		case 0:
			return nil
		case 1:
			return (*to)[0]
		}
		return *to
	}}
}

// sizeField is the field of [width, height] or [columns, rows].
func (d *document) sizeField(key string, width, height *int) field {
	return field{key, func(n *node) { d.size(n, width, height) }, func() any {
		if *width == 0 && *height == 0 {
			return nil
		}
		return []float64{float64(*width), float64(*height)}
	}}
}

// object decodes the members of n; keys that are not among the fields are mistakes, as are missing ones among required.
func (d *document) object(n *node, required string, fields ...field) {
	members, ok := n.value.([]member)
	if !ok {
		d.wrong(n, "an object {…}")
		return
	}
	for _, m := range members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == m.key })
		if i < 0 {
			keys := make([]string, len(fields))
			for i, f := range fields {
				keys[i] = f.key
			}
			d.fail(m.at, n.path(), "unknown key %s; %s", quote(m.key), suggest(m.key, keys))
			continue
		}
		fields[i].decode(m.value)
	}
	for key := range strings.FieldsSeq(required) {
		if !slices.ContainsFunc(members, func(m member) bool { return m.key == key }) {
			d.fail(n.at, n.path(), "the key %q is missing", key)
		}
	}
}

// kind decodes an input or output, whose key "kind" says which of the given ones it is; nil if it does not.
func (d *document) kind(n *node, kinds map[string]func() any) any {
	if _, ok := n.value.([]member); !ok {
		d.wrong(n, "an object {…}")
		return nil
	}
	names := naming.Sorted(kinds)
	given := n.member("kind")
	if given == nil {
		d.fail(n.at, n.path(), `the key "kind" is missing; it must be %s`, list(names))
		return nil
	}
	var name string
	oneOf(d, given, &name, names...)
	if kinds[name] == nil {
		return nil
	}
	kind := kinds[name]()
	required, fields := d.fields(kind)
	d.object(n, required, append([]field{{key: "kind", decode: func(*node) {}}}, fields...)...)
	d.check(n, kind)
	return kind
}

// member returns the value of a key of an object; nil if there is none.
func (n *node) member(key string) *node {
	members, _ := n.value.([]member)
	for _, m := range members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// suggest says which key is meant, or which there are.
func suggest(key string, keys []string) string {
	if best := naming.Near(key, keys); best != "" {
		return "did you mean " + quote(best) + "?"
	}
	return "the keys here are " + strings.ReplaceAll(list(keys), " or ", " and ")
}

// wrong records that n is not of the wanted type.
func (d *document) wrong(n *node, want string) {
	d.fail(n.at, n.path(), "this is %s; it must be %s", describe(n), want)
}

func describe(n *node) string {
	switch v := n.value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the string " + quote(v)
	case json.Number:
		return "the number " + strings.Trim(quote(v.String()), `"`)
	case []*node:
		return "a list of " + itoa(len(v))
	}
	return "an object"
}

func (d *document) flag(n *node, to *bool) {
	v, ok := n.value.(bool)
	if !ok {
		d.wrong(n, "true or false")
		return
	}
	*to = v
}

// text decodes a string without control characters, which would reach a terminal.
func (d *document) text(n *node, to *string, most int) {
	v, ok := n.value.(string)
	switch {
	case !ok:
		d.wrong(n, "a string")
	case !printable(v) || len(v) > most:
		d.wrong(n, "a string of at most "+itoa(most)+" bytes without control characters")
	default:
		*to = v
	}
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	})
}

// name decodes the name of an output.
func (d *document) name(n *node, to *string) {
	d.text(n, to, maxName)
	if *to == "" && n.value == "" {
		d.wrong(n, "the name of an output")
	}
}

// oneOf decodes one of the given strings.
func oneOf[T ~string](d *document, n *node, to *T, allowed ...T) {
	v, ok := n.value.(string)
	if ok && slices.Contains(allowed, T(v)) {
		*to = T(v)
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	d.wrong(n, list(names))
}

// upTo decodes a text of so many bytes at most.
func (d *document) upTo(most int) func(n *node, to *string) {
	return func(n *node, to *string) { d.text(n, to, most) }
}

// within decodes a number in lo … hi.
func (d *document) within(lo, hi float64) func(n *node, to *float64) {
	return func(n *node, to *float64) { d.float(n, to, lo, hi) }
}

// from decodes an integer in lo … hi.
func (d *document) from(lo, hi int) func(n *node, to *int) {
	return func(n *node, to *int) { d.integer(n, to, lo, hi) }
}

// float decodes a finite number in lo … hi.
func (d *document) float(n *node, to *float64, lo, hi float64) {
	v, ok := n.value.(json.Number)
	if ok {
		// A number out of float64's range is an infinity, which the comparison refuses.
		if x, _ := strconv.ParseFloat(v.String(), 64); x >= lo && x <= hi && !math.IsInf(x, 0) {
			*to = x
			return
		}
	}
	d.wrong(n, "a number from "+number(lo)+" to "+number(hi))
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// integer decodes an integer in lo … hi.
func (d *document) integer(n *node, to *int, lo, hi int) {
	v, ok := n.value.(json.Number)
	if ok {
		if x, err := strconv.Atoi(v.String()); err == nil && x >= lo && x <= hi {
			*to = x
			return
		}
	}
	if lo == hi {
		d.wrong(n, itoa(lo))
		return
	}
	d.wrong(n, "an integer from "+itoa(lo)+" to "+itoa(hi))
}

// items returns the elements of a list with lo … hi of them.
func (d *document) items(n *node, lo, hi int, what string) []*node {
	v, ok := n.value.([]*node)
	if ok && len(v) >= lo && len(v) <= hi {
		return v
	}
	count := itoa(lo) + " to " + itoa(hi)
	if lo == hi {
		count = itoa(lo)
	}
	d.wrong(n, "a list of "+count+" "+what)
	return nil
}

// size decodes [width, height] or [columns, rows].
func (d *document) size(n *node, width, height *int) {
	if v := d.items(n, 2, 2, "integers, width and height"); v != nil {
		d.integer(v[0], width, 1, maxSide)
		d.integer(v[1], height, 1, maxSide)
	}
}

// channels decodes one number or a list of one or three.
func (d *document) channels(n *node, to *[]float64, lo, hi float64) {
	nodes, ok := n.value.([]*node)
	switch {
	case !ok:
		nodes = []*node{n}
	case len(nodes) != 1 && len(nodes) != 3:
		d.wrong(n, "a number or a list of 1 or 3 numbers")
		return
	}
	*to = make([]float64, len(nodes))
	for i, item := range nodes {
		d.float(item, &(*to)[i], lo, hi)
	}
}
