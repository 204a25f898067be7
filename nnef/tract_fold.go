package nnef

import (
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
)

// folding computes constants of one graph before the model runs.
type folding struct {
	*op.Folder
	made int // elements of constants that were made
}

func newFolding() *folding { return &folding{Folder: op.NewFolder(foldBudget)} }

// foldBudget bounds what is computed before a model runs, for one document.
var foldBudget = op.Budget{Bytes: limits.TractFoldWork, Operations: limits.TractFoldWork, Result: limits.TractFolded}
