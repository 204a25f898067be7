package mapfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
)

// File is a file in memory.
type File struct {
	Data    []byte   // valid as long as somebody has the File or the Mapping of the bytes
	mapping *Mapping // nil of bytes that were read
}

// Close lets go of the memory when nobody has the File, nor the [Mapping] of its bytes, any more. It may be called at any time, and twice.
func (f *File) Close() error {
	if f.mapping != nil {
		f.mapping.close()
	}
	return nil
}

// Map maps a regular file, or reads it where it is small or there is no mapping. The file may be closed then.
func Map(f *os.File) (*File, error) { return mapOrRead(f, limits.FileRead) }

// mapOrRead is Map with a limit for files that are read.
func mapOrRead(f *os.File, most int64) (*File, error) {
	info, err := f.Stat()
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > small && size <= math.MaxInt {
		if m := mapped.add(f.Name(), func() ([]byte, error) { return mmap(f, 0, int(size)) }); m != nil {
			return &File{m.data, m}, nil
		}
	}
	if info.Size() > most {
		return nil, tooLarge(most)
	}
	data, err := read(f, most)
	return &File{Data: data}, err
}

// Open puts the file of a name into memory. It refuses what is no regular file.
func Open(name string) (*File, error) {
	f, _, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Map(f)
	if err != nil {
		return nil, placed(name, err)
	}
	return m, nil
}

// OpenFile opens a regular file and returns its length. Others are refused as by [OpenRegular].
func OpenFile(name string) (*os.File, int64, error) {
	f, size, err := OpenRegular(name, os.Stat, os.Open)
	return f, size, placed(name, err)
}

// OpenFileIn is [OpenFile] for a file of a folder, out of which neither its name nor a link may lead.
func OpenFileIn(folder *os.Root, name string) (*os.File, int64, error) {
	f, size, err := OpenRegular(name, folder.Stat, func(name string) (*os.File, error) { return OpenIn(folder, name) })
	return f, size, placed(name, err)
}

// OpenRegular opens a regular file, by what looks for files and opens them where it stands, and returns its length. It refuses what is none before it is
// opened: a pipe would wait for somebody to write into it, and a device may have no end.
func OpenRegular[F fs.File](name string, stat func(string) (fs.FileInfo, error), open func(string) (F, error)) (f F, size int64, err error) {
	var none F
	info, err := stat(name)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return none, 0, err
	}
	if f, err = open(name); err != nil {
		return none, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = check(info) // it may be another one by now
	}
	if err != nil {
		return none, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// ReadFile reads a regular file of at most so many bytes, and nothing of a longer one.
func ReadFile(name string, most int64) ([]byte, error) {
	f, size, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	return readAll(name, f, size, most)
}

// ReadFileIn is [ReadFile] for a file of a folder, out of which neither its name nor a link may lead.
func ReadFileIn(folder *os.Root, name string, most int64) ([]byte, error) {
	f, size, err := OpenFileIn(folder, name)
	if err != nil {
		return nil, err
	}
	return readAll(name, f, size, most)
}

func readAll(name string, f *os.File, size, most int64) ([]byte, error) {
	defer f.Close()
	if size <= most {
		data, err := read(f, most)
		if err != nil {
			return nil, placed(name, err)
		}
		return data, nil
	}
	return nil, placed(name, tooLarge(most))
}

// placed names the file in an error, if there is one, that does not.
func placed(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok || err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

func tooLarge(most int64) error { return fmt.Errorf("it is larger than the limit of %d bytes", most) }

// ReadFS reads all of a regular file of a file system, and fails beyond the limit for files that are read.
func ReadFS(fsys fs.FS, name string) ([]byte, error) {
	f, _, err := OpenRegular(name, func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, name) }, fsys.Open)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

func check(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder; a file must stand there")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	return nil
}

// Read reads all of a file that cannot be mapped, and fails beyond the limit for such.
func Read(r io.Reader) ([]byte, error) { return read(r, limits.FileRead) }

// read grows with what is really there, of which only the system's own files say how much that is.
func read(r io.Reader, limit int64) (data []byte, err error) {
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= min(limit, math.MaxInt) {
			if !limits.Fits(info.Size()) {
				return nil, fmt.Errorf("its %d bytes are more than there is memory for", info.Size())
			}
			data = make([]byte, info.Size()) // Without this it is in memory twice for a while.
		}
	}
	n, err := io.ReadFull(r, data)
	if data = data[:n]; err == nil { // it may have become longer
		var rest []byte
		if rest, err = io.ReadAll(io.LimitReader(r, limit+1-int64(n))); n == 0 {
			data = rest
		} else if len(rest) > 0 {
			data = slices.Concat(data, rest)
		}
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // or shorter
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(limit)
	}
	return slices.Clip(data), nil
}

// readSized reads n bytes, allocating no more than twice what is really there, beyond the first ones: the number may be a lie.
func readSized(r io.Reader, size int64) ([]byte, error) {
	if size > math.MaxInt {
		return nil, fmt.Errorf("%d bytes are more than can be addressed", size)
	}
	n := int(size)
	data := make([]byte, 0, min(n, 4<<20))
	for len(data) < n {
		if len(data) == cap(data) {
			more := make([]byte, len(data), min(n, 2*len(data)))
			copy(more, data)
			data = more
		}
		k, err := io.ReadFull(r, data[len(data):cap(data)])
		if data = data[:len(data)+k]; err != nil {
			return nil, err
		}
	}
	return data, nil
}
