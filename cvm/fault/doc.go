// Package fault has the errors of CVM models: each has the class that the original runtime gives it, the stage of admission at which
// it arose, and a place.
package fault
