package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
)

// useTier makes a tier the highest that kernels are taken from, as [simd.Variable] does; "" changes nothing. A tier that the processor has not is
// an error, as what is measured would not be what is asked for.
func useTier(name string) error {
	if name == "" {
		return nil
	}
	before, was := os.LookupEnv(simd.Variable)
	if err := os.Setenv(simd.Variable, name); err != nil {
		return err
	}
	if has := kernel.TiersInUse(); has[0] == name {
		return nil
	}
	restore := os.Unsetenv(simd.Variable)
	if was {
		restore = os.Setenv(simd.Variable, before)
	}
	if restore != nil {
		return restore
	}
	return &codedError{exitUsage, fmt.Errorf("--tier %s: this processor has no such tier; it has %s", name, strings.Join(kernel.TiersInUse(), ", "))}
}
