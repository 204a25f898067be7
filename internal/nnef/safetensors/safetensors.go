package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/tensor"
)

// MaxHeader is the greatest length of a header in bytes.
const MaxHeader = limits.SafetensorsHeader

// metadata is the name in a header that stands for no tensor.
const metadata = "__metadata__"

// types are those of the elements by their names.
var types = map[string]tensor.DType{
	"F16": tensor.Float16, "BF16": tensor.BFloat16, "F32": tensor.Float32, "F64": tensor.Float64, "BOOL": tensor.Bool,
	"I8": tensor.Int8, "I16": tensor.Int16, "I32": tensor.Int32, "I64": tensor.Int64,
	"U8": tensor.Uint8, "U16": tensor.Uint16, "U32": tensor.Uint32, "U64": tensor.Uint64,
}

// Error is a violation of the format. Name is the tensor concerned, or "".
type Error struct {
	Name string
	Msg  string
}

// Error writes the name and the message.
func (e *Error) Error() string {
	if e.Name == "" {
		return e.Msg
	}
	return fmt.Sprintf("tensor %q: %s", e.Name, e.Msg)
}

// File is an open file.
type File struct {
	entries map[string]entry
	data    []byte
}

// entry is what the header says about a tensor.
type entry struct {
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// Open reads the header of a file. Tensors share memory with data, which must not change. Every error is an *[Error].
func Open(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, &Error{Msg: fmt.Sprintf("the file has %d bytes; it begins with 8 bytes that say how long its header is", len(data))}
	}
	length, rest := binary.LittleEndian.Uint64(data), data[8:]
	switch {
	case length > uint64(len(rest)):
		return nil, &Error{Msg: fmt.Sprintf("the header should have %d bytes; only %d follow", length, len(rest))}
	case length > MaxHeader:
		return nil, &Error{Msg: fmt.Sprintf("the header has %d bytes, more than the limit of %d", length, MaxHeader)}
	}
	f := &File{entries: make(map[string]entry), data: rest[length:]}
	if err := f.header(rest[:length]); err != nil {
		return nil, err
	}
	return f, f.check()
}

// header reads the JSON object of tensors.
func (f *File) header(text []byte) error {
	broken := func(err error) error {
		return &Error{Msg: fmt.Sprintf("the header is no JSON object of tensors: %v", err)}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil {
		return broken(err)
	} else if t != json.Delim('{') {
		return broken(fmt.Errorf("it begins with %v", t))
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return broken(err)
		}
		name, _ := t.(string) // keys of an object are strings
		if name == metadata {
			var texts map[string]string
			if err := d.Decode(&texts); err != nil {
				return broken(err)
			}
			continue
		}
		if _, ok := f.entries[name]; ok {
			return &Error{Name: name, Msg: "the header has two of this name"}
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return broken(err)
		}
		f.entries[name] = e
	}
	if _, err := d.Token(); err != nil {
		return broken(err)
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return &Error{Msg: "something other than spaces follows the header's object"}
	}
	return nil
}

// check holds the ranges of bytes to following each other without gaps and to having the lengths of the tensors.
func (f *File) check() error {
	next := uint64(0)
	for _, name := range f.inOrder() {
		e := f.entries[name]
		if len(e.Offsets) != 2 || e.Offsets[0] != next || e.Offsets[1] < next || e.Offsets[1] > uint64(len(f.data)) {
			return &Error{name, fmt.Sprintf("it takes the bytes %v of %d; it should begin at %d, where the one before it ends", e.Offsets, len(f.data), next)}
		}
		next = e.Offsets[1]
		if err := tensor.Shape(e.Shape).Check(); err != nil {
			return &Error{name, err.Error()}
		}
	}
	if next != uint64(len(f.data)) {
		return &Error{Msg: fmt.Sprintf("%d bytes follow the last tensor", uint64(len(f.data))-next)}
	}
	return nil
}

// inOrder returns the names by the places of their bytes.
func (f *File) inOrder() []string {
	names := f.Names()
	slices.SortStableFunc(names, func(a, b string) int { return slices.Compare(f.entries[a].Offsets, f.entries[b].Offsets) })
	return names
}

// Names lists the tensors in lexical order.
func (f *File) Names() []string {
	return slices.Sorted(maps.Keys(f.entries))
}

// Has reports whether there is a tensor of that name.
func (f *File) Has(name string) bool {
	_, ok := f.entries[name]
	return ok
}

// Tensor returns a tensor. It shares memory with the file where alignment allows. A name
// that the file does not have, and types of less than a byte or of 8-bit floats, are errors of type *[Error].
func (f *File) Tensor(name string) (*tensor.Tensor, error) {
	e, ok := f.entries[name]
	if !ok {
		return nil, &Error{name, "there is none of this name"}
	}
	t, err := e.tensor(f.data[e.Offsets[0]:e.Offsets[1]])
	if err != nil {
		return nil, &Error{name, err.Error()}
	}
	return t, nil
}

func (e *entry) tensor(data []byte) (*tensor.Tensor, error) {
	d, ok := types[e.DType]
	if !ok {
		return nil, fmt.Errorf("the type %q is not supported", e.DType)
	}
	t, err := tensorfile.Native(d, e.Shape, data)
	if err != nil {
		return nil, fmt.Errorf("%d bytes do not fill shape %v of type %s", len(data), tensor.Shape(e.Shape), e.DType)
	}
	return t, nil
}
