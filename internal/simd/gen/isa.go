package main

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is what routines of a tier are built of.
type isa struct {
	name      string   // in names of files
	suffix    string   // of the names of routines
	bytes     int      // of a vector
	registers int      // vector registers
	vnni      bool     // the dot products of bytes
	features  []string // of its processors
}

// The features of processors, as avo calls them: what routines may use, and what package simd asks processors for. The prefetches are of MMX+.
var (
	featuresAVX2   = []string{"CMOV", "MMX+", "AVX", "AVX2", "FMA3", "F16C", "BMI2"}
	featuresAVX512 = append([]string{"AVX512F", "AVX512BW", "AVX512DQ", "AVX512VL"}, featuresAVX2...)
	featuresVNNI   = append([]string{"AVX512VNNI"}, featuresAVX512...)
)

var avx2 = &isa{name: "avx2", suffix: "AVX2", bytes: 32, registers: 16, features: featuresAVX2}

// isas lists the tiers for amd64.
var isas = []*isa{
	avx2,
	{name: "avx512", suffix: "AVX512", bytes: 64, registers: 32, features: featuresAVX512},
	{name: "vnni", suffix: "VNNI", bytes: 64, registers: 32, vnni: true, features: featuresVNNI},
}

// wide reports whether vectors have 512 bits.
func (i *isa) wide() bool { return i.bytes == 64 }

// processor returns the architecture of the tier, as Go has it.
func (i *isa) processor() string {
	if i == neon {
		return "arm64"
	}
	return "amd64"
}

// lanes returns how many float32 a vector has.
func (i *isa) lanes() int { return i.bytes / 4 }

// byLanes returns the value of a constant that package simd has for each number of lanes.
func (f *file) byLanes(constant string) int {
	return f.args.constant(constant + strconv.Itoa(f.isa.lanes()))
}

// vector returns a new vector register.
func (f *file) vector() reg.VecVirtual {
	switch f.isa.bytes {
	case 64:
		return f.ZMM()
	case 16:
		return f.XMM()
	}
	return f.YMM()
}

// vectors returns n new vector registers.
func (f *file) vectors(n int) []reg.VecVirtual {
	list := make([]reg.VecVirtual, n)
	for i := range list {
		list[i] = f.vector()
	}
	return list
}

// routine is a routine that is built.
type routine struct {
	*file
	args   string
	base   reg.GPVirtual // the address of the arguments
	labels int
	behind []func() // emit what is cold
}

// routine begins a routine, by the name that it has in Routines, with arguments of the given struct. It must end with [routine.end].
func (f *file) routine(name, args string) *routine {
	return f.declared(stub{name: name, args: args, field: name, of: fmt.Sprintf("Routine[%s]", args), row: "%[1]q, %[1]s"})
}

// entry begins a routine of a map from keys.
func (f *file) entry(table, key string) *routine {
	name, args := table, table+"Args"
	for _, word := range strings.Split(key, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return f.declared(stub{name: name, args: args, field: table, of: fmt.Sprintf("map[string]Routine[%s]", args),
		row: fmt.Sprintf("%q: {%%[1]q, %%[1]s},\n", key)})
}

// tileRoutine begins a routine of a list of tiles, the largest first, of a type that says what the two numbers are. Its name ends with a shape.
func (f *file) tileRoutine(list, shape, args, of string, pixels, other int) *routine {
	return f.declared(stub{name: list + shape, args: args, field: list, of: "[]" + of,
		row: fmt.Sprintf("{%d, %d, Routine[%s]{%%[1]q, %%[1]s}},\n", pixels, other, args)})
}

// declared begins a routine that is declared like this.
func (f *file) declared(s stub) *routine {
	s.isa = f.isa
	*f.stubs = append(*f.stubs, s)
	f.Function(s.symbol())
	f.Attributes(build.NOSPLIT)
	f.SignatureExpr("func(a uintptr)")
	r := &routine{file: f, args: s.args, base: f.GP64()}
	f.Load(f.Param("a"), r.base)
	return r
}

// end ends the routine, and emits what is cold.
func (r *routine) end() {
	r.VZEROUPPER()
	r.RET()
	for len(r.behind) > 0 {
		emit := r.behind[0]
		r.behind = r.behind[1:]
		emit() // which may add others
	}
}

// field returns the memory of a field of the arguments.
func (r *routine) field(name string) operand.Mem {
	return operand.Mem{Base: r.base, Disp: r.file.args.offset(r.args, name)}
}

// load returns a new register with a field of 64 bits of the arguments.
func (r *routine) load(field string) reg.GPVirtual {
	to := r.GP64()
	r.MOVQ(r.field(field), to)
	return to
}

// nextRowBy moves addresses in the arguments on by distances that are there, too, pairs of fields, and goes to a label while there are Rows.
func (r *routine) nextRowBy(label string, fields ...[2]string) {
	step := r.GP64()
	for _, f := range fields {
		r.MOVQ(r.field(f[1]), step)
		r.ADDQ(step, r.field(f[0]))
	}
	r.DECQ(r.field("Rows"))
	r.JNZ(operand.LabelRef(label))
}

// loop repeats a body as often as a count says, at least once, and counts that down. The label is that of the loop.
func (r *routine) loop(label string, count operand.Op, body func()) {
	r.Label(label)
	body()
	r.DECQ(count)
	r.JNZ(operand.LabelRef(label))
}

// unless emits a body that a jump passes over, such as r.JE behind a comparison, to a label behind it.
func (r *routine) unless(jump func(operand.Op), label string, body func()) {
	jump(operand.LabelRef(label))
	body()
	r.Label(label)
}

// either emits a body, and another one for a jump that goes to its label; done is behind both.
func (r *routine) either(jump func(operand.Op), other, done string, body, otherBody func()) {
	r.unless(jump, other, func() {
		body()
		r.JMP(operand.LabelRef(done))
	})
	otherBody()
	r.Label(done)
}

// cold emits a body with a label behind the end of the routine, where it is out of the way of what runs most. Then it goes to another label.
func (r *routine) cold(label, back string, body func()) {
	r.behind = append(r.behind, func() {
		r.Label(label)
		body()
		r.JMP(operand.LabelRef(back))
	})
}

// bySign builds code twice: for unsigned elements, and for signed ones where the field Signed is not 0.
func (r *routine) bySign(build func(signed bool)) {
	signed, done := r.label("signed"), r.label("done")
	r.CMPQ(r.field("Signed"), operand.Imm(0))
	r.either(r.JNE, signed, done, func() { build(false) }, func() { build(true) })
}

// widen makes words of bytes.
func (r *routine) widen(signed bool, from, to operand.Op) {
	if signed {
		r.VPMOVSXBW(from, to)
	} else {
		r.VPMOVZXBW(from, to)
	}
}

// label returns a new label of the routine.
func (r *routine) label(name string) string {
	r.labels++
	return name + strconv.Itoa(r.labels)
}

// at returns the memory at a base register, a number of bytes on.
func at(base reg.Register, bytes int) operand.Mem { return operand.Mem{Base: base, Disp: bytes} }

// strided returns the memory some bytes behind a base and n times a distance, of which there are the odd multiples: one, three times as much, five times …
func strided(base reg.Register, n, bytes int, odd ...reg.GPVirtual) operand.Mem {
	m := at(base, bytes)
	if n > 0 {
		shift := bits.TrailingZeros(uint(n))
		m.Index, m.Scale = odd[n>>shift/2], 1<<shift
	}
	return m
}

// thirds has the addresses of every third of things that lie at a distance, by which all are reached.
type thirds struct {
	bases       []reg.GPVirtual
	step, third reg.GPVirtual // the distance, and three times that
}

// at returns the memory of thing i, some bytes on.
func (x *thirds) at(i, bytes int) operand.Mem { return strided(x.bases[i/3], i%3, bytes, x.step) }

// follow sets the addresses behind the first one.
func (f *file) follow(x *thirds) {
	for i, next := range x.bases[1:] {
		f.LEAQ(strided(x.bases[i], 1, 0, x.third), next)
	}
}
