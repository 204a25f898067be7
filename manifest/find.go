package manifest

import (
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
	{1114081, "faf6740b495e8b9508e6fda11e8c0368bbdde01143e8f0a3e511d0892c4d794e", "ultraface.concord.json"},
	{1195330, "e9adbd0f920ddcce9368434c4d34d72520dc0c19b526fd44b4ef49bde2c3b1a8", "ultraface.concord.json"},
	{1047549, "0863d8fedffb8692c3fef345193c7befc9b513a66ac4ff87bdecf47452fa272f", "ultraface-slim-320-raw.concord.json"},
	{2327524, "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3", "silero-vad.concord.json"},
	{1289603, "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49", "silero-vad.concord.json"},
	{2845718, "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28", "silero-vad.concord.json"},
}

// Find looks for the manifest of the model in a file or folder: concord.json in the folder; beside a file
// m.nnef.tgz first m.nnef.tgz.concord.json, then m.nnef.concord.json, then m.concord.json; at last among the models
// that this package knows by their contents. The error is fs.ErrNotExist if there is none.
func Find(model string) (*Manifest, error) {
	info, err := os.Stat(model)
	if err != nil {
		return nil, err
	}
	content := model
	if info.IsDir() {
		if m, err := openIfThere(filepath.Join(model, FileName)); m != nil || err != nil {
			return m, err
		}
		content = filepath.Join(model, "graph.nnef")
	} else {
		for base := model; base != ""; base = shorten(base) {
			if m, err := openIfThere(base + suffix); m != nil || err != nil {
				return m, err
			}
		}
	}
	m, err := identify(content)
	if m == nil && err == nil {
		err = fmt.Errorf("there is no manifest for %s: %w", model, fs.ErrNotExist)
	}
	return m, err
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
func openIfThere(name string) (*Manifest, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Open(name)
}

// identify returns the known manifest for the contents of a file, nil if there is none.
func identify(name string) (*Manifest, error) {
	info, err := os.Stat(name)
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
			if sum, err = checksum(name, k.size); err != nil {
				return nil, err
			}
		}
		if sum == k.sha256 {
			return Load(knownFiles, path.Join("known", k.file))
		}
	}
	return nil, nil
}

func checksum(name string, size int64) (string, error) {
	f, err := os.Open(name)
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

// Open reads a manifest and the labels it names. Links that lead out of the manifest's folder are not followed.
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

// Load reads a manifest and the labels it names from a file system.
func Load(fsys fs.FS, name string) (*Manifest, error) { return load(fsys, name, name) }

func load(fsys fs.FS, name, source string) (*Manifest, error) {
	data, err := readBounded(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	m, err := Parse(source, data)
	if err != nil {
		return nil, err
	}
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
		if l.Names, err = readLabels(fsys, path.Join(path.Dir(name), l.File), path.Join(path.Dir(name), l.File)); err != nil {
			return nil, Errors{{source, l.place, join("outputs", out.Name) + ".labels_file", err.Error()}}
		}
	}
	return m, nil
}

// ReadLabels reads a file with one label a line, a regular one of at most as many bytes and lines as a manifest may have.
func ReadLabels(name string) ([]string, error) {
	folder, base := filepath.Split(name)
	if folder == "" {
		folder = "."
	}
	return readLabels(os.DirFS(folder), base, name)
}

// readLabels reads one label a line from a file, which errors call by the name shown. A last line end is allowed.
func readLabels(fsys fs.FS, name, shown string) ([]string, error) {
	data, err := readBounded(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if n := strings.Count(text, "\n") + 1; n > maxLabels {
		return nil, fmt.Errorf("%s has %d lines; at most %d labels are allowed", shown, n, maxLabels)
	}
	labels := strings.Split(text, "\n")
	for i, l := range labels {
		if len(l) > maxName || !printable(l) || strings.ToValidUTF8(l, "") != l {
			return nil, fmt.Errorf("%s:%d: a label must have at most %d bytes of UTF-8 without control characters", shown, i+1, maxName)
		}
	}
	return labels, nil
}

// readBounded reads a file. Its errors do not name it.
func readBounded(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err == nil && !info.Mode().IsRegular() { // opening a pipe would wait for somebody to write into it
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, unnamed(err)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, unnamed(err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("it is larger than %d bytes", MaxBytes)
	}
	return data, unnamed(err)
}

// unnamed returns what an error says without the path that it says it of.
func unnamed(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
