package tensor

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Named is a tensor with the name it has in an .npz archive, without the suffix ".npy" of its member.
type Named struct {
	Name   string
	Tensor *Tensor
}

// ReadNPZ reads NumPy's .npz format: a zip archive, stored or deflated, whose members are .npy arrays. It returns them
// in the order of the archive's directory; their names are unique. [ReadNPY] says which arrays it reads. All errors are
// of type [*FormatError].
func ReadNPZ(r io.ReaderAt, size int64, limits Limits) ([]Named, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, &FormatError{Offset: -1, Msg: "the archive cannot be opened", Err: err}
	}
	limits = limits.withDefaults()
	if n := int64(len(z.File)); n > limits.Members {
		return nil, &FormatError{Offset: -1, Msg: fmt.Sprintf("the archive has %d members; at most %d are allowed", n, limits.Members), Err: ErrLimit}
	}
	var list []Named
	names := make(map[string]bool)
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		var t *Tensor
		var err error
		switch {
		case !isArray:
			err = &FormatError{Offset: -1, Msg: `the name does not end in ".npy"`}
		case names[name]:
			err = &FormatError{Offset: -1, Msg: "another member has the same name"}
		default:
			t, err = readMember(f, &limits)
		}
		if err != nil {
			return nil, inMember(f.Name, err)
		}
		names[name] = true
		list = append(list, Named{name, t})
	}
	return list, nil
}

// readMember reads one array and takes its bytes off the limit. No field of limits stands for its default here.
func readMember(f *zip.File, limits *Limits) (*Tensor, error) {
	if f.Flags&1 != 0 {
		return nil, &FormatError{Offset: -1, Msg: "the member is encrypted"}
	}
	rc, err := f.Open()
	if err != nil {
		return nil, &FormatError{Offset: -1, Msg: "the member cannot be opened", Err: err}
	}
	defer rc.Close()
	n := npyReader{r: rc, limits: *limits, size: int64(min(f.UncompressedSize64, math.MaxInt64))}
	t, err := n.read()
	if err != nil {
		return nil, err
	}
	// Reading the end also checks the sum of the member.
	switch m, err := io.ReadFull(rc, make([]byte, 1)); {
	case m > 0:
		return nil, n.fail(nil, "the member has more bytes than the array, which ends here")
	case !errors.Is(err, io.EOF):
		return nil, n.fail(err, "the member is damaged")
	}
	limits.Bytes -= max(n.at, int64(len(t.Bytes())))
	return t, nil
}

// inMember adds the member's name to an error.
func inMember(name string, err error) error {
	var f *FormatError
	if errors.As(err, &f) {
		f.Member = name
		return f
	}
	return &FormatError{Member: name, Offset: -1, Msg: "the member cannot be read", Err: err}
}

// WriteNPZ writes tensors as NumPy's .npz format, deflated if compress is set. The same tensors always give the same
// bytes, those of compressed archives as long as the Go release stays the same. The names must be unique, not empty and
// valid UTF-8.
func WriteNPZ(w io.Writer, tensors []Named, compress bool) error {
	method := zip.Store
	if compress {
		method = zip.Deflate
	}
	z := zip.NewWriter(w)
	names := make(map[string]bool)
	for _, t := range tensors {
		if t.Name == "" || names[t.Name] || !utf8.ValidString(t.Name) {
			return inMember(t.Name, &FormatError{Offset: -1, Msg: "the name is empty, taken or not UTF-8"})
		}
		names[t.Name] = true
		// The earliest time that zip archives know: the time of writing is no part of the data.
		h := &zip.FileHeader{Name: t.Name + ".npy", Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		m, err := z.CreateHeader(h)
		if err != nil {
			return inMember(t.Name, err)
		}
		if err := WriteNPY(m, t.Tensor); err != nil {
			return inMember(t.Name, err)
		}
	}
	if err := z.Close(); err != nil {
		return &FormatError{Offset: -1, Msg: "the archive cannot be written", Err: err}
	}
	return nil
}
