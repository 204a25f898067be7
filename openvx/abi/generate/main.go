// Command generate writes what is made from the tables of package abi. Run it by
//
//	go generate ./openvx/abi
package main

import (
	"go/format"
	"log"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/openvx/abi"
)

func main() {
	log.SetFlags(0)
	list, err := files()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range list {
		name = filepath.Join("../..", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// files returns the text of all generated files by their paths from the folder of the module.
func files() (map[string][]byte, error) {
	list := map[string][]byte{
		"cmd/libopenvx/internal.h":  prototypes(),
		"cmd/libopenvx/openvx.map":  versionScript(),
		"cmd/libopenvx/abi_check.c": checks(),
	}
	for name, source := range map[string][]byte{"openvx/constants.go": constants(), "openvx/names.go": names()} {
		text, err := format.Source(source)
		if err != nil {
			return nil, err
		}
		list[name] = text
	}
	for _, h := range abi.Headers {
		list["cmd/libopenvx/include/VX/"+h.Name] = header(h)
	}
	return list, nil
}
