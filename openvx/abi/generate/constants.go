package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/openvx/abi"
)

// constants returns the source of package openvx's constants.
func constants() []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated from the tables of package abi; DO NOT EDIT.\n\npackage openvx\n")
	for _, e := range abi.Enums {
		if e.Go == "" {
			continue
		}
		fmt.Fprintf(&b, "\n// Members of %s.\nconst (\n", e.C)
		for _, m := range e.Members {
			if !m.COnly {
				fmt.Fprintf(&b, "\t%s %s = %#x // %s", goName(m.Name), e.Go, m.Value, m.Name)
				if m.Doc != "" {
					fmt.Fprintf(&b, ": %s", m.Doc)
				}
				fmt.Fprintln(&b)
			}
		}
		b.WriteString(")\n")
	}
	return b.Bytes()
}

// initials are words that Go writes in capitals.
var initials = map[string]string{"lut": "LUT", "nn": "NN", "roi": "ROI", "df": "DF", "id": "ID"}

// goName makes a Go name of a C name: VX_NN_POOLING_MAX becomes PoolingMax.
func goName(c string) string {
	c = strings.TrimPrefix(c, "VX_")
	for _, prefix := range []string{"NN_DS_", "NN_", "IX_"} { // of enumerations of extensions; those of types keep it behind TYPE_
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
