package conform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// Case is one conformance case.
type Case struct {
	Folder string // where it was found
	Name   string // unique in its folder

	// run returns nil if the case holds, and else its first difference. A nil run means that the kind of case is not
	// supported.
	run  func(ctx context.Context, e *evaluator) error
	skip string // why the case may fail or cannot run; a failure counts as skipped
}

// narrow is whether this processor has 32 bits, and noRoom why cases of larger tensors are not required there.
const (
	narrow = strconv.IntSize < 64
	noRoom = "not required: a processor of 32 bits has no room for such tensors"
)

// kind is a kind of conformance data: a folder that is recognised and the loader of its cases.
type kind struct {
	name  string
	match func(dir string, files []string) bool
	load  func(dir string, files []string) ([]Case, error)
}

// kinds are tried in order; the first that matches a folder loads it.
var kinds = []kind{
	{"WebNN operators", hasWebNN("conformance"), loadWebNN},
	{"WebNN validation", hasWebNN("validation"), loadWebNNValidation},
	{"NNEF numeric", hasIndex("data"), loadIndex((*numericCase).run)},
	{"NNEF tensors", hasFiles("file", ".dat"), loadIndex((*fileCase).tensor)},
	{"NNEF quantization files", hasFiles("file", ".quant"), loadIndex((*fileCase).quantization)},
	{"NNEF models", hasFiles("path", ""), loadIndex((*fileCase).model)},
	{"NNEF documents", hasIndex("dialect"), loadIndex((*documentCase).run)},
	{"NNEF robustness", hasHostile, loadIndex((*documentCase).survives)},
	{"NNEF files", hasIndex("rule"), loadUnsupported("NNEF files")},
	{"CVM operators", hasCVM, loadCVM},
	{"CVM model", hasFile("expect.json"), loadCVMModel},
	{"ONNX model", hasFile("model.onnx"), loadONNX},
}

// Find returns the cases below the paths, each a file or a folder, in lexical order. It fails if a path does not exist,
// if data is broken, or if there is no case at all.
func Find(paths ...string) ([]Case, error) {
	var all []Case
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			cases, err := findIn(filepath.Dir(path), []string{filepath.Base(path)})
			if err != nil {
				return nil, err
			}
			all = append(all, cases...)
			continue
		}
		err = filepath.WalkDir(path, func(dir string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			var files []string
			for _, e := range entries {
				if !e.IsDir() {
					files = append(files, e.Name())
				}
			}
			cases, err := findIn(dir, files)
			all = append(all, cases...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there are no conformance cases in %s", strings.Join(paths, ", "))
	}
	return all, nil
}

func findIn(dir string, files []string) ([]Case, error) {
	for _, k := range kinds {
		if !k.match(dir, files) {
			continue
		}
		cases, err := k.load(dir, files)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", dir, k.name, err)
		}
		return cases, nil
	}
	return nil, nil
}

func hasFile(name string) func(string, []string) bool {
	return func(_ string, files []string) bool { return slices.Contains(files, name) }
}

// hasIndex recognises a folder by a key that the first case of its index.json has.
func hasIndex(key string) func(string, []string) bool {
	return func(dir string, files []string) bool {
		if !slices.Contains(files, "index.json") {
			return false
		}
		index, err := readIndex(dir)
		return err == nil && len(index) > 0 && index[0][key] != nil
	}
}

func readIndex(dir string) ([]map[string]json.RawMessage, error) {
	text, err := readFile(dir, "index.json")
	if err != nil {
		return nil, err
	}
	var index []map[string]json.RawMessage
	return index, json.Unmarshal(text, &index)
}

// loadIndex returns the loader of the cases of an index, whose entries a method of C runs.
func loadIndex[C any](run func(c *C, ctx context.Context, dir string, e *evaluator) error) func(string, []string) ([]Case, error) {
	return func(dir string, _ []string) ([]Case, error) {
		text, err := readFile(dir, "index.json")
		if err != nil {
			return nil, err
		}
		var entries []C
		var heads []struct {
			ID        string
			Contested any // why the case is not required
		}
		if err := cmp.Or(json.Unmarshal(text, &entries), json.Unmarshal(text, &heads)); err != nil {
			return nil, fmt.Errorf("index.json: %w", err)
		}
		cases := make([]Case, len(entries))
		for i, head := range heads {
			cases[i] = Case{Folder: dir, Name: head.ID, run: func(ctx context.Context, e *evaluator) error { return run(&entries[i], ctx, dir, e) }}
			if head.Contested != nil {
				cases[i].skip = fmt.Sprintf("not required: contested: %v", head.Contested)
			}
		}
		return cases, nil
	}
}

// loadUnsupported lists the cases of an index whose kind is not supported.
func loadUnsupported(what string) func(string, []string) ([]Case, error) {
	return func(dir string, _ []string) ([]Case, error) {
		index, err := readIndex(dir)
		if err != nil {
			return nil, err
		}
		cases := make([]Case, len(index))
		for i, entry := range index {
			var id string
			if err := json.Unmarshal(entry["id"], &id); err != nil {
				return nil, fmt.Errorf("case %d: id: %w", i, err)
			}
			cases[i] = Case{Folder: dir, Name: id, skip: unsupported(what)}
		}
		return cases, nil
	}
}

// openFile opens a file of a folder of cases: a regular one. Neither its name nor a link may lead out of the folder: cases are foreign, and what
// stands in a file comes back in their differences.
func openFile(dir, name string) (*os.File, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, plain(err)
	}
	defer folder.Close()
	f, _, err := mapfile.OpenFileIn(folder, name)
	return f, plain(err)
}

// readFile reads a file as openFile opens it, of a size that a model's file may have.
func readFile(dir, name string) ([]byte, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, plain(err)
	}
	defer folder.Close()
	data, err := mapfile.ReadFileIn(folder, name, limits.FileRead)
	return data, plain(err)
}

// within returns the path of a file or a folder of a folder of cases, as openFile has them.
func within(dir, name string) (string, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return "", plain(err)
	}
	defer folder.Close()
	_, err = folder.Stat(name)
	return filepath.Join(dir, name), plain(err)
}

// plain returns an error of the system in plain words, behind the name of the file.
func plain(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", at.Path, mapfile.Plain(err))
	}
	return err
}

func unsupported(what string) string { return "cases on " + what + " are not supported yet" }
