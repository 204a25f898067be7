// Package report is what a run of a model has yielded, as the programs that run models say it: outputs in the form that the manifest gives them, sums of
// those without a meaning, hashes, and the same as JSON.
package report
