package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds compares a folder, names and texts, with what it should have.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if s, ok := want[e.Name()]; !ok || err != nil || string(data) != s {
			t.Errorf("%s holds %q, %v; want %q", e.Name(), data, err, s)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("there are %v; want %v", entries, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := Write(name, text("old")); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	err := Write(name, func(w io.Writer) error { return errors.Join(text("new")(w), failed) })
	if !errors.Is(err, failed) {
		t.Error(err)
	}
	holds(t, dir, map[string]string{"a": "old"})
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Skip("no links can be made here:", err)
	}
	if err := Write(link, text("new")); err != nil {
		t.Error(err)
	}
	holds(t, dir, map[string]string{"a": "new", "link": "new"})
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions are %v, %v; want those of before", info.Mode(), err)
	}
}

// TestErrors: the names of stages are not those that people know.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{filepath.Join(dir, "absent", "a"): filepath.Join(dir, "absent", "a"), dir: "it is a folder"} {
		if err := Write(name, text("")); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), prefix) {
			t.Errorf("%s: %v", name, err)
		}
	}
	name := filepath.Join(dir, "a")
	err := Write(name, func(w io.Writer) error { w.(*File).file.Close(); return text("x")(w) })
	var at *os.PathError
	if !errors.As(err, &at) || at.Path != name || strings.Contains(err.Error(), prefix) {
		t.Error(err)
	}
	elsewhere := &os.PathError{Op: "read", Path: "source", Err: io.ErrUnexpectedEOF}
	if err := Write(name, func(io.Writer) error { return elsewhere }); err != error(elsewhere) { //nolint:errorlint // the error itself is wanted
		t.Errorf("an error of what is read becomes %v", err)
	}
	s, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Placed(fmt.Errorf("%s is of no use: %w", s.Path("new", "x"), io.EOF), name); !errors.Is(err, io.EOF) || err.Error() != filepath.Join(name, "new", "x")+" is of no use: EOF" {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	holds(t, dir, nil)
}

// TestDevice: what is no file is written into, and stays.
func TestDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("devices are no files here")
	}
	before, err := os.Lstat(os.DevNull)
	if err != nil {
		t.Skip("there are no devices here:", err)
	}
	if err := Write(os.DevNull, text("x")); err != nil {
		t.Error(err)
	}
	if after, err := os.Lstat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%s is %v, %v", os.DevNull, after, err)
	}
}

// TestLeftovers removes the stage of a process that was killed, and not that of one which lives.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	live, dead := filepath.Join(dir, prefix+"1"), filepath.Join(dir, prefix+"2")
	replacing, other := filepath.Join(dir, prefix+"3"), filepath.Join(dir, prefix+"x1")
	for _, name := range []string{live, filepath.Join(dead, "more"), filepath.Join(dir, prefix+"4-"), filepath.Join(replacing, Old), other, filepath.Join(dir, prefix+"5", "mine")} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	lock, ok := hold(live)
	if lock == nil || !ok {
		t.Skip("there are no locks here")
	}
	if other, ok := hold(dead); !ok {
		t.Fatal("a folder cannot be locked")
	} else {
		other.Close() // as the end of a process does
	}
	if err := Write(filepath.Join(dir, "a"), text("")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 || entries[0].Name() != filepath.Base(live) || entries[1].Name() != filepath.Base(replacing) {
		t.Errorf("there are %v, %v", entries, err)
	}
	if err := discard(live, lock); err != nil {
		t.Error(err)
	}
	if _, ok := hold(live); ok {
		t.Error("a folder that is not there any more is locked")
	}
}

// TestAbandon leaves nothing of what is being written.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	s, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Path("half"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	Abandon()
	defer func() { stages.abandoned = false }()
	holds(t, dir, nil)
	if _, err := os.Create(s.Path("other")); err == nil {
		t.Error("a file is made in a stage that is gone")
	}
	if err := s.Commit(func() error { t.Error("moved"); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Write(filepath.Join(dir, "a"), text("")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := s.Write(text(""), "folder", "other"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := In(filepath.Join(dir, "a", "b")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	holds(t, dir, nil)
}

// TestIn makes folders that go with the stage, but for those in which something has come to stand.
func TestIn(t *testing.T) {
	dir := t.TempDir()
	for _, kept := range []bool{false, true} {
		s, err := In(filepath.Join(dir, "a", "b"))
		if err != nil {
			t.Fatal(err)
		}
		if kept {
			if err := os.WriteFile(filepath.Join(dir, "a", "c"), []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if kept {
			holds(t, filepath.Join(dir, "a"), map[string]string{"c": "text"})
		} else {
			holds(t, dir, nil)
		}
	}
}

// TestTogether writes files of which none takes its place before the others are complete.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	broken := errors.New("broken")
	if err := WriteAll(Output{a, text("1")}, Output{b, func(io.Writer) error { return broken }}); !errors.Is(err, broken) {
		t.Error(err)
	}
	holds(t, dir, nil)
	if err := WriteAll(Output{a, text("1")}, Output{b, text("2")}); err != nil {
		t.Error(err)
	}
	holds(t, dir, map[string]string{"a": "1", "b": "2"})
}

func TestExchange(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	switch err := Exchange(a, b); {
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL):
		t.Skip("the system, or the file system, exchanges nothing:", err)
	case err != nil:
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": b, "b": a})
	if err := Exchange(a, filepath.Join(dir, "absent")); err == nil {
		t.Error("what is not there is exchanged")
	}
}
