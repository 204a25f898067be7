package naming_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/naming"
)

func TestNames(t *testing.T) {
	set := naming.Of("if")
	var got []string
	for _, wish := range []string{"a", "a", "a_3", "a", "a_2", "if"} {
		got = append(got, set.Take(wish))
	}
	if want := []string{"a", "a_2", "a_3", "a_4", "a_2_2", "if_2"}; !slices.Equal(got, want) {
		t.Errorf("the names are %q; they must be %q", got, want)
	}
}

// TestNamesOfOneKind takes so many names like one that trying all of them each time would not end.
func TestNamesOfOneKind(t *testing.T) {
	set := naming.Of()
	last := ""
	for range 60_000 {
		last = set.Take("x")
	}
	if last != "x_60000" {
		t.Errorf("the last name is %s", last)
	}
}

func TestSorted(t *testing.T) {
	if got := naming.Sorted(map[string]bool{"b": true, "": false, "a": true}); !slices.Equal(got, []string{"", "a", "b"}) {
		t.Errorf("the names are %q", got)
	}
}

func TestNear(t *testing.T) {
	names := []string{"relu", "prelu", "conv", "deconv", "max_pool", "x"}
	for name, want := range map[string]string{
		"rleu": "relu", "conv2": "conv", "maxpool": "max_pool", "CONV": "conv", "z": "", "softmax": "", "relu": "prelu", "": "", strings.Repeat("x", 1000): "",
	} {
		if got := naming.Near(name, names); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
