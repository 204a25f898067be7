package repository

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
)

// seen is what the folder has under a name.
type seen struct {
	versions map[string]candidate // nil if nothing can be said of them
	problem  string               // why there is no model, or which of several it might be
}

// candidate is a version on disk.
type candidate struct {
	path    string // of the model, as it was found
	dir     string // in which its files and folders stand
	files   string // their names, with zeros between them
	print   outside
	problem string // why there is no model
}

// outside is what files look like from outside. It is another one whenever they were written, exchanged or removed.
type outside struct {
	sum    [sha256.Size]byte
	newest time.Time // when the last of them was changed
	bytes  int64
}

// settled reports whether the files have been as they are for some time.
func (p outside) settled(now time.Time, forTime time.Duration) bool {
	return now.Sub(p.newest) >= forTime
}

// look returns what the folder has by names, or what it is, if it is that of one model.
func look(dir, only string) (map[string]*seen, error) {
	if only != "" {
		s, err := lookInto(dir)
		return map[string]*seen{only: s}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, hidden)
	found, of := make(map[string]*seen), make(map[string]string)
	for _, e := range entries {
		name, s := lookAt(dir, e.Name(), entries)
		switch {
		case s == nil:
		case found[name] == nil:
			found[name], of[name] = s, e.Name()
		case found[name].problem != "" && len(found[name].versions) == 0: // a folder that holds no model
			found[name], of[name] = s, e.Name()
		case s.problem == "" || len(s.versions) > 0:
			found[name] = &seen{problem: fmt.Sprintf("%s and %s both are the model %s; one of them must go", of[name], e.Name(), name)}
		}
	}
	return found, nil
}

// text is what the system calls something, fit for the protocol, whose texts are UTF-8.
func text(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func hidden(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }

// lookAt returns what one entry of the folder is, and nil if it is no model's.
func lookAt(dir, entry string, beside []fs.DirEntry) (name string, s *seen) {
	path := filepath.Join(dir, entry)
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return "", nil // a link to nowhere, or gone again
	}
	if _, err := concord.FormatOf(path); !utf8.ValidString(entry) && (err == nil || info.IsDir()) {
		return text(manifest.ModelName(entry)), &seen{problem: "its name on disk is not UTF-8, which names of models must be"}
	}
	if info.IsDir() {
		s, err := lookInto(path)
		if err != nil {
			return entry, &seen{problem: plain(err)}
		}
		if _, err := concord.FormatOf(path); err == nil {
			entry = manifest.ModelName(entry)
		}
		return entry, s
	}
	if _, err := concord.FormatOf(path); err != nil {
		return "", nil
	}
	name = manifest.ModelName(entry)
	files := []string{entry}
	for _, e := range beside {
		if strings.HasPrefix(e.Name(), name+".") && e.Name() != entry && !e.IsDir() {
			files = append(files, e.Name())
		}
	}
	return name, &seen{versions: map[string]candidate{"1": candidateAt(dir, path, strings.Join(files, "\x00"))}}
}

// lookInto returns what the folder of one model has: versions, or else the model itself.
func lookInto(dir string) (*seen, error) {
	versions, err := versionsIn(dir)
	if err != nil || len(versions) > 0 {
		return &seen{versions: versions}, err
	}
	model, problem := modelIn(dir)
	if problem != "" {
		return &seen{versions: versions, problem: problem}, nil
	}
	return &seen{versions: map[string]candidate{"1": candidateAt(dir, model, ".")}}, nil
}

// versionsIn returns the versions in the folder of a model.
func versionsIn(dir string) (map[string]candidate, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	versions := make(map[string]candidate)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); !IsVersion(e.Name()) || err != nil || !info.IsDir() {
			continue
		}
		model, problem := modelIn(path)
		c := candidateAt(dir, model, e.Name())
		if c.problem == "" {
			c.problem = problem
		}
		versions[e.Name()] = c
	}
	return versions, nil
}

// IsVersion reports whether a name is a number above 0, written as numbers are.
func IsVersion(name string) bool {
	if name == "" || len(name) > 18 || name[0] == '0' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
}

// compareVersions orders versions as the numbers that they are.
func compareVersions(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// modelIn returns the model in the folder of a version: the folder itself, the only model in it, or the only one that is called model.
func modelIn(dir string) (path, problem string) {
	if _, err := concord.FormatOf(dir); err == nil {
		return dir, ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return dir, plain(err)
	}
	entries = slices.DeleteFunc(entries, hidden)
	models := modelsOf(dir, entries, func(name string) bool { return manifest.ModelName(name) == "model" })
	if len(models) != 1 {
		models = modelsOf(dir, entries, func(string) bool { return true })
	}
	switch len(models) {
	case 1:
		return filepath.Join(dir, models[0]), ""
	case 0:
		return dir, "the folder holds neither a model, such as model.nnef or model.onnx, nor versions, which are folders named by numbers"
	}
	return dir, fmt.Sprintf("the folder holds several models: %s; the one to serve must be called model, as model.onnx", strings.Join(models, ", "))
}

// modelsOf returns the entries of a folder that are models, of those whose names are asked for.
func modelsOf(dir string, entries []fs.DirEntry, named func(name string) bool) (names []string) {
	for _, e := range entries {
		if !named(e.Name()) {
			continue
		}
		if _, err := concord.FormatOf(filepath.Join(dir, e.Name())); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

// candidateAt is a version whose files, and those of the folders among them, are given by their names in a folder.
func candidateAt(dir, path, files string) candidate {
	c := candidate{path: path, dir: dir, files: files}
	p := printer{sum: sha256.New()}
	for name := range strings.SplitSeq(files, "\x00") {
		if err := p.add(filepath.Join(dir, name), name, 0); err != nil {
			c.problem = plain(err)
			return c
		}
	}
	p.outside.sum = [sha256.Size]byte(p.sum.Sum(nil))
	c.print = p.outside
	return c
}

// again returns the version as it is now.
func (c candidate) again() candidate { return candidateAt(c.dir, c.path, c.files) }

// printer makes a print.
type printer struct {
	outside
	sum   hash.Hash
	files int
}

// add adds a file, or all files of a folder. Links are followed.
func (p *printer) add(path, name string, depth int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if p.files++; p.files > limits.RepositoryFiles {
		return fmt.Errorf("the version has more than %d files", limits.RepositoryFiles)
	}
	if !info.IsDir() {
		changed, node := identity(info)
		fmt.Fprintf(p.sum, "%q %d %d %s\n", name, info.Size(), info.ModTime().UnixNano(), node)
		p.bytes += info.Size()
		p.newest = later(p.newest, later(changed, info.ModTime()))
		return nil
	}
	if depth > limits.RepositoryDepth {
		return fmt.Errorf("the version has folders in folders, more than %d deep", limits.RepositoryDepth)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range slices.DeleteFunc(entries, hidden) {
		if err := p.add(filepath.Join(path, e.Name()), name+"/"+e.Name(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
