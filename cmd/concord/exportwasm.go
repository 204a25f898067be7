package main

import (
	"fmt"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/pipeline/page"
)

// writeWASM writes a model as WebAssembly with what loads it, and a page.
var writeWASM = target{
	endings: export.Endings,
	files: func(_ *concord.Model, g *graph.Graph, e exported) ([]exportFile, error) {
		files, mark, err := export.Files(g, e.base, engine.Limits{})
		if err == nil && e.page != "" {
			var more []export.File
			more, err = pageFiles(g, e, mark)
			files = append(files, more...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		list := make([]exportFile, len(files))
		for i, f := range files {
			list[i] = exportFile{f.Name, f.Write}
		}
		return list, nil
	},
}

// pageFiles returns the page, under the name that it shall have, and what it needs.
func pageFiles(g *graph.Graph, e exported, mark string) ([]export.File, error) {
	m, err := e.carried(e.path, portsOf(g))
	if err != nil {
		return nil, err
	}
	files, err := page.Files(m, g, e.base, mark, engine.Limits{})
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i].Name == page.Index {
			files[i].Name = e.page
		}
	}
	return files, nil
}
