//go:build unix

package mapfile

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Space keeps bytes that stand in no file of the model, such as those of a packed archive: the first ones in memory and, beyond these, in a file
// without a name, from which they come into memory when they are touched, so that [Forget] can give their memory back. Where no such file can be
// written, all of them stay in memory.
type Space struct {
	InMemory int64 // bytes that stay in memory before there is a file

	file  *os.File // nil before there is one
	full  bool     // whether nothing more goes into it
	end   int64
	parts [][]byte
}

// Read returns the next size bytes of r, which must not be changed and are valid until Close. It takes no more memory than twice what is really
// there: the size may be a lie.
func (s *Space) Read(r io.Reader, size int64) ([]byte, error) {
	s.InMemory -= min(size, math.MaxInt64/2)
	if s.InMemory >= 0 || size == 0 || !s.open() {
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
	data, err := unix.Mmap(int(s.file.Fd()), at, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		s.full = true
		return readSized(io.NewSectionReader(s.file, at, size), size)
	}
	mapped.add(data)
	s.parts = append(s.parts, data)
	page := int64(os.Getpagesize())
	s.end = (at + size + page - 1) / page * page
	return data, nil
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

// Close releases the memory. It may be called twice.
func (s *Space) Close() error {
	var errs []error
	for _, p := range s.parts {
		mapped.remove(p)
		errs = append(errs, unix.Munmap(p))
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	*s = Space{full: true}
	return errors.Join(errs...)
}
