// Package place is where the files of a model stand: on the machine or in a file system, by one interface.
package place

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/concord-nn/concord/internal/mapfile"
)

// Files are those of the machine, or of a file system. Names are paths as the one or the other writes them.
type Files interface {
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (fs.File, error)
	ReadDir(dir string) ([]fs.DirEntry, error) // "" is the folder that relative names begin in
	Join(elem ...string) string
	Split(name string) (dir, file string)
}

// Host is the machine.
var Host Files = host{}

type host struct{}

func (host) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (host) Open(name string) (fs.File, error)     { return os.Open(name) }
func (host) Join(elem ...string) string            { return filepath.Join(elem...) }
func (host) Split(name string) (dir, file string)  { return filepath.Split(name) }

func (host) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(filepath.Clean(dir)) }

// In returns the files of a file system, none for nil.
func In(fsys fs.FS) Files { return inside{Some(fsys)} }

// Some returns the file system itself, or for nil one in which opening anything is an error.
func Some(fsys fs.FS) fs.FS {
	if fsys == nil {
		return nowhere{}
	}
	return fsys
}

type nowhere struct{}

func (nowhere) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errNowhere}
}

var errNowhere = errors.New("the file system is nil")

type inside struct{ fsys fs.FS }

func (i inside) Stat(name string) (fs.FileInfo, error) { return fs.Stat(i.fsys, name) }
func (i inside) Open(name string) (fs.File, error)     { return i.fsys.Open(name) }
func (inside) Join(elem ...string) string              { return path.Join(elem...) }
func (inside) Split(name string) (dir, file string)    { return path.Split(name) }

func (i inside) ReadDir(dir string) ([]fs.DirEntry, error) {
	return fs.ReadDir(i.fsys, path.Clean(dir))
}

// IsRegular reports whether a regular file has a name. Others are not opened: opening a pipe waits for somebody who writes into it.
func IsRegular(files Files, name string) bool {
	info, err := files.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// OpenRegular opens a regular file and returns its length, as [mapfile.OpenRegular]. Errors do not name it.
func OpenRegular(files Files, name string) (fs.File, int64, error) {
	f, size, err := mapfile.OpenRegular(name, files.Stat, files.Open)
	return f, size, mapfile.Plain(err)
}
