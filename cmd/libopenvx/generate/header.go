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
	union  bool
	fields []field
}

// field is a member of a structure. The length is that of an array, or 0.
type field struct {
	typ, name string
	length    int
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
	aggregate   = regexp.MustCompile(`(?s)\ntypedef (struct|union) \w* ?\{\n(.*?)\n\} (\w+);`)
	component   = regexp.MustCompile(`^    (\w+) (\w+)(?:\[(\d+)\])?;(?: /\*.*\*/)?$`)
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
		s := structure{name: m[3], union: m[1] == "union"}
		for line := range strings.SplitSeq(m[2], "\n") {
			c := component.FindStringSubmatch(line)
			if c == nil {
				return nil, fmt.Errorf("%s: %q is no field", s.name, line)
			}
			length, _ := strconv.Atoi(c[3])
			s.fields = append(s.fields, field{c[1], c[2], length})
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
