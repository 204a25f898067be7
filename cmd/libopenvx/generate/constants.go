package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// goEnums are the types of package openvx that the members of enumerations have. Go programs do not need the others.
var goEnums = map[string]string{
	"vx_type_e": "Type", "vx_nn_type_e": "Type", "vx_status_e": "Status", "vx_action_e": "Action", "vx_direction_e": "Direction",
	"vx_hint_e": "Hint", "vx_directive_e": "Directive", "vx_graph_state_e": "GraphState", "vx_convert_policy_e": "ConvertPolicy",
	"vx_df_image_e": "ImageFormat", "vx_target_e": "Target", "vx_parameter_state_e": "ParameterState", "vx_border_e": "Border",
	"vx_border_policy_e": "BorderPolicy",
	"vx_accessor_e":      "Usage", "vx_round_policy_e": "RoundPolicy", "vx_kernel_e": "KernelID", "vx_kernel_nn_ext_e": "KernelID",
	"vx_nn_rounding_type_e": "SizeRounding", "vx_nn_pooling_type_e": "Pooling", "vx_nn_norm_type_e": "Normalization",
	"vx_nn_activation_function_e": "Activation",
}

// onlyC reports whether a constant that Go has a type for is none of package openvx: a kernel that it does not have.
func onlyC(e enum, m member) bool {
	return e.name == "vx_kernel_e" && m.name != "VX_KERNEL_COLOR_CONVERT" && !strings.HasPrefix(m.name, "VX_KERNEL_TENSOR_")
}

const generatedGo = "// Code generated from the headers of the C library by cmd/libopenvx/generate; DO NOT EDIT.\n\n"

// constants returns the source of package openvx's constants.
func (h *interfaceC) constants() string {
	var b strings.Builder
	b.WriteString(generatedGo + "package openvx\n")
	for _, e := range h.enums {
		typ, ok := goEnums[e.name]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n// Members of %s.\nconst (\n", e.name)
		for _, m := range e.members {
			if onlyC(e, m) {
				continue
			}
			fmt.Fprintf(&b, "\t%s %s = %#x // %s", goName(m.name), typ, m.value, m.name)
			if m.doc != "" {
				fmt.Fprintf(&b, ": %s", m.doc)
			}
			b.WriteString("\n")
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// names returns the source of package openvx's enumerations with their String methods. Where two members have a value, such as the start of
// a range and its first member, the last one names it.
func (h *interfaceC) names() string {
	var types []string
	doc := map[string]string{}     // by type
	values := map[string][]int64{} // in the order of the headers
	name := map[string]map[int64]string{}
	for _, e := range h.enums {
		typ, ok := goEnums[e.name]
		if !ok {
			continue
		}
		if name[typ] == nil {
			types, name[typ] = append(types, typ), map[int64]string{}
		}
		doc[typ] += fmt.Sprintf(" the %s (%s)", strings.ToLower(e.doc[:1])+e.doc[1:len(e.doc)-1], e.name)
		for _, m := range e.members {
			if _, twice := name[typ][m.value]; !twice {
				values[typ] = append(values[typ], m.value)
			}
			name[typ][m.value] = m.name
		}
	}
	var b strings.Builder
	b.WriteString(generatedGo + "package openvx\n")
	for _, t := range types {
		kind := "int32"
		if t == "ImageFormat" {
			kind = "uint32" // four characters
		}
		b.WriteString("\n" + comment(t+" numbers"+strings.ReplaceAll(doc[t], ") ", "), ")+"."))
		fmt.Fprintf(&b, "type %s %s\n", t, kind)
		table := strings.ToLower(t[:1]) + t[1:] + "Names"
		fmt.Fprintf(&b, "\n// String returns the standard's name of the value.\nfunc (v %s) String() string { return nameOf(v, %s) }\n", t, table)
		if slices.Contains(slices.Collect(maps.Values(enumParams)), t) {
			fmt.Fprintf(&b, "\nfunc (v %s) members() (all string, is bool) { return membersOf(v, %s) }\n", t, table)
		}
		fmt.Fprintf(&b, "\nvar %s = map[%s]string{\n", table, t)
		for _, v := range values[t] {
			fmt.Fprintf(&b, "\t%#x: %q,\n", v, name[t][v])
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// initials are words that Go writes in capitals.
var initials = map[string]string{"lut": "LUT", "nn": "NN", "roi": "ROI", "df": "DF", "id": "ID"}

// goName makes a Go name of a C name: VX_NN_POOLING_MAX becomes PoolingMax, padding_x PaddingX.
func goName(c string) string {
	c = strings.TrimPrefix(c, "VX_")
	for _, prefix := range []string{"NN_DS_", "NN_"} { // of enumerations of extensions; those of types keep it behind TYPE_
		c = strings.TrimPrefix(c, prefix)
	}
	var b strings.Builder
	for word := range strings.SplitSeq(strings.ToLower(c), "_") {
		if w, ok := initials[word]; ok {
			b.WriteString(w)
		} else if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
