package feed

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// arrayBytes bounds the files of arrays, which are checked as they are read.
const arrayBytes = limits.NPYBytes

// Stdin stands for standard input among arguments, stdinName in messages.
const (
	Stdin     = "-"
	stdinName = "<stdin>"
)

// Feeder makes the inputs of a model. It serves one goroutine at a time.
type Feeder struct {
	Inputs   []engine.Port // that the model takes
	Open     []bool        // of each input, whether what is read decides about its shape; nil if none is so
	Manifest *manifest.Manifest
	Missing  error   // why the model has no manifest, nil if it has one
	Stdin    *Stream // nil where nothing is read from it
	Memory   int64   // that decoding and resampling take at most, as in [media.Limits]

	// Content reads a file of at most so many bytes, which count until Release. Nil takes files of the machine.
	Content func(name string, most int64) ([]byte, error)

	mapped []*mapfile.File
}

// Job is one set of inputs.
type Job struct {
	Source  string                    // the file that stands for the job; "" for random inputs, "-" for standard input
	Files   map[int]string            // the file of each input
	Archive string                    // the .npz that has all inputs; "" if there is none
	Tensors map[string]*tensor.Tensor // the inputs that are arrays already, such as those of the archive, once it is read
	Picture *image.RGBA               // what the last input that is a picture was made of
}

// UsageError is an error in what is asked for, not in what files hold.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Placed puts the name of the job's file in front of an error that does not have it.
func (j *Job) Placed(err error) error {
	if own := (*FileError)(nil); j.Source != "" && j.Source != Stdin && !strings.Contains(err.Error(), j.Source) && !errors.As(err, &own) {
		return fmt.Errorf("%s: %w", j.Source, err)
	}
	return err
}

// FileError is an error in the file of an input.
type FileError struct {
	File string
	Err  error
}

func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// From says which file of a job has given an input that does not fit.
func (f *Feeder) From(j *Job, err error) error {
	wrong := (*engine.InputError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	i := slices.IndexFunc(f.Inputs, func(p engine.Port) bool { return p.Name == wrong.Name })
	if file := j.Files[i]; file != "" && file != Stdin {
		return &FileError{file, err}
	}
	return err
}

// NeedsFile reports whether an input gets its value from a file.
func (f *Feeder) NeedsFile(p engine.Port) bool {
	switch k := f.Manifest.Input(p.Name).(type) {
	case *manifest.State:
		return false
	case *manifest.Tensor:
		return k.Value == nil
	}
	return true
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func portNames(ports []engine.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.String()
	}
	return strings.Join(names, ", ")
}

func ext(name string) string { return strings.ToLower(filepath.Ext(name)) }

// narrowed rounds float64, which is what arrays written by NumPy hold unless somebody asks for less, to float32 for an input that is not
// float64 itself.
func narrowed(t *tensor.Tensor, d tensor.DType) (*tensor.Tensor, error) {
	if t.DType() == tensor.Float64 && d != tensor.Float64 {
		return tensor.Cast(t, tensor.Float32)
	}
	return t, nil
}

// Read reads the files of a job. What it returns counts until [Feeder.Release].
func (f *Feeder) Read(j *Job) (in pipeline.Inputs, err error) {
	if j.Archive != "" {
		if j.Tensors, err = f.archive(j.Archive, f.Inputs); err != nil {
			return in, err
		}
	}
	in = pipeline.Inputs{Pictures: make(map[string]image.Image), Tensors: make(map[string]*tensor.Tensor), Limits: media.Limits{Memory: f.Memory}}
	for i, p := range f.Inputs {
		t, err := f.input(j, i, p, &in)
		if err == nil && t != nil {
			in.Tensors[p.Name], err = narrowed(t, p.Type.DType)
		}
		if err != nil {
			return in, err
		}
	}
	return in, nil
}

// input reads one input; nil for a picture or a sound, which it adds to the others, and for what the manifest gives.
func (f *Feeder) input(j *Job, i int, p engine.Port, in *pipeline.Inputs) (*tensor.Tensor, error) {
	if t := j.Tensors[p.Name]; t != nil {
		return t, nil
	}
	kind := f.Manifest.Input(p.Name)
	file := j.Files[i]
	switch {
	case file == "" && !f.NeedsFile(p):
		return nil, nil
	case file == "" && j.Tensors != nil:
		return nil, fmt.Errorf("%s: %w", j.Source, noArray(p.Name, j.Tensors))
	case file == "":
		return nil, fmt.Errorf("input %v is missing: give %s=FILE", p, p.Name)
	}
	form := f.formOf(file, kind)
	switch own := MediaForm(kind); {
	case form != own:
	case form == Picture:
		m, err := decoded(f, file, in.Limits.DecodePicture)
		in.Pictures[p.Name], j.Picture = m, m
		return nil, err
	case form == Sound:
		s, err := decoded(f, file, in.Limits.DecodeWAV)
		in.Sound = s
		return nil, err
	}
	switch form {
	case Array:
		if file == Stdin {
			return f.Stdin.npy()
		}
		return decoded(f, file, func(data []byte) (*tensor.Tensor, error) { return tensor.NPYOf(data, tensor.Limits{}) })
	case Raw:
		return f.raw(file, i, p)
	case Archive:
		all, err := f.archive(file, f.Inputs[i:i+1])
		if err != nil {
			return nil, err
		}
		if t := all[p.Name]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("%s: %w", shownName(file), noArray(p.Name, all))
	}
	if file != Stdin && f.Content == nil {
		if _, err := os.Stat(file); err != nil {
			return nil, err
		}
	}
	why := fmt.Sprintf("the manifest %s does not say how this file becomes input %v", f.Manifest.Source, p)
	if f.Missing != nil {
		why = fmt.Sprintf("nothing says how this file becomes input %v; %v", p, f.Missing)
	}
	return nil, fmt.Errorf("%s: %s; give an .npy, .npz or .bin, or describe the picture with --manifest or --size, --mean, --std …", shownName(file), why)
}

// formOf returns the form of a file, or of what is on standard input.
func (f *Feeder) formOf(file string, kind manifest.InputKind) Form {
	if file == Stdin {
		return f.Stdin.form(kind)
	}
	return FormOf(file, kind)
}

// content reads a file, or standard input.
func (f *Feeder) content(file string, most int64) ([]byte, error) {
	switch {
	case file == Stdin:
		return f.Stdin.bytes()
	case f.Content != nil:
		return f.Content(file, most)
	}
	m, err := mapfile.Open(file)
	if err != nil {
		return nil, err
	}
	f.mapped = append(f.mapped, m)
	if int64(len(m.Data)) > most {
		return nil, fmt.Errorf("%s: it is larger than the limit of %d bytes", file, most)
	}
	return m.Data, nil
}

// Release lets go of the files that were read, which the caller has copied.
func (f *Feeder) Release() {
	for _, m := range f.mapped {
		mapfile.Forget(m.Data) // Closing says that it may go, which may not be soon.
		_ = m.Close()          // it has only been read
	}
	f.mapped = nil
}

// Most returns how many bytes of a file are read at most, by the ending of its name.
func Most(file string) int64 {
	switch FormOfName(file) {
	case Array, Archive, Raw:
		return arrayBytes
	}
	return media.MaxFileBytes
}

// decoded reads an input from a file or from standard input.
func decoded[T any](f *Feeder, file string, decode func([]byte) (T, error)) (T, error) {

	data, err := f.content(file, Most(file))
	if err == nil {
		var x T
		if x, err = decode(data); err == nil {
			return x, nil
		}
		err = fmt.Errorf("%s: %w", shownName(file), err)
	}
	var none T
	return none, err
}

// shownName is the name of a file in messages.
func shownName(file string) string {
	if file == Stdin {
		return stdinName
	}
	return file
}

// noArray says that an archive lacks an array, and what it has instead.
func noArray(name string, archive map[string]*tensor.Tensor) error {
	if len(archive) == 0 {
		return fmt.Errorf("there is no array %q in it, nor any other", name)
	}
	return fmt.Errorf("there is no array %q in it; there are %s", name, escape.Quoted(naming.Sorted(archive)))
}

// ReadNPY reads the array in a file.
func ReadNPY(name string) (*tensor.Tensor, error) {
	file, _, err := mapfile.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := tensor.ReadNPY(file, tensor.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// raw reads the elements of input i from a file.
func (f *Feeder) raw(file string, i int, p engine.Port) (*tensor.Tensor, error) {
	if f.open(i) {
		return nil, fmt.Errorf("%s: raw bytes do not say which shape input %s has; give it with --shape", shownName(file), p.Name)
	}
	if file == Stdin {
		return readRaw(f.Stdin.r, stdinName, p)
	}
	if f.Content != nil {
		data, err := f.Content(file, arrayBytes)
		if err != nil {
			return nil, err
		}
		return readRaw(bytes.NewReader(data), file, p)
	}
	opened, _, err := mapfile.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return readRaw(opened, file, p)
}

// readRaw reads the elements of an input, row-major and little-endian.
func readRaw(r io.Reader, name string, p engine.Port) (*tensor.Tensor, error) {
	want := p.Type.DType.Bytes(p.Type.Shape.Len())
	data, err := io.ReadAll(io.LimitReader(r, int64(want)+1)) // one more tells whether there are too many
	if err != nil {
		return nil, err
	}
	if len(data) > want {
		return nil, fmt.Errorf("%s: it is longer than the %d bytes of %v", name, want, p)
	}
	t, err := tensor.FromRaw(p.Type.DType, p.Type.Shape, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// open reports whether what is read decides about the shape of input i.
func (f *Feeder) open(i int) bool { return f.Open != nil && f.Open[i] }

// archive reads the arrays of an .npz that are for inputs. Of others, which are not read, it has the names.
func (f *Feeder) archive(file string, inputs []engine.Port) (map[string]*tensor.Tensor, error) {
	if file != Stdin && f.Content == nil {
		var out map[string]*tensor.Tensor
		err := withNPZ(file, func(a *tensor.NPZ) (err error) {
			out, err = f.arraysFor(inputs, a)
			return err
		})
		return out, err
	}
	a, err := f.npz(file)
	if err != nil {
		return nil, err
	}
	out, err := f.arraysFor(inputs, a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shownName(file), err)
	}
	return out, nil
}

// npz opens an archive that is in memory.
func (f *Feeder) npz(file string) (*tensor.NPZ, error) {
	if file == Stdin {
		return f.Stdin.npz()
	}
	return decoded(f, file, func(data []byte) (*tensor.NPZ, error) {
		return tensor.OpenNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{})
	})
}

// arraysFor reads the arrays of an archive that are for inputs.
func (f *Feeder) arraysFor(inputs []engine.Port, a *tensor.NPZ) (map[string]*tensor.Tensor, error) {
	out := make(map[string]*tensor.Tensor)
	for _, name := range a.Names() {
		out[name] = nil
	}
	for _, p := range inputs {
		if _, ok := out[p.Name]; !ok {
			continue
		}
		i := slices.IndexFunc(f.Inputs, func(in engine.Port) bool { return in.Name == p.Name })
		d, shape, err := a.Type(p.Name)
		if err == nil && !f.open(i) && !shape.Equal(p.Type.Shape) {
			return nil, &engine.InputError{Name: p.Name, Got: d.String() + shape.String(), Want: p.Type.String()}
		}
		if err == nil {
			out[p.Name], err = a.Read(p.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// withNPZ opens an archive of arrays for a function, and names it in errors.
func withNPZ(name string, f func(a *tensor.NPZ) error) error {
	file, size, err := mapfile.OpenFile(name)
	if err != nil {
		return err
	}
	defer file.Close()
	a, err := tensor.OpenNPZ(file, size, tensor.Limits{})
	if err == nil {
		err = f(a)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
