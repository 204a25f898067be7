//go:build unix

package mapfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sum reads all bytes of a slice.
func sum(b []byte) (n int, err error) {
	defer Recover(Watch(), &err)
	for _, x := range b {
		n += int(x)
	}
	return n, nil
}

// TestLost makes mapped files shorter, and reads what is not there any more.
func TestLost(t *testing.T) {
	name := filepath.Join(t.TempDir(), "weights")
	write(t, name, strings.Repeat("weights ", 1<<15))
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := sum(f.Data); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	if err := os.Truncate(name, 100); err != nil {
		t.Fatal(err)
	}
	_, err = sum(f.Data)
	if path, ok := errors.AsType[*fs.PathError](err); !ok || path.Path != name || !errors.Is(err, ErrLost) {
		t.Errorf("reading what is lost gives %v", err)
	}
	func() { // functions in assembly of the standard library
		defer Recover(Watch(), &err)
		err = nil
		_ = bytes.IndexByte(f.Data[1<<16:], 1)
	}()
	if !errors.Is(err, ErrLost) {
		t.Errorf("a search gives %v", err)
	}
	for _, other := range []func(){func() { panic("other") }, func() { var p *int; *p = 1 }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("another panic is lost")
				}
			}()
			defer Recover(Watch(), &err)
			other()
		}()
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if Fault(nil) != nil || Fault(errors.New("e")) != nil {
		t.Error("what is no fault is one")
	}
}

// regionsLeft counts those of a file, until there are as many as wanted.
func regionsLeft(name string, want int) int {
	n := -1
	for range 200 {
		runtime.GC()
		mapped.mu.RLock()
		n = 0
		for _, r := range mapped.list {
			if r.name == name {
				n++
			}
		}
		mapped.mu.RUnlock()
		if n == want {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return n
}

// TestMappingsStay holds that memory stays as long as somebody has it, whether the file was closed or not, and no longer if it was.
func TestMappingsStay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "weights")
	write(t, name, strings.Repeat("weights ", 1<<15))
	f, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data := f.Data
	if regionsLeft(name, 1) != 1 {
		t.Skip("files are not mapped here")
	}
	kept := Of(data[100:])
	if kept == nil || Of([]byte("others")) != nil || Of(nil) != nil {
		t.Fatal("the mapping of bytes is not found")
	}
	for range 2 {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	f = nil
	runtime.GC()
	runtime.GC()
	time.Sleep(5 * time.Millisecond)
	if n, err := sum(data); n == 0 || err != nil {
		t.Fatal(n, err)
	}
	runtime.KeepAlive(kept)
	if n := regionsLeft(name, 0); n != 0 {
		t.Errorf("%d mappings of a closed file stay", n)
	}
}

// TestMappings opens more files than may be mapped.
func TestMappings(t *testing.T) {
	name := filepath.Join(t.TempDir(), "weights")
	write(t, name, strings.Repeat("weights ", 1<<15))
	before := mapped.count.Swap(1 << 40)
	defer func() { mapped.count.Add(before - 1<<40) }()
	f, err := Open(name)
	if err != nil || len(f.Data) != 1<<18 || f.mapping != nil {
		t.Errorf("beyond the limit there are %d bytes, mapped %v: %v", len(f.Data), f.mapping != nil, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
