// Package cvm loads, admits, meters and runs models of CVM, Cortex's integer-only inference, whose results do not differ by one bit on
// any machine.
package cvm
