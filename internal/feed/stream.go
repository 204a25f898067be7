package feed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// Stream is standard input, from which inputs of a model are made.
type Stream struct {
	Most int64 // bytes that are read into memory to be decoded

	r      *bufio.Reader
	arrays *tensor.NPZ    // an archive that was read
	array  *tensor.Tensor // that was read
}

// NewStream returns standard input.
func NewStream(r io.Reader) *Stream { return &Stream{r: bufio.NewReader(r), Most: media.MaxFileBytes} }

// signatures are the first bytes of files. A JPEG has too few for raw bytes not to begin so: it counts for an input that is a picture only.
var signatures = []struct {
	form   Form
	begins string
}{
	{Array, "\x93NUMPY"}, {Archive, "PK\x03\x04"}, {Picture, "\x89PNG\r\n\x1a\n"}, {Picture, "GIF87a"}, {Picture, "GIF89a"}, {Sound, "RIFF"},
}

// form recognises what the stream holds for an input of a kind by its first bytes. What begins like nothing else is raw.
func (s *Stream) form(kind manifest.InputKind) Form {
	head, _ := s.r.Peek(12) // of a shorter stream, what there is
	for _, known := range signatures {
		if strings.HasPrefix(string(head), known.begins) && (known.form != Sound || bytes.HasSuffix(head, []byte("WAVE"))) {
			return known.form
		}
	}
	if MediaForm(kind) == Picture && bytes.HasPrefix(head, []byte{0xff, 0xd8, 0xff}) {
		return Picture
	}
	return Raw
}

// bytes reads the stream to its end.
func (s *Stream) bytes() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(s.r, s.Most+1))
	if err == nil && int64(len(data)) > s.Most {
		err = fmt.Errorf("%s: it is larger than %d bytes", stdinName, s.Most)
	}
	return data, err
}

// npy returns the array that the stream holds.
func (s *Stream) npy() (*tensor.Tensor, error) {
	if s.array != nil {
		return s.array, nil
	}
	t, err := tensor.ReadNPY(s.r, tensor.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", stdinName, err)
	}
	s.array = t
	return t, nil
}

// npz returns the archive that the stream holds.
func (s *Stream) npz() (*tensor.NPZ, error) {
	if s.arrays != nil {
		return s.arrays, nil
	}
	data, err := s.bytes()
	if err != nil {
		return nil, err
	}
	if s.arrays, err = tensor.OpenNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{}); err != nil {
		return nil, fmt.Errorf("%s: %w", stdinName, err)
	}
	return s.arrays, nil
}
