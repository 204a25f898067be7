//go:build !unix && !windows

package main

import "os"

// endings are the signals that ask the program to end. Where Go has none, as on js, asking whether one is ignored panics.
var endings []os.Signal
