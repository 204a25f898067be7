package webnn

// Recurrent networks.

// Gru runs a gated recurrent unit over a sequence. The input has shape [steps, batch, features]; the weights have
// the shapes [d, 3·hiddenSize, features] and [d, 3·hiddenSize, hiddenSize], where d is 2 for [DirectionBoth] and
// else 1. All operands have the same float type.
//
// The results are the last hidden state, shape [d, batch, hiddenSize], and, if ReturnSequence is set, those of all
// steps, shape [steps, d, batch, hiddenSize]. Steps and hiddenSize are at least 1.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
func (g *GraphBuilder) Gru(
	input, weight, recurrentWeight *Operand, steps, hiddenSize int, options *GruOptions,
) ([]*Operand, error) {
	return g.several("gru", options, input, weight, recurrentWeight, steps, hiddenSize)
}

// GruCell takes one step of a gated recurrent unit. The input has shape [batch, features], the hidden state [batch,
// hiddenSize]; the weights have the shapes [3·hiddenSize, features] and [3·hiddenSize, hiddenSize]. All operands
// have the same float type. With the update gate z, the reset gate r and the new gate n, the result is the next
// hidden state z · h + (1 - z) · n, shape [batch, hiddenSize].
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell.
func (g *GraphBuilder) GruCell(
	input, weight, recurrentWeight, hiddenState *Operand, hiddenSize int, options *GruCellOptions,
) (*Operand, error) {
	return g.single("gruCell", options, input, weight, recurrentWeight, hiddenState, hiddenSize)
}

// Lstm runs a long short-term memory over a sequence. The input has shape [steps, batch, features]; the weights have
// the shapes [d, 4·hiddenSize, features] and [d, 4·hiddenSize, hiddenSize], where d is 2 for [DirectionBoth] and
// else 1. All operands have the same float type.
//
// The results are the last hidden state and the last cell state, shape [d, batch, hiddenSize] each, and, if
// ReturnSequence is set, the hidden states of all steps, shape [steps, d, batch, hiddenSize]. Steps and hiddenSize
// are at least 1.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm.
func (g *GraphBuilder) Lstm(
	input, weight, recurrentWeight *Operand, steps, hiddenSize int, options *LstmOptions,
) ([]*Operand, error) {
	return g.several("lstm", options, input, weight, recurrentWeight, steps, hiddenSize)
}

// LstmCell takes one step of a long short-term memory. The input has shape [batch, features], both states [batch,
// hiddenSize]; the weights have the shapes [4·hiddenSize, features] and [4·hiddenSize, hiddenSize]. All operands
// have the same float type. With the gates i, o, f and g, the next cell state is c' = f · c + i · g and the next
// hidden state o · tanh(c'); the results are the hidden and the cell state, shape [batch, hiddenSize] each.
//
// See https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell.
func (g *GraphBuilder) LstmCell(
	input, weight, recurrentWeight, hiddenState, cellState *Operand, hiddenSize int, options *LstmCellOptions,
) ([]*Operand, error) {
	return g.several("lstmCell", options, input, weight, recurrentWeight, hiddenState, cellState, hiddenSize)
}
