package cvm

// costWeights are the weights by operator of package op; those of the empty name are for operators that have none of their own.
var costWeights = map[string]weight{
	"": {perOp: 1000, perElement: 1000, perNode: 1_000_000},
}
