package wpt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

// A Runner runs tests.
type Runner struct {
	Checkout fs.FS            // of web-platform-tests
	IDL      []byte           // the standard's declarations, if not those of the checkout
	Package  http.Handler     // the files of the package
	Before   []string         // the scripts of it that come before a page's own
	Browser  *browser.Browser // where pages are opened
	Tabs     int              // how many at a time
	Limit    time.Duration    // for a page
	Progress io.Writer
}

// Run runs tests and returns a result for each, in order.
func (r *Runner) Run(ctx context.Context, tests []Test) ([]Result, error) {
	reports := make(chan Result, 1)
	s := &site{checkout: r.Checkout, pack: r.Package, before: r.Before, idl: r.IDL, reports: reports}
	server, err := browser.Serve(s)
	if err != nil {
		return nil, err
	}
	defer server.Close() //nolint:errcheck // nobody waits for its answers any more

	waiting := &inbox{chans: map[string]chan Result{}}
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case result := <-reports:
				waiting.put(result)
			case <-done:
				return
			}
		}
	}()

	results := make([]Result, len(tests))
	errs := make([]error, max(r.Tabs, 1))
	next := make(chan int)
	var tabs sync.WaitGroup
	for i := range errs {
		tabs.Go(func() { errs[i] = r.tab(server.URL, tests, results, next, waiting) })
	}
	for i := range tests {
		select {
		case next <- i:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	tabs.Wait()
	if err := errors.Join(append([]error{ctx.Err()}, errs...)...); err != nil {
		return nil, err
	}
	return results, nil
}

// An inbox holds what pages report until their tabs fetch it.
type inbox struct {
	mu    sync.Mutex
	chans map[string]chan Result
}

func (b *inbox) of(url string) chan Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.chans[url] == nil {
		b.chans[url] = make(chan Result, 1)
	}
	return b.chans[url]
}

func (b *inbox) put(r Result) {
	select {
	case b.of(r.URL) <- r:
	default: // a page that reports twice
	}
}

// tab runs the tests whose indices arrive, each in a new tab, as some end with workers at work or a lost process.
func (r *Runner) tab(server string, tests []Test, results []Result, next <-chan int, reports *inbox) error {
	var failed error
	for i := range next {
		if failed != nil {
			continue
		}
		url := tests[i].URL
		start := time.Now()
		page, err := r.Browser.Open(false)
		if err != nil {
			failed = err
			continue
		}
		results[i] = r.await(page, server, url, reports.of(url))
		page.Close()
		if r.Progress != nil {
			bad := 0
			for _, t := range results[i].Subtests {
				if t.Status != "PASS" {
					bad++
				}
			}
			fmt.Fprintf(r.Progress, "%4d/%d %-8s %4d of %4d pass  %5.1f s  %s\n", i+1, len(tests), results[i].Status,
				len(results[i].Subtests)-bad, len(results[i].Subtests), time.Since(start).Seconds(), url)
		}
	}
	return failed
}

func (r *Runner) await(page *browser.Page, server, url string, report <-chan Result) Result {
	limit := time.After(r.Limit)
	navigated := make(chan error, 1)
	go func() { navigated <- page.Go(server+url, r.Limit) }()
	for {
		select {
		case result := <-report:
			if written := page.Errors(); result.Status != "OK" && result.Message == "" && len(written) > 0 {
				result.Message = written[0]
			}
			return result
		case err := <-navigated:
			if err != nil {
				return Result{URL: url, Status: "CRASH", Message: err.Error()}
			}
		case <-limit:
			return Result{URL: url, Status: "TIMEOUT", Message: strings.Join(page.Errors(), "; ")}
		}
	}
}

// Summary writes how many tests pass, by folder and kind of page.
func Summary(w io.Writer, results []Result) {
	type row struct{ pages, tests, pass int }
	rows := map[string]*row{}
	total := &row{}
	for _, r := range results {
		page, _, _ := strings.Cut(r.URL, "?")
		name := strings.TrimPrefix(path.Dir(page), "/")
		if strings.Contains(page, ".worker.") {
			name += " (worker)"
		}
		if rows[name] == nil {
			rows[name] = &row{}
		}
		for _, x := range []*row{rows[name], total} {
			x.pages++
			x.tests += len(r.Subtests)
			for _, t := range r.Subtests {
				if t.Status == "PASS" {
					x.pass++
				}
			}
		}
	}
	fmt.Fprintf(w, "%-40s %6s %6s %6s %6s\n", "", "pages", "tests", "pass", "not")
	line := func(name string, x *row) {
		fmt.Fprintf(w, "%-40s %6d %6d %6d %6d\n", name, x.pages, x.tests, x.pass, x.tests-x.pass)
	}
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line(name, rows[name])
	}
	line("total", total)
}
