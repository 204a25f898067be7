package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/limits"
)

// The limits of a document.
const (
	MaxBytes  = limits.ManifestBytes  // the size of a manifest, and of a file of labels
	maxDepth  = limits.ManifestDepth  // of nested objects and lists
	maxErrors = limits.ManifestErrors // mistakes that are reported
)

// A node is one value of a JSON document with its place. Value is nil, bool, string, json.Number, []*node or []member.
type node struct {
	at     int   // byte offset
	parent *node // the object or list it is in, nil for the whole document
	key    string
	index  int // in a list
	value  any
}

// path names the node: outputs.y.labels[3].
func (n *node) path() string {
	if n.parent == nil {
		return ""
	}
	if _, ok := n.parent.value.([]*node); ok {
		return n.parent.path() + "[" + itoa(n.index) + "]"
	}
	return join(n.parent.path(), n.key)
}

// A member is one key of an object with its value.
type member struct {
	at    int // byte offset of the key
	key   string
	value *node
}

// A document is the text of a manifest while it is read.
type document struct {
	source string
	data   []byte
	lines  []int // offsets of the first byte of each line
	errs   Errors
}

func newDocument(source string, data []byte) *document {
	d := &document{source: source, data: data, lines: []int{0}}
	for i, b := range data {
		if b == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// place converts an offset.
func (d *document) place(at int) Place {
	at = min(max(at, 0), len(d.data))
	line := sort.SearchInts(d.lines, at+1) - 1
	return Place{line + 1, utf8.RuneCount(d.data[d.lines[line]:at]) + 1}
}

// fail records a mistake.
func (d *document) fail(at int, path, format string, args ...any) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, &Error{d.source, d.place(at), path, fmt.Sprintf(format, args...)})
	}
}

// tree parses the document. It returns nil after a mistake that hides what follows. Mistakes are recorded.
func (d *document) tree() *node {
	for rest, at := d.data, 0; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			d.fail(at, "", "the document is not valid UTF-8")
			return nil
		}
		rest, at = rest[n:], at+n
	}
	dec := json.NewDecoder(bytes.NewReader(d.data))
	dec.UseNumber()
	root := d.parse(dec, node{}, 0)
	if root == nil {
		return nil
	}
	end := d.skip(int(dec.InputOffset()))
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		d.fail(end, "", "the document must end after its object")
		return nil
	}
	return root
}

// skip returns the offset of the next token at or after at.
func (d *document) skip(at int) int {
	for at < len(d.data) && bytes.IndexByte([]byte(" \t\r\n,:"), d.data[at]) >= 0 {
		at++
	}
	return at
}

// token reads one token and the offset at which it starts.
func (d *document) token(dec *json.Decoder) (json.Token, int, bool) {
	at := d.skip(int(dec.InputOffset()))
	t, err := dec.Token()
	if err == nil {
		return t, at, true
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		d.fail(len(d.data), "", "the document ends too early")
	case errors.As(err, &syntax):
		d.fail(at, "", "this is not JSON: %v", syntax)
	default:
		d.fail(at, "", "this is not JSON: %v", err)
	}
	return nil, 0, false
}

// parse reads the value of n, which knows its position in the tree.
func (d *document) parse(dec *json.Decoder, n node, depth int) *node {
	t, at, ok := d.token(dec)
	if !ok {
		return nil
	}
	n.at, n.value = at, t
	delim, nested := t.(json.Delim)
	if !nested {
		return &n
	}
	if depth++; depth > maxDepth {
		d.fail(at, "", "objects and lists are nested too deeply; %d levels are allowed", maxDepth)
		return nil
	}
	if delim == '[' {
		items := []*node{}
		for n.value = items; dec.More(); {
			item := d.parse(dec, node{parent: &n, index: len(items)}, depth)
			if item == nil {
				return nil
			}
			items = append(items, item)
		}
		n.value = items
	} else if n.value, ok = d.members(dec, &n, depth); !ok {
		return nil
	}
	if _, _, ok := d.token(dec); !ok { // the closing bracket
		return nil
	}
	return &n
}

// members reads the members of the object n.
func (d *document) members(dec *json.Decoder, n *node, depth int) ([]member, bool) {
	members, seen := []member{}, map[string]bool{}
	for dec.More() {
		t, at, ok := d.token(dec)
		if !ok {
			return nil, false
		}
		key := t.(string) // the decoder guarantees it
		if seen[key] {
			d.fail(at, n.path(), "the key %s is given twice", quote(key)) // and read like others, for further mistakes
		}
		seen[key] = true
		value := d.parse(dec, node{parent: n, key: key}, depth)
		if value == nil {
			return nil, false
		}
		members = append(members, member{at, key, value})
	}
	return members, true
}

// join adds a key to a path.
func join(path, key string) string {
	if r := []rune(key); len(r) > 60 {
		key = string(r[:60]) + "…"
	}
	for _, r := range key {
		if r < ' ' || r == 0x7f || r == '.' {
			key = strconv.Quote(key)
			break
		}
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
