package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/simd"
)

// Tiers lists the tiers, the fastest first.
var Tiers = []Tier{vectors(&simd.VNNI), vectors(&simd.AVX512), vectors(&simd.AVX2), vectors(&simd.NEON), portable}

// vectors returns the tier of kernels that are made of the routines of a tier of package simd.
func vectors(t *simd.Tier) Tier {
	return Tier{Name: t.Name, Has: t.Has, Kernels: slices.Concat(
		families(t)...,
	)}
}

// families lists the rows that are made of a tier's routines, family by family; nil where the tier has none.
func families(t *simd.Tier) [][]Kernel {
	return [][]Kernel{
		productRows(t),
		groupRows(t),
		directRows(t),
		dotRows(t),
		rowDotRows(t),
		codeRows(t),
		dynamicRows(t),
		depthwiseRows(t),
		poolingRows(t),
		moveRows(t),
		resizeRows(t),
		samplingRows(t),
		regionRows(t),
		castRows(t),
		recurrentRows(t),
		planeSumRows(t),
		wholePlanes(t),
		rescaleRows(t),
		pairRows(t),
		randomRows(t),
		quickRows(t),
		elementRows(t),
		quantizingRows(t),
		reduceRows(t),
		responseRows(t),
		runningRows(t),
		reducePartRows(t),
		normalizeRows(t),
	}
}
