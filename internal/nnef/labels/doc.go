// Package labels knows the rules for labels of NNEF variables: which ones are allowed, and which file of a model holds the
// data of a variable.
package labels
