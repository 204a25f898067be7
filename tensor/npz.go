package tensor

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/limits"
)

// Named is a tensor with the name it has in an .npz archive, without the suffix ".npy" of its member.
type Named struct {
	Name   string
	Tensor *Tensor
}

// ReadNPZ reads NumPy's .npz format: a zip archive, stored or deflated, whose members are .npy arrays. It returns them
// in the order of the archive's directory; their names are unique. [ReadNPY] says which arrays it reads. All errors are
// of type [*FormatError]. [OpenNPZ] is for those who need some of the arrays.
func ReadNPZ(r io.ReaderAt, size int64, bounds Limits) ([]Named, error) {
	z, err := OpenNPZ(r, size, bounds)
	if err != nil {
		return nil, err
	}
	var list []Named
	for _, name := range z.names {
		t, err := z.Read(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Named{name, t})
	}
	return list, nil
}

// NPZ is an archive whose arrays are read when they are asked for, by one goroutine at a time. All errors of its methods are of type
// [*FormatError].
type NPZ struct {
	names  []string
	files  map[string]*zip.File
	limits Limits // of which arrays that were read have taken their bytes
}

// OpenNPZ opens an archive as [ReadNPZ] reads it. It reads its directory only.
func OpenNPZ(r io.ReaderAt, size int64, bounds Limits) (*NPZ, error) {
	if r == nil {
		return nil, errNoReader
	}
	z, err := zip.NewReader(r, size)
	switch {
	case errors.Is(err, zip.ErrFormat):
		return nil, &FormatError{Offset: -1, Msg: "this is no zip archive, as an .npz is"}
	case err != nil:
		return nil, &FormatError{Offset: -1, Msg: "the archive cannot be opened", Err: err}
	}
	a := &NPZ{files: make(map[string]*zip.File), limits: bounds.withDefaults()}
	if n := int64(len(z.File)); n > a.limits.Members {
		return nil, &FormatError{Offset: -1, Msg: fmt.Sprintf("the archive has %d members; at most %d are allowed", n, a.limits.Members), Err: ErrLimit}
	}
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		switch {
		case !isArray:
			return nil, inMember(f.Name, &FormatError{Offset: -1, Msg: `the name does not end in ".npy"`})
		case a.files[name] != nil:
			return nil, inMember(f.Name, &FormatError{Offset: -1, Msg: "another member has the same name"})
		}
		a.files[name] = f
		a.names = append(a.names, name)
	}
	return a, nil
}

// Names returns the names of the arrays in the order of the archive's directory. The caller must not change them.
func (a *NPZ) Names() []string { return a.names }

// Type returns the type and the shape of an array, of which it reads the header only.
func (a *NPZ) Type(name string) (DType, Shape, error) {
	var d DType
	var s Shape
	err := a.open(name, func(n *npyReader) error {
		text, err := n.headerText()
		if err != nil {
			return err
		}
		h, err := parseNPYHeader(text, n.at-int64(len(text)))
		d, s = npyTypes[h.code], h.shape
		return err
	})
	return d, s, err
}

// Read reads an array.
func (a *NPZ) Read(name string) (t *Tensor, err error) {
	err = a.open(name, func(n *npyReader) error {
		t, err = n.read()
		if err != nil {
			return err
		}
		// Reading the end also checks the sum of the member.
		switch m, err := io.ReadFull(n.r, make([]byte, 1)); {
		case m > 0:
			return n.fail(nil, "the member has more bytes than the array, which ends here")
		case !errors.Is(err, io.EOF):
			return n.fail(err, "the member is damaged")
		}
		a.limits.Bytes -= max(n.at, int64(len(t.Bytes())))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// open calls read for a member.
func (a *NPZ) open(name string, read func(n *npyReader) error) error {
	a = cmp.Or(a, new(NPZ))
	f := a.files[name]
	if f == nil {
		return inMember(name+".npy", &FormatError{Offset: -1, Msg: "there is no such member", Err: fs.ErrNotExist})
	}
	if f.Flags&1 != 0 {
		return inMember(f.Name, &FormatError{Offset: -1, Msg: "the member is encrypted"})
	}
	size, packed := int64(min(f.UncompressedSize64, math.MaxInt64)), int64(min(f.CompressedSize64, math.MaxInt64/2))
	if free := int64(limits.ArchiveFree); size > free && size/limits.NPZRatio > packed {
		return inMember(f.Name, &FormatError{Offset: -1, Msg: fmt.Sprintf("%d packed bytes unpack to %d, more than %d times as many", packed, size, limits.NPZRatio), Err: ErrLimit})
	}
	rc, err := f.Open()
	if err != nil {
		return inMember(f.Name, &FormatError{Offset: -1, Msg: "the member cannot be opened", Err: err})
	}
	defer rc.Close()
	if err := read(&npyReader{r: rc, limits: a.limits, size: size}); err != nil {
		return inMember(f.Name, err)
	}
	return nil
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
