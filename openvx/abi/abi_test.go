package abi

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// values are the constants of all enumerations by name.
func values(t *testing.T) map[string]int64 {
	all := map[string]int64{"VX_LIBRARY_KHR_NN_EXTENSION": 1} // a macro
	for _, e := range Enums {
		for _, m := range e.Members {
			if _, ok := all[m.Name]; ok {
				t.Errorf("%s: %s stands twice", e.C, m.Name)
			}
			all[m.Name] = m.Value
		}
	}
	return all
}

// The members of an enumeration have its vendor and its number in the places that the standard gives to them.
func TestConstantsAreComposed(t *testing.T) {
	all := values(t)
	for _, e := range Enums {
		if e.Base == "" {
			continue
		}
		base, ok := all[e.Base]
		if !ok {
			t.Errorf("%s: there is no %s", e.C, e.Base)
			continue
		}
		shift, vendor := 12, int64(0)
		if strings.HasPrefix(e.Base, "VX_TYPE_") {
			shift = 8
		}
		if strings.HasSuffix(e.C, "_concord_e") {
			vendor = all["VX_ID_DEFAULT"]
		}
		first := int64(int32(vendor<<20 | base<<shift))
		for _, m := range e.Members {
			if m.Name == "VX_TARGET_VENDOR_BEGIN" { // lies behind the numbers of targets
				continue
			}
			if m.Value < first || m.Value >= first+1<<shift {
				t.Errorf("%s = %#x, want %#x and less than %#x more", m.Name, m.Value, first, 1<<shift)
			}
		}
	}
}

func TestImageFormatsAreTheirNames(t *testing.T) {
	named := map[string]string{"VIRT": "VIRT", "RGB": "RGB2", "RGBX": "RGBA", "YUV4": "YUV4", "U1": "U001", "U8": "U008", "U16": "U016",
		"S16": "S016", "U32": "U032", "S32": "S032"}
	for _, e := range Enums {
		if e.C != "vx_df_image_e" {
			continue
		}
		for _, m := range e.Members {
			name := strings.TrimPrefix(m.Name, "VX_DF_IMAGE_")
			code := named[name]
			if code == "" {
				code = name
			}
			if want := int64(code[0]) | int64(code[1])<<8 | int64(code[2])<<16 | int64(code[3])<<24; m.Value != want {
				t.Errorf("%s = %#x, want %#x", m.Name, m.Value, want)
			}
		}
	}
}

// Everything that is declared has a name of its own and stands in a header that there is.
func TestNames(t *testing.T) {
	headers := map[string]bool{}
	for _, h := range Headers {
		headers[h.Name] = true
	}
	seen := map[string]bool{}
	declare := func(header, name string) {
		if !headers[header] {
			t.Errorf("%s: there is no header %q", name, header)
		}
		if seen[name] {
			t.Errorf("%s is declared twice", name)
		}
		seen[name] = true
	}
	for _, e := range Enums {
		declare(e.Header, e.C)
	}
	for _, s := range Scalars {
		declare("vx_types.h", s.Name)
	}
	for _, h := range Handles {
		declare(h.Header, h.Name)
	}
	for _, s := range Structs {
		declare(s.Header, s.Name)
	}
	for _, c := range Callbacks {
		declare(c.Header, c.Name)
	}
	for _, m := range Macros {
		declare(m.Header, m.Name)
	}
	for _, a := range Aliases {
		declare("vx_compatibility.h", a[0])
	}
	for _, f := range Functions {
		declare(f.Header, f.Name)
		if !regexp.MustCompile(`^vxu?[A-Z]\w+$`).MatchString(f.Name) {
			t.Errorf("%s is no name of a function of OpenVX", f.Name)
		}
		if !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: the documentation %q is no sentence", f.Name, f.Doc)
		}
	}
}

// Parameters have types that are declared, so that nothing is lost when const is left out or sizes are computed.
func TestParameters(t *testing.T) {
	known := []string{"void", "char"}
	for _, s := range Scalars {
		known = append(known, s.Name)
	}
	for _, h := range Handles {
		known = append(known, h.Name)
	}
	for _, s := range Structs {
		known = append(known, s.Name)
	}
	for _, c := range Callbacks {
		known = append(known, c.Name)
	}
	check := func(of, typ string) {
		base := strings.TrimSpace(strings.NewReplacer("*", " ", "const ", "").Replace(typ))
		if !slices.Contains(known, base) {
			t.Errorf("%s: unknown type %q", of, typ)
		}
	}
	list := func(of string, params []Param) {
		names := map[string]bool{}
		for i, p := range params {
			if p.Type == "..." && i == len(params)-1 {
				continue
			}
			check(of, p.Type)
			if p.Name == "" || names[p.Name] {
				t.Errorf("%s: parameter %d has the name %q", of, i, p.Name)
			}
			names[p.Name] = true
		}
	}
	for _, f := range Functions {
		check(f.Name, f.Result)
		list(f.Name, f.Parameters())
	}
	for _, c := range Callbacks {
		check(c.Name, c.Result)
		list(c.Name, c.Parameters())
	}
	for _, s := range Structs {
		for _, f := range s.Fields {
			check(s.Name, f.Type)
		}
	}
}

// The layout that the standard's structures have where addresses are of 64 bits.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name    string
		size    int
		offsets []int
	}{
		{"vx_nn_convolution_params_t", 48, []int{0, 8, 16, 20, 24, 32, 40}},
		{"vx_nn_deconvolution_params_t", 40, []int{0, 8, 16, 20, 24, 32}},
		{"vx_nn_roi_pool_params_t", 4, []int{0}},
		{"vx_tensor_matrix_multiply_params_t", 12, []int{0, 4, 8}},
		{"vx_perf_t", 64, []int{0, 8, 16, 24, 32, 40, 48, 56}},
		{"vx_rectangle_t", 16, []int{0, 4, 8, 12}},
		{"vx_border_t", 20, []int{0, 4}},
		{"vx_kernel_info_t", 260, []int{0, 4}},
		{"vx_imagepatch_addressing_t", 32, []int{0, 4, 8, 12, 16, 20, 24, 28, 30}},
	} {
		i := slices.IndexFunc(Structs, func(s Struct) bool { return s.Name == c.name })
		if size, offsets := SizeOf(c.name), Structs[i].Offsets(); size != c.size || !slices.Equal(offsets, c.offsets) {
			t.Errorf("%s: size %d, offsets %d, want %d, %d", c.name, size, offsets, c.size, c.offsets)
		}
	}
	for name, size := range map[string]int{"vx_enum": 4, "vx_bool": 4, "vx_status": 4, "vx_df_image": 4, "vx_bitfield": 4, "vx_size": 8,
		"vx_map_id": 8, "vx_char": 1, "vx_tensor": 8} {
		if SizeOf(name) != size {
			t.Errorf("%s: size %d, want %d", name, SizeOf(name), size)
		}
	}
}

func TestParametersOfFunction(t *testing.T) {
	f := Function{Params: "vx_tensor tensor, const vx_size *start, void **ptr, ..."}
	want := []Param{{"vx_tensor", "tensor"}, {"const vx_size *", "start"}, {"void **", "ptr"}, {"...", ""}}
	if got := f.Parameters(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Function{}).Parameters(); got != nil {
		t.Errorf("got %q for none", got)
	}
}
