package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/tensor"
)

// modelFlags are the flags of all commands that read models.
type modelFlags struct {
	lenient bool
	shapes  []string
	fixed   []string   // --set
	opened  *onnx.File // the model, if its arguments were looked at
	compat  bool
	threads int // for what package cvm runs itself
}

func (f *modelFlags) register(flags *pflag.FlagSet) {
	f.registerText(flags)
	flags.Var((*texts)(&f.fixed), "set", "ONNX: make an input a constant, `NAME=VALUE`: numbers as in sr=16000 or shape=2,3, or an .npy; may be repeated")
}

// registerText registers the flags of commands that read NNEF alone.
func (f *modelFlags) registerText(flags *pflag.FlagSet) {
	flags.BoolVar(&f.lenient, "lenient", false, "accept constructs of the other dialect and missing extensions")
	flags.Var((*texts)(&f.shapes), "shape", "the `NAME=EXTENTS` of an input, such as x=1,3,224,224, or the number of a symbol, such as batch=1; may be repeated")
}

// registerCompat registers the flag of commands that run or admit CVM models.
func (f *modelFlags) registerCompat(flags *pflag.FlagSet) {
	flags.BoolVar(&f.compat, "compat", false, "CVM: follow the deployed rules, in precision of where and overlapping storage plans")
}

// errCompat refuses rules that nothing follows.
var errCompat = refused("--compat: it is for CVM models")

// errSet refuses constants where no input can become one.
var errSet = refused("--set is for ONNX models")

// options returns how documents are opened.
func (f *modelFlags) options() (nnef.Options, error) {
	shapes, err := parseShapes(f.shapes)
	if err != nil {
		return nnef.Options{}, &codedError{exitUsage, err}
	}
	return nnef.Options{Lenient: f.lenient, Shapes: shapes}, nil
}

// document returns how a document is opened that is the only model of a command.
func (f *modelFlags) document() (nnef.Options, error) {
	if len(f.fixed) > 0 {
		return nnef.Options{}, errSet
	}
	return f.options()
}

// load reads a model of any format. The shapes that its inputs are given are in the options.
func (f *modelFlags) load(path string) (*concord.Model, concord.Options, error) {
	shapes, err := parseShapes(f.shapes)
	if err != nil {
		return nil, concord.Options{}, &codedError{exitUsage, err}
	}
	constants, err := f.constants()
	if err != nil {
		return nil, concord.Options{}, err
	}
	if format := formatOf(path); len(constants) > 0 && format != "" && format != "ONNX" {
		return nil, concord.Options{}, errSet
	}
	m, err := concord.Loader{Lenient: f.lenient, Compat: f.compat, Threads: f.threads, Constants: constants}.Open(path)
	if err == nil && f.compat && m.CVM() == nil {
		return nil, concord.Options{}, errors.Join(errCompat, m.Close())
	}
	return m, concord.Options{Shapes: shapes}, err
}

// setting divides NAME=VALUE, with an empty name for what is none. The name may have a "=", too: numbers have none, and of names of arrays the first that is there counts.
func setting(s string) (name, value string) {
	if at := strings.LastIndex(s, "="); !isArray(s) {
		return s[:max(at, 0)], s[at+1:]
	}
	for at, c := range s {
		if c == '=' && there(s[at+1:]) {
			return s[:at], s[at+1:]
		}
	}
	if name, value, ok := strings.Cut(s, "="); ok {
		return name, value
	}
	return "", s
}

func isArray(name string) bool { return feed.FormOf(name, nil) == feed.Array }

// constants reads what inputs are set to.
func (f *modelFlags) constants() (model.Values, error) {
	out := make(model.Values)
	for _, s := range f.fixed {
		name, value := setting(s)
		if name == "" {
			return nil, refused("--set %s: it must be NAME=VALUE, such as sr=16000", s)
		}
		if out[name] != nil {
			return nil, refused("--set %s: %s is set already", s, name)
		}
		if isArray(value) {
			t, err := feed.ReadNPY(value)
			if err != nil {
				return nil, err
			}
			out[name] = t
			continue
		}
		var numbers []float64
		for _, text := range strings.Split(value, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return nil, refused("--set %s: %q is neither a number nor an .npy", s, text)
			}
			numbers = append(numbers, x)
		}
		t, err := tensor.FromSlice(numbers, len(numbers))
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}

// override takes out of the arguments of a command those that give an array for an input of which an ONNX model stores the value, and notes them as --set.
func (f *modelFlags) override(args []string) []string {
	given := func(arg string) (input string) {
		if isArray(arg) {
			input, _ = setting(arg)
		}
		return input
	}
	if !isONNX(args[0]) || !slices.ContainsFunc(args[1:], func(arg string) bool { return given(arg) != "" }) {
		return args
	}
	file, err := onnx.Open(args[0])
	if err != nil {
		return args // load says why
	}
	f.opened = file
	stored := file.Stored()
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		input := given(arg)
		if arg == args[0] || !slices.Contains(stored, input) {
			return false
		}
		f.fixed = append(f.fixed, arg)
		return true
	})
}

// openONNX opens an ONNX model, unless that is done, with inputs set.
func (f *modelFlags) openONNX(path string) (file *onnx.File, err error) {
	file, f.opened = f.opened, nil
	if file == nil {
		if file, err = onnx.Open(path); err != nil {
			return nil, err
		}
	}
	constants, err := f.constants()
	if err == nil {
		err = file.Set(constants)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// graph reads a model of any format and makes its graph. The model must be closed if there is no error.
func (f *modelFlags) graph(path string) (*concord.Model, *graph.Graph, error) {
	m, opts, err := f.load(path)
	if err != nil {
		return nil, nil, err
	}
	g, err := m.Graph(opts.Shapes)
	if err != nil {
		return nil, nil, errors.Join(f.placed(path, err), m.Close())
	}
	return m, g, nil
}

// blamed is the error of a shape that is none of the model, which is the command line's where a flag gives it.
func blamed(err error) error {
	if given := (*model.GivenError)(nil); errors.As(err, &given) {
		return refused("--shape %s=%s: %s", given.Name, extents(given.Shape), given.Why)
	}
	return err
}

// placed puts the path of a model in front of an error that does not begin with it, and the flag behind one that it mends, or in front of one that it has made.
func (f *modelFlags) placed(path string, err error) error {
	if given := (*model.GivenError)(nil); errors.As(err, &given) {
		if shapes, _ := parseShapes(f.shapes); shapes[given.Name] != nil { // else a manifest gives it
			return blamed(err)
		}
	}
	if open := (*model.OpenError)(nil); errors.As(err, &open) {
		err = fmt.Errorf("%w, such as --shape %s", err, bindingOf(open))
	}
	if errors.As(err, new(*model.PartsError)) {
		err = fmt.Errorf("%w; if an input decides, --set NAME=VALUE makes it a constant", err)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok && strings.HasPrefix(at.Path, path) || strings.HasPrefix(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// bindingOf writes what --shape may take to close an input: the number of a symbol that stands alone, and else the whole shape.
func bindingOf(e *model.OpenError) string {
	switch {
	case e.Input.Unranked:
		return e.Input.Name + "=1,3,224,224"
	case len(e.Open) == 1:
		return e.Symbol + "=1"
	}
	shape := make(tensor.Shape, len(e.Input.Shape))
	for i, d := range e.Input.Shape {
		if shape[i] = 1; d.Symbol == "" {
			shape[i] = d.Extent
		}
	}
	return e.Input.Name + "=" + extents(shape)
}

// extents writes a shape as --shape takes it.
func extents(shape tensor.Shape) string { return strings.Trim(shape.String(), "[]") }

// parseShapes reads shapes written as NAME=2,3,4.
func parseShapes(list []string) (map[string]tensor.Shape, error) {
	shapes := make(map[string]tensor.Shape)
	for _, s := range list {
		at := strings.LastIndex(s, "=") // a symbol may be any text
		name, extents := s[:max(at, 0)], s[at+1:]
		if name == "" {
			return nil, fmt.Errorf("--shape %s: it must be NAME=EXTENTS, such as x=1,3,224,224", s)
		}
		if shapes[name] != nil {
			return nil, fmt.Errorf("--shape %s: a shape is given for %s already", s, name)
		}
		shape := tensor.Shape{}
		for _, e := range strings.Split(extents, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(e))
			if err != nil || n < 0 {
				return nil, fmt.Errorf("--shape %s: %q is no extent", s, e)
			}
			shape = append(shape, n)
		}
		shapes[name] = shape
	}
	return shapes, nil
}
