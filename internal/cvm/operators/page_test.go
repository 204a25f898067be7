package operators_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
)

// TestPage holds the page of the operators to the table.
func TestPage(t *testing.T) {
	golden.Compare(t, filepath.Join(testdata.Root(t), "docs", "cvm-operators.md"), page())
}

// page returns the table as the page docs/cvm-operators.md.
func page() string {
	table := operators.All()
	var b strings.Builder
	b.WriteString("# CVM operators\n\nWritten by `go generate ./internal/cvm/operators` from the table in that package, in the order of the names. " +
		"[cvm.md](cvm.md) says what holds for all of them.\n\n")
	fmt.Fprintf(&b, "A tensor has 1…%d dimensions, each 1…%d, at most %d elements, and a precision of 1…%d. "+
		"The bits of a number are its binary digits: 1 for 1, 3 for 4. Gas is that of an operator for each element of its first "+
		"output, to which 5 for each element of every output are added. An operator in place may give its output the storage of an input. "+
		"A single integer has 32 bits, those of a tuple 64. "+
		"Graphs may append _ and digits to an operator's name, as in conv2d_12.\n\n",
		operators.MaxRank, operators.MaxExtent, operators.MaxElements, operators.MaxPrecision)
	b.WriteString("| operator | operands | precision of the output | gas | in place | on Concord's operator |\n" +
		"| --- | --- | --- | --- | --- | --- |\n")
	for _, o := range table {
		inPlace := ""
		if o.InPlace {
			inPlace = "yes"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s | %s |\n",
			o.Name, o.Name, o.Operands, o.Precision.Text, cmp.Or(o.Gas.Text, "1"), inPlace, loweredTo(o.Name))
	}
	for _, o := range table {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", o.Name, o.Doc)
		if len(o.Aliases) > 0 {
			fmt.Fprintf(&b, "\nAliases, for which gas is counted but which do not run: `%s`.\n", strings.Join(o.Aliases, "`, `"))
		}
		if len(o.Attrs) == 0 {
			b.WriteString("\nNo attributes.\n")
			continue
		}
		b.WriteString("\n| attribute | kind | default | |\n| --- | --- | --- | --- |\n")
		for i := range o.Attrs {
			a := &o.Attrs[i]
			missing := "must be given"
			if a.Default != nil {
				missing = "`" + operators.Format(a.Default) + "`"
			}
			kind := a.Kind.String()
			if a.Kind == operators.Enum || a.Min != 0 || a.Max != 0 {
				kind = a.Want()
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, kind, missing, a.Doc)
		}
	}
	return b.String()
}

// loweredTo links the operators of package op that name one of CVM's as theirs.
func loweredTo(name string) string {
	var links []string
	for _, def := range op.All() {
		if slices.Contains(strings.Split(def.Spec.CVM, ", "), name) {
			links = append(links, fmt.Sprintf("[%s](operators/%s.md)", def.Name, def.Name))
		}
	}
	return strings.Join(links, ", ")
}
