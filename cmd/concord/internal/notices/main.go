// Command notices writes the licences of all that stands in a program: those of its modules, for all platforms, and of Go. Run it by
//
//	go generate ./cmd/concord
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "the `file` that is written")
	flag.Parse()
	list, err := modules(flag.Arg(0), "linux", "darwin", "windows")
	if err != nil {
		log.Fatal(err)
	}
	text, err := notices(list)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, text, 0o666); err != nil {
		log.Fatal(err)
	}
}

// module is a part of a program.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// name is how a part is named, with its version unless that is the program's own.
func (m module) name() string { return strings.TrimSpace(m.Path + " " + m.Version) }

// modules returns the modules of a package on platforms, that of the package itself first.
func modules(pkg string, platforms ...string) ([]module, error) {
	var list []module
	for _, platform := range platforms {
		c := exec.Command("go", "list", "-deps", "-json=Module", pkg) // of this module
		c.Env = append(os.Environ(), "GOOS="+platform, "GOARCH=amd64", "CGO_ENABLED=1")
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", pkg, err)
		}
		for dec := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Module != nil && !slices.Contains(list, *p.Module) {
				list = append(list, *p.Module)
			}
		}
	}
	slices.SortFunc(list, func(a, b module) int {
		switch {
		case a.Main:
			return -1
		case b.Main:
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	return list, nil
}

// notices returns the licences of modules and of Go, each text once, behind the names of those that have it.
func notices(list []module) ([]byte, error) {
	type licence struct {
		names []string
		text  string
	}
	var all []*licence
	add := func(name, dir string) error {
		files, err := filepath.Glob(filepath.Join(dir, "LICEN[SC]E*"))
		if err != nil {
			return err
		}
		notice, err := filepath.Glob(filepath.Join(dir, "NOTICE*"))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%s: there is no licence in %s", name, dir)
		}
		text := ""
		for _, file := range append(files, notice...) {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			text += strings.Trim(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") + "\n"
		}
		for _, l := range all {
			if strings.Join(strings.Fields(l.text), " ") == strings.Join(strings.Fields(text), " ") {
				l.names = append(l.names, name)
				return nil
			}
		}
		all = append(all, &licence{[]string{name}, text})
		return nil
	}
	for _, m := range list {
		if err := add(m.name(), m.Dir); err != nil {
			return nil, err
		}
	}
	if err := add("Go, its standard library and runtime", runtime.GOROOT()); err != nil { //nolint:staticcheck // the tree that go run runs from
		return nil, err
	}
	var b bytes.Buffer
	for i, l := range all {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat("=", 80) + "\n\n")
		}
		fmt.Fprintf(&b, "%s\n\n%s", strings.Join(l.names, "\n"), l.text)
	}
	return b.Bytes(), nil
}
