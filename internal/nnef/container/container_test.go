package container

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
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

// foreign makes an archive whose names WriteTar would not write.
func foreign(t *testing.T, pairs ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: pairs[i], Size: int64(len(pairs[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
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
	if list, err := c.List("."); err != nil || !slices.Equal(list, []string{"empty.dat", GraphFile}) {
		t.Errorf("at the top there are %v, %v", list, err)
	}
	if _, err := c.List("../fc"); err == nil {
		t.Error("a folder beside the model is listed")
	}
	for range c.Members() {
		break
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
		"dotted.tar.gz":  foreign(t, prefixed("./")...),
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
	names, messages := []string{"w.dat"}, []string{"it is a folder; a file must stand there", "it is no regular file"}
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
		for i, name := range names {
			if _, err := c.ReadFile(name); err == nil || err.Error() != messages[i] {
				t.Errorf("%s: %s gives %v", form, name, err)
			}
		}
		c.Close()
	}
	pipe := filepath.Join(dir, names[len(names)-1])
	if _, err := Open(pipe); len(names) > 1 && (err == nil || err.Error() != pipe+": it is no regular file") {
		t.Errorf("a pipe is opened as a model: %v", err)
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
	if _, err := c.List("."); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close, members are listed: %v", err)
	}
}

// TestNoModel opens what is none.
func TestNoModel(t *testing.T) {
	dir := t.TempDir()
	short := filepath.Join(dir, "short.tar")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(short); err == nil || !strings.HasPrefix(err.Error(), short+": the archive is cut off") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := New(os.DirFS(dir), "../"); err == nil {
		t.Error("a folder that a file system does not have is opened")
	}
}

// TestList lists a folder as it is.
func TestList(t *testing.T) {
	files := fstest.MapFS{}
	c, err := New(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{{"a.dat"}, {"a.dat", "b.dat"}} {
		files[want[len(want)-1]] = &fstest.MapFile{}
		if list, err := c.List("."); err != nil || !slices.Equal(list, want) {
			t.Errorf("%v, %v", list, err)
		}
	}
}

// raw makes a tar archive of headers with empty contents, as other tools write them.
func raw(t *testing.T, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchiveRejects(t *testing.T) {
	named := func(names ...string) []byte {
		var headers []*tar.Header
		for _, name := range names {
			headers = append(headers, &tar.Header{Typeflag: tar.TypeReg, Name: name})
		}
		return raw(t, headers...)
	}
	special := func(kind byte) []byte {
		return raw(t, &tar.Header{Typeflag: kind, Name: "w.dat", Linkname: "/etc/passwd"})
	}
	whole := archive(t, false, GraphFile, "graph")
	zipped := archive(t, true, GraphFile, "graph")
	broken := bytes.Clone(zipped)
	broken[len(broken)-5] ^= 1 // in the length behind the checksum
	// An extended header can only be written as a file whose type and sum are changed.
	records := "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=w.dat\n25 GNU.sparse.realsize=0\n"
	sparse := foreign(t, "records", records, "w.dat", "0\n"+strings.Repeat("\x00", 510))
	sparse[156] = tar.TypeXHeader
	sum := 0
	for i, b := range sparse[:512] {
		if i >= 148 && i < 156 {
			b = ' '
		}
		sum += int(b)
	}
	copy(sparse[148:], fmt.Sprintf("%06o\x00 ", sum))
	limits := Limits{Bytes: 1 << 10, Members: 3}
	for name, c := range map[string]struct {
		data []byte
		msg  string
	}{
		"empty":           {nil, "the archive is empty"},
		"no tar":          {bytes.Repeat([]byte("this is no archive"), 100), "there is no tar header"},
		"short":           {[]byte("short"), "the archive is cut off"},
		"no gzip":         {[]byte{0x1F, 0x8B, 0, 0}, "gzip"},
		"cut":             {whole[:513], "member \"graph.nnef\": the archive is cut off"},
		"cut gzip":        {zipped[:30], "the archive is cut off"},
		"cut checksum":    {zipped[:len(zipped)-3], "gzip: the archive is cut off"},
		"broken checksum": {broken, "gzip: the checksum is wrong"},
		"escape":          {named("../graph.nnef"), "leads out"},
		"absolute":        {named("/graph.nnef"), "leads out"},
		"drive":           {named(`C:\b`), "leads out"},
		"hidden":          {named("a/../../b"), "leads out"},
		"backslash":       {named(`..\b`), "leads out"},
		"symbolic link":   {special(tar.TypeSymlink), "is a link"},
		"hard link":       {special(tar.TypeLink), "is a link"},
		"device":          {special(tar.TypeChar), "neither a file nor a folder"},
		"pipe":            {special(tar.TypeFifo), "neither a file nor a folder"},
		"sparse":          {sparse, "is a sparse file"},
		"twice":           {named("a", "./a"), "occurs twice"},
		"several models":  {named("a/graph.nnef", "b/graph.nnef"), "several models, a/ and b/ among them"},
		"too large":       {archive(t, true, "a", string(make([]byte, 1025))), "beyond the limit of 1024 bytes"},
		"sum":             {archive(t, true, "a", string(make([]byte, 600)), "b", string(make([]byte, 600))), "beyond the limit"},
		"many members":    {named("a", "b", "c", "d"), "more than 3 members"},
	} {
		_, err := ReadArchive(bytes.NewReader(c.data), limits)
		if err == nil || !strings.Contains(err.Error(), c.msg) {
			t.Errorf("%s: the error is %v; want …%s…", name, err, c.msg)
		}
	}
}

// packed returns bytes as gzip packs them.
func packed(t *testing.T, data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRatio refuses a small archive that unpacks to a large one.
func TestRatio(t *testing.T) {
	const size, block = limits.ArchiveFree + 1<<20, 1 << 20
	var header bytes.Buffer
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "a", Size: size, Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	// What is packed in parts is packed one behind the other: a block of zeros is packed once.
	data := append(packed(t, header.Bytes()), bytes.Repeat(packed(t, make([]byte, block)), size/block+1)...)
	limits := DefaultLimits
	if _, err := ReadArchive(bytes.NewReader(data), limits); err == nil || !strings.Contains(err.Error(), "more than 200 times as many") {
		t.Errorf("the error is %v", err)
	}
	testdata.Exhaustive(t, "it unpacks 65 MiB")
	limits.Ratio = 0
	if _, err := ReadArchive(bytes.NewReader(data), limits); err != nil {
		t.Error(err)
	}
}

// TestForeignArchives reads what other tools put into archives.
func TestForeignArchives(t *testing.T) {
	long := strings.Repeat("long/", 40) + "w.dat"
	for name, data := range map[string][]byte{
		"within":        foreign(t, "graph.nnef", "top", "m/graph.nnef", "inner"),
		"folders":       raw(t, &tar.Header{Typeflag: tar.TypeDir, Name: "m/"}, &tar.Header{Typeflag: tar.TypeReg, Name: "m/graph.nnef"}),
		"global header": raw(t, &tar.Header{Typeflag: tar.TypeXGlobalHeader, Name: "g", PAXRecords: map[string]string{"comment": "c"}}, &tar.Header{Typeflag: tar.TypeReg, Name: "graph.nnef"}),
		"beside":        raw(t, &tar.Header{Typeflag: tar.TypeReg, Name: "README"}, &tar.Header{Typeflag: tar.TypeReg, Name: "m/graph.nnef"}),
		"backslashes":   raw(t, &tar.Header{Typeflag: tar.TypeReg, Name: `m\graph.nnef`}),
		"GNU":           raw(t, &tar.Header{Typeflag: tar.TypeReg, Name: long, Format: tar.FormatGNU}, &tar.Header{Typeflag: tar.TypeReg, Name: "graph.nnef"}),
		"PAX":           raw(t, &tar.Header{Typeflag: tar.TypeReg, Name: long, Format: tar.FormatPAX}, &tar.Header{Typeflag: tar.TypeReg, Name: "graph.nnef"}),
	} {
		path := filepath.Join(t.TempDir(), "model.tar")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text, err := c.ReadFile(GraphFile); err != nil || string(text) == "inner" {
			t.Errorf("%s: %s %v", name, text, err)
		}
		if _, err := c.ReadFile(long); err != nil && strings.ToUpper(name) == name {
			t.Errorf("%s: %v", name, err)
		}
		if err := errors.Join(c.Close(), c.Close()); err != nil {
			t.Errorf("%s: closing: %v", name, err)
		}
		if _, err := c.ReadFile(GraphFile); err == nil {
			t.Errorf("%s: a member can be read after Close", name)
		}
		if _, err := c.List("."); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: members are listed after Close: %v", name, err)
		}
	}
}

// TestMappedArchive holds archives in mapped memory to the same errors as those that are read.
func TestMappedArchive(t *testing.T) {
	whole := archive(t, false, GraphFile, "graph", "w.dat", strings.Repeat("w", 1000))
	for _, n := range []int{0, 100, 514, 1600, 2100} {
		if _, err := mapArchive(slices.Clip(whole[:n]), DefaultLimits); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(whole))
		}
	}
	files, err := mapArchive(whole, DefaultLimits)
	if err != nil || len(files["w.dat"]) != 1000 || cap(files["w.dat"]) != 1000 || !bytes.Contains(whole, files["w.dat"]) {
		t.Errorf("the members are %v, %v", len(files), err)
	}
}

// refusing is a file system that fails with one error.
type refusing struct{ err error }

func (r refusing) Open(name string) (fs.File, error) {
	err := r.err
	if name == "gone.dat" {
		err = fs.ErrNotExist
	}
	return nil, &fs.PathError{Op: "openat", Path: name, Err: err}
}

// TestPlainErrors holds messages to words that a user knows.
func TestPlainErrors(t *testing.T) {
	for want, err := range map[string]error{
		"there is no such file":                   fs.ErrNotExist,
		"it may not be read: permission denied":   fs.ErrPermission,
		"it cannot be read: input/output trouble": errors.New("input/output trouble"),
	} {
		c, other := New(refusing{err}, ".")
		if other != nil {
			t.Fatal(other)
		}
		if _, got := c.ReadFile("a.dat"); got == nil || got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got %v; want %s", got, want)
		}
		if _, got := c.List("."); errors.Is(err, fs.ErrNotExist) != (got == nil) || got != nil && got.Error() != want {
			t.Errorf("listing gives %v; want %s", got, want)
		}
		if _, _, got := c.ReadData("gone.dat"); got == nil || !errors.Is(got, err) {
			t.Errorf("missing data give %v; want %s", got, want)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "layer"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, _, err := c.ReadData("layer/w.dat"); !errors.Is(err, fs.ErrNotExist) || err.Error() != "the model has no file layer/w.dat" {
		t.Errorf("below a file: %v", err)
	}
}

func TestReadData(t *testing.T) {
	held := make(map[string][]byte)
	for _, name := range []string{GraphFile, "a.dat", "a.dat.f16", "b/c.dat.q8", "d.dat.1", "d.dat.2", "e.nnef.tgz"} {
		held[name] = []byte(name)
	}
	c := members(held, nil)
	for name, want := range map[string]string{"a.dat": "a.dat", "b/c.dat": "b/c.dat.q8"} {
		data, got, err := c.ReadData(name)
		if err != nil || got != want || string(data) != want {
			t.Errorf("%s is %q in %q, %v; want %q", name, data, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"d.dat":    "several versions of it, d.dat.1 and d.dat.2 among them",
		"A.dat":    "there is a.dat, but upper and lower case differ",
		"e.dat":    "there is the model e.nnef.tgz",
		"x.dat":    "the model has no file x.dat",
		"b/x.dat":  "the model has no file b/x.dat",
		"x/x.dat":  "the model has no file x/x.dat",
		"../a.dat": "leads out of the model",
	} {
		if _, _, err := c.ReadData(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want …%s…", name, err, want)
		}
	}
}

// convert writes the model at src to dst.
func convert(dst, src string) error {
	c, err := Open(src)
	if err != nil {
		return err
	}
	defer c.Close()
	return Write(dst, c.Members())
}

// TestConvert packs and unpacks a model twice and compares the bytes.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	pairs := []string{GraphFile, "graph", QuantFile, "quant", "b/w.dat", "weights", "a.dat.old", "old",
		"x.safetensors", "s", "sub.nnef.tgz", "z", "words.json", "{}", "README.md", "foreign", "b/.hidden", "h"}
	if err := WriteFolder(in("model"), files(pairs...)); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]string{{"1.nnef.tgz", "model"}, {"2.tar", "1.nnef.tgz"}, {"again", "2.tar"}, {"3.nnef.tgz", "again"}, {"4.tar", "again"}} {
		if err := convert(in(step[0]), in(step[1])); err != nil {
			t.Fatalf("%v: %v", step, err)
		}
	}
	for _, pair := range [][2]string{{"1.nnef.tgz", "3.nnef.tgz"}, {"2.tar", "4.tar"}} {
		a, errA := os.ReadFile(in(pair[0]))
		b, errB := os.ReadFile(in(pair[1]))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%v differ, %v, %v", pair, errA, errB)
		}
	}
	c, err := Open(in("again"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := []string{"a.dat.old", "b/w.dat", GraphFile, QuantFile, "sub.nnef.tgz", "words.json", "x.safetensors"}
	if !slices.Equal(c.Names(), want) {
		t.Errorf("the members are %v; want %v", c.Names(), want)
	}
	if info, err := os.Stat(in("again")); err != nil || !info.IsDir() {
		t.Errorf("what has no ending of an archive is no folder, %v", err)
	}
}

// TestWriteRejects writes what cannot be written.
func TestWriteRejects(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFolder(dir, files("file", "", "folder/file", "")); err != nil {
		t.Fatal(err)
	}
	count := 0
	growing := func(w io.Writer) error { count++; _, err := w.Write(make([]byte, count)); return err }
	broken := func(io.Writer) error { return errors.New("broken") }
	for name, c := range map[string]Members{
		"case":      files("W.dat", "", "w.dat", ""),
		"outside":   files("../w.dat", ""),
		"broken":    func(yield func(string, func(io.Writer) error) bool) { yield("w.dat", broken) },
		"both":      files("a", "", "a/b", ""),
		"in a file": files("file/w.dat", ""),
		"a folder":  files("folder", ""),
		"growing":   func(yield func(string, func(io.Writer) error) bool) { yield("w.dat", growing) },
	} {
		if err := WriteFolder(dir, c); (err == nil) != (name == "growing") {
			t.Errorf("%s: %v", name, err)
		}
		archived := name == "both" || name == "in a file" || name == "a folder"
		if err := errors.Join(WriteTar(io.Discard, c, false), WriteTar(io.Discard, c, true)); (err == nil) != archived {
			t.Errorf("%s, in an archive: %v", name, err)
		}
		if err := WriteTar(io.Discard, c, true); (err == nil) != archived {
			t.Errorf("%s, in a packed archive: %v", name, err)
		}
	}
	if err := WriteFolder(filepath.Join(dir, "file", "model"), files("w.dat", "")); err == nil {
		t.Error("a folder is written in a file")
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
	for _, gz := range []bool{false, true} {
		var b bytes.Buffer
		if err := WriteTar(&b, files(GraphFile, "graph", "w.dat", "weights"), gz); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []*tar.Header{
		{Typeflag: tar.TypeXGlobalHeader, Name: "g", PAXRecords: map[string]string{"comment": "c"}},
		{Typeflag: tar.TypeDir, Name: "m/"},
		{Typeflag: tar.TypeReg, Name: strings.Repeat("m/", 80) + "w.dat", Format: tar.FormatGNU},
		{Typeflag: tar.TypeReg, Name: strings.Repeat("m/", 80) + "v.dat", Format: tar.FormatPAX},
		{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "m"},
	} {
		if err := w.WriteHeader(h); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(b.Bytes()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Bytes: 1 << 20, Members: 64, Ratio: 10}
		c, err := ReadArchive(bytes.NewReader(data), limits)
		if mapped, mapErr := mapArchive(data, limits); mapErr == nil && !bytes.HasPrefix(data, gzipMagic) {
			for name, content := range mapped {
				if c == nil {
					break // larger than the limit, which mapped archives do not have
				}
				if other, err := c.ReadFile(name); err != nil || !bytes.Equal(other, content) {
					t.Errorf("member %q differs when it is mapped, %v", name, err)
				}
			}
		}
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
