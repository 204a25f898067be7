package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
)

// explainFlags are the flags of the explain command.
type explainFlags struct {
	modelFlags
	all, asJSON bool
}

func newExplain() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain MODEL [TENSOR|OPERATION|LINE…]",
		Short: "Say what becomes of each statement of a model, and why its shapes come out",
		Long: `Say what each statement of MODEL becomes: the operations that its fragments and expressions are
expanded to, their shapes, and the padding that was computed. "-" is a document on standard
input. The data of variables is not read.

A TENSOR, an OPERATION or fragment, or a LINE of the document chooses statements, which are
then explained in full: where each operation comes from, its arguments with defaults, the window
along each dimension, how shapes of operands are aligned, and the operators of Concord that
compute it. Of a model that is wrong, what is right is explained, and the mistakes follow.

Of an ONNX model it says what each node reads, yields and becomes; the name or number of a node,
the name of a value or an operator chooses. A node may have to wait for elements that only a run
knows.`,
		Example: `  concord explain model.nnef
  concord explain model.nnef conv1
  concord explain model.nnef 17 max_pool
  concord explain model.nnef --shape x=1,3,224,224 --json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0], args[1:]) },
	}
	flags := c.Flags()
	f.register(flags)
	flags.BoolVar(&f.all, "all", false, "expand compound operations of the standard, too")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	return c
}

func (f *explainFlags) run(c *cobra.Command, name string, choices []string) error {
	if isONNX(name) {
		return f.explainONNX(name, choices, printed(c.OutOrStdout()))
	}
	opts, err := f.document()
	if err != nil {
		return err
	}
	file, err := openArgument(name, c.InOrStdin(), opts)
	if err != nil {
		return err
	}
	defer file.Close()
	level := flat.User
	if f.all {
		level = flat.All
	}
	e, wrong := file.Explain(level)
	if e == nil {
		return blamed(wrong)
	}
	r := newExplanation(name, file.Document, e)
	var found syntax.Diagnostics
	if errors.As(wrong, &found) {
		r.mark(found)
	}
	if err := r.choose(choices); err != nil {
		return &codedError{exitUsage, err}
	}
	out := printed(c.OutOrStdout())
	switch {
	case f.asJSON:
		err = writeJSON(out, r)
	case len(choices) == 0:
		err = r.summary(out)
	default:
		err = r.write(out)
	}
	if err != nil {
		return err
	}
	return wrong
}

// explanation is what explain prints.
type explanation struct {
	Model      string             `json:"model"`
	Graph      string             `json:"graph"`
	Dialect    string             `json:"dialect"`
	Statements []*statementReport `json:"statements"`
}

// statementReport is one statement of the graph.
type statementReport struct {
	Line       int                `json:"line"`
	Statement  string             `json:"statement"`
	Operations []*operationReport `json:"operations"`
	Errors     []string           `json:"errors,omitempty"` // the codes of what is wrong in it

	span  syntax.Span
	names []string // what it assigns
}

// operationReport is one operation that a statement became.
type operationReport struct {
	Operation string            `json:"operation"`
	Type      string            `json:"type,omitempty"` // of a generic operation
	Custom    bool              `json:"custom,omitempty"`
	Place     *placeReport      `json:"place,omitempty"`
	Trace     []callReport      `json:"trace,omitempty"` // the invocations that lead to it, from the graph on
	Arguments []argumentReport  `json:"arguments"`
	Results   []tensorReport    `json:"results"`
	Windows   []windowReport    `json:"windows,omitempty"`
	Broadcast []alignmentReport `json:"broadcast,omitempty"`
	Operators []operatorReport  `json:"operators,omitempty"`

	op *flat.Op
}

// operatorReport is an operator of Concord that an operation becomes.
type operatorReport struct {
	Operator   string   `json:"operator"`
	Operands   []string `json:"operands"`
	Results    []string `json:"results"`
	Types      []string `json:"types"`
	Attributes string   `json:"attributes,omitempty"` // those that have not their defaults
}

type callReport struct {
	Operation string       `json:"operation"`
	Place     *placeReport `json:"place,omitempty"` // absent in bodies of the standard
}

type argumentReport struct {
	Name    string         `json:"name"`
	Value   string         `json:"value"`
	Default bool           `json:"default,omitempty"` // the document does not give it
	Tensors []tensorReport `json:"tensors,omitempty"`
}

type windowReport struct {
	Operator string       `json:"operator"`
	Computed bool         `json:"paddingComputed"` // the document gives no padding
	Up       bool         `json:"up,omitempty"`    // the result is the larger tensor
	Axes     []axisReport `json:"axes"`
}

type axisReport struct {
	Axis     int `json:"axis"`
	In       int `json:"in"`
	Kernel   int `json:"kernel"`
	Stride   int `json:"stride"`
	Dilation int `json:"dilation"`
	Covers   int `json:"covers"` // what one window covers: (kernel - 1) · dilation + 1
	Before   int `json:"before"`
	After    int `json:"after"`
	Out      int `json:"out"`
}

// alignmentReport is one operand of an operation that aligns its operands.
type alignmentReport struct {
	Tensor string `json:"tensor"`
	Shape  []int  `json:"shape"`
	As     []int  `json:"as"` // with the extents of 1 that are added behind it
}

func newExplanation(name string, doc *syntax.Document, e *nnef.Explanation) *explanation {
	r := &explanation{Model: name, Graph: doc.Graph.Name.Name, Dialect: doc.Dialect.String()}
	for i := range doc.Graph.Body {
		a := &doc.Graph.Body[i]
		s := &statementReport{Line: doc.Source.Position(a.From).Line, Statement: oneLine(doc.Source, a.Span), span: a.Span}
		for id := range a.Names() {
			s.names = append(s.names, id.Name)
		}
		r.Statements = append(r.Statements, s)
	}
	for _, op := range e.Flat.Ops {
		if s := r.statement(op); s != nil {
			s.Operations = append(s.Operations, reportOperation(op, e))
		}
	}
	return r
}

// statement returns the statement of the graph that an operation comes from.
func (r *explanation) statement(op *flat.Op) *statementReport {
	if op.Site == nil {
		return nil
	}
	frames := op.Site.Trace()
	return r.at(frames[len(frames)-1].Span.From)
}

// mark notes which statements have errors in them, or in the fragments that they invoke.
func (r *explanation) mark(found syntax.Diagnostics) {
	for i := range found {
		d := &found[i]
		s := r.at(d.From)
		if n := len(d.Related); s == nil && n > 0 {
			s = r.at(d.Related[n-1].From)
		}
		if s != nil && d.Severity == syntax.Error {
			s.Errors = append(s.Errors, d.Code.String())
		}
	}
}

// at returns the statement of the graph at a place of the text, or nil.
func (r *explanation) at(at syntax.Pos) *statementReport {
	i, ok := slices.BinarySearchFunc(r.Statements, at, func(s *statementReport, at syntax.Pos) int {
		switch {
		case at < s.span.From:
			return 1
		case at >= s.span.To:
			return -1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return r.Statements[i]
}

// oneLine returns a part of a text with every stretch of white space and comments made one space.
func oneLine(src *syntax.Source, span syntax.Span) string {
	text := src.Text[span.From:span.To]
	var words []string
	for line := range strings.SplitSeq(text, "\n") {
		if i := strings.IndexByte(line, '#'); i >= 0 && !strings.ContainsAny(line[:i], `'"`) {
			line = line[:i]
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.TrimSuffix(strings.Join(words, " "), ";")
}

func reportOperation(o *flat.Op, e *nnef.Explanation) *operationReport {
	r := &operationReport{Operation: o.Name(), Type: o.Type.String(), Custom: o.Custom, op: o}
	given := func(int) bool { return true }
	if o.Site != nil {
		given = o.Site.Given
		frames := o.Site.Trace()
		for i := len(frames) - 1; i > 0; i-- {
			r.Trace = append(r.Trace, callReport{frames[i-1].Name, tracePlace(frames[i])})
		}
		r.Place = tracePlace(frames[0])
	}
	for i, v := range o.Args {
		a := argumentReport{Name: o.Op.Params[i].Name, Value: valueText(v), Default: !given(i)}
		for _, t := range flat.Tensors(v) {
			a.Tensors = append(a.Tensors, reportTensor(t, ""))
		}
		r.Arguments = append(r.Arguments, a)
	}
	for _, t := range o.Outputs() {
		r.Results = append(r.Results, reportTensor(t, ""))
	}
	padding, _ := o.Arg("padding").(eval.Array)
	r.Broadcast = reportAlignment(o)
	for _, n := range e.Nodes(o) {
		if w, ok := reportWindow(n); ok {
			w.Computed = len(padding) == 0
			r.Windows = append(r.Windows, w)
		}
		r.Operators = append(r.Operators, reportOperator(n))
	}
	return r
}

func tracePlace(c eval.Frame) *placeReport {
	if c.Source == nil {
		return nil
	}
	p := reportPlace(c.Source, c.Span)
	return &p
}

func reportOperator(n *graph.Node) operatorReport {
	r := reportNode(n, op.Cost{})
	return operatorReport{Operator: n.Op, Operands: r.Operands, Results: r.Results, Types: r.Types, Attributes: r.Attrs}
}

// reportWindow reads the window that slides over an operand of a node, or over its result, from the attributes.
func reportWindow(n *graph.Node) (windowReport, bool) {
	padding, padded := n.Attrs.Get("padding").([]int)
	_, slides := n.Attrs.Get("stride").([]int)
	size, sized := n.Attrs.Get("size").([]int)
	if !sized && len(n.In) > 1 && len(n.In[1].Type.Shape) >= 2 { // a filter, which leaves out batch and channels
		size, sized = n.In[1].Type.Shape[2:], true
	}
	if !padded || !slides || !sized || len(padding) != 2*len(size) {
		return windowReport{}, false
	}
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	if len(in) != len(out) || len(in) < len(size) {
		return windowReport{}, false
	}
	w, first := geometry.WindowOf(n.Attrs, size), len(in)-len(size)
	r := windowReport{Operator: n.Op, Up: geometry.SlidesUp(n.Attrs)}
	for i := range size {
		r.Axes = append(r.Axes, axisReport{first + i, in[first+i], size[i], w.Stride[i], w.Dilation[i], int(w.Span(i)), w.Before[i], w.After[i], out[first+i]})
	}
	return r, true
}

// reportAlignment lists the tensor operands of an operation if they are broadcast: their shapes differ, and each fits the
// result when extents of 1 are added behind it.
func reportAlignment(o *flat.Op) []alignmentReport {
	in, out := o.Inputs(), o.Outputs()
	if len(in) < 2 || len(out) != 1 || !out[0].Known {
		return nil
	}
	var list []alignmentReport
	differ := false
	for _, t := range in {
		if !t.Known || len(t.Shape) > len(out[0].Shape) {
			return nil
		}
		as := slices.Clone(t.Shape)
		for len(as) < len(out[0].Shape) {
			as = append(as, 1)
		}
		for i, n := range as {
			if n != 1 && n != out[0].Shape[i] {
				return nil
			}
		}
		differ = differ || !slices.Equal(t.Shape, in[0].Shape)
		list = append(list, alignmentReport{t.Name, slices.Clone(t.Shape), as})
	}
	if !differ {
		return nil
	}
	return list
}

// valueText writes an argument as a document would, a tensor by its name.
func valueText(v eval.Value) string {
	list := func(items []eval.Value) string {
		parts := make([]string, len(items))
		for i, x := range items {
			parts[i] = valueText(x)
		}
		return strings.Join(parts, ", ")
	}
	switch v := v.(type) {
	case *flat.Tensor:
		return v.Name
	case eval.Array:
		return "[" + list(v) + "]"
	case eval.Tuple:
		return "(" + list(v) + ")"
	}
	return eval.Text(v)
}

// choose keeps the operations that one of the words names: a line, a tensor, an operation or a fragment. An identifier of
// the graph names the whole statement.
func (r *explanation) choose(words []string) error {
	if len(words) == 0 {
		return nil
	}
	chosen := make(map[*operationReport]bool)
	for _, word := range words {
		found := false
		for _, s := range r.Statements {
			for _, o := range s.Operations {
				if o.matches(word, s) {
					chosen[o], found = true, true
				}
			}
		}
		if !found {
			return fmt.Errorf("%s is no tensor, operation or line with a statement of the model", word)
		}
	}
	var kept []*statementReport
	for _, s := range r.Statements {
		s.Operations = slices.DeleteFunc(s.Operations, func(o *operationReport) bool { return !chosen[o] })
		if len(s.Operations) > 0 {
			kept = append(kept, s)
		}
	}
	r.Statements = kept
	return nil
}

func (o *operationReport) matches(word string, s *statementReport) bool {
	if line, err := strconv.Atoi(word); err == nil {
		return s.Line == line || o.Place != nil && o.Place.Line == line ||
			slices.ContainsFunc(o.Trace, func(c callReport) bool { return c.Place != nil && c.Place.Line == line })
	}
	return o.Operation == word || slices.Contains(s.names, word) || slices.ContainsFunc(o.Results, func(t tensorReport) bool { return t.Name == word }) ||
		slices.ContainsFunc(o.Trace, func(c callReport) bool { return c.Operation == word })
}
