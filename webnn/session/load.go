package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/place"
)

// Load reads the document at path and, of the file of weights that it names, what its buffers use. Both must be regular files.
// The weights lie in the folder of the document; a link must not lead out of it. Nil limits are the defaults.
func Load(path string, limits *Limits) (*Session, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, mapfile.Plain(err))
	}
	defer folder.Close()
	return load(place.Host, path, rooted{place.Host, folder}, limits)
}

// rooted are the files of a folder that links do not lead out of.
type rooted struct {
	place.Files
	folder *os.Root
}

func (r rooted) Stat(name string) (fs.FileInfo, error) { return r.folder.Stat(name) }
func (r rooted) Open(name string) (fs.File, error)     { return mapfile.OpenIn(r.folder, name) }

// LoadFS is [Load] in a file system.
func LoadFS(fsys fs.FS, name string, limits *Limits) (*Session, error) {
	folder, err := fs.Sub(fsys, path.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, mapfile.Plain(err))
	}
	return load(place.In(fsys), name, place.In(folder), limits)
}

// load reads a document, and its weights in a folder.
func load(files place.Files, path string, folder place.Files, limits *Limits) (s *Session, err error) {
	defer func() {
		if err != nil {
			s, err = nil, fmt.Errorf("%s: %w", path, err)
		}
	}()
	f, size, err := place.OpenRegular(files, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := readAll(f, min(size, limits.orDefault().Text)+1) // the parser refuses what is one byte too long
	if err != nil {
		return nil, err
	}
	p := newParser(text, limits)
	s = p.session()
	weights, err := p.readWeights(folder, s.Weights)
	if err != nil {
		return nil, err
	}
	return s, p.fill(weights)
}

// readWeights reads the file of weights up to the last byte that a buffer uses.
func (p *parser) readWeights(folder place.Files, name string) ([]byte, error) {
	if name == "" {
		p.within(0, `the document names no file of weights; it does so by the member "weights"`)
	}
	if name == "" || p.err != nil {
		return nil, p.err
	}
	f, size, err := place.OpenRegular(folder, name)
	if err != nil {
		return nil, fmt.Errorf("weights %q: %w", name, err)
	}
	defer f.Close()
	p.within(size, fmt.Sprintf("the file of weights %q has %d", name, size))
	if p.within(p.limits.Weights, fmt.Sprintf("at most %d of the weights are read", p.limits.Weights)); p.err != nil {
		return nil, p.err
	}
	used := int64(0)
	for _, u := range p.pending {
		used = max(used, u.end)
	}
	weights, err := readAll(f, used)
	if err != nil {
		return nil, fmt.Errorf("weights %q: %w", name, err)
	}
	return weights, nil
}

// readAll reads up to most bytes of a file into memory of their size.
func readAll(f io.Reader, most int64) ([]byte, error) {
	if int64(int(most)) != most {
		return nil, fmt.Errorf("%d bytes are too many for this processor", most)
	}
	data := make([]byte, most)
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return data[:n], mapfile.Plain(err)
}

// Recognizes says whether the file at path begins as a document of this form does.
func Recognizes(path string, isDir bool) bool { return recognizes(place.Host, path, isDir) }

// RecognizesFS is [Recognizes] in a file system.
func RecognizesFS(fsys fs.FS, name string, isDir bool) bool {
	return recognizes(place.In(fsys), name, isDir)
}

func recognizes(files place.Files, path string, isDir bool) bool {
	if isDir || !strings.EqualFold(filepath.Ext(path), ".json") {
		return false
	}
	f, _, err := place.OpenRegular(files, path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 256))
	return isDocument(head)
}
