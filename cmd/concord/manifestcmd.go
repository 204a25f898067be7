package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/pipeline"
)

func newManifest() *cobra.Command {
	c := &cobra.Command{
		Use:   "manifest",
		Short: "Write a first manifest for a model, or check the one that it has",
		Long: `A manifest says how a picture or a sound becomes a model's input, and what its outputs mean. It
stands beside the model, and "concord run" finds it there.`,
		Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newManifestInit(), newManifestCheck())
	for _, sub := range c.Commands() {
		sub.Args = usage(sub.Args)
	}
	return c
}

func newManifestInit() *cobra.Command {
	var (
		f      modelFlags
		output string
		force  bool
	)
	c := &cobra.Command{
		Use:   "init MODEL",
		Short: "Write a first manifest for a model, of what can be known",
		Long: `Write a manifest for MODEL of what its inputs and outputs look like: pictures by their channels,
sounds by their lengths, states by names and types; classes, boxes and tracks. Notes in it say what
was guessed, above all how values are normalised, which only the authors of the model know. It is
written to where "concord run" looks for it, or into the file that -o names; - is standard output.

Extents that MODEL leaves open are 1, or what --shape says.`,
		Example: `  concord manifest init model.onnx
  concord manifest init model.nnef -o -`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := output
			read := inputs{model: args[0]}
			if usual := manifestPlace(args[0]); name == "" || place(name) == place(usual) { // which is no part of the model then
				read, name = inputs{files: args}, usual
			}
			if name != stdinArg {
				if err := writable(files(name), read, force); err != nil {
					return err
				}
			}
			m, err := f.draft(args[0])
			if err != nil {
				return err
			}
			text, err := m.Encode()
			if err != nil {
				return err
			}
			text = escape.JSON(text)
			if name == stdinArg {
				_, err = c.OutOrStdout().Write(text)
				return err
			}
			if err := stage.WriteData(name, text); err != nil {
				return err
			}
			return wroteDraft(printed(c.OutOrStdout()), name, m)
		},
	}
	fs := c.Flags()
	f.register(fs)
	fs.StringVarP(&output, "output", "o", "", "the `file` that is written, instead of the one beside the model")
	forceFlag(fs, &force)
	return c
}

// manifestPlace is where the manifest of a model is looked for first.
func manifestPlace(path string) string {
	if isFolder(path) {
		return filepath.Join(path, manifest.FileName)
	}
	return manifest.Beside(path)
}

// wroteDraft says what was guessed.
func wroteDraft(w io.Writer, name string, m *manifest.Manifest) error {
	t := newTable(w, 0)
	t.sentences = true
	for _, in := range m.Inputs {
		fmt.Fprintf(t, "input\t%s\t%s\t%s\n", escape.Text(in.Name), manifest.InputKindName(in.Kind), in.Note)
	}
	for _, out := range m.Outputs {
		fmt.Fprintf(t, "output\t%s\t%s\t%s\n", escape.Text(out.Name), manifest.OutputKindName(out.Kind), out.Note)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return note(w, "written: %s\n", name)
}

// draft reads a model and describes it.
func (f *modelFlags) draft(path string) (*manifest.Manifest, error) {
	m, opts, err := f.load(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	inputs, _, _, err := pipeline.Types(m, nil, opts.Shapes) // for what the shapes say alone
	if err != nil {
		return nil, f.placed(path, err)
	}
	first := manifest.Draft(inputs, nil, nil)
	inputs, outputs, g, err := pipeline.Types(m, first, opts.Shapes)
	if err != nil {
		return nil, f.placed(path, err)
	}
	return manifest.Draft(inputs, outputs, func(output string) bool { return endsInProbabilities(g, output) }), nil
}

// endsInProbabilities reports whether an operator makes fractions of which an output is, perhaps in another shape.
func endsInProbabilities(g *graph.Graph, output string) bool {
	if g == nil || g.Output(output) == nil {
		return false
	}
	n := g.Output(output).Producer
	for op.Reshapes(n) {
		n = n.In[0].Producer
	}
	s, err := op.Of(n)
	return err == nil && s.Def.Traits.Has(op.Fractions)
}

func newManifestCheck() *cobra.Command {
	var (
		f    modelFlags
		name string
	)
	c := &cobra.Command{
		Use:   "check MODEL",
		Short: "Hold the manifest of a model against its inputs and outputs",
		Long: `Read the manifest that "concord run" would use for MODEL and hold it against the model's inputs and
outputs. Every mistake is reported, with line and column.`,
		Example: `  concord manifest check model.onnx
  concord manifest check model.nnef --manifest other.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := f.manifestOf(args[0], name)
			if errors.As(err, new(*manifest.NotFoundError)) {
				err = f.placed(args[0], err)
			}
			if err != nil && !errors.As(err, new(manifest.Errors)) {
				return err
			}
			m, opts, loading := f.load(args[0])
			if err = allWrong(m, loading, d, err, opts.Shapes); err != nil {
				return err
			}
			defer m.Close()
			if err = pipeline.Check(m, d, opts.Shapes); err != nil && !errors.As(err, new(manifest.Errors)) {
				err = f.placed(args[0], err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(printed(c.OutOrStdout()), "%s: it fits the model\n", d.Source)
			return err
		},
	}
	f.register(c.Flags())
	c.Flags().StringVar(&name, "manifest", "", "the `file` that is checked, instead of the one beside the model")
	return c
}
