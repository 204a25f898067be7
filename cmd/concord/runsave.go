package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// saving is what --save keeps of a run: values that the graph yields beside its outputs.
type saving struct {
	own   int      // how many outputs the model has itself, which come first
	names []string // as they are given
	at    []int    // the outputs that they are
}

// save returns the programs of a model that also yield the values that --save names.
func (r *runner) save(opts concord.Options) (*model.Programs, error) {
	g, err := r.model.Graph(opts.Shapes)
	if err != nil {
		return nil, err
	}
	values := make(map[string]*graph.Value) // by what they may be called
	var names []string
	note := func(name string, v *graph.Value) {
		if name != "" && values[name] == nil {
			values[name] = v
			names = append(names, name)
		}
	}
	for v := range g.Values() {
		note(v.Name, v)
	}
	for _, n := range g.Nodes {
		if n.Label != "" && len(n.Out) > 0 {
			note(n.Label, n.Out[0])
		}
	}
	for _, o := range g.Outputs {
		note(o.Name, o.Value)
	}
	wide := *g
	wide.Outputs = slices.Clone(g.Outputs)
	r.saved = &saving{own: len(g.Outputs)}
	find := func(name string) *graph.Value {
		if v := values[name]; v != nil {
			return v
		}
		return values[graph.Identifier(name)]
	}
	var wanted []string
	for _, name := range r.flags.save {
		if find(name) != nil { // labels of nodes may be any text
			wanted = append(wanted, name)
		} else {
			wanted = append(wanted, strings.Split(name, ",")...)
		}
	}
	for _, name := range wanted {
		v := find(name)
		if v == nil {
			return nil, refused("--save: the model has no value or node %q%s", name, sees(name, names, r.path))
		}
		if slices.Contains(r.saved.names, name) {
			continue
		}
		at := slices.IndexFunc(wide.Outputs, func(o graph.Output) bool { return o.Value == v })
		if at < 0 {
			at = len(wide.Outputs)
			wide.Outputs = append(wide.Outputs, graph.Output{Name: fmt.Sprintf("save %d: %s", at, v.Name), Value: v})
		}
		r.saved.names, r.saved.at = append(r.saved.names, name), append(r.saved.at, at)
	}
	return model.NewPrograms(model.Of(&wide), engine.Options{Threads: opts.Threads, Limits: opts.Limits, NoOptimize: opts.NoOptimize}, 0), nil
}

// sees ends the message about a name that there is not.
func sees(name string, names []string, path string) string {
	if best := naming.Near(name, names); best != "" {
		return "; do you mean " + strconv.Quote(best) + "?"
	}
	return "; see: concord inspect " + escape.Text(path)
}

// results returns the outputs of the model, without the values that --save adds to them.
func (r *runner) results() []engine.Port {
	all := r.session.Outputs()
	if r.saved != nil {
		return all[:r.saved.own]
	}
	return all
}

// savedArrays returns the values that --save names, of the last run.
func (r *runner) savedArrays() []tensor.Named {
	var list []tensor.Named
	if r.saved != nil {
		for i, name := range r.saved.names {
			list = append(list, tensor.Named{Name: name, Tensor: r.session.Output(r.saved.at[i])})
		}
	}
	return list
}
