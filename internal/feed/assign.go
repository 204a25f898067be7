package feed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
)

// given are the files of inputs as the arguments name them.
type given struct {
	named  map[int][]string // by the input; several for a folder or a pattern
	plain  []string         // the others, in order
	varied int              // the input of which several files are named; -1 if there is none
}

// Jobs assigns files to inputs. With one input that takes a file, each file is a job of its own.
func (f *Feeder) Jobs(args []string) ([]*Job, error) {
	fail := func(format string, args ...any) ([]*Job, error) {
		return nil, &UsageError{fmt.Errorf(format, args...)}
	}
	inputs := f.Inputs
	g, err := f.assign(args)
	if err != nil {
		return nil, err
	}
	var open []int // inputs that still need a file
	var wanting []engine.Port
	for i, p := range inputs {
		if _, ok := g.named[i]; !ok && f.NeedsFile(p) {
			open, wanting = append(open, i), append(wanting, p)
		}
	}
	archive := len(g.plain) > 0 && !slices.ContainsFunc(g.plain, func(file string) bool { return !f.isArchive(file) })
	switch {
	case g.varied >= 0 && (len(g.plain) > 0 || len(open) > 0):
		return fail("%s: several files are given for it; then every other input needs NAME=FILE", inputs[g.varied].Name)
	case g.varied >= 0:
		return f.each(g, g.varied, g.named[g.varied]), nil
	case archive:
		return f.each(g, -1, g.plain), nil
	case len(open) == 1 && len(g.plain) > 0:
		return f.each(g, open[0], g.plain), nil
	case len(open) != len(g.plain):
		return fail("the model needs a file for each of: %s; %d are given", portNames(wanting), len(g.plain))
	}
	for k, i := range open {
		g.named[i] = g.plain[k : k+1]
	}
	j := g.job()
	for i := range inputs {
		if f := j.Files[i]; f != "" && j.Source == "" {
			j.Source = f
		}
	}
	return []*Job{j}, nil
}

// assign finds out which input an argument is for, and which files it stands for.
func (f *Feeder) assign(args []string) (*given, error) {
	fail := func(format string, args ...any) (*given, error) {
		return nil, &UsageError{fmt.Errorf(format, args...)}
	}
	inputs := f.Inputs
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
			files, several, err := StandsFor(file, f.takes(i))
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
		if a == Stdin || ok && i >= 0 && file == Stdin {
			streams++
		}
	}
	if streams > 1 {
		return fail("standard input can be read once; %d inputs are to be read from it", streams)
	}
	takes := f.takesPlain(g)
	for _, a := range others {
		files, _, err := StandsFor(a, takes)
		if err != nil {
			return nil, err
		}
		g.plain = append(g.plain, files...)
	}
	return g, nil
}

// takes returns the forms of files that an input can be made from, its own first.
func (f *Feeder) takes(i int) []Form {
	takes := []Form{Array, Archive, Raw}
	if own := MediaForm(f.Manifest.Input(f.Inputs[i].Name)); own != "" {
		takes = slices.Insert(takes, 0, own)
	}
	return takes
}

// takesPlain returns the forms of files whose input is not named: those of the only one that is open, or archives with all of them.
func (f *Feeder) takesPlain(g *given) []Form {
	open := -1
	for i, p := range f.Inputs {
		if _, ok := g.named[i]; ok || !f.NeedsFile(p) {
			continue
		}
		if open >= 0 {
			return []Form{Archive}
		}
		open = i
	}
	if open < 0 {
		return []Form{Archive}
	}
	return f.takes(open)
}

// isArchive reports whether a file has arrays for inputs by their names.
func (f *Feeder) isArchive(file string) bool {
	return f.formOf(file, nil) == Archive
}

// each makes a job of every file of an input, or of every archive if there is no such input.
func (f *Feeder) each(g *given, input int, files []string) []*Job {
	jobs := make([]*Job, len(files))
	for k, file := range files {
		j := g.job()
		j.Source = file
		if input < 0 {
			j.Archive = file
		} else {
			j.Files[input] = file
		}
		jobs[k] = j
	}
	return jobs
}

// job returns a job with the files that are named.
func (g *given) job() *Job {
	j := &Job{Files: make(map[int]string, len(g.named)+1)}
	for i, files := range g.named {
		j.Files[i] = files[0]
	}
	return j
}
