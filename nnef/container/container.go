package container

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Limits bounds what is read of an archive, which a small file can unpack to.
type Limits struct {
	Bytes   int64 // of all members, unpacked
	Members int
}

// DefaultLimits are the limits of Open. A larger model can be opened as a folder.
var DefaultLimits = Limits{Bytes: 1 << 30, Members: 1 << 16}

// maxMember bounds the size of one file that is read into memory because it cannot be mapped.
const maxMember = 4 << 30

// GraphFile is the name of the member that holds a model's graph.
const GraphFile = "graph.nnef"

// Container is an open model. Its methods may be called by several goroutines.
type Container struct {
	read  func(name string) ([]byte, error)
	names func() []string
	close func() error
}

// ReadFile returns the bytes of a member, which must not be changed and are valid until Close. The name is
// slash-separated and relative. A missing member gives an error that is fs.ErrNotExist.
func (c *Container) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return c.read(name)
}

// Names lists the members in lexical order.
func (c *Container) Names() []string { return c.names() }

// Close releases the memory that members are mapped to.
func (c *Container) Close() error { return c.close() }

// archiveSuffixes are the endings of archives, which may be gzipped whatever the ending says.
var archiveSuffixes = []string{".tar", ".tgz", ".tar.gz"}

// IsArchive reports whether a file name has the ending of an archive.
func IsArchive(name string) bool {
	return slices.ContainsFunc(archiveSuffixes, func(s string) bool { return strings.HasSuffix(strings.ToLower(name), s) })
}

// Open opens the model at a path: a folder, an archive, or another file, which becomes the only member, graph.nnef.
func Open(path string) (*Container, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openFolder(path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: it is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if IsArchive(path) {
		c, err := ReadArchive(f, DefaultLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return c, nil
	}
	data, err := readBounded(f, maxMember)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return members(map[string][]byte{GraphFile: data}), nil
}

// openFolder opens a folder whose members are mapped when they are read.
func openFolder(dir string) (*Container, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	var (
		mu     sync.Mutex
		mapped = make(map[string]mapping)
	)
	return &Container{
		read: func(name string) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			if m, ok := mapped[name]; ok {
				return m.data, nil
			}
			if err := regular(root.FS(), name); err != nil {
				return nil, err
			}
			f, err := root.Open(filepath.FromSlash(name))
			if err != nil {
				return nil, err
			}
			defer f.Close()
			m, err := mapFile(f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			mapped[name] = m
			return m.data, nil
		},
		names: func() []string { return namesBelow(root.FS()) },
		close: func() error {
			mu.Lock()
			defer mu.Unlock()
			errs := []error{root.Close()}
			for _, m := range mapped {
				errs = append(errs, m.unmap())
			}
			clear(mapped)
			return errors.Join(errs...)
		},
	}, nil
}

// New opens the model in a folder of a file system. Members are read into memory.
func New(fsys fs.FS, dir string) (*Container, error) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return nil, err
	}
	return &Container{
		read: func(name string) ([]byte, error) {
			if err := regular(sub, name); err != nil {
				return nil, err
			}
			f, err := sub.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			data, err := readBounded(f, maxMember)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return data, nil
		},
		names: func() []string { return namesBelow(sub) },
		close: func() error { return nil },
	}, nil
}

// regular refuses what is no file, before it is opened: opening a pipe waits for somebody to write into it.
func regular(fsys fs.FS, name string) error {
	info, err := fs.Stat(fsys, name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: it is no regular file", name)
	}
	return err
}

func namesBelow(fsys fs.FS) []string {
	var names []string
	// A folder that cannot be read has no members that could be.
	_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return nil
	})
	return names
}

// ReadArchive reads a tar archive, gzipped or not, into memory. Members may begin with "./" and may stand in one common
// folder, which is removed. Names that leave the archive are refused, as are archives beyond the limits.
func ReadArchive(r io.Reader, limits Limits) (*Container, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); len(magic) == 2 && magic[0] == 0x1F && magic[1] == 0x8B {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		defer z.Close()
		b = bufio.NewReader(z)
	}
	files := make(map[string][]byte)
	left, count := limits.Bytes, 0
	for t := tar.NewReader(b); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("member %d: %w", count, err)
		}
		if count++; count > limits.Members {
			return nil, fmt.Errorf("the archive has more than %d members", limits.Members)
		}
		name := path.Clean(strings.TrimPrefix(h.Name, "./"))
		switch {
		case h.Typeflag == tar.TypeDir:
			continue
		case h.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("member %q is neither a file nor a folder", h.Name)
		case !fs.ValidPath(name) || strings.Contains(h.Name, `\`):
			return nil, fmt.Errorf("the name of member %q leads out of the archive", h.Name)
		case files[name] != nil:
			return nil, fmt.Errorf("member %q occurs twice", h.Name)
		case h.Size > left:
			return nil, fmt.Errorf("member %q is beyond the limit of %d bytes for all members; unpack the archive: a folder has no such limit", h.Name, limits.Bytes)
		}
		data, err := readSized(t, int(h.Size))
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", h.Name, err)
		}
		left -= int64(len(data))
		files[name] = data
	}
	if count == 0 {
		return nil, errors.New("the archive is empty")
	}
	return members(withoutCommonFolder(files)), nil
}

// readSized reads n bytes, allocating no more than twice what is really there: the number may be a lie.
func readSized(r io.Reader, n int) ([]byte, error) {
	data := make([]byte, 0, min(n, 1<<20))
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

// readBounded reads all of r, growing with what is really there, and fails beyond the limit.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than the limit of %d bytes", limit)
	}
	return slices.Clip(data), nil
}

// withoutCommonFolder removes the top-level folder that all names share, unless the graph stands at the top.
func withoutCommonFolder(files map[string][]byte) map[string][]byte {
	if _, ok := files[GraphFile]; ok {
		return files
	}
	common := ""
	for name := range files {
		folder, _, ok := strings.Cut(name, "/")
		if !ok || common != "" && folder != common {
			return files
		}
		common = folder
	}
	out := make(map[string][]byte, len(files))
	for name, data := range files {
		out[strings.TrimPrefix(name, common+"/")] = data
	}
	return out
}

// members makes a container of files in memory.
func members(files map[string][]byte) *Container {
	return &Container{
		read: func(name string) ([]byte, error) {
			data, ok := files[name]
			if !ok {
				return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
			}
			return data, nil
		},
		names: func() []string {
			names := make([]string, 0, len(files))
			for name := range files {
				names = append(names, name)
			}
			slices.Sort(names)
			return names
		},
		close: func() error { return nil },
	}
}
