package cvm

import "github.com/concord-nn/concord/graph"

// Formal returns the network of a model with every tensor an int32: the reference beside the faster form that [Model.Graph] has. Its
// outputs are the heads, as int32. Nodes are labelled with the names that they have in the model. Without parameters every variable is an
// input of the graph. The model must be one that strict admission accepts. Errors are *Error.
func Formal(f Files) (*graph.Graph, error) {
	a, err := admit(f, Options{})
	if err != nil {
		return nil, f.located(err)
	}
	return a.net.lower(a.consts, form{formal: true})
}
