package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// dataFile has the interface, from the root of the repository.
const dataFile = "webnn/internal/idl/table.go"

// goFiles are the files of package webnn that are written.
var goFiles = []string{"operators.go", "options.go", "table.go"}

// main runs in the folder of package webnn, where go generate is told of it.
func main() {
	log.SetFlags(0)
	if err := run("..", os.Getenv("CONCORD_WEBNN_BS")); err != nil {
		log.Fatal("generate: ", err)
	}
}

// run writes the files. An empty source leaves the data as it is.
func run(root, source string) error {
	doc := &idl.WebNN
	if source == "" {
		log.Printf("%s stays as it is: CONCORD_WEBNN_BS does not name a copy of the standard's index.bs", dataFile)
	} else {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if doc, err = parse(string(text)); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
	}
	files, err := code(doc)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// code returns the Go files that follow from the interface.
func code(doc *idl.Document) (map[string][]byte, error) {
	files := make(map[string][]byte)
	data, err := interfaceTable(doc)
	files[dataFile] = data
	for _, name := range goFiles {
		if err == nil {
			files["webnn/"+name], err = goFile(doc, readWords(wordsFile), name)
		}
	}
	return files, err
}
