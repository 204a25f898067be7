// Command typecheck checks the packages of the module that it is run in for other platforms, with their tests, as their compilers would before they write
// code. It reads the standard library from its source, and takes seconds where builds take a minute. What only an assembler or a linker finds, it does
// not.
//
//	go -C internal/lint build -o /tmp/typecheck ./typecheck && /tmp/typecheck darwin/arm64 windows/amd64
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		fmt.Println(platform)
		if err := check(platform); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// listed is a package, as go list has it.
type listed struct {
	ImportPath string
	Dir        string
	Module     *struct{ Main bool } // nil for the standard library
	GoFiles    []string
	ImportMap  map[string]string
	Error      *struct{ Err string }
}

// check checks all packages for a platform, without cgo. Those of others are read for their declarations alone.
func check(platform string) error {
	system, processor, _ := strings.Cut(platform, "/")
	sizes := types.SizesFor("gc", processor)
	if sizes == nil {
		return fmt.Errorf("%s is no platform, such as darwin/arm64", platform)
	}
	list := exec.Command("go", "list", "-buildmode=default", "-deps", "-test", "-json=ImportPath,Dir,Module,GoFiles,ImportMap,Error", "./...")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(list.Args, " "), err)
	}
	packages := map[string]*types.Package{"unsafe": types.Unsafe}
	var problems []error
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; { // what is imported comes first
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return errors.Join(problems...)
		} else if err != nil {
			return err
		}
		if p.Error != nil {
			return errors.New(p.Error.Err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // which go test writes
			continue
		}
		ours := p.Module != nil && p.Module.Main
		files, err := parse(p, ours)
		if err != nil {
			return err
		}
		config := types.Config{
			IgnoreFuncBodies: !ours,
			Sizes:            sizes,
			Error: func(err error) {
				if ours {
					problems = append(problems, fmt.Errorf("%s: %w", platform, err))
				}
			},
			Importer: importer(func(path string) (*types.Package, error) {
				if mapped, ok := p.ImportMap[path]; ok {
					path = mapped
				}
				if found := packages[path]; found != nil {
					return found, nil
				}
				return nil, fmt.Errorf("%s is not there", path)
			}),
		}
		packages[p.ImportPath], _ = config.Check(p.ImportPath, set, files, nil) // Error has what is wrong
	}
}

// Platforms share most files, which are parsed once.
var (
	set    = token.NewFileSet()
	parsed sync.Map // of *ast.File, by path
)

// parse reads the files of a package, with the bodies of functions or without.
func parse(p listed, bodies bool) ([]*ast.File, error) {
	files, problems := make([]*ast.File, len(p.GoFiles)), make([]error, len(p.GoFiles))
	var all sync.WaitGroup
	for i, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		if f, ok := parsed.Load(path); ok {
			files[i] = f.(*ast.File)
			continue
		}
		all.Go(func() {
			files[i], problems[i] = parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if problems[i] != nil {
				return
			}
			if !bodies {
				for _, d := range files[i].Decls {
					if f, ok := d.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			parsed.Store(path, files[i])
		})
	}
	all.Wait()
	return files, errors.Join(problems...)
}

// importer finds a package by its path.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
