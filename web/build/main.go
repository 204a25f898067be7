// Build makes the npm package concord-webnn in a folder.
//
//	go run ./web/build -o DIR [-br] [-plain]
//
// The program in concord.wasm has what checks calls and compiles graphs, and nothing that computes: see reduce.go and pack.go. More than the
// limit is an error. With -br, concord.wasm.br lies beside it, as command brotli compresses it, for servers that have it sent.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/web"
)

const module = "github.com/concord-nn/concord"

// limit is how many bytes the program may take with gzip, which makes two fifths more than brotli, in a second.
const limit = 2_125_000

func main() {
	out := flag.String("o", "", "the `folder` to make")
	plain := flag.Bool("plain", false, "leave the program as the compiler of Go makes it")
	br := flag.Bool("br", false, "compress the program, which takes half a minute")
	flag.Parse()
	log.SetFlags(0)
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := build(*out, *plain, *br); err != nil {
		log.Fatal("web/build: ", err)
	}
}

// build makes the package.
func build(out string, plain, br bool) error {
	work, err := os.MkdirTemp("", "concord-web-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program, err := compile(work, plain)
	if err != nil {
		return err
	}
	root, err := goCommand(".", "env", "GOROOT")
	if err != nil {
		return err
	}
	support, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	files, err := web.Files(support, fmt.Sprintf("%x", sha256.Sum256(program))[:16])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	size := 0
	for _, f := range append(files, web.File{Name: "concord.wasm", Content: program}) {
		if err := os.WriteFile(filepath.Join(out, f.Name), f.Content, 0o666); err != nil {
			return err
		}
		if strings.HasSuffix(f.Name, ".js") {
			size += len(f.Content)
		}
	}
	packed := zipped(program)
	fmt.Printf("scripts: %d files, %d bytes\nconcord.wasm: %d bytes, %d with gzip\n", len(files), size, len(program), packed)
	if !plain && packed > limit {
		return fmt.Errorf("concord.wasm takes %d bytes with gzip; %d are allowed. What has come in shows by go tool nm -size -sort=size of a build for riscv64", packed, limit)
	}
	if !br {
		return nil
	}
	return compressed(filepath.Join(out, "concord.wasm"))
}

// compile returns the program.
func compile(work string, plain bool) ([]byte, error) {
	root, err := goCommand(".", "list", "-buildmode=default", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(work, "concord.wasm")
	args := []string{"build", "-trimpath", "-buildmode=default", "-ldflags=-s -w", "-o", name}
	if !plain {
		overlay, err := reduce(root, work)
		if err != nil {
			return nil, err
		}
		// What makes code runs once for each unit of a graph, and inlined everywhere takes a tenth of the program.
		args = append(args, "-overlay="+overlay, "-gcflags="+module+"/...=-dwarf=false -l")
	}
	if _, err := goCommand(root, append(args, "./web/concord")...); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(name)
	if err != nil || plain {
		return program, err
	}
	return pack(program)
}

// goCommand runs the command go for pages in a folder and returns what it prints.
func goCommand(folder string, args ...string) (string, error) {
	c := exec.Command("go", args...)
	c.Dir, c.Stderr = folder, os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(text)), nil
}

// zipped returns how many bytes gzip makes.
func zipped(b []byte) int {
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestCompression) // the level exists
	if _, err := w.Write(b); err != nil || w.Close() != nil {
		return 0
	}
	return z.Len()
}

// compressed writes the compressed form of the program beside it.
func compressed(name string) error {
	if out, err := exec.Command("brotli", "-f", "-q", "11", "--lgwin=24", "-o", name+".br", name).CombinedOutput(); err != nil {
		return fmt.Errorf("brotli: %w: %s", err, out)
	}
	info, err := os.Stat(name + ".br")
	if err != nil {
		return err
	}
	fmt.Printf("concord.wasm.br: %d bytes\n", info.Size())
	return nil
}
