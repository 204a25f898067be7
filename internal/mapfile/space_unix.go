//go:build unix

package mapfile

import (
	"bytes"
	"io"
	"math"
	"os"
)

// Space keeps bytes that stand in no file of the model, such as those of a packed archive: the first ones in memory and, beyond these, in a file
// without a name, from which they come into memory when they are touched, so that [Forget] can give their memory back. Where no such file can be
// written, all of them stay in memory.
type Space struct {
	InMemory int64 // bytes that stay in memory before there is a file

	file  *os.File // nil before there is one
	full  bool     // whether nothing more goes into it
	end   int64
	parts []*Mapping
}

// Read returns the next size bytes of r, which must not be changed and are valid as long as somebody has the Space, or the [Mapping] of the bytes.
// It takes no more memory than twice what is really there: the size may be a lie.
func (s *Space) Read(r io.Reader, size int64) ([]byte, error) {
	s.InMemory -= min(size, math.MaxInt64/2)
	if s.InMemory >= 0 || size <= small || size > math.MaxInt || !s.open() {
		return readSized(r, size)
	}
	at, buffer := s.end, make([]byte, min(size, 1<<18))
	for done := int64(0); done < size; {
		n := min(size-done, int64(len(buffer)))
		if _, err := io.ReadFull(r, buffer[:n]); err != nil {
			return nil, err
		}
		if _, err := s.file.WriteAt(buffer[:n], at+done); err != nil {
			s.full = true
			written := io.NewSectionReader(s.file, at, done)
			return readSized(io.MultiReader(written, bytes.NewReader(buffer[:n]), r), size)
		}
		done += n
	}
	return s.mapped(at, size)
}

// mapped returns bytes of the file, behind which the next ones come.
func (s *Space) mapped(at, size int64) ([]byte, error) {
	m := mapped.add("the file of what was unpacked", func() ([]byte, error) { return mmap(s.file, at, int(size)) })
	if m == nil {
		s.full = true
		return readSized(io.NewSectionReader(s.file, at, size), size)
	}
	s.parts = append(s.parts, m)
	page := int64(os.Getpagesize())
	s.end = (at + size + page - 1) / page * page
	return m.data, nil
}

// open makes the file, if there is none, and reports whether more can go into it.
func (s *Space) open() bool {
	if s.file != nil || s.full {
		return !s.full
	}
	f, err := os.CreateTemp("", "concord-")
	if err == nil {
		s.file, err = f, os.Remove(f.Name())
	}
	s.full = err != nil
	return !s.full
}

// Close lets go of the memory when nobody has the Space, nor the [Mapping] of its bytes, any more. It may be called twice.
func (s *Space) Close() error {
	for _, p := range s.parts {
		p.close()
	}
	f := s.file
	s.file, s.full = nil, true
	if f == nil {
		return nil
	}
	return f.Close()
}
