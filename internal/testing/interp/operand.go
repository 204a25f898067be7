package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

type kind uint8

const (
	generalOperand kind = iota
	vectorOperand
	maskOperand
	immediateOperand
	memoryOperand
	labelOperand
)

// operand is one of an instruction.
type operand struct {
	kind     kind
	register int
	size     int // bytes of a vector register; 1 of general registers' low bytes that have names
	value    int64
	ref      *reference
	text     string
}

func (o *operand) is(k kind) bool { return o.kind == k }

var generalNames = [...]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15", "FP"}

// stackRegister is the base of what of a routine lies on the stack. stackRegisters may be neither read nor written otherwise.
const (
	stackRegister  = 4
	stackRegisters = 1<<stackRegister | 1<<5
)

var registers = namesOfRegisters()

func namesOfRegisters() map[string]operand {
	all := map[string]operand{}
	for i, name := range generalNames[:16] {
		all[name] = operand{kind: generalOperand, register: i, text: name}
		if i < 4 {
			low := name[:1] + "L"
			all[low] = operand{kind: generalOperand, register: i, size: 1, text: low}
		}
	}
	for i := range 32 {
		for letter, size := range map[string]int{"X": 16, "Y": 32, "Z": 64} {
			name := letter + strconv.Itoa(i)
			all[name] = operand{kind: vectorOperand, register: i, size: size, text: name}
		}
	}
	for i := range 8 {
		name := "K" + strconv.Itoa(i)
		all[name] = operand{kind: maskOperand, register: i, text: name}
	}
	return all
}

// parseOperand reads one operand. Symbols are found later, when all are known.
func parseOperand(text string) (operand, error) {
	if o, ok := registers[text]; ok {
		if o.kind == generalOperand && 1<<o.register&stackRegisters != 0 {
			return o, fmt.Errorf("%s belongs to the stack, and is at most the base of memory", text)
		}
		return o, nil
	}
	switch {
	case text == "":
		return operand{}, fmt.Errorf("an operand is missing")
	case strings.HasPrefix(text, "$"):
		v, err := parseInt(text[1:])
		return operand{kind: immediateOperand, value: v, text: text}, err
	case strings.Contains(text, "("):
		ref, err := parseReference(text)
		return operand{kind: memoryOperand, ref: ref, text: text}, err
	case isName(text):
		return operand{kind: labelOperand, text: text}, nil
	}
	return operand{}, fmt.Errorf("operand %q is not understood", text)
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c == '·' || c == '~' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// parseInt reads a whole number of up to 64 bits, with a sign or in parentheses.
func parseInt(s string) (int64, error) {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
	if v, err := strconv.ParseInt(s, 0, 64); err == nil {
		return v, nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number of 64 bits", s)
	}
	return int64(v), nil
}

// parseReference reads disp(base)(index*scale), symbol+disp(SB) or name+disp(FP).
func parseReference(text string) (*reference, error) {
	bad := fmt.Errorf("memory operand %q is not understood", text)
	r := &reference{base: -1, index: -1, scale: 1}
	front, rest, _ := strings.Cut(text, "(")
	inner := strings.Split("("+rest, ")")
	if last := len(inner) - 1; inner[last] != "" || last > 2 {
		return nil, bad
	}
	symbol := ""
	if i := strings.LastIndexAny(front, "+-"); i > 0 {
		symbol, front = front[:i], strings.TrimPrefix(front[i:], "+")
	} else if front != "" && !strings.ContainsAny(front[:1], "-0123456789") {
		symbol, front = front, ""
	}
	if front != "" {
		v, err := parseInt(front)
		if err != nil || v != int64(int32(v)) {
			return nil, bad
		}
		r.disp = uintptr(v)
	}
	for i, part := range inner[:len(inner)-1] {
		part = strings.TrimPrefix(part, "(")
		name, scale, scaled := strings.Cut(part, "*")
		if err := r.addRegister(name, scale, scaled, i, symbol); err != nil {
			return nil, fmt.Errorf("%w: %w", bad, err)
		}
	}
	if symbol != "" && r.symbol == "" && r.base != frameRegister {
		return nil, bad
	}
	return r, nil
}

func (r *reference) addRegister(name, scale string, scaled bool, i int, symbol string) error {
	switch {
	case name == "SB" && i == 0:
		r.symbol = strings.TrimSuffix(symbol, "<>")
		return nil
	case name == "FP" && i == 0:
		r.base = frameRegister
		r.need |= 1 << frameRegister
		return nil
	case name == "SP" && i == 0 && !scaled && symbol == "":
		r.base = stackRegister
		r.need |= 1 << stackRegister
		return nil
	case r.symbol != "" || r.base == frameRegister:
		return fmt.Errorf("an index can not follow (SB) or (FP)")
	}
	o, err := parseOperand(name)
	if err != nil {
		return err
	}
	if !scaled && i == 0 {
		if o.kind != generalOperand || o.size != 0 {
			return fmt.Errorf("%s is no base", name)
		}
		r.base = o.register
		r.need |= 1 << r.base
		return nil
	}
	switch scale {
	case "1", "2", "4", "8":
		r.scale = uintptr(scale[0] - '0')
	default:
		return fmt.Errorf("scale %q is none of 1, 2, 4, 8", scale)
	}
	r.index = o.register
	switch o.kind {
	case generalOperand:
		r.need |= 1 << r.index
	case vectorOperand:
		r.vector = o.size
	default:
		return fmt.Errorf("%s is no index", name)
	}
	return nil
}

// parseConstant reads the value of a DATA line: a whole number, a float or a string.
func parseConstant(text string, size int) ([]byte, error) {
	s, ok := strings.CutPrefix(text, "$")
	if !ok {
		return nil, fmt.Errorf("%q is no constant: $ is missing", text)
	}
	if strings.HasPrefix(s, `"`) {
		v, err := strconv.Unquote(s)
		if err != nil || len(v) > size {
			return nil, fmt.Errorf("%s is no string of %d bytes", s, size)
		}
		return append([]byte(v), make([]byte, size-len(v))...), nil
	}
	var v uint64
	whole, err := parseInt(s)
	if err == nil {
		v = uint64(whole)
	} else {
		s = strings.TrimSuffix(strings.TrimPrefix(s, "("), ")")
		f, err := strconv.ParseFloat(s, size*8)
		switch {
		case err != nil:
			return nil, fmt.Errorf("constant %q is not understood", text)
		case size == 4:
			v = uint64(math.Float32bits(float32(f)))
		case size == 8:
			v = math.Float64bits(f)
		default:
			return nil, fmt.Errorf("a float has 4 or 8 bytes, not %d", size)
		}
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b, nil
}
