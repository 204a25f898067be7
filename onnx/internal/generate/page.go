package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/onnx"
)

const head = `# ONNX's operators

<!-- Written by go generate ./onnx from the tables in package onnx; do not edit. -->

What Concord reads, version by version. A declaration has operands, attributes behind the semicolon, and results behind the arrow; a
question mark is behind what may be left out, an exclamation mark behind an attribute that must be given. An attribute that no declaration
has is an error. The element types are those that the operators allow which a node becomes (` + "`concord explain MODEL NODE`" + ` names them;
[operators](operators/README.md) describes them); another type is refused before the run, with node, operator and operand.
`

// page writes the reference of all operators.
func page() string {
	var b strings.Builder
	b.WriteString(head)
	operators := onnx.Operators()
	fmt.Fprintf(&b, "\n%d operators.\n", len(operators))
	family := ""
	for _, o := range operators {
		if o.Family != family {
			family = o.Family
			fmt.Fprintf(&b, "\n## %s\n\n| operator | opsets | declaration | remarks |\n| --- | --- | --- | --- |\n", family)
		}
		for i, f := range o.Forms {
			name, remark := "", ""
			if i == 0 {
				name, remark = "`"+o.Name+"`", o.Remark
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, versions(f.Since), cell(declaration(f)), remark)
		}
	}
	b.WriteString("\n## Out of scope\n\n| operator | why |\n| --- | --- |\n")
	refused := onnx.Refused()
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		what := "`" + name + "`"
		if domain, ok := strings.CutSuffix(name, "."); ok {
			what = "all of `" + domain + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", what, refused[name])
	}
	return b.String()
}

func versions(list []int) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = strconv.Itoa(v)
	}
	return strings.Join(out, ", ")
}

func declaration(f onnx.Form) string {
	text := strings.Join(f.Operands, ", ")
	if len(f.Attributes) > 0 {
		text += "; " + strings.Join(f.Attributes, ", ")
	}
	return text + " → " + strings.Join(f.Results, ", ")
}

// cell writes code in a table.
func cell(text string) string { return "`" + strings.ReplaceAll(text, "|", "\\|") + "`" }
