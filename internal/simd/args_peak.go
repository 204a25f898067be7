package simd

// PeakArgs are those of Peak, PeakInt16 and PeakInt8, which make as many multiply-adds as they can: Rounds times [PeakAdds] for each 32 bits of a
// vector, of which each is one of float32, two of int16, or four of bytes, as they are added to one int32.
type PeakArgs struct {
	Rounds int
}

// PeakAdds is how many multiply-adds a round of [PeakArgs] has in each lane.
const PeakAdds = 12 * 8

// ReadArgs are those of PeakRead, which reads memory as fast as it can: Count times [ReadBytes] from From on.
type ReadArgs struct {
	From  uintptr
	Count int
}

// ReadBytes is how many bytes are read at a time, in every tier.
const ReadBytes = 512
