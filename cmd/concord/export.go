package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn/export"
)

// exportFlags are the flags of the export command.
type exportFlags struct {
	modelFlags
	webnn, force bool
	dir, name    string
}

func newExport() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export --webnn MODEL",
		Short: "Write a model as code for a page",
		Long: `Write the model MODEL as JavaScript that builds it with WebNN. Three files are made in the folder
that -o gives, with the name of the model or that of --name:

  NAME.js    an ES module; its functions loadWeights and buildGraph make the graph on a page
  NAME.bin   the contents of all constants
  NAME.json  the same calls as a session, which Concord reads as a model

A model with operators that WebNN cannot express is refused, with a list of all of them. A note
says where results may differ a little, as an operator is expressed by others. Shapes that MODEL
leaves open are given by --shape. A CVM model is written by the strict rules.

Existing files are only replaced with --force.`,
		Example: `  concord export --webnn model.nnef
  concord export --webnn model.nnef.tgz -o site/models --name detector
  concord run site/models/detector.json picture.png --manifest model.concord.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !f.webnn {
				return &codedError{exitUsage, errors.New("it must be said what is written: --webnn")}
			}
			return f.export(args[0], c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fl := c.Flags()
	f.register(fl)
	fl.BoolVar(&f.webnn, "webnn", false, "write an ES module that builds the model with WebNN")
	fl.StringVarP(&f.dir, "output", "o", ".", "the `folder` for the files; it is made if it is missing")
	fl.StringVar(&f.name, "name", "", "the `name` of the files, without an ending")
	fl.BoolVar(&f.force, "force", false, "replace files that exist")
	return c
}

// exportName returns the name of a model's files: that of the model without its endings.
func exportName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := filepath.Base(path)
	for cut := true; cut; {
		cut = false
		for _, ending := range []string{".nnef", ".tgz", ".gz", ".tar", ".json"} {
			if short, ok := strings.CutSuffix(name, ending); ok && short != "" {
				name, cut = short, true
			}
		}
	}
	return name
}

func (f *exportFlags) export(path string, out, notes io.Writer) error {
	name := f.name
	if name == "" {
		name = exportName(path)
	}
	if name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsAny(name, `\:`) {
		return &codedError{exitUsage, fmt.Errorf(`--name %q: it must be the name of a file, without a folder and without : and \`, name)}
	}
	var targets [3]string
	for i, ending := range []string{".js", ".bin", ".json"} {
		targets[i] = filepath.Join(f.dir, name+ending)
		if err := replaceable(targets[i], f.force); err != nil {
			return err
		}
	}
	m, opts, err := f.load(path)
	if err != nil {
		return exportRefusal(err, path)
	}
	defer m.Close()
	g, err := graph.Specialize(m.Graph(), op.Rules, opts.Shapes)
	if err != nil {
		return err
	}
	model, err := export.New(g, export.Options{Expand: nnef.ExpandBody})
	if err != nil && m.CVM() != nil { // WebNN has no int16, which the formal network does without
		model, err = exportFormal(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	files, err := model.Files(name + ".bin")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	contents := [3][]byte{files.JavaScript, files.Weights, files.Session}
	if err := writeAll(targets[:], contents[:]); err != nil {
		return err
	}
	writeApproximations(notes, path, model.Approximations)
	for i, target := range targets {
		if _, err := fmt.Fprintf(out, "written: %s (%s)\n", target, size(int64(len(contents[i])))); err != nil {
			return err
		}
	}
	return nil
}

// exportRefusal adds to the refusal of a model why only the strict rules of CVM are followed.
func exportRefusal(err error, path string) error {
	if !isCVM(path) {
		return err
	}
	f, unread := readCVM(path)
	if unread != nil {
		return err
	}
	return strictOnly(err, f, "concord export follows the strict rules: WebNN has no storages that tensors share, and leaves open what an int32 that overflows becomes")
}

// exportFormal expresses the formal network of a CVM model.
func exportFormal(path string) (*export.Model, error) {
	f, err := cvm.Read(path)
	if err != nil {
		return nil, err
	}
	g, err := cvm.Formal(f)
	if err != nil {
		return nil, err
	}
	return export.New(g, export.Options{Expand: nnef.ExpandBody})
}

// replaceable finds whether a file may be written.
func replaceable(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !force:
		return &codedError{exitUsage, fmt.Errorf("%s: it exists; --force replaces it", path)}
	case !info.Mode().IsRegular():
		return &codedError{exitUsage, fmt.Errorf("%s: it is no file and is not replaced", path)}
	}
	return nil
}

// writeAll writes files that belong together: all of them are complete before the first one takes its place.
func writeAll(targets []string, contents [][]byte) error {
	dir := filepath.Dir(targets[0])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(dir, ".exporting-")
	if err != nil {
		return fmt.Errorf("%s: nothing can be written there: %w", dir, err)
	}
	defer os.RemoveAll(stage)
	for i, target := range targets {
		if err := os.WriteFile(filepath.Join(stage, filepath.Base(target)), contents[i], 0o644); err != nil {
			return err
		}
	}
	for _, target := range targets {
		if err := os.Rename(filepath.Join(stage, filepath.Base(target)), target); err != nil {
			return err
		}
	}
	return nil
}

// writeApproximations says which nodes are not expressed to the bit.
func writeApproximations(w io.Writer, path string, list []export.Approximation) {
	if len(list) == 0 {
		return
	}
	const most = 5
	fmt.Fprintf(w, "%s: results may differ in the last digits, as operators are expressed by others, %d:\n", path, len(list))
	for i, a := range list {
		if i == most {
			fmt.Fprintf(w, "  and %d more\n", len(list)-most)
			break
		}
		label := ""
		if a.Label != "" {
			label = fmt.Sprintf(" [%s]", escape.Text(a.Label))
		}
		fmt.Fprintf(w, "  %s%s (value %s): within %g\n", a.Op, label, escape.Text(a.Value), a.Tolerance)
	}
}
