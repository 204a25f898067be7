package engine

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/concord-nn/concord/internal/limits"
)

// Limits bound what a model may take, so that a hostile one is refused before it does harm. A field that is 0 has its
// default, a negative one is no limit. Exceeding one is a [LimitError].
type Limits struct {
	// Nodes is the number of nodes in the graph given to Compile. Default 65,536.
	Nodes int
	// Memory is the number of bytes that one session allocates, plus those of constants that Compile computes and of packed
	// ones (see Plan). The model's own constants do not count. It is checked by Compile, before anything of that size is allocated.
	// Default 4 GiB.
	Memory int64
	// Operations is the number of multiply-adds and other operations on elements of one run. It is checked by Compile, and where only a run
	// knows how many turns a loop takes, by the run.
	// Default 2^43, about nine million million.
	Operations int64
	// Time is how long one run may take. It is checked between nodes and between portions of their work, of which each
	// should take about a millisecond. Kernels look now and then, too; what does neither is not interrupted, such
	// as one item of a recurrent network's batch. Where that matters, Operations is the limit to lower. Default ten
	// minutes.
	Time time.Duration
}

// DefaultLimits are the limits of fields left at 0.
var DefaultLimits = Limits{
	Nodes: limits.EngineNodes, Memory: limits.EngineMemory, Operations: limits.EngineOperations, Time: limits.EngineSeconds * time.Second,
}

// noLimit stands for a field without a limit. It leaves room for sums of two sizes that are within it.
const noLimit = math.MaxInt64 / 4

// Resolved returns the limits that apply: defaults for fields that are 0, and a number beyond any model for negative ones.
func (l Limits) Resolved() Limits {
	l.Nodes = int(resolve(int64(l.Nodes), int64(DefaultLimits.Nodes), math.MaxInt32))
	l.Memory = min(resolve(l.Memory, DefaultLimits.Memory, noLimit), math.MaxInt/4)
	l.Operations = resolve(l.Operations, DefaultLimits.Operations, math.MaxInt64)
	l.Time = time.Duration(resolve(int64(l.Time), int64(DefaultLimits.Time), math.MaxInt64))
	return l
}

func resolve(value, standard, none int64) int64 {
	switch {
	case value == 0:
		return standard
	case value < 0:
		return none
	}
	return value
}

// LimitError says which limit a model exceeds.
type LimitError struct {
	What    string // the limit: "nodes", "memory", "operations", "time", "turns", which a loop gives itself, or "parts" of a model
	Need    int64  // what is needed or, for time, was needed so far; math.MaxInt64 if it cannot be counted
	Allowed int64  // what the limit allows
	Node    string // the node that exceeds it; empty if no single one does
}

// Error names the limit, both amounts and the node.
func (e *LimitError) Error() string {
	e = cmp.Or(e, new(LimitError))
	place := ""
	if e.Node != "" {
		place = " at " + e.Node
	}
	switch e.What {
	case "time":
		return fmt.Sprintf("the run exceeds the time limit%s: %v passed, %v are allowed", place, time.Duration(e.Need), time.Duration(e.Allowed))
	case "memory":
		return fmt.Sprintf("the model exceeds the memory limit%s: it needs %d bytes, %d are allowed", place, e.Need, e.Allowed)
	}
	return fmt.Sprintf("the model exceeds the limit of %s%s: it has %d, %d are allowed", e.What, place, e.Need, e.Allowed)
}
