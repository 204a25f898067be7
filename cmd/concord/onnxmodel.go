package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
)

// What check, explain and shapes say of ONNX models.

// checkONNX finds the mistakes in an ONNX model: those that show without shapes and, if the inputs' shapes are known, all others.
func (f *modelFlags) checkONNX(name string, shapes model.Shapes) (*fileReport, error) {
	r := &fileReport{File: name, Diagnostics: []diagnosticReport{}}
	file, err := f.openONNX(name)
	if err == nil {
		defer func() { _ = file.Close() }()
		err = file.Check()
	}
	var list onnx.Errors
	if err == nil {
		var nodes []*onnx.Translation
		nodes, err = file.Explain(shapes)
		for _, t := range nodes {
			if t.Err != nil {
				list = append(list, t.Err)
			}
		}
		if open := (*model.OpenError)(nil); errors.As(err, &open) && len(shapes) == 0 {
			err = nil // what depends on shapes is not checked
		}
	}
	var one *onnx.Error
	switch {
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = onnx.Errors{one}
	case err != nil:
		err = blamed(err)
		r.Unreadable = err.Error()
		return r, err
	}
	r.Errors, r.Valid = len(list), len(list) == 0
	for _, e := range list {
		r.Mistakes = append(r.Mistakes, mistakeReport{e.Node, e.Op, e.Opset, e.Operand, e.Msg})
	}
	return r, nil
}

// mistakeReport is a mistake in an ONNX model.
type mistakeReport struct {
	Node    string `json:"node,omitempty"`
	Op      string `json:"operator,omitempty"`
	Opset   int    `json:"opset,omitempty"`
	Operand string `json:"operand,omitempty"`
	Message string `json:"message"`
}

func (m *mistakeReport) text(file string) string {
	e := onnx.Error{File: file, Node: m.Node, Op: m.Op, Opset: m.Opset, Operand: m.Operand, Msg: m.Message}
	return "error: " + escape.Text(e.Error()) + "\n"
}

// explainONNX says what the nodes of an ONNX model become. Choices are names of nodes, of values and of operators; none stands for all.
func (f *explainFlags) explainONNX(name string, choices []string, w io.Writer) error {
	shapes, err := parseShapes(f.shapes)
	if err != nil {
		return &codedError{exitUsage, err}
	}
	file, err := f.openONNX(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	nodes, err := file.Explain(shapes)
	if err != nil {
		return f.placed(name, err)
	}
	var r onnxExplanation
	r.Model = name
	wrong := 0
	for _, t := range nodes {
		if len(choices) > 0 && !slices.ContainsFunc(choices, func(c string) bool { return chosen(t, c) }) {
			continue
		}
		if t.Err != nil {
			wrong++
		}
		r.Nodes = append(r.Nodes, reportTranslation(t))
	}
	if len(r.Nodes) == 0 && len(choices) > 0 {
		return refused("%s has no node, value or operator %s", name, escape.Quoted(choices))
	}
	if f.asJSON {
		err = writeJSON(w, r)
	} else {
		err = r.write(w)
	}
	if err == nil && wrong > 0 {
		err = errNegative
	}
	return err
}

// chosen reports whether a choice is of a node: its name or number, its operator, or a value that it reads or yields.
func chosen(t *onnx.Translation, choice string) bool {
	named := func(v onnx.Traced) bool { return v.Name == choice }
	return t.Op == choice || t.Node == choice || strings.Trim(t.Node, `"`) == choice || slices.ContainsFunc(t.In, named) || slices.ContainsFunc(t.Out, named)
}

// onnxExplanation is what explain prints of an ONNX model.
type onnxExplanation struct {
	Model string      `json:"model"`
	Nodes []*onnxNode `json:"nodes"`
}

// onnxNode is a node of an ONNX model.
type onnxNode struct {
	Node     string        `json:"node"`
	Operator string        `json:"operator"`
	Opset    int           `json:"opset,omitempty"`
	Inputs   []valueReport `json:"inputs"`
	Outputs  []valueReport `json:"outputs"`
	Becomes  []string      `json:"becomes"` // operators of ours
	Waits    string        `json:"waits,omitempty"`
	Mistake  string        `json:"mistake,omitempty"`
}

// valueReport is a value that a node reads or yields.
type valueReport struct {
	Name     string `json:"name"`
	Type     string `json:"type,omitempty"`
	Constant bool   `json:"constant,omitempty"`
}

func reportTranslation(t *onnx.Translation) *onnxNode {
	r := &onnxNode{Node: t.Node, Operator: t.Op, Opset: t.Opset, Inputs: reportTraced(t.In), Outputs: reportTraced(t.Out), Becomes: []string{}}
	for _, n := range t.Operators {
		r.Becomes = append(r.Becomes, n.Op)
	}
	if t.Waits != nil {
		r.Waits = t.Waits.Error()
	}
	if t.Err != nil {
		e := *t.Err
		e.File, e.Node = "", ""
		r.Mistake = e.Error()
	}
	return r
}

func reportTraced(list []onnx.Traced) []valueReport {
	out := make([]valueReport, len(list))
	for i, v := range list {
		out[i] = valueReport{Name: v.Name, Constant: v.Constant}
		switch {
		case v.Known:
			out[i].Type = v.Type.String()
		case v.Sequence:
			out[i].Type = "sequence"
		}
	}
	return out
}

// write prints a line for each node, and below it why it waits or is wrong.
func (r *onnxExplanation) write(w io.Writer) error {
	t := newTable(w, 0)
	fmt.Fprintln(t, "NODE\tOPERATOR\tREADS\tYIELDS\tBECOMES")
	for _, n := range r.Nodes {
		becomes := strings.Join(counted(n.Becomes), ", ")
		switch {
		case n.Mistake != "":
			becomes = "error: " + n.Mistake
		case n.Waits != "":
			becomes = "waits: " + n.Waits
		case becomes == "":
			becomes = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", escape.Text(n.Node), escape.Text(n.Operator), traceText(n.Inputs), traceText(n.Outputs), escape.Text(becomes))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s; a node, a value or an operator as argument chooses\n", count(int64(len(r.Nodes)), "node"))
	return err
}

// counted names each item once, with how often it stands in a list.
func counted(list []string) []string {
	var out []string
	counts := make(map[string]int)
	for _, x := range list {
		if counts[x]++; counts[x] == 1 {
			out = append(out, x)
		}
	}
	for i, x := range out {
		if n := counts[x]; n > 1 {
			out[i] = fmt.Sprintf("%s ×%d", x, n)
		}
	}
	return out
}

// traceText writes the types of values, and the names of those that are not known.
func traceText(list []valueReport) string {
	var out []string
	for _, v := range list {
		switch {
		case v.Type != "":
			out = append(out, v.Type)
		case v.Name != "":
			out = append(out, "?")
		default:
			out = append(out, "-")
		}
	}
	return shorten(strings.Join(out, " "), statementWidth)
}

// shapesONNX prints the type of every value of an ONNX model.
func (f *modelFlags) shapesONNX(name string) (*shapesReport, error) {
	shapes, err := parseShapes(f.shapes)
	if err != nil {
		return nil, &codedError{exitUsage, err}
	}
	file, err := f.openONNX(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	n, err := file.Network()
	if err != nil {
		return nil, err
	}
	bound, err := n.Complete(shapes)
	if err != nil {
		return nil, f.placed(name, err)
	}
	nodes, err := file.Explain(shapes)
	if err != nil {
		return nil, f.placed(name, err)
	}
	r := &shapesReport{Model: name, Graph: file.Model.Graph.Name}
	outputs := make(map[string]bool)
	for _, o := range file.Model.Graph.Output {
		outputs[o.Name] = true
	}
	seen := make(map[string]bool)
	add := func(v onnx.Traced, operation, role string) {
		if v.Name == "" || seen[v.Name] {
			return
		}
		seen[v.Name] = true
		if outputs[v.Name] {
			role = strings.TrimPrefix(role+", output", ", ")
		}
		x := tensorReport{Name: v.Name, Operation: operation, Role: role, Known: v.Known, shape: "?", elements: -1}
		if v.Known {
			x.Type, x.shape, x.elements = v.Type.DType.String(), v.Type.Shape.String(), int64(v.Type.Shape.Len())
			x.Shape = make([]*int, len(v.Type.Shape))
			for i := range x.Shape {
				x.Shape[i] = &v.Type.Shape[i]
			}
		}
		r.Tensors = append(r.Tensors, x)
	}
	for _, in := range n.Inputs() {
		t := onnx.Traced{Name: in.Name, Known: bound[in.Name] != nil, Sequence: in.Sequence}
		t.Type.DType, t.Type.Shape = in.DType, bound[in.Name]
		add(t, "input", "input")
	}
	for _, t := range nodes {
		for _, v := range t.In {
			if v.Constant {
				add(v, "initializer", "constant")
			}
		}
		for _, v := range t.Out {
			add(v, t.Op, "")
		}
		if t.Err != nil {
			return nil, t.Err
		}
	}
	return r, nil
}
