package export_test

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/internal/peer"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var (
	peerCases = flag.Int("cases", 0, "how many cases of each operator are compared with ONNX Runtime")
	peerSeed  = flag.Uint64("seed", 1, "of these cases")
	peerOp    = flag.String("op", "", "compare only cases of these operators, separated by commas")
	peerKeep  = flag.String("keep", "", "a folder for the models that disagree")
	peerAll   = flag.Bool("all", false, "keep all models, with our results as those that are expected")
)

// applied is an application of an operator that a seed draws, exported, with the results of its reference.
type applied struct {
	peer.Case
	d     *op.Def
	seed  uint64
	drawn op.Case
	want  map[string]*tensor.Tensor
	alone bool // whether there is a node that only Concord runs
}

// apply returns what a seed draws, nil if there is no evaluation for it.
func apply(t *testing.T, d *op.Def, seed uint64, size int) *applied {
	t.Helper()
	rnd := op.NewRand(seed, size)
	a := &applied{d: d, seed: seed, drawn: d.Draw(rnd)}
	constants := 0
	if rnd.Bool() {
		constants = rnd.IntN(1 << len(a.drawn.In))
	}
	var g *graph.Graph
	g, a.Inputs = application(t, d, a.drawn, func(i int) bool { return constants>>i&1 == 1 })
	var err error
	if a.want, err = op.NewInterpreter(g).RunNamed(t.Context(), a.Inputs); err != nil {
		return nil
	}
	m, err := export.New(g, export.Options{Expand: nnef.ExpandBody, Foreign: func(export.Refusal) { a.alone = true }})
	if err != nil {
		t.Fatalf("%s, seed %d: %v", d.Name, seed, err)
	}
	a.Model = again(t, m)
	return a
}

// TestPeer compares exported applications of every operator with ONNX Runtime, if its package for Node is there. What that does not run, or
// otherwise, is in a table.
func TestPeer(t *testing.T) {
	runtime := peer.Find(t)
	n := 10
	if testing.Short() {
		n = 2
	}
	if *peerCases > 0 {
		n = *peerCases
	}
	var all []*applied
	var cases []peer.Case
	tally := make(map[string]map[string]int)
	for _, r := range export.Table() {
		if *peerOp != "" && !slices.Contains(strings.Split(*peerOp, ","), r.Op) {
			continue
		}
		tally[r.Op] = make(map[string]int)
		d, _ := op.Lookup(r.Op)
		for i := range n {
			a := apply(t, d, *peerSeed+uint64(i), 1+i/25)
			switch {
			case a == nil || !moderate(a.drawn):
				continue
			case *peerAll:
				a.keep(t, a.want)
			}
			if why := a.beyond(); why != "" {
				tally[r.Op][why]++
				continue
			}
			all, cases = append(all, a), append(cases, a.Case)
		}
	}
	for i, theirs := range runtime.Run(t, cases, peer.Optimized) {
		tally[all[i].d.Name][all[i].judge(t, theirs)]++
	}
	for _, name := range slices.Sorted(maps.Keys(tally)) {
		if counts := tally[name]; counts["agree"] == 0 || testing.Verbose() {
			t.Logf("%-28s %v", name, counts)
		}
	}
}

// beyond returns why ONNX Runtime is not asked.
func (a *applied) beyond() string {
	if a.alone {
		return "it has no function"
	}
	for _, list := range []map[string]*tensor.Tensor{a.Inputs, a.want} {
		for _, x := range list {
			if !peer.Has(x.DType()) {
				return "onnxruntime-node has no such tensors"
			}
		}
	}
	return ""
}

// judge returns "agree", or why it need not.
func (a *applied) judge(t *testing.T, theirs *peer.Answer) string {
	t.Helper()
	var err error
	if theirs.Error != "" {
		if why := refused(a.d.Name, theirs.Error); why != "" {
			return why
		}
		err = fmt.Errorf("ONNX Runtime refuses it: %s", theirs.Error)
	} else if err = peer.Compare(a.Model.Graph, a.want, theirs.Outputs, a.tolerance()); err == nil {
		return "agree"
	} else if why := disputed(a); why != "" {
		return why
	}
	t.Errorf("%s seed %d, attributes %v%s\n\t%v", a.d.Name, a.seed, a.drawn.Attrs, peer.Describe(a.Model.Graph, a.Inputs), err)
	if !*peerAll {
		a.keep(t, theirs.Outputs)
	}
	return "differ"
}

// keep writes the case, with these results as what is expected.
func (a *applied) keep(t *testing.T, outputs map[string]*tensor.Tensor) {
	t.Helper()
	if *peerKeep == "" {
		return
	}
	if err := peer.Keep(filepath.Join(*peerKeep, fmt.Sprintf("%s-%d", a.d.Name, a.seed)), a.Case, a.want, outputs); err != nil {
		t.Error(err)
	}
}
