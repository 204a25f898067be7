package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// writeOpenVX writes C that builds a model with OpenVX.
var writeOpenVX = target{
	endings: []string{".c", ".h", ".bin"},
	lacks:   "tensors of OpenVX share no storages, and its integers have 8 or 16 bits",
	files: func(_ *concord.Model, g *graph.Graph, e exported) ([]exportFile, error) {
		n, err := export.New(g, e.openVXOptions())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		writeApproximations(e.notes, e.path, n.Approximations)
		writeRounded(e.notes, e.path, n.Rounded)
		e.network = n
		files := n.Files(e.base)
		return []exportFile{{e.base + ".c", stage.Content(files.Source)}, {e.base + ".h", stage.Content(files.Header)}, {e.base + ".bin", files.Weights}}, nil
	},
}

func (f *exportFlags) openVXOptions() export.Options {
	if f.elements == "float32" {
		return export.Options{Float: export.Float32}
	}
	return export.Options{Float: export.Q78}
}

// writeRounded says which constants lost more than their last digits in Q7.8, the worst first.
func writeRounded(w io.Writer, path string, list []export.Rounded) {
	list = slices.DeleteFunc(slices.Clone(list), func(r export.Rounded) bool { return r.Saturated+r.Vanished == 0 })
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b export.Rounded) int {
		return cmp.Or(cmp.Compare(b.Saturated, a.Saturated), cmp.Compare(float64(b.Vanished)/float64(b.Elements), float64(a.Vanished)/float64(a.Elements)))
	})
	fmt.Fprintf(w, "%s: weights that Q7.8 cannot hold, in %d constants:\n", path, len(list))
	for i, r := range list {
		if i == mostNotes {
			fmt.Fprintf(w, "  and %d more\n", len(list)-mostNotes)
			break
		}
		fmt.Fprintf(w, "  %s: of %d elements %d are out of range and %d became 0\n", escape.Text(r.Value), r.Elements, r.Saturated, r.Vanished)
	}
}

// deviation says how far an output is from that of the model, over all inputs.
type deviation struct {
	name     string
	greatest float64
	sum      float64
	elements int
	agreed   int // inputs of which the greatest element stands in the same place
}

// compare runs the network beside the model.
func (f *exportFlags) compare(ctx context.Context, args []string, out, notes io.Writer) error {
	run := runFlags{inputFlags: inputFlags{describedFlags: describedFlags{modelFlags: f.modelFlags}, random: len(args) == 1, seed: 1}}
	run.set.register(pflag.NewFlagSet("", pflag.ContinueOnError)) // none of them is given
	r, err := newRunner(&run, args, f.in, out, notes)
	if err != nil {
		return err
	}
	defer r.close()
	n := f.network
	built, err := buildOpenVX(n)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	jobs, err := r.jobs(args[1:])
	if err != nil {
		return err
	}
	list := make([]deviation, len(n.Outputs))
	for _, j := range jobs {
		if err := r.prepare(ctx, j); err != nil {
			return err
		}
		given, err := r.inputsAt(j, 0)
		if err != nil {
			return err
		}
		inputs := make(map[string]*tensor.Tensor)
		for i, p := range r.session.Inputs() {
			inputs[p.Name] = given[i]
		}
		if err := r.session.Run(ctx); err != nil {
			return err
		}
		want := make(map[string]*tensor.Tensor)
		for i, p := range r.session.Outputs() {
			want[p.Name] = r.session.Output(i)
		}
		got, err := built.Run(n, inputs)
		if err != nil {
			return err
		}
		for i, p := range n.Outputs {
			list[i].name = p.Name
			if err := list[i].add(got[p.Name], want[p.Name]); err != nil {
				return err
			}
		}
	}
	return writeDeviations(out, list, len(jobs))
}

// buildOpenVX makes a network.
func buildOpenVX(n *export.Network) (*export.Built, error) {
	ctx, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		return nil, err
	}
	built, err := n.Build(ctx)
	if err != nil {
		return nil, err
	}
	return built, built.Graph.Verify()
}

// add compares the outputs of a run.
func (d *deviation) add(got, want *tensor.Tensor) error {
	a, err := tensor.Cast(got, tensor.Float32)
	if err != nil {
		return err
	}
	b, err := tensor.Cast(want, tensor.Float32)
	if err != nil {
		return err
	}
	x, y := tensor.Data[float32](a), tensor.Data[float32](b)
	first, second := 0, 0
	for i := range x {
		far := math.Abs(float64(x[i]) - float64(y[i]))
		d.greatest = max(d.greatest, far)
		d.sum += far
		if x[i] > x[first] {
			first = i
		}
		if y[i] > y[second] {
			second = i
		}
	}
	d.elements += len(x)
	if first == second {
		d.agreed++
	}
	return nil
}

// writeDeviations prints a line for each output.
func writeDeviations(w io.Writer, list []deviation, runs int) error {
	t := newTable(w, 0)
	fmt.Fprintf(t, "OUTPUT\tGREATEST DIFFERENCE\tMEAN\tSAME GREATEST ELEMENT\n")
	for _, d := range list {
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t%d of %d\n", escape.Text(d.name), d.greatest, d.sum/float64(max(d.elements, 1)), d.agreed, runs)
	}
	return t.Flush()
}
