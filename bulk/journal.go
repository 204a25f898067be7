package bulk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
)

// entry is a line of a journal: one of its members.
type entry struct {
	Begin  *begin  `json:"begin,omitempty"`
	Chunk  *chunk  `json:"chunk,omitempty"`
	Finish *finish `json:"finish,omitempty"`
}

// begin says of which job a journal is.
type begin struct {
	Job    string `json:"job"`    // [Job.Digest]
	Skip   bool   `json:"skip"`   // whether the run notes inputs that cannot be computed; of a journal, the run that began it
	Inputs int64  `json:"inputs"` // in the whole list
	List   string `json:"list"`   // digest of the whole list
	Shard  int    `json:"shard"`
	Shards int    `json:"shards"`
}

// chunk says what stands in the working file by now, and what it was made of.
type chunk struct {
	Inputs  int64   `json:"inputs"` // that are done, of the shard
	Bytes   int64   `json:"bytes"`  // of the working file
	SHA256  string  `json:"sha256"` // of the bytes of this chunk
	Marks   string  `json:"marks"`  // digest of what changes with the inputs of this chunk
	Content string  `json:"content"`
	Errors  []fault `json:"errors,omitempty"`
}

// fault is an input that could not be computed.
type fault struct {
	Index int64  `json:"index"`
	Input string `json:"input"`
	Error string `json:"error"`
}

// finish says what the file is that the shard has become.
type finish struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumDigits are the hexadecimal digits of the checksum that begins a line.
const sumDigits = 8

// line writes the entry as a line: its checksum, a space, and the object.
func (e *entry) line() ([]byte, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%0*x %s\n", sumDigits, crc32.Checksum(text, castagnoli), text), nil
}

// parseEntry reads a line with its end. It returns nil for one that is not as it was written, as the last one of a process that was killed.
func parseEntry(line []byte) *entry {
	if len(line) < sumDigits+2 || line[sumDigits] != ' ' || line[len(line)-1] != '\n' {
		return nil
	}
	text := line[sumDigits+1 : len(line)-1]
	sum, err := strconv.ParseUint(string(line[:sumDigits]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(text, castagnoli) {
		return nil
	}
	var e entry
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if d.Decode(&e) != nil || (e.Begin != nil) == (e.Chunk != nil || e.Finish != nil) || e.Chunk != nil && e.Finish != nil {
		return nil
	}
	return &e
}

// history is what a journal tells, as far as it can be believed.
type history struct {
	begin  *begin
	chunks []chunk // without their errors, which stay in the file
	finish *finish
	failed []int64 // inputs up to the end of each chunk
	size   int64   // bytes of the journal that are believed
	ends   []int64 // of each chunk's line
}

// follows reports whether a line can stand behind what there is, and adds it.
func (h *history) follows(e *entry, bytes int64) bool {
	last := chunk{}
	if n := len(h.chunks); n > 0 {
		last = h.chunks[n-1]
	}
	switch {
	case h.finish != nil, (e.Begin != nil) != (h.begin == nil):
		return false
	case e.Begin != nil:
		h.begin = e.Begin
	case e.Chunk != nil:
		if e.Chunk.Inputs <= last.Inputs || e.Chunk.Bytes < last.Bytes || len(e.Chunk.Errors) > chunkInputs {
			return false
		}
		h.failed = append(h.failed, h.failures()+int64(len(e.Chunk.Errors)))
		c := *e.Chunk
		c.Errors = nil
		h.chunks, h.ends = append(h.chunks, c), append(h.ends, h.size+bytes)
	default:
		h.finish = e.Finish
	}
	h.size += bytes
	return true
}

// done is how many inputs of the shard are done, and bytes the length of the working file that has them.
func (h *history) done() (inputs, bytes int64) {
	if n := len(h.chunks); n > 0 {
		return h.chunks[n-1].Inputs, h.chunks[n-1].Bytes
	}
	return 0, 0
}

// failures is how many of the inputs that are done could not be computed.
func (h *history) failures() int64 {
	if n := len(h.failed); n > 0 {
		return h.failed[n-1]
	}
	return 0
}
