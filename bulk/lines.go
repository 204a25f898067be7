package bulk

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// lineBytes bounds a line of a list.
const lineBytes = limits.BulkLine

// lines visits an item for each object of a file with one on a line.
func (w *walker) lines(name string) error {
	f, _, err := mapfile.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	skipMark(r)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := w.line(name, n, line); err != nil {
			return err
		}
	}
}

// skipMark reads past the mark.
func skipMark(r *bufio.Reader) {
	if head, _ := r.Peek(len(mapfile.ByteOrderMark)); string(head) == mapfile.ByteOrderMark {
		_, _ = r.Discard(len(mapfile.ByteOrderMark)) // which are there
	}
}

// line visits the item of a line.
func (w *walker) line(name string, n int, line []byte) error {
	it := &Item{Source: fmt.Sprintf("%s:%d", name, n), mark: func() string { return markOf(line) }}
	it.open = func() (*opened, error) {
		j := w.given.Job()
		j.Source = it.Source
		return &opened{Job: j}, w.parse(line, j, name)
	}
	return w.item(it)
}

func markOf(data []byte) string { return fmt.Sprintf("%x;", sha256.Sum256(data)) }

// readLine reads a line without its end into memory of its own. The last line may have no end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > lineBytes {
			return nil, fmt.Errorf("the line is longer than %d bytes", lineBytes)
		}
		if len(line)+len(part) > cap(line) {
			line = slices.Grow(line, max(len(line), len(part))) // as append alone would copy a long line five times
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		default:
			return nil, err
		}
	}
}

// pathColumns are what the column with the paths of the only input may be called, besides the name of the input.
var pathColumns = []string{"path", "file", "filename", "file_name", "input"}

// table visits an item for each row of a .csv with paths.
func (w *walker) table(name string) error {
	f, _, err := mapfile.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	skipMark(text)
	bounded := &boundedReader{r: text}
	r := csv.NewReader(bounded)
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	var columns []int // of each open input
	for first := true; ; first = false {
		bounded.left = lineBytes
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if first {
			var header bool
			if columns, header, err = w.columns(record); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			} else if header {
				continue
			}
		}
		n, _ := r.FieldPos(0)
		if err := w.record(name, n, record, columns); err != nil {
			return err
		}
	}
}

// columns finds the column of each open input: by the first row, if it is a header, and else in order.
func (w *walker) columns(first []string) (columns []int, header bool, err error) {
	columns = make([]int, len(w.open))
	missing := ""
	for k, i := range w.open {
		name := w.feeder.Inputs[i].Name
		at := slices.Index(first, name)
		if at < 0 && len(w.open) == 1 {
			at = slices.IndexFunc(first, func(cell string) bool { return slices.Contains(pathColumns, strings.ToLower(strings.TrimSpace(cell))) })
		}
		if columns[k] = at; at >= 0 {
			header = true
		} else {
			missing = name
		}
	}
	switch {
	case header && missing != "":
		return nil, true, fmt.Errorf("the first row names no column for the input %q", missing)
	case !header:
		for k := range columns {
			columns[k] = k
		}
	}
	return columns, header, nil
}

// record visits the item of a row.
func (w *walker) record(name string, line int, record []string, columns []int) error {
	j := w.given.Job()
	j.Source = fmt.Sprintf("%s:%d", name, line)
	for k, i := range w.open {
		if columns[k] >= len(record) || record[columns[k]] == "" {
			it := &Item{Source: j.Source, mark: func() string { return "" }}
			it.open = func() (*opened, error) {
				return nil, fmt.Errorf("the row has no path for the input %q", w.feeder.Inputs[i].Name)
			}
			return w.item(it)
		}
		j.Files[i] = beside(name, record[columns[k]])
		if len(w.open) == 1 {
			j.Source = j.Files[i]
		}
	}
	return w.job(j)
}

// boundedReader refuses to read more than is left.
type boundedReader struct {
	r    io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a row is longer than %d bytes", lineBytes)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
