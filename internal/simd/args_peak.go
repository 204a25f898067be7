package simd

// PeakArgs are those of Peak, which makes as many multiply-adds of float32 as it can: Rounds times [PeakAdds] for each lane.
type PeakArgs struct {
	Rounds int
}

// PeakAdds is how many multiply-adds a round of [PeakArgs] has in each lane.
const PeakAdds = 12 * 8
