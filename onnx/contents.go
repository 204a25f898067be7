package onnx

import (
	"fmt"

	"github.com/concord-nn/concord/internal/mapfile"
)

// Contents calls a function for the files that the model is made of besides its own, in the order of their names: those with external data. The bytes
// must not be changed, and are valid until the function returns.
func (f *File) Contents(visit func(name string, data []byte) error) (err error) {
	if f == nil || f.Model == nil {
		return errNoFile
	}
	defer mapfile.Recover(mapfile.Watch(), &err)
	if f.files == nil {
		return nil
	}
	for _, name := range f.Model.External() {
		data, err := f.files.ReadFile(name)
		if err == nil {
			err = visit(name, data)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}
