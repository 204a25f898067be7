package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/lint"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

// checkFlags are the flags of the check command.
type checkFlags struct {
	modelFlags
	data       bool
	noWarnings bool
	asJSON     bool
	explain    string
	markdown   string
	force      bool
}

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check MODEL…",
		Short: "Find the mistakes in models and documents",
		Long: `Report every mistake in each MODEL: a folder, an archive, a graph file, or a quantization file
(.quant, with graph.nnef beside it). "-" is a document on standard input. Fragments are checked
whether something invokes them or not, and shapes are inferred. Tensor files are not read
unless --data is given. A WebNN session in a .json is checked by making its calls, of which the
first that fails is reported. Of an ONNX model every node is checked that is not supported or
wrong, with its operator, opset and operand; give open extents by --shape to check shapes, too.

Each finding has a code. --explain CODE says what it means, with an example; --explain all
lists the codes. Warnings, such as an identifier that is never used, do not make a document
invalid. The exit code is 1 if there are errors and 3 if a file cannot be read.`,
		Example: `  concord check model.nnef
  concord check graph.nnef other.nnef.tgz --json
  concord check model.nnef --data            # the tensor files, too
  concord check old.nnef --lenient
  concord check --explain NNEF0701`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.explain == "" && f.markdown == "" {
				return errors.New("there is nothing to check")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.markdown != "":
				return writeCodesPage(f.markdown, f.force)
			case f.explain != "":
				return explainCode(c.OutOrStdout(), f.explain, f.asJSON)
			}
			return f.run(c, args)
		},
	}
	flags := c.Flags()
	f.register(flags)
	flags.BoolVar(&f.data, "data", false, "check the tensor files, too: presence, types and shapes")
	flags.BoolVar(&f.noWarnings, "no-warnings", false, "report errors only")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.StringVar(&f.explain, "explain", "", "print what a `CODE` means; \"all\" lists the codes")
	flags.StringVar(&f.markdown, "markdown", "", "write the reference of codes into this `file`")
	forceFlag(flags, &f.force)
	_ = c.RegisterFlagCompletionFunc("explain", completeCodes)
	return c
}

// checkReport is what check prints.
type checkReport struct {
	Files    []*fileReport `json:"files"`
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
}

// fileReport holds the findings about one argument.
type fileReport struct {
	File        string             `json:"file"`
	Valid       bool               `json:"valid"`                // it was read and has no errors
	Unreadable  string             `json:"unreadable,omitempty"` // why it was not checked
	Mistake     string             `json:"mistake,omitempty"`    // what is wrong in a WebNN session
	Mistakes    []mistakeReport    `json:"mistakes,omitempty"`   // in an ONNX model
	Errors      int                `json:"errors"`
	Warnings    int                `json:"warnings"`
	Diagnostics []diagnosticReport `json:"diagnostics"`

	found syntax.Diagnostics
}

type diagnosticReport struct {
	Code     string `json:"code"`
	Class    string `json:"class"`
	Severity string `json:"severity"`
	placeReport
	Message string          `json:"message"`
	Hint    string          `json:"hint,omitempty"`
	Related []relatedReport `json:"related,omitempty"`
}

type relatedReport struct {
	placeReport
	Message string `json:"message"`
}

// placeReport is a part of a text. Lines and columns count from 1, columns in bytes; the end is behind the last byte.
type placeReport struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

func reportPlace(src *syntax.Source, span syntax.Span) placeReport {
	from, to := src.Position(span.From), src.Position(span.To)
	return placeReport{from.File, from.Line, from.Column, to.Line, to.Column}
}

func reportDiagnostic(d *syntax.Diagnostic) diagnosticReport {
	r := diagnosticReport{Code: d.Code.String(), Class: d.Class().String(), Severity: d.Severity.String(),
		placeReport: reportPlace(d.Source, d.Span), Message: d.Message, Hint: d.Hint}
	for _, rel := range d.Related {
		src := rel.Source
		if src == nil {
			src = d.Source
		}
		r.Related = append(r.Related, relatedReport{reportPlace(src, rel.Span), rel.Message})
	}
	return r
}

func (f *checkFlags) run(c *cobra.Command, args []string) error {
	how := f.document
	if !slices.ContainsFunc(args, func(name string) bool { return !isONNX(name) }) {
		how = f.options
	}
	opts, err := how()
	if err != nil {
		return err
	}
	what := "files"
	if len(args) == 1 {
		what = "checking " + args[0]
	}
	bar := showProgress(c, what)
	defer bar.clear()
	out := c.OutOrStdout()
	var total checkReport
	var unreadable []error
	for i, name := range args {
		if err := c.Context().Err(); err != nil {
			return err
		}
		bar.update(i, len(args))
		r, err := f.check(name, c.InOrStdin(), opts)
		if err != nil {
			unreadable = append(unreadable, err)
		}
		total.Files = append(total.Files, r)
		total.Errors += r.Errors
		total.Warnings += r.Warnings
		if !f.asJSON {
			text := separated(r.found)
			if r.Mistake != "" {
				text = escape.Text("error: "+r.Mistake) + "\n\n"
			}
			for i := range r.Mistakes {
				text += r.Mistakes[i].text(name)
			}
			if coloured(out) {
				text = inColours(text)
			}
			if _, err := io.WriteString(out, text); err != nil {
				return err
			}
		}
	}
	if f.asJSON {
		err = writeJSON(out, total)
	} else {
		_, err = fmt.Fprintln(printed(out), total.summary())
	}
	if err == nil {
		err = errors.Join(unreadable...)
	}
	if err == nil && total.Errors > 0 {
		err = errNegative
	}
	return err
}

// check returns the findings about one argument. The error says that it was not checked: it cannot be read, or a shape is
// given for an input that it does not have.
func (f *checkFlags) check(name string, stdin io.Reader, opts nnef.Options) (*fileReport, error) {
	switch {
	case isSession(name):
		return checkSession(name, opts)
	case isONNX(name):
		return f.checkONNX(name, opts.Shapes)
	}
	r := &fileReport{File: name, Diagnostics: []diagnosticReport{}}
	file, err := openArgument(name, stdin, opts)
	if err == nil {
		err = fitting(file, opts)
	}
	found, err := examine(file, err, f.data)
	if err != nil {
		r.Unreadable = err.Error()
	}
	for i := range found {
		d := &found[i]
		if d.Severity == syntax.Error {
			r.Errors++
		} else if f.noWarnings || isQuant(name) && d.Source == file.Document.Source {
			continue
		} else {
			r.Warnings++
		}
		r.found = append(r.found, *d)
		r.Diagnostics = append(r.Diagnostics, reportDiagnostic(d))
	}
	r.Valid = err == nil && r.Errors == 0
	return r, err
}

// fitting returns an error, and closes the file, if the document has no inputs of the names that shapes are given for.
func fitting(file *nnef.File, opts nnef.Options) error {
	if len(opts.Shapes) == 0 {
		return nil
	}
	_, err := file.Flatten(flat.User)
	if err == nil || errors.As(err, new(syntax.Diagnostics)) {
		return nil
	}
	file.Close()
	return blamed(err)
}

// examine returns the diagnostics of a file that was opened, or was not because of err: those of its syntax, or else of
// its meaning and, if asked for and there are no errors before, of its tensor files. Another error than diagnostics says
// that it cannot be read.
func examine(file *nnef.File, err error, data bool) (syntax.Diagnostics, error) {
	var list syntax.Diagnostics
	if err != nil {
		if errors.As(err, &list) {
			err = nil
		}
		return list, err
	}
	defer file.Close()
	list = file.Check()
	if data && list.Err() == nil {
		var more syntax.Diagnostics
		if _, err = file.Model(); errors.As(err, &more) {
			list, err = append(list, more...), nil
		}
	}
	if list.Err() == nil { // what is wrong comes first
		if file.Quantization != nil {
			list = append(list, lint.Quantization(file.Quantization)...)
		}
		list = append(list, lint.Document(file.Document)...)
		if g, err := file.Flatten(flat.User); err == nil {
			list = append(list, lint.Graph(g)...)
		}
	}
	list.Sort()
	return distinct(list), err
}

// distinct leaves out findings that stand in a list twice.
func distinct(list syntax.Diagnostics) syntax.Diagnostics {
	type key struct {
		code    syntax.Code
		span    syntax.Span
		message string
	}
	seen := make(map[key]bool, len(list))
	out := list[:0]
	for _, d := range list {
		if k := (key{d.Code, d.Span, d.Message}); !seen[k] {
			seen[k] = true
			out = append(out, d)
		}
	}
	return out
}

// separated renders findings with an empty line behind each.
func separated(list syntax.Diagnostics) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(list[i].Render())
		b.WriteByte('\n')
	}
	return b.String()
}

// summary says in one line what was found.
func (r *checkReport) summary() string {
	unreadable := 0
	for _, f := range r.Files {
		if f.Unreadable != "" {
			unreadable++
		}
	}
	name := r.Files[0].File
	if len(r.Files) > 1 {
		name = count(int64(len(r.Files)), "file")
	}
	text := name + ": "
	switch {
	case r.Errors > 0 && r.Warnings > 0:
		text += count(int64(r.Errors), "error") + ", " + count(int64(r.Warnings), "warning")
	case r.Errors > 0:
		text += count(int64(r.Errors), "error")
	case r.Warnings > 0:
		text += "valid, " + count(int64(r.Warnings), "warning")
	case unreadable < len(r.Files):
		text += "valid"
	}
	if unreadable > 0 {
		text = strings.TrimSuffix(text, "valid")
		if !strings.HasSuffix(text, ": ") {
			text += ", "
		}
		if len(r.Files) > 1 {
			return text + fmt.Sprintf("%d not checked", unreadable)
		}
		return text + "not checked"
	}
	return text
}

// count writes a number with its noun.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(n) + " " + noun + "s"
}
