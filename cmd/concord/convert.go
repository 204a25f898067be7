package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

// convertFlags are the flags of the convert command.
type convertFlags struct {
	modelFlags
	flatten, canonical, force bool
	external                  bool // of ONNX
	to                        string
}

func newConvert() *cobra.Command {
	var f convertFlags
	c := &cobra.Command{
		Use:   "convert SRC DST",
		Short: "Write a model as NNEF, a folder or an archive, as ONNX, or as a CVM model",
		Long: `Read the model SRC and write it as the NNEF model DST: as an archive if DST ends in .tar, .tgz or
.tar.gz, such as model.nnef.tgz, and else as a folder, such as model.nnef. SRC is checked first,
with its data.

A model that is NNEF already keeps its text and its tensor files byte for byte; files that are no
part of a model are left out. --flatten writes the document without fragments and expressions.
--canonical writes the graph that Concord runs anew, document and tensor files. Other formats are
always written so. Neither changes the dialect: "concord migrate" does.

--to cvm writes a CVM model in place of NNEF: a folder with graph.json and params.bin. A CVM model that
was converted to NNEF becomes the same model again; other models may have the operators on integers that
CVM can express, and are refused with a list of the nodes that have not. CVM models are read and
written by the strict rules, without --compat.

A DST that ends in .onnx becomes an ONNX model, of which the graph is that of SRC for the shapes of
--shape: read again it gives the same bits. Operators that ONNX has not become functions of it. Models
with states, or whose shapes depend on data, are refused.

The manifest of SRC, wherever "concord run" finds it, becomes that of DST: concord.json among its files,
or DST.concord.json beside an ONNX model. Names of inputs and outputs in it follow the model's.

DST is complete when it appears, and equal models give equal bytes. --force replaces a model
that is there.`,
		Example: `  concord convert model.nnef model.nnef.tgz
  concord convert model.nnef.tgz unpacked.nnef
  concord convert graph.nnef packed.nnef.tar --flatten
  concord convert model.nnef.tgz model.nnef.tgz --canonical --force
  concord convert model.nnef model.onnx
  concord convert model.onnx model.nnef --shape batch=1
  concord convert cvm cvm.nnef
  concord convert cvm.nnef cvm --to cvm`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			endAtOnce()
			bar := showProgress(c, "converting "+args[0])
			defer bar.clear()
			if writesONNX(args[1]) {
				if c.Flags().Changed("to") {
					return refused("--to does not go with a DST that ends in .onnx")
				}
				return f.convertONNX(args[0], args[1], printed(c.OutOrStdout()), printed(c.ErrOrStderr()))
			}
			if f.external {
				return refused("--external is for a DST that ends in .onnx")
			}
			return f.convert(args[0], args[1], bar, printed(c.OutOrStdout()), printed(c.ErrOrStderr()))
		},
	}
	fl := c.Flags()
	f.register(fl)
	fl.BoolVar(&f.flatten, "flatten", false, "write the document without fragments and expressions")
	fl.BoolVar(&f.canonical, "canonical", false, "write document and tensor files anew from the graph")
	fl.StringVar(&f.to, "to", "nnef", "what is written: nnef or cvm")
	fl.BoolVar(&f.force, "force", false, "replace DST if it is a model")
	fl.BoolVar(&f.external, "external", false, "ONNX: write large constants to DST.data, as models of more than 2 GiB must")
	return c
}

// form is a way to write a model.
type form struct {
	name    string
	folder  bool
	matches func(dst string) bool
	only    func(dir string) error // finds whether a folder holds nothing but such a model, so that it may be replaced
}

// forms are tried in order.
var forms = []form{
	{"archive", false, container.IsArchive, nil},
	{"folder", true, func(dst string) bool {
		end := strings.ToLower(filepath.Ext(dst))
		info, err := os.Stat(dst)
		return end == "" || end == ".nnef" || strings.HasSuffix(dst, "/") || err == nil && info.IsDir()
	}, onlyModel},
}

func (f *convertFlags) findForm(dst string) (*form, error) {
	if err := f.checkTo(dst); err != nil {
		return nil, err
	}
	if f.to == "cvm" {
		return &cvmForm, nil
	}
	for i := range forms {
		if forms[i].matches(dst) {
			return &forms[i], nil
		}
	}
	return nil, refused("%s: models are not written with the ending %s; it must be .nnef.tgz, .tgz, .tar.gz, "+
		".nnef.tar or .tar for an archive, .nnef or none for a folder, and .onnx for ONNX", dst, filepath.Ext(dst))
}

func (f *convertFlags) convert(src, dst string, bar *progress, out, warnings io.Writer) error {
	form, err := f.findForm(dst)
	if err != nil {
		return err
	}
	if err := form.free(dst, inputs{}, f.force); err != nil { // a model may take its own place
		return err
	}
	if _, err := os.Stat(src); err != nil {
		return err
	}
	parent := filepath.Dir(filepath.Clean(dst))
	s, err := stage.New(parent)
	if err != nil {
		return fmt.Errorf("%s: nothing can be written there: %w", dst, err)
	}
	defer s.Close()
	m, err := f.open(src, warnings)
	if err != nil {
		return s.Placed(err, dst)
	}
	defer m.close()
	if f.to != "cvm" { // which has other names
		if m.files, err = f.withManifest(m.files, src, m.ports); err != nil {
			return err
		}
	}
	target := s.Path("new" + archiveEnding(form, dst))
	var count counter
	if err := container.Write(target, count.files(m.files, bar.seen())); err != nil {
		return s.Placed(fmt.Errorf("%s: %w", dst, err), dst)
	}
	if err := s.Commit(func() error { return form.install(target, dst, s.Path(stage.Old)) }); err != nil {
		return s.Placed(err, dst)
	}
	return note(out, "written: %s (%s, %s)\n", dst, form.name, count.String())
}

// archiveEnding returns the ending that makes package container write the same kind of file.
func archiveEnding(f *form, dst string) string {
	switch {
	case f.folder:
		return ""
	case strings.HasSuffix(strings.ToLower(dst), ".tar"):
		return ".tar"
	}
	return ".tgz"
}

// counter counts the files of a model.
type counter struct {
	count int
	bytes int64
}

// files passes members on and counts them. It tells the share of their bytes that has been written, if somebody wants to know, for which all are
// counted first.
func (c *counter) files(all container.Members, share func(float64)) container.Members {
	return func(yield func(string, func(io.Writer) error) bool) {
		var of int64
		if share != nil {
			for _, write := range all {
				_ = write(portions{io.Discard, func(n int) { of += int64(n) }}) // an error comes again
			}
		}
		for name, write := range all {
			var own int64 // bytes of it that are counted
			c.count++
			ok := yield(name, func(w io.Writer) error {
				c.bytes -= own // archives ask for each file twice
				own = 0
				return write(portions{w, func(n int) {
					own += int64(n)
					c.bytes += int64(n)
					if share != nil {
						share(float64(c.bytes) / float64(of))
					}
				}})
			})
			if !ok {
				return
			}
		}
	}
}

// portions is a writer that passes a mebibyte on at a time and tells how many bytes were written.
type portions struct {
	to    io.Writer
	wrote func(n int)
}

// Write implements [io.Writer].
func (w portions) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := w.to.Write(p[done:min(len(p), done+1<<20)])
		done += n
		w.wrote(n)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func (c *counter) String() string {
	if c.count == 1 {
		return "1 file, " + size(c.bytes)
	}
	return fmt.Sprintf("%d files, %s", c.count, size(c.bytes))
}

// free finds whether a model may be written at dst.
func (f *form) free(dst string, in inputs, force bool) error {
	if err := writable([]output{{path: dst, folder: true}}, in, force); err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Clean(dst))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && f.folder && isEmpty(dst):
		return nil
	case err != nil:
		return err
	case !info.IsDir() && !info.Mode().IsRegular():
		return refused("%s: it is neither a file nor a folder and is not replaced", dst)
	case f.folder != info.IsDir():
		return refused("%s: an archive does not replace a folder, nor a folder a file", dst)
	case !f.folder:
		return nil
	}
	return f.only(dst)
}

// onlyModel finds whether a folder holds nothing but a model, so that it may be replaced.
func onlyModel(dir string) error {
	c, err := container.Open(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	if foreign := withoutLabels(foreignFiles(c), dir); len(foreign) > 0 {
		return refused("%s: it is not replaced, as it holds files that are no part of a model: %s", dir, few(foreign))
	}
	names := c.Names()
	if len(names) > 0 && !slices.Contains(names, container.GraphFile) {
		return refused("%s: it is not replaced, as it is no model: it has no %s", dir, container.GraphFile)
	}
	return nil
}

// few lists the first names of many.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// install moves what was written to its place; what stood there goes to old, and back if that fails.
func (f *form) install(target, dst, old string) error {
	dst = filepath.Clean(dst)
	if !f.folder {
		return os.Rename(target, dst)
	}
	if stage.Exchange(target, dst) == nil {
		return nil
	}
	err := os.Rename(dst, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	if err = os.Rename(target, dst); err != nil && there {
		err = errors.Join(err, os.Rename(old, dst))
	}
	return err
}

// source is the model to write.
type source struct {
	files container.Members
	ports ports
	close func()
}

// open reads and checks a model.
func (f *convertFlags) open(src string, warnings io.Writer) (*source, error) {
	switch {
	case f.to == "cvm":
		return f.toCVM(src, warnings)
	case isCVM(src):
		return openCVM(src)
	}
	info, err := os.Stat(src)
	if err != nil {
		return nil, err
	}
	if !isNNEF(src) {
		m, g, err := f.graph(src)
		if err != nil {
			return nil, err
		}
		files, err := nnef.Files(g)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		return &source{files, portsOf(g), func() { m.Close() }}, nil
	}
	opts, err := f.document()
	if err != nil {
		return nil, err
	}
	file, err := nnef.Open(src, opts)
	if err != nil {
		return nil, err
	}
	found := file.Check()
	g, m, err := build(file, found)
	if err != nil {
		file.Close()
		return nil, err
	}
	if len(found) > 0 {
		fmt.Fprintf(warnings, "%s: there are warnings, %d; concord check shows them\n", src, len(found))
	}
	files, c, err := modelFiles(src, g)
	if err != nil {
		file.Close()
		return nil, err
	}
	if left := withoutLabels(foreignFiles(c), src); len(left) > 0 && (info.IsDir() || container.IsArchive(src)) {
		fmt.Fprintf(warnings, "%s: left out, as they are no part of the model: %s\n", src, few(left))
	}
	s := &source{files, portsOfText(g), func() { c.Close(); file.Close() }}
	if m != nil {
		s.ports = portsOf(m.Graph)
	}
	switch {
	case f.canonical && file.Document.Dialect == syntax.Provisional:
		err = fmt.Errorf("%s: the document is of the provisional dialect, which --canonical does not write; "+
			"concord migrate makes it one of the final dialect first", src)
	case f.canonical && m == nil:
		_, err = file.Model() // says why
	case f.canonical:
		s.files, err = m.Files()
	case f.flatten:
		var text bytes.Buffer
		if err = g.Write(&text); err == nil {
			s.files = withGraph(s.files, text.Bytes())
		}
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// build flattens a document that was checked and, where its graph can be built, checks its data. There is no model of
// documents that have custom operations or leave extents open.
func build(file *nnef.File, found syntax.Diagnostics) (*flat.Graph, *nnef.Model, error) {
	if err := found.Err(); err != nil {
		return nil, nil, err
	}
	g, err := file.Flatten(flat.User)
	if err != nil {
		return nil, nil, err
	}
	custom := slices.ContainsFunc(g.Ops, func(o *flat.Op) bool { return o.Custom })
	open := slices.ContainsFunc(g.Inputs, func(t *flat.Tensor) bool { return !t.Known })
	if custom || open {
		return g, nil, nil
	}
	m, err := file.Model()
	return g, m, err
}

// modelFiles opens the files of a model. A graph file becomes a model with the files beside it that it needs.
func modelFiles(src string, g *flat.Graph) (container.Members, *container.Container, error) {
	info, err := os.Stat(src)
	if err != nil {
		return nil, nil, err
	}
	text := ""
	if folder, base := filepath.Split(src); !info.IsDir() && !container.IsArchive(src) {
		src, text = filepath.Clean(folder), base
	}
	c, err := container.Open(src)
	if err != nil {
		return nil, nil, err
	}
	if text == "" || text == container.GraphFile {
		return c.Members(), c, nil
	}
	return needed(c, text, g), c, nil
}

// foreignFiles lists the files of a container that are no part of a model.
func foreignFiles(c *container.Container) []string {
	own := make(map[string]bool)
	for name := range c.Members() {
		own[name] = true
	}
	return slices.DeleteFunc(c.Names(), func(name string) bool { return own[name] })
}

// needed yields the document in a folder, as the graph, and the files that it needs.
func needed(c *container.Container, text string, g *flat.Graph) container.Members {
	files := map[string]string{container.GraphFile: text, container.QuantFile: container.QuantFile}
	for _, o := range g.Ops {
		if label, ok := o.Arg("label").(string); ok && o.Name() == "variable" {
			if _, name, err := c.ReadData(flat.LabelFile(label)); err == nil {
				files[name] = name
			}
		}
	}
	return func(yield func(string, func(io.Writer) error) bool) {
		for _, name := range naming.Sorted(files) {
			data, err := c.ReadFile(files[name])
			if errors.Is(err, fs.ErrNotExist) {
				continue // there is no quantization file
			}
			write := func(w io.Writer) error {
				if err == nil {
					_, err = w.Write(data)
				}
				return err
			}
			if !yield(name, write) {
				return
			}
		}
	}
}

// withGraph replaces the text of the graph.
func withGraph(files container.Members, text []byte) container.Members {
	return func(yield func(string, func(io.Writer) error) bool) {
		for name, write := range files {
			if name == container.GraphFile {
				write = stage.Content(text)
			}
			if !yield(name, write) {
				return
			}
		}
	}
}
