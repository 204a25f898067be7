package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// table aligns columns, as a [tabwriter.Writer] does, and leaves no spaces at the ends of lines. On a terminal it is as wide as that at most: long
// cells are cut, or go on in further lines.
type table struct {
	to        io.Writer
	flags     uint
	width     int          // columns that there are; 0 for any number
	spare     []int        // columns that are left out where there is too little room for all, each by its place among those that are left
	sentences bool         // whether the last cells of rows are not cut but go on in further lines, as those of tables with two columns do
	cells     bytes.Buffer // what was written
	err       error        // of writing, after which nothing more is written
}

// newTable returns a table whose columns are separated by tabs; flags are those of package tabwriter.
func newTable(w io.Writer, flags uint) *table {
	return &table{to: w, flags: flags, width: terminalWidth(w)}
}

// tableGap is the space between columns.
const tableGap = 2

// Write implements [io.Writer].
func (t *table) Write(p []byte) (int, error) { return t.cells.Write(p) }

// Flush aligns and writes what was written since it was last called. It returns the first error of this and earlier calls.
func (t *table) Flush() error {
	rows := strings.Split(strings.TrimSuffix(t.cells.String(), "\n"), "\n")
	if t.cells.Len() == 0 {
		rows = nil
	}
	t.cells.Reset()
	gap := tableGap
	if t.width > 0 {
		for _, k := range t.spare {
			if leastWidth(rows) > t.width {
				leaveOut(rows, k)
			}
		}
		if columns := len(columnsOf(rows)); t.sentences || columns <= 2 {
			rows = goingOn(rows, columns, t.width)
		} else {
			gap = narrow(rows, t.width)
		}
	}
	var b bytes.Buffer
	aligned := tabwriter.NewWriter(&b, 0, 0, gap, ' ', t.flags)
	for _, row := range rows {
		fmt.Fprintln(aligned, row)
	}
	_ = aligned.Flush() // a buffer takes everything
	for line := range strings.Lines(b.String()) {
		if t.err == nil {
			_, t.err = io.WriteString(t.to, strings.TrimRight(line, " \n")+"\n")
		}
	}
	return t.err
}

// leastCell is how many characters of a text stay.
const leastCell = 6

// column says how wide the cells of a column are, and how wide they have to stay.
type column struct{ width, least int }

// columnsOf returns the columns of rows.
func columnsOf(rows []string) (list []column) {
	for i, row := range rows {
		for k, cell := range strings.Split(row, "\t") {
			if k == len(list) {
				list = append(list, column{})
			}
			c, n := &list[k], utf8.RuneCountInString(cell)
			c.width = max(c.width, n)
			if isNumber(cell) {
				c.least = max(c.least, n)
			} else if i > 0 || n < leastCell { // heads may become as narrow as what is below them
				c.least = max(c.least, min(n, leastCell))
			}
		}
	}
	return list
}

// leastWidth is how wide rows are when they are cut as far as they may be.
func leastWidth(rows []string) int {
	all := -1
	for _, c := range columnsOf(rows) {
		all += 1 + min(c.width, max(c.least, 1))
	}
	return all
}

// leaveOut takes a column out of rows.
func leaveOut(rows []string, k int) {
	for i, row := range rows {
		if cells := strings.Split(row, "\t"); k < len(cells) {
			rows[i] = strings.Join(slices.Delete(cells, k, k+1), "\t")
		}
	}
}

// goingOn breaks the last cells of rows into lines, if there is room for a few words.
func goingOn(rows []string, columns, width int) (list []string) {
	for _, c := range columnsOf(rows)[:max(columns-1, 0)] {
		width -= c.width + tableGap
	}
	if width < 2*leastCell {
		return rows
	}
	for _, row := range rows {
		at := strings.LastIndex(row, "\t") + 1
		lines := strings.Split(reflowed(row[at:], width), "\n")
		list = append(list, row[:at]+lines[0])
		for _, line := range lines[1:] {
			list = append(list, strings.Repeat("\t", columns-1)+line)
		}
	}
	return list
}

// narrow cuts the longest texts in rows until no row is wider than there is room for, as far as all keep some characters and numbers are whole. It returns
// the gap between columns, which is smaller where there is too little room.
func narrow(rows []string, width int) int {
	columns := columnsOf(rows)
	gap, over := tableGap, tableGap*(len(columns)-1)-width
	for _, c := range columns {
		over += c.width
	}
	for over > 0 { // take from the widest that can be cut, a character at a time
		widest := -1
		for k, c := range columns {
			if c.width > max(c.least, 1) && (widest < 0 || c.width > columns[widest].width) {
				widest = k
			}
		}
		if widest < 0 {
			gap = 1
			break
		}
		columns[widest].width--
		over--
	}
	for i, row := range rows {
		cells := strings.Split(row, "\t")
		for k, cell := range cells {
			cells[k] = shorten(cell, columns[k].width)
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
