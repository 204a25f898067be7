package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func newOps() *cobra.Command {
	var asJSON, force bool
	var markdown string
	c := &cobra.Command{
		Use:   "ops [OPERATOR…]",
		Short: "List the operators, or print the whole definition of some",
		Long: `List the operators with their names in the standards, or print the whole definition of each
OPERATOR: what it computes, operands, results, attributes, and its body where it is made
of simpler operators.`,
		Example: `  concord ops
  concord ops conv softmax
  concord ops --json conv`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, d := range op.All() {
				names = append(names, d.Name+"\t"+d.Summary())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			defs := op.All()
			if len(args) > 0 {
				defs = nil
				for _, name := range args {
					d, ok := op.Lookup(name)
					if !ok {
						return refused("there is no operator %q%s", name, similar(name))
					}
					defs = append(defs, d)
				}
			}
			out := c.OutOrStdout()
			switch {
			case markdown != "":
				return writeOperatorPages(markdown, defs, force)
			case asJSON:
				described := make([]description, len(defs))
				for i, d := range defs {
					described[i] = describe(d)
				}
				return writeJSON(out, described)
			case len(args) == 0:
				return listOperators(out, defs)
			}
			for i, d := range defs {
				if i > 0 {
					if _, err := fmt.Fprintln(out); err != nil {
						return err
					}
				}
				if err := printOperator(out, describe(d)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&markdown, "markdown", "", "write the operator reference into this `folder`")
	forceFlag(c.Flags(), &force)
	return c
}

// similar suggests the operators whose names contain the word or are named so by a standard.
func similar(word string) string {
	var names []string
	for _, d := range op.All() {
		s := d.Spec
		for _, name := range []string{d.Name, s.NNEF, s.WebNN, s.OpenVX, s.CVM} {
			if name != "" && strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
				names = append(names, d.Name)
				break
			}
		}
	}
	if len(names) == 0 {
		return "; see: concord ops"
	}
	return "; do you mean " + strings.Join(names, ", ") + "?"
}

func listOperators(w io.Writer, defs []*op.Def) error {
	t := newTable(w, 0)
	fmt.Fprintln(t, "OPERATOR\tNNEF\tWEBNN\tOPENVX\tCVM")
	for _, d := range defs {
		s := d.Spec
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", d.Name, dash(s.NNEF), dash(s.WebNN), dash(s.OpenVX), dash(s.CVM))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d operators\n", len(defs))
	return err
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// description is an operator's definition in words.
type description struct {
	Name        string      `json:"name"`
	Summary     string      `json:"summary"`
	Doc         string      `json:"doc"`
	Declaration string      `json:"declaration"` // as an NNEF fragment
	NNEF        string      `json:"nnef,omitempty"`
	WebNN       string      `json:"webnn,omitempty"`
	OpenVX      string      `json:"openvx,omitempty"`
	CVM         string      `json:"cvm,omitempty"`
	Operands    []parameter `json:"operands"`
	Results     []parameter `json:"results"`
	Attributes  []parameter `json:"attributes,omitempty"`
	Blocks      []parameter `json:"blocks,omitempty"`
	Traits      string      `json:"traits,omitempty"`
	Body        string      `json:"body,omitempty"`
	BodyTol     float64     `json:"bodyTolerance,omitempty"`
}

// parameter is an operand, result or attribute in words.
type parameter struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Rank    string `json:"rank,omitempty"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc,omitempty"`
}

func describe(d *op.Def) description {
	sig, _ := op.Rules.Signature(d.Name)
	s := description{
		Name: d.Name, Summary: d.Summary(), Doc: d.Doc, Declaration: graph.Declaration(d.Name, sig),
		NNEF: d.Spec.NNEF, WebNN: d.Spec.WebNN, OpenVX: d.Spec.OpenVX, CVM: d.Spec.CVM,
		Traits: d.Traits.String(), Body: strings.TrimSpace(d.Body), BodyTol: d.BodyTol,
	}
	for _, o := range d.In {
		p := parameter{Name: o.Name, Type: o.Types.String(), Rank: o.Rank.String(), Doc: o.Doc}
		if o.Like != "" {
			p.Type = "that of " + o.Like
		}
		if o.Optional {
			p.Default = "absent"
		}
		if o.Variadic {
			p.Name += "…"
		}
		s.Operands = append(s.Operands, p)
	}
	for _, r := range d.Out {
		p := parameter{Name: r.Name, Type: r.Type.String(), Doc: r.Doc}
		switch {
		case d.Results != nil && r.Type == tensor.Invalid:
			p.Type = "those of the blocks"
		case r.Like != "" && r.TypeAttr != "":
			p.Type = fmt.Sprintf("that of %s if float, else %s", r.Like, r.TypeAttr)
		case r.Like != "":
			p.Type = "that of " + r.Like
		case r.TypeAttr != "":
			p.Type = r.TypeAttr
		}
		if r.Variadic {
			p.Name += "…"
		}
		s.Results = append(s.Results, p)
	}
	for i, a := range d.Attrs {
		p := parameter{Name: a.Name, Type: a.Kind.String(), Doc: a.Doc}
		switch {
		case a.Enum != nil:
			p.Type = strings.Join(a.Enum, ", ")
		case a.Types != 0:
			p.Type = a.Types.String()
		}
		if bounds := a.Bounds(); bounds != "" {
			p.Type += " " + bounds
		}
		if a.Default != nil {
			p.Default = sig.Attrs[i].Literal(a.Default)
		}
		s.Attributes = append(s.Attributes, p)
	}
	for _, b := range d.Blocks {
		s.Blocks = append(s.Blocks, parameter{Name: b.Name, Doc: b.Doc})
	}
	return s
}

func printOperator(out io.Writer, d description) error {
	w := new(strings.Builder)
	fmt.Fprintf(w, "%s\n\n%s\n\n%s\n", d.Name, d.Doc, d.Declaration)
	table := func(title string, list []parameter) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for _, p := range list {
			kind := p.Type
			if p.Rank != "" && p.Rank != "any" {
				kind += ", rank " + p.Rank
			}
			if p.Default != "" {
				kind += " = " + p.Default
			}
			if kind != "" {
				kind = ": " + kind
			}
			fmt.Fprintf(w, "  %s%s\n", p.Name, kind)
			if p.Doc != "" {
				fmt.Fprintf(w, "      %s\n", p.Doc)
			}
		}
	}
	table("Operands", d.Operands)
	table("Attributes", d.Attributes)
	table("Blocks", d.Blocks)
	table("Results", d.Results)
	if d.Traits != "" {
		fmt.Fprintf(w, "\nTraits\n  %s\n", d.Traits)
	}
	if d.Body != "" {
		fmt.Fprintf(w, "\nBody (agrees within %g)\n  %s\n", d.BodyTol, strings.ReplaceAll(d.Body, "\n", "\n  "))
	}
	names := ""
	for _, s := range [][2]string{{"NNEF", d.NNEF}, {"WebNN", d.WebNN}, {"OpenVX", d.OpenVX}, {"CVM", d.CVM}} {
		if s[1] != "" {
			names += fmt.Sprintf("  %s %s", s[0], s[1])
		}
	}
	if names != "" {
		fmt.Fprintf(w, "\nIn the standards\n%s\n", names)
	}
	_, err := io.WriteString(out, w.String())
	return err
}

// writeOperatorPages writes one Markdown page for each operator and an index.
func writeOperatorPages(dir string, defs []*op.Def, force bool) error {
	var pages []exportFile
	var targets []string
	add := func(name, text string) {
		pages = append(pages, exportFile{name, stage.Content([]byte(text))})
		targets = append(targets, filepath.Join(dir, name))
	}
	var index strings.Builder
	index.WriteString("# Operators\n\nWritten by `concord ops --markdown docs/operators` from the definitions in package `op`. " +
		"`concord ops NAME` prints the same.\n\n| operator | | NNEF | WebNN | OpenVX | CVM |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, def := range defs {
		d := describe(def)
		fmt.Fprintf(&index, "| [%s](%s.md) | %s | %s | %s | %s | %s |\n", d.Name, d.Name, cell(d.Summary), d.NNEF, d.WebNN, d.OpenVX, d.CVM)
		var page strings.Builder
		page.WriteString("# " + d.Name + "\n\n```\n")
		if err := printOperator(&page, d); err != nil {
			return err
		}
		page.WriteString("```\n")
		add(d.Name+".md", page.String())
	}
	add("README.md", index.String())
	if err := writable(files(targets...), inputs{}, force); err != nil {
		return err
	}
	_, err := writeAll(dir, pages)
	return err
}

// cell escapes what ends a cell of a Markdown table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }
