package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/naming"
)

// writeCVM prints the totals of an admitted CVM model.
func writeCVM(w io.Writer, graph, params string, a *cvm.Admission) error {
	t := newTable(w, 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	rules := "strict"
	if a.Compat {
		rules = "deployed"
	}
	row("model", "%s (CVM, version %s, %s rules)", escape.Text(graph), escape.Text(a.Version), rules)
	if params == "" {
		params = "none are given; this is admission of the graph alone"
	}
	row("parameters", "%s", escape.Text(params))
	row("input", "%s", encoding(a.InputLength, a.InputTypeSize))
	row("output", "%s", encoding(a.OutputLength, a.OutputTypeSize))
	if a.Postprocess != "" {
		row("post-processing", "%s", escape.Text(a.Postprocess))
	}
	row("gas", "%s", group(a.Gas))
	row("storage", "%s bytes", group(a.Storage))
	row("memory of a run", "%s bytes", group(a.Memory))
	return t.Flush()
}

// encoding describes the bytes of an input or output.
func encoding(length int64, size int) string {
	if length == 0 {
		return "none"
	}
	return fmt.Sprintf("%s bytes, %d for each element", group(length), size)
}

// writeCVMTensors prints a line for each tensor.
func writeCVMTensors(w io.Writer, a *cvm.Admission) error {
	t := newTable(w, 0)
	fmt.Fprintf(w, "\nTENSORS\n")
	fmt.Fprintf(t, "  #\tNAME\tSHAPE\tPRECISION\tSTORAGE\tTYPE\tROLE\n")
	role := make([]string, len(a.Tensors))
	for _, n := range a.Nodes {
		if n.Operator == "" {
			role[n.Outputs[0]] = "parameter"
		}
	}
	if a.Input >= 0 {
		role[a.Input] = "input"
	}
	for _, h := range a.Heads {
		role[h] = strings.TrimPrefix(role[h]+", output", ", ")
	}
	for i, x := range a.Tensors {
		fmt.Fprintf(t, "  %d\t%s\t%v\t%d\t%d\t%s\t%s\n", i, escape.Text(x.Name), x.Shape, x.Precision, x.Storage, x.Type, role[i])
	}
	return t.Flush()
}

// writeCVMNodes prints a line for each node, and the sums as the last.
func writeCVMNodes(w io.Writer, a *cvm.Admission) error {
	t := newTable(w, 0)
	fmt.Fprintf(w, "\nNODES\n")
	fmt.Fprintf(t, "  #\tNAME\tOPERATOR\tINPUTS\tSHAPE\tPRECISION\tGAS\tATTRIBUTES\n")
	for i, n := range a.Nodes {
		operator := n.Operator
		if operator == "" {
			operator = "variable"
		}
		var shapes, precisions []string
		for _, k := range n.Outputs {
			shapes = append(shapes, a.Tensors[k].Shape.String())
			precisions = append(precisions, strconv.Itoa(a.Tensors[k].Precision))
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i, escape.Text(n.Name), operator, escape.Text(tensorNames(a, n.Inputs)),
			strings.Join(shapes, " "), strings.Join(precisions, " "), group(n.Gas), escape.Text(attributes(n.Attrs)))
	}
	fmt.Fprintf(t, "\tin all\t\t\t\t\t%s\n", group(a.Gas))
	return t.Flush()
}

func tensorNames(a *cvm.Admission, list []int) string {
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = a.Tensors[k].Name
	}
	return strings.Join(names, " ")
}

// attributes writes attributes as the graph spells them, in the order of their names.
func attributes(list map[string]string) string {
	var text []string
	for _, name := range naming.Sorted(list) {
		text = append(text, name+" = "+list[name])
	}
	return strings.Join(text, ", ")
}
