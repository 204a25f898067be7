package geometry

// What OpenVX leaves to be inferred: it gives the extents of a result and no stride.

// InferStride returns the least stride with which a window that can move by room gives a result of extent out, and false if none does.
// Of rounding by ceiling the last window may reach beyond the room.
func InferStride(room, out int, ceiling bool) (stride int, ok bool) {
	moves := out - 1
	switch {
	case room < 0:
		return 0, false
	case moves <= 0:
		return 1, true
	case ceiling:
		stride = max(CeilDiv(room, moves), 1)
		return stride, CeilDiv(room, stride) == moves
	}
	stride = room/out + 1 // with one less there would be too many moves
	return stride, room/stride == moves
}
