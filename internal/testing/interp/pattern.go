package interp

import (
	"strings"
	"sync"
)

// row is a form of a vector instruction: see the package's comment.
type row struct {
	name    string
	pattern string
	element int // bytes of a lane of the result that a mask switches, 0 where no mask may stand
	do      kernel
}

// kernel computes an instruction: from x's sources to x.out.
type kernel func(x *work)

// token is an operand of a pattern.
type token struct {
	kind      kind
	flags     bool // f
	letter    byte
	size      int // bytes, or of the instruction's width 1/part
	part      int
	register  bool // a register may stand
	memory    bool
	whole     bool
	aligned   bool
	broadcast bool
	keep      bool
	upper     bool // lanes that are switched off come from the last source
	scalar    bool
	rounds    bool
}

func parseToken(s string) token {
	t := token{register: true}
	for s[0] == '+' || s[0] == '<' {
		t.keep, t.upper = t.keep || s[0] == '+', t.upper || s[0] == '<'
		s = s[1:]
	}
	t.letter = s[0]
	t.kind = vectorOperand
	switch s[0] {
	case 'i':
		t.kind = immediateOperand
	case 'k':
		t.kind = maskOperand
	case 'g':
		t.kind = generalOperand
	case 'm':
		t.kind, t.register, t.memory, t.part = memoryOperand, false, true, 1
	case 'f':
		t.flags = true
	case 's':
		t.scalar, t.letter = true, 'x'
	case 'v', 'h', 'q', 'e':
		t.part = map[byte]int{'v': 1, 'h': 2, 'q': 4, 'e': 8}[s[0]]
	case 'x', 'y', 'z':
		t.size = 16 << (s[0] - 'x')
	default:
		panic("pattern " + s)
	}
	digits := strings.TrimLeft(s[1:], "0123456789")
	if n := s[1 : len(s)-len(digits)]; n != "" {
		t.size, t.part = 0, 0
		for _, c := range n {
			t.size = t.size*10 + int(c-'0')
		}
	}
	for _, c := range digits {
		switch c {
		case 'm', 'M':
			t.memory, t.whole = true, c == 'M'
		case 'a':
			t.aligned = true
		case 'b':
			t.broadcast = true
		case 'r':
			t.rounds = true
		default:
			panic("pattern " + s)
		}
	}
	return t
}

func (t *token) bytes(width int) int {
	if t.part != 0 {
		return width / t.part
	}
	return t.size
}

// takes reports whether an operand can stand for the token, the width aside.
func (t *token) takes(o *operand) bool {
	if o.kind == memoryOperand {
		return t.memory && o.ref.vector == 0
	}
	return t.register && o.kind == t.kind
}

type parsedRow struct {
	*row
	tokens []token
}

// vectorRows returns the table of vector instructions by name.
var vectorRows = sync.OnceValue(func() map[string][]parsedRow {
	all := map[string][]parsedRow{}
	for _, family := range [][]row{floatRows(), compareRows(), integerRows(), shiftRows(), moveRows(), shuffleRows(), convertRows()} {
		for i := range family {
			r := &family[i]
			p := parsedRow{row: r}
			for s := range strings.FieldsSeq(r.pattern) {
				p.tokens = append(p.tokens, parseToken(s))
			}
			all[r.name] = append(all[r.name], p)
		}
	}
	return all
})
