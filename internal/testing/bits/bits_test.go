package main

import (
	"flag"
	"testing"
)

var update = flag.Bool("update", false, "write the golden sums anew")

func TestOperators(t *testing.T) {
	if err := operators(*update); err != nil {
		t.Error(err)
	}
}

func TestNetwork(t *testing.T) {
	if err := network(); err != nil {
		t.Error(err)
	}
}
