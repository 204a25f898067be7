package cvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/cvm/formal"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
	"github.com/concord-nn/concord/tensor"
)

// modes are the ways in which random models are made and loaded.
var modes = []struct {
	name    string
	options random.Options
}{
	{"strict", random.Options{Strict: true}},
	{"compat", random.Options{}},
	{"overlap", random.Options{Overlap: true}},
	{"overlap strict", random.Options{Strict: true, Overlap: true}},
}

// eachModel calls f with random models of every mode.
func eachModel(t *testing.T, models int, f func(t *testing.T, m *random.Model, compat bool)) {
	models = testdata.Cases((models+1)/2, 300*models)
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(models) {
				o := mode.options
				m := random.New(seed, o)
				failed := t.Failed()
				f(t, m, !o.Strict)
				if t.Failed() && !failed {
					t.Fatalf("this was seed %d of mode %s:\n%s", seed, mode.name, m.Symbol)
				}
			}
		})
	}
}

// outcome is what a run should give.
type outcome struct {
	output []byte
	fails  bool
}

// expected runs a model by the formalisation.
func expected(t *testing.T, m *random.Model) []outcome {
	t.Helper()
	machine, err := formal.NewMachine(m.Graph, m.Order)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []outcome
	for _, input := range m.Inputs {
		heads, err := machine.Run(m.Graph.Decode(input))
		if err != nil {
			t.Fatal(err)
		}
		output, err := m.Graph.Encode(heads)
		outcomes = append(outcomes, outcome{output, err != nil})
	}
	return outcomes
}

// TestRandomRuns holds the bytes that runs return against the formalisation, run by run and in the storage plan's memory, with one thread
// and several, optimised and not.
func TestRandomRuns(t *testing.T) {
	eachModel(t, 30, func(t *testing.T, m *random.Model, compat bool) {
		want := expected(t, m)
		for _, o := range []engine.Options{{Threads: 1}, {Threads: 3}, {Threads: 1, NoOptimize: true}} {
			model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: compat, Engine: o})
			if !compat && m.Graph.Conflicts() {
				checkFault(t, err, fault.Logic)
				continue
			}
			if err != nil {
				t.Errorf("load: %v", err)
				return
			}
			for i, input := range m.Inputs {
				output, err := model.Run(context.Background(), input)
				switch {
				case want[i].fails:
					checkFault(t, err, fault.Logic)
				case err != nil:
					t.Errorf("%+v, input %d: %v", o, i, err)
				case !bytes.Equal(output, want[i].output):
					t.Errorf("%+v, input %d gives\n%x, want\n%x", o, i, output, want[i].output)
				}
			}
			model.Close()
		}
	})
}

// classOf returns the class of a refusal of the formalisation.
func classOf(err error) fault.Class {
	r := new(formal.Refusal)
	switch {
	case err == nil:
		return fault.OK
	case errors.As(err, &r) && r.Runtime:
		return fault.Runtime
	}
	return fault.Logic
}

func checkFault(t *testing.T, err error, class fault.Class) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("error %v, want one of class %v", err, class)
	} else if e.Class != class {
		t.Errorf("error %v of class %v, want class %v", err, e.Class, class)
	}
}

// TestRandomAdmission holds what admission says against the formalisation.
func TestRandomAdmission(t *testing.T) {
	eachModel(t, 60, func(t *testing.T, m *random.Model, compat bool) {
		a, err := Admit(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: compat})
		if conflict := m.Graph.Conflicts(); !compat && conflict {
			checkFault(t, err, fault.Logic)
			return
		} else if err != nil {
			t.Errorf("conflict %v: %v", conflict, err)
			return
		}
		machine, err := formal.NewMachine(m.Graph, m.Order)
		if err != nil {
			t.Fatal(err)
		}
		tensors, gas, err := m.Graph.Infer()
		if err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for i, g := range gas {
			total += g
			if a.Nodes[i].Gas != g {
				t.Errorf("node %d, %s: gas %d, want %d", i, m.Graph.Nodes[i].Op, a.Nodes[i].Gas, g)
			}
		}
		if a.Gas != total {
			t.Errorf("gas %d, want %d", a.Gas, total)
		}
		m.Graph.Strict = false // gas is counted by the deployed rules
		if _, _, refused := m.Graph.Infer(); refused != nil {
			_, err := Gas(m.Symbol)
			checkFault(t, err, classOf(refused))
		} else if counted, err := Gas(m.Symbol); counted != total || err != nil {
			t.Errorf("gas %d, %v from the text, want %d", counted, err, total)
		}
		m.Graph.Strict = !compat
		if a.Storage != machine.Size() {
			t.Errorf("storage %d, want %d", a.Storage, machine.Size())
		}
		if a.InputLength != int64(len(m.Inputs[0])) {
			t.Errorf("input length %d, want %d", a.InputLength, len(m.Inputs[0]))
		}
		if len(a.Tensors) != len(tensors) {
			t.Fatalf("%d tensors, want %d", len(a.Tensors), len(tensors))
		}
		for i, want := range tensors {
			got := a.Tensors[i]
			sameShape := slices.EqualFunc(got.Shape, want.Shape, func(a int, b int64) bool { return int64(a) == b })
			if !sameShape || got.Precision != want.Precision {
				t.Errorf("tensor %d has shape %v and precision %d, want %v and %d", i, got.Shape, got.Precision, want.Shape, want.Precision)
			}
		}
		if heads, err := machine.Run(nil); err == nil {
			if output, err := m.Graph.Encode(heads); err == nil && a.OutputLength != int64(len(output)) {
				t.Errorf("output length %d, want %d", a.OutputLength, len(output))
			}
		}
	})
}

// TestRandomForms evaluates every tensor of random models in both forms that a network is lowered to, and holds their elements against
// the formalisation, the bits that decide how they are stored and, by strict rules, their precisions.
func TestRandomForms(t *testing.T) {
	eachModel(t, 60, func(t *testing.T, m *random.Model, compat bool) {
		if m.Graph.Conflicts() {
			return
		}
		n := networkOf(t, m, compat)
		list, err := params.Parse(m.Params)
		if err != nil {
			t.Fatal(err)
		}
		consts, err := n.bind(list)
		if err != nil {
			t.Fatal(err)
		}
		n.heads = nil
		for i := range n.entries {
			n.heads = append(n.heads, i)
			n.entries[i].storage = i // which keeps them apart to the end
		}
		var outputs [2][][]int64
		for i, f := range []form{{formal: true}, {}} {
			outputs[i] = evaluate(t, n, consts, f, m.Inputs[0])
		}
		tensors, err := m.Graph.Eval(m.Graph.Decode(m.Inputs[0]))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tensors {
			for k, form := range []string{"formal", "narrow"} {
				for j, got := range outputs[k][i] {
					if got != want.Data[j] {
						t.Errorf("element %d of tensor %d in the %s form is %d, want %d", j, i, form, got, want.Data[j])
						break
					}
				}
			}
			e := &n.entries[i]
			checkBits(t, i, "bits", e.bits, want.Data)
			if !compat && m.Graph.Nodes[e.node].Op != "" && !fills(m.Graph, e.node) {
				checkBits(t, i, "precision", e.Precision, want.Data)
			}
		}
	})
}

// fills reports whether node or one before it has fillers. They do not fit in a precision of 1, and so neither need what follows.
func fills(g *formal.Graph, node int) bool {
	producer := []int{}
	for i, n := range g.Nodes {
		producer = append(producer, slices.Repeat([]int{i}, formal.Outputs(n.Op))...)
	}
	n := g.Nodes[node]
	o, _ := operators.Lookup(n.Op)
	return o != nil && len(o.Fillers) > 0 || slices.ContainsFunc(n.In, func(i int) bool { return fills(g, producer[i]) })
}

func checkBits(t *testing.T, i int, what string, bits int, data []int64) {
	t.Helper()
	most := int64(1)<<(bits-1) - 1
	if lo, hi := slices.Min(data), slices.Max(data); bits <= 32 && (lo < -most || hi > most) {
		t.Errorf("tensor %d has elements from %d to %d, beyond its %s, %d", i, lo, hi, what, bits)
	}
}

func networkOf(t *testing.T, m *random.Model, compat bool) *network {
	t.Helper()
	s, err := symbol.Parse(m.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	n, err := resolve(s, compat)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// evaluate runs a network and returns its outputs, with the engine as plain as it can be for the formal form.
func evaluate(t *testing.T, n *network, consts []*tensor.Tensor, f form, input []byte) (outputs [][]int64) {
	t.Helper()
	g, err := n.lower(consts, f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Compile(g, engine.Options{Threads: 1, NoOptimize: f.formal})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := decodeInput(s.Input(0), input); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i := range p.Outputs() {
		wide, err := tensor.Cast(s.Output(i), tensor.Int64)
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, slices.Clone(tensor.Data[int64](wide)))
	}
	return outputs
}

// TestRandomWriting writes models anew and reads them back: nothing of their admission and of their parameters changes.
func TestRandomWriting(t *testing.T) {
	eachModel(t, 30, func(t *testing.T, m *random.Model, compat bool) {
		s, err := symbol.Parse(m.Symbol)
		if err != nil {
			t.Fatal(err)
		}
		text, err := s.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := params.Parse(m.Params)
		if err != nil {
			t.Fatal(err)
		}
		file, err := params.Append(nil, list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := params.Append(nil, mustParams(t, file))
		if err != nil || !bytes.Equal(file, again) {
			t.Errorf("the parameters change from writing to writing: %v", err)
		}
		o := Options{Compat: compat}
		a, err := Admit(Files{Symbol: m.Symbol, Params: m.Params}, o)
		b, errAgain := Admit(Files{Symbol: text, Params: file}, o)
		if (err == nil) != (errAgain == nil) || !reflect.DeepEqual(a, b) {
			t.Errorf("admission %+v, %v\nof what is written anew %+v, %v", a, err, b, errAgain)
		}
	})
}

func mustParams(t *testing.T, file []byte) []params.Param {
	t.Helper()
	list, err := params.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRandomInputLengths runs models on inputs that are too short, too long or empty.
func TestRandomInputLengths(t *testing.T) {
	eachModel(t, 10, func(t *testing.T, m *random.Model, compat bool) {
		model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: compat})
		if err != nil {
			return
		}
		defer model.Close()
		whole := m.Inputs[0]
		for _, input := range [][]byte{nil, {}, whole[1:], append(slices.Clone(whole), 0), bytes.Repeat(whole, 2)} {
			_, err := model.Run(context.Background(), input)
			checkFault(t, err, fault.Logic)
		}
	})
}

// TestRandomConcurrentRuns runs a model from several goroutines. Only a plan with conflicts may make a run depend on others.
func TestRandomConcurrentRuns(t *testing.T) {
	eachModel(t, 10, func(t *testing.T, m *random.Model, compat bool) {
		model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: compat})
		if err != nil {
			return
		}
		defer model.Close()
		want := expected(t, m)
		done := make(chan string, 8)
		for i := range cap(done) {
			go func() {
				k := i % len(m.Inputs)
				output, err := model.Run(context.Background(), m.Inputs[k])
				switch {
				case (err != nil) != want[k].fails:
					done <- err.Error()
				case err == nil && !m.Graph.Conflicts() && !bytes.Equal(output, want[k].output):
					done <- fmt.Sprintf("%x, want %x", output, want[k].output)
				default:
					done <- ""
				}
			}()
		}
		for range cap(done) {
			if msg := <-done; msg != "" {
				t.Error(strings.TrimSpace(msg))
			}
		}
	})
}

// TestRandomMutations admits models of which one node has been changed, and holds the verdict and the class of the error against the
// formalisation. What is admitted runs.
func TestRandomMutations(t *testing.T) {
	o := random.Options{Nodes: 6}
	models := testdata.Cases(400, 400_000)
	refused := 0
	for seed := range uint64(models) {
		o.Strict = seed%2 == 0
		m := random.Mutated(seed, o)
		tensors, _, want := m.Graph.Infer()
		class := classOf(want)
		if want != nil {
			refused++
		} else if !slices.EqualFunc(tensors, m.Shapes, func(t *formal.Tensor, s []int64) bool { return slices.Equal(t.Shape, s) }) {
			class, want = fault.Logic, errors.New("another shape than declared")
		}
		model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: !o.Strict})
		var got fault.Class
		if e := new(Error); errors.As(err, &e) {
			got = e.Class
		}
		if got != class && !otherFault(err, want) {
			t.Errorf("seed %d: %v, want class %v: %v\n%s", seed, err, class, want, m.Symbol)
		}
		if err == nil {
			if _, err := model.Run(context.Background(), m.Inputs[0]); err != nil && fault.ClassOf(err) != fault.Logic { // of outputs that cannot be joined
				t.Errorf("seed %d: %v", seed, err)
			}
			model.Close()
		}
	}
	if refused < models/2 {
		t.Errorf("%d of %d models are refused, too few", refused, models)
	}
}

// otherFault reports whether a model has two faults, of which the evaluation, which compares no declared shapes, has found the other one.
func otherFault(err, want error) bool {
	e := new(Error)
	if !errors.As(err, &e) || want == nil || e.Stage != fault.Shape {
		return false
	}
	return strings.HasPrefix(e.Msg, "the declared shape")
}
