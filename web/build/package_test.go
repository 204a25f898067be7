package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/concord-nn/concord/web"
)

// TestPackage: the package is whole, and the classic script has nothing that only modules may have.
func TestPackage(t *testing.T) {
	files, err := web.Files([]byte("globalThis.Go = class {};"), "1")
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string][]byte)
	for _, f := range files {
		contents[f.Name] = f.Content
	}
	for _, name := range []string{"package.json", "concord-webnn.js", "concord-webnn.d.ts", "concord-webnn.classic.js", "worker.js", "go.js", "idl.js"} {
		if len(contents[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	for _, word := range []string{"\nimport ", "\nexport ", "import.meta"} {
		if bytes.Contains(contents["concord-webnn.classic.js"], []byte(word)) {
			t.Errorf("the classic script has %q", word)
		}
	}
}

// TestSyntax: node takes the scripts.
func TestSyntax(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || testing.Short() {
		t.Skip("node is not installed, or the tests are to be short")
	}
	files, err := web.Files([]byte("globalThis.Go = class {};"), "1")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, f := range files {
		switch f.Name {
		case "concord-webnn.classic.js", "serve.js", "cache.js", "go.js": // of which the first has most of the others
			texts[f.Name] = string(f.Content)
		}
	}
	given, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	check := exec.Command(node, "--experimental-vm-modules", "--no-warnings", "-e", `
		const { Script, SourceTextModule } = require("node:vm");
		for (const [name, text] of Object.entries(JSON.parse(require("node:fs").readFileSync(0)))) {
			name.includes(".classic.") ? new Script(text, name) : new SourceTextModule(text, { identifier: name });
		}`)
	check.Stdin = bytes.NewReader(given)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
