package manifest

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/place"
)

// FileName is the name of a manifest inside a model's folder.
const FileName = "concord.json"

// suffix is what a manifest beside a model's file has after the file's name.
const suffix = ".concord.json"

// extensions are the endings that the name of a model's file may lose in the name of its manifest.
var extensions = []string{".gz", ".tgz", ".tar", ".zip", ".nnef", ".onnx", ".json"}

//go:embed known
var knownFiles embed.FS

// known lists the models whose manifests are part of Concord, by the contents of the model's file or, for a folder, of
// its graph.nnef.
var known = []struct {
	size   int64
	sha256 string
	file   string // below known
}{
	{978372, "a1a6e3df357340eee727b6ded96da58997e5eb64ab19aa7e3999e9ef81954877", "ultraface-slim-320.concord.json"},
	{13968, "1cdb5cc67ebbab9c0a1a67e4525ca766a7be2b42c87cab24650ef54d4da4d079", "ultraface-slim-320.concord.json"},
	{1270727, "34cd7e60aeff28744c657de7a3dc64e872d506741de66987f3426f2b79f88017", "ultraface.concord.json"},
	{1114081, "faf6740b495e8b9508e6fda11e8c0368bbdde01143e8f0a3e511d0892c4d794e", "ultraface-raw.concord.json"},
	{1195330, "e9adbd0f920ddcce9368434c4d34d72520dc0c19b526fd44b4ef49bde2c3b1a8", "ultraface.concord.json"},
	{1047549, "0863d8fedffb8692c3fef345193c7befc9b513a66ac4ff87bdecf47452fa272f", "ultraface-raw.concord.json"},
	{2327524, "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3", "silero-vad.concord.json"},
	{1289603, "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49", "silero-vad.concord.json"},
	{2845718, "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28", "silero-vad.concord.json"},
}

// graphNames are the names that the graph of a model has in a folder of its own, where the manifest of the folder is also that of the file:
// those of NNEF and of CVM.
var graphNames = []string{container.GraphFile, "graph.json", "symbol.json", "symbol"}

// Find looks for the manifest of the model in a file or folder: concord.json in the folder; beside a file
// m.nnef.tgz first m.nnef.tgz.concord.json, then m.nnef.concord.json, then m.concord.json; in an archive concord.json; beside the graph file
// of a model in a folder, such as graph.nnef, the concord.json of the folder; at last among the models that this package knows by their
// contents. The error is a [*NotFoundError] if there is none. Of one with mistakes, Errors, what could be read is returned as [Parse] does.
func Find(model string) (*Manifest, error) {
	return places{place.Host, Open}.find(model)
}

// FindFS is [Find] in a file system.
func FindFS(fsys fs.FS, model string) (*Manifest, error) {
	return places{place.In(fsys), func(name string) (*Manifest, error) { return Load(fsys, name) }}.find(model)
}

// Beside returns where the manifest of a model in a file is written, which is not an archive.
func Beside(model string) string { return model + suffix }

// ModelName returns what a model in a file or folder is called: the last part of its path without the endings of formats and archives.
func ModelName(path string) string {
	name := filepath.Base(path)
	for short := name; short != ""; short = shorten(name) {
		name = short
	}
	return name
}

// NotFoundError says that a model has no manifest, and where it was looked for.
type NotFoundError struct {
	Model  string
	Looked []string // places, the first one first
}

func (e *NotFoundError) Error() string {
	e = cmp.Or(e, new(NotFoundError))
	return "no manifest was found: looked for " + strings.Join(e.Looked, ", ")
}

// Unwrap makes it an fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }

// places is where manifests are looked for.
type places struct {
	place.Files
	load func(name string) (*Manifest, error)
}

func (p places) find(model string) (*Manifest, error) {
	info, err := p.Stat(model)
	if err != nil {
		return nil, err
	}
	missing := &NotFoundError{Model: model}
	try := func(name string) (*Manifest, error) {
		missing.Looked = append(missing.Looked, name)
		return p.openIfThere(name)
	}
	if info.IsDir() {
		if m, err := try(p.Join(model, FileName)); m != nil || err != nil {
			return m, err
		}
		return p.known(p.Join(model, container.GraphFile), missing)
	}
	for base := model; base != ""; base = shorten(base) {
		if m, err := try(Beside(base)); m != nil || err != nil {
			return m, err
		}
	}
	dir, file := p.Split(model)
	switch {
	case container.IsArchive(file):
		missing.Looked = append(missing.Looked, model+":"+FileName)
		if m, err := p.inside(model); m != nil || err != nil {
			return m, err
		}
	case slices.Contains(graphNames, file):
		if m, err := try(p.Join(dir, FileName)); m != nil || err != nil {
			return m, err
		}
	}
	return p.known(model, missing)
}

// known finds a manifest by the contents of a file. The error is missing if there is none.
func (p places) known(content string, missing *NotFoundError) (*Manifest, error) {
	m, err := p.identify(content)
	if m == nil && err == nil {
		err = missing
	}
	return m, err
}

// inside reads the manifest in an archive. It returns nil without an error if there is none; that the archive cannot be read, whoever loads
// the model says.
func (p places) inside(model string) (*Manifest, error) {
	files, err := p.unpack(model, FileName)
	if err != nil || files[FileName] == nil {
		return nil, nil //nolint:nilerr // see above
	}
	return withLabels(model+":"+FileName, files[FileName], func(name string) ([]byte, error) {
		labels, err := p.unpack(model, name)
		if err == nil && labels[name] == nil {
			err = fs.ErrNotExist
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return labels[name], err
	})
}

// unpack reads files of an archive.
func (p places) unpack(model string, names ...string) (map[string][]byte, error) {
	f, _, err := place.OpenRegular(p, model)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return container.ReadFiles(f, container.DefaultLimits, MaxBytes, names...)
}

// shorten removes one known extension from a file's path; "" if it has none.
func shorten(name string) string {
	ext := filepath.Ext(name)
	if !slices.Contains(extensions, strings.ToLower(ext)) || filepath.Base(name) == ext {
		return ""
	}
	return strings.TrimSuffix(name, ext)
}

// openIfThere returns nil without an error if the file does not exist.
func (p places) openIfThere(name string) (*Manifest, error) {
	info, err := p.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return p.load(name)
}

// identify returns the known manifest for the contents of a file, nil if there is none.
func (p places) identify(name string) (*Manifest, error) {
	info, err := p.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, nil // such as a folder without graph.nnef
	}
	if err != nil {
		return nil, err
	}
	sum := ""
	for _, k := range known {
		if k.size != info.Size() {
			continue
		}
		if sum == "" {
			if sum, err = p.checksum(name, k.size); err != nil {
				return nil, err
			}
		}
		if sum == k.sha256 {
			m, err := Load(knownFiles, path.Join("known", k.file))
			if m != nil {
				m.builtIn = true
			}
			return m, err
		}
	}
	return nil, nil
}

func (p places) checksum(name string, size int64) (string, error) {
	f, err := p.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Open reads a manifest and the labels it names, as [Parse] does. Links that lead out of the manifest's folder are not followed.
func Open(name string) (*Manifest, error) {
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return load(root.FS(), base, name)
}

// Load reads a manifest and the labels it names, as [Parse] does, from a file system.
func Load(fsys fs.FS, name string) (*Manifest, error) { return load(place.Some(fsys), name, name) }

func load(fsys fs.FS, name, source string) (*Manifest, error) {
	data, err := readBounded(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return withLabels(source, data, func(file string) ([]byte, error) {
		file = path.Join(path.Dir(name), file)
		data, err := readBounded(fsys, file)
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
		return data, err
	})
}

// withLabels reads a manifest; read reads the files with labels that it names.
func withLabels(source string, data []byte, read func(name string) ([]byte, error)) (*Manifest, error) {
	m, _ := Parse(source, data) // whose mistakes m has, too
	for _, out := range m.Outputs {
		var l *Labels
		switch k := out.Kind.(type) {
		case *Classes:
			l = &k.Labels
		case *Boxes:
			l = &k.Labels
		}
		if l == nil || l.File == "" {
			continue
		}
		data, err := read(l.File)
		if err == nil {
			l.Names, err = parseLabels(path.Join(path.Dir(filepath.ToSlash(source)), l.File), data)
		}
		if err != nil {
			m.wrong = append(m.wrong, &Error{source, l.place, join("outputs", out.Name) + ".labels_file", err.Error()})
		}
	}
	m.wrong = m.wrong[:min(len(m.wrong), maxErrors)]
	return m, m.wrong.inOrder()
}

// ReadLabels reads a file with one label a line, a regular one of at most as many bytes and lines as a manifest may have.
func ReadLabels(name string) ([]string, error) {
	folder, base := filepath.Split(name)
	if folder == "" {
		folder = "."
	}
	data, err := readBounded(os.DirFS(folder), base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return parseLabels(name, data)
}

// parseLabels reads one label a line, for a file of that name. A last line end is allowed.
func parseLabels(name string, data []byte) ([]string, error) {
	text := strings.TrimSuffix(strings.ReplaceAll(string(mapfile.Text(data)), "\r\n", "\n"), "\n")
	if n := strings.Count(text, "\n") + 1; n > maxLabels {
		return nil, fmt.Errorf("%s has %d lines; at most %d labels are allowed", name, n, maxLabels)
	}
	labels := strings.Split(text, "\n")
	for i, l := range labels {
		if len(l) > maxName || !printable(l) || strings.ToValidUTF8(l, "") != l {
			return nil, fmt.Errorf("%s:%d: a label must have at most %d bytes of UTF-8 without control characters", name, i+1, maxName)
		}
	}
	return labels, nil
}

// readBounded reads a file. Its errors do not name it.
func readBounded(fsys fs.FS, name string) ([]byte, error) {
	f, _, err := place.OpenRegular(place.In(fsys), name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	return data, mapfile.Plain(err)
}
