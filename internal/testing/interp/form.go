package interp

import (
	"fmt"
	"slices"
	"strings"
)

func (d *decoder) decodeVector(rows []parsedRow, ops []operand) (func(m *machine), error) {
	var patterns []string
	for i := range rows {
		if v := d.match(&rows[i], ops); v != nil {
			if err := d.complete(&rows[i], v); err != nil {
				return nil, err
			}
			return v.run, nil
		}
		patterns = append(patterns, rows[i].pattern)
	}
	return nil, fmt.Errorf("operands are not those of %s (package comment)", strings.Join(patterns, " | "))
}

// match returns the instruction if the operands are of the row's form.
func (d *decoder) match(r *parsedRow, ops []operand) *vectorOp {
	tokens := r.tokens
	v := &vectorOp{do: r.do, base: -1, element: r.element, round: d.round, zero: d.zero}
	if v.toFlags = tokens[len(tokens)-1].flags; v.toFlags {
		tokens = tokens[:len(tokens)-1]
	}
	if n := len(ops); n == len(tokens)+1 && n > 1 && r.element > 0 && ops[n-2].is(maskOperand) && ops[n-2].register > 0 {
		v.mask = ops[n-2].register
		ops = slices.Delete(slices.Clone(ops), n-2, n-1)
	}
	if len(ops) != len(tokens) {
		return nil
	}
	for i := range tokens {
		if !tokens[i].takes(&ops[i]) {
			return nil
		}
	}
	v.width = widthOf(tokens, ops)
	for i := range tokens {
		t, o := &tokens[i], &ops[i]
		switch {
		case o.is(vectorOperand) && o.size != max(16, t.bytes(v.width)), o.is(immediateOperand) && (o.value < -128 || o.value > 255):
			return nil
		case o.is(immediateOperand):
			v.immediate = uint8(o.value)
		case i == len(tokens)-1 && !v.toFlags:
			v.to, v.toSize, v.aligned = *o, t.bytes(v.width), t.aligned
		default:
			v.sources = append(v.sources, source{kind: o.kind, register: o.register, ref: o.ref, size: t.bytes(v.width),
				broadcast: d.broadcast && t.broadcast && o.is(memoryOperand), whole: t.whole, aligned: t.aligned})
		}
	}
	return v
}

// widthOf returns the bytes of an instruction: those of the register that has all of them, or else of the widest that the pattern names.
func widthOf(tokens []token, ops []operand) (width int) {
	for i, t := range tokens {
		switch {
		case t.part == 1 && ops[i].is(vectorOperand):
			return ops[i].size
		case t.letter >= 'x':
			width = max(width, t.size)
		}
	}
	return width
}

// complete finds lanes and what must be known, and checks suffixes.
func (d *decoder) complete(r *parsedRow, v *vectorOp) error {
	to := &r.tokens[len(r.tokens)-1]
	switch {
	case d.zero && (v.mask == 0 || v.to.kind != vectorOperand):
		return fmt.Errorf(".Z wants a mask and a vector register as the destination")
	case d.round != roundNearest && !to.rounds:
		return fmt.Errorf("directed rounding is not known of this instruction")
	}
	broadcasts := false
	for _, s := range v.sources {
		broadcasts = broadcasts || s.broadcast
	}
	if d.broadcast && !broadcasts {
		return fmt.Errorf(".BCST wants an operand in memory of which one element can be broadcast")
	}
	size := v.toSize
	if v.to.kind == maskOperand || v.to.kind == generalOperand || v.toFlags {
		size = v.width
	}
	if to.scalar {
		v.scalar, v.lanes = to.size, 1
		if !to.keep {
			v.base = len(v.sources) - 1
		}
		v.toSize = 16
	} else if r.element > 0 {
		v.lanes = size / r.element
	}
	if to.upper {
		v.base = len(v.sources) - 1
	}
	if v.all = 1<<v.lanes - 1; v.lanes == 0 {
		v.all = ^uint64(0)
	}
	for i := range v.sources {
		s := &v.sources[i]
		switch {
		case s.whole && s.broadcast:
			s.element = max(r.element, 4)
		case !s.whole && v.lanes > 0:
			s.element = s.size / v.lanes
		}
	}
	v.findNeeds(r.name, to)
	return nil
}

// findNeeds notes which registers must have been written: those of masks, the destination where lanes of it stay or are an operand, and sources
// unless the result is the same for any of their values.
func (v *vectorOp) findNeeds(name string, to *token) {
	constant := v.isConstant(name)
	stays := v.mask > 0 && !v.zero && (to.scalar || !to.upper)
	if v.to.kind == vectorOperand && (stays || to.keep && !constant) {
		v.needVectors |= 1 << v.to.register
	}
	if v.mask > 0 {
		v.needMasks |= 1 << v.mask
	}
	for _, s := range v.sources {
		switch {
		case s.kind == vectorOperand && !constant:
			v.needVectors |= 1 << s.register
		case s.kind == maskOperand:
			v.needMasks |= 1 << s.register
		case s.kind == generalOperand:
			v.needGeneral |= 1 << s.register
		}
	}
}

// clearing are instructions of which the result is a constant if both sources are one register.
var clearing = strings.Fields(`VXORPS VXORPD VPXOR VPXORD VPXORQ VPSUBB VPSUBW VPSUBD VPSUBQ VPCMPEQB VPCMPEQW VPCMPEQD VPCMPEQQ
	VPCMPGTB VPCMPGTW VPCMPGTD VPCMPGTQ VANDNPS VANDNPD VPANDN VPANDND VPANDNQ`)

func (v *vectorOp) isConstant(name string) bool {
	if strings.HasPrefix(name, "VPTERNLOG") {
		return v.immediate == 0 || v.immediate == 0xFF
	}
	s := v.sources
	return len(s) == 2 && s[0].kind == vectorOperand && s[1].kind == vectorOperand && s[0].register == s[1].register && slices.Contains(clearing, name)
}
