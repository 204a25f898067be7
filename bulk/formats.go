package bulk

import "io"

// assemble makes the result of the records of a working file, for a format that is not these records themselves.
func (j *Job) assemble(w io.Writer, inputs int64, work *io.SectionReader) error {
	if j.opts.Format == NPZ {
		return writeNPZ(w, inputs, work)
	}
	return writeTable(w, work)
}
