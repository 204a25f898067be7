package main

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
)

// The manifest of a model goes with it when it is written in another form.

// manifestOf returns the manifest of a model: the file that is named, or the one that is found. Inputs that --set makes constants do not count; what they are
// is said by the flag. One with mistakes is returned with them.
func (f *modelFlags) manifestOf(path, named string) (m *manifest.Manifest, err error) {
	if named != "" {
		m, err = manifest.Open(named)
	} else {
		m, err = manifest.Find(path)
	}
	if m != nil {
		m.Inputs = slices.DeleteFunc(m.Inputs, func(in manifest.Input) bool {
			return slices.ContainsFunc(f.fixed, func(s string) bool { name, _ := setting(s); return name == in.Name })
		})
	}
	return m, err
}

// ports are the inputs and outputs of a model that is written.
type ports struct{ inputs, outputs []manifest.Type }

// portsOf returns those of a graph.
func portsOf(g *graph.Graph) (p ports) {
	for _, v := range g.Inputs {
		p.inputs = append(p.inputs, manifest.Type{Name: v.Name, DType: v.Type.DType, Shape: v.Type.Shape})
	}
	for _, o := range g.Outputs {
		p.outputs = append(p.outputs, manifest.Type{Name: o.Name, DType: o.Value.Type.DType, Shape: o.Value.Type.Shape})
	}
	return p
}

// portsOfText returns those of a document that may leave types open: only the names are known.
func portsOfText(g *flat.Graph) (p ports) {
	for _, t := range g.Inputs {
		p.inputs = append(p.inputs, manifest.Type{Name: t.Name})
	}
	for _, t := range g.Outputs {
		p.outputs = append(p.outputs, manifest.Type{Name: t.Name})
	}
	return p
}

// carried is the manifest of the model that the model at src becomes, which fits it: nil if it has none, or one that is built in and does not fit, as nobody
// could mend that one.
func (f *modelFlags) carried(src string, p ports) (*manifest.Manifest, error) {
	m, err := f.manifestOf(src, "")
	switch {
	case errors.As(err, new(*manifest.NotFoundError)):
		return nil, nil
	case err == nil, errors.As(err, new(manifest.Errors)): // which Check tells, and more
		if err = m.Check(p.inputs, p.outputs); err != nil && m.BuiltIn() {
			return nil, nil
		}
		return m, err
	}
	return nil, err
}

// withManifest adds the manifest of the model at src to the files of a model in a folder or an archive. What stood there as its manifest
// already stays byte for byte.
func (f *modelFlags) withManifest(files container.Members, src string, p ports) (container.Members, error) {
	m, err := f.carried(src, p)
	if m == nil || err != nil {
		return files, err
	}
	own := m.Source == filepath.Join(src, manifest.FileName) || m.Source == src+":"+manifest.FileName
	if own && len(labelFiles(m)) == 0 && slices.Contains(names(files), manifest.FileName) {
		return files, nil
	}
	return withFile(files, m)
}

// withFile adds a manifest to the files of a model, in place of the one that is there.
func withFile(files container.Members, m *manifest.Manifest) (container.Members, error) {
	text, err := m.Encode()
	if err != nil {
		return nil, err
	}
	return func(yield func(string, func(io.Writer) error) bool) {
		for name, write := range files {
			if name != manifest.FileName && !yield(name, write) {
				return
			}
		}
		yield(manifest.FileName, stage.Content(text))
	}, nil
}

// labelFiles lists the files beside a manifest in which names of classes stand.
func labelFiles(m *manifest.Manifest) []string {
	var list []string
	for _, o := range m.Outputs {
		switch k := o.Kind.(type) {
		case *manifest.Classes:
			list = append(list, k.File)
		case *manifest.Boxes:
			list = append(list, k.File)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}

// withoutLabels leaves out of a list of files those that become part of the manifest of the model at src.
func withoutLabels(files []string, src string) []string {
	m, err := manifest.Find(src)
	if err != nil {
		return files
	}
	labels := labelFiles(m)
	return slices.DeleteFunc(files, func(name string) bool { return slices.Contains(labels, name) })
}

func names(files container.Members) []string {
	var list []string
	for name := range files {
		list = append(list, name)
	}
	return list
}

// renamedCVM gives a manifest the names that inputs and outputs of a graph have in the CVM model that it has become.
func renamedCVM(m *manifest.Manifest, g *graph.Graph, files cvm.Files) (*manifest.Manifest, error) {
	became, err := cvm.Network(files, cvm.Options{})
	if err != nil {
		return nil, err
	}
	outputs := make(map[string]string)
	for i, o := range g.Outputs[:min(len(g.Outputs), len(became.Outputs))] {
		outputs[o.Name] = became.Outputs[i].Name
	}
	renamed := func(name string) string {
		if now, ok := outputs[name]; ok {
			return now
		}
		return name // which no output has, and Check says so
	}
	live := g.Reachable()
	return m.Renamed(func(name string) string {
		switch v := g.Input(name); {
		case v == nil:
			return name
		case len(g.Inputs) > 1 && !live[v]:
			return ""
		}
		return cvm.DataName
	}, renamed), nil
}

// besideManifest returns where and how the manifest of the model at src, whose inputs may be gone, is written for one in the file dst; no text if there is none.
func (f *modelFlags) besideManifest(src, dst string, force bool, p ports, gone func(input string) bool) (name string, text []byte, err error) {
	name = manifest.Beside(dst)
	m, err := f.carried(src, p)
	if m == nil || err != nil || m.Source == name {
		return name, nil, err
	}
	if err := writable(files(name), inputs{}, force); err != nil {
		return name, nil, err
	}
	m.Inputs = slices.DeleteFunc(m.Inputs, func(in manifest.Input) bool { return gone(in.Name) })
	text, err = m.Encode()
	return name, text, err
}

// isManifest reports whether a file of a model's folder is its manifest.
func isManifest(e fs.DirEntry) bool { return e.Name() == manifest.FileName }
