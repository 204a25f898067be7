package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// files are those that are written: of package webnn, and the table of the npm package.
var files = []string{"operators.go", "options.go", "table.go", scriptFile, typesFile}

// main runs in the folder of package webnn, where go generate is told of it.
func main() {
	log.SetFlags(0)
	if err := run("."); err != nil {
		log.Fatal("generate: ", err)
	}
}

func run(dir string) error {
	for _, name := range files {
		text, err := file(&idl.WebNN, readWords(wordsFile), name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
