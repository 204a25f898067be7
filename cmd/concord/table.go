package main

import (
	"bytes"
	"io"
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
	gap := tableGap
	if t.width > 0 {
		gap = narrow(rows, t.width)
	}
	var b bytes.Buffer
	aligned := tabwriter.NewWriter(&b, 0, 0, gap, ' ', t.flags)
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

// leastCell is how many characters of a text stay.
const leastCell = 6

// narrow cuts the longest texts in rows until no row is wider than there is room for, as far as all keep some characters and numbers are whole. It returns
// the gap between columns, which is smaller where there is too little room.
func narrow(rows []string, width int) int {
	split := make([][]string, len(rows))
	var widths, least []int // of the columns
	for i, row := range rows {
		split[i] = strings.Split(row, "\t")
		for k, cell := range split[i] {
			if k == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
			}
			n := utf8.RuneCountInString(cell)
			widths[k] = max(widths[k], n)
			if keep := min(n, leastCell); isNumber(cell) {
				least[k] = max(least[k], n)
			} else if i > 0 || n < leastCell { // heads may become as narrow as what is below them
				least[k] = max(least[k], keep)
			}
		}
	}
	if len(widths) <= 2 { // names and what there is to say of them, which goes on in the next line
		return tableGap
	}
	gap, over := tableGap, tableGap*(len(widths)-1)-width
	for _, w := range widths {
		over += w
	}
	for over > 0 { // take from the widest that can be cut, a character at a time
		widest := -1
		for k, w := range widths {
			if w > max(least[k], 1) && (widest < 0 || w > widths[widest]) {
				widest = k
			}
		}
		if widest < 0 {
			gap = 1
			break
		}
		widths[widest]--
		over--
	}
	for i, cells := range split {
		for k, cell := range cells {
			cells[k] = shorten(cell, widths[k])
		}
		rows[i] = strings.Join(cells, "\t")
	}
	return gap
}

// isNumber reports whether a cell has a number, perhaps with a unit.
func isNumber(cell string) bool {
	cell = strings.TrimLeft(cell, " -")
	return cell != "" && cell[0] >= '0' && cell[0] <= '9'
}
