// Package stage writes outputs beside their places and moves them there once they are complete. Whatever happens meanwhile, a full disk, an error or the
// end of the process, what stood there before stands there still. What is being written lies in a folder with a name that starts with .concord-stage-,
// beside the output; a process that is killed leaves it, and the next one that writes beside it removes it.
package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/concord-nn/concord/internal/mapfile"
)

// prefix begins the names of stages, and a number ends them.
const prefix = ".concord-stage-"

// lockName is the file of a stage that its process keeps locked or, on Windows, open: so who sweeps knows a folder for a stage, and whether it is still needed.
const lockName = ".concord-stage"

// isStage reports whether a folder has the name of a stage; others that begin alike may be anybody's.
func isStage(name string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	return ok && number != "" && strings.Trim(number, "0123456789") == "" || strings.HasSuffix(name, abandoned) && isStage(strings.TrimSuffix(name, abandoned))
}

// abandoned ends the name of a stage of a process that is about to end.
const abandoned = "-"

// Old is the name in a stage of what an output replaces, for as long as there is nothing in its place. The stage of a process that was killed just then stays.
const Old = "old"

// Stage is a folder in which outputs are written. Its methods may be called by one goroutine at a time.
type Stage struct {
	dir  string
	lock *os.File // which tells other processes that this one lives; nil where there are no such locks
	made []string // folders around it that were missing, the inner ones first
}

// stages are those of the process.
var stages = struct {
	sync.Mutex
	live      map[*Stage]bool
	swept     map[string]bool // folders in which leftovers were looked for
	abandoned bool
	moved     bool // whether outputs have taken their places
}{live: make(map[*Stage]bool), swept: make(map[string]bool)}

// ErrLocked is the error of [Lock] for a file that somebody else has locked.
var ErrLocked = errors.New("another process has locked it")

// errAbandoned is the error of a process that is about to end, which a signal does.
var errAbandoned = fmt.Errorf("the process is about to end: %w", context.Canceled)

// New makes a stage in the folder beside which, or into which, outputs are to be moved. The caller closes it.
func New(parent string) (*Stage, error) { return begin(parent, nil) }

// In is [New] for a folder that is made if it is missing. If nothing has come to stand in it, it goes again with the stage.
func In(parent string) (*Stage, error) {
	var missing []string
	for dir := filepath.Clean(parent); ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(dir)
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) { // such as a drive that is not there
			break
		}
		missing = append(missing, dir)
	}
	return begin(parent, missing)
}

func begin(parent string, missing []string) (*Stage, error) {
	sweep(parent)
	stages.Lock() // nothing new is made once stages are abandoned
	defer stages.Unlock()
	if stages.abandoned {
		return nil, errAbandoned
	}
	if len(missing) > 0 {
		if err := os.MkdirAll(parent, 0o777); err != nil {
			removeEmpty(missing)
			return nil, err
		}
	}
	for {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			removeEmpty(missing)
			return nil, placed(err, parent, parent)
		}
		dir = filepath.Clean(dir) // as paths in it are
		lock, ok := hold(dir)
		if !ok {
			continue // another process took it for one that nobody needs
		}
		s := &Stage{dir, lock, missing}
		stages.live[s] = true
		return s, nil
	}
}

// Path returns the path of something in the stage.
func (s *Stage) Path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// create makes a file, with the folders that its path needs, unless the stage is gone.
func (s *Stage) create(path string) (*os.File, error) {
	stages.Lock()
	defer stages.Unlock()
	if !stages.live[s] {
		return nil, errAbandoned
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	return os.Create(path)
}

// Write writes a file in the stage, with the folders that its path needs, and returns how long it has become.
func (s *Stage) Write(write func(io.Writer) error, elem ...string) (int64, error) {
	f, err := s.create(s.Path(elem...))
	if err != nil {
		return 0, err
	}
	err = write(&File{file: f})
	size, unknown := f.Seek(0, io.SeekEnd)
	return size, cmp.Or(err, unknown, f.Close())
}

// Close removes the stage with all that is still in it.
func (s *Stage) Close() error {
	stages.Lock()
	defer stages.Unlock()
	if !stages.live[s] {
		return nil
	}
	delete(stages.live, s)
	if err := s.discard(s.dir); err != nil {
		return fmt.Errorf("%s: what was written for a while cannot be removed: %w", filepath.Dir(s.dir), err)
	}
	return nil
}

// Commit calls a function that moves outputs to their places. Unless the process dies, it runs to its end.
func (s *Stage) Commit(move func() error) error {
	stages.Lock()
	defer stages.Unlock()
	if stages.abandoned {
		return errAbandoned
	}
	err := move()
	stages.moved = stages.moved || err == nil
	return err
}

// Abandon removes all stages of the process, which is about to end, and keeps further ones from being made. Moves that have begun come to their end first.
// It reports whether there were any before, so that outputs stand at their places.
func Abandon() (moved bool) {
	stages.Lock()
	defer stages.Unlock()
	stages.abandoned = true
	for s := range stages.live {
		delete(stages.live, s)
		gone := s.dir + abandoned // where those who still write do not find it and make nothing new in it
		if os.Rename(s.dir, gone) != nil {
			gone = s.dir
		}
		_ = s.discard(gone) // there is nobody to tell
	}
	return stages.moved
}

// discard removes the stage, which stands at dir, and the folders that were made for it and have nothing in them.
func (s *Stage) discard(dir string) error {
	defer removeEmpty(s.made)
	return discard(dir, s.lock)
}

// removeEmpty removes folders that have nothing in them, the inner ones first.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = os.Remove(dir) // which fails for others
	}
}

// sweep removes what dead processes left in a folder, once for a folder.
func sweep(parent string) {
	stages.Lock()
	defer stages.Unlock()
	key, err := filepath.Abs(parent)
	if err != nil || stages.swept[key] {
		return
	}
	stages.swept[key] = true
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // who writes there will say so
	}
	for _, e := range entries {
		if e.IsDir() && isStage(e.Name()) {
			dir := filepath.Join(parent, e.Name())
			if _, err := os.Lstat(filepath.Join(dir, Old)); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if lock, ok := orphan(dir); ok {
				_ = discard(dir, lock) // others may be at it, or may have made it
			}
		}
	}
}

// File is a file that takes its place when it is committed.
type File struct {
	file         *os.File
	name, target string      // as it was given, and where links lead
	mode         fs.FileMode // of the file that is replaced
	stage        *Stage      // nil for what is no regular file and is written at once
}

// Create makes a file that is to stand at name: until [File.Commit] what is there stays as it is, a mapping of it even longer. A new file has the
// permissions that the process gives files, one that is replaced keeps its own. A link stays, and what it leads to is replaced. What is no regular file,
// such as a pipe, is written at once. The caller closes the file.
func Create(name string) (*File, error) {
	f := &File{name: name, target: name}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		f.target = to
	}
	switch info, err := os.Stat(f.target); {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("it is a folder")}
	case err == nil && !info.Mode().IsRegular():
		f.file, err = os.OpenFile(f.target, os.O_WRONLY, 0)
		return f, err
	case err == nil:
		f.mode = info.Mode().Perm()
	}
	s, err := New(filepath.Dir(f.target))
	if err == nil {
		f.stage = s
		f.file, err = os.OpenFile(s.Path("new"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		_ = f.Close() // there is another error to report
		if _, none := os.Stat(filepath.Dir(f.target)); errors.Is(none, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: nothing can be written there: %w", name, none)
		}
		return nil, placed(err, filepath.Dir(f.target), name)
	}
	return f, nil
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, mapfile.Written(p, f.placed(err))
}

// Commit ends the file and moves it to its place.
func (f *File) Commit() error { return commit([]*File{f}) }

// commit ends files that belong together, and moves them to their places at once.
func commit(files []*File) error {
	for _, f := range files {
		if err := f.end(); err != nil {
			return f.placed(err)
		}
	}
	for i, f := range files {
		if f.stage != nil {
			return f.stage.Commit(func() error {
				for _, f := range files[i:] {
					if f.stage == nil {
						continue
					}
					if err := os.Rename(f.file.Name(), f.target); err != nil {
						return f.placed(err)
					}
				}
				return nil
			})
		}
	}
	return nil
}

// end ends the writing, of a file with the permissions that it shall have.
func (f *File) end() (err error) {
	if info, unknown := f.file.Stat(); f.mode != 0 && (unknown != nil || info.Mode().Perm() != f.mode) {
		err = f.file.Chmod(f.mode)
	}
	if closed := f.file.Close(); err == nil {
		err = closed
	}
	return err
}

// Close releases the file and removes what was not committed.
func (f *File) Close() error {
	if f.file != nil {
		_ = f.file.Close() // after Commit it is closed, and else of no use
	}
	if f.stage == nil {
		return nil
	}
	return f.stage.Close()
}

func (f *File) placed(err error) error {
	if f.stage == nil {
		return err
	}
	return f.stage.Placed(err, f.name)
}

// Write writes a file as [Create] does, which is complete or, after an error, as it was before.
func Write(name string, write func(io.Writer) error) error { return WriteAll(Output{name, write}) }

// Output is a file by its name, and what writes it.
type Output struct {
	Name  string
	Write func(io.Writer) error
}

// WriteAll is [Write] for files that belong together: all of them are complete before the first one takes its place.
func WriteAll(outputs ...Output) (err error) {
	var files []*File
	defer func() {
		for _, f := range files {
			err = cmp.Or(err, f.Close())
		}
	}()
	for _, o := range outputs {
		f, err := Create(o.Name)
		if err != nil {
			return err
		}
		files = append(files, f)
		if err := o.Write(f); err != nil {
			return err
		}
	}
	return commit(files)
}

// WriteData is [Write] for bytes.
func WriteData(name string, data []byte) error { return Write(name, Content(data)) }

// Content returns a function that writes bytes.
func Content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Placed makes an error about what stands in the stage one about the file or folder for which it was written; others it returns as they are.
func (s *Stage) Placed(err error, name string) error {
	err = placed(err, s.dir, name)
	if err == nil || !strings.Contains(err.Error(), s.dir) {
		return err
	}
	return &placedError{err, strings.NewReplacer(s.dir, name)}
}

// placedError is an error in whose text the names of a stage are those of the output.
type placedError struct {
	error
	names *strings.Replacer
}

func (e *placedError) Error() string { return e.names.Replace(e.error.Error()) }
func (e *placedError) Unwrap() error { return e.error }

// placed makes an error about what stands in a folder one about the file for which it was written.
func placed(err error, dir, name string) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at) && strings.HasPrefix(at.Path, dir):
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	case errors.As(err, &link) && strings.HasPrefix(link.Old, dir):
		return &fs.PathError{Op: link.Op, Path: name, Err: link.Err}
	}
	return err
}
