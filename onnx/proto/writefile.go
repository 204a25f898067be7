package proto

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/stage"
)

// page is the size from which an initializer stands outside, and what its offset there is a multiple of: so the standard advises, and so
// mapped elements are aligned.
const page = 4096

// WriteFile writes a model to a file, which is complete or, after an error, as it was before. External says that large initializers of the
// graph stand in another file beside it, of the same name with .data behind; without that a model of more than 2 GiB is refused with [ErrTooLarge]. Tensors that
// are external in the model already stay so: where their files are is the caller's to see to.
func WriteFile(name string, m *Model, external bool) (err error) {
	if m == nil {
		return errors.New("the model is nil")
	}
	defer mapfile.Recover(mapfile.Watch(), &err)
	defer runtime.KeepAlive(m) // whose bytes may lie in a mapped file
	var outputs []stage.Output
	if external && m.Graph != nil {
		graph, model := *m.Graph, *m
		data := &outside{name: filepath.Base(name) + ".data"}
		graph.Initializer = make([]*Tensor, len(m.Graph.Initializer))
		for i, t := range m.Graph.Initializer {
			if t == nil {
				return fmt.Errorf("initializer %d is nil", i)
			}
			if t.DataLocation == DataExternal {
				return fmt.Errorf("initializer %q stands in a file already, which %s could overwrite; give the model its elements", t.Name, data.name)
			}
			graph.Initializer[i] = data.place(t)
		}
		model.Graph, m = &graph, &model
		if _, err := measure(m); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		outputs = append(outputs, stage.Output{Name: name + ".data", Write: data.write})
	}
	return stage.WriteAll(append(outputs, stage.Output{Name: name, Write: func(w io.Writer) error {
		_, err := m.WriteTo(w)
		return err
	}})...)
}

// outside is a file of elements.
type outside struct {
	name  string
	end   int64
	parts [][]byte
}

// place returns the tensor that stands for one whose elements go into the file: the tensor itself if they are few.
func (o *outside) place(t *Tensor) *Tensor {
	if len(t.RawData) < page {
		return t
	}
	moved := *t
	moved.RawData, moved.DataLocation = nil, DataExternal
	moved.ExternalData = []*StringEntry{
		{"location", o.name},
		{"offset", strconv.FormatInt(o.end, 10)},
		{"length", strconv.Itoa(len(t.RawData))},
	}
	o.parts = append(o.parts, t.RawData)
	o.end += int64(len(t.RawData)+page-1) / page * page
	return &moved
}

func (o *outside) write(w io.Writer) error {
	for _, part := range o.parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
		if _, err := w.Write(make([]byte, (page-len(part)%page)%page)); err != nil {
			return err
		}
	}
	return nil
}
