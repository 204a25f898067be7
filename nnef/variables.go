package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/safetensors"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// variable is what is stored under a label.
type variable struct {
	id    string           // the identifier that first named it
	place string           // the file, for messages
	info  tensorfile.Info  // zero if the tensor does not come from a tensor file
	t     *tensor.Tensor   // as stored, contiguous; zeros that take no memory before load
	file  *tensorfile.File // that is to be decoded by load; nil if t has the elements
}

// as returns the tensor with elements of type d; for a small float, those of which the file holds the codes.
func (v *variable) as(d tensor.DType) (*tensor.Tensor, error) {
	switch {
	case v.t.DType() == d:
		return v.t, nil
	case !d.IsSmallFloat():
		if err := v.fits(d); err != nil {
			return nil, err
		}
		return tensor.Cast(v.t, d)
	}
	codes := v.t
	if d.IsPacked() {
		var err error
		if codes, err = tensor.Cast(codes, tensor.Uint4); err != nil {
			return nil, err
		}
	}
	return codes.Reinterpret(d)
}

// fits reports the first item that no element of type d stands for: an integer out of the range, or a finite float that would become infinite.
func (v *variable) fits(d tensor.DType) error {
	i, item := 0, ""
	if d.IsInteger() {
		lo, hi := d.IntRange()
		i, item = element.Outside(v.t, lo, hi)
	} else {
		i, item = element.Overflow(v.t, d)
	}
	if item == "" {
		return nil
	}
	return fault(CodeVariable, "label", "%s: item %d is %s, which %v cannot hold", v.place, i, item, d)
}

// source yields the data of variables.
type source interface {
	// variable returns what is stored under a label.
	variable(label string) (*variable, error)
}

// stored finds variables in a container: in tensor files or, where there is none for a label, in files of many tensors,
// which tract writes.
type stored struct {
	files *container.Container
	once  func() ([]collection, error) // opens the files of many tensors
}

// collection is an open file of many tensors.
type collection struct {
	name string
	file *safetensors.File
}

// collectionExt is the end of the names of files of many tensors.
const collectionExt = ".safetensors"

func newStored(files *container.Container) *stored {
	s := &stored{files: files}
	s.once = sync.OnceValues(s.collections)
	return s
}

func (s *stored) variable(label string) (*variable, error) {
	data, name, err := s.files.ReadData(flat.LabelFile(label))
	if errors.Is(err, fs.ErrNotExist) {
		v, other := s.collected(label)
		if v != nil || other != nil {
			err = other
		}
		return v, err
	}
	if err != nil {
		return nil, err
	}
	f, err := tensorfile.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t, err := outline(f.ElementType(), f.Shape)
	return &variable{place: name, info: f.Info, file: f, t: t}, err
}

// outline returns zeros that take no memory.
func outline(d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	t, err := tensor.New(d, slices.Repeat(tensor.Shape{1}, len(shape)))
	if err != nil {
		return nil, err
	}
	return t.Expand(shape...)
}

// load decodes the elements. What is not of the type or shape that the document says is refused before: decoded, items of a bit take eight times
// as much as the file.
func (v *variable) load() error {
	if v.file == nil {
		return nil
	}
	t, err := v.file.Tensor()
	if err != nil {
		return fault(CodeVariable, "label", "%s: %v", v.place, err)
	}
	v.t, v.file = t, nil
	return nil
}

// collected returns the tensor that a file of many holds under a label, nil if none does.
func (s *stored) collected(label string) (*variable, error) {
	list, err := s.once()
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if !c.file.Has(label) {
			continue
		}
		t, err := c.file.Tensor(label)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		return &variable{place: c.name, t: t}, nil
	}
	return nil, nil
}

func (s *stored) collections() ([]collection, error) {
	names, err := s.files.List(".")
	if err != nil {
		return nil, err
	}
	var list []collection
	for _, name := range names {
		if strings.ToLower(path.Ext(name)) != collectionExt {
			continue
		}
		data, err := s.files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		file, err := safetensors.Open(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, collection{name, file})
	}
	return list, nil
}

// function calls a function for variables.
type function func(label string) (*tensor.Tensor, error)

func (f function) variable(label string) (*variable, error) {
	if f == nil {
		return nil, fmt.Errorf("the data of variable %s is not at hand", label)
	}
	t, err := f(label)
	if err == nil && t == nil {
		err = fmt.Errorf("the data of variable %s is not at hand", label)
	}
	if err != nil {
		return nil, err
	}
	return &variable{place: "the data of variable " + label, t: t.Contiguous()}, nil
}

// otherFloat reports whether elements of 16 or 64 bits are to be float32.
func (v *variable) otherFloat(d tensor.DType) bool {
	return d == tensor.Float32 && (v.t.DType() == tensor.Float16 || v.t.DType() == tensor.Float64)
}

// asSingle adds a constant of 16-bit or 64-bit floats and the node that makes 32-bit ones of it, so that loading does not touch the
// data and the graph says where they are rounded.
func (d *document) asSingle(l *lowering, label string, t *tensor.Tensor) *graph.Value {
	stored := l.Stored(l.c.Names[0]+"_stored1", label, t)
	return l.single("cast", []*graph.Value{stored}, attr("dtype", tensor.Float32))
}

// shaped reports a variable that has another shape than the document says, and gives it that shape where the provisional
// dialect sees no difference: there, extents of 1 at the end do not count.
func (d *document) shaped(v *variable, shape tensor.Shape) error {
	have := v.t.Shape()
	switch {
	case have.Equal(shape):
		return nil
	case d.dialect != syntax.Provisional || !trimmed(have).Equal(trimmed(shape)):
		return fault(CodeVariable, "shape", "%s has shape %v; the document says %v", v.place, have, shape)
	}
	err := v.load()
	if err != nil {
		return err
	}
	v.t, err = v.t.Reshape(shape...)
	return err
}

// trimmed returns a shape without the extents of 1 at its end.
func trimmed(s tensor.Shape) tensor.Shape {
	for len(s) > 0 && s[len(s)-1] == 1 {
		s = s[:len(s)-1]
	}
	return s
}

// otherType is the error that a variable is stored as elements that its declared type does not have.
func otherType(v *variable, d tensor.DType) error {
	declared := element.ItemOf(d)
	if d.IsSmallFloat() {
		return &eval.Error{Code: CodeVariable, Arg: "label", Msg: fmt.Sprintf("%s holds elements of type %v; for the type %v it must hold codes of %d bits",
			v.place, v.t.DType(), d, d.Bits()), Hint: fmt.Sprintf("codes are items of type 1 (unsigned integer) of %d bits", d.Bits())}
	}
	e := &eval.Error{Code: CodeVariable, Arg: "label",
		Msg: fmt.Sprintf("%s holds elements of type %v; the document says %v", v.place, element.ItemOf(v.t.DType()), declared)}
	if v.info.Bits > 0 {
		e.Hint = fmt.Sprintf("the items are %s; tensor files of type %v have item type %s", v.info.DType(), declared, itemTypes[declared])
	}
	return e
}

// holds reports whether the file has items that elements of type d can be read from.
func (v *variable) holds(d tensor.DType) bool {
	if d.IsSmallFloat() {
		return v.t.DType() == d || v.info.Type == tensorfile.Unsigned && v.info.Bits == d.Bits()
	}
	return element.ItemOf(v.t.DType()) == element.ItemOf(d)
}

// itemTypes are the item types of tensor files that the types of a document take.
var itemTypes = map[syntax.Primitive]string{
	syntax.Scalar:  "0 (float), or 2 or 3 (codes) with an entry in " + container.QuantFile,
	syntax.Integer: "1 or 4 (integer)",
	syntax.Logical: "5 (bool) with 1 or 8 bits",
}
