package feed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/engine"
)

// Given are the files of inputs as the arguments name them.
type Given struct {
	Named  map[int][]string // by the input; several for a folder or a pattern
	Varied int              // the input of which several files are named; -1 if there is none
	Others []string         // the arguments that name no input, in order
	Takes  []Form           // the forms of files that these may stand for, media first

	plain []string // the files that they stand for
}

// Jobs assigns files to inputs. With one input that takes a file, each file is a job of its own.
func (f *Feeder) Jobs(args []string) ([]*Job, error) {
	fail := func(format string, args ...any) ([]*Job, error) {
		return nil, &UsageError{fmt.Errorf(format, args...)}
	}
	inputs := f.Inputs
	g, err := f.Assign(args)
	if err != nil {
		return nil, err
	}
	for _, a := range g.Others {
		files, _, err := StandsFor(a, g.Takes)
		if err != nil {
			return nil, err
		}
		g.plain = append(g.plain, files...)
	}
	open := f.Wanting(g)
	archive := len(g.plain) > 0 && !slices.ContainsFunc(g.plain, func(file string) bool { return !f.isArchive(file) })
	switch {
	case g.Varied >= 0 && (len(g.plain) > 0 || len(open) > 0):
		return fail("%s: several files are given for it; then every other input needs NAME=FILE", inputs[g.Varied].Name)
	case g.Varied >= 0:
		return f.each(g, g.Varied, g.Named[g.Varied]), nil
	case archive:
		return f.each(g, -1, g.plain), nil
	case len(open) == 1 && len(g.plain) > 0:
		return f.each(g, open[0], g.plain), nil
	case len(open) != len(g.plain):
		return fail("the model needs a file for each of: %s; %d are given", f.names(open), len(g.plain))
	}
	for k, i := range open {
		g.Named[i] = g.plain[k : k+1]
	}
	j := g.Job()
	for i := range inputs {
		if f := j.Files[i]; f != "" && j.Source == "" {
			j.Source = f
		}
	}
	return []*Job{j}, nil
}

// Wanting returns the inputs that need a file and have none by their names.
func (f *Feeder) Wanting(g *Given) []int {
	var open []int
	for i, p := range f.Inputs {
		if _, ok := g.Named[i]; !ok && f.NeedsFile(p) {
			open = append(open, i)
		}
	}
	return open
}

func (f *Feeder) names(inputs []int) string {
	ports := make([]engine.Port, len(inputs))
	for k, i := range inputs {
		ports[k] = f.Inputs[i]
	}
	return portNames(ports)
}

// Assign finds out which input an argument is for.
func (f *Feeder) Assign(args []string) (*Given, error) {
	fail := func(format string, args ...any) (*Given, error) {
		return nil, &UsageError{fmt.Errorf(format, args...)}
	}
	inputs := f.Inputs
	g := &Given{Named: make(map[int][]string), Varied: -1}
	names := make([]string, len(inputs))
	for i, p := range inputs {
		names[i] = p.Name
	}
	streams := 0
	for _, a := range args {
		i, name, file, ok := named(a, names)
		switch {
		case ok && i >= 0 && file == "":
			return fail("%s: the name of the file is empty", a)
		case ok && i >= 0 && g.Named[i] != nil:
			return fail("%s: a file is given for the input %s already; several are a folder, or a pattern such as %s='*.npy'", a, name, name)
		case ok && i >= 0:
			files, several, err := StandsFor(file, f.takes(i))
			if err != nil {
				return nil, err
			}
			g.Named[i] = files
			if several && g.Varied >= 0 {
				return fail("%s: it may stand for several files, and so may what is given for %s; only one input can vary", a, inputs[g.Varied].Name)
			}
			if several {
				g.Varied = i
			}
		case ok && !exists(a) && !isPattern(a):
			return fail("%s: the model has no input %q; it has %s", a, name, portNames(inputs))
		default:
			g.Others = append(g.Others, a)
		}
		if a == Stdin || ok && i >= 0 && file == Stdin {
			streams++
		}
	}
	if streams > 1 {
		return fail("standard input can be read once; %d inputs are to be read from it", streams)
	}
	g.Takes = f.takesPlain(g)
	return g, nil
}

// named divides NAME=FILE: behind the longest name of an input that the argument begins with, or else, with -1 for the input, at the first "=". Names may have
// that, too.
func named(arg string, inputs []string) (i int, name, file string, ok bool) {
	name, file, ok = strings.Cut(arg, "=")
	i = -1
	for k, own := range inputs {
		if rest, begins := strings.CutPrefix(arg, own+"="); begins && (i < 0 || len(own) > len(name)) {
			i, name, file = k, own, rest
		}
	}
	return i, name, file, ok
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
func (f *Feeder) takesPlain(g *Given) []Form {
	if open := f.Wanting(g); len(open) == 1 {
		return f.takes(open[0])
	}
	return []Form{Archive}
}

// isArchive reports whether a file has arrays for inputs by their names.
func (f *Feeder) isArchive(file string) bool {
	return f.formOf(file, nil) == Archive
}

// each makes a job of every file of an input, or of every archive if there is no such input.
func (f *Feeder) each(g *Given, input int, files []string) []*Job {
	jobs := make([]*Job, len(files))
	for k, file := range files {
		j := g.Job()
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

// Job returns a job with the files that are named, the first ones of several.
func (g *Given) Job() *Job {
	j := &Job{Files: make(map[int]string, len(g.Named)+1)}
	for i, files := range g.Named {
		j.Files[i] = files[0]
	}
	return j
}
