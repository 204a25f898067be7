// Package browser runs pages in Chromium: it serves them, starts the browser without a window, opens pages, waits for what they
// compute, takes pictures of them and reads what they write to the console.
package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/chromedp"
)

// ErrNotInstalled says that there is no Chromium.
var ErrNotInstalled = errors.New("chromium is not installed (Debian's package is chromium)")

// Options say how the browser is started.
type Options struct {
	Path  string   // the program; chromium if empty
	Flags []string // further ones, such as "js-flags=--expose-gc", without dashes
}

// A Browser is a running Chromium with a profile of its own, which Close removes. It and its processes end with the program at the latest.
type Browser struct {
	ctx    context.Context // of the first tab, which no page uses, since the browser ends with it
	cancel context.CancelFunc
}

// Start starts the browser.
func Start(ctx context.Context, o Options) (*Browser, error) {
	if o.Path == "" {
		o.Path = "chromium"
	}
	program, err := exec.LookPath(o.Path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}
	flags := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(program),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-component-update", true))
	for _, f := range o.Flags {
		name, value, given := strings.Cut(f, "=")
		if given {
			flags = append(flags, chromedp.Flag(name, value))
		} else {
			flags = append(flags, chromedp.Flag(name, true))
		}
	}
	allocator, end := chromedp.NewExecAllocator(ctx, flags...)
	b := &Browser{}
	silent := func(string, ...any) {}
	var cancel context.CancelFunc
	b.ctx, cancel = chromedp.NewContext(allocator, chromedp.WithLogf(silent), chromedp.WithErrorf(silent))
	b.cancel = func() { cancel(); end() }
	if err := chromedp.Do(b.ctx); err != nil { // nothing, which starts it
		b.cancel()
		return nil, fmt.Errorf("chromium: %w", err)
	}
	return b, nil
}

// Close ends the browser and waits until its processes are gone.
func (b *Browser) Close() { b.cancel() }

// Process is the id of the browser's first process.
func (b *Browser) Process() int { return chromedp.FromContext(b.ctx).Browser.Process().Pid }

// A Page is a tab.
type Page struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	errors []string
}

// Open opens an empty tab. A private one shares no storage and no caches with others.
func (b *Browser) Open(private bool) (*Page, error) {
	var o []chromedp.ContextOption
	if private {
		o = append(o, chromedp.WithNewBrowserContext())
	}
	p := &Page{}
	p.ctx, p.cancel = chromedp.NewContext(b.ctx, o...)
	if err := chromedp.Do(p.ctx); err != nil {
		p.cancel()
		return nil, err
	}
	messages := chromedp.Console(p.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type != chromedp.ConsoleError && m.Type != chromedp.ConsoleException {
				continue
			}
			p.mu.Lock()
			p.errors = append(p.errors, fmt.Sprintf("%s (%s:%d)", m.Text, m.URL, m.Line+1))
			p.mu.Unlock()
		}
	}()
	return p, nil
}

// Close closes the tab, with what its scripts have started.
func (p *Page) Close() { p.cancel() }

// Errors are the errors and uncaught exceptions that the page wrote to its console.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.errors...)
}

// within runs an action for at most some time.
func within[T any](p *Page, limit time.Duration, a chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return chromedp.Run(ctx, a)
}

// Go opens an address in the tab and waits until it is loaded.
func (p *Page) Go(url string, limit time.Duration) error {
	_, err := within(p, limit, chromedp.Navigate(url))
	return err
}

// Eval evaluates an expression of JavaScript; a promise is awaited. Its value must be one of JSON.
func Eval[T any](p *Page, expression string, limit time.Duration) (T, error) {
	return within(p, limit, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Wait waits until an expression is neither undefined, null, false, 0 nor empty, and returns its value. The page may be loaded anew meanwhile.
func Wait[T any](p *Page, expression string, limit time.Duration) (T, error) {
	for end := time.Now().Add(limit); ; {
		v, err := within(p, time.Until(end), chromedp.Poll[T](expression, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(0)))
		if err == nil {
			return v, nil
		}
		if gone := strings.Contains(err.Error(), "Cannot find context with specified id"); !gone || time.Now().After(end) { // else the page is loaded anew
			return v, fmt.Errorf("waiting for %s: %w", expression, err)
		}
	}
}

// Picture is a picture of the page as a PNG file: of a part, by a selector of CSS, or of what a window of the size shows.
func (p *Page) Picture(selector string, width, height int64) ([]byte, error) {
	const limit = 30 * time.Second
	if _, err := within(p, limit, chromedp.EmulateViewport(width, height)); err != nil {
		return nil, err
	}
	if selector != "" {
		return within(p, limit, chromedp.Screenshot(selector))
	}
	return within(p, limit, chromedp.CaptureScreenshot())
}

// Collect lets the browser free what nobody can reach, in workers as well, as it does when a machine runs out of memory.
func (p *Page) Collect() error {
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	_, err := chromedp.Call(ctx, memory.SimulatePressureNotification, memory.SimulatePressureNotificationParams{Level: memory.PressureLevelCritical})
	return err
}

// Memory is the memory of all of the browser's processes in bytes, what they share divided among them. Only Linux tells.
func (b *Browser) Memory() (int64, error) {
	parents := map[int]int{}
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || list == nil {
		return 0, errors.New("the system does not tell what memory processes have")
	}
	for _, name := range list {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var process, parent int
		if _, err := fmt.Sscan(filepath.Base(filepath.Dir(name)), &process); err != nil {
			continue
		}
		var state string // the name of the program before it is in parentheses, and may hold anything
		if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent); err == nil {
			parents[process] = parent
		}
	}
	var sum int64
	for process := range parents {
		for p := process; p > 1; p = parents[p] {
			if p == b.Process() {
				sum += share(process)
				break
			}
		}
	}
	return sum, nil
}

// share is the memory of a process.
func share(process int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", process))
	if err != nil {
		return 0 // it has ended
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "Pss: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
