package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/diff"
)

// writeRun prints the table of operators and where the runs part.
func (d *comparison) writeRun(most int) error {
	v := d.divergence
	rows := v.Rows
	hidden := ""
	if most > 0 && len(rows) > most {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *diff.Row) bool { return r.Delta != nil && r.Delta.Differ == 0 })
		hidden = fmt.Sprintf("%d results of operators are equal to the bit and not shown; --all shows them\n", len(v.Rows)-len(rows))
		if len(rows) > most {
			hidden += fmt.Sprintf("%d more differ and are not shown\n", len(rows)-most)
			rows = rows[:most]
		}
	}
	t := newTable(d.out, 0)
	t.spare = []int{2, 4} // types, then relative differences
	fmt.Fprintf(t, "  OPERATOR\tRESULT\tTYPE\tDIFFER\tMAX ABS\tMAX REL\tULP\t\n")
	for _, list := range [][]*diff.Row{rows, v.Outputs} {
		for _, r := range list {
			writeRow(t, r, v.First != nil && v.First.Row == r)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprint(d.out, hidden)
	if v.Alone != [2]int{} {
		fmt.Fprintf(d.out, "without a counterpart: %d operators of A, %d of B\n", v.Alone[0], v.Alone[1])
	}
	if v.First != nil {
		d.writeFirst(v.First)
	}
	_, err := fmt.Fprintln(d.out, d.verdict())
	return err
}

// writeRow prints one line of the table.
func writeRow(w io.Writer, r *diff.Row, first bool) {
	mark, typ := " ", r.Types[0]
	if first {
		mark = "→"
	}
	if r.Types[0] != r.Types[1] {
		typ += " ≠ " + r.Types[1]
	}
	name := r.Value
	if r.Match != "" {
		name += " (" + r.Match + ")"
	}
	fmt.Fprintf(w, "%s %s\t%s\t%s\t", mark, r.Kind, name, typ)
	switch d := r.Delta; {
	case d == nil:
		fmt.Fprintf(w, "shapes differ\t\t\t\t\n")
	case d.Differ == 0:
		fmt.Fprintf(w, "0\t\t\t\t%s\n", nanNote(d))
	default:
		fmt.Fprintf(w, "%d of %d\t%.3g\t%.3g\t%d\t%s\n", d.Differ, d.Elements, float64(d.MaxAbs), float64(d.MaxRel), d.MaxULP, nanNote(d))
	}
}

func nanNote(d *diff.Delta) string {
	switch {
	case d.NaN == [2]int{}:
		return ""
	case d.NaN[0] == d.NaN[1]:
		return fmt.Sprintf("NaN: %d", d.NaN[0])
	}
	return fmt.Sprintf("NaN: %d in A, %d in B", d.NaN[0], d.NaN[1])
}

// writeFirst explains where the runs part.
func (d *comparison) writeFirst(f *diff.First) {
	place := f.Row.A.Place
	if place != "" {
		place = "   (A: " + place + ")"
	}
	step := ""
	if d.divergence.Steps > 1 {
		step = fmt.Sprintf(" in step %d", f.Row.Step)
	}
	fmt.Fprintf(d.out, "\nThe runs part%s at  %s%s\n", step, f.Row.A.Text, place)
	if f.Row.B.Text != f.Row.A.Text {
		fmt.Fprintf(d.out, "    in B  %s\n", f.Row.B.Text)
	}
	fmt.Fprintf(d.out, "    result: %s\n", f.Row.Summary())
	for _, a := range f.Attributes {
		if a.A == a.B {
			fmt.Fprintf(d.out, "    %s = %s\n", a.Name, a.A)
		} else {
			fmt.Fprintf(d.out, "    %s = %s in A, %s in B\n", a.Name, cmp.Or(a.A, "none"), cmp.Or(a.B, "none"))
		}
	}
	for _, o := range f.Operands {
		names := o.A
		if o.A != o.B {
			names += " in A, " + o.B + " in B"
		}
		fmt.Fprintf(d.out, "    operand %s: %s: %s\n", o.Name, names, o.State)
	}
}

// verdict says in one line whether the outputs agree.
func (d *comparison) verdict() string {
	rule := "to the bit"
	if d.flags.tol != (diff.Tolerance{}) {
		rule = fmt.Sprintf("within atol %g, rtol %g", d.flags.tol.Abs, d.flags.tol.Rel)
	}
	var apart []string
	for _, r := range d.divergence.Outputs {
		if !r.Agrees() {
			apart = append(apart, r.Value)
		}
	}
	if len(apart) == 0 {
		return "the outputs agree " + rule
	}
	return fmt.Sprintf("outputs that do not agree %s: %s", rule, strings.Join(apart, ", "))
}
