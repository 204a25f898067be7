package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef/syntax"
)

func newFmt() *cobra.Command {
	f := formatting{}
	c := &cobra.Command{
		Use:   "fmt [FILE…]",
		Short: "Write NNEF documents in the canonical form",
		Long: `Print each FILE in the canonical form: one statement in a line, lines of at most 120 columns,
single quotes, the shortest numbers that read back equal. Comments stay. FILE is a document
(graph.nnef), a quantization file (graph.quant), or the folder of a model, which stands for
both. Without FILE, or with -, the text comes from the standard input. Documents of both
dialects are read and stay in theirs; concord migrate turns a provisional one into a final one.

A file with a mistake is left as it is and gives exit code 3. With -l or -d, and without -w,
exit code 1 says that a file differs from its canonical form.`,
		Example: `  concord fmt model/graph.nnef
  concord fmt -w model               # graph.nnef and graph.quant
  concord fmt -d model               # what would change
  concord fmt -l a.nnef b.nnef       # which would change, for scripts
  concord fmt --lenient < mixed.nnef`,
		RunE: func(c *cobra.Command, args []string) error {
			f.in, f.out, f.errs = c.InOrStdin(), document(c.OutOrStdout()), c.ErrOrStderr()
			return f.run(args)
		},
	}
	flags := c.Flags()
	flags.BoolVarP(&f.write, "write", "w", false, "write the files in place, if they change")
	flags.BoolVarP(&f.list, "list", "l", false, "list the files that differ from their canonical form")
	flags.BoolVarP(&f.diff, "diff", "d", false, "print what differs")
	flags.BoolVar(&f.lenient, "lenient", false, "accept constructs of the other dialect, and rewrite them, with a warning each")
	return c
}

// formatting is one run of the command.
type formatting struct {
	write, list, diff, lenient bool
	in                         io.Reader
	out, errs                  io.Writer
	differ                     bool // a file differs from its canonical form
}

func (f *formatting) run(args []string) error {
	if len(args) == 0 {
		args = []string{"-"}
	}
	var files []string
	for _, arg := range args {
		found, err := f.find(arg)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	var failed error
	for _, name := range files {
		if err := f.file(name); err != nil {
			if failed != nil { // report prints the last one
				printError(f.errs, failed)
			}
			failed = err
		}
	}
	switch {
	case failed != nil:
		return failed
	case f.differ && !f.write && (f.list || f.diff):
		return errNegative
	}
	return nil
}

// find returns the files that an argument stands for.
func (f *formatting) find(arg string) ([]string, error) {
	if arg == "-" {
		if f.write {
			return nil, refused("-w needs files: the standard input cannot be written")
		}
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if err := notText(arg); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if container.IsArchive(arg) {
			return nil, fmt.Errorf("%s: it is an archive; unpack it and format the folder", arg)
		}
		return []string{arg}, nil
	}
	graph, quant := filepath.Join(arg, container.GraphFile), filepath.Join(arg, quantFile)
	if _, err := os.Stat(graph); err != nil {
		return nil, fmt.Errorf("%s: the folder is no model: %w", arg, err)
	}
	if _, err := os.Stat(quant); err == nil {
		return []string{graph, quant}, nil
	}
	return []string{graph}, nil
}

// quantFile is the name of a model's quantization file.
const quantFile = container.QuantFile

// file deals with one file.
func (f *formatting) file(name string) error {
	shown := name
	var text []byte
	var err error
	if name == "-" {
		shown = "<stdin>"
		text, err = io.ReadAll(io.LimitReader(f.in, int64(syntax.DefaultLimits.Bytes)+1))
	} else {
		text, err = readText(name)
	}
	if err != nil {
		return err
	}
	out, err := f.format(shown, text)
	if err != nil {
		return err
	}
	shown = escape.Text(shown)
	differs := !bytes.Equal(text, out)
	f.differ = f.differ || differs
	if f.list && differs {
		if _, err := fmt.Fprintln(f.out, shown); err != nil {
			return err
		}
	}
	if f.diff && differs {
		if _, err := fmt.Fprint(f.out, unified(shown+".orig", shown, string(text), string(out))); err != nil {
			return err
		}
	}
	switch {
	case f.write && differs:
		return stage.WriteData(name, out)
	case !f.write && !f.list && !f.diff:
		_, err = f.out.Write(out)
	}
	return err
}

// readText reads a file that is no longer than a text may be.
func readText(name string) ([]byte, error) {
	file, _, err := mapfile.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(syntax.DefaultLimits.Bytes)+1))
}

// format returns the canonical form of a document or quantization file.
func (f *formatting) format(name string, text []byte) ([]byte, error) {
	opts := syntax.Options{Lenient: f.lenient}
	if isQuantization(name, text) {
		q, err := syntax.ParseQuant(name, text, dialectBeside(name), opts)
		if err != nil {
			return nil, err
		}
		return syntax.FormatQuant(q)
	}
	doc, err := syntax.Parse(name, text, opts)
	if err != nil {
		return nil, err
	}
	if len(doc.Warnings) > 0 {
		fmt.Fprint(f.errs, doc.Warnings.Render())
	}
	return syntax.Format(doc)
}

// isQuantization tells a quantization file from a document: by its name, or by the quotes that its entries start with.
func isQuantization(name string, text []byte) bool {
	if strings.EqualFold(filepath.Ext(name), ".quant") {
		return true
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return line[0] == '"' || line[0] == '\''
		}
	}
	return false
}

// dialectBeside returns the dialect of the document beside a quantization file. Without one it is the provisional
// dialect, in which quantization files of both are right.
func dialectBeside(name string) syntax.Dialect {
	text, err := readText(filepath.Join(filepath.Dir(name), container.GraphFile))
	if err == nil {
		if doc, err := syntax.Parse("", text, syntax.Options{Lenient: true}); err == nil {
			return doc.Dialect
		}
	}
	return syntax.Provisional
}
