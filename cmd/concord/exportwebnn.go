package main

import (
	"fmt"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/webnn/export"
)

// writeWebNN writes JavaScript that builds a model with WebNN, and the same calls as a session.
var writeWebNN = target{
	endings: []string{".js", ".bin", ".json"},
	lacks:   "WebNN has no storages that tensors share, and leaves open what an int32 that overflows becomes",
	files: func(m *concord.Model, g *graph.Graph, e exported) ([]exportFile, error) {
		model, err := export.New(g, export.Options{})
		if err != nil && m.CVM() != nil { // WebNN has no int16, which the formal network does without
			model, err = exportFormal(e.path)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		files, err := model.Files(e.base + ".bin")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		writeApproximations(e.notes, e.path, model.Approximations)
		return []exportFile{{e.base + ".js", stage.Content(files.JavaScript)}, {e.base + ".bin", files.Weights}, {e.base + ".json", stage.Content(files.Session)}}, nil
	},
}

// exportFormal expresses the formal network of a CVM model.
func exportFormal(path string) (*export.Model, error) {
	f, err := cvm.Read(path)
	if err != nil {
		return nil, err
	}
	g, err := cvm.Formal(f)
	if err != nil {
		return nil, err
	}
	return export.New(g, export.Options{})
}
