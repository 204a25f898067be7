package simd

// TailStep is what a routine does to the sums of a tile before it writes them: a list of steps ends with [TailEnd].
type TailStep struct {
	Kind int
	// At says where the step's operand is. Operands by channel are vectors, one for each vector of channels of the tile; [TailNormalize] has
	// three such lists, one behind the other, [TailLeaky] has two, of which the second is
	// zeros, and [TailHardSwish] has ⅜, ¾, 0 and ⅛. Of a tensor, which has the shape and layout of the result, it is the distance in bytes from the
	// result.
	At uintptr
}

// Kinds of steps, for a sum x and the operand c. All but TailCanonical leave the sign and the payload of a NaN open.
const (
	TailEnd         = iota
	TailCanonical   // x, or the canonical NaN
	TailAddChannels // x + c
	TailAddTensor   // x + c
	TailMulChannels // x · c
	TailNormalize   // fma(x - c0, c1, c2)
	TailLeaky       // x, or x · c where x < 0
	TailHardSwish   // x · max(min(fma(x, ⅛, ⅜), ¾), 0) / ¾
	TailRelu        // x where its sign is +, or +0; x must have been made canonical
	TailMin         // x, or c where c < x; c is no NaN
	TailMax         // x, or c where c > x; c is no NaN
	TailHalf        // x rounded to float16

	// The last step may be several of the kinds that are met most, in this order: TailAddChannels, TailNormalize, TailMin, TailCanonical, TailRelu.
	// Then it is TailUsual and, for each kind that it has, TailUsual << kind. Its operands are as many lists by channel as all five have together,
	// each at its place.
	TailUsual = 1 << 6
)
