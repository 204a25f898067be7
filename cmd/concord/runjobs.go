package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/tensor"
)

// given are the files of inputs as the arguments name them.
type given struct {
	named  map[int][]string // by the input; several for a folder or a pattern
	plain  []string         // the others, in order
	varied int              // the input of which several files are named; -1 if there is none
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
	g, err := r.assign(args)
	if err != nil {
		return nil, err
	}
	var open []int // inputs that still need a file
	var wanting []engine.Port
	for i, p := range inputs {
		if _, ok := g.named[i]; !ok && r.needsFile(p) {
			open, wanting = append(open, i), append(wanting, p)
		}
	}
	archive := len(g.plain) > 0 && !slices.ContainsFunc(g.plain, func(f string) bool { return !r.isArchive(f) })
	switch {
	case g.varied >= 0 && (len(g.plain) > 0 || len(open) > 0):
		return fail("%s: several files are given for it; then every other input needs NAME=FILE", inputs[g.varied].Name)
	case g.varied >= 0:
		return r.each(g, g.varied, g.named[g.varied]), nil
	case archive:
		return r.each(g, -1, g.plain), nil
	case len(open) == 1 && len(g.plain) > 0:
		return r.each(g, open[0], g.plain), nil
	case len(open) != len(g.plain):
		return fail("the model needs a file for each of: %s; %d are given", portNames(wanting), len(g.plain))
	}
	for k, i := range open {
		g.named[i] = g.plain[k : k+1]
	}
	j := g.job()
	for i := range inputs {
		if f := j.files[i]; f != "" && j.source == "" {
			j.source = f
		}
	}
	return []*job{j}, nil
}

// assign finds out which input an argument is for, and which files it stands for.
func (r *runner) assign(args []string) (*given, error) {
	fail := func(format string, args ...any) (*given, error) {
		return nil, &codedError{exitUsage, fmt.Errorf(format, args...)}
	}
	inputs := r.session.Inputs()
	g := &given{named: make(map[int][]string), varied: -1}
	var others []string
	streams := 0
	for _, a := range args {
		name, file, ok := strings.Cut(a, "=")
		i := slices.IndexFunc(inputs, func(p engine.Port) bool { return p.Name == name })
		switch {
		case ok && i >= 0 && g.named[i] != nil:
			return fail("%s: a file is given for the input %s already; several are a folder, or a pattern such as %s='*.npy'", a, name, name)
		case ok && i >= 0:
			files, several, err := standsFor(file, r.takes(i))
			if err != nil {
				return nil, err
			}
			g.named[i] = files
			if several && g.varied >= 0 {
				return fail("%s: it may stand for several files, and so may what is given for %s; only one input can vary", a, inputs[g.varied].Name)
			}
			if several {
				g.varied = i
			}
		case ok && !exists(a) && !isPattern(a):
			return fail("%s: the model has no input %q; it has %s", a, name, portNames(inputs))
		default:
			others = append(others, a)
		}
		if a == stdinArg || ok && i >= 0 && file == stdinArg {
			streams++
		}
	}
	if streams > 1 {
		return fail("standard input can be read once; %d inputs are to be read from it", streams)
	}
	takes := r.takesPlain(g)
	for _, a := range others {
		files, _, err := standsFor(a, takes)
		if err != nil {
			return nil, err
		}
		g.plain = append(g.plain, files...)
	}
	return g, nil
}

// takes returns the forms of files that an input can be made from, its own first.
func (r *runner) takes(i int) []fileForm {
	takes := []fileForm{arrayForm, archiveForm, rawForm}
	if own := mediaForm(r.manifest.Input(r.session.Inputs()[i].Name)); own != "" {
		takes = slices.Insert(takes, 0, own)
	}
	return takes
}

// takesPlain returns the forms of files whose input is not named: those of the only one that is open, or archives with all of them.
func (r *runner) takesPlain(g *given) []fileForm {
	open := -1
	for i, p := range r.session.Inputs() {
		if _, ok := g.named[i]; ok || !r.needsFile(p) {
			continue
		}
		if open >= 0 {
			return []fileForm{archiveForm}
		}
		open = i
	}
	if open < 0 {
		return []fileForm{archiveForm}
	}
	return r.takes(open)
}

// isArchive reports whether a file has arrays for inputs by their names.
func (r *runner) isArchive(file string) bool {
	if file == stdinArg {
		return r.stdin().form(nil) == archiveForm
	}
	return formOf(file, nil) == archiveForm
}

// each makes a job of every file of an input, or of every archive if there is no such input.
func (r *runner) each(g *given, input int, files []string) []*job {
	jobs := make([]*job, len(files))
	for k, file := range files {
		j := g.job()
		j.source = file
		if input < 0 {
			j.archive = file
		} else {
			j.files[input] = file
		}
		jobs[k] = j
	}
	return jobs
}

// job returns a job with the files that are named.
func (g *given) job() *job {
	j := &job{files: make(map[int]string, len(g.named)+1)}
	for i, files := range g.named {
		j.files[i] = files[0]
	}
	return j
}

// archive reads the arrays of an .npz that are for inputs.
func (r *runner) archive(file string, inputs []engine.Port) (map[string]*tensor.Tensor, error) {
	if file != stdinArg {
		return readNPZ(file, inputs)
	}
	a, err := r.stdin().npz()
	if err != nil {
		return nil, err
	}
	out, err := arraysFor(inputs, a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdinName, err)
	}
	return out, nil
}

// stdin returns standard input, which is the same for all that read it.
func (r *runner) stdin() *stream {
	if r.piped == nil {
		r.piped = newStream(r.in)
	}
	return r.piped
}
