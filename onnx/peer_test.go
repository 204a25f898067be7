package onnx_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var (
	peerModels = flag.Int("models", 0, "how many random models of each operator are compared with ONNX Runtime")
	peerSeed   = flag.Uint64("seed", 1, "of random models")
	peerOp     = flag.String("op", "", "compare only models of these operators, separated by commas")
	peerKeep   = flag.String("keep", "", "a folder for the models that disagree")
)

// TestPeer compares random models with ONNX Runtime, if its package for Node is there.
func TestPeer(t *testing.T) {
	runtime := peer.Find(t)
	ops, n := random.Ops(), 10
	if testing.Short() {
		n = 1
	}
	if *peerModels > 0 {
		n = *peerModels
	}
	if *peerOp != "" {
		ops = strings.Split(*peerOp, ",")
	}
	var all []*random.Model
	var cases []peer.Case
	for _, op := range ops {
		for i := range n {
			m := random.Of(op, *peerSeed+uint64(i))
			all, cases = append(all, m), append(cases, caseOf(m))
		}
	}
	theirs := runtime.Run(t, cases, peer.AsWritten)
	tally := make(map[string]*tallies)
	for i, m := range all {
		c := tally[m.Op]
		if c == nil {
			c = &tallies{refused: make(map[string]int)}
			tally[m.Op] = c
		}
		c.judge(t, m, theirs[i])
	}
	for _, op := range naming.Sorted(tally) {
		c := tally[op]
		if c.agree == 0 || testing.Verbose() {
			t.Logf("%-40s %d agree, %d differ, %d disputed, %d gaps, %d refused by ORT, %d by both %v", op, c.agree, c.differ, c.disputed, c.gaps, c.theirs, c.both,
				c.refused)
		}
	}
}

type tallies struct {
	agree, differ, disputed, gaps, theirs, both int
	refused                                     map[string]int
}

func (c *tallies) judge(t *testing.T, m *random.Model, theirs *peer.Answer) {
	ours, err := runRandom(m)
	switch {
	case err != nil && theirs.Error != "":
		c.both++
		c.refused[brief(theirs.Error)+" | "+brief(err.Error())]++
	case theirs.Error != "":
		c.theirs++
		c.refused[brief(theirs.Error)]++
	case err != nil:
		c.gaps++
		t.Errorf("%s\n\trefused: %v", describe(m), err)
		keep(t, m, nil, theirs)
	default:
		if err := peer.Compare(m.Proto.Graph, ours, theirs.Outputs, peer.Tolerance{Loose: m.Loose, Quanta: m.Quanta}); err != nil {
			if why := disputed(m, theirs); why != "" {
				c.disputed++
				return
			}
			c.differ++
			t.Errorf("%s\n\t%v", describe(m), err)
			keep(t, m, ours, theirs)
			return
		}
		c.agree++
	}
}

func brief(s string) string {
	if i := strings.LastIndex(s, "Status Message:"); i >= 0 {
		s = s[i+15:]
	}
	if len(s) > 120 {
		s = s[:120]
	}
	return s
}

func caseOf(m *random.Model) peer.Case { return peer.Case{Model: m.Proto, Inputs: m.Inputs} }

// keep writes a model with what ONNX Runtime makes of it and beside that what we do.
func keep(t *testing.T, m *random.Model, ours model.Values, theirs *peer.Answer) {
	t.Helper()
	if *peerKeep == "" {
		return
	}
	if err := peer.Keep(filepath.Join(*peerKeep, fmt.Sprintf("%s-%d", m.Op, m.Seed)), caseOf(m), ours, theirs.Outputs); err != nil {
		t.Error(err)
	}
}

func runRandom(m *random.Model) (model.Values, error) {
	return runWith(m.Proto, m.Inputs, engine.Options{Threads: 1})
}

func runWith(p *proto.Model, in model.Values, o engine.Options) (model.Values, error) {
	return runs(p)(in, o)
}

// runs reads a model once, for any number of runs. A panic is an error.
func runs(p *proto.Model) func(in model.Values, o engine.Options) (model.Values, error) {
	n, err := caught(func() (*model.Model, error) {
		f, err := onnx.New(p)
		if err != nil {
			return nil, err
		}
		return f.Network()
	})
	return func(in model.Values, o engine.Options) (model.Values, error) {
		if err != nil {
			return nil, err
		}
		return caught(func() (model.Values, error) {
			programs := model.NewPrograms(n, o, 0)
			defer programs.Close()
			return programs.Run(context.Background(), in)
		})
	}
}

// caught calls a function, of which a panic is an error.
func caught[T any](f func() (T, error)) (x T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("PANIC %v", p)
		}
	}()
	return f()
}

func must(t *tensor.Tensor, err error) *tensor.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// describe writes a model.
func describe(m *random.Model) string {
	return fmt.Sprintf("%s seed %d, opset %d%s", m.Op, m.Seed, m.Opset, peer.Describe(m.Proto.Graph, m.Inputs))
}
