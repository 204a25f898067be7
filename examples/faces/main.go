// Faces serves a page that finds faces in photos, in pictures of the camera, and in a painting. The model is one of UltraFace, which the repository
// does not have; examples/ultraface says where it is.
//
//	go run ./examples/faces version-RFB-320.onnx
package main

import (
	"embed"
	"errors"
	"flag"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/examples/internal/site"
	"github.com/concord-nn/concord/manifest"
)

//go:embed page
var files embed.FS

func main() { site.Main("faces", func() (site.Site, error) { return page(flag.Args()) }) }

// least is the score from which on the page knows faces; a slider on it asks for more.
const least = 0.3

// page returns the page with the exported model and its manifest.
func page(models []string) (site.Site, error) {
	if len(models) != 1 {
		return nil, errors.New("one model of UltraFace must be given, such as version-RFB-320.onnx; examples/ultraface/README.md says where to get it")
	}
	m, err := manifest.Find(models[0])
	if err != nil {
		return nil, err
	}
	for i := range m.Outputs {
		if boxes, ok := m.Outputs[i].Kind.(*manifest.Boxes); ok {
			boxes.ScoreThreshold = least
		}
	}
	model, err := concord.Open(models[0])
	if err != nil {
		return nil, err
	}
	defer model.Close()
	g, err := model.Graph(nil)
	if err != nil {
		return nil, err
	}
	s, err := site.New(files, "page")
	if err != nil {
		return nil, err
	}
	return s, s.Export(g, m, "faces")
}
