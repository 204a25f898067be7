package concord_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	dropped = regexp.MustCompile(`[^\pL\pN_\- ]`)
)

// TestLinks finds the file, and on pages the heading, of every link of a page to the repository.
func TestLinks(t *testing.T) {
	root := os.DirFS(".")
	pages := make(map[string]string)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			text, err := fs.ReadFile(root, name)
			pages[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	headings := make(map[string]map[string]bool)
	for page, text := range pages {
		headings[page] = anchors(text)
	}
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			name := page
			if target != "" {
				name = path.Join(path.Dir(page), target)
			}
			if _, err := fs.Stat(root, name); err != nil {
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			} else if anchor != "" && !headings[name][anchor] {
				t.Errorf("%s: the link %s leads to no heading", page, m[1])
			}
		}
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	names := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		names[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}
