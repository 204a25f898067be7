package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/onnx"
)

const head = `# ONNX's operators

<!-- Written by go generate ./onnx from the tables in package onnx; do not edit. -->

What Concord reads, version by version. A declaration has operands, attributes behind the semicolon, and results behind the arrow; a
question mark is behind what may be left out, an exclamation mark behind an attribute that must be given. An attribute that no declaration
has is an error; consumed_inputs, by which the first opsets said whose memory may be overwritten, has no effect.

The element types were found by trying: random models of each operator, with each type for each operand. What stands before a colon has the same type
always; a type holds in some version and with some attributes. Another one is refused before the run, with node, operator and operand. The names stand for

`

// gap is what the standard's newest version of an operator allows and ours does not take.
type gap struct{ op, name, types, why string }

// gaps are all of them, of tensors; a test holds them to the standard's declarations.
var gaps = []gap{
	{"Col2Im", "input", "bool", "overlapping blocks are added"},
	{"Col2Im", "output", "bool", "likewise"},
	{"BitCast", "output", "bool", "most bytes are no bool"},
}

// page writes the reference of all operators, of which the types are given as [texts] finds them.
func page(types []string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, x := range sets {
		fmt.Fprintf(&b, "- %s: %s\n", x.name, setMembers(x.types))
	}
	operators := onnx.Operators()
	fmt.Fprintf(&b, "\n%d operators.\n", len(operators))
	family := ""
	for k, o := range operators {
		if o.Family != family {
			family = o.Family
			fmt.Fprintf(&b, "\n## %s\n\n| operator | types | opsets | declaration |\n| --- | --- | --- | --- |\n", family)
		}
		for i, f := range o.Forms {
			name, typ := "", ""
			if i == 0 {
				name, typ = "`"+o.Name+"`", types[k]
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, typ, versions(f.Since), cell(declaration(f)))
		}
		if k+1 == len(operators) || operators[k+1].Family != family {
			b.WriteString(remarks(operators, family))
		}
	}
	b.WriteString("\n## Types that are not taken\n\nStrings and complex numbers are no elements of tensors here. Of the types of numbers and bool " +
		"that the standard's newest versions have, these are lacking:\n\n| operator | operand | types | why |\n| --- | --- | --- | --- |\n")
	for _, x := range gaps {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", x.op, x.name, x.types, x.why)
	}
	b.WriteString("\n## Out of scope\n\n| operator | why |\n| --- | --- |\n")
	refused := onnx.Refused()
	for _, name := range naming.Sorted(refused) {
		what := "`" + name + "`"
		if domain, ok := strings.CutSuffix(name, "."); ok {
			what = "all of `" + domain + "`"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", what, refused[name])
	}
	return b.String()
}

// remarks writes what is to be said about operators of a family, equal remarks once.
func remarks(operators []onnx.Operator, family string) (text string) {
	names := make(map[string][]string)
	var list []string
	for _, o := range operators {
		if o.Family != family || o.Remark == "" {
			continue
		}
		if names[o.Remark] == nil {
			list = append(list, o.Remark)
		}
		names[o.Remark] = append(names[o.Remark], "`"+o.Name+"`")
	}
	for _, r := range list {
		text += fmt.Sprintf("\n%s: %s.\n", strings.Join(names[r], ", "), r)
	}
	return text
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
