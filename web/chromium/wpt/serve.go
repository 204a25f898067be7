package wpt

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/concord-nn/concord/web/chromium/browser"
)

// report.js takes the place of /resources/testharnessreport.js.
//
//go:embed report.js
var reportJS []byte

// The folder under which the package is served, its options, and where results arrive.
const (
	packagePath = "/-/package/"
	optionsPath = "/-/options.js"
	reportPath  = "/-/report"
)

// options make the package take the place of a browser's own WebNN. A classic script in a worker does not know its own folder.
const options = `self.concordWebNN = { always: true, base: "` + packagePath + `" };`

// A site serves a checkout with the pages that web-platform-tests' own server would make.
type site struct {
	checkout fs.FS
	pack     http.Handler // the package
	before   []string     // the package's scripts, paths below packagePath
	idl      []byte       // in place of /interfaces/webnn.idl, if not nil
	reports  chan<- Result
}

// replaced are addresses that web-platform-tests' server answers with other files.
var replaced = map[string]string{"resources/WebIDLParser.js": "resources/webidl2/lib/webidl2.js"}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case r.URL.Path == reportPath:
		s.receive(w, r)
	case strings.HasPrefix(r.URL.Path, packagePath):
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp") // or workers of isolated pages could not be made of it
		http.StripPrefix(strings.TrimSuffix(packagePath, "/"), s.pack).ServeHTTP(w, r)
	case r.URL.Path == optionsPath:
		s.send(w, name, []byte(options))
	case name == "resources/testharnessreport.js":
		s.send(w, name, reportJS)
	case name == "interfaces/webnn.idl" && s.idl != nil:
		s.send(w, name, s.idl)
	default:
		s.file(w, name)
	}
}

// file serves a file, or a page that is made of one.
func (s *site) file(w http.ResponseWriter, name string) {
	if other, is := replaced[name]; is {
		name = other
	}
	if data, err := fs.ReadFile(s.checkout, name); err == nil {
		s.headers(w, name)
		if path.Ext(name) == ".html" {
			data = s.instrument(data)
		}
		s.send(w, name, data)
		return
	}
	for _, k := range kinds {
		base, is := strings.CutSuffix(name, k.page)
		script, isScript := strings.CutSuffix(name, ".any.worker.js")
		if !is && !isScript {
			continue
		}
		if isScript {
			base, k = script, kinds[1]
		}
		m, err := parseMeta(s.checkout, base+k.suffix)
		if err != nil {
			continue
		}
		s.headers(w, base+k.suffix)
		switch {
		case isScript:
			s.send(w, name, s.workerScript(&m, "/"+base+k.suffix))
		case k.global == "window":
			s.send(w, name, s.windowPage(&m, "/"+base+k.suffix))
		default:
			worker := "/" + base + ".any.worker.js"
			if k.suffix == ".worker.js" {
				worker = "/" + base + k.suffix
			}
			s.send(w, name, workerPage(&m, worker))
		}
		return
	}
	http.Error(w, "no such file", http.StatusNotFound)
}

func (s *site) send(w http.ResponseWriter, name string, data []byte) {
	browser.SetType(w.Header(), name)
	_, _ = w.Write(data) // a page that is closed reads no more
}

// headers sets what a file beside the file, or one for its folder, says.
func (s *site) headers(w http.ResponseWriter, name string) {
	for _, file := range []string{path.Join(path.Dir(name), "__dir__.headers"), name + ".headers"} {
		data, err := fs.ReadFile(s.checkout, file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if key, value, ok := strings.Cut(line, ":"); ok {
				w.Header().Set(strings.TrimSpace(key), strings.TrimSpace(value))
			}
		}
	}
}

const globalOf = "self.GLOBAL = {isWindow: () => %t, isWorker: () => %t, isShadowRealm: () => false};\n"

// sources are the scripts of a test in order: the harness, the package, and its own.
func (s *site) sources(m *meta, script string, report bool) []string {
	sources := []string{"/resources/testharness.js"}
	if report {
		sources = append(sources, "/resources/testharnessreport.js")
	}
	return slices.Concat(sources, s.scripts(), m.scripts, []string{script})
}

// scripts are the package's.
func (s *site) scripts() []string {
	scripts := []string{optionsPath}
	for _, b := range s.before {
		scripts = append(scripts, packagePath+b)
	}
	return scripts
}

func (s *site) windowPage(m *meta, script string) []byte {
	b := head(m)
	fmt.Fprintf(b, "<script>"+globalOf+"</script>\n", true, false)
	sources := s.sources(m, script, true)
	for i, source := range sources {
		if i == len(sources)-1 {
			b.WriteString("<div id=log></div>\n")
		}
		fmt.Fprintf(b, "<script src=\"%s\"></script>\n", html.EscapeString(source))
	}
	return b.Bytes()
}

func (s *site) workerScript(m *meta, script string) []byte {
	b := new(bytes.Buffer)
	fmt.Fprintf(b, globalOf, false, true)
	for _, source := range s.sources(m, script, false) {
		fmt.Fprintf(b, "importScripts(%q);\n", source)
	}
	b.WriteString("done();\n")
	return b.Bytes()
}

// workerPage is the page that starts a worker and collects its results.
func workerPage(m *meta, worker string) []byte {
	b := head(m)
	b.WriteString("<script src=\"/resources/testharness.js\"></script>\n<script src=\"/resources/testharnessreport.js\"></script>\n")
	fmt.Fprintf(b, "<div id=log></div>\n<script>fetch_tests_from_worker(new Worker(%q + location.search));</script>\n", worker)
	return b.Bytes()
}

func head(m *meta) *bytes.Buffer {
	b := bytes.NewBufferString("<!doctype html>\n<meta charset=utf-8>\n")
	if m.timeout == "long" {
		b.WriteString("<meta name=timeout content=long>\n")
	}
	fmt.Fprintf(b, "<title>%s</title>\n", html.EscapeString(m.title))
	return b
}

// instrument puts the package before the first script of a page.
func (s *site) instrument(page []byte) []byte {
	at := bytes.Index(page, []byte("<script"))
	if at < 0 {
		return page
	}
	b := new(bytes.Buffer)
	b.Write(page[:at])
	for _, source := range s.scripts() {
		fmt.Fprintf(b, "<script src=\"%s\"></script>\n", html.EscapeString(source))
	}
	b.Write(page[at:])
	return b.Bytes()
}

// receive takes what report.js sends.
func (s *site) receive(w http.ResponseWriter, r *http.Request) {
	var result Result
	if err := json.NewDecoder(r.Body).Decode(&result); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.reports <- result
}
