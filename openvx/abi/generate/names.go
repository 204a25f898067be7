package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/openvx/abi"
)

// names returns the source of the String methods of package openvx's enumerations. Where two members have a value, such as the start of
// a range and its first member, the last one names it.
func names() []byte {
	var types []string
	values := map[string][]int64{} // by type, in the order of the tables
	name := map[string]map[int64]string{}
	for _, e := range abi.Enums {
		if e.Go == "" {
			continue
		}
		if name[e.Go] == nil {
			types, name[e.Go] = append(types, e.Go), map[int64]string{}
		}
		for _, m := range e.Members {
			if _, twice := name[e.Go][m.Value]; !twice {
				values[e.Go] = append(values[e.Go], m.Value)
			}
			name[e.Go][m.Value] = m.Name
		}
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from the tables of package abi; DO NOT EDIT.\n\npackage openvx\n")
	for _, t := range types {
		table := strings.ToLower(t[:1]) + t[1:] + "Names"
		fmt.Fprintf(&b, "\n// String returns the standard's name of the value.\nfunc (v %s) String() string { return nameOf(v, %s) }\n", t, table)
		fmt.Fprintf(&b, "\nvar %s = map[%s]string{\n", table, t)
		for _, v := range values[t] {
			fmt.Fprintf(&b, "\t%#x: %q,\n", v, name[t][v])
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}
