package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// wantsShapes reports whether a model was refused because its text leaves shapes of inputs open.
func wantsShapes(err error) bool {
	var found syntax.Diagnostics
	if !errors.As(err, &found) {
		return false
	}
	for i := range found {
		if c := found[i].Code; c == nnef.CodeUnspecified || c == eval.CodeUnknown {
			return true
		}
	}
	return false
}

// arrayShapes returns the shapes that the arrays among the arguments give to inputs of a model, as --shape takes them.
// Files that are no arrays are left to the run.
func arrayShapes(path string, args []string, opts nnef.Options) []string {
	f, err := nnef.Open(path, opts)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []string
	inputs := f.Document.Graph.Params
	add := func(name string, t *tensor.Tensor) {
		for _, in := range inputs {
			if t == nil || in.Name != name {
				continue
			}
			var extents []string
			for _, n := range t.Shape() {
				extents = append(extents, strconv.Itoa(n))
			}
			list = append(list, name+"="+strings.Join(extents, ","))
		}
	}
	plain := 0
	for _, a := range args {
		name, file, named := strings.Cut(a, "=")
		if !named {
			file = a
			if name = ""; plain < len(inputs) {
				name = inputs[plain].Name
			}
			plain++
		}
		switch ext(file) {
		case ".npy":
			t, _ := readNPY(file)
			add(name, t)
		case ".npz":
			all, _ := readNPZ(file)
			for _, in := range inputs {
				add(in.Name, all[in.Name])
			}
		}
	}
	return list
}
