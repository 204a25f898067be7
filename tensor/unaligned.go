package tensor

import "runtime"

// unalignedLoads says that the processor reads numbers at any address, so that elements of a mapped file need no copy wherever they begin.
const unalignedLoads = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" || runtime.GOARCH == "386" || runtime.GOARCH == "wasm" ||
	runtime.GOARCH == "ppc64le" || runtime.GOARCH == "s390x"
