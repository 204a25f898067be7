package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

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
	wrong := simd.Check()
	if wrong == nil {
		return nil
	}
	restore := os.Unsetenv(simd.Variable)
	if was {
		restore = os.Setenv(simd.Variable, before)
	}
	if restore != nil {
		return restore
	}
	return refused("--tier %s%s", name, strings.TrimPrefix(wrong.Error(), simd.Variable+"="+name))
}

// checkTier refuses an environment that names no tier of this processor, before anything is measured or computed on another one.
func checkTier(*cobra.Command, []string) error {
	if err := simd.Check(); err != nil {
		return &codedError{exitUsage, err}
	}
	return nil
}
