package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/pipeline/page"
)

// exportFlags are the flags of the export command.
type exportFlags struct {
	modelFlags
	webnn, openvx, wasm, force bool
	dir, name                  string
	elements                   string // of OpenVX: what floats become
	page                       string // of WebAssembly: the name of the page
	check                      bool   // whether what was written is compared with the model,
	in                         io.Reader
	network                    *export.Network // and what that is
}

func newExport() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export --webnn|--openvx|--wasm MODEL [INPUT…]",
		Short: "Write a model as code for a page, as WebAssembly, or as C on OpenVX",
		Long: `Write the model MODEL as code. The files are made in the folder that -o gives, with the name of
the model or that of --name.

With --webnn, JavaScript that builds the model with WebNN:

  NAME.js    an ES module; its functions loadWeights and buildGraph make the graph on a page
  NAME.bin   the contents of all constants
  NAME.json  the same calls as a session, which Concord reads as a model

The manifest of MODEL, if there is one, becomes that of the session, NAME.json.concord.json.

With --openvx, C that builds it as a graph of OpenVX, for any library that has the neural-network
extension:

  NAME.c     the tensors and nodes, a call a line
  NAME.h     the functions NAME_create and NAME_release, with the tensors of inputs and outputs
  NAME.bin   the weights

Floats become Q7.8, 16 bits of which 8 are fractional; notes say which weights that changes much.
With --type float32 they stay what they are, for libraries that have such layers, as Concord's.
Integers of 8 and 16 bits are never changed. --check runs what was written beside the model, on
each INPUT as concord run does, or on random ones, and prints how far the outputs differ.

With --wasm, code that runs it, without Concord, on a page, in a worker or in Node:

  NAME.js            an ES module: load() gives a model, whose run takes and yields typed arrays
  NAME.d.ts          its types
  NAME.bin           the weights
  NAME.wasm          the model as a WebAssembly module, for engines whose relaxed SIMD is fused
  NAME.exact.wasm    for all others; both yield the bits that concord run does
  NAME.threads.wasm, NAME.exact.threads.wasm
                     the same for several threads, unless nothing of the model is worth dividing
  index.html         a page that shows what the model says of a picture or a sound, if MODEL has a
                     manifest, and else runs it on numbers; --page names it otherwise
  NAME.media.js, NAME.media.d.ts, NAME.image.wasm, NAME.output1.wasm, …
                     how it prepares pictures and sounds, and reads outputs

A model that cannot be expressed is refused, with a list of all operators that it concerns. A note
says where results may differ a little, as an operator is expressed by others. Shapes that MODEL
leaves open are given by --shape. A CVM model is written by the strict rules.

Existing files are only replaced with --force.`,
		Example: `  concord export --webnn model.nnef
  concord export --webnn model.nnef.tgz -o site/models --name detector
  concord run site/models/detector.json picture.png
  concord export --wasm model.onnx -o site
  concord export --openvx model.nnef -o network
  concord export --openvx model.nnef -o network --force --check pictures/*.png`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.usable(args); err != nil {
				return &codedError{exitUsage, err}
			}
			f.in = c.InOrStdin()
			endAtOnce()
			defer showProgress(c, "exporting "+args[0]).clear()
			return f.export(c.Context(), args, printed(c.OutOrStdout()), printed(c.ErrOrStderr()))
		},
	}
	fl := c.Flags()
	f.register(fl)
	fl.BoolVar(&f.webnn, "webnn", false, "write an ES module that builds the model with WebNN")
	fl.BoolVar(&f.openvx, "openvx", false, "write C that builds the model with OpenVX")
	fl.BoolVar(&f.wasm, "wasm", false, "write WebAssembly modules that run the model, and their loader")
	fl.StringVar(&f.elements, "type", "q78", "OpenVX: what floats become, q78 or float32")
	fl.StringVar(&f.page, "page", page.Index, "WebAssembly: the `name` of the page; empty for none")
	fl.BoolVar(&f.check, "check", false, "OpenVX: compare what was written with the model")
	fl.StringVarP(&f.dir, "output", "o", ".", "the `folder` for the files; it is made if it is missing")
	fl.StringVar(&f.name, "name", "", "the `name` of the files, without an ending")
	forceFlag(fl, &f.force)
	return c
}

// usable finds flags that do not go together.
func (f *exportFlags) usable(args []string) error {
	switch {
	case truth(f.webnn)+truth(f.openvx)+truth(f.wasm) == 0:
		return errors.New("it must be said what is written: --webnn, --openvx or --wasm")
	case truth(f.webnn)+truth(f.openvx)+truth(f.wasm) > 1:
		return errors.New("--webnn, --openvx and --wasm exclude each other: give one, and export again for another")
	case f.dir == stdinArg:
		return notWritten()
	case f.elements != "q78" && f.elements != "float32":
		return fmt.Errorf("--type %s: it must be q78 or float32", f.elements)
	case f.page != "" && (f.page != filepath.Base(f.page) || !strings.HasSuffix(f.page, ".html")):
		return fmt.Errorf("--page %q: it must be the name of a file, without a folder, that ends in .html", f.page)
	case len(args) > 1 && !f.check:
		return fmt.Errorf("%d arguments are given; an INPUT goes with --check, the folder that is written into behind -o", len(args))
	}
	return nil
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// target is what a model can be written as.
type target struct {
	endings []string // of the files
	lacks   string   // what it does not have that the deployed rules of CVM need
	files   func(m *concord.Model, g *graph.Graph, e exported) ([]exportFile, error)
}

// exportFile is a file by its name, and what writes it.
type exportFile struct {
	name  string
	write func(io.Writer) error
}

// exported says what a target needs to know of an export.
type exported struct {
	*exportFlags
	path, base string // of the model, and the name of the files
	notes      io.Writer
}

// exportName returns the name of a model's files: that of the model without its endings.
func exportName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return manifest.ModelName(path)
}

func (f *exportFlags) export(ctx context.Context, args []string, out, notes io.Writer) error {
	path, name := args[0], f.name
	if name == "" {
		name = exportName(path)
	}
	if name != filepath.Base(name) || name == "." || name == ".." || strings.ContainsAny(name, `\:`) {
		return refused(`--name %q: it must be the name of a file, without a folder and without : and \`, name)
	}
	write := writeWebNN
	switch {
	case f.openvx:
		write = writeOpenVX
	case f.wasm:
		write = writeWASM
	}
	var targets []string
	for _, ending := range write.endings {
		targets = append(targets, filepath.Join(f.dir, name+ending))
	}
	if err := writable(files(targets...), arguments(args), f.force); err != nil {
		return err
	}
	m, g, err := f.graph(path)
	if err != nil {
		return exportRefusal(err, path, write.lacks)
	}
	defer m.Close()
	made, err := write.files(m, g, exported{f, path, name, notes})
	if err != nil {
		return err
	}
	targets = nil
	for _, file := range made {
		targets = append(targets, filepath.Join(f.dir, file.name))
	}
	if err := writable(files(targets...), inputs{model: path}, f.force); err != nil {
		return err
	}
	if f.webnn {
		live := g.Reachable() // WebNN has no other inputs
		gone := func(name string) bool { return !live[g.Input(name)] }
		beside, text, err := f.besideManifest(path, targets[len(targets)-1], f.force, portsOf(g), gone)
		if err != nil {
			return err
		}
		if text != nil {
			made = append(made, exportFile{filepath.Base(beside), stage.Content(text)})
		}
	}
	sizes, err := writeAll(f.dir, made)
	if err != nil {
		return err
	}
	for i, file := range made {
		if err := note(out, "written: %s (%s)\n", filepath.Join(f.dir, file.name), size(sizes[i])); err != nil {
			return err
		}
	}
	if f.check {
		return f.compare(ctx, args, out, notes)
	}
	return nil
}

// exportRefusal adds to the refusal of a model why only the strict rules of CVM are followed.
func exportRefusal(err error, path, lacks string) error {
	if !isCVM(path) {
		return err
	}
	f, unread := readCVM(path)
	if unread != nil {
		return err
	}
	return strictOnly(err, f, "concord export follows the strict rules: "+lacks)
}

// writeAll writes files that belong together: all of them are complete before the first one takes its place. It returns how long they are.
func writeAll(dir string, files []exportFile) ([]int64, error) {
	s, err := stage.In(dir)
	if err != nil {
		return nil, fmt.Errorf("nothing can be written there: %w", err)
	}
	defer s.Close()
	sizes := make([]int64, len(files))
	for i, file := range files {
		if sizes[i], err = s.Write(file.write, file.name); err != nil {
			return nil, s.Placed(err, filepath.Join(dir, file.name))
		}
	}
	return sizes, s.Commit(func() error {
		for _, file := range files {
			target := filepath.Join(dir, file.name)
			if err := os.Rename(s.Path(file.name), target); err != nil {
				return s.Placed(err, target)
			}
		}
		return nil
	})
}

// writeApproximations says which nodes are not expressed to the bit.
func writeApproximations(w io.Writer, path string, list []kit.Approximation) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s: results may differ in the last digits, as operators are expressed by others, %d:\n", path, len(list))
	for i, a := range list {
		if i == mostNotes {
			fmt.Fprintf(w, "  and %d more\n", len(list)-mostNotes)
			break
		}
		label := ""
		if a.Label != "" {
			label = fmt.Sprintf(" [%s]", escape.Text(a.Label))
		}
		fmt.Fprintf(w, "  %s%s (value %s): within %g\n", a.Op, label, escape.Text(a.Value), a.Tolerance)
	}
}

// mostNotes bounds the lines about one matter.
const mostNotes = 5
