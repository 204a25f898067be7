package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// The generated files are as the headers are.
func TestUpToDate(t *testing.T) {
	list, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range list {
		if have, err := os.ReadFile(filepath.Join(module, name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date; run go generate ./cmd/libopenvx/generate", name)
		}
	}
}

func declared(t *testing.T) *interfaceC {
	t.Helper()
	h, err := read(filepath.Join(module, "cmd/libopenvx/include/VX"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Nothing that the headers declare is overlooked.
func TestEverythingIsRead(t *testing.T) {
	h := declared(t)
	for what, test := range map[string]struct {
		begins string
		read   int
	}{
		"enumerations": {`(?m)^enum `, len(h.enums)},
		"structures":   {`(?m)^typedef (struct \w* ?\{|union)`, len(h.structs)},
		"functions":    {`(?m)^VX_API_ENTRY `, len(h.functions)},
	} {
		if n := len(regexp.MustCompile(test.begins).FindAllString(h.text, -1)); n != test.read || n == 0 {
			t.Errorf("%d of %d %s are read", test.read, n, what)
		}
	}
	known := regexp.MustCompile(`^(const )?(void|vx_\w+) ?(\*(const \*)?)*$`)
	for _, f := range h.functions {
		if !strings.HasSuffix(f.doc, ".") {
			t.Errorf("%s: the documentation %q is no sentence", f.name, f.doc)
		}
		for _, p := range f.params {
			if p.typ != "..." && (!known.MatchString(p.typ) && p.typ != "const char *" && p.typ != "char *" || p.name == "") {
				t.Errorf("%s: a parameter %q of type %q", f.name, p.name, p.typ)
			}
		}
	}
}

// bases are the objects, enumerations and libraries that enumerations belong to whose names do not say it.
var bases = map[string]string{
	"vx_meta_valid_rect_attribute_e": "VX_TYPE_META_FORMAT", "vx_context_attribute_concord_e": "VX_TYPE_CONTEXT", "vx_kernel_e": "VX_LIBRARY_KHR_BASE",
	"vx_kernel_nn_ext_e": "VX_LIBRARY_KHR_NN_EXTENSION", "vx_interpolation_type_e": "VX_ENUM_INTERPOLATION",
	"vx_non_linear_filter_e": "VX_ENUM_NONLINEAR", "vx_channel_range_e": "VX_ENUM_COLOR_RANGE", "vx_termination_criteria_e": "VX_ENUM_TERM_CRITERIA",
	"vx_nn_norm_type_e": "VX_ENUM_NN_NORMALIZATION_TYPE", "vx_nn_activation_function_e": "VX_ENUM_NN_ACTIVATION_FUNCTION_TYPE",
}

// plainNumbers are enumerations whose members are composed of nothing.
var plainNumbers = []string{
	"vx_vendor_id_e", "vx_bool_e", "vx_type_e", "vx_status_e", "vx_enum_e", "vx_df_image_e", "vx_map_flag_e", "vx_library_e", "vx_nn_enum_e", "vx_nn_type_e",
}

// The members of an enumeration have its vendor and its number in the places that the standard gives to them.
func TestConstantsAreComposed(t *testing.T) {
	h := declared(t)
	all := map[string]int64{"VX_LIBRARY_KHR_NN_EXTENSION": 1} // a macro
	for _, e := range h.enums {
		for _, m := range e.members {
			if _, ok := all[m.name]; ok {
				t.Errorf("%s: %s stands twice", e.name, m.name)
			}
			all[m.name] = m.value
		}
	}
	for _, e := range h.enums {
		if slices.Contains(plainNumbers, e.name) {
			continue
		}
		base := bases[e.name]
		if of, ok := strings.CutSuffix(e.name, "_attribute_e"); ok && base == "" {
			base = "VX_TYPE_" + strings.ToUpper(of[3:])
		} else if base == "" {
			base = "VX_ENUM_" + strings.ToUpper(e.name[3:len(e.name)-2])
		}
		number, ok := all[base]
		if !ok {
			t.Errorf("%s: there is no %s", e.name, base)
			continue
		}
		shift, vendor := 12, int64(0)
		if strings.HasPrefix(base, "VX_TYPE_") {
			shift = 8
		}
		if strings.HasSuffix(e.name, "_concord_e") {
			vendor = all["VX_ID_DEFAULT"]
		}
		first := int64(int32(vendor<<20 | number<<shift))
		for _, m := range e.members {
			if m.name == "VX_TARGET_VENDOR_BEGIN" { // lies behind the numbers of targets
				continue
			}
			if m.value < first || m.value >= first+1<<shift {
				t.Errorf("%s = %#x, want %#x and less than %#x more", m.name, m.value, first, 1<<shift)
			}
		}
	}
}

func TestImageFormatsAreTheirNames(t *testing.T) {
	named := map[string]string{"RGB": "RGB2", "RGBX": "RGBA", "U1": "U001", "U8": "U008", "U16": "U016", "S16": "S016", "U32": "U032", "S32": "S032"}
	for _, e := range declared(t).enums {
		if e.name != "vx_df_image_e" {
			continue
		}
		for _, m := range e.members {
			code := strings.TrimPrefix(m.name, "VX_DF_IMAGE_")
			if other := named[code]; other != "" {
				code = other
			}
			if want := int64(code[0]) | int64(code[1])<<8 | int64(code[2])<<16 | int64(code[3])<<24; m.value != want {
				t.Errorf("%s = %#x, want %#x", m.name, m.value, want)
			}
		}
	}
}

// The layout that the standard's structures have where addresses are of 64 bits, and scalars of package openvx.
func TestLayout(t *testing.T) {
	h := declared(t)
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		size    int
		offsets []int
		scalar  openvx.Type
	}{
		{"vx_nn_convolution_params_t", 48, []int{0, 8, 16, 20, 24, 32, 40}, openvx.TypeNNConvolutionParams},
		{"vx_nn_deconvolution_params_t", 40, []int{0, 8, 16, 20, 24, 32}, openvx.TypeNNDeconvolutionParams},
		{"vx_nn_roi_pool_params_t", 4, []int{0}, openvx.TypeNNROIPoolParams},
		{"vx_tensor_matrix_multiply_params_t", 12, []int{0, 4, 8}, openvx.TypeTensorMatrixMultiplyParams},
		{"vx_perf_t", 64, []int{0, 8, 16, 24, 32, 40, 48, 56}, 0},
		{"vx_rectangle_t", 16, []int{0, 4, 8, 12}, openvx.TypeRectangle},
		{"vx_border_t", 20, []int{0, 4}, 0},
		{"vx_kernel_info_t", 260, []int{0, 4}, 0},
		{"vx_imagepatch_addressing_t", 32, []int{0, 4, 8, 12, 16, 20, 24, 28, 30}, 0},
		{"vx_keypoint_t", 28, []int{0, 4, 8, 12, 16, 20, 24}, openvx.TypeKeypoint},
		{"vx_coordinates2d_t", 8, []int{0, 4}, openvx.TypeCoordinates2d},
		{"vx_coordinates2df_t", 8, []int{0, 4}, openvx.TypeCoordinates2df},
		{"vx_coordinates3d_t", 12, []int{0, 4, 8}, openvx.TypeCoordinates3d},
		{"vx_line2d_t", 16, []int{0, 4, 8, 12}, openvx.TypeLine2d},
		{"vx_hough_lines_p_t", 28, []int{0, 4, 8, 12, 16, 20, 24}, openvx.TypeHoughLinesParams},
		{"vx_hog_t", 40, []int{0, 4, 8, 12, 16, 20, 24, 28, 32, 36}, openvx.TypeHogParams},
	} {
		i := slices.IndexFunc(h.structs, func(s structure) bool { return s.name == test.name })
		if offsets, size, _ := h.layout(h.structs[i]); size != test.size || !slices.Equal(offsets, test.offsets) {
			t.Errorf("%s: size %d, offsets %d, want %d, %d", test.name, size, offsets, test.size, test.offsets)
		}
		if n := c.SizeOf(test.scalar); test.scalar != 0 && n != test.size {
			t.Errorf("a scalar of %v has %d bytes, want %d", test.scalar, n, test.size)
		}
	}
	for name, size := range map[string]int{"vx_enum": 4, "vx_bool": 4, "vx_status": 4, "vx_df_image": 4, "vx_bitfield": 4, "vx_size": 8,
		"vx_map_id": 8, "vx_char": 1, "vx_tensor": 8} {
		if n, _ := h.size(name); n != size {
			t.Errorf("%s: size %d, want %d", name, n, size)
		}
	}
}

func TestParametersOfFunction(t *testing.T) {
	want := []param{{"vx_tensor", "tensor"}, {"const vx_size *", "start"}, {"void **", "ptr"}, {"...", ""}}
	if got := parameters("vx_tensor tensor, const vx_size *start, void **ptr, ..."); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := parameters("void"); got != nil {
		t.Errorf("got %q for none", got)
	}
}
