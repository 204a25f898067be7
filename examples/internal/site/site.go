// Package site serves the pages of the examples, or writes them to a folder.
package site

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/looks"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/pipeline/page"
)

// shared is what all pages have, beside their looks: how a picture comes onto a canvas, and how multiply-adds are computed.
//
//go:embed pixels.js level.js
var shared embed.FS

// frame is what stands around index.html.
//
//go:embed frame.html
var frame string

// Site is the files of a page, by their paths.
type Site map[string][]byte

// New returns a page of the files in folders of a tree, with what all pages have: index.html has a title, styles and a body.
func New(tree fs.FS, folders ...string) (Site, error) {
	s := Site{"style.css": []byte(looks.Style)}
	if err := s.Add("", shared); err != nil {
		return nil, err
	}
	for _, folder := range folders {
		part, err := fs.Sub(tree, folder)
		if err != nil {
			return nil, err
		}
		if err := s.Add("", part); err != nil {
			return nil, err
		}
	}
	s["index.html"] = []byte(strings.Replace(frame, "$PAGE", string(s["index.html"]), 1))
	return s, nil
}

// Add adds the files of a tree, with what stands before their names.
func (s Site) Add(before string, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s[before+name], err = fs.ReadFile(tree, name)
		}
		return err
	})
}

// Export adds what `concord export --wasm` writes for a graph: the modules with their loader and, if there is a manifest, the script that prepares
// pictures and reads outputs by it. The page has a page of its own.
func (s Site) Export(g *graph.Graph, m *manifest.Manifest, name string) error {
	files, mark, err := export.Files(g, name, engine.Limits{})
	if err == nil && m != nil {
		var more []export.File
		more, err = page.Files(m, g, name, mark, engine.Limits{})
		files = append(files, more...)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Name == page.Index {
			continue
		}
		var content bytes.Buffer
		if err := f.Write(&content); err != nil {
			return err
		}
		s[f.Name] = content.Bytes()
	}
	return nil
}

// Output says where a page goes.
type Output struct{ address, folder string }

// Flags declares the flags that say it.
func Flags() *Output {
	var o Output
	flag.StringVar(&o.address, "http", "localhost:8080", "address to serve the page at")
	flag.StringVar(&o.folder, "o", "", "folder to write the page to, instead of serving it")
	return &o
}

// Main is the whole of a program of a name that serves a page, or writes it, when its flags are known.
func Main(name string, page func() (Site, error)) {
	out := Flags()
	flag.Parse()
	if err := out.Put(page()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Put serves a page until the program is ended, or writes it to a folder. It returns an error of making the page as it is.
func (o *Output) Put(s Site, err error) error {
	if err != nil {
		return err
	}
	if o.folder != "" {
		return s.write(o.folder)
	}
	l, err := net.Listen("tcp", o.address)
	if err != nil {
		return err
	}
	fmt.Printf("Open http://%s in a browser. Ctrl-C ends.\n", l.Addr())
	server := http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(l)
}

func (s Site) write(dir string) error {
	for name, content := range s {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// types are the types of what browsers refuse to run under another; a system's table may have others.
var types = map[string]string{".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm"}

// ServeHTTP answers with a file, index.html for a folder. Pages may share memory between threads.
func (s Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	content, ok := s[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if t := types[path.Ext(name)]; t != "" {
		w.Header().Set("Content-Type", t)
	}
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
	w.Header().Set("Cache-Control", "no-cache") // what was built again is seen at once
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
