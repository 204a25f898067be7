// Package wpt runs tests of web-platform-tests, from a checkout, in Chromium with Concord's package for pages in front of each
// page's scripts, and compares what comes out with a list of expectations.
package wpt

import (
	"bufio"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Test is a page to open.
type Test struct {
	URL  string // path and query, as "/webnn/idlharness.https.any.worker.html"
	file string // in the checkout
	meta meta
}

// meta is what lines such as "// META: script=utils.js" at the head of a script say.
type meta struct {
	title    string
	timeout  string
	globals  []string
	scripts  []string
	variants []string
}

var metaLine = regexp.MustCompile(`^//\s*META:\s*(\w+)=(.*)$`)

func parseMeta(fsys fs.FS, name string) (meta, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return meta{}, err
	}
	defer f.Close()
	var m meta
	for lines := bufio.NewScanner(f); lines.Scan(); {
		found := metaLine.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if found == nil {
			break
		}
		switch value := strings.TrimSpace(found[2]); found[1] {
		case "title":
			m.title = value
		case "timeout":
			m.timeout = value
		case "global":
			m.globals = strings.Split(value, ",")
		case "script":
			m.scripts = append(m.scripts, value)
		case "variant":
			m.variants = append(m.variants, value)
		}
	}
	return m, nil
}

// has says whether a script is for a global.
func (m *meta) has(global string) bool {
	if m.globals == nil {
		return true // window and dedicated worker
	}
	return slices.Contains(m.globals, global) || global == "dedicatedworker" && slices.Contains(m.globals, "worker")
}

// The kinds of scripts that pages are made for: how their names end, and the pages.
var kinds = []struct{ suffix, page, global string }{
	{".any.js", ".any.html", "window"},
	{".any.js", ".any.worker.html", "dedicatedworker"},
	{".window.js", ".window.html", "window"},
	{".worker.js", ".worker.html", "dedicatedworker"},
}

// Find lists the tests in a folder of a checkout. If everywhere, scripts for any global run in windows and workers whatever they say.
func Find(fsys fs.FS, folder string, everywhere bool) ([]Test, error) {
	var tests []Test
	err := fs.WalkDir(fsys, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "resources" {
				return fs.SkipDir
			}
			return err
		}
		if path.Ext(name) == ".html" {
			tests = append(tests, Test{URL: "/" + name, file: name})
			return nil
		}
		if path.Ext(name) != ".js" {
			return nil
		}
		m, err := parseMeta(fsys, name)
		if err != nil {
			return err
		}
		for _, k := range kinds {
			base, is := strings.CutSuffix(name, k.suffix)
			if !is || k.suffix == ".any.js" && !everywhere && !m.has(k.global) {
				continue
			}
			variants := m.variants
			if variants == nil {
				variants = []string{""}
			}
			for _, v := range variants {
				tests = append(tests, Test{"/" + base + k.page + v, name, m})
			}
		}
		return nil
	})
	return tests, err
}
