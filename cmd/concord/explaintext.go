package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// statementWidth is how much of a statement the summary shows.
const statementWidth = 64

// summary prints a line for each statement.
func (r *explanation) summary(w io.Writer) error {
	fmt.Fprintf(w, "graph %s, %s dialect\n", r.Graph, r.Dialect)
	t := newTable(w, 0)
	fmt.Fprintln(t, "LINE\tSTATEMENT\tOPERATIONS\tSHAPE\tNOTE")
	operations := 0
	for _, s := range r.Statements {
		operations += len(s.Operations)
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\n", s.Line, shorten(s.Statement, statementWidth), s.made(), s.shapes(), s.notes())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %s; a tensor, an operation or a line as argument tells more\n",
		count(int64(len(r.Statements)), "statement"), count(int64(operations), "operation"))
	return err
}

// shorten cuts a text to n letters.
func shorten(s string, n int) string {
	if letters := []rune(s); len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return s
}

// made counts the operations of a statement by their names, in the order in which they first occur.
func (s *statementReport) made() string {
	names := make([]string, len(s.Operations))
	for i, o := range s.Operations {
		names[i] = o.Operation
	}
	if len(names) == 0 {
		return "-"
	}
	return shorten(strings.Join(counted(names), ", "), statementWidth)
}

// shapes lists the shapes of what the last operation yields.
func (s *statementReport) shapes() string {
	if len(s.Operations) == 0 {
		return "-"
	}
	var shapes []string
	for _, t := range s.Operations[len(s.Operations)-1].Results {
		shapes = append(shapes, t.shape)
	}
	return shorten(strings.Join(shapes, " "), statementWidth)
}

// notes says what a reader does not see in the statement.
func (s *statementReport) notes() string {
	var notes []string
	add := func(note string) {
		if !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	for _, code := range s.Errors {
		add("error " + code)
	}
	for _, o := range s.Operations {
		if o.Custom {
			add("custom operation")
		}
		for _, w := range o.Windows {
			if w.Computed && w.padded() {
				add("padding " + w.padding())
			}
		}
		for _, a := range o.Broadcast {
			if len(a.As) > len(a.Shape) && len(a.Shape) > 0 {
				add(fmt.Sprintf("%s as %s", a.Tensor, ints(a.As)))
			}
		}
	}
	return shorten(strings.Join(notes, "; "), 3*statementWidth/2)
}

// padded tells whether there is any padding.
func (w *windowReport) padded() bool {
	return slices.ContainsFunc(w.Axes, func(a axisReport) bool { return a.Before != 0 || a.After != 0 })
}

// moves tells whether the window changes anything but takes element by element.
func (w *windowReport) moves() bool {
	return w.padded() || slices.ContainsFunc(w.Axes, func(a axisReport) bool { return a.Kernel != 1 || a.Stride != 1 })
}

// padding writes the padding of each axis as a document would.
func (w *windowReport) padding() string {
	parts := make([]string, len(w.Axes))
	for i, a := range w.Axes {
		parts[i] = fmt.Sprintf("(%d, %d)", a.Before, a.After)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func ints(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// write prints the chosen operations in full.
func (r *explanation) write(w io.Writer) error {
	var b bytes.Buffer
	for i, s := range r.Statements {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d: %s\n", s.Line, s.Statement)
		if len(s.Operations) > 1 || len(s.Operations[0].Trace) > 0 {
			s.tree(&b)
		}
		for _, o := range s.Operations {
			b.WriteByte('\n')
			o.write(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// tree prints the operations of a statement below the fragments that they come from.
func (s *statementReport) tree(b *bytes.Buffer) {
	fmt.Fprintln(b, "becomes")
	t := newTable(b, 0)
	var open []callReport
	for _, o := range s.Operations {
		same := 0
		for same < len(open) && same < len(o.Trace) && open[same].same(o.Trace[same]) {
			same++
		}
		open = append(open[:same:same], o.Trace[same:]...)
		for depth := same; depth < len(open); depth++ {
			fmt.Fprintf(t, "  %s%s\t\t%s\n", strings.Repeat("  ", depth), open[depth].Operation, line(open[depth].Place))
		}
		fmt.Fprintf(t, "  %s%s → %s\t%s\t%s\n", strings.Repeat("  ", len(open)), o.Operation, o.names(), o.shape(), line(o.Place))
	}
	t.Flush()
}

func (c callReport) same(d callReport) bool {
	return c.Operation == d.Operation && (c.Place == nil) == (d.Place == nil) && (c.Place == nil || *c.Place == *d.Place)
}

func line(p *placeReport) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("line %d", p.Line)
}

func (o *operationReport) names() string {
	names := make([]string, len(o.Results))
	for i, t := range o.Results {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}

func (o *operationReport) shape() string {
	shapes := make([]string, len(o.Results))
	for i, t := range o.Results {
		shapes[i] = t.shape
	}
	return strings.Join(shapes, ", ")
}

// write prints an operation with its arguments, window, alignment and operators.
func (o *operationReport) write(b *bytes.Buffer) {
	name := o.Operation
	if o.Type != "" {
		name += "<" + o.Type + ">"
	}
	fmt.Fprintf(b, "%s → %s", name, o.names())
	if o.Custom {
		b.WriteString("  (custom operation: nothing is known about its results)")
	}
	b.WriteByte('\n')
	t := newTable(b, 0)
	for _, a := range o.Arguments {
		a.write(t)
	}
	for _, r := range o.Results {
		fmt.Fprintf(t, "  → %s\t\t%s %s\n", r.Name, orUnknown(r.Type), r.shape)
	}
	t.Flush()
	for i := range o.Windows {
		if w := &o.Windows[i]; i == 0 || w.moves() {
			w.write(b)
		}
	}
	if len(o.Broadcast) > 0 {
		fmt.Fprintln(b, "  shapes are aligned on the left")
		for _, a := range o.Broadcast {
			fmt.Fprintf(t, "    %s\t%s\tas %s\n", a.Tensor, ints(a.Shape), ints(a.As))
		}
		t.Flush()
	}
	if len(o.Operators) > 0 {
		fmt.Fprintln(b, "  operators of Concord")
		for _, n := range o.Operators {
			fmt.Fprintf(t, "    %s(%s)\t→ %s\t%s\t%s\n", n.Operator, strings.Join(n.Operands, ", "), strings.Join(n.Results, ", "),
				strings.Join(n.Types, " "), n.Attributes)
		}
		t.Flush()
	}
}

func (a *argumentReport) write(w io.Writer) {
	if len(a.Tensors) == 1 && a.Tensors[0].Name == a.Value {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", a.Name, a.Value, a.Tensors[0].origin())
		return
	}
	given := ""
	if a.Default {
		given = "(default)"
	}
	fmt.Fprintf(w, "  %s\t%s\t%s\n", a.Name, shorten(a.Value, statementWidth), given)
	for _, x := range a.Tensors {
		fmt.Fprintf(w, "  \t%s\t%s\n", x.Name, x.origin())
	}
}

// origin says what a tensor is and where it comes from.
func (t *tensorReport) origin() string {
	return fmt.Sprintf("%s %s from %s", orUnknown(t.Type), t.shape, t.Operation)
}

// write prints a row for each axis and, if the padding was computed, how.
func (w *windowReport) write(b *bytes.Buffer) {
	given := "given"
	if w.Computed {
		given = "computed"
	}
	fmt.Fprintf(b, "  window of %s, padding %s\n", w.Operator, given)
	t := newTable(b, tabwriter.AlignRight)
	fmt.Fprintln(t, "  axis\tin\tkernel\tstride\tdilation\tcovers\tpadding\tout\t")
	for _, a := range w.Axes {
		fmt.Fprintf(t, "  %d\t%d\t%d\t%d\t%d\t%d\t(%d, %d)\t%d\t\n", a.Axis, a.In, a.Kernel, a.Stride, a.Dilation, a.Covers, a.Before, a.After, a.Out)
	}
	t.Flush()
	for _, a := range w.Axes {
		if text := a.sum(w.Up, w.Computed); text != "" {
			fmt.Fprintf(b, "    axis %d: %s\n", a.Axis, text)
		}
	}
}

// sum writes the calculation of the extent and of the padding along an axis on which something happens.
func (a *axisReport) sum(up, computed bool) string {
	if a.Kernel == 1 && a.Stride == 1 && a.Before == 0 && a.After == 0 {
		return ""
	}
	large, small := a.In, a.Out
	if up {
		large, small = small, large
	}
	reach := (small-1)*a.Stride + a.Covers
	windows := fmt.Sprintf("%s cover (%d − 1)·%d + %d = %d", count(int64(small), "window"), small, a.Stride, a.Covers, reach)
	switch {
	case computed && !up:
		return fmt.Sprintf("out = ⌈%d / %d⌉ = %d; %s, %s", a.In, a.Stride, a.Out, windows, a.missing(reach, large))
	case computed:
		return fmt.Sprintf("%s, %s", windows, a.missing(reach, large))
	case up:
		return fmt.Sprintf("out = %d; %s, less the padding %d + %d", a.Out, windows, a.Before, a.After)
	}
	return fmt.Sprintf("out = ⌊(%d + %d + %d − %d) / %d⌋ + 1 = %d", a.Before, a.In, a.After, a.Covers, a.Stride, a.Out)
}

// missing says what windows that reach so far need around an extent.
func (a *axisReport) missing(reach, extent int) string {
	if a.Before == 0 && a.After == 0 {
		return fmt.Sprintf("not more than %d: no padding", extent)
	}
	return fmt.Sprintf("%d more than %d: %d before and %d behind", reach-extent, extent, a.Before, a.After)
}
