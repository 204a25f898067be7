package main

import (
	"fmt"
	"regexp"
	"strings"
)

const generatedC = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT. */\n"

// plain takes from headers what cgo cannot say of exported functions, and what Go does not need.
var plain = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?s)/\*.*?\*/`), ""},
	{regexp.MustCompile(`\\\n`), ""},
	{regexp.MustCompile(`(?m)^#define (VX_MAX_\w+ .*)$`), "@define $1"},
	{regexp.MustCompile(`(?m)^(#.*|extern "C" \{|\}|.*vx_float16;)$`), ""},
	{regexp.MustCompile(`(?m)^@`), "#"},
	{regexp.MustCompile(`typedef struct \w+ \*(\w+);`), "typedef uintptr_t $1;"},
	{regexp.MustCompile(`\b(const|VX_API_ENTRY|VX_API_CALL|VX_CALLBACK) ?`), ""},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
	{regexp.MustCompile(`\n\n+`), "\n\n"},
}

// prototypes returns the text of the header for the Go part of the C library: the types and functions of all headers, with integers for
// objects, and without const.
func (h *interfaceC) prototypes() string {
	text := h.text
	for _, p := range plain {
		text = p.what.ReplaceAllString(text, p.by)
	}
	return generatedC + "\n/* The interface as Go sees it: objects are integers, nothing is const. */\n\n" +
		"#ifndef CONCORD_OPENVX_INTERNAL_H\n#define CONCORD_OPENVX_INTERNAL_H\n\n#include <stddef.h>\n#include <stdint.h>\n" + text + "#endif\n"
}

// versionScript returns the list of symbols that the C library exports, for the linker.
func (h *interfaceC) versionScript() string {
	var b strings.Builder
	b.WriteString(generatedC + "{\n  global:\n")
	for _, f := range h.functions {
		fmt.Fprintf(&b, "    %s;\n", f.name)
	}
	b.WriteString("  local:\n    *;\n};\n")
	return b.String()
}
