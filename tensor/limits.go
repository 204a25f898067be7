package tensor

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/concord-nn/concord/internal/limits"
)

// Limits bounds what the readers of .npy and .npz data accept. A field that is 0 stands for its default. Whatever the
// limits are, a reader never holds more than about twice the bytes that are really there.
type Limits struct {
	Header   int64 // bytes of the text before the elements of an array; default 64 KiB
	Elements int64 // elements of one array; default 2^31
	Bytes    int64 // bytes of the elements of all arrays of a file, as tensors and as stored; default 8 GiB
	Members  int64 // arrays of an archive; default 65,536
}

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		field *int64
		value int64
	}{{&l.Header, limits.NPYHeader}, {&l.Elements, limits.NPYElements}, {&l.Bytes, limits.NPYBytes}, {&l.Members, limits.NPZMembers}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return l
}

// ErrLimit is the cause of a [FormatError] on data that may be well-formed but exceeds [Limits].
var ErrLimit = errors.New("limit exceeded")

// FormatError says where and why .npy or .npz data cannot be read or written.
type FormatError struct {
	Member string // the member of an archive; empty for an array by itself and for the archive as a whole
	Offset int64  // bytes from the beginning of the array's data, after decompression; -1 if no place is known
	Msg    string // what is wrong
	Err    error  // the cause: ErrLimit, io.ErrUnexpectedEOF, an error of the reader or of the archive; may be nil
}

// Error writes the member, the offset, the message and the cause.
func (e *FormatError) Error() string {
	e = cmp.Or(e, new(FormatError))
	s := "npy: "
	if e.Member != "" {
		s += fmt.Sprintf("member %q: ", e.Member)
	}
	if e.Offset >= 0 {
		s += fmt.Sprintf("offset %d: ", e.Offset)
	}
	s += e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return cmp.Or(e, new(FormatError)).Err }
