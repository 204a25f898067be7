package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// layer is a layer of OpenVX in Concord's library and in the sample implementation, in turns, as cmd/libopenvx/bench/layers.c measures it.
type layer struct {
	Name   string  `json:"name"`
	Format string  `json:"format"` // U8 or Q7.8
	Date   string  `json:"date"`
	Ours   float64 `json:"concord_us"` // the medians
	Other  float64 `json:"sample_us"`
	Ratio  float64 `json:"ratio"` // the other's time ÷ Concord's
}

// layerTargets are how many times as fast as the sample implementation layers are to be; those of 3×3 in U8 are for AVX2 and AVX-512.
var layerTargets = []struct {
	name, format string
	avx2, avx512 float64
}{
	{"convolution 3x3 56x56x64-64", "U8", 150, 300},
	{"convolution 3x3 56x56x64-64", "Q7.8", 100, 100},
	{"fully connected 4096-1000", "", 30, 30},
	{"maximum 3x3/2 112x112x64", "", 10, 10},
	{"average 7x7 7x7x2048", "", 10, 10},
	{"softmax 1000", "", 5, 5},
	{"normalization of 5 maps 55x55x96", "", 5, 5},
}

// target returns how many times as fast a layer is to be; 0 if nothing is aimed at.
func (l *layer) target(wide bool) float64 {
	for _, t := range layerTargets {
		if t.name == l.Name && (t.format == l.Format || t.format == "") {
			if wide {
				return t.avx512
			}
			return t.avx2
		}
	}
	return 0
}

// measureLayers builds Concord's C library and lets it take turns with another one.
func (s *suite) measureLayers(root, other string) ([]*layer, error) {
	out := filepath.Join(s.cache, "libopenvx")
	build := exec.Command("make", "-C", filepath.Join(root, "cmd", "libopenvx"), "OUT="+out, "library", "bench")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make library bench: %w\n%s", err, text)
	}
	c := exec.Command(filepath.Join(out, "layers"), "-r", strconv.Itoa(max(3, s.turns/3)), filepath.Join(out, "libopenvx.so.1"), other)
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "LD_LIBRARY_PATH="+filepath.Dir(other)) // the other has one thread
	c.Stderr = s.say
	text, err := c.Output()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.say, "%s\n", text)
	return readLayers(string(text), time.Now().UTC().Format(time.DateOnly)), nil
}

// readLayers reads what the program prints: name, format, the best and median microseconds of both libraries, the ratio of the medians.
func readLayers(text, date string) (list []*layer) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 7 {
			continue
		}
		name, numbers := fields[:len(fields)-6], make([]float64, 5)
		ok := true
		for i, f := range fields[len(fields)-5:] {
			var err error
			numbers[i], err = strconv.ParseFloat(f, 64)
			ok = ok && err == nil
		}
		if ok {
			list = append(list, &layer{strings.Join(name, " "), fields[len(fields)-6], date, numbers[1], numbers[3], numbers[4]})
		}
	}
	return list
}

// layerLine is a layer on the page.
type layerLine struct {
	*layer
	Target, Verdict string
}

// OursText writes the time with a unit.
func (l layerLine) OursText() string { return microseconds(l.Ours) }

func microseconds(x float64) string {
	for _, unit := range []string{"µs", "ms"} {
		if x < 1000 {
			return fmt.Sprintf("%.3g %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.3g s", x)
}

// LayerLines returns the layers for the page: of each name that of U8, if there is one, and that of Q7.8.
func (p *processor) LayerLines() (list []map[string]*layerLine) {
	for i, l := range p.Layers {
		line := &layerLine{layer: l}
		if t := l.target(p.wide()); t > 0 {
			line.Target, line.Verdict = fmt.Sprintf("≥ %.0f×", t), "reached"
			if l.Ratio < t {
				line.Verdict = missed(1 - l.Ratio/t)
			}
		}
		if i == 0 || p.Layers[i-1].Name != l.Name {
			list = append(list, make(map[string]*layerLine))
		}
		list[len(list)-1][l.Format] = line
	}
	return list
}

// putLayers replaces what was measured before.
func (r *results) putLayers(list []*layer) {
	for _, l := range list {
		r.Layers = slices.DeleteFunc(r.Layers, func(o *layer) bool { return o.Name == l.Name && o.Format == l.Format })
		r.Layers = append(r.Layers, l)
	}
}
