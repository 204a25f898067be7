// Package cvm loads, admits, meters and runs models of CVM, Cortex's integer-only inference, whose results do not differ by one bit on
// any machine.
//
// [Open] reads a model's two files, [Load] takes them as bytes, and [Admit] checks without making a model. [Model.Admission] says what a run costs,
// [Model.Run] runs on the bytes of the original's interface, and [Model.Graph] is the network as a graph. Every refusal is an [Error] with the
// original's class.
package cvm

import (
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
)

// Error is why a model or an input is refused.
type Error = fault.Error

// Options say how a model is admitted and run. The zero Options are strict.
type Options struct {
	// Compat follows the deployed runtime where it differs from the formalisation without being wrong in itself: the precision of
	// where is that of its condition, and a storage plan that overlaps tensors which are still needed is honoured. Strict mode gives
	// where the larger precision of its two choices and refuses such plans. docs/deviations.md has all differences.
	Compat bool
	// Engine has the threads and limits of runs. Other than the engine's own defaults, Nodes is without limit and
	// Memory is 16 GiB, so that no model is refused whose storage plan and gas are legal unless it needs as much.
	Engine engine.Options
	// Lazy leaves compiling to the first run, which then has the errors of the engine's limits. It is for those who compile [Model.Graph]
	// themselves and may never ask for a run.
	Lazy bool
}

// Files are the two files of a model, in memory.
type Files struct {
	Symbol []byte // the graph, JSON
	Params []byte // the parameters; nil where only the graph is known

	// SymbolPath and ParamsPath are the files that these were read from, for errors to name. They may be empty.
	SymbolPath, ParamsPath string
}
