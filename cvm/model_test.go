package cvm

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/cvm/cases"
	"github.com/concord-nn/concord/tensor"
)

// forms are the ways to compute that must not differ.
var forms = []struct {
	name string
	form
	engine.Options
}{
	{"narrow", form{}, engine.Options{Threads: 1}},
	{"narrow, two threads", form{}, engine.Options{Threads: 2}},
	{"narrow, not optimised", form{}, engine.Options{Threads: 1, NoOptimize: true}},
	{"formal", form{formal: true}, engine.Options{Threads: 1}},
	{"formal, not optimised", form{formal: true}, engine.Options{Threads: 2, NoOptimize: true}},
}

// heads computes the heads of a model in every form, which must agree, and returns them as int32. Runs follow one another in one session.
func heads(t *testing.T, f Files, compat bool, inputs ...[]byte) [][][]int32 {
	t.Helper()
	a, err := admit(f, Options{Compat: compat})
	if err != nil {
		t.Fatal(err)
	}
	var first [][][]int32
	for i, form := range forms {
		if i%4 > 0 && testdata.Cases(0, 1) == 0 { // random models try them all
			continue
		}
		g, err := a.net.lower(a.consts, form.form)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		p, err := engine.Compile(g, form.Options)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		s, err := p.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		var got [][][]int32
		for _, input := range inputs {
			if err := decodeInput(s.Input(0), input); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(context.Background()); err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			var out [][]int32
			for i := range p.Outputs() {
				out = append(out, append([]int32{}, tensor.Data[int32](s.Output(i))...))
			}
			got = append(got, out)
		}
		p.Close()
		if first == nil {
			first = got
		} else if fmt.Sprint(first) != fmt.Sprint(got) {
			t.Fatalf("%s: %v; narrow: %v", form.name, got, first)
		}
	}
	return first
}

// TestRunOperatorCases computes every shared case of one operator that runs, in both modes and in every form.
func TestRunOperatorCases(t *testing.T) {
	cases.Operators(t, func(t *testing.T, c *cases.Operator) {
		if !c.Runs() {
			return
		}
		f := sketchOf(c).files(t)
		for _, compat := range []bool{false, true} {
			for k, got := range heads(t, f, compat, encoded(c.Inputs[0].Precision, c.Inputs[0].Data))[0] {
				if want := c.Expect.Outputs[k].Data; fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("output %d: %v; want %v", k, got, want)
				}
			}
		}
	})
}

// TestRunModelCases runs every shared model that loads, in each mode that admits it, and compares the bytes. The forms agree, too.
func TestRunModelCases(t *testing.T) {
	for _, c := range testdata.Some(cases.Models(t), 3) {
		if !c.Runnable() {
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			for _, compat := range []bool{false, true} {
				f, err := Read(c.Dir)
				if err != nil {
					t.Fatal(err)
				}
				m, err := Load(f, Options{Compat: compat})
				if !compat && c.Class == "quirk" {
					if fault.ClassOf(err) != fault.Logic {
						t.Fatalf("strict: %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				var inputs [][]byte
				for _, r := range c.Runs {
					input := c.File(t, r.Input)
					out, err := m.Run(context.Background(), input)
					if fault.ClassOf(err) != r.Class {
						t.Fatalf("%s: %v; want class %d", r.Input, err, r.Class)
					}
					if err != nil {
						continue
					}
					if want := r.Bytes(t); !bytes.Equal(out, want) {
						t.Fatalf("%s: %x; want %x", r.Input, out, want)
					}
					inputs = append(inputs, input)
				}
				inputs = inputs[:min(len(inputs), testdata.Cases(1, len(inputs)))]
				heads(t, f, compat, inputs...)
			}
		})
	}
}
