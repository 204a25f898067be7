// Digits serves a page that reads a digit while it is drawn.
//
//	go run ./examples/digits
package main

import (
	"embed"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/examples/internal/site"
	"github.com/concord-nn/concord/manifest"
)

//go:embed page drawings model.nnef
var files embed.FS

func main() { site.Main("digits", page) }

// page returns the page with the exported network.
func page() (site.Site, error) {
	model, err := concord.OpenFS(files, "model.nnef")
	if err != nil {
		return nil, err
	}
	defer model.Close()
	g, err := model.Graph(nil)
	if err != nil {
		return nil, err
	}
	m, err := manifest.FindFS(files, "model.nnef")
	if err != nil {
		return nil, err
	}
	m.Output("y").(*manifest.Classes).Top = 0 // the page shows all of them
	s, err := site.New(files, "page", "drawings")
	if err != nil {
		return nil, err
	}
	return s, s.Export(g, m, "digits")
}
