package main_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

// limit is how long a page may take for what takes a second or two: many times as long, as the machine may have other work.
const limit = 3 * time.Minute

var (
	full    = flag.Bool("full", false, "run what takes minutes and gigabytes of memory, too; with -timeout 0")
	program = flag.String("chromium", "chromium", "the browser's `program`")
	dist    = flag.String("package", "", "a `folder` with the built package, if it is not to be built")
)

// policies are folders with the pages of testdata under a Content Security Policy that leaves no room for the package.
var policies = map[string]string{"/policy/": "script-src 'self'", "/policy/workers/": "worker-src 'none'"}

// What all tests share; start makes it.
var (
	chromium *browser.Browser
	site     *browser.Server
)

// TestMain ends the browser behind the tests.
func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "concord-package")
	if err != nil {
		panic(err)
	}
	if *dist == "" {
		*dist = dir
	}
	code := m.Run()
	if site != nil {
		_ = site.Close()
		chromium.Close()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// start builds the package, serves it and the pages of testdata, and starts Chromium. Without Chromium the test is skipped.
func start(t *testing.T) {
	t.Helper()
	if site != nil {
		return
	}
	b, err := browser.Start(context.Background(), browser.Options{Path: *program, Flags: []string{"js-flags=--expose-gc",
		"use-fake-device-for-media-stream", "use-fake-ui-for-media-stream", "autoplay-policy=no-user-gesture-required"}})
	if err != nil {
		t.Skip(err)
	}
	chromium = b
	if _, err := os.Stat(filepath.Join(*dist, "concord.wasm")); err != nil {
		buildPackage(t, *dist)
	}
	mux := http.NewServeMux()
	mux.Handle("/package/", http.StripPrefix("/package", browser.Isolated(browser.Folder(*dist))))
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	pages := browser.Folder("testdata")
	mux.Handle("/", pages)
	mux.Handle("/isolated/", http.StripPrefix("/isolated", browser.Isolated(pages)))
	for path, policy := range policies {
		mux.Handle(path, http.StripPrefix(strings.TrimSuffix(path, "/"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", policy)
			pages.ServeHTTP(w, r)
		})))
	}
	mux.HandleFunc("/broken/concord.wasm", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/wasm")
		_, _ = w.Write([]byte("\x00asm\x01\x00\x00\x00\x01"))
	})
	mux.Handle("/broken/", http.StripPrefix("/broken", browser.Folder(*dist)))
	if site, err = browser.Serve(mux); err != nil {
		t.Fatal(err)
	}
}

func buildPackage(t *testing.T, dir string) {
	t.Helper()
	build := exec.Command("go", "run", "./web/build", "-o", dir)
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
}

// open opens a page of the site. Errors in its console fail the test.
func open(t *testing.T, path string) *browser.Page {
	t.Helper()
	start(t)
	return openAt(t, site.URL+path)
}

func openAt(t *testing.T, url string) *browser.Page {
	t.Helper()
	p, err := chromium.Open(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if list := p.Errors(); list != nil && !t.Failed() {
			t.Errorf("the console has errors: %q", list)
		}
		p.Close()
	})
	if err := p.Go(url, limit); err != nil {
		t.Fatal(err)
	}
	return p
}

// wait returns the value of the page's global variable result, when it is set.
func wait[T any](t *testing.T, p *browser.Page, limit time.Duration) T {
	t.Helper()
	v, err := browser.Wait[T](p, "globalThis.result", limit)
	if err != nil {
		at, _ := browser.Eval[any](p, "globalThis.at ?? null", time.Second)
		t.Fatalf("%v (at %v); the console has %q", err, at, p.Errors())
	}
	return v
}

// TestInstall: the package installs WebNN in windows and in workers, as a classic script and as a module.
func TestInstall(t *testing.T) {
	start(t)
	for _, page := range []string{"classic", "module", "classic-worker", "module-worker", "shared-worker", "service-worker"} {
		for _, folder := range []string{"/", "/isolated/"} {
			t.Run(strings.Trim(folder, "/")+page, func(t *testing.T) {
				type result struct {
					Error    string    `json:"error"`
					Values   []float32 `json:"values"`
					ML       string    `json:"ml"`
					Builder  string    `json:"builder"`
					Global   bool      `json:"global"`
					Isolated bool      `json:"isolated"`
				}
				got := wait[result](t, open(t, folder+page+".html"), limit)
				want := result{"", []float32{1, 1, 1, 1}, "[object ML]", "[object MLGraphBuilder]", true, folder == "/isolated/" && page != "shared-worker"} // which never is
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("the result is %+v; want %+v", got, want)
				}
			})
		}
	}
}

type outcome struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Got  string `json:"got"`
	MS   int    `json:"ms"`
}

// TestFailures: what a page may throw at the interface ends in the standard's errors, and no promise stays pending.
func TestFailures(t *testing.T) {
	for _, r := range wait[[]outcome](t, open(t, "/failures.html"), 9*time.Minute) {
		t.Logf("%5d ms %s: %s", r.MS, r.Name, r.Got)
		if r.Got != r.Want {
			t.Errorf("%s: %s; want %s", r.Name, r.Got, r.Want)
		}
	}
}

// TestHuge is the same for what takes gigabytes.
func TestHuge(t *testing.T) {
	if !*full {
		t.Skip("it runs with -full only")
	}
	for _, r := range wait[[]outcome](t, open(t, "/failures.html?huge"), time.Hour) {
		if r.Got != r.Want {
			t.Errorf("%s: %s; want %s", r.Name, r.Got, r.Want)
		}
	}
}

// TestRefused: where WebAssembly or workers are forbidden, or the package's files are missing or broken, there is no context.
func TestRefused(t *testing.T) {
	start(t)
	pages := []string{"/missing.html?/nowhere/", "/missing.html?/broken/", "/missing.html?http://localhost:1/"}
	for path := range policies {
		pages = append(pages, path+"policy.html")
	}
	for _, page := range pages {
		p, err := chromium.Open(false)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close() // its console has errors
		if err := p.Go(site.URL+page, limit); err != nil {
			t.Fatal(err)
		}
		if got := wait[string](t, p, limit); got != "NotSupportedError" {
			t.Errorf("%s: createContext() comes to %s; want NotSupportedError", page, got)
		}
	}
}

// TestCache: equal graphs are compiled once, and what was kept and is broken is compiled again.
func TestCache(t *testing.T) {
	got := wait[[]string](t, open(t, "/cache.html"), limit)
	want := []string{"2,1 1", "2,1 1", "3,0 2", "2,1 2", "4,-1"}
	if !slices.Equal(got, want) {
		t.Errorf("results, and how many graphs are kept: %q; want %q", got, want)
	}
}

// TestLeak: builds and dispatches leave nothing behind. What processes take goes up and down by more than a leak is, but it does not go up each time.
func TestLeak(t *testing.T) {
	rounds := 200
	if *full {
		rounds = 500
	}
	// What a round would leave is a module, its memory of pages of 64 KiB, and tensors: 200 KiB or more.
	leak := 0.2 / 2 * float64(rounds)
	p := open(t, "/leak.html")
	wait[string](t, p, limit)
	list := []float64{memoryBehind(t, p, rounds)}
	for i := range 6 {
		list = append(list, memoryBehind(t, p, rounds))
		if list[i+1]-list[i] < leak {
			t.Logf("MiB of all processes, each time behind %d rounds more: %.0f", rounds, list)
			return
		}
	}
	t.Errorf("MiB of all processes, each time behind %d rounds more: %.0f", rounds, list)
}

// memoryBehind has the page leak.html go through rounds, lets the browser free what it can, and returns the MiB of all its processes.
func memoryBehind(t *testing.T, p *browser.Page, rounds int) float64 {
	t.Helper()
	if _, err := browser.Eval[int](p, fmt.Sprintf("rounds(%d)", rounds), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	time.Sleep(6 * time.Second) // an idle compiler ends after five
	for range 3 {               // what the first has collected is released by messages
		if err := p.Collect(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
	}
	m, err := chromium.Memory()
	if err != nil {
		t.Skip(err)
	}
	return float64(m) / (1 << 20)
}
