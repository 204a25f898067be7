// Digits serves a page that reads a digit while it is drawn.
//
//	go run ./examples/digits
package main

import (
	"embed"
	"flag"
	"fmt"
	"os"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/examples/internal/site"
)

//go:embed page drawings model.nnef
var files embed.FS

func main() {
	out := site.Flags()
	flag.Parse()
	if err := out.Put(page()); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

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
	s, err := site.New(files, "page", "drawings")
	if err != nil {
		return nil, err
	}
	if s["manifest.json"], err = files.ReadFile("model.nnef/concord.json"); err != nil {
		return nil, err
	}
	return s, s.Export(g, "digits")
}
