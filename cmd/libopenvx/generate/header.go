package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// headers are the files that declare the interface, each after those that it includes.
var headers = []string{
	"vx_vendors.h", "vx_types.h", "vx_kernels.h", "vx_api.h", "vx_nodes.h", "vx.h", "vxu.h", "vx_khr_nn.h", "vx_khr_import_kernel.h",
	"vx_compatibility.h", "vx_concord.h",
}

// interfaceC is what the headers declare, in their order.
type interfaceC struct {
	text      string // of all
	enums     []enum
	structs   []structure
	functions []function
}

type enum struct {
	name, doc string
	members   []member
}

type member struct {
	name  string
	value int64
	doc   string
}

type structure struct {
	name   string
	doc    string
	union  bool
	fields []field
}

// field is a member of a structure. The length is that of an array, or 0.
type field struct {
	typ, name string
	length    int
	doc       string
}

type function struct {
	result, name string
	params       []param
	doc          string
}

// param is a parameter, of type "..." for any number of them.
type param struct{ typ, name string }

// The headers are written so that these find everything: a declaration begins a line, and comments are of one form.
var (
	enumeration = regexp.MustCompile(`(?s)\n/\* ((?:[^*]|\*[^/])*) \*/\nenum (\w+) \{\n(.*?)\n\};`)
	constant    = regexp.MustCompile(`^    (\w+) = (\S+?),?(?: /\* (.*) \*/)?$`)
	synonym     = regexp.MustCompile(`\ntypedef (\w+) (\w+);`)
	aggregate   = regexp.MustCompile(`(?s)(?:\n/\* ((?:[^*]|\*[^/])*) \*/)?\ntypedef (struct|union) \w* ?\{\n(.*?)\n\} (\w+);`)
	component   = regexp.MustCompile(`^    (\w+) (\w+)(?:\[(\d+)\])?;(?: /\* (.*) \*/)?$`)
	declaration = regexp.MustCompile(`(?s)\n/\* ((?:[^*]|\*[^/])*) \*/\nVX_API_ENTRY ([^;]*?) ?VX_API_CALL (\w+)\(([^;]*?)\);`)
	spaces      = regexp.MustCompile(`\s+`)
)

// read reads the headers in a folder.
func read(dir string) (*interfaceC, error) {
	h := &interfaceC{}
	for _, name := range headers {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		h.text += string(text)
	}
	for _, m := range enumeration.FindAllStringSubmatch(h.text, -1) {
		e := enum{doc: oneLine(m[1]), name: m[2]}
		for line := range strings.SplitSeq(m[3], "\n") {
			c := constant.FindStringSubmatch(line)
			if c == nil {
				return nil, fmt.Errorf("%s: %q is no member", e.name, line)
			}
			v, err := value(c[2])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c[1], err)
			}
			e.members = append(e.members, member{c[1], v, c[3]})
		}
		h.enums = append(h.enums, e)
	}
	for _, m := range aggregate.FindAllStringSubmatch(h.text, -1) {
		s := structure{doc: oneLine(m[1]), name: m[4], union: m[2] == "union"}
		for line := range strings.SplitSeq(m[3], "\n") {
			c := component.FindStringSubmatch(line)
			if c == nil {
				return nil, fmt.Errorf("%s: %q is no field", s.name, line)
			}
			length, _ := strconv.Atoi(c[3])
			s.fields = append(s.fields, field{c[1], c[2], length, c[4]})
		}
		h.structs = append(h.structs, s)
	}
	for _, m := range declaration.FindAllStringSubmatch(h.text, -1) {
		h.functions = append(h.functions, function{doc: oneLine(m[1]), result: m[2], name: m[3], params: parameters(oneLine(m[4]))})
	}
	return h, nil
}

func oneLine(text string) string { return spaces.ReplaceAllString(text, " ") }

// value reads a number; that of a vendor's constant has the sign bit set and is cast.
func value(text string) (int64, error) {
	if cast, ok := strings.CutPrefix(text, "(vx_int32)"); ok {
		v, err := strconv.ParseUint(strings.TrimSuffix(cast, "u"), 0, 32)
		return int64(int32(uint32(v))), err
	}
	return strconv.ParseInt(text, 0, 64)
}

// parameters reads the parameters of a function, none of which is a function.
func parameters(text string) []param {
	var list []param
	for p := range strings.SplitSeq(text, ", ") {
		at := strings.LastIndexAny(p, " *") + 1
		switch p {
		case "void":
		case "...":
			list = append(list, param{typ: p})
		default:
			list = append(list, param{strings.TrimSpace(p[:at]), p[at:]})
		}
	}
	return list
}

// size returns the bytes of a type on hosts with 64-bit addresses, and its alignment.
func (h *interfaceC) size(name string) (size, align int) {
	switch name {
	case "char", "int8_t", "uint8_t":
		return 1, 1
	case "int16_t", "uint16_t":
		return 2, 2
	case "int32_t", "uint32_t", "float":
		return 4, 4
	}
	for _, s := range h.structs {
		if s.name == name {
			_, size, align := h.layout(s)
			return size, align
		}
	}
	for _, m := range synonym.FindAllStringSubmatch(h.text, -1) {
		if m[2] == name {
			return h.size(m[1])
		}
	}
	return 8, 8 // a pointer, or as large as one
}

// layout returns the offsets of a structure's fields, its size and its alignment.
func (h *interfaceC) layout(s structure) (offsets []int, size, align int) {
	up := func(n, to int) int { return (n + to - 1) / to * to }
	end := 0
	for _, f := range s.fields {
		n, a := h.size(f.typ)
		align = max(align, a)
		if s.union {
			end = 0
		}
		end = up(end, a)
		offsets = append(offsets, end)
		end += n * max(f.length, 1)
		size = max(size, end)
	}
	return offsets, up(size, align), align
}
