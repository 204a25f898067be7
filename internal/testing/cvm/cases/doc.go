// Package cases reads the shared conformance cases of CVM for the tests of the packages around it. The README beside the cases says what
// they hold.
package cases
