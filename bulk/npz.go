package bulk

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// row is what a record of a working file says.
type row struct {
	Input string `json:"input"`
	Error string `json:"error"`
	*answer
}

// rows reads the records of a working file from its beginning.
func rows(work *io.SectionReader, visit func(*row) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(work, 0, work.Size()), int(min(work.Size(), 1<<20)))
	return records(r, r, func(a *answer) error {
		x := &row{answer: a}
		if err := json.Unmarshal(a.report, x); err != nil {
			return err
		}
		return visit(x)
	})
}

// column is an array of an archive: an output of all inputs.
type column struct {
	name string
	typ  graph.Type // of one input
}

// arrays finds the arrays of an archive, and the length of the longest name of an input.
func arrays(work *io.SectionReader) (columns []column, longest int, err error) {
	err = rows(work, func(x *row) error {
		longest = max(longest, len(x.Input))
		if x.Error != "" {
			return nil
		}
		if columns == nil {
			for _, t := range x.tensors {
				columns = append(columns, column{t.Name, graph.TypeOf(t.Tensor)})
			}
		}
		return fits(columns, x)
	})
	return columns, longest, err
}

// fits refuses outputs of other shapes than those of the first input.
func fits(columns []column, x *row) error {
	same := len(columns) == len(x.tensors)
	for i := 0; same && i < len(columns); i++ {
		same = columns[i].name == x.tensors[i].Name && columns[i].typ.Equal(graph.TypeOf(x.tensors[i].Tensor))
	}
	if !same {
		return fmt.Errorf("%s: its outputs have other shapes than those of the first input; arrays need the same, jsonl and parquet take any", x.Input)
	}
	return nil
}

// writeNPZ makes the archive: an array for each output, with a row for each input in place of an extent of 1 in front; "source", what the inputs are
// called, in UTF-8; and "failed", which inputs could not be computed: their rows are 0.
func writeNPZ(w io.Writer, inputs int64, work *io.SectionReader) error {
	columns, longest, err := arrays(work)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	taken := map[string]bool{}
	member := func(name, descr string, shape tensor.Shape) (*bufio.Writer, error) {
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		// The earliest time that zip archives know, as everywhere.
		m, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		b := bufio.NewWriterSize(m, 1<<18)
		_, err = b.Write(tensor.NPYHeader(descr, append(tensor.Shape{int(inputs)}, shape...)))
		return b, err
	}
	each := func(name, descr string, shape tensor.Shape, data func(*row) []byte) error {
		b, err := member(name, descr, shape)
		if err == nil {
			err = rows(work, func(x *row) error {
				_, err := b.Write(data(x))
				return err
			})
		}
		if err == nil {
			err = b.Flush()
		}
		return err
	}
	for i, c := range columns {
		descr, err := tensor.NPYDescr(c.typ.DType)
		if err != nil {
			return fmt.Errorf("output %q: %w", c.name, err)
		}
		shape := c.typ.Shape
		if len(shape) > 0 && shape[0] == 1 {
			shape = shape[1:]
		}
		none := make([]byte, c.typ.Bytes())
		err = each(c.name, descr, shape, func(x *row) []byte {
			if x.Error != "" {
				return none
			}
			return tensor.Raw(x.tensors[i].Tensor)
		})
		if err != nil {
			return err
		}
	}
	name := make([]byte, max(longest, 1))
	err = each("source", fmt.Sprintf("|S%d", len(name)), nil, func(x *row) []byte {
		clear(name[copy(name, x.Input):])
		return name
	})
	if err != nil {
		return err
	}
	err = each("failed", "|b1", nil, func(x *row) []byte {
		if x.Error != "" {
			return []byte{1}
		}
		return []byte{0}
	})
	if err != nil {
		return err
	}
	return z.Close()
}
