package concord_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord"
)

// digestOf loads a model and returns its digest.
func digestOf(t *testing.T, l concord.Loader, path string) string {
	t.Helper()
	m, err := l.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	digest, err := m.Digest()
	if err != nil || len(digest) != 64 {
		t.Fatal(digest, err)
	}
	return digest
}

// TestDigest copies a model to another place, where its digest is the same, in a file system, too; then it changes each of the files that the model is
// made of, and others.
func TestDigest(t *testing.T) {
	for _, c := range []struct{ folder, name string }{{"examples/digits/model.nnef", ""}, {"cmd/concord/testdata/cvm/strokes", ""}, {"examples/digits/model.nnef", "graph.nnef"}} {
		dir := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.CopyFS(dir, os.DirFS(c.folder)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, c.name)
		want := digestOf(t, concord.Loader{}, filepath.Join(c.folder, c.name))
		if got := digestOf(t, concord.Loader{}, path); got != want {
			t.Errorf("%s: a copy has the digest %s, not %s", path, got, want)
		}
		m, err := concord.OpenFS(os.DirFS(filepath.Dir(dir)), filepath.ToSlash(filepath.Join("elsewhere", c.name)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Digest(); got != want || err != nil {
			t.Errorf("%s: in a file system the digest is %s, %v, not %s", path, got, err, want)
		}
		if digestOf(t, concord.Loader{Lenient: true}, path) == want {
			t.Errorf("%s: options change nothing", path)
		}
		if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := digestOf(t, concord.Loader{}, path); got != want {
			t.Errorf("%s: a file that is no part of the model changes the digest", path)
		}
		changed := 0
		err = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if file := e.Name(); err != nil || e.IsDir() || filepath.Ext(file) != ".dat" && file != "params.bin" {
				return err
			}
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			data[len(data)-1] ^= 1
			if err := os.WriteFile(name, data, 0o600); err != nil {
				return err
			}
			if got := digestOf(t, concord.Loader{}, path); got == want {
				t.Errorf("%s changes nothing", name)
			} else {
				want = got
			}
			changed++
			return nil
		})
		if err != nil || changed == 0 {
			t.Errorf("%s: %d files, %v", path, changed, err)
		}
	}
}
