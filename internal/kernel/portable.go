package kernel

import "slices"

// portable is the tier of kernels in plain Go.
var portable = Tier{Name: "portable", Kernels: slices.Concat(convKernels, productKernels, windowKernels, quantizeKernels, elementKernels, doubleKernels, padKernels, gatherKernels, reduceKernels,
	suppressionKernels, topKernels, widenKernels, moveRows(nil), resizeRows(nil))}
