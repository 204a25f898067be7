package concord_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/concord-nn/concord"

// layers lists the packages from the ground up. A package may import those of lower layers and, below its own folder,
// those of its own. A package covers the folders below it unless they are listed themselves.
var layers = [][]string{
	{"internal/limits", "internal/escape", "internal/pattern", "internal/wasmobj", "internal/looks", "internal/naming"},
	{"internal/fmath", "internal/gate", "internal/layout", "internal/mapfile", "nnef/syntax"},
	{"internal/place", "internal/stage", "tensor", "cvm/fault"},
	{"graph", "internal/simd", "internal/wire", "internal/wasmobj/support", "internal/nnef/eval", "internal/nnef/std"},
	{"internal/geometry", "internal/emit", "onnx/proto"},
	{"op"},
	{"internal/kernel", "internal/measure", "internal/nnef/flat"},
	{"engine"},
	{"engine/wasm"},
	{"model"},
	{"internal/nnef", "internal/cvm", "internal/samples"},
	{"nnef", "webnn", "openvx", "cvm", "onnx"},
	{"internal/kit"},
	{"webnn/export", "openvx/export", "cvm/export", "onnx/export"},
	{"."},
	{"manifest"},
	{"media"},
	{"internal/evaluate"},
	{"internal/diff"},
	{"internal/conform", "pipeline"},
	{"internal/feed", "internal/report"},
	{"serve", "bulk"},
	{"bench", "cmd", "examples", "web", "beam"},
}

// core is the first layer that may use libraries other than the standard one and golang.org/x/sys.
const core = 16

// testOnly lists the folders of packages for tests, which stand in no layer: tests and these packages alone import them.
var testOnly = []string{"internal/testing/", "internal/testdata"}

func forTests(pkg string) bool {
	return slices.ContainsFunc(testOnly, func(folder string) bool { return strings.HasPrefix(pkg, folder) })
}

func layerOf(pkg string) (layer int, entry string) {
	best := ""
	layer = -1
	for i, list := range layers {
		for _, e := range list {
			if (pkg == e || strings.HasPrefix(pkg, e+"/")) && len(e) >= len(best) {
				layer, best = i, e
			}
		}
	}
	return layer, best
}

// TestArrows keeps dependencies pointing one way: each package may import packages of lower layers only, and the core nothing but the standard
// library and golang.org/x/sys.
func TestArrows(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		checkPackage(t, local(p.ImportPath), p.Imports)
	}
}

func checkPackage(t *testing.T, pkg string, imports []string) {
	if forTests(pkg) {
		return
	}
	layer, entry := layerOf(pkg)
	if layer < 0 {
		t.Errorf("package %s stands in no layer: list it", pkg)
		return
	}
	for _, imp := range imports {
		if !strings.HasPrefix(imp, module) {
			external := strings.Contains(strings.SplitN(imp, "/", 2)[0], ".")
			if external && layer < core && !strings.HasPrefix(imp, "golang.org/x/sys/") {
				t.Errorf("%s imports %s: the core imports only the standard library and golang.org/x/sys", pkg, imp)
			}
			continue
		}
		if forTests(local(imp)) {
			t.Errorf("%s imports %s, which is for tests", pkg, local(imp))
			continue
		}
		to, toEntry := layerOf(local(imp))
		if to >= layer && toEntry != entry {
			t.Errorf("%s imports %s, which is not in a lower layer", pkg, local(imp))
		}
	}
}

func local(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}
