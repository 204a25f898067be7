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
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// job is one run of the model, or for a sound a sequence of runs.
type job struct {
	source  string                    // the file that stands for the job; "" for random inputs, "-" for standard input
	files   map[int]string            // the file of each input
	archive string                    // the .npz that has all inputs; "" if there is none
	tensors map[string]*tensor.Tensor // what is in it, once it is read

	picture *image.RGBA // what is drawn into, if an input is a picture
	sound   bool        // whether an input is a sound
	windows int         // runs that it takes, when it is prepared: one for each window of a sound
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
	if err := r.makeFolder(jobs); err != nil {
		return err
	}
	r.watchProgress(len(jobs))
	defer r.bar.clear()
	show := r.newPrinter(len(jobs))
	var broken failures
	var refused error // that bytes of a CVM model cannot be encoded, which keeps nothing else from being shown
	for done := 0; done < len(jobs); {
		group := slices.Clone(jobs[done:min(done+max(r.flags.samples, 1), len(jobs))])
		clear(jobs[done : done+len(group)]) // what they hold is needed no longer than they run
		reports, err := r.runGroup(ctx, group)
		if err != nil && (!r.flags.onwards || ctx.Err() != nil) {
			return err
		}
		if done += len(group); err != nil {
			broken = append(broken, err)
		}
		r.bar.update(done, len(jobs))
		for _, rep := range reports {
			if rep.Refusal != nil {
				refused = fmt.Errorf("%s: there are no encoded bytes: %w", r.path, rep.Refusal)
			}
			if r.encoded.printed() {
				continue
			}
			if err := show.show(rep); err != nil {
				return err
			}
		}
	}
	r.bar.clear()
	return errors.Join(show.end(), refused, broken.err())
}

// failures are the errors of runs behind which others went on.
type failures []error

// err is the error of all; nil if there is none.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	lines := make([]string, len(f))
	for i, err := range f {
		lines[i] = errorText(err)
	}
	return &codedError{exitInput, errors.New(strings.Join(lines, "\n"))}
}

// runGroup runs the jobs of one run: several with --batch, else one.
func (r *runner) runGroup(ctx context.Context, group []*job) ([]*jobReport, error) {
	if r.batch != nil {
		return r.runTogether(ctx, group)
	}
	rep, err := r.run(ctx, group[0])
	if err != nil {
		return nil, group[0].placed(err)
	}
	return []*jobReport{rep}, nil
}

// placed puts the name of the job's file in front of an error that does not have it.
func (j *job) placed(err error) error {
	if own := (*fileError)(nil); j.source != "" && j.source != stdinArg && !strings.Contains(err.Error(), j.source) && !errors.As(err, &own) {
		return fmt.Errorf("%s: %w", j.source, err)
	}
	return err
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

func ext(name string) string { return strings.ToLower(filepath.Ext(name)) }

// prepare sets the inputs of the session, of a sound the first window.
func (r *runner) prepare(j *job) (err error) {
	defer r.unmap()
	var in pipeline.Inputs
	if j.source == "" && r.flags.random {
		in = r.randomInputs()
	} else if in, err = r.read(j); err != nil {
		return err
	}
	j.sound = in.Sound != nil
	j.windows, err = r.answers.Set(in)
	return r.from(j, err)
}

// from says which file has given an input that does not fit.
func (r *runner) from(j *job, err error) error {
	wrong := (*engine.InputError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	i := slices.IndexFunc(r.session.Inputs(), func(p engine.Port) bool { return p.Name == wrong.Name })
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

// read reads the files of a job.
func (r *runner) read(j *job) (in pipeline.Inputs, err error) {
	if j.archive != "" {
		if j.tensors, err = r.archive(j.archive, r.session.Inputs()); err != nil {
			return in, err
		}
	}
	in = pipeline.Inputs{Pictures: make(map[string]image.Image), Tensors: make(map[string]*tensor.Tensor)}
	for i, p := range r.session.Inputs() {
		t, err := r.input(j, i, p, &in)
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
func (r *runner) input(j *job, i int, p engine.Port, in *pipeline.Inputs) (*tensor.Tensor, error) {
	if t := j.tensors[p.Name]; t != nil {
		return t, nil
	}
	kind := r.manifest.Input(p.Name)
	file := j.files[i]
	switch {
	case file == "" && !r.needsFile(p):
		return nil, nil
	case file == "" && j.tensors != nil:
		return nil, fmt.Errorf("%s: %w", j.source, noArray(p.Name, j.tensors))
	case file == "":
		return nil, fmt.Errorf("input %v is missing: give %s=FILE", p, p.Name)
	}
	form := formOf(file, kind)
	if file == stdinArg {
		form = r.stdin().form(kind)
	}
	switch own := mediaForm(kind); {
	case form != own:
	case form == pictureForm:
		m, err := decoded(r, file, media.OpenPicture, media.DecodePicture)
		in.Pictures[p.Name], j.picture = m, m
		return nil, err
	case form == soundForm:
		s, err := decoded(r, file, media.OpenSound, media.DecodeWAV)
		in.Sound = s
		return nil, err
	}
	switch form {
	case arrayForm:
		if file == stdinArg {
			return r.stdin().npy()
		}
		return r.mapNPY(file)
	case rawForm:
		if file == stdinArg {
			return readRaw(r.stdin().r, stdinName, p)
		}
		return openRaw(file, p)
	case archiveForm:
		all, err := r.archive(file, []engine.Port{p})
		if err != nil {
			return nil, err
		}
		if t := all[p.Name]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("%s: %w", shownName(file), noArray(p.Name, all))
	}
	why := fmt.Sprintf("the manifest %s does not say how this file becomes input %v", r.manifest.Source, p)
	if r.missing != nil {
		why = fmt.Sprintf("nothing says how this file becomes input %v; %v", p, r.missing)
	}
	return nil, fmt.Errorf("%s: %s; give an .npy, .npz or .bin, or describe the picture with --manifest or --size, --mean, --std …", shownName(file), why)
}

// decoded reads a picture or a sound from a file or from standard input.
func decoded[T any](r *runner, file string, open func(string) (T, error), decode func([]byte) (T, error)) (T, error) {
	if file != stdinArg {
		return open(file)
	}
	var none T
	data, err := r.stdin().bytes()
	if err != nil {
		return none, err
	}
	x, err := decode(data)
	if err != nil {
		return none, fmt.Errorf("%s: %w", stdinName, err)
	}
	return x, nil
}

// shownName is the name of a file in messages.
func shownName(file string) string {
	if file == stdinArg {
		return stdinName
	}
	return file
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
	f, _, err := mapfile.OpenFile(name)
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
	f, _, err := mapfile.OpenFile(name)
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

// readNPZ returns the arrays of an archive that are for inputs. Of others, which are not read, it has the names.
func readNPZ(name string, inputs []engine.Port) (out map[string]*tensor.Tensor, err error) {
	err = withNPZ(name, func(a *tensor.NPZ) error {
		out, err = arraysFor(inputs, a)
		return err
	})
	return out, err
}

// arraysFor reads the arrays of an archive that are for inputs.
func arraysFor(inputs []engine.Port, a *tensor.NPZ) (map[string]*tensor.Tensor, error) {
	out := make(map[string]*tensor.Tensor)
	for _, name := range a.Names() {
		out[name] = nil
	}
	for _, p := range inputs {
		if _, ok := out[p.Name]; !ok {
			continue
		}
		d, shape, err := a.Type(p.Name)
		if err == nil && !shape.Equal(p.Type.Shape) {
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
