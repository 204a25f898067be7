package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/stage"
)

// memoryDisk is a disk whose machine loses power at an operation: a write is torn, and what was not synced is lost or torn, too.
type memoryDisk struct {
	files map[string]*memoryFile
	left  int // operations until the end; -1 for never
	ops   int
}

type memoryFile struct {
	disk   *memoryDisk
	data   []byte
	synced []byte
	locked bool
}

var errPower = errors.New("no power")

func newMemoryDisk() *memoryDisk { return &memoryDisk{files: make(map[string]*memoryFile), left: -1} }

// step counts an operation and reports whether the machine runs.
func (d *memoryDisk) step() error {
	if d.left == 0 {
		return errPower
	}
	d.left--
	d.ops++
	return nil
}

// crash is the machine after it was started again. Of each file that had bytes that were not synced it keeps a part of these.
func (d *memoryDisk) crash(keep int) *memoryDisk {
	n := newMemoryDisk()
	for name, f := range d.files {
		data := f.synced
		if bytes.HasPrefix(f.data, f.synced) {
			rest := f.data[len(f.synced):]
			data = append(bytes.Clone(f.synced), rest[:len(rest)*keep/4]...)
		}
		n.files[name] = &memoryFile{disk: n, data: bytes.Clone(data), synced: bytes.Clone(data)}
	}
	return n
}

func (d *memoryDisk) Open(name string) (file, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	if d.files[name] == nil {
		d.files[name] = &memoryFile{disk: d}
	}
	return d.files[name], nil
}

func (d *memoryDisk) Size(name string) (int64, error) {
	if d.files[name] == nil {
		return 0, fs.ErrNotExist
	}
	return int64(len(d.files[name].data)), nil
}

func (d *memoryDisk) Rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	if d.files[from] == nil {
		return fs.ErrNotExist
	}
	d.files[to] = d.files[from]
	delete(d.files, from)
	return nil
}

func (d *memoryDisk) Remove(name string) error {
	if err := d.step(); err != nil {
		return err
	}
	if d.files[name] == nil {
		return fs.ErrNotExist
	}
	delete(d.files, name)
	return nil
}

func (d *memoryDisk) Sync(string) error { return d.step() }

func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(f.data).ReadAt(p, at)
}

func (f *memoryFile) WriteAt(p []byte, at int64) (int, error) {
	err := f.disk.step()
	if err != nil {
		p = p[:len(p)/2]
	}
	if need := int(at) + len(p); need > len(f.data) {
		f.data = append(f.data, make([]byte, need-len(f.data))...)
	}
	copy(f.data[at:], p)
	return len(p), err
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.disk.step(); err != nil {
		return err
	}
	f.data = append(bytes.Clone(f.data[:min(int(size), len(f.data))]), make([]byte, max(int(size)-len(f.data), 0))...)
	if len(f.synced) > len(f.data) {
		f.synced = bytes.Clone(f.data)
	}
	return nil
}

func (f *memoryFile) Sync() error {
	if err := f.disk.step(); err != nil {
		return err
	}
	f.synced = bytes.Clone(f.data)
	return nil
}

func (f *memoryFile) Size() (int64, error) { return int64(len(f.data)), nil }

func (f *memoryFile) Lock() error {
	if f.locked {
		return stage.ErrLocked
	}
	f.locked = true
	return nil
}

func (f *memoryFile) Close() error {
	f.locked = false
	return nil
}

// sums makes a job of rows of numbers, with one that cannot be computed.
func sums(t *testing.T, opts Options) *Job {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sums.nnef": "version 1.0;\ngraph sums(a) -> (y, b)\n{\n    a = external<scalar>(shape = [1,3]);\n    y = add(a, a);\n    b = lt(a, y);\n}\n",
		"in.jsonl":  "{\"a\": [1,2,3]}\n{\"a\": [4,5,6]}\n{\"a\": [7]}\n{\"a\": [8,null,1e30]}\n{\"a\": [0,1,-2]}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts.Inputs, opts.SkipErrors = []string{filepath.Join(dir, "in.jsonl")}, true
	j, err := Open(filepath.Join(dir, "sums.nnef"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// contents are the files that are no journal, by their names.
func (d *memoryDisk) contents() map[string]string {
	all := make(map[string]string)
	for name, f := range d.files {
		all[name] = string(f.data)
	}
	delete(all, "dir/_part-00000-of-00001.journal")
	return all
}

// TestPower takes the power away at each operation of the disk, and again while the run goes on from there. The results are those of a run that nothing
// has disturbed, and nothing else is left.
func TestPower(t *testing.T) {
	for _, format := range Formats {
		t.Run(string(format), func(t *testing.T) {
			j := sums(t, Options{Format: format})
			j.chunkInputs = 2 // so that there are several chunks
			undisturbed := newMemoryDisk()
			if _, err := j.run(context.Background(), undisturbed, "dir", 0, false, nil); err != nil {
				t.Fatal(err)
			}
			want := undisturbed.contents()
			if len(want) != 2 {
				t.Fatalf("%d files are left", len(want))
			}
			for first := 1; first < undisturbed.ops; first++ {
				d := newMemoryDisk()
				for left, round := first, 0; ; left, round = left+3, round+1 {
					d.left = left
					_, err := j.run(context.Background(), d, "dir", 0, false, nil)
					if err == nil {
						break
					}
					if !errors.Is(err, errPower) {
						t.Fatalf("power is lost after %d operations: %v", first, err)
					}
					d = d.crash((first + round) % 5)
				}
				if got := d.contents(); !maps.Equal(got, want) {
					t.Fatalf("power is lost after %d operations: %q, want %q", first, got, want)
				}
			}
		})
	}
}

// FuzzJournal reads journals of any bytes: what is believed of them is their beginning, which was written so.
func FuzzJournal(f *testing.F) {
	lines := func(entries ...entry) (all []byte) {
		for i := range entries {
			line, err := entries[i].line()
			if err != nil {
				f.Fatal(err)
			}
			all = append(all, line...)
		}
		return all
	}
	b := entry{Begin: &begin{Job: "a", Inputs: 3, Shards: 1}}
	c := entry{Chunk: &chunk{Inputs: 2, Bytes: 10, Errors: []fault{{1, "x", "y"}}}}
	f.Add(lines(b, c, entry{Chunk: &chunk{Inputs: 3, Bytes: 12}}, entry{Finish: &finish{Bytes: 12}}))
	f.Add(lines(b, c)[:150])
	f.Add(lines(c, b))
	f.Add([]byte("00000000 {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newMemoryDisk()
		d.files["j"] = &memoryFile{disk: d, data: data}
		p := &part{disk: d, journal: d.files["j"]}
		if err := p.recall(); err != nil {
			t.Fatal(err)
		}
		h := &p.history
		if h.size > int64(len(data)) || len(h.chunks) != len(h.ends) || h.begin == nil && h.size > 0 {
			t.Fatalf("%+v of %q", h, data)
		}
		again := &part{disk: d, journal: &memoryFile{disk: d, data: data[:h.size]}}
		if err := again.recall(); err != nil || fmt.Sprintf("%+v", again.history.chunks) != fmt.Sprintf("%+v", h.chunks) {
			t.Fatalf("%v: %+v, want %+v", err, again.history, h)
		}
	})
}
