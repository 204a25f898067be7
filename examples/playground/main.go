// Playground serves a page on which networks are written with WebNN and applied to a picture, with every key that is pressed. It stands on the npm
// package concord-webnn, which it makes first, in a minute.
//
//	go run ./examples/playground
package main

import (
	"embed"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/concord-nn/concord/examples/internal/site"
)

//go:embed page
var files embed.FS

func main() {
	ready := flag.String("webnn", "", "folder with the package concord-webnn, if it is made already")
	site.Main("playground", func() (site.Site, error) { return page(*ready) })
}

// page returns the page with the package, which lies in a folder or is made.
func page(folder string) (site.Site, error) {
	if folder == "" {
		made, err := os.MkdirTemp("", "concord-webnn-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(made)
		build := exec.Command("go", "run", "./web/build", "-o", made)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("go run ./web/build, in the root of the repository: %w", err)
		}
		folder = made
	}
	s, err := site.New(files, "page")
	if err != nil {
		return nil, err
	}
	return s, s.Add("concord-webnn/", os.DirFS(folder))
}
