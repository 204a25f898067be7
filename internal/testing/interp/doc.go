// Package interp runs assembly for amd64, in the text that Go's assembler reads and avo prints, without an amd64 processor: for tests. The
// committed routines of internal/simd are so tested on every machine, whatever its processor has.
//
// It is stricter than a processor. Memory is a list of ranges, and a byte outside of them is an error at the line that touches it. So are
// registers and flags that are read before they are written, moves that want alignment and have none, a return with the upper halves of
// vector registers in use, and more steps than [Steps]. Lanes that a mask switches off touch no memory. [File.Within] refuses what the
// processors of a tier do not have. What it does not see is how Go's assembler encodes an instruction: the assembler does that where the
// routines are built, TestEncodings looks that nothing for AVX2 is encoded for AVX-512, and tests run routines where a processor has the tier.
//
// # Adding an instruction
//
// Vector instructions stand in tables (table_*.go), by a row for each form: name, operands, bytes of a lane that a mask switches, and what
// it computes, as a rule a helper of lanes.go around a function of one lane:
//
//	{"VPADDD", "vmb v v", 4, binary(func(a, b int32) int32 { return a + b })},
//
// The operands stand as in Go's text, sources first:
//
//	v h q e     a vector register of the width of the instruction, a half, a quarter, an eighth of it
//	x y z       an X, Y, Z register; x4: its low 4 bytes
//	g4 g8       a general register, its low 4 bytes, all 8
//	k           a mask register
//	m m4        memory, of the instruction's width, of 4 bytes
//	i           an immediate of 8 bits
//	f           the flags, which are not in the text
//
// Then come m, where memory may stand in the register's place, or M, where memory is read whole even if a mask switches lanes off; a, where
// memory must be aligned; b, where one element of memory may be broadcast (.BCST). The last operand is the destination. There + says that
// its old value is an operand too, < that lanes that are switched off come from the last source and not from the old value, s4 or s8 that
// only the lowest lane is computed and the rest is the last source's (or, after +, the old value's), r that a rounding suffix counts (in
// other instructions only .RN_SAE and .SAE may stand).
//
// Instructions on general registers, masks, and those with ways of their own to memory are functions (general.go, masks.go, special.go).
//
// TestHardware makes a program from these tables, has it assembled, and compares every form of every instruction with the processor, as
// far as that has it. A new row is in it without further ado.
//
// It runs on processors with the low byte first.
package interp
