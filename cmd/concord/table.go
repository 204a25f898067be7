package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// table aligns columns, as a [tabwriter.Writer] does, and leaves no spaces at the ends of lines. On a terminal it is as wide as that at most: long
// cells are cut.
type table struct {
	to    io.Writer
	flags uint
	width int          // columns that there are; 0 for any number
	cells bytes.Buffer // what was written
}

// newTable returns a table whose columns are separated by tabs; flags are those of package tabwriter.
func newTable(w io.Writer, flags uint) *table {
	return &table{to: w, flags: flags, width: terminalWidth(w)}
}

// tableGap is the space between columns.
const tableGap = 2

// Write implements [io.Writer].
func (t *table) Write(p []byte) (int, error) { return t.cells.Write(p) }

// Flush aligns and writes what was written since it was last called.
func (t *table) Flush() error {
	rows := strings.Split(strings.TrimSuffix(t.cells.String(), "\n"), "\n")
	if t.cells.Len() == 0 {
		rows = nil
	}
	t.cells.Reset()
	if t.width > 0 {
		narrow(rows, t.width)
	}
	var b bytes.Buffer
	aligned := tabwriter.NewWriter(&b, 0, 0, tableGap, ' ', t.flags)
	for _, row := range rows {
		if _, err := io.WriteString(aligned, row+"\n"); err != nil {
			return err
		}
	}
	if err := aligned.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(t.to, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// leastCell is how many characters of a cell stay.
const leastCell = 6

// narrow cuts the longest cells of rows until no row is wider than there is room for, as far as all keep some characters.
func narrow(rows []string, width int) {
	split := make([][]string, len(rows))
	var widths []int // of the columns
	for i, row := range rows {
		split[i] = strings.Split(row, "\t")
		for k, cell := range split[i] {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	if len(widths) <= 2 { // names and what there is to say of them, which goes on in the next line
		return
	}
	over := tableGap*(len(widths)-1) - width
	for _, w := range widths {
		over += w
	}
	if over <= 0 {
		return
	}
	for over > 0 { // take from the widest, down to the next in width
		widest := slices.Max(widths)
		next, count := leastCell, 0
		for _, w := range widths {
			switch {
			case w == widest:
				count++
			case w > next:
				next = w
			}
		}
		if widest <= leastCell {
			break
		}
		cut := min(widest-next, (over+count-1)/count)
		for k, w := range widths {
			if w == widest {
				widths[k] -= cut
				over -= cut
			}
		}
	}
	for i, cells := range split {
		for k, cell := range cells {
			cells[k] = shorten(cell, widths[k])
		}
		rows[i] = strings.Join(cells, "\t")
	}
}
