// Package safetensors reads files in the safetensors format: the length of a JSON header in 8 bytes, the header, which
// gives each tensor a name, a type, a shape and a range of bytes, and the bytes, least significant first. Models of the
// engine tract may hold such files beside or in place of tensor files.
//
// Files are hostile input: every length is checked against the bytes that are there before it is used.
package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
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

// Open reads the header of a file. Tensors share memory with data, which must not change.
func Open(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("the file has %d bytes; it begins with 8 bytes that say how long its header is", len(data))
	}
	length, rest := binary.LittleEndian.Uint64(data), data[8:]
	switch {
	case length > uint64(len(rest)):
		return nil, fmt.Errorf("the header should have %d bytes; only %d follow", length, len(rest))
	case length > MaxHeader:
		return nil, fmt.Errorf("the header has %d bytes, more than the limit of %d", length, MaxHeader)
	}
	f := &File{entries: make(map[string]entry), data: rest[length:]}
	if err := f.header(rest[:length]); err != nil {
		return nil, err
	}
	return f, f.check()
}

// header reads the JSON object of tensors.
func (f *File) header(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	t, err := d.Token()
	if err == nil && t != json.Delim('{') {
		err = fmt.Errorf("it begins with %v", t)
	}
	for err == nil && d.More() {
		if t, err = d.Token(); err != nil {
			break
		}
		name, _ := t.(string) // keys of an object are strings
		if name == metadata {
			err = d.Decode(new(map[string]string))
			continue
		}
		if f.Has(name) {
			return fmt.Errorf("tensor %q: the header has two of this name", name)
		}
		var e entry
		err = d.Decode(&e)
		f.entries[name] = e
	}
	if err == nil {
		_, err = d.Token()
	}
	if err != nil {
		return fmt.Errorf("the header is no JSON object of tensors: %w", err)
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return errors.New("something other than spaces follows the header's object")
	}
	return nil
}

// check holds the ranges of bytes to following each other without gaps and to having the lengths of the tensors.
func (f *File) check() error {
	next := uint64(0)
	byPlace := func(a, b string) int { return slices.Compare(f.entries[a].Offsets, f.entries[b].Offsets) }
	for _, name := range slices.SortedStableFunc(slices.Values(f.Names()), byPlace) {
		e := f.entries[name]
		if len(e.Offsets) != 2 || e.Offsets[0] != next || e.Offsets[1] < next || e.Offsets[1] > uint64(len(f.data)) {
			return fmt.Errorf("tensor %q: it takes the bytes %v of %d; it should begin at %d, where the one before it ends",
				name, e.Offsets, len(f.data), next)
		}
		next = e.Offsets[1]
		if err := tensor.Shape(e.Shape).Check(); err != nil {
			return fmt.Errorf("tensor %q: %w", name, err)
		}
	}
	if next != uint64(len(f.data)) {
		return fmt.Errorf("%d bytes follow the last tensor", uint64(len(f.data))-next)
	}
	return nil
}

// Names lists the tensors in lexical order.
func (f *File) Names() []string { return naming.Sorted(f.entries) }

// Has reports whether there is a tensor of that name.
func (f *File) Has(name string) bool {
	_, ok := f.entries[name]
	return ok
}

// Tensor returns a tensor. It shares memory with the file where alignment allows. A name
// that the file does not have, and types of less than a byte or of 8-bit floats, are errors.
func (f *File) Tensor(name string) (*tensor.Tensor, error) {
	e, ok := f.entries[name]
	if !ok {
		return nil, fmt.Errorf("tensor %q: there is none of this name", name)
	}
	d, ok := types[e.DType]
	if !ok {
		return nil, fmt.Errorf("tensor %q: the type %q is not supported", name, e.DType)
	}
	data := f.data[e.Offsets[0]:e.Offsets[1]]
	t, err := tensorfile.Native(d, e.Shape, data)
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %d bytes do not fill shape %v of type %s: %w", name, len(data), tensor.Shape(e.Shape), e.DType, err)
	}
	return t, nil
}
