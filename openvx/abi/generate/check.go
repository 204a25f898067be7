package main

import (
	"bytes"
	"fmt"

	"github.com/concord-nn/concord/openvx/abi"
)

// versionScript returns the list of symbols that the C library exports, for the linker.
func versionScript() []byte {
	var b bytes.Buffer
	b.WriteString(generated + "{\n  global:\n")
	for _, f := range abi.Functions {
		fmt.Fprintf(&b, "    %s;\n", f.Name)
	}
	b.WriteString("  local:\n    *;\n};\n")
	return b.Bytes()
}

// checks returns C source that compiles if the public headers have the constants and layouts of the tables.
func checks() []byte {
	var b bytes.Buffer
	b.WriteString(generated + "\n/* Compiles if constants and layouts are those of the tables. */\n\n")
	for _, h := range abi.Headers {
		fmt.Fprintf(&b, "#include <VX/%s>\n", h.Name)
	}
	b.WriteString("\n#define CHECK(what) _Static_assert(what, #what)\n\n")
	for _, e := range abi.Enums {
		for _, m := range e.Members {
			fmt.Fprintf(&b, "CHECK(%s == %s);\n", m.Name, literal(m.Value))
		}
	}
	b.WriteString("\n#if UINTPTR_MAX > 0xFFFFFFFF\n")
	for _, s := range abi.Scalars {
		fmt.Fprintf(&b, "CHECK(sizeof(%s) == %d);\n", s.Name, abi.SizeOf(s.Name))
	}
	for _, t := range abi.Handles {
		fmt.Fprintf(&b, "CHECK(sizeof(%s) == %d);\n", t.Name, abi.SizeOf(t.Name))
	}
	for _, s := range abi.Structs {
		fmt.Fprintf(&b, "CHECK(sizeof(%s) == %d);\n", s.Name, abi.SizeOf(s.Name))
		for i, f := range s.Fields {
			fmt.Fprintf(&b, "CHECK(offsetof(%s, %s) == %d);\n", s.Name, f.Name, s.Offsets()[i])
		}
	}
	b.WriteString("#endif\n")
	return b.Bytes()
}
