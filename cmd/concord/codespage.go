package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/internal/nnef/codes"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

func completeCodes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, e := range codes.All() {
		list = append(list, e.Code.String()+"\t"+e.Title)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// codeReport is the documentation of a code.
type codeReport struct {
	Code     string `json:"code"`
	Class    string `json:"class"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Rule     string `json:"rule"`
	Standard string `json:"standard,omitempty"` // the subject of the standard's text that the rule is from
	Wrong    string `json:"wrong,omitempty"`
	Message  string `json:"message,omitempty"` // what is said about the wrong example
	Right    string `json:"right,omitempty"`
}

func reportCode(e codes.Entry) (codeReport, error) {
	r := codeReport{e.Code.String(), e.Code.Class().String(), syntax.Error.String(), e.Title, e.Rule, e.Clause, e.Wrong, "", e.Right}
	if e.Level != "" {
		r.Severity = e.Level
	}
	if e.Wrong == "" {
		return r, nil
	}
	for _, data := range []bool{false, true} {
		found, err := checkExample(e.Wrong, data)
		if err != nil {
			return r, err
		}
		for i := range found {
			if found[i].Code == e.Code {
				r.Message = found[i].Render()
				return r, nil
			}
		}
	}
	return r, fmt.Errorf("the example of %v does not yield it", e.Code)
}

// checkExample returns the findings about an example, with those about its tensor files if data is true.
func checkExample(example string, data bool) (syntax.Diagnostics, error) {
	files := make(fstest.MapFS)
	for _, f := range codes.Document(example) {
		files[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	file, err := nnef.OpenFS(files, ".", nnef.Options{})
	return examine(file, err, data)
}

// explainCode prints the documentation of one code, or a table of all.
func explainCode(w io.Writer, text string, asJSON bool) error {
	if text == "all" {
		return listCodes(w, asJSON)
	}
	code, err := codes.Parse(text)
	if err != nil {
		return &codedError{exitUsage, err}
	}
	e, ok := codes.Lookup(code)
	if !ok {
		return refused("there is no diagnostic %v; --explain all lists them", code)
	}
	r, err := reportCode(e)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w, r)
	}
	return r.write(w)
}

func (r *codeReport) write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s  %s %s: %s\n\n%s\n", r.Code, r.Class, r.Severity, r.Title, wrap(r.Rule, 92))
	if r.Standard != "" {
		fmt.Fprintf(&b, "(standard: %s)\n", r.Standard)
	}
	for _, part := range []struct{ title, text string }{{"Wrong", r.Wrong}, {"Concord says", r.Message}, {"Right", r.Right}} {
		if part.text != "" {
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", part.title, indent(part.text))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// wrap breaks a text into lines of at most width letters.
func wrap(text string, width int) string {
	var b strings.Builder
	n := 0
	for _, word := range strings.Fields(text) {
		switch {
		case n == 0:
		case n+1+len(word) > width:
			b.WriteByte('\n')
			n = 0
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}

func listCodes(w io.Writer, asJSON bool) error {
	if asJSON {
		var list []codeReport
		for _, e := range codes.All() {
			r, err := reportCode(e)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
		return writeJSON(w, list)
	}
	t := newTable(w, 0)
	fmt.Fprintln(t, "CODE\tCLASS\tMEANING")
	for _, e := range codes.All() {
		fmt.Fprintf(t, "%v\t%v\t%s\n", e.Code, e.Code.Class(), e.Title)
	}
	return t.Flush()
}

const pageHead = `<!-- Written by "go generate ./internal/nnef/codes"; edit internal/nnef/codes/codes.txt. -->
# Diagnostics of NNEF

Every finding about an NNEF document has a stable code: NNEF, two digits for the class, two for the finding. Codes that
end in 90 or more are only ever warnings. ` + "`concord check --explain CODE`" + ` prints a section of this page,
` + "`concord check --explain all`" + ` lists the codes.

A finding names the place, the class, the code, what is wrong and, where that is known, what would be right and other
places that matter. Sections without an example are about what needs long texts, tensor files or other commands.

Examples that consist of statements stand in a graph with the input x of shape (1, 3, 8, 8) and the output y; the
necessary extensions are declared:

` + "```nnef" + `
version 1.0;

graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    …
}
` + "```" + `

`

// writeCodesPage writes docs/diagnostics.md.
func writeCodesPage(name string, force bool) error {
	if err := writable(files(name), inputs{}, force); err != nil {
		return err
	}
	page, err := codesPage()
	if err != nil {
		return err
	}
	return stage.WriteData(name, page)
}

func codesPage() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(pageHead)
	var class syntax.Class
	for _, e := range codes.All() {
		r, err := reportCode(e)
		if err != nil {
			return nil, err
		}
		if c := e.Code.Class(); c != class {
			class = c
			fmt.Fprintf(&b, "\n## Class %s\n", class)
		}
		fmt.Fprintf(&b, "\n### %v\n\n**%s.** %s", e.Code, capital(escaped(r.Title)), escaped(r.Rule))
		if r.Standard != "" {
			fmt.Fprintf(&b, " *(Standard: %s.)*", r.Standard)
		}
		b.WriteByte('\n')
		if r.Wrong == "" {
			continue
		}
		fmt.Fprintf(&b, "\n```nnef\n%s\n```\n\n```\n%s```\n\nRight:\n\n```nnef\n%s\n```\n",
			strings.TrimRight(r.Wrong, "\n"), r.Message, strings.TrimRight(r.Right, "\n"))
	}
	return b.Bytes(), nil
}

// escaped returns a text in which Markdown sees no HTML.
func escaped(s string) string { return strings.ReplaceAll(s, "<", `\<`) }

// capital returns a sentence with its first letter in upper case.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
