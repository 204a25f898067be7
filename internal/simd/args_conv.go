package simd

// ConvArgs are those of a Conv routine, which computes sums of products for tiles of a result: a number of pixels, Pixels of its
// [ConvTile], each with as many vectors of channels as the shape has. For each pixel, and each block of channels of the input, it goes
// through a list of taps; each tap has elements of the input, one for each channel of the block, and as many times the shape's vectors of
// weights. A sum takes one multiply-add after the other, in the order blocks, taps, channels.
//
// The routine uses up In, Out, the tiles, and what it fetches.
type ConvArgs struct {
	In      uintptr // the element of channel 0 in the first block at the first pixel, which offsets of taps are counted from
	Weights uintptr // of tap number 0 in the first block, then by block, number of the tap, channel
	Out     uintptr // of the first pixel and channel

	PixelStep   int // bytes between neighbouring pixels of the input
	ChannelStep int // bytes between those of channels, which is 4 for those that Quads counts
	OutStep     int // bytes between neighbouring pixels of the result
	BlockStep   int // bytes between neighbouring blocks of 16 channels of the result

	Blocks, Rest int        // of channels of the input: those of 16 channels that lie together, and what follows, together at least 1
	InStep       int        // bytes between them in the input
	WeightsStep  int        // bytes between them in Weights
	Whole, Last  ConvCounts // of a block, and of the last one of the rest

	Alone int // 1 if there is one tap, all pixels take it, and there is no rest

	Table      uintptr // of the first tile: a ConvTap whose In is the number of bytes of the taps, and the taps
	TableStep  int     // bytes between the tables of neighbouring tiles
	Tiles      int     // neighbouring ones, at least 1
	LastPixels int     // a bit for each pixel that the last tile has, from the lowest; the others have all

	First int     // 1 if sums begin at +0, 0 if with what the result holds
	Steps uintptr // the list of [TailStep], or 0 to write the sums as they are

	Addend int // bytes from the result to a tensor that the steps add, and which is fetched before, or 0

	// What will be needed later, and is to be fetched meanwhile: bytes from the elements of the input to those of the next line, or 0; the address of
	// weights, and how many taps of whole blocks fetch four lines of 64 bytes, or as many for each 16 channels. Ahead is not 0 if either is to be fetched.
	NextLine  int
	Fetch     uintptr
	FetchTaps int
	Ahead     int

	// Where the routine keeps what it has no registers for.
	Pixels, BlocksLeft int
	LastTap, Now       uintptr
}

// ConvCounts says how many channels a block of the input has: four times Quads, which lie together, and Ones; or three, if Three is not 0.
type ConvCounts struct {
	Quads, Ones, Three int
	TapBytes           int // of weights for each tap
}

// ConvTap is what a pixel of the result takes: the elements of a block of channels of the input at one place.
type ConvTap struct {
	In     int    // bytes from where the pixel's offsets are counted from
	Number int32  // among the taps of a block
	Pixels uint32 // a bit for each pixel of the tile that takes it
}
