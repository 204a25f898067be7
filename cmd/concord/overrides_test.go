package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFlagRanges holds that flags are checked before a model is read, here one that is not there, with the ranges of a manifest.
func TestFlagRanges(t *testing.T) {
	dir := t.TempDir()
	labels := filepath.Join(dir, "labels")
	if err := os.WriteFile(labels, []byte("a\nb\x1b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const missing = "absent.nnef: there is no such file or folder"
	for _, c := range []struct {
		flags string
		code  int
		want  string
	}{
		{"--iou 0 --score -3 --top 0 --size 1,16384 --margin 10 --crop content --pad 0,255,1 --layout nhwc --rate 8000", exitInput, missing},
		{"--iou 1.5", exitUsage, "--iou 1.5: it must be a number from 0 to 1"},
		{"--iou NaN", exitUsage, "--iou NaN: it must be "},
		{"--score 1e31", exitUsage, "--score 1e+31: it must be "},
		{"--top -1", exitUsage, "--top -1: it must be an integer from 0 to 1048576"},
		{"--size 3", exitUsage, "--size 3: it must be a list of 2 integers, width and height"},
		{"--size 0,2", exitUsage, "--size 0,2: it must be an integer from 1 to 16384"},
		{"--margin -0.5", exitUsage, "--margin -0.5: it must be "},
		{"--pad 256", exitUsage, "--pad 256: it must be a number from 0 to 255"},
		{"--crop all", exitUsage, `--crop all: it must be "none" or "content"`},
		{"--layout X", exitUsage, "--layout X: it must be "},
		{"--mean 1,2", exitUsage, "--mean 1,2: it must be "},
		{"--mean 300", exitUsage, "--mean 300: it must be a number from 0 to 255"},
		{"--mean inf", exitUsage, "--mean +Inf: it must be a number from 0 to 255"},
		{"--mean 1,NaN,2", exitUsage, "--mean 1,NaN,2: it must be a number from 0 to 255"},
		{"--std 0", exitUsage, "--std 0: it must be a divisor other than zero"},
		{"--score NaN", exitUsage, "--score NaN: it must be a number from -1e+30 to 1e+30"},
		{"--rate 0", exitUsage, "--rate 0: it must be "},
		{"--labels " + filepath.Join(dir, "none"), exitInput, "there is no such file or folder"},
		{"--labels " + dir, exitInput, "it is a folder"},
		{"--labels " + labels, exitInput, "labels:2: a label must have"},
	} {
		for _, command := range []string{"run", "bench"} {
			if out, code := execute(t, append([]string{command, "absent.nnef"}, strings.Fields(c.flags)...)...); code != c.code || !strings.Contains(out, c.want) {
				t.Errorf("%s %s: code %d, %s; want %d, %s", command, c.flags, code, out, c.code, c.want)
			}
		}
	}
	for flags, want := range map[string]string{
		"--margin 0.1 --crop none":   "--margin is only of use with --crop content",
		"--layout HW --colour rgb":   "--layout HW: it has no channels",
		"--mean 1,2,3 --colour gray": "there must be one, or one for each of the 1 channels",
		"--rate 8000":                "no sound is described",
		"--iou 0.3":                  "--iou: no boxes are described",
	} {
		if out, code := execute(t, append([]string{"run", digits(t, "model.nnef"), "--random"}, strings.Fields(flags)...)...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: code %d, %s; want %s", flags, code, out, want)
		}
	}
	if out, code := execute(t, "run", digits(t, "model.nnef"), digits(t, "drawings", "one.png"), "--crop", "content", "--margin", "0.3", "--pad", "255"); code != 0 || !strings.HasPrefix(out, "1 ") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestSizeCloses gives a picture's size to an input that leaves it open.
func TestSizeCloses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "open.nnef")
	text := "version 1.0\n\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [0, 1, 0, 0])\n    y = relu(x)\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := execute(t, "run", path, digits(t, "drawings", "one.png"), "--size", "6,4", "--colour", "gray", "--hash")
	if code != 0 || !strings.Contains(out, "y float32[1,1,4,6]") {
		t.Errorf("code %d: %s", code, out)
	}
}
