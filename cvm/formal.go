package cvm

import "github.com/concord-nn/concord/graph"

// Formal returns the network of a model with every tensor an int32: the reference beside the faster form that [Model.Graph] has. Its
// outputs are the heads, as int32. Nodes are labelled with the names that they have in the model. Without parameters every variable is an
// input of the graph. The model must be one that strict admission accepts. Errors are *Error.
func Formal(f Files) (*graph.Graph, error) {
	return lowered(f, Options{}, form{formal: true})
}

// Network returns the network of a model as [Model.Graph] has it. It needs no parameters: without them every variable is an input of the
// graph. Errors are *Error.
func Network(f Files, opts Options) (*graph.Graph, error) {
	return lowered(f, opts, form{})
}

func lowered(f Files, opts Options, how form) (*graph.Graph, error) {
	a, err := admit(f, opts)
	if err != nil {
		return nil, f.located(err)
	}
	g, err := a.lower(how)
	if err != nil {
		return nil, f.located(err)
	}
	return g, nil
}
