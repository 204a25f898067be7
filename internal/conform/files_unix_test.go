//go:build unix

package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
)

// TestFilesOfCases refuses names and links that lead out of the folder of the cases, and what is no file, at which nothing may wait.
func TestFilesOfCases(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "cases")
	secret := filepath.Join(root, "secret")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "folder"), 0o700),
		os.WriteFile(secret, []byte("secret"), 0o600),
		os.Symlink(secret, filepath.Join(dir, "link")),
		os.Symlink("plain", filepath.Join(dir, "own")),
		os.WriteFile(filepath.Join(dir, "plain"), []byte("version 1.0; graph g( x ) -> ( y ) { x = external<scalar>(shape = [1]); y = relu(x); }"), 0o600),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	index := func(entry string) conform.Result {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "index.json"), []byte("["+entry+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		cases, err := conform.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		return conform.Run(context.Background(), cases, conform.Options{})[0]
	}
	for _, kind := range []string{
		`{"id": "a", "data": "plain", "file": "NAME"}`, `{"id": "a", "data": "NAME", "file": "plain"}`, `{"id": "a", "dialect": "final", "file": "NAME"}`,
		`{"id": "a", "path": "NAME"}`,
	} {
		for name, want := range map[string]string{
			"../secret": "../secret: it leads out of the folder", secret: secret + ": it leads out of the folder", "link": "link: it leads out of the folder",
			"pipe": "it is no regular file", "folder": "it is a folder", "plain": "", "own": "",
		} {
			if strings.Contains(kind, `"path"`) && (name == "pipe" || name == "folder") {
				continue // a model may be a folder
			}
			r := index(strings.ReplaceAll(kind, "NAME", name))
			refused := strings.Contains(r.Detail, "it leads out") || strings.Contains(r.Detail, "it is no") || strings.Contains(r.Detail, "it is a folder")
			if !strings.Contains(r.Detail, want) || refused != (want != "") {
				t.Errorf("%s, %s: %s: %s; want %q", kind, name, r.Status, r.Detail, want)
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, "index.json")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "index.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cases, err := conform.Find(dir); err == nil {
		t.Errorf("cases in a pipe: %v", cases)
	}
}
