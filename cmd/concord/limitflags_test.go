package main

import (
	"strings"
	"testing"
)

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "1B": 1, "500MB": 500e6, "6GiB": 6 << 30, "6 GiB": 6 << 30, "3G": 3 << 30, "2kB": 2000, "1TB": 1e12,
		"": -1, "0": -1, "-1GiB": -1, "GiB": -1, "1.5GiB": -1, "9999999TiB": -1, "5 apples": -1,
	} {
		var s byteSize
		if err := s.Set(text); (err == nil) != (want > 0) || err == nil && int64(s) != want {
			t.Errorf("%q is %d, %v; want %d", text, s, err, want)
		}
	}
}

// TestDiffLimits compares two runs beyond each limit.
func TestDiffLimits(t *testing.T) {
	model := digits(t, "model.nnef")
	for want, args := range map[string][]string{"memory limit": {"--memory", "1kB"}, "time limit": {"--time", "1ns"}} {
		if out, code := execute(t, append([]string{"diff", model, "--random", "--engines", "compiled,single"}, args...)...); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%v: code %d, %s; want %q", args, code, out, want)
		}
	}
}

// TestLimitFlags runs a model within a limit, and beyond it.
func TestLimitFlags(t *testing.T) {
	model := digits(t, "model.nnef")
	if out, code := execute(t, "run", model, "--random", "--hash", "--memory", "1GiB", "--time", "1h"); code != 0 {
		t.Error(out)
	}
	for want, args := range map[string][]string{"memory limit": {"--memory", "1kB"}, "time limit": {"--time", "1ns"}, "whole number of bytes": {"--memory", "much"}, "time above 0": {"--time=-1s"}} {
		if out, code := execute(t, append([]string{"run", model, "--random", "--hash"}, args...)...); code == 0 || !strings.Contains(out, want) {
			t.Errorf("%v: code %d, %s; want %q", args, code, out, want)
		}
	}
}
