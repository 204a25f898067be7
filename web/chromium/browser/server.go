package browser

import (
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A Server serves pages at its address, which is one of localhost, so that they are secure contexts.
type Server struct {
	URL string // without a slash at the end

	http http.Server
}

// Serve starts a server on a free port.
func Serve(h http.Handler) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://localhost:" + port}
	s.http.Handler, s.http.ReadHeaderTimeout = h, time.Minute
	go s.http.Serve(l) //nolint:errcheck // it ends with Close, and what does not answer before that fails in the browser
	return s, nil
}

// Close ends the server and its connections.
func (s *Server) Close() error { return s.http.Close() }

// types are the MIME types of what pages load. The system's table may lack some or have others.
var types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".mjs":  "text/javascript; charset=utf-8",
	".wasm": "application/wasm",
}

// SetType sets the MIME type of a file by its name.
func SetType(h http.Header, name string) {
	ext := path.Ext(name)
	t := types[ext]
	if t == "" {
		t = mime.TypeByExtension(ext)
	}
	if t == "" {
		t = "application/octet-stream"
	}
	h.Set("Content-Type", t)
}

// Folder serves the files of a folder; a folder in it by its index.html.
func Folder(dir string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Clean("/" + r.URL.Path)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			file = filepath.Join(file, "index.html")
		}
		SetType(w.Header(), file)
		f, err := os.Open(file) // of the folder, as the path is clean
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer f.Close()
		var changed time.Time
		if info, err := f.Stat(); err == nil {
			changed = info.ModTime()
		}
		http.ServeContent(w, r, file, changed, f)
	})
}

// Isolated adds the headers that make pages cross-origin isolated, which shared memory needs.
func Isolated(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		h.ServeHTTP(w, r)
	})
}
