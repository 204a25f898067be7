package golden

import "testing"

func TestFirstDifference(t *testing.T) {
	for _, c := range [][3]string{
		{"a\nb\n", "a\nc\n", `line 2: "b"; want "c"`},
		{"a\n", "a\nb\n", `line 2: ""; want "b"`},
		{"a", "a\nb", "1 lines; want 2"},
	} {
		if got := firstDifference(c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q: %s; want %s", c[0], c[1], got, c[2])
		}
	}
}
