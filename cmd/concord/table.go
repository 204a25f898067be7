package main

import (
	"bytes"
	"io"
	"strings"
	"text/tabwriter"
)

// table aligns columns, as a [tabwriter.Writer] does, and leaves no spaces at the ends of lines.
type table struct {
	*tabwriter.Writer
	to io.Writer
	b  bytes.Buffer
}

// newTable returns a table whose columns are separated by tabs; flags are those of package tabwriter.
func newTable(w io.Writer, flags uint) *table {
	t := &table{to: w}
	t.Writer = tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', flags)
	return t
}

// Flush aligns and writes what was written since it was last called.
func (t *table) Flush() error {
	if err := t.Writer.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(t.b.String()) {
		if _, err := io.WriteString(t.to, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	t.b.Reset()
	return nil
}
