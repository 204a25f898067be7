package export_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// exporter writes and reads models. Nothing is refused but states.
var exporter = exported.Exporter{
	Rows: rows(),
	Export: func(t testing.TB, g *graph.Graph) (made exported.Model, err error) {
		m, err := export.New(g, export.Options{Foreign: func(f export.Refusal) {
			why := exported.Plain(f.Reason)
			if f.Op != g.Name {
				why = f.Op + ": " + why // in a block
			}
			made.Notes = append(made.Notes, "without a function: "+why)
		}})
		if refused, ok := errors.AsType[*export.Error](err); ok && refused.Refusals[0].Op != "state" {
			return made, errors.New(err.Error())
		} else if err != nil {
			return made, err
		}
		m = again(t, m)
		made.Notes = append(made.Notes, nodes(m))
		made.Run = func(in map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
			return runs(m, in, engine.Options{Threads: 1, NoOptimize: true})
		}
		return made, nil
	},
	Constants: exported.Mask,
	Equal:     same,
}

func rows() (list []kit.Row) {
	for _, r := range export.Table() {
		list = append(list, kit.Row{Op: r.Op, Form: kit.Form(r.Form)})
	}
	return list
}

// TestOperators exports generated cases of every operator.
func TestOperators(t *testing.T) { exporter.Operators(t, 75, 1000) }

// FuzzOperators does so for seeds.
func FuzzOperators(f *testing.F) { exporter.Fuzz(f) }

// nodes names the operators of the nodes of a model, in their order and without repetitions, and says which are ours.
func nodes(m *proto.Model) string {
	var names []string
	for _, n := range m.Graph.Node {
		name := n.OpType
		if n.Domain == onnx.OwnDomain {
			name = "own"
		}
		names = append(names, name)
	}
	return strings.Join(slices.Compact(names), ", ")
}
