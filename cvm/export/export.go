// Package export turns models of CVM into graphs with every tensor an int32, which package nnef writes as text, and graphs into models
// of CVM: [ToGraph] and [FromGraph].
//
// What a graph cannot say stands in an extension statement, the symbol of the model as package symbol writes it:
//
//	extension concord_cvm 'SYMBOL';
//
// It counts as long as the graph is what it means, which is found by lowering it again. A graph that was changed, or that
// comes from elsewhere, is converted by a table, which says for each operator of package op which operators of CVM it becomes; precisions
// are inferred and storage is planned anew. What CVM cannot express is refused, with a list of all nodes that it concerns.
package export

import (
	"errors"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
)

// ToGraph returns the network of a model with every tensor an int32, which computes the outputs of the model before they are encoded, and
// the extension statements that say the rest. Nodes are labelled with the names that they have in the model. The model must be one that
// strict admission accepts, with its parameters; errors are *[cvm.Error].
func ToGraph(f cvm.Files) (*graph.Graph, []string, error) {
	g, err := cvm.Formal(f)
	if err != nil {
		return nil, nil, err
	}
	s, err := symbol.Parse(f.Symbol)
	if err != nil {
		return nil, nil, err
	}
	text, err := s.AppendText(nil)
	if err != nil {
		return nil, nil, err
	}
	return g, []string{symbolStatement + " " + graph.QuoteText(string(text))}, nil
}

// Refusal is one part of a graph that cannot be expressed.
type Refusal = kit.Refusal

// Error lists all parts of a graph that cannot be expressed in CVM.
type Error = kit.Error

// Options say how a graph is converted.
type Options struct {
	// Statements are the extension statements that belong to the graph. Others than those of this package are left aside.
	Statements []string
	// Note, if not nil, is told what may surprise: that names have changed, or that the statements do not fit the graph.
	Note func(text string)
}

func (o *Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// FromGraph returns a model of CVM that computes what a graph does. The graph must have known shapes, no states, and one
// input, or one that is called data. A graph of [ToGraph] with its statements gives the model that it was made of: the same nodes,
// precisions and storages, and thus the same gas. Only parameters that no result depends on become zeros. Any other graph is converted
// operator by operator; each node must be an operator on integers that CVM can express, and each result must fit in the element type that
// it has in the graph.
//
// The model has passed strict admission. An *[Error] lists all that CVM cannot express.
func FromGraph(g *graph.Graph, o Options) (_ cvm.Files, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if g == nil {
		return cvm.Files{}, refused("", Refusal{Op: "graph", Reason: "it is nil"})
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		return cvm.Files{}, refused(g.Name, Refusal{Op: "graph", Reason: err.Error()})
	}
	f, err := model(g, &o)
	if err != nil {
		return cvm.Files{}, err
	}
	if _, err := cvm.Admit(f, cvm.Options{}); err != nil {
		return cvm.Files{}, admission(g, err)
	}
	return f, nil
}

// model returns the model that the statements say, if it is that of the graph, and else one made anew.
func model(g *graph.Graph, o *Options) (f cvm.Files, err error) {
	s, err := symbolOf(o.Statements)
	if err != nil {
		return f, err
	}
	if s == nil {
		s = &symbol.Symbol{}
	} else {
		f, unused, err := recovered(g, s)
		if err == nil {
			if len(unused) > 0 {
				o.note("no result depends on the parameters %s; they become zeros", strings.Join(unused, ", "))
			}
			return f, nil
		}
		o.note("its extension statement does not say what the graph is, so that it does not count and the model is made anew: %v", err)
	}
	b, heads, err := convert(g, o)
	if err != nil {
		return f, err
	}
	b.plan(heads)
	list, err := b.params()
	if err != nil {
		return f, err
	}
	return cvm.Encode(b.symbol(s.Postprocess, heads), list)
}

// admission says of a graph what admission says of its model.
func admission(g *graph.Graph, err error) error {
	r := Refusal{Op: "graph", Reason: err.Error()}
	if e, ok := errors.AsType[*cvm.Error](err); ok && e.Node >= 0 {
		r.Op, r.Value = e.Operator, e.Name
	}
	return refused(g.Name, r)
}

// refused is an error of one refusal.
func refused(graph string, r Refusal) error { return kit.List{r}.Err("CVM", graph) }
