package main

import (
	"fmt"
	"log"
	"slices"
	"strings"
)

// Go's assembler knows few of the vector instructions of arm64. The words of the others are put together here, from the tables "Advanced SIMD" of the
// Arm Architecture Reference Manual for A-profile.

// lanes is how an instruction divides vector registers, as Arm writes it: so many elements of B, H, S or D bits.
type lanes string

// full reports whether an instruction is of all 128 bits, or, where it widens or narrows, of the upper half.
func (l lanes) full() bool { return slices.Contains([]lanes{"16B", "8H", "4S", "2D"}, l) }

// size is the logarithm of an element's bytes.
func (l lanes) size() uint32 { return uint32(strings.IndexByte("BHSD", l[len(l)-1])) }

// wider returns the lanes of a full register with elements of twice the size.
func (l lanes) wider() lanes { return map[byte]lanes{'B': "8H", 'H': "4S", 'S': "2D"}[l[len(l)-1]] }

// coding says where the lanes stand in a word, and which lanes they are.
type coding int

const (
	sized     coding = iota // the size of an element
	float                   // whether it is a float64
	bytewise                // nothing
	widening                // the size of an element that is read; what is written is wider
	narrowing               // the size of an element that is written; what is read is wider
	floatWidening
	floatNarrowing
)

// vectorWords lists instructions of two or three vectors: the word without registers and lanes.
var vectorWords = map[string]struct {
	word uint32
	coding
}{
	"ADD": {0x0E208400, sized}, "SUB": {0x2E208400, sized}, "MUL": {0x0E209C00, sized}, "ADDP": {0x0E20BC00, sized},
	"SMAX": {0x0E206400, sized}, "SMIN": {0x0E206C00, sized}, "UMAX": {0x2E206400, sized}, "UMIN": {0x2E206C00, sized}, "UMAXP": {0x2E20A400, sized},
	"CMGT": {0x0E203400, sized}, "CMEQ": {0x2E208C00, sized}, "CMHI": {0x2E203400, sized},
	"SQADD": {0x0E200C00, sized}, "UQADD": {0x2E200C00, sized}, "SQSUB": {0x0E202C00, sized}, "UQSUB": {0x2E202C00, sized},
	"SSHL": {0x0E204400, sized}, "USHL": {0x2E204400, sized}, "SMULL": {0x0E20C000, widening}, "UMULL": {0x2E20C000, widening},
	"ABS": {0x0E20B800, sized}, "NEG": {0x2E20B800, sized}, "REV64": {0x0E200800, sized},
	"XTN": {0x0E212800, narrowing}, "SQXTN": {0x0E214800, narrowing}, "SQXTUN": {0x2E212800, narrowing},
	"UZP1": {0x0E001800, sized}, "UZP2": {0x0E005800, sized}, "ZIP1": {0x0E003800, sized}, "ZIP2": {0x0E007800, sized},

	"FADD": {0x0E20D400, float}, "FSUB": {0x0EA0D400, float}, "FMUL": {0x2E20DC00, float}, "FDIV": {0x2E20FC00, float},
	"FMLA": {0x0E20CC00, float}, "FMLS": {0x0EA0CC00, float}, "FNEG": {0x2EA0F800, float}, "FSQRT": {0x2EA1F800, float},
	"FCMEQ": {0x0E20E400, float}, "FCMGE": {0x2E20E400, float}, "FCMGT": {0x2EA0E400, float},
	"FRINTN": {0x0E218800, float}, "FRINTM": {0x0E219800, float}, "FRINTP": {0x0EA18800, float}, "FRINTZ": {0x0EA19800, float},
	"FCVTNS": {0x0E21A800, float}, "FCVTZS": {0x0EA1B800, float}, "SCVTF": {0x0E21D800, float},
	"FCVTL": {0x0E217800, floatWidening}, "FCVTN": {0x0E216800, floatNarrowing},

	"AND": {0x0E201C00, bytewise}, "BIC": {0x0E601C00, bytewise}, "ORR": {0x0EA01C00, bytewise}, "EOR": {0x2E201C00, bytewise},
	"BSL": {0x2E601C00, bytewise}, "BIF": {0x2EE01C00, bytewise}, "NOT": {0x2E205800, bytewise}, "TBL": {0x0E000000, bytewise}, "TBL pair": {0x0E002000, bytewise},
}

// register is one of the 32 vector registers of arm64.
type register uint32

// vectorWord returns the word of an instruction of vectorWords, and its text as Arm writes it. M is missing in those of two vectors.
func vectorWord(name string, of lanes, d, n register, m ...register) (word uint32, text string) {
	c, ok := vectorWords[name]
	if !ok {
		log.Fatalf("the word of %s is not known", name)
	}
	word = c.word | uint32(n)<<5 | uint32(d)
	if of.full() {
		word |= 1 << 30
	}
	to, from, upper := of, of, ""
	switch c.coding {
	case sized:
		word |= of.size() << 22
	case float:
		word |= (of.size() - 2) << 22
	case widening, narrowing:
		word |= of.size() << 22
	case floatWidening, floatNarrowing:
		word |= (of.size() - 1) << 22
	}
	switch c.coding {
	case widening, floatWidening:
		to = of.wider()
	case narrowing, floatNarrowing:
		from = of.wider()
	}
	if of.full() && (to != of || from != of) {
		upper = "2"
	}
	text = fmt.Sprintf("%s%s V%d.%s, V%d.%s", name, upper, d, to, n, from)
	switch {
	case name == "TBL":
		text = fmt.Sprintf("TBL V%d.%s, {V%d.%[2]s}", d, of, n)
	case name == "TBL pair":
		text = fmt.Sprintf("TBL V%d.%s, {V%d.%[2]s, V%[4]d.%[2]s}", d, of, n, n+1)
	case name == "ORR" && m[0] == n:
		return word | uint32(n)<<16, fmt.Sprintf("MOV V%d.%s, V%d.%[2]s", d, of, n)
	case name == "NOT":
		text = strings.Replace(text, name, "MVN", 1)
	}
	for _, m := range m {
		word |= uint32(m) << 16
		text += fmt.Sprintf(", V%d.%s", m, from)
	}
	return word, text
}

// shiftWords lists shifts by a constant: left, which count from the size on, and right, which count down from twice that.
var shiftWords = map[string]struct {
	word uint32
	left bool
}{
	"SHL": {0x0F005400, true}, "SSHLL": {0x0F00A400, true}, "USHLL": {0x2F00A400, true}, "SSHR": {0x0F000400, false}, "USHR": {0x2F000400, false},
}

// shiftWord returns the word of an instruction of shiftWords, and its text. Those that widen shift by nothing.
func shiftWord(name string, of lanes, d, n register, by uint32) (word uint32, text string) {
	c, ok := shiftWords[name]
	if !ok {
		log.Fatalf("the word of %s is not known", name)
	}
	count := 16<<of.size() - by
	if c.left {
		count = 8<<of.size() + by
	}
	word, text = c.word|count<<16|uint32(n)<<5|uint32(d), fmt.Sprintf("%s V%d.%s, V%d.%[3]s, #%[5]d", name, d, of, n, by)
	upper := ""
	if of.full() {
		word, upper = word|1<<30, "2"
	}
	if short := map[string]string{"SSHLL": "SXTL", "USHLL": "UXTL"}[name]; short != "" {
		text = fmt.Sprintf("%s%s V%d.%s, V%d.%s", short, upper, d, of.wider(), n, of)
	}
	return word, text
}

// elementOf returns an element of a vector, as Arm writes it.
func elementOf(of lanes, v register, i uint32) string {
	return fmt.Sprintf("V%d.%s[%d]", v, of[len(of)-1:], i)
}

// holding returns a general register that holds an element, as Arm writes it.
func holding(of lanes, r int) string {
	if of.size() == 3 {
		return fmt.Sprintf("X%d", r)
	}
	return fmt.Sprintf("W%d", r)
}

// insertWord sets element i of d to element j of n.
func insertWord(of lanes, d register, i uint32, n register, j uint32) (word uint32, text string) {
	return 0x6E000400 | (2*i+1)<<of.size()<<16 | j<<of.size()<<11 | uint32(n)<<5 | uint32(d), "MOV " + elementOf(of, d, i) + ", " + elementOf(of, n, j)
}

// duplicateWord sets all elements of d to the first one of n.
func duplicateWord(of lanes, d, n register) (word uint32, text string) {
	return 0x4E000400 | 1<<of.size()<<16 | uint32(n)<<5 | uint32(d), fmt.Sprintf("DUP V%d.%s, %s", d, of, elementOf(of, n, 0))
}

// allWord sets all elements of d to a general register.
func allWord(of lanes, d register, n int) (word uint32, text string) {
	return 0x4E000C00 | 1<<of.size()<<16 | uint32(n)<<5 | uint32(d), fmt.Sprintf("DUP V%d.%s, %s", d, of, holding(of, n))
}

// extractWord sets a general register to element i of n, of 32 or 64 bits.
func extractWord(of lanes, d int, n register, i uint32) (word uint32, text string) {
	word = 0x0E003C00 | (2*i+1)<<of.size()<<16 | uint32(n)<<5 | uint32(d)
	if of.size() == 3 {
		word |= 1 << 30
	}
	return word, "MOV " + holding(of, d) + ", " + elementOf(of, n, i)
}

// clearWord sets all bits of d to 0.
func clearWord(d register) (word uint32, text string) {
	return 0x6F00E400 | uint32(d), fmt.Sprintf("MOVI V%d.2D, #0x0", d)
}

// factorWord adds the products of four float32 with the first one of m.
func factorWord(d, n, m register) (word uint32, text string) {
	return 0x4F801000 | uint32(m)<<16 | uint32(n)<<5 | uint32(d), fmt.Sprintf("FMLA V%d.4S, V%d.4S, %s", d, n, elementOf("4S", m, 0))
}
