package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// compile places the registers of a file, which are as many as the processors of the tier have, and refuses instructions that these lack. It is
// avo's pass.Compile with two passes more, as avo takes any processor for the newest.
func (i *isa) compile(f *ir.File) error {
	return pass.Concat(
		pass.Verify,
		pass.FunctionPass(pass.PruneJumpToFollowingLabel),
		pass.FunctionPass(pass.PruneDanglingLabels),
		pass.FunctionPass(pass.LabelTarget),
		pass.FunctionPass(pass.CFG),
		pass.InstructionPass(pass.ZeroExtend32BitOutputs),
		pass.FunctionPass(pass.Liveness),
		pass.FunctionPass(i.place),
		pass.FunctionPass(pass.BindRegisters),
		pass.FunctionPass(pass.VerifyAllocation),
		pass.FunctionPass(pass.EnsureBasePointerCalleeSaved),
		pass.Func(pass.IncludeTextFlagHeader),
		pass.FunctionPass(pass.PruneSelfMoves),
		pass.FunctionPass(pass.RequiredISAExtensions),
		pass.FunctionPass(i.lacks),
	).Execute(f)
}

// place places the registers of a routine. What the processor has not is taken for in use everywhere.
func (i *isa) place(fn *ir.Function) error {
	most, where := 0, ""
	for _, in := range fn.Instructions() {
		if live := len(in.LiveOut.OfKind(reg.KindVector)); live > most {
			most, where = live, in.Opcode
		}
	}
	if most > i.registers {
		return fmt.Errorf("%s: %d vectors are in use behind %s, and there are %d registers", fn.Name, most, where, i.registers)
	}
	for _, in := range fn.Instructions() {
		for _, r := range reg.Vector.Registers() {
			if int(r.PhysicalIndex()) >= i.registers {
				in.LiveOut.AddRegister(r)
			}
		}
	}
	if err := pass.AllocateRegisters(fn); err != nil {
		return fmt.Errorf("%s: %w for %d vectors", fn.Name, err, most)
	}
	return nil
}

// lacks returns an error if a routine has instructions that processors of the tier may lack.
func (i *isa) lacks(fn *ir.Function) error {
	for _, in := range fn.Instructions() {
		for _, needs := range in.ISA {
			if !slices.Contains(i.features, needs) {
				return fmt.Errorf("%s: %s needs %s, which %s does not ask for", fn.Name, in.OpcodeWithSuffixes()+" "+text(in.Operands), needs, i.name)
			}
		}
	}
	return nil
}

// text returns operands as they are printed.
func text(list []operand.Op) string {
	var words []string
	for _, o := range list {
		words = append(words, o.Asm())
	}
	return strings.Join(words, ", ")
}
