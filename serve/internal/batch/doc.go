// Package batch runs the requests to one model: it puts those that wait together, in the order of their urgency, and keeps the states of sequences.
//
// Samples count, not requests: a run takes as many waiting samples as the largest program has room for, be they of one request or of many, and a
// request is answered when all of its samples have run. So a few programs, of 1, 2, 4 and so on samples, are enough for any load, nothing is ever
// padded, and a request may have any number of samples. That this changes no bit of an answer is what package samples promises; where it cannot,
// every request runs alone.
package batch
