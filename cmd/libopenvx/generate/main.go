// Command generate writes what follows from OpenVX's C interface. The interface is what the headers in cmd/libopenvx/include/VX declare: its
// enumerations, structures and functions stand there, once. Made of them are the constants, the names and the layers' functions of package
// openvx and, of the C library, the functions that only convert arguments, the prototypes for cgo, checks and the list of exported symbols.
package main

import (
	"go/format"
	"log"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go run .

// module is the folder of the module as seen from the one that the command runs in.
const module = "../../.."

func main() {
	log.SetFlags(0)
	list, err := files()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range list {
		if err := os.WriteFile(filepath.Join(module, name), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// files returns the text of all generated files by their paths from the folder of the module.
func files() (map[string][]byte, error) {
	h, err := read(filepath.Join(module, "cmd/libopenvx/include/VX"))
	if err != nil {
		return nil, err
	}
	calls, err := h.thunks(filepath.Join(module, "cmd/libopenvx"), filepath.Join(module, "openvx"))
	if err != nil {
		return nil, err
	}
	list := map[string][]byte{}
	for name, source := range map[string]string{
		"openvx/constants.go":        h.constants(),
		"openvx/names.go":            h.names(),
		"openvx/layer_functions.go":  h.functionsOfLayers(),
		"openvx/objects.go":          methodsOfObjects(),
		"openvx/export/functions.go": h.methodsOfLayers(),
		"cmd/libopenvx/functions.go": calls,
		"cmd/libopenvx/internal.h":   h.prototypes(),
		"cmd/libopenvx/openvx.map":   h.versionScript(),
	} {
		text := []byte(source)
		if strings.HasSuffix(name, ".go") {
			if text, err = format.Source(text); err != nil {
				return nil, err
			}
		}
		list[name] = text
	}
	return list, nil
}
