package shards

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/concord-nn/concord/internal/stage"
)

// remote reports whether a folder is one of Beam's file systems rather than of the machine's.
func remote(folder string) bool { return strings.Contains(folder, "://") }

func join(folder, name string) string {
	if remote(folder) {
		return strings.TrimRight(folder, "/") + "/" + name
	}
	return filepath.Join(folder, name)
}

// delivery brings files from where they were written to where they belong.
type delivery struct{ from, to string } // empty if these are the same

// place returns a folder of this machine for what belongs into a folder.
func place(output string) (dir string, d delivery, err error) {
	if !remote(output) {
		return output, d, nil
	}
	dir, err = os.MkdirTemp("", "concord-beam-")
	return dir, delivery{dir, output}, err
}

// file brings a file, if there is one and it is elsewhere.
func (d delivery) file(ctx context.Context, name string) error {
	if d.to == "" || name == "" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return upload(ctx, join(d.to, filepath.Base(name)), f)
}

func (d delivery) close() {
	if d.from != "" {
		_ = os.RemoveAll(d.from) // what is left over harms nobody
	}
}

// upload writes a file of one of Beam's file systems. They show a file when it is closed; one whose writing was cancelled they never show.
func upload(ctx context.Context, name string, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	w, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		cancel()
		_ = w.Close() // it was cancelled
		return err
	}
	return w.Close()
}

// write writes a whole file or nothing.
func write(ctx context.Context, name string, data []byte) error {
	if remote(name) {
		return upload(ctx, name, strings.NewReader(string(data)))
	}
	return stage.WriteData(name, data)
}

func read(ctx context.Context, name string) ([]byte, error) {
	if !remote(name) {
		return os.ReadFile(filepath.Clean(name))
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
