package simd

// DotsArgs are those of each [DotTile], which compute tiles of sums of integer products: of Pixels neighbours each, at a
// distance of XPixel bytes, in Blocks·16 channels, for Tiles tiles in each of Rows rows.
//
//	sums[p][c] = Init[c] + Σ over steps s and dwords g < 4 of X[p + Offsets[s] + 4·g] · W[s][g][c]
//
// where the product of two dwords is the sum of the products of their four unsigned and signed bytes (DotsBytes), or of their two signed words of 16
// bits (Dots). All steps wrap. W has, step by step and dword by dword, the dwords of all channels.
//
// In DepthDots and DepthDotsBytes each channel has dwords of its own: those that a step reads are 64 bytes from the pixel on, which is four neighbours of
// bytes, or a pair that CopyPairs makes; there the weights have the dword of each channel.
//
// In PairDots dwords are two pairs of bytes, unsigned and signed. First there are Singles dwords, for which Offsets has a [PairsSingle] each, and then Steps
// steps of several, for which Fours has a [PairsFours] each; either may be 0. Fours has the first one once more behind the last one, and one that may
// be read if there are none. W has the dwords one after the other. The sum of the two products of a pair must be an integer of 16 bits, whatever X is.
// NarrowPairDots is the same for eight channels, of which W has no more. What is stored of the eight behind them is the same once more.
//
// If Form is 0, sums are stored as they are, a pixel OutPixel bytes behind the one before it. If it is 1, bytes are stored, a pixel 16
// bytes behind the one before it, with the bits of Flip exchanged of
//
//	min(max(round_even(float32(sum) · Multiplier[c]) + Zero, From), To)
//
// where the magnitude of every multiplier is less than 1, From and To are bytes without a sign, and they, Flip, and the word Zero are repeated as often as they
// fit. If it is 2, the low byte, or word if Words is not 0, is stored of
//
//	min(max((((sum + (sum < 0 ? Below : 0)) >> Shift) + Half) >> Rest, From), To)
//
// a pixel OutPixel bytes behind the one before it. Blocks of 16 channels are OutBlock bytes apart. The routines use up their arguments.
type DotsArgs struct {
	X       uintptr
	XPixel  int // bytes
	XTile   int // bytes
	Offsets uintptr
	Steps   int // at least 1
	W       uintptr
	WNext   int // bytes from W to what is W next time, to bring it near; it may be anything

	// Of pairs. Chosen has PairsChosen bytes, whatever they are.
	Singles       int
	Fours, Chosen uintptr

	// Where the routine of pairs keeps what it has no registers for.
	First uintptr
	Ahead int

	Init      uintptr // int32, of Blocks·16 channels; of pixels InitPixel bytes apart, of tiles InitTile bytes
	InitPixel int
	InitTile  int

	Out      uintptr
	OutTile  int // bytes
	OutBlock int // bytes
	OutPixel int // bytes
	Tiles    int // at least 1

	Rows         int // at least 1
	XRow, OutRow int // bytes

	Form, Words              int
	Multiplier               uintptr // float32, of Blocks·16 channels
	Zero, Flip               int32
	Below, Shift, Half, Rest int32
	From, To                 int32
}

// PairsChosen is how many bytes a routine of pairs chooses at most, of two steps, ten pixels and sixteen channels.
const PairsChosen = 2 * 10 * 16

// PairsSingle says what a dword of two pairs reads: which bytes of the sixteen at an offset from the first pixel; 0x80 is none.
type PairsSingle struct {
	Offset int32
	Bytes  [4]byte
}

// PairsFours says what a step of Dwords dwords, from two to four, reads.
type PairsFours struct {
	Offset, Dwords int32
	Bytes          [16]byte
}

// CopyRowsArgs are those of CopyRows and CopyRowsBytes, which make Rows rows of Left pixels of Pad, N pixels that are copied, and Right pixels of Pad. Pixels have
// sixteen bytes, of which copies have the bits of Change exchanged; or, where dot products are of words, they become sixteen words of bytes,
// signed if Signed is not 0, less the words of Change. Pad and Change repeat. Where pixels are to be nearer to one another than that, each overwrites the
// end of the one before it, that of a row the first one of the next. The routine uses up its arguments.
type CopyRowsArgs struct {
	From, To       uintptr
	FromRow, ToRow int // bytes
	ToPixel        int // bytes
	Rows           int // at least 1
	Left, N, Right int
	Signed         int
	Pad, Change    uint32
}

// CopyPairsArgs are those of CopyPairs, which makes Rows rows of pairs of neighbours in a row of pixels: Left pixels of zeros, N that are copied, and Right
// of zeros, of which the first pixel is one of the first two kinds. A pixel has sixteen channels, a pair 64 bytes: for each channel the words of a pixel and
// of the one behind it, which is zeros behind the last one. They are those of bytes, unsigned if Kind is 0 and signed if it is 1, less the words of Change;
// or words of the input if Kind is 2. If Toggle is 0, each pair stands 64 bytes behind the one before it. If it is 64, those of each second pixel are left
// out, and 64 bytes behind the last pair are written, too. The routine uses up its arguments.
type CopyPairsArgs struct {
	From, To       uintptr
	FromRow, ToRow int // bytes
	Rows           int // at least 1
	Left, N, Right int
	Kind           int
	Toggle         int
	Change         uint32
}

// PairRowsArgs are those of PairRows, which makes Rows rows of sixteen pairs of words: those of sixteen bytes of a row and of the next one, signed if Signed is
// not 0, less the words of Change. FromRow is how far two rows are apart, of which each pair has its own.
type PairRowsArgs struct {
	From, To       uintptr
	FromRow, ToRow int // bytes
	Rows           int // at least 1
	Signed         int
	Change         uint32
}

// RowDotsArgs are those of RowDots: Out[n] = Σ over k < 16·K of X[k] · W[n][k] for n < N, which wraps, of bytes whose rows are WRow bytes apart. X is
// signed if XSigned is 1, and W if WSigned is 1. Both are signed words of 16 bits if Words is 1.
type RowDotsArgs struct {
	X, W, Out               uintptr
	WRow                    int // bytes
	K, N                    int // at least 1
	XSigned, WSigned, Words int // 0 or 1
}

// PixelsArgs are those of Pixels and PixelsBytes, which make Rows rows of N pixels of four elements of four planes of bytes: with the bits of Change
// exchanged; or, where dot products are of words, words of them, signed if Signed is not 0, less the words of Change. Change repeats. The routine uses up
// its arguments.
type PixelsArgs struct {
	A, B, C, D, To uintptr
	N              int // at least 8
	Rows           int // at least 1
	FromRow, ToRow int // bytes
	Signed         int
	Change         uint32
}
