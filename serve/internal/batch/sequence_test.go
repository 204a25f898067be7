package batch_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// summing are two models that yield the sum of what a sequence has brought so far: one by a state of its graph, and one by an input that its manifest
// feeds from an output.
func summing(t *testing.T) map[string]func(o batch.Options) *batch.Scheduler {
	b := graph.NewBuilder(op.Rules, "sum")
	scalar := graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 1}}
	zero, _ := tensor.New(scalar.DType, scalar.Shape)
	x, err := b.Input("x", scalar)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.State("s", "", zero)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One("add", []*graph.Value{x, s}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Update(s, y); err != nil {
		t.Fatal(err)
	}
	if err := b.Output("y", y); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	inGraph := &concord.Model{Model: model.Of(g)}
	byManifest := load(t, "graph net( x, s ) -> ( y )\n{\n    x = external(shape = [0, 1]);\n    s = external(shape = [0, 1]);\n    y = x + s;\n}")
	said := &manifest.Manifest{Inputs: []manifest.Input{{Name: "s", Kind: &manifest.State{From: "y"}}}}
	return map[string]func(o batch.Options) *batch.Scheduler{
		"graph": func(o batch.Options) *batch.Scheduler { return start(t, inGraph, o) },
		"manifest": func(o batch.Options) *batch.Scheduler {
			o.Manifest = said
			return start(t, byManifest, o)
		},
	}
}

// next is a request that brings a number to a sequence.
func next(x float32, id string, start, end bool) batch.Request {
	t, _ := tensor.FromSlice([]float32{x}, 1, 1)
	return batch.Request{Inputs: model.Values{"x": t}, Sequence: id, Start: start, End: end}
}

// sum reads the answer.
func sum(r *batch.Result, err error) string {
	if err != nil {
		return code(err)
	}
	return fmt.Sprint(tensor.Data[float32](r.Outputs["y"])[0])
}

// TestSequences goes through the ways that sequences begin and end.
func TestSequences(t *testing.T) {
	unknown := fmt.Sprint(oip.InvalidArgument) + " there is no sequence"
	for name, made := range summing(t) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := made(batch.Options{Workers: 2, Sequences: batch.Sequences{Idle: time.Minute, Count: 2}})
				defer s.Close()
				for i, c := range []struct {
					r    batch.Request
					want string // how the answer begins
				}{
					{next(1, "a", false, false), unknown},
					{next(1, "a", true, false), "1"},
					{next(2, "a", false, false), "3"},
					{next(7, "b", true, false), "7"},
					{next(3, "a", false, false), "6"},
					{next(5, "", false, false), "5"}, // one of its own
					{next(5, "", false, false), "5"},
					{next(1, "c", true, false), fmt.Sprint(oip.Exhausted)},
					{next(2, "b", false, true), "9"},
					{next(2, "b", false, false), unknown},
					{next(4, "c", true, true), "4"},
					{next(4, "c", true, false), "4"},
					{next(9, "a", true, false), "9"}, // it begins anew
					{next(1, "a", false, false), "10"},
				} {
					if got := sum(s.Run(t.Context(), c.r)); !strings.HasPrefix(got, c.want) {
						t.Errorf("request %d: got %s; want %s", i, got, c.want)
					}
				}
				time.Sleep(59 * time.Second)
				if got := sum(s.Run(t.Context(), next(1, "a", false, false))); got != "11" {
					t.Errorf("not idle for long enough: got %s", got)
				}
				time.Sleep(59 * time.Second)
				if got := sum(s.Run(t.Context(), next(1, "c", false, false))); !strings.HasPrefix(got, unknown) {
					t.Errorf("idle for too long: got %s", got)
				}
				if got := sum(s.Run(t.Context(), next(1, "a", false, false))); got != "12" {
					t.Errorf("beside another that was idle: got %s", got)
				}
			})
		})
	}
}

// TestSequenceOrder sends requests of several sequences at once: each sequence has them in order, on whatever worker.
func TestSequenceOrder(t *testing.T) {
	for name, made := range summing(t) {
		t.Run(name, func(t *testing.T) {
			s := made(batch.Options{Workers: 3, Queue: 1000})
			var group sync.WaitGroup
			for id := range 12 {
				group.Go(func() {
					want := float32(0)
					for k := range 40 {
						x := float32(id*1000 + k)
						want += x
						if got := sum(s.Run(t.Context(), next(x, strconv.Itoa(id), k == 0, k == 39))); got != fmt.Sprint(want) {
							t.Errorf("sequence %d, request %d: got %s; want %v", id, k, got, want)
						}
					}
				})
			}
			group.Wait()
			s.Close()
		})
	}
}

// TestSequenceStates holds what must not be given, and what a request does that is cancelled.
func TestSequenceStates(t *testing.T) {
	made := summing(t)
	s := made["manifest"](batch.Options{})
	defer s.Close()
	own, _ := tensor.FromSlice([]float32{10}, 1, 1)
	r := next(1, "a", true, false)
	r.Inputs["s"] = own
	if got := sum(s.Run(t.Context(), r)); !strings.Contains(got, `input "s" is a state`) {
		t.Errorf("a state in a sequence: got %s", got)
	}
	r.Sequence = ""
	if got := sum(s.Run(t.Context(), r)); got != "11" {
		t.Errorf("a state of a request of its own: got %s", got)
	}
	wide := next(1, "a", true, false)
	wide.Inputs["x"] = random(1, 3, 1)
	if got := sum(s.Run(t.Context(), wide)); strings.Contains(got, "no") {
		t.Errorf("several samples in a sequence: got %s", got)
	}
	if got := sum(s.Run(t.Context(), next(1, "a", false, false))); !strings.Contains(got, "other shapes") {
		t.Errorf("another shape: got %s", got)
	}
	small := made["graph"](batch.Options{Sequences: batch.Sequences{Bytes: 1}})
	defer small.Close()
	if got := sum(small.Run(t.Context(), next(1, "a", true, false))); !strings.HasPrefix(got, fmt.Sprint(oip.Exhausted)) {
		t.Errorf("more bytes than there may be: got %s", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got := sum(s.Run(gone, next(1, "b", true, false))); !strings.HasPrefix(got, fmt.Sprint(oip.Canceled)) {
		t.Errorf("a cancelled one: got %s", got)
	}
}

// TestSequencesLimit has as many sequences, and as many bytes of states, as may be.
func TestSequencesLimit(t *testing.T) {
	made := summing(t)["manifest"]
	for count, o := range map[int]batch.Sequences{limits.ServeSequences: {}, 3: {Bytes: 12}} {
		s := made(batch.Options{Sequences: o})
		for k := range count {
			if got := sum(s.Run(t.Context(), next(1, strconv.Itoa(k), true, false))); got != "1" {
				t.Fatalf("sequence %d: got %s", k, got)
			}
		}
		if got := sum(s.Run(t.Context(), next(1, "more", true, false))); !strings.HasPrefix(got, fmt.Sprint(oip.Exhausted)) {
			t.Errorf("%d sequences and one more: got %s", count, got)
		}
		s.Close()
	}
}

// TestSequenceNeverBegun drops requests before their runs: what came before the first of a sequence is over, and what never began takes no place.
func TestSequenceNeverBegun(t *testing.T) {
	for name, made := range summing(t) {
		t.Run(name, func(t *testing.T) {
			s := made(batch.Options{Sequences: batch.Sequences{Count: 2}})
			defer s.Close()
			late := func(r batch.Request) {
				t.Helper()
				r.Timeout = 1
				if got := sum(s.Run(t.Context(), r)); !strings.HasPrefix(got, fmt.Sprint(oip.DeadlineExceeded)) {
					t.Errorf("a request that is late: got %s", got)
				}
			}
			for k := range 10 {
				late(next(1, fmt.Sprint("never", k), true, k%2 == 0))
			}
			if got := sum(s.Run(t.Context(), next(5, "a", true, false))); got != "5" {
				t.Errorf("after sequences that never began: got %s", got)
			}
			late(next(7, "a", false, false))
			if got := sum(s.Run(t.Context(), next(1, "a", false, false))); got != "6" {
				t.Errorf("after a request that was late: got %s", got)
			}
			late(next(7, "a", true, false))
			if got := sum(s.Run(t.Context(), next(1, "a", false, false))); !strings.Contains(got, "there is no sequence") {
				t.Errorf("after a first request that was late: got %s", got)
			}
		})
	}
}

// TestStateless gives a sequence to a model that keeps no state, which takes no notice.
func TestStateless(t *testing.T) {
	s := start(t, load(t, apart), batch.Options{})
	defer s.Close()
	for range 2 {
		if _, err := s.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, 1, 3, 8, 8)}, Sequence: "a"}); err != nil {
			t.Error(err)
		}
	}
}
