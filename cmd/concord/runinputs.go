package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// job is one run of the model, or for a sound a sequence of runs.
type job struct {
	source  string                    // the file that stands for the job; "" for random inputs, "-" for standard input
	files   map[int]string            // the file of each input
	tensors map[string]*tensor.Tensor // what an .npz gives

	picture *image.RGBA // what is drawn into, if an input is a picture
	view    media.View
	frames  *media.Frames
	sound   int // the input that takes the frames
}

// runAll runs the model on all inputs and shows the results.
func (r *runner) runAll(ctx context.Context, args []string) error {
	jobs, err := r.jobs(args)
	if err == nil {
		err = writable(r.outputs(jobs), r.reads(jobs), r.flags.force)
	}
	if err != nil {
		return err
	}
	var report []*jobReport
	var refused error // that bytes of a CVM model cannot be encoded, which keeps nothing else from being shown
	bar := newProgress(r.progress, "inputs")
	for i, j := range jobs {
		res, err := r.run(ctx, j)
		if err != nil {
			bar.clear()
			if own := (*fileError)(nil); j.source != "" && j.source != stdinArg && !strings.Contains(err.Error(), j.source) && !errors.As(err, &own) {
				return fmt.Errorf("%s: %w", j.source, err)
			}
			return err
		}
		bar.update(i+1, len(jobs))
		if res.Refusal != nil {
			refused = fmt.Errorf("%s: there are no encoded bytes: %w", r.path, res.Refusal)
		}
		switch {
		case r.flags.asJSON:
			report = append(report, res)
			continue
		case r.encoded.printed():
			continue
		}
		bar.clear()
		if err := res.write(r.out, r.style, len(jobs) > 1); err != nil {
			return err
		}
	}
	bar.clear()
	if r.flags.asJSON {
		all := map[string]any{"model": r.path, "runs": report}
		if r.profile != nil {
			all["profile"] = r.profile.operators()
		}
		return errors.Join(writeJSON(r.out, all), refused)
	}
	if r.profile != nil {
		return errors.Join(r.profile.writeOperators(r.out), refused)
	}
	return refused
}

// jobs assigns files to inputs. With one input that takes a file, each file is a job of its own.
func (r *runner) jobs(args []string) ([]*job, error) {
	fail := func(format string, args ...any) ([]*job, error) {
		return nil, &codedError{exitUsage, fmt.Errorf(format, args...)}
	}
	inputs := r.session.Inputs()
	if r.flags.random {
		if len(args) > 0 {
			return fail("--random takes no INPUT")
		}
		return []*job{{}}, nil
	}
	named := make(map[int]string)
	var plain []string
	streams := 0
	for _, a := range args {
		name, file, ok := strings.Cut(a, "=")
		i := slices.IndexFunc(inputs, func(p engine.Port) bool { return p.Name == name })
		switch {
		case ok && i >= 0:
			named[i] = file
		case ok && !exists(a):
			return fail("%s: the model has no input %q; it has %s", a, name, portNames(inputs))
		default:
			plain = append(plain, a)
		}
		if a == stdinArg || ok && i >= 0 && file == stdinArg {
			streams++
		}
	}
	if streams > 1 {
		return fail("standard input can be read once; %d inputs are to be read from it", streams)
	}
	var open []int // inputs that still need a file
	var wanting []engine.Port
	for i, p := range inputs {
		if _, ok := named[i]; !ok && r.needsFile(p) {
			open, wanting = append(open, i), append(wanting, p)
		}
	}
	archive := len(plain) > 0 && !slices.ContainsFunc(plain, func(f string) bool { return ext(f) != ".npz" })
	switch {
	case archive || len(open) == 1 && len(plain) > 0:
		var jobs []*job
		for _, f := range plain {
			j := &job{source: f, files: map[int]string{}}
			for i, file := range named {
				j.files[i] = file
			}
			if archive {
				var err error
				if j.tensors, err = readNPZ(f); err != nil {
					return nil, err
				}
			} else {
				j.files[open[0]] = f
			}
			jobs = append(jobs, j)
		}
		return jobs, nil
	case len(open) != len(plain):
		return fail("the model needs a file for each of: %s; %d are given", portNames(wanting), len(plain))
	}
	for k, i := range open {
		named[i] = plain[k]
	}
	j := &job{files: named}
	for i := range inputs {
		if f := named[i]; f != "" && j.source == "" {
			j.source = f
		}
	}
	return []*job{j}, nil
}

// needsFile reports whether an input gets its value from a file.
func (r *runner) needsFile(p engine.Port) bool {
	switch k := r.manifest.Input(p.Name).(type) {
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

// isArray reports whether a file holds elements as they are.
func isArray(name string) bool { return slices.Contains([]string{".npy", ".npz", ".bin"}, ext(name)) }

func ext(name string) string { return strings.ToLower(filepath.Ext(name)) }

// prepare sets every input of the session that does not change from run to run of the job.
func (r *runner) prepare(j *job) error {
	if j.source == "" && r.flags.random {
		return r.randomInputs()
	}
	defer r.unmap()
	for i, p := range r.session.Inputs() {
		t, err := r.input(j, i, p)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		if t, err = narrowed(t, p.Type.DType); err != nil {
			return err
		}
		if err := r.session.SetInput(i, t); err != nil {
			return j.from(i, err)
		}
	}
	return nil
}

// from says which file has given an input that does not fit.
func (j *job) from(i int, err error) error {
	if file := j.files[i]; file != "" && file != stdinArg {
		return &fileError{file, err}
	}
	return err
}

// fileError is an error in the file of an input.
type fileError struct {
	file string
	err  error
}

func (e *fileError) Error() string { return e.file + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// narrowed rounds float64, which is what arrays written by NumPy hold unless somebody asks for less, to float32 for an input that is not
// float64 itself.
func narrowed(t *tensor.Tensor, d tensor.DType) (*tensor.Tensor, error) {
	if t.DType() == tensor.Float64 && d != tensor.Float64 {
		return tensor.Cast(t, tensor.Float32)
	}
	return t, nil
}

// input makes the value of one input; nil for one that follows from the sound or starts at zero.
func (r *runner) input(j *job, i int, p engine.Port) (*tensor.Tensor, error) {
	if t := j.tensors[p.Name]; t != nil {
		return t, nil
	}
	kind := r.manifest.Input(p.Name)
	typ := portTypes([]engine.Port{p})[0]
	file := j.files[i]
	switch k := kind.(type) {
	case *manifest.State:
		return tensor.New(p.Type.DType, p.Type.Shape)
	case *manifest.Tensor:
		if file == "" {
			return media.Value(k, typ)
		}
	}
	if file == "" {
		if j.tensors != nil {
			return nil, fmt.Errorf("%s: %w", j.source, noArray(p.Name, j.tensors))
		}
		return nil, fmt.Errorf("input %v is missing: give %s=FILE", p, p.Name)
	}
	switch {
	case file == stdinArg:
		return readRaw(r.in, stdinName, p)
	case ext(file) == ".npy":
		return r.mapNPY(file)
	case ext(file) == ".bin":
		return openRaw(file, p)
	case ext(file) == ".npz":
		all, err := readNPZ(file)
		if err != nil {
			return nil, err
		}
		if t := all[p.Name]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("%s: %w", file, noArray(p.Name, all))
	}
	switch k := kind.(type) {
	case *manifest.Image:
		m, err := media.OpenPicture(file)
		if err != nil {
			return nil, err
		}
		t, view, err := media.PrepareImage(k, typ, m)
		j.picture, j.view = m, view
		return t, err
	case *manifest.Audio:
		s, err := media.OpenSound(file)
		if err != nil {
			return nil, err
		}
		j.frames, err = media.PrepareAudio(k, typ, s)
		j.sound = i
		return nil, err
	}
	why := fmt.Sprintf("the manifest %s does not say how this file becomes input %v", r.manifest.Source, p)
	if r.missing != nil {
		why = fmt.Sprintf("nothing says how this file becomes input %v; %v", p, r.missing)
	}
	return nil, fmt.Errorf("%s: %s; give an .npy, .npz or .bin, or describe the picture with --manifest or --size, --mean, --std …", file, why)
}

// noArray says that an archive lacks an array, and what it has instead.
func noArray(name string, archive map[string]*tensor.Tensor) error {
	return fmt.Errorf("there is no array %q in it; there are %q", name, slices.Sorted(maps.Keys(archive)))
}

// mapNPY is readNPY for an array that is copied before the next run, without memory of its own if its file can be mapped.
func (r *runner) mapNPY(name string) (*tensor.Tensor, error) {
	f, err := mapfile.Open(name)
	if err != nil {
		return readNPY(name)
	}
	r.mapped = append(r.mapped, f)
	t, err := tensor.NPYOf(f.Data, tensor.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// unmap releases the files of inputs, which the session has copied.
func (r *runner) unmap() {
	for _, f := range r.mapped {
		_ = f.Close() // it has only been read
	}
	r.mapped = nil
}

func readNPY(name string) (*tensor.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := tensor.ReadNPY(f, tensor.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// openRaw reads the elements of an input from a file.
func openRaw(name string, p engine.Port) (*tensor.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRaw(f, name, p)
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

func readNPZ(name string) (map[string]*tensor.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	list, err := tensor.ReadNPZ(f, info.Size(), tensor.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := make(map[string]*tensor.Tensor, len(list))
	for _, t := range list {
		out[t.Name] = t.Tensor
	}
	return out, nil
}
