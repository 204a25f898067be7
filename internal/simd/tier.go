package simd

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// Tier is what a processor can do, with the routines that need it.
type Tier struct {
	Name  string // as CONCORD_TIER has it
	Lanes int    // float32 in a vector register

	// Features are those that processors must have, and the only ones that routines use. The generator has them, with the names that avo gives them.
	Features []string
	has      bool // whether this processor can run the routines
	Routines
}

// The tiers, the one that needs most of a processor first. VNNI has what is made of dot products in one instruction, and nothing else.
var (
	VNNI   = Tier{Name: "vnni", Lanes: 16, Features: featuresVNNI, has: processorHas(featuresVNNI), Routines: routinesVNNI}
	AVX512 = Tier{Name: "avx512", Lanes: 16, Features: featuresAVX512, has: processorHas(featuresAVX512), Routines: routinesAVX512}
	AVX2   = Tier{Name: "avx2", Lanes: 8, Features: featuresAVX2, has: processorHas(featuresAVX2), Routines: routinesAVX2}
)

// NEON has the routines of AVX2 for arm64, where two registers make one of theirs and every processor has what they need.
var NEON = Tier{Name: "neon", Lanes: 8, has: runtime.GOARCH == "arm64", Routines: routinesNEON}

// Common is the tier of eight lanes, which a processor has that has any: what only that has serves all of its tiers.
var Common = common()

func common() *Tier {
	if NEON.has {
		return &NEON
	}
	return &AVX2
}

// processorHas reports whether this processor has all of some features. The first two have all for which Go compiles.
func processorHas(features []string) bool {
	has := map[string]bool{
		"CMOV": true, "MMX+": true, "AVX": cpu.X86.HasAVX, "AVX2": cpu.X86.HasAVX2, "FMA3": cpu.X86.HasFMA, "F16C": hasF16C(), "BMI2": cpu.X86.HasBMI2,
		"AVX512F": cpu.X86.HasAVX512F, "AVX512BW": cpu.X86.HasAVX512BW, "AVX512DQ": cpu.X86.HasAVX512DQ, "AVX512VL": cpu.X86.HasAVX512VL,
		"AVX512VNNI": cpu.X86.HasAVX512VNNI,
	}
	return !slices.ContainsFunc(features, func(name string) bool { return !has[name] })
}

// Variable is the environment variable that names the highest tier to be used, of those that the processor has. What it says never changes a result.
const Variable = "CONCORD_TIER"

// Names lists the names of tiers from the highest to the lowest, which every machine has.
var Names = []string{VNNI.Name, AVX512.Name, AVX2.Name, NEON.Name, "portable"}

// Check returns an error if [Variable] names no tier, or one that this processor has not.
func Check() error {
	name, has := os.Getenv(Variable), slices.Clone(Names)
	for _, t := range []*Tier{&VNNI, &AVX512, &AVX2, &NEON} {
		if !t.has {
			has = slices.DeleteFunc(has, func(name string) bool { return name == t.Name })
		}
	}
	if name == "" || slices.Contains(has, name) {
		return nil
	}
	return fmt.Errorf("%s=%s: this processor has no such tier; it has %s", Variable, name, strings.Join(has, ", "))
}

// Hardware reports whether this processor can run the routines of the tier.
func (t *Tier) Hardware() bool { return t.has }

// Has reports whether the routines of the tier are to be used: whether this processor has it and [Variable] allows it.
func (t *Tier) Has() bool { return t.has && Allowed(t.Name) }

// Allowed reports whether [Variable] allows a tier. What is an error by [Check] is taken for no name, which allows all.
func Allowed(tier string) bool {
	return slices.Index(Names, tier) >= slices.Index(Names, os.Getenv(Variable))
}

// RecurrentRows returns how many rows LSTMRows and GRURows compute.
func (t *Tier) RecurrentRows() int {
	if t.Lanes == 16 {
		return RecurrentRows16
	}
	return RecurrentRows8
}

// PlainRows returns the rows of the highest tile of ProductDoubles and ProductInts that so many rows fill.
func (t *Tier) PlainRows(rows int) int {
	if most := t.ProductRows(); rows >= most {
		return most
	}
	return min(rows, ProductRows8)
}

// ProductRows returns how many rows the highest tile of Product has.
func (t *Tier) ProductRows() int {
	if t.Lanes == 16 {
		return ProductRows16
	}
	return ProductRows8
}
