package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/openvx/abi"
)

const generated = "/* SPDX-License-Identifier: Apache-2.0 */\n/* Code generated from the tables of package openvx/abi; DO NOT EDIT. */\n"

// header returns the text of a public header.
func header(h abi.Header) []byte {
	w := &writer{header: h.Name}
	fmt.Fprintf(w, "%s\n/* %s */\n\n#ifndef %s\n#define %s\n\n", generated, h.Doc, h.Guard, h.Guard)
	for _, file := range h.Includes {
		fmt.Fprintf(w, "#include <%s>\n", file)
	}
	fmt.Fprint(w, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
	if h.Name == "vx_types.h" {
		w.WriteString(conventions)
	}
	w.macros()
	if h.Name == "vx_types.h" {
		w.scalars()
		w.WriteString(half)
	}
	for _, t := range abi.Handles {
		if w.has(t.Header) {
			w.comment(t.Doc)
			fmt.Fprintf(w, "typedef struct %s *%s;\n", t.Tag, t.Name)
		}
	}
	w.enums()
	w.structs()
	w.callbacks()
	for _, f := range abi.Functions {
		if w.has(f.Header) {
			w.comment(f.Doc)
			w.wrap("VX_API_ENTRY "+declare(f.Result, "VX_API_CALL ")+f.Name+"(", w.list(f.Parameters()), ");\n")
		}
	}
	if h.Name == "vx_compatibility.h" {
		w.aliases()
	}
	fmt.Fprint(w, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
	return w.Bytes()
}

// prototypes returns the text of the header for the Go part of the C library: all types and functions, with integers for objects, and
// without const, which cgo cannot say of exported functions.
func prototypes() []byte {
	w := &writer{plain: true}
	fmt.Fprint(w, generated+"\n/* The interface as Go sees it: objects are integers, nothing is const. */\n\n"+
		"#ifndef CONCORD_OPENVX_INTERNAL_H\n#define CONCORD_OPENVX_INTERNAL_H\n\n#include <stddef.h>\n#include <stdint.h>\n")
	w.macros()
	w.scalars()
	fmt.Fprintln(w)
	for _, t := range abi.Handles {
		fmt.Fprintf(w, "typedef uintptr_t %s;\n", t.Name)
	}
	w.enums()
	w.structs()
	w.callbacks()
	fmt.Fprintln(w)
	for _, f := range abi.Functions {
		w.wrap(declare(f.Result, f.Name)+"(", w.list(f.Parameters()), ");\n")
	}
	fmt.Fprint(w, "\n#endif\n")
	return w.Bytes()
}

// writer collects the text of a header.
type writer struct {
	bytes.Buffer
	header string // whose declarations are written; empty for those of all headers
	plain  bool   // without comments, const and calling conventions
}

func (w *writer) has(header string) bool { return w.header == "" || w.header == header }

// comment begins a paragraph with a comment, and goes on with the last one if there is no text.
func (w *writer) comment(text string) {
	if text != "" && !w.plain {
		fmt.Fprintln(w)
		w.line(text)
	}
}

// line writes a comment.
func (w *writer) line(text string) {
	if !w.plain {
		w.wrap("/* ", strings.Split(text, " "), " */\n")
	}
}

// wrap writes words with spaces between, in lines of at most 120 characters.
func (w *writer) wrap(before string, words []string, after string) {
	line, indent := before+words[0], "       "
	if strings.HasPrefix(before, "/*") {
		indent = "  "
	}
	for _, word := range words[1:] {
		if len(line)+1+len(word) > 116 {
			fmt.Fprintln(w, line)
			line = indent
		}
		line += " " + word
	}
	fmt.Fprint(w, line+after)
}

// list returns parameters as C has them, one an element.
func (w *writer) list(params []abi.Param) []string {
	if params == nil {
		return []string{"void"}
	}
	var list []string
	for _, p := range params {
		list = append(list, declare(w.constant(p.Type), p.Name)+",")
	}
	last := len(list) - 1
	list[last] = strings.TrimSuffix(list[last], ",")
	return list
}

// constant leaves const out where a plain header is written.
func (w *writer) constant(t string) string {
	if w.plain {
		return strings.ReplaceAll(t, "const ", "")
	}
	return t
}

// declare joins a type and a name.
func declare(t, name string) string {
	if name == "" || strings.HasSuffix(t, "*") {
		return t + name
	}
	return t + " " + name
}

func (w *writer) macros() {
	if w.plain {
		fmt.Fprintln(w)
	}
	for _, m := range abi.Macros {
		if w.has(m.Header) {
			w.comment(m.Doc)
			fmt.Fprintf(w, "#define %s %s\n", m.Name, m.Body)
		}
	}
}

func (w *writer) aliases() {
	w.comment("Names that have changed.")
	for _, a := range abi.Aliases {
		fmt.Fprintf(w, "#define %s %s\n", a[0], a[1])
	}
}

func (w *writer) scalars() {
	fmt.Fprintln(w)
	for _, s := range abi.Scalars {
		fmt.Fprintf(w, "typedef %s %s;", s.C, s.Name)
		w.remark(s.Doc)
	}
}

// remark ends a line, with a comment if there is one.
func (w *writer) remark(text string) {
	if text != "" && !w.plain {
		fmt.Fprintf(w, " /* %s */", text)
	}
	fmt.Fprintln(w)
}

func (w *writer) enums() {
	for _, e := range abi.Enums {
		if e.Macros || !w.has(e.Header) {
			continue
		}
		fmt.Fprintln(w)
		w.line(e.Doc)
		fmt.Fprintf(w, "enum %s {\n", e.C)
		for i, m := range e.Members {
			comma := ","
			if i == len(e.Members)-1 {
				comma = ""
			}
			fmt.Fprintf(w, "    %s = %s%s", m.Name, literal(m.Value), comma)
			w.remark(m.Doc)
		}
		fmt.Fprint(w, "};\n")
	}
}

// literal writes a value as a constant of C.
func literal(v int64) string {
	switch {
	case v < -0xffff: // a constant of a vendor, which has the sign bit set
		return fmt.Sprintf("(vx_int32)0x%Xu", uint32(v))
	case v < 10:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprintf("0x%X", v)
}

func (w *writer) structs() {
	for _, s := range abi.Structs {
		if !w.has(s.Header) {
			continue
		}
		fmt.Fprintln(w)
		w.line(s.Doc)
		keyword, tag := "struct", "_"+s.Name+" "
		if s.Union {
			keyword = "union"
		}
		if s.NoTag {
			tag = ""
		}
		fmt.Fprintf(w, "typedef %s %s{\n", keyword, tag)
		for _, f := range s.Fields {
			length := ""
			if f.Length > 0 {
				length = fmt.Sprintf("[%d]", f.Length)
			}
			fmt.Fprintf(w, "    %s %s%s;", f.Type, f.Name, length)
			w.remark(f.Doc)
		}
		fmt.Fprintf(w, "} %s;\n", s.Name)
	}
}

func (w *writer) callbacks() {
	for _, c := range abi.Callbacks {
		if w.has(c.Header) {
			w.comment(c.Doc)
			convention := c.Convention + " "
			if w.plain {
				convention = ""
			}
			w.wrap(fmt.Sprintf("typedef %s (%s*%s)(", c.Result, convention, c.Name), w.list(c.Parameters()), ");\n")
		}
	}
}

const conventions = `
#ifndef VX_API_ENTRY /* what stands before declarations */
#define VX_API_ENTRY
#endif

/* How functions and callbacks are called. */
#ifndef VX_API_CALL
#ifdef _WIN32
#define VX_API_CALL __stdcall
#else
#define VX_API_CALL
#endif
#endif

#ifndef VX_CALLBACK
#ifdef _WIN32
#define VX_CALLBACK __stdcall
#else
#define VX_CALLBACK
#endif
#endif

/* Formats of printf for objects and sizes. */
#if defined(_WIN64)
#define VX_FMT_REF "%I64u"
#define VX_FMT_SIZE "%I64u"
#elif defined(_WIN32) || defined(UNDER_CE)
#define VX_FMT_REF "%lu"
#define VX_FMT_SIZE "%lu"
#else
#define VX_FMT_REF "%p"
#define VX_FMT_SIZE "%zu"
#endif
`

// half is the type of 16-bit floats, which a program asks for where its compiler has one.
const half = `
#ifdef EXPERIMENTAL_PLATFORM_SUPPORTS_16_FLOAT
#if defined(__arm__) || defined(__arm64__)
typedef __fp16 vx_float16;
#else
typedef hfloat vx_float16;
#endif
#endif
`
