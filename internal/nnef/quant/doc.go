// Package quant says what quantized tensors mean. [Read] turns a quantization file into entries and checks operations,
// arguments, types and values against the declarations of the standard; [Check] also holds the entries to the tensors of
// a graph; [Entry.Decode] computes the real numbers that stored codes stand for.
package quant
