package repository

import (
	"cmp"
	"crypto/sha256"
	"errors"
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
	entry    string               // of the folder
	versions map[string]candidate // nil if nothing can be said of them
	problem  string               // why there is no model, which of several it might be, or what beside its versions is none
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
	found := make(map[string][]*seen)
	for _, e := range entries {
		if name, s := lookAt(dir, e.Name(), entries); s != nil {
			s.entry = e.Name()
			found[name] = append(found[name], s)
		}
	}
	one := make(map[string]*seen, len(found))
	for name, all := range found {
		one[name] = oneOf(name, all)
	}
	return one, nil
}

// oneOf returns what a name stands for that several entries have.
func oneOf(name string, all []*seen) *seen {
	models := slices.DeleteFunc(slices.Clone(all), func(s *seen) bool { return len(s.versions) == 0 })
	switch len(models) {
	case 0:
		return all[len(all)-1]
	case 1:
		for _, s := range all { // but a folder without a model may be there for other things
			if s.versions == nil {
				models[0].problem = s.problem
			}
		}
		return models[0]
	}
	return &seen{problem: fmt.Sprintf("%s and %s both are the model %s; one of them must go", models[0].entry, models[1].entry, name)}
}

// text is what the system calls something, fit for the protocol, whose texts are UTF-8.
func text(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func hidden(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }

// lookAt returns what one entry of the folder is, and nil if it is no model's.
func lookAt(dir, entry string, beside []fs.DirEntry) (name string, s *seen) {
	path := filepath.Join(dir, entry)
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		if why := unfit(path); why != "" && !slices.ContainsFunc(beside, func(e fs.DirEntry) bool { return belongs(entry, dir, e.Name()) }) {
			return text(manifest.ModelName(entry)), &seen{problem: why}
		}
		return "", nil
	}
	if !utf8.ValidString(entry) && (info.IsDir() || isModel(path)) {
		return text(manifest.ModelName(entry)), &seen{problem: "its name on disk is not UTF-8, which names of models must be"}
	}
	if info.IsDir() {
		s, err := lookInto(path)
		if err != nil {
			return entry, &seen{problem: plain(err)}
		}
		if isModel(path) {
			entry = manifest.ModelName(entry)
		}
		return entry, s
	}
	if !isModel(path) {
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

// belongs reports whether an entry of a folder belongs to another one, which is the file of a model and says what is wrong with it.
func belongs(entry, dir, to string) bool {
	if entry == to || !strings.HasPrefix(entry, manifest.ModelName(to)+".") {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, to))
	return err == nil && info.Mode().IsRegular() && isModel(filepath.Join(dir, to))
}

func isModel(path string) bool {
	_, err := concord.FormatOf(path)
	return err == nil
}

// unfit says why what has a name is neither a file nor a folder; empty if it is one, or is gone again.
func unfit(path string) string {
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return path + ": the link leads to nothing"
	case err != nil:
		return plain(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return path + ": it is neither a file nor a folder"
	}
	return ""
}

// lookInto returns what the folder of one model has: versions, or else the model itself.
func lookInto(dir string) (*seen, error) {
	versions, odd, err := versionsIn(dir)
	if err != nil || len(versions) > 0 {
		return &seen{versions: versions, problem: odd}, err
	}
	model, problem := modelIn(dir)
	if problem != "" {
		problem = cmp.Or(odd, problem)
		return &seen{versions: versions, problem: problem}, nil
	}
	return &seen{versions: map[string]candidate{"1": candidateAt(dir, model, ".")}}, nil
}

// versionsIn returns the versions in the folder of a model, and what a folder is wrong with whose number is none of a version.
func versionsIn(dir string) (versions map[string]candidate, odd string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, "", err
	}
	versions = make(map[string]candidate)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !isNumber(e.Name()) {
			continue
		}
		why := unfit(path)
		if info, err := os.Stat(path); why == "" && (err != nil || !info.IsDir()) {
			continue // a file of the model
		}
		if !IsVersion(e.Name()) {
			odd = path + ": versions are whole numbers from 1 on, of at most 18 digits and without zeros in front"
			continue
		}
		model, problem := path, why
		if why == "" {
			model, problem = modelIn(path)
		}
		c := candidateAt(dir, model, e.Name())
		c.problem = cmp.Or(why, c.problem, problem)
		versions[e.Name()] = c
	}
	return versions, odd, nil
}

// IsVersion reports whether a name is a number above 0, written as numbers are.
func IsVersion(name string) bool { return isNumber(name) && len(name) <= 18 && name[0] != '0' }

func isNumber(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
}

// compareVersions orders versions as the numbers that they are.
func compareVersions(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// modelIn returns the model in the folder of a version: the folder itself, the only model in it, or the only one that is called model.
func modelIn(dir string) (path, problem string) {
	if isModel(dir) {
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
		if named(e.Name()) && isModel(filepath.Join(dir, e.Name())) {
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
