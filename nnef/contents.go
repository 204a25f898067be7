package nnef

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/flat"
)

// Contents calls a function for the texts and files that the model is made of, in an order that depends on them alone: the document, the
// quantization file, and the files of tensors, by their names in the folder or archive. Files of other models may be among them where several lie in
// one folder. The bytes must not be changed, and are valid until the function returns.
func (f *File) Contents(visit func(name string, data []byte) error) (err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := f.usable(); err != nil {
		return err
	}
	if err := visit("", []byte(f.Document.Source.Text)); err != nil {
		return err
	}
	if f.Quantization != nil {
		if err := visit("quantization", []byte(f.Quantization.Source.Text)); err != nil {
			return err
		}
	}
	if f.files == nil {
		return nil
	}
	names, err := f.tensorFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := f.files.ReadFile(name)
		if err == nil {
			err = visit(name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tensorFiles returns the names of files of tensors: those of the variables, or all that belong to a model where these cannot be told without making
// the network.
func (f *File) tensorFiles() ([]string, error) {
	names := make(map[string]bool)
	g, err := f.Flatten(flat.User)
	known := err == nil && len(f.Document.Fragments) == 0 // which may be blocks, with variables of their own
	for _, o := range ops(g, known) {
		label, _ := o.Arg("label").(string)
		switch _, name, err := f.files.ReadData(flat.LabelFile(label)); {
		case err == nil:
			names[name] = true
		case errors.Is(err, fs.ErrNotExist): // it is in a file of many
			known = false
		default:
			return nil, err
		}
	}
	if !known {
		for name := range f.files.Members() {
			names[name] = true
		}
	}
	return naming.Sorted(names), nil
}

// ops returns the variables of a graph, if they are known.
func ops(g *flat.Graph, known bool) []*flat.Op {
	if !known {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(g.Ops), func(o *flat.Op) bool { return o.Name() != "variable" || o.Custom })
}
