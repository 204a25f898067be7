package container_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/stage"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	model := func(yield func(string, func(io.Writer) error) bool) {
		yield(container.GraphFile, stage.Content([]byte("version 1.0;\n")))
	}
	folder, archive := filepath.Join(dir, "model"), filepath.Join(dir, "model.nnef.tgz")
	if err := container.Write(folder, model); err != nil {
		fmt.Println(err)
		return
	}
	unpacked, err := container.Open(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer unpacked.Close()
	if err := container.Write(archive, unpacked.Members()); err != nil {
		fmt.Println(err)
		return
	}
	c, err := container.Open(archive)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	text, err := c.ReadFile(container.GraphFile)
	fmt.Printf("%v %q %v\n", c.Names(), text, err)
	// Output: [graph.nnef] "version 1.0;\n" <nil>
}
