// Package web is the npm package concord-webnn, which gives pages navigator.ml: its files, but for the program in package concord, which it
// loads. docs/web.md says how it is used.
package web

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/concord-nn/concord/engine/wasm/export"
)

//go:embed package.json README.md *.js *.d.ts
var sources embed.FS

// File is a file of the package by its name.
type File struct {
	Name    string
	Content []byte
}

// parts are the modules of the classic script, each behind those that it imports.
var parts = []string{"idl.js", "webidl.js", "provided.js", "channel.js", "program.js", "checker.js", "interface.js", "concord-webnn.js"}

// Files returns the package without concord.wasm. support is wasm_exec.js of the distribution of Go that concord.wasm was compiled by, and
// version changes when concord.wasm does: modules that it has compiled are kept under it.
func Files(support []byte, version string) ([]File, error) {
	entries, err := sources.ReadDir(".")
	if err != nil {
		return nil, err
	}
	list := []File{{"go.js", goScript(support, version)}, {"pool.js", []byte(export.Pool)}}
	texts := make(map[string]string)
	for _, e := range entries {
		content, err := sources.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, File{e.Name(), content})
		texts[e.Name()] = string(content)
	}
	script := classic(texts)
	always := append([]byte("globalThis.concordWebNN = { ...globalThis.concordWebNN, always: true };\n"), script...)
	return append(list, File{"concord-webnn.classic.js", script}, File{"concord-webnn.always.js", always}), nil
}

// globals are what the support of Go looks for in the global object. It puts more there, which a page must not see.
const globals = "Array, Date, Error, Object, Promise, TextDecoder, TextEncoder, TypeError, Uint8Array, WebAssembly, crypto, performance"

// goScript is the support of Go as a module that leaves the global object alone.
func goScript(support []byte, version string) []byte {
	return fmt.Appendf(nil, "const scope = { %s };\n((globalThis) => {\n%s\n})(scope);\nexport const { Go } = scope;\nexport const version = %q;\n",
		globals, support, version)
}

// moduleWords are what a classic script does not have.
var moduleWords = regexp.MustCompile(`(?m)^(import .*;\n|export \{.*;\n|export )`)

// classic puts the modules into one function. It has no import.meta: a document says where the script came from, and in a worker an error does.
func classic(texts map[string]string) []byte {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\nconst here = globalThis.document?.currentScript?.src ?? /https?:[^)]*?(?=:\\d+:\\d+)/.exec(new Error().stack)?.[0] ?? globalThis.location?.href;\n")
	for _, name := range parts {
		text := moduleWords.ReplaceAllString(texts[name], "")
		b.WriteString("\n" + strings.ReplaceAll(text, "import.meta.url", "here"))
	}
	b.WriteString("\nglobalThis.concordWebNN = { ...globalThis.concordWebNN, install, levelOf };\n})();\n")
	return []byte(b.String())
}
