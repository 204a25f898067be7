package main

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

func TestDepthLimit(t *testing.T) {
	for _, n := range []int{limits.IDLDepth, limits.IDLDepth + 1} {
		typ := strings.Repeat("sequence<", n-1) + "long" + strings.Repeat(">", n-1)
		_, err := parse("## X ## {#x}\n<script type=idl>typedef " + typ + " B;</script>")
		if (err == nil) != (n == limits.IDLDepth) {
			t.Errorf("%d levels: %v", n, err)
		}
	}
}
