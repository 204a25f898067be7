package bulk

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/media"
)

// archive visits an item for each file in a .tar that an input is made from.
func (w *walker) archive(name string) error {
	f, _, err := mapfile.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	whole, err := f.Stat()
	if err != nil {
		return err
	}
	r := io.Reader(&endingReader{w.ctx, f})
	if low := strings.ToLower(name); !strings.HasSuffix(low, ".tar") {
		if r, err = gzip.NewReader(r); err != nil {
			return fmt.Errorf("%s: %w", name, container.Damage(err))
		}
	}
	for members := tar.NewReader(r); ; {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, container.Damage(err))
		}
		// Names that begin with a dot are what systems write beside files, such as ._photo.jpg.
		if h.Typeflag != tar.TypeReg || strings.HasPrefix(path.Base(h.Name), ".") || !slices.Contains(w.given.Takes, feed.FormOfName(h.Name)) {
			continue
		}
		if err := w.member(name, h, members, stampOf(whole)); err != nil {
			return err
		}
	}
}

// endingReader ends with a context, also within a member that is passed over.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (r *endingReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// member visits the item of a file in an archive, which is read if it is wanted.
func (w *walker) member(archive string, h *tar.Header, r io.Reader, stamp string) error {
	file := archive + ":" + path.Clean(h.Name)
	it := &Item{Source: file, mark: func() string { return stamp }}
	if w.wanted() {
		j := w.given.Job()
		j.Source = file
		w.plain(j, file)
		if h.Size > media.MaxFileBytes {
			it.open = func() (*opened, error) {
				return nil, fmt.Errorf("it has %d bytes; files in archives may have %d", h.Size, media.MaxFileBytes)
			}
			return w.item(it)
		}
		data, err := io.ReadAll(io.LimitReader(r, h.Size))
		if err != nil {
			return fmt.Errorf("%s: %w", file, container.Damage(err))
		}
		it.open = func() (*opened, error) { return &opened{j, map[string][]byte{file: data}}, nil }
	}
	return w.item(it)
}
