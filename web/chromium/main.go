// Chromium runs tests of Concord's package for pages in a real browser.
//
//	go run . wpt -checkout DIR -package DIST [-run REGEXP] [-update]
//
// runs web-platform-tests' tests of WebNN and compares the results with expectations.txt. Its exit code is 1 if they differ.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
	"github.com/concord-nn/concord/web/chromium/wpt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 || os.Args[1] != "wpt" {
		fmt.Fprintln(os.Stderr, "usage: chromium wpt -checkout DIR -package DIST [flags]")
		os.Exit(2)
	}
	same, err := runWPT(ctx, os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "chromium wpt:", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

// runWPT says whether all results are as expected.
func runWPT(ctx context.Context, args []string) (bool, error) {
	flags := flag.NewFlagSet("wpt", flag.ExitOnError)
	var (
		checkout   = flags.String("checkout", "", "a `folder` with web-platform-tests' webnn, resources, interfaces and common")
		pack       = flags.String("package", "", "the `folder` of the built package")
		before     = flags.String("scripts", "concord-webnn.classic.js", "the package's `scripts` that come before a page's own, with commas between")
		standard   = flags.String("standard", "", "index.bs of the standard, whose IDL replaces the checkout's; a `file`")
		folder     = flags.String("folder", "webnn", "the `folder` of the checkout whose tests run")
		run        = flags.String("run", "", "only tests whose address matches this `regexp`")
		everywhere = flags.Bool("everywhere", false, "run each script in windows and dedicated workers, whatever globals it names")
		expected   = flags.String("expectations", "expectations.txt", "the `file` of results that are no passes")
		update     = flags.Bool("update", false, "write that file anew")
		causes     = flags.String("causes", "", "a `file` for all that does not pass, by message")
		path       = flags.String("chromium", "chromium", "the browser's `program`")
		tabs       = flags.Int("tabs", runtime.NumCPU(), "pages at a time")
		limit      = flags.Duration("limit", 4*time.Minute, "`time` for a page")
	)
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if *checkout == "" || *pack == "" {
		return false, fmt.Errorf("-checkout and -package are needed")
	}
	filter, err := regexp.Compile(*run)
	if err != nil {
		return false, err
	}
	expectations, err := wpt.ReadExpectations(*expected)
	if err != nil {
		return false, err
	}
	r := &wpt.Runner{Checkout: os.DirFS(*checkout), Package: browser.Folder(*pack), Before: strings.Split(*before, ","),
		Tabs: *tabs, Limit: *limit, Progress: os.Stderr}
	if *standard != "" {
		if r.IDL, err = wpt.ReadIDL(*standard); err != nil {
			return false, err
		}
	}
	tests, err := wpt.Find(r.Checkout, *folder, *everywhere)
	if err != nil {
		return false, err
	}
	tests = slices.DeleteFunc(tests, func(t wpt.Test) bool { return !filter.MatchString(t.URL) })
	if r.Browser, err = browser.Start(ctx, browser.Options{Path: *path}); err != nil {
		return false, err
	}
	defer r.Browser.Close()
	results, err := r.Run(ctx, tests)
	if err != nil {
		return false, err
	}
	return report(results, expectations, *expected, *causes, *update)
}

// report writes what came out, and says whether it is as expected.
func report(results []wpt.Result, expectations *wpt.Expectations, expected, causes string, update bool) (bool, error) {
	if causes != "" {
		var b strings.Builder
		wpt.Causes(&b, results)
		if err := os.WriteFile(causes, []byte(b.String()), 0o600); err != nil {
			return false, err
		}
	}
	differences := expectations.Compare(results)
	for _, d := range differences {
		fmt.Println(d)
	}
	wpt.Summary(os.Stdout, results)
	if !update {
		fmt.Printf("%d not as expected\n", len(differences))
		return len(differences) == 0, nil
	}
	expectations.Update(results)
	var b strings.Builder
	if _, err := expectations.WriteTo(&b); err != nil {
		return false, err
	}
	if n := expectations.Reasonless(); n > 0 {
		fmt.Printf("%d lines of %s have no reason yet\n", n, expected)
	}
	return true, os.WriteFile(expected, []byte(b.String()), 0o644) // it is committed
}
