package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/migrate"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

func newMigrate() *cobra.Command {
	m := migrating{}
	var model modelFlags
	c := &cobra.Command{
		Use:   "migrate SRC",
		Short: "Turn a provisional NNEF model into one of the final standard",
		Long: `Turn SRC, a document, folder or archive of the provisional dialect of NNEF 1.0, into one of the
final dialect; "-" is a document on standard input. Comments stay. What is more than another way
of writing the same is listed on the standard error, each with its place.

Without -o the new document is printed. With -o a model is written whole: the document, tensor
files with headers of NNEF 1.0, and graph.quant, which takes up the quantizations that the old
tensor files hold. DST is a document if SRC is one, and else a folder or, by its ending, an
archive.

The new document is checked like any other, and its results must have the shapes of the old
one. Nothing is written if there is an error. What exists is replaced only with --force.`,
		Example: `  concord migrate old.nnef > new.nnef
  concord migrate old/model -o new/model.nnef.tgz
  concord migrate old.nnef.tgz -o new --shape x=1,3,224,224
  concord migrate --check old.nnef`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			m.in, m.out, m.errs = c.InOrStdin(), document(c.OutOrStdout()), printed(c.ErrOrStderr())
			var err error
			if m.opts, err = model.options(); err != nil {
				return err
			}
			return m.run(args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&m.target, "output", "o", "", "write the model to `DST`")
	forceFlag(f, &m.force)
	f.BoolVar(&m.check, "check", false, "say what would change and write nothing")
	model.registerText(f)
	return c
}

// migrating is one run of the command.
type migrating struct {
	opts      nnef.Options
	in        io.Reader
	target    string
	check     bool
	force     bool
	out, errs io.Writer

	text      []byte                  // the new document
	variables map[string]*flat.Tensor // those of it, by the names of their files
	names     map[string]string       // identifiers that have other names now
}

func (m *migrating) run(src string) error {
	if m.target != "" && !m.check && !same(src, m.target) {
		if err := writable([]output{{path: m.target, folder: !container.IsArchive(m.target)}}, inputs{model: src}, m.force); err != nil {
			return err
		}
	}
	if err := m.document(src); err != nil {
		return err
	}
	alone := src == "-"
	if !alone {
		info, err := os.Stat(src)
		if err != nil {
			return err
		}
		alone = !info.IsDir() && !container.IsArchive(src)
	}
	var err error
	switch {
	case alone && m.check:
		_, err = fmt.Fprintf(printed(m.out), "%s: a new document\n", src)
	case m.target == "" && !m.check:
		_, err = m.out.Write(m.text)
	case alone:
		err = m.writeDocument()
	default:
		err = m.model(src)
	}
	return err
}

// document migrates the document of a model and checks the new one.
func (m *migrating) document(src string) error {
	f, err := openArgument(src, m.in, m.opts)
	if err != nil {
		return err
	}
	defer f.Close()
	found := f.Check()
	if err := found.Err(); err != nil {
		return err
	}
	before, err := f.Flatten(flat.User)
	if err != nil {
		return err
	}
	shapes := make(map[string][]int)
	for name, shape := range m.opts.Shapes {
		shapes[name] = shape
	}
	doc, notes, err := migrate.Document(f.Document, before, shapes)
	if err != nil {
		return err
	}
	fmt.Fprint(m.errs, found.Render(), notes.Render())
	m.names = migrate.Names(f.Document)
	if m.text, err = syntax.Format(doc); err != nil {
		return err
	}
	return m.verify(before)
}

// verify checks the new document as any reader would, and the shapes of its results.
func (m *migrating) verify(before *flat.Graph) error {
	f, err := nnef.OpenText("the new document", m.text, nnef.Options{})
	if err != nil {
		return fmt.Errorf("the new document is wrong: %w", err)
	}
	if err := f.Check().Err(); err != nil {
		return fmt.Errorf("the new document is wrong: %w", err)
	}
	after, err := f.Flatten(flat.User)
	if err != nil {
		return fmt.Errorf("the new document is wrong: %w", err)
	}
	for i, t := range before.Outputs {
		if i < len(after.Outputs) && t.Known && after.Outputs[i].Known && !sameShape(t.Shape, after.Outputs[i].Shape) {
			return fmt.Errorf("the result %s has the shape %v; in the final dialect it would have %v", before.OutputNames[i],
				t.Shape, after.Outputs[i].Shape)
		}
	}
	m.variables = make(map[string]*flat.Tensor)
	for _, op := range after.Ops {
		if label, ok := op.Arg("label").(string); ok && op.Name() == "variable" {
			m.variables[flat.LabelFile(label)] = op.Outputs()[0]
		}
	}
	return nil
}

// sameShape compares shapes of which one may leave out trailing extents of 1.
func sameShape(a, b []int) bool {
	trim := func(s []int) []int {
		for len(s) > 0 && s[len(s)-1] == 1 {
			s = s[:len(s)-1]
		}
		return s
	}
	return slices.Equal(trim(a), trim(b))
}

// writeDocument writes the document alone.
func (m *migrating) writeDocument() error {
	if info, err := os.Stat(m.target); container.IsArchive(m.target) || err == nil && info.IsDir() {
		return refused("-o %s: the source is a document; to write a model, give its folder", m.target)
	}
	return stage.WriteData(m.target, m.text)
}

// writers write members of a model, by their names.
type writers map[string]func(io.Writer) error

// model writes all files of a model, or says which change.
func (m *migrating) model(src string) error {
	files, err := container.Open(src)
	if err != nil {
		return err
	}
	defer files.Close()
	changed := writers{container.GraphFile: stage.Content(m.text)}
	entries, err := m.tensors(files, changed)
	if err != nil {
		return err
	}
	if err := m.quantization(files, changed, entries); err != nil {
		return err
	}
	if m.check {
		for _, name := range naming.Sorted(changed) {
			fmt.Fprintf(printed(m.out), "%s: %s is written anew\n", src, name)
		}
		return nil
	}
	if same(src, m.target) {
		return refused("-o %s: it is the source; give another place", m.target)
	}
	return container.Write(m.target, func(yield func(string, func(io.Writer) error) bool) {
		seen := make(map[string]bool)
		for name, write := range files.Members() {
			if f := changed[name]; f != nil {
				write = f
			}
			seen[name] = true
			if !yield(name, write) {
				return
			}
		}
		if f := changed[container.QuantFile]; f != nil && !seen[container.QuantFile] {
			yield(container.QuantFile, f)
		}
	})
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// tensors finds the tensor files that get another header: those with provisional ones, and those whose shapes differ from
// their variables' in extents of 1 at the end, which count in the final dialect. It returns the quantizations that they
// hold, as entries of a quantization file by the identifiers of their variables.
func (m *migrating) tensors(files *container.Container, changed writers) (map[string]string, error) {
	entries := make(map[string]string)
	for name := range files.Members() {
		base, _, _ := strings.Cut(name, container.DataExt+".")
		if strings.TrimSuffix(name, container.DataExt) == name && base == name {
			continue
		}
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		file, err := tensorfile.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		variable := m.variables[strings.TrimSuffix(base, container.DataExt)+container.DataExt]
		old := file.Provisional
		if variable != nil && !slices.Equal(file.Shape, variable.Shape) && sameShape(file.Shape, variable.Shape) {
			file.Shape, old = variable.Shape, true
		}
		if !old {
			continue
		}
		changed[name] = file.Write
		if file.Quantization == "" {
			continue
		}
		if _, err := quant.ReadString(name, file.Quantization); err != nil {
			return nil, err
		}
		if variable == nil {
			fmt.Fprintf(m.errs, "%s: no variable has this file, so that its quantization is lost: %s\n", name, file.Quantization)
			continue
		}
		fmt.Fprintf(m.errs, "%s: its quantization becomes an entry of %s for %s\n", name, container.QuantFile, variable.Name)
		entries[variable.Name] = file.Quantization
	}
	return entries, nil
}

// quantization makes the new quantization file, if the old one changes or tensor files hold entries.
func (m *migrating) quantization(files *container.Container, changed writers, entries map[string]string) error {
	old, err := files.ReadFile(container.QuantFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", container.QuantFile, err)
	}
	read, err := syntax.ParseQuant(container.QuantFile, old, syntax.Provisional, syntax.Options{})
	if err != nil {
		return err
	}
	q := migrate.Quantization(read, m.names)
	given := make(map[string]bool)
	for _, e := range q.Entries {
		given[e.Tensor.Value] = true
	}
	for _, id := range naming.Sorted(entries) {
		if given[id] {
			continue
		}
		text := "'" + id + "': " + strings.TrimRight(entries[id], "; ") + ";"
		more, err := syntax.ParseQuant(id, []byte(text), syntax.Provisional, syntax.Options{})
		if err != nil {
			return err
		}
		q.Entries = append(q.Entries, more.Entries...)
	}
	text, err := syntax.FormatQuant(q)
	if err == nil && !bytes.Equal(text, old) {
		changed[container.QuantFile] = stage.Content(text)
	}
	return err
}
