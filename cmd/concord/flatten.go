package main

import (
	"bytes"
	"io"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef/syntax"
)

// flattenFlags are the flags of the flatten command.
type flattenFlags struct {
	modelFlags
	all, shapes, asJSON, force bool
	output                     string
}

func newFlatten() *cobra.Command {
	var f flattenFlags
	c := &cobra.Command{
		Use:   "flatten MODEL",
		Short: "Print a model as a flat NNEF document",
		Long: `Evaluate the fragments and expressions of MODEL and print what remains: one invocation of an
operation of the standard for each statement, in the dialect of MODEL. "-" is a document on
standard input. The data of variables is not read.

--all also expands the operations that the standard defines by simpler ones. A file that exists is
replaced only with --force.`,
		Example: `  concord flatten model.nnef
  concord flatten model.nnef.tgz --all -o flat.nnef
  concord flatten old.nnef --lenient --shapes
  concord flatten model.nnef --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.output == stdinArg { // standard output, as without -o
				f.output = ""
			}
			if err := writable(files(f.output), inputs{model: args[0]}, f.force); err != nil {
				return err
			}
			text, err := f.run(args[0], c.InOrStdin())
			if err != nil {
				return err
			}
			if f.output != "" {
				return stage.WriteData(f.output, text)
			}
			_, err = document(c.OutOrStdout()).Write(text)
			return err
		},
	}
	flags := c.Flags()
	f.registerText(flags)
	flags.BoolVar(&f.all, "all", false, "expand compound operations of the standard, too")
	flags.BoolVar(&f.shapes, "shapes", false, "write the shapes of the results behind each statement")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.StringVarP(&f.output, "output", "o", "", "write into this `file`")
	forceFlag(flags, &f.force)
	return c
}

func (f *flattenFlags) run(name string, stdin io.Reader) ([]byte, error) {
	level := flat.User
	if f.all {
		level = flat.All
	}
	file, g, err := f.flatten(name, stdin, level)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if f.shapes && !f.asJSON {
		return commented(g)
	}
	var b bytes.Buffer
	if f.asJSON {
		err = writeJSON(&b, g)
	} else {
		err = g.Write(&b)
	}
	return b.Bytes(), err
}

// commented returns the document of a graph with the shapes of the tensors that a statement assigns behind it.
func commented(g *flat.Graph) ([]byte, error) {
	tensors := make(map[string]*flat.Tensor)
	for _, op := range g.Ops {
		for _, t := range op.Outputs() {
			tensors[t.Name] = t
		}
	}
	doc := g.Document()
	for i := range doc.Graph.Body {
		s := &doc.Graph.Body[i]
		comment := "#"
		for id := range s.Names() {
			if t := tensors[id.Name]; t != nil {
				comment += " " + shapeText(t)
			}
		}
		s.Comments = &syntax.Comments{After: comment}
	}
	return syntax.Format(doc)
}
