package export_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/onnx/export"
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

// application is an exported graph, with the results that are expected.
type application struct {
	peer.Case
	name  string
	op    string  // the operator that the graph applies; empty if there may be many
	drawn op.Case // to what
	want  map[string]*tensor.Tensor
	alone bool // whether there is a node that only Concord runs
}

// write exports the graph.
func (a *application) write(t *testing.T, g *graph.Graph) {
	t.Helper()
	m, err := export.New(g, export.Options{Foreign: func(export.Refusal) { a.alone = true }})
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	a.Model = again(t, m)
}

// applied returns the application of an operator that a seed draws, with the results of its reference, nil if there are none.
func applied(t *testing.T, d *op.Def, seed uint64, size int) *application {
	t.Helper()
	rnd := op.NewRand(seed, size)
	a := &application{name: fmt.Sprintf("%s-%d", d.Name, seed), op: d.Name, drawn: d.Draw(rnd)}
	var g *graph.Graph
	g, a.Inputs = single.Graph(t, d, a.drawn, exported.Mask(rnd, d.Name, a.drawn))
	var err error
	if a.want, err = op.NewInterpreter(g).RunNamed(t.Context(), a.Inputs); err != nil {
		return nil
	}
	a.write(t, g)
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
	var all []*application
	for _, r := range export.Table() {
		if *peerOp != "" && !slices.Contains(strings.Split(*peerOp, ","), r.Op) {
			continue
		}
		d, _ := op.Lookup(r.Op)
		for i := range n {
			if a := applied(t, d, *peerSeed+uint64(i), 1+i/25); a != nil && moderate(a.drawn) {
				all = append(all, a)
			}
		}
	}
	judge(t, runtime, all, peer.Optimized)
}

// TestPeerDocuments is TestPeer for NNEF documents. If it may, ONNX Runtime computes products with quantized weights otherwise.
func TestPeerDocuments(t *testing.T) {
	runtime := peer.Find(t)
	var all []*application
	exported.Documents(t, func(path string, g *graph.Graph) {
		if len(g.States) == 0 {
			a := &application{name: filepath.Base(path)}
			a.Inputs = exported.Inputs(g, 1)
			a.want = exported.Run(t, g, a.Inputs)
			a.write(t, g)
			all = append(all, a)
		}
	})
	judge(t, runtime, all, peer.AsWritten)
}

// judge compares all with what ONNX Runtime makes of them.
func judge(t *testing.T, runtime *peer.Runtime, all []*application, level string) {
	t.Helper()
	tally := make(map[string]map[string]int)
	count := func(a *application, verdict string) {
		if tally[a.op] == nil {
			tally[a.op] = make(map[string]int)
		}
		tally[a.op][verdict]++
	}
	var asked []*application
	var cases []peer.Case
	for _, a := range all {
		if *peerAll {
			a.keep(t, a.want)
		}
		if why := a.beyond(); why != "" {
			count(a, why)
			continue
		}
		asked, cases = append(asked, a), append(cases, a.Case)
	}
	for i, theirs := range runtime.Run(t, cases, level) {
		count(asked[i], asked[i].judge(t, theirs))
	}
	for _, name := range naming.Sorted(tally) {
		if counts := tally[name]; counts["agree"] == 0 || testing.Verbose() {
			t.Logf("%-28s %v", name, counts)
		}
	}
}

// beyond returns why ONNX Runtime is not asked.
func (a *application) beyond() string {
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
func (a *application) judge(t *testing.T, theirs *peer.Answer) string {
	t.Helper()
	var err error
	if theirs.Error != "" {
		if why := refused(a.op, theirs.Error); why != "" {
			return why
		}
		err = fmt.Errorf("ONNX Runtime refuses it: %s", theirs.Error)
	} else if err = peer.Compare(a.Model.Graph, a.want, theirs.Outputs, a.tolerance()); err == nil {
		return "agree"
	} else if why := disputed(a); why != "" {
		return why
	}
	t.Errorf("%s, attributes %v%s\n\t%v", a.name, a.drawn.Attrs, peer.Describe(a.Model.Graph, a.Inputs), err)
	if !*peerAll {
		a.keep(t, theirs.Outputs)
	}
	return "differ"
}

// keep writes the case, with these results as what is expected.
func (a *application) keep(t *testing.T, outputs map[string]*tensor.Tensor) {
	t.Helper()
	if *peerKeep == "" {
		return
	}
	if err := peer.Keep(filepath.Join(*peerKeep, a.name), a.Case, a.want, outputs); err != nil {
		t.Error(err)
	}
}
