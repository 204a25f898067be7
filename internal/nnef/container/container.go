// Package container opens the files that make an NNEF model: a folder, or a tar archive, plain or gzipped. Members of
// folders and of archives that are not gzipped are mapped into memory; nothing outside of the folder can be reached, and
// archives are held to [Limits].
//
// It also writes folders and archives, the same bytes for the same members. Nothing is decoded.
package container

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
)

// The names of members.
const (
	GraphFile = "graph.nnef"  // the model's graph
	QuantFile = "graph.quant" // how tensors are quantized
	DataExt   = ".dat"        // the end of the names of tensor files
)

// Container is an open model. Its methods may be called by several goroutines.
type Container struct {
	read  func(name string) ([]byte, error)
	list  func(dir string) ([]string, error) // the files of a folder, by their whole names
	names func() []string
	close func() error // nil if there is nothing to close

	closed atomic.Bool
}

// ReadFile returns the bytes of a member, which must not be changed and are valid as long as somebody has the container or a tensor of them. The
// name is slash-separated and relative. An error says what is wrong, without the name; that of a missing member is
// fs.ErrNotExist, and after Close it is fs.ErrClosed.
func (c *Container) ReadFile(name string) ([]byte, error) {
	switch {
	case c.closed.Load():
		return nil, mapfile.ErrClosed
	case !fs.ValidPath(name):
		return nil, errors.New("the name leads out of the model")
	}
	data, err := c.read(name)
	return data, mapfile.Plain(err)
}

// Names lists all members in lexical order, those of a folder by walking through it.
func (c *Container) Names() []string { return c.names() }

// List returns the whole names of the members that stand in one folder, "." for the top, in lexical order. A folder that
// does not exist has none.
func (c *Container) List(dir string) ([]string, error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrInvalid}
	}
	if c.closed.Load() {
		return nil, mapfile.ErrClosed
	}
	names, err := c.list(dir)
	if err = mapfile.Plain(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sort.Strings(names)
	return names, nil
}

// Close ends the reading of members. Bytes and tensors of them that somebody has stay. It may be called at any time, and twice.
func (c *Container) Close() error {
	if c.closed.Swap(true) || c.close == nil {
		return nil
	}
	return c.close()
}

// Open opens the model at a path: a folder or an archive.
func Open(path string) (*Container, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return openFolder(path)
	}
	f, _, err := mapfile.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := openArchive(f)
	return c, named(path, err)
}

// openFolder opens a folder whose members are mapped when they are read.
func openFolder(dir string) (*Container, error) {
	folder, err := mapfile.OpenFolder(dir)
	if err != nil { // it is not ours
		return nil, err
	}
	c := over(folder.FS())
	c.read, c.close = folder.ReadFile, folder.Close
	return c, nil
}

// New opens the model in a folder of a file system. Members are read into memory.
func New(fsys fs.FS, dir string) (*Container, error) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return nil, err
	}
	return over(sub), nil
}

// over makes a container of a file system. Members are read into memory.
func over(fsys fs.FS) *Container {
	return &Container{
		read: func(name string) ([]byte, error) { return mapfile.ReadFS(fsys, name) },
		list: func(dir string) ([]string, error) {
			entries, err := fs.ReadDir(fsys, dir)
			var names []string
			for _, e := range entries {
				if !e.IsDir() {
					names = append(names, path.Join(dir, e.Name()))
				}
			}
			return names, err
		},
		names: func() (names []string) {
			// A folder that cannot be read has no members that could be.
			_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					names = append(names, name)
				}
				return nil
			})
			sort.Strings(names)
			return names
		},
	}
}

// members makes a container of files in memory. release, if not nil, is called when it is closed.
func members(files map[string][]byte, release func() error) *Container {
	names := naming.Sorted(files)
	return &Container{
		read: func(name string) ([]byte, error) {
			data, ok := files[name]
			if !ok {
				return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
			}
			return data, nil
		},
		list: func(dir string) ([]string, error) {
			return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return path.Dir(name) != dir }), nil
		},
		names: func() []string { return slices.Clone(names) },
		close: release,
	}
}

// ReadData returns the bytes of a tensor file and its name: that of the given name, which ends in .dat, or, where several
// versions of a tensor are kept, the only one NAME.SOMETHING. The error is fs.ErrNotExist if there is none; it names what
// the model has in place of it.
func (c *Container) ReadData(name string) (data []byte, found string, err error) {
	data, err = c.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, name, named(name, err)
	}
	list, err := c.List(path.Dir(name))
	if err != nil {
		return nil, "", err
	}
	at, _ := slices.BinarySearch(list, name+".")
	var versions []string
	for ; at < len(list) && strings.HasPrefix(list[at], name+"."); at++ {
		versions = append(versions, list[at])
	}
	if len(versions) != 1 {
		return nil, "", &missingData{name, versions, list}
	}
	data, err = c.ReadFile(versions[0])
	return data, versions[0], named(versions[0], err)
}

// named puts a name before an error.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// isModel reports whether a member is the archive of a model under a label, as tract stores models within models.
func isModel(label, name string) bool {
	end, ok := strings.CutPrefix(name, label+".nnef")
	return ok && slices.Contains(archiveSuffixes, strings.ToLower(end))
}

// missingData says that a model has no file of a name.
type missingData struct {
	name     string
	versions []string // several
	list     []string // the files of the folder
}

func (m *missingData) Error() string {
	msg := "the model has no file " + m.name
	if len(m.versions) > 0 {
		return fmt.Sprintf("%s; there are several versions of it, %s and %s among them; rename the one to use", msg, m.versions[0], m.versions[1])
	}
	for _, other := range m.list {
		switch {
		case strings.EqualFold(other, m.name):
			return fmt.Sprintf("%s; there is %s, but upper and lower case differ", msg, other)
		case isModel(strings.TrimSuffix(m.name, DataExt), other):
			return fmt.Sprintf("%s; there is the model %s, and models within models are not supported", msg, other)
		}
	}
	return msg
}

func (m *missingData) Unwrap() error { return fs.ErrNotExist }
