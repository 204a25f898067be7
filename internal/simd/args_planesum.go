package simd

// PlaneSumArgs are those of PlaneSum, which adds the elements of planes in blocks of channels: a vector of channels at each pixel. As sums over axes
// are defined, element i is added to sum i modulo 16, from +0, and the sums are joined by halving; then they are divided, if Divide is 1.
// NaNs become canonical.
//
// The routine uses up its arguments.
type PlaneSumArgs struct {
	In, Out        uintptr // vectors of the first plane
	InStep         int     // bytes between planes
	OutStep        int     // bytes between results
	Planes, Pixels int     // at least 1
	Divide         int
	Divisor        float32
}
