package container

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// files is a Members of constant contents, in the given order.
func files(pairs ...string) Members {
	return func(yield func(string, func(io.Writer) error) bool) {
		for i := 0; i < len(pairs); i += 2 {
			write := func(w io.Writer) error { _, err := io.WriteString(w, pairs[i+1]); return err }
			if !yield(pairs[i], write) {
				return
			}
		}
	}
}

func archive(t *testing.T, gz bool, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteTar(&b, files(pairs...), gz); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func check(t *testing.T, c *Container) {
	t.Helper()
	defer c.Close()
	for name, want := range map[string]string{GraphFile: "graph", "fc/w.dat": "weights", "empty.dat": ""} {
		got, err := c.ReadFile(name)
		if err != nil || string(got) != want {
			t.Errorf("%s is %q, %v; want %q", name, got, err, want)
		}
	}
	if want := []string{"empty.dat", "fc/w.dat", GraphFile}; !slices.Equal(c.Names(), want) {
		t.Errorf("the members are %v; want %v", c.Names(), want)
	}
	if _, err := c.ReadFile("absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing member gives %v", err)
	}
	for _, name := range []string{"../graph.nnef", "/etc/passwd", "fc/../../x", ""} {
		if _, err := c.ReadFile(name); err == nil {
			t.Errorf("%q can be read", name)
		}
	}
}

func TestForms(t *testing.T) {
	pairs := []string{GraphFile, "graph", "fc/w.dat", "weights", "empty.dat", ""}
	dir := t.TempDir()
	folder := filepath.Join(dir, "model.nnef")
	if err := WriteFolder(folder, files(pairs...)); err != nil {
		t.Fatal(err)
	}
	prefixed := func(p string) []string {
		out := slices.Clone(pairs)
		for i := 0; i < len(out); i += 2 {
			out[i] = p + out[i]
		}
		return out
	}
	for name, data := range map[string][]byte{
		"plain.nnef.tar": archive(t, false, pairs...),
		"zipped.tgz":     archive(t, true, pairs...),
		"dotted.tar.gz":  archive(t, true, prefixed("./")...),
		"inner.nnef.tgz": archive(t, true, prefixed("model/")...),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { check(t, c) })
	}
	for name, open := range map[string]func() (*Container, error){
		"folder": func() (*Container, error) { return Open(folder) },
		"fs":     func() (*Container, error) { return New(os.DirFS(dir), "model.nnef") },
		"map": func() (*Container, error) {
			return New(fstest.MapFS{"m/" + GraphFile: {Data: []byte("graph")}, "m/fc/w.dat": {Data: []byte("weights")}, "m/empty.dat": {}}, "m")
		},
	} {
		c, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { check(t, c) })
	}
}

func TestFolderDoesNotLeak(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "model")
	if err := os.Mkdir(model, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret", filepath.Join(model, "w.dat")); err != nil {
		t.Skip(err)
	}
	c, err := Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.ReadFile("w.dat"); err == nil {
		t.Error("a link out of the folder is followed")
	}
}

// TestSpecialFiles refuses what is no file instead of waiting for it.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "w.dat"), 0o700); err != nil {
		t.Fatal(err)
	}
	names := []string{"w.dat"}
	if mkfifo(filepath.Join(dir, "pipe.dat")) == nil {
		names = append(names, "pipe.dat")
	}
	for form, open := range map[string]func() (*Container, error){
		"folder": func() (*Container, error) { return Open(dir) },
		"fs":     func() (*Container, error) { return New(os.DirFS(dir), ".") },
	} {
		c, err := open()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if _, err := c.ReadFile(name); err == nil || !strings.Contains(err.Error(), name+": it is no regular file") {
				t.Errorf("%s: %s gives %v", form, name, err)
			}
		}
		c.Close()
	}
	if _, err := Open(filepath.Join(dir, names[len(names)-1])); err == nil && len(names) > 1 {
		t.Error("a pipe is opened as a model")
	}
}

// TestMapped holds a folder to reading a member once, and as mapped memory where there is such.
func TestMapped(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "w.dat"), make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.ReadFile("w.dat")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.ReadFile("w.dat"); err != nil || &a[0] != &b[0] {
		t.Errorf("a second reading gives other memory, %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReadFile("w.dat"); err == nil {
		t.Error("a member can be read after Close")
	}
}

func TestReadSized(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, 3<<20 + 7} {
		data, err := readSized(bytes.NewReader(make([]byte, n)), n)
		if err != nil || len(data) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(data), err)
		}
	}
	if _, err := readSized(bytes.NewReader(make([]byte, 10)), 1<<40); err == nil {
		t.Error("missing bytes are not noticed")
	}
}

func TestArchiveRejects(t *testing.T) {
	link := func() []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "w.dat", Linkname: "/etc/passwd"}); err != nil {
			t.Fatal(err)
		}
		w.Close()
		return b.Bytes()
	}
	whole := archive(t, false, GraphFile, "graph")
	limits := Limits{Bytes: 100, Members: 3}
	for name, data := range map[string][]byte{
		"empty":        {},
		"no tar":       []byte("this is no archive, although it is long enough to be read as one block"),
		"no gzip":      {0x1F, 0x8B, 0, 0},
		"truncated":    whole[:513],
		"cut gzip":     archive(t, true, GraphFile, "graph")[:30],
		"escape":       archive(t, false, "../graph.nnef", "x"),
		"absolute":     archive(t, false, "/graph.nnef", "x"),
		"hidden":       archive(t, false, "a/../../b", "x"),
		"backslash":    archive(t, false, `..\b`, "x"),
		"link":         link(),
		"twice":        archive(t, false, "a", "1", "./a", "2"),
		"too large":    archive(t, true, "a", string(make([]byte, 101))),
		"sum":          archive(t, true, "a", string(make([]byte, 60)), "b", string(make([]byte, 60))),
		"many members": archive(t, false, "a", "", "b", "", "c", "", "d", ""),
	} {
		if _, err := ReadArchive(bytes.NewReader(data), limits); err == nil {
			t.Errorf("%s: the archive is accepted", name)
		}
	}
}

func TestWriteFolderIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFolder(dir, files("a", "old")); err != nil {
		t.Fatal(err)
	}
	broken := func(yield func(string, func(io.Writer) error) bool) {
		_ = yield("a", func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }) &&
			yield("b", func(io.Writer) error { return errors.New("broken") })
	}
	if err := WriteFolder(dir, broken); err == nil {
		t.Fatal("the error is lost")
	}
	got, err := os.ReadFile(filepath.Join(dir, "a"))
	if err != nil || string(got) != "old" {
		t.Errorf("the member is %q, %v after a failed write", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func FuzzReadArchive(f *testing.F) {
	var plain, zipped bytes.Buffer
	if err := WriteTar(&plain, files(GraphFile, "graph", "w.dat", "weights"), false); err != nil {
		f.Fatal(err)
	}
	if err := WriteTar(&zipped, files(GraphFile, "graph"), true); err != nil {
		f.Fatal(err)
	}
	f.Add(plain.Bytes())
	f.Add(zipped.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ReadArchive(bytes.NewReader(data), Limits{Bytes: 1 << 20, Members: 64})
		if err != nil {
			return
		}
		for _, name := range c.Names() {
			if _, err := c.ReadFile(name); err != nil {
				t.Errorf("member %q cannot be read: %v", name, err)
			}
		}
	})
}
