package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
)

// flatten opens a model and flattens it, with shapes. The file must be closed if there is no error.
func (f *modelFlags) flatten(name string, stdin io.Reader, level flat.Level) (*nnef.File, *flat.Graph, error) {
	opts, err := f.document()
	if err != nil {
		return nil, nil, err
	}
	file, err := openArgument(name, stdin, opts)
	if err != nil {
		return nil, nil, err
	}
	g, err := file.Flatten(level)
	if err != nil {
		file.Close()
		return nil, nil, blamed(err)
	}
	return file, g, nil
}

func newShapes() *cobra.Command {
	var f modelFlags
	var asJSON, all bool
	c := &cobra.Command{
		Use:   "shapes MODEL",
		Short: "Print the type and shape of every tensor of a model",
		Long: `Print every tensor of MODEL with the operation that yields it, its type and its shape. "-" is a
document on standard input. The data of variables is not read.

A "?" stands for what is not known: an extent that an input leaves open, and what follows
from it; --shape gives it. Nothing is known about the results of custom operations.`,
		Example: `  concord shapes model.nnef
  concord shapes model.nnef --shape x=4,3,224,224
  concord shapes model.nnef --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if isONNX(args[0]) {
				r, err := f.shapesONNX(args[0])
				if err != nil {
					return err
				}
				return r.print(printed(c.OutOrStdout()), asJSON)
			}
			level := flat.User
			if all {
				level = flat.All
			}
			file, g, err := f.flatten(args[0], c.InOrStdin(), level)
			if err != nil {
				return err
			}
			defer file.Close()
			return newShapesReport(args[0], g).print(printed(c.OutOrStdout()), asJSON)
		},
	}
	flags := c.Flags()
	f.register(flags)
	flags.BoolVar(&all, "all", false, "expand compound operations of the standard, too")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// shapesReport is what shapes prints.
type shapesReport struct {
	Model   string         `json:"model"`
	Graph   string         `json:"graph"`
	Tensors []tensorReport `json:"tensors"`
}

// tensorReport describes one tensor. An extent that is not known is null, and so is the shape if nothing is known.
type tensorReport struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	Type      string `json:"type,omitempty"`
	Shape     []*int `json:"shape"`
	Known     bool   `json:"known"`
	Role      string `json:"role,omitempty"`  // input, output, variable or constant
	Label     string `json:"label,omitempty"` // of a variable

	shape    string
	elements int64
}

func newShapesReport(name string, g *flat.Graph) *shapesReport {
	roles := make(map[*flat.Tensor]string)
	for _, t := range g.Outputs {
		roles[t] = "output"
	}
	for _, t := range g.Inputs {
		roles[t] = strings.TrimSuffix("input, "+roles[t], ", ")
	}
	r := &shapesReport{Model: name, Graph: g.Name}
	for _, op := range g.Ops {
		for _, t := range op.Outputs() {
			r.Tensors = append(r.Tensors, reportTensor(t, roles[t]))
		}
	}
	return r
}

func reportTensor(t *flat.Tensor, role string) tensorReport {
	r := tensorReport{Name: t.Name, Type: t.Type.String(), Known: t.Known, Role: role, shape: shapeText(t), elements: elements(t)}
	if t.Producer != nil {
		r.Operation = t.Producer.Name()
		if r.Operation == "variable" || r.Operation == "constant" {
			r.Role = strings.TrimSuffix(r.Operation+", "+role, ", ")
		}
		r.Label, _ = t.Producer.Arg("label").(string)
	}
	if t.Known || len(t.Shape) > 0 {
		r.Shape = make([]*int, len(t.Shape))
		for i, n := range t.Shape {
			if t.Known || n > 0 {
				r.Shape[i] = &n
			}
		}
	}
	return r
}

// shapeText writes the shape of a tensor as NNEF writes arrays, with ? for what is not known.
func shapeText(t *flat.Tensor) string {
	if !t.Known && len(t.Shape) == 0 {
		return "?"
	}
	extents := make([]string, len(t.Shape))
	for i, n := range t.Shape {
		if extents[i] = strconv.Itoa(n); !t.Known && n == 0 {
			extents[i] = "?"
		}
	}
	return "[" + strings.Join(extents, ", ") + "]"
}

// elements returns the number of elements, -1 if it is not known.
func elements(t *flat.Tensor) int64 {
	if !t.Known {
		return -1
	}
	n := int64(1)
	for _, e := range t.Shape {
		n *= int64(e)
	}
	return n
}

func (r *shapesReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, r)
	}
	return r.write(w)
}

func (r *shapesReport) write(w io.Writer) error {
	t := newTable(w, 0)
	fmt.Fprintln(t, "TENSOR\tOPERATION\tTYPE\tSHAPE\tELEMENTS\tROLE")
	unknown, parameters := 0, int64(0)
	for i := range r.Tensors {
		x := &r.Tensors[i]
		size := "?"
		if x.elements >= 0 {
			size = group(x.elements)
		} else {
			unknown++
		}
		if x.Operation == "variable" && x.elements > 0 {
			parameters += x.elements
		}
		role := x.Role
		if x.Label != "" {
			role += " " + x.Label
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", x.Name, x.Operation, orUnknown(x.Type), x.shape, size, role)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	line := count(int64(len(r.Tensors)), "tensor")
	if parameters > 0 {
		line += "; variables of " + count(parameters, "element")
	}
	if unknown > 0 {
		line += "; " + count(int64(unknown), "shape") + " not known"
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}
