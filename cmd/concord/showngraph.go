package main

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/op"
)

// shownGraph are the flags of inspect that show the graph in another form than the table.
type shownGraph struct {
	text     bool
	svg, dot string
	force    bool
}

func (s *shownGraph) register(fs *pflag.FlagSet) {
	fs.BoolVar(&s.text, "text", false, "print the graph as an NNEF document")
	fs.StringVar(&s.svg, "svg", "", "draw the graph into this `file`")
	fs.StringVar(&s.dot, "dot", "", "write the graph for Graphviz into this `file`")
	forceFlag(fs, &s.force)
}

// wanted reports whether the graph is shown in another form.
func (s *shownGraph) wanted() bool { return s.text || s.svg != "" || s.dot != "" }

// check finds flags that do not go together, and files that may not be written, before the model is read.
func (s *shownGraph) check(asJSON bool, model string) error {
	if s.wanted() && asJSON {
		return refused("--json prints the report; --text, --svg and --dot go without it")
	}
	toStdout := 0
	var written []string
	for _, name := range []string{s.svg, s.dot} {
		switch name {
		case stdinArg:
			toStdout++
		default:
			written = append(written, name)
		}
	}
	if toStdout > 1 || s.text && toStdout > 0 {
		return refused("only one of --text, --svg - and --dot - can be standard output")
	}
	return writable(files(written...), inputs{model: model}, s.force)
}

// write shows a graph in all forms that are asked for.
func (s *shownGraph) write(out io.Writer, model string, g *graph.Graph) error {
	if s.text {
		if err := graph.Print(out, g, op.Rules); err != nil {
			return err
		}
	}
	drawn := drawGraph(model, g)
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{s.svg, drawn.svg}, {s.dot, drawn.dot}} {
		switch f.name {
		case "":
		case stdinArg:
			if err := f.write(out); err != nil {
				return err
			}
		default:
			if err := stage.Write(f.name, f.write); err != nil {
				return err
			}
			if s.text {
				continue
			}
			if err := note(printed(out), "written: %s\n", f.name); err != nil {
				return err
			}
		}
	}
	return nil
}
