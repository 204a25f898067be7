//go:build amd64 && hardware

// These tests are behind a tag as they compile another program, and package interp twice.

package interp

import (
	"bytes"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The state of a processor, in words of 8 bytes, as testdata/hardware has it.
const (
	maskWord    = 256
	generalWord = 264
	flagsWord   = 280
	memoryWord  = 288
	stateWords  = 352
)

// testCase is an instruction that is run by the interpreter and by the processor.
type testCase struct {
	name string // of the opcode
	text string
}

// TestHardware runs the instructions of all tables, in the forms that Go's assembler takes, on the processor and by the interpreter, and
// compares all registers, known flags and memory.
func TestHardware(t *testing.T) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasBMI2 {
		t.Skip("not run on hardware: the processor has no AVX2")
	}
	is512 := cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512CD
	cases := append(vectorCases(), generalCases()...)
	slices.SortFunc(cases, func(a, b testCase) int { return strings.Compare(a.text, b.text) })
	cases = slices.Compact(cases)
	dir := t.TempDir()
	cases = assembled(t, dir, cases)
	var skip []string
	has := features(is512)
	for i, c := range cases {
		if lacks(c.text, has) != "" {
			skip = append(skip, strconv.Itoa(i))
		}
	}
	states := testStates(is512)
	program := buildProgram(t, dir, cases)
	cmd := exec.Command(program, strconv.Itoa(len(cases)), strconv.Itoa(len(states)/stateWords), strconv.FormatBool(is512), strings.Join(skip, ","))
	cmd.Stdin = bytes.NewReader(bytesOf(states))
	cmd.Stderr = os.Stderr
	results, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	compareCases(t, cases, states, results, is512)
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// features lists what this processor has beyond AVX2, in the words of [File.Within].
func features(is512 bool) (list []string) {
	for name, has := range map[string]bool{
		"AVX512F": is512, "AVX512CD": is512, "AVX512VNNI": cpu.X86.HasAVX512VNNI, "AVX512VBMI": cpu.X86.HasAVX512VBMI, "AVX512VBMI2": cpu.X86.HasAVX512VBMI2,
		"AVX512BITALG": cpu.X86.HasAVX512BITALG, "AVX512VPOPCNTDQ": cpu.X86.HasAVX512VPOPCNTDQ,
	} {
		if has {
			list = append(list, name)
		}
	}
	return list
}

// TestBeyond compares what [File.Within] takes for instructions of AVX-512 with what the assembler encodes as such.
func TestBeyond(t *testing.T) {
	dir := t.TempDir()
	assembled(t, dir, append(vectorCases(), generalCases()...))
	for _, e := range Encodings(t, filepath.Join(dir, "cases_amd64.s")) {
		if needs := lacks(e.Text, nil); e.Wide != (needs != "") {
			t.Errorf("%s: needs %q, encoded for AVX-512: %v", e.Text, needs, e.Wide)
		}
	}
}

// vectorCases makes cases of each row: registers low and high, memory, broadcast, masks, zeroing, rounding, immediates.
func vectorCases() (all []testCase) {
	for name, rows := range vectorRows() {
		for _, r := range rows {
			widths := []int{0}
			for _, t := range r.tokens {
				if t.kind == vectorOperand && t.part > 0 {
					widths = []int{16, 32, 64}
				}
			}
			for _, w := range widths {
				all = append(all, rowCases(name, r, w)...)
			}
		}
	}
	return all
}

// formOf is which operands a case has: registers of the upper half, memory where it can stand, a mask.
type formOf struct {
	suffix, mask string
	memory, high bool
	immediates   int
}

var forms = []formOf{
	{"", "", false, false, 24}, {"", "K1", false, true, 2}, {".Z", "K2", false, false, 1},
	{"", "", true, false, 2}, {"", "K3", true, true, 1}, {".Z", "K1", true, false, 1},
	{".BCST", "", true, false, 1}, {".BCST", "K2", true, true, 1}, {".BCST.Z", "K3", true, false, 1},
	{".RN_SAE", "", false, false, 1}, {".SAE", "", false, true, 1}, {".RD_SAE", "", false, false, 1}, {".RU_SAE", "", false, false, 1},
	{".RZ_SAE.Z", "K2", false, false, 1},
}

func rowCases(name string, r parsedRow, width int) (all []testCase) {
	directed := regexp.MustCompile(`R[DUZ]_SAE`)
	for _, f := range forms {
		if f.mask != "" && r.element == 0 || directed.MatchString(f.suffix) && !r.tokens[len(r.tokens)-1].rounds {
			continue
		}
		to := r.tokens[len(r.tokens)-1]
		if strings.HasSuffix(f.suffix, ".Z") && (to.kind == memoryOperand || to.memory && f.memory || to.kind == maskOperand) {
			continue // the assembler takes it, but processors do not
		}
		values := immediatesOf(name)
		if !strings.HasPrefix(r.pattern, "i ") {
			values = values[:1]
		}
		for _, i := range values[:min(len(values), f.immediates)] {
			all = append(all, testCase{name, name + f.suffix + " " + f.operands(r, width, i)})
		}
	}
	return all
}

// immediatesOf returns values that an instruction defines.
func immediatesOf(name string) []int {
	limit := 256
	switch {
	case strings.HasPrefix(name, "VCMP"):
		limit = 32
	case strings.HasPrefix(name, "VROUND"), strings.HasPrefix(name, "VRANGE"), strings.HasPrefix(name, "VGETMANT"):
		limit = 16
	case strings.HasPrefix(name, "VPCMP"), strings.HasPrefix(name, "VCVTPS2PH"):
		limit = 8
	}
	var all []int
	for i := range limit {
		all = append(all, i*(limit*5/16*2+1)%limit)
	}
	return all
}

func (f formOf) operands(r parsedRow, width, i int) string {
	var parts []string
	for n, t := range r.tokens {
		last := n == len(r.tokens)-1
		if last && f.mask != "" {
			parts = append(parts, f.mask)
		}
		number := n + 1
		if f.high {
			number += 16
		}
		switch {
		case t.flags:
		case t.kind == immediateOperand:
			parts = append(parts, "$"+strconv.Itoa(i))
		case t.kind == memoryOperand || f.memory && t.memory:
			parts = append(parts, "64(SI)")
		case t.kind == maskOperand:
			parts = append(parts, "K"+strconv.Itoa(n+4))
		case t.kind == generalOperand && last:
			parts = append(parts, "DX")
		case t.kind == generalOperand:
			parts = append(parts, "AX")
		default:
			parts = append(parts, map[int]string{16: "X", 32: "Y", 64: "Z"}[max(16, t.bytes(width))]+strconv.Itoa(number))
		}
	}
	return strings.Join(parts, ", ")
}

// generalCases tries operands of many kinds with the instructions that stand in no table of forms. Index vectors are register 6 with whole
// numbers of 8 bytes and register 7 with those of 4.
func generalCases() (all []testCase) {
	operands := strings.Split(`|AX, BX|$5, BX|$-3, BX|$1, BX|(SI), BX|BX, 8(SI)|$5, 8(SI)|$3, AX, BX|AX, BX, DX|CX, BX|CX, (SI)|BX|(SI)|AX, AX`+
		`|(SI), BX, DX|CX, BX, DX|CX, (SI), DX|5(AX)(BX*4), DX|-5(AX), DX|AL, BX|BX, AL|AL, 8(SI)|(SI), CL|$200, BX`+
		`|K1, K2, K3|K1, K1, K2|K1, K2|$3, K1, K2|$70, K1, K2|K1, DX|DX, K1|(SI), K1|K1, 8(SI)`, "|")
	for _, a := range "XYZ" {
		for _, form := range []string{"(SI), @1, @2", "@2, @1, (SI)", "(SI), K1, @2", "@2, K1, (SI)", "@1, K1, @2", "(SI), @2", "@2, (SI)", "@1, @2"} {
			operands = append(operands, strings.ReplaceAll(form, "@", string(a)))
		}
		for _, b := range "XYZ" {
			for _, i := range "67" {
				for _, form := range []string{"@1, (SI)(#*4), @2", "8(SI)(#*8), K1, @2", "@2, K1, (SI)(#*4)"} {
					operands = append(operands, strings.ReplaceAll(strings.ReplaceAll(form, "@", string(a)), "#", string(b)+string(i)))
				}
			}
		}
	}
	for name := range builders() {
		for _, o := range operands {
			switch {
			case !isCompared(name):
			case strings.HasPrefix(name, "BT") && strings.Contains(o, "SI"), strings.Contains(o, "(AX)") && name[:3] != "LEA": // anywhere in memory
			case strings.Contains(o, "(SI)(") && (strings.Contains(o, "6*") != isQuadIndexed(name)):
			case name[0] != 'V' && strings.ContainsAny(o, "XYZ") && regexp.MustCompile(`[XYZ]\d`).MatchString(o):
			case name == "XCHGL" && o == "AX, AX": // the assembler makes a NOP of it, which leaves the upper half
			case strings.HasPrefix(name, "LEA") && strings.Contains(o, "SI"): // addresses differ
			default:
				if c := (testCase{name, strings.TrimSpace(name + " " + o)}); isParsed(c) {
					all = append(all, c)
				}
			}
			for _, zeroing := range []string{"K1, X2", "K1, Y2", "K1, Z2"} {
				if c := (testCase{name, name + ".Z " + o}); name[0] == 'V' && strings.HasSuffix(o, zeroing) && !strings.Contains(o, "(SI)(") && isParsed(c) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// isCompared reports whether an instruction does more than to go elsewhere.
func isCompared(name string) bool { return name != "RET" && name[0] != 'J' }

func isParsed(c testCase) bool {
	_, err := c.parse()
	return err == nil
}

func (c testCase) parse() (*File, error) {
	return Parse("case", []byte("TEXT ·c(SB), 4, $0-8\n"+c.text))
}

// isQuadIndexed reports whether a gather's indices have 8 bytes.
func isQuadIndexed(name string) bool {
	return strings.Contains(name, "GATHERQ") || strings.Contains(name, "SCATTERQ")
}

// assembled returns the cases that Go's assembler takes.
func assembled(t *testing.T, dir string, cases []testCase) []testCase {
	t.Helper()
	at := regexp.MustCompile(`cases_amd64\.s:(\d+)`)
	for range 4 {
		writeFile(t, dir, "cases_amd64.s", caseText(cases))
		cmd := exec.Command("go", "tool", "asm", "-p", "main", "-e", "-o", filepath.Join(dir, "cases.o"), filepath.Join(dir, "cases_amd64.s"))
		out, err := cmd.CombinedOutput()
		if err == nil {
			return cases
		}
		wrong := map[int]bool{}
		for _, m := range at.FindAllSubmatch(out, -1) {
			line, _ := strconv.Atoi(string(m[1]))
			wrong[(line-1)/linesOfCase] = true
		}
		if len(wrong) == 0 {
			t.Fatalf("%v: %s", err, out)
		}
		var kept []testCase
		for i, c := range cases {
			if !wrong[i] {
				kept = append(kept, c)
			}
		}
		cases = kept
	}
	t.Fatal("the assembler finds more mistakes each time")
	return nil
}

const linesOfCase = 3

func caseText(cases []testCase) string {
	var b strings.Builder
	for i, c := range cases {
		fmt.Fprintf(&b, "TEXT ·c%d(SB), 4, $0-8\n\t%s\n\tRET\n", i, c.text)
	}
	for i := range cases {
		fmt.Fprintf(&b, "DATA ·cases+%d(SB)/8, $·c%d(SB)\n", 8*i, i)
	}
	fmt.Fprintf(&b, "GLOBL ·cases(SB), 8, $%d\nTEXT ·table(SB), 4, $0-8\n\tLEAQ ·cases(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n", 8*len(cases))
	return b.String()
}

// buildProgram builds testdata/hardware with the cases, and with functions that load a state, call a case and store the state.
func buildProgram(t *testing.T, dir string, cases []testCase) string {
	t.Helper()
	main, err := os.ReadFile("testdata/hardware/main.go")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, "main.go", string(main))
	writeFile(t, dir, "go.mod", "module hardware\n\ngo 1.26\n")
	writeFile(t, dir, "cases_amd64.s", caseText(cases))
	writeFile(t, dir, "call_amd64.s", callText("call256", "VMOVDQU", "Y", 16, 0)+callText("call512", "VMOVDQU64", "Z", 32, 8))
	program := filepath.Join(dir, "hardware.exe")
	cmd := exec.Command("go", "build", "-trimpath", "-o", program, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// callText is a function that calls another with registers as in a state, and stores them there. R14 and R15 are not the cases'.
func callText(name, move, letter string, vectors, masks int) string {
	var load, store strings.Builder
	for i := range vectors {
		fmt.Fprintf(&load, "\t%s %d(R15), %s%d\n", move, 64*i, letter, i)
		fmt.Fprintf(&store, "\t%s %s%d, %d(R15)\n", move, letter, i, 64*i)
	}
	for i := range masks {
		fmt.Fprintf(&load, "\tKMOVQ %d(R15), K%d\n", 8*(maskWord+i), i)
		fmt.Fprintf(&store, "\tKMOVQ K%d, %d(R15)\n", i, 8*(maskWord+i))
	}
	for i, register := range generalNames[:14] {
		if 1<<i&stackRegisters == 0 {
			fmt.Fprintf(&load, "\tMOVQ %d(R15), %s\n", 8*(generalWord+i), register)
			fmt.Fprintf(&store, "\tMOVQ %s, %d(R15)\n", register, 8*(generalWord+i))
		}
	}
	return fmt.Sprintf("TEXT ·%s(SB), 4, $16-16\n\tMOVQ function+0(FP), R14\n\tMOVQ state+8(FP), R15\n\tMOVQ %d(R15), AX\n\tPUSHQ AX\n\tPOPFQ\n"+
		"%s\tCALL R14\n%s\tPUSHFQ\n\tPOPQ AX\n\tMOVQ AX, %d(R15)\n\tVZEROUPPER\n\tRET\n", name, 8*flagsWord, &load, &store, 8*flagsWord)
}

// testStates makes states with lanes of one type each, and many that are special.
func testStates(is512 bool) (all []uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 32 {
		s := make([]uint64, stateWords)
		for j := range s {
			s[j] = testLanes[i%len(testLanes)](r)
		}
		for j := range 8 { // registers 6 and 7 are indices
			s[6*8+j], s[7*8+j] = r.Uint64N(16), r.Uint64N(16)<<32|r.Uint64N(16)
			s[maskWord+j] = r.Uint64() | r.Uint64()&r.Uint64()
		}
		if !is512 {
			for j := range 32 {
				clear(s[8*j+4 : 8*j+8])
			}
			clear(s[16*8 : generalWord])
		}
		s[flagsWord] = 0x202 | r.Uint64()&rawFlags
		clear(s[flagsWord+1 : memoryWord])
		all = append(all, s...)
	}
	return all
}

var testLanes = []func(r *rand.Rand) uint64{
	func(r *rand.Rand) uint64 { return r.Uint64() },
	func(r *rand.Rand) uint64 { return specialSingle(r)<<32 | specialSingle(r) },
	func(r *rand.Rand) uint64 { return specialSingle(r)<<32 | specialSingle(r) },
	func(r *rand.Rand) uint64 { return specialDouble(r) },
	func(r *rand.Rand) uint64 { return uint64(r.Int64N(600)-300)<<32 | uint64(uint32(r.Int64N(600)-300)) },
	func(r *rand.Rand) uint64 { return r.Uint64N(70)<<32 | r.Uint64N(70) },
	func(r *rand.Rand) uint64 {
		return uint64(math.Float32bits(float32(r.NormFloat64()*100)))<<32 | uint64(math.Float32bits(float32(r.NormFloat64())))
	},
	func(r *rand.Rand) uint64 { return math.Float64bits(r.NormFloat64() * 100) },
}

func specialSingle(r *rand.Rand) uint64 {
	values := []uint32{0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F812345, 0xFFA00001, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000,
		0xBF800000, 0x3F000000, 0x3FC00000, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0x4F800000, 0x477FF000, 0x33800000, 0x387FC000, 0xC0200000, 0x5F000000, r.Uint32(), r.Uint32()}
	return uint64(values[r.IntN(len(values))])
}

func specialDouble(r *rand.Rand) uint64 {
	values := []uint64{0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xFFF8123456789ABC, 0x7FF0123456789ABC, 1, 0x800FFFFFFFFFFFFF, 0x001 << 52, 0x3FF << 52,
		0xBFF << 52, 0x3FE << 52, 0x3FF8 << 48, 0x7FEFFFFFFFFFFFFF, 0x41DFFFFFFFC00000, 0x41E << 52, 0xC1E << 52, 0x43E << 52, 0xC3E << 52, 0x3690 << 48, 0x47EFFFFFE0000000,
		0x4004 << 48, r.Uint64(), r.Uint64()}
	return values[r.IntN(len(values))]
}

// rawFlags are the bits of the flags in the processor's register, and flagBits ours in that order.
const rawFlags = 1 | 1<<2 | 1<<6 | 1<<7 | 1<<11

var flagBits = map[int]flag{0: carry, 2: parity, 6: zero, 7: negative, 11: overflow}

func fromRaw(v uint64) (f flag) {
	for bit, known := range flagBits {
		if v>>bit&1 != 0 {
			f |= known
		}
	}
	return f
}

// compareCases runs what the processor ran.
func compareCases(t *testing.T, cases []testCase, states []uint64, results []byte, is512 bool) {
	ran, skipped, failed := map[string]int{}, map[string]bool{}, map[string]bool{} // by opcode
	mistakes := 0
	for _, c := range cases {
		if encoding.LittleEndian.Uint16(results) == 0xFFFF {
			results = results[2:]
			skipped[c.name] = true
			continue
		}
		ran[c.name]++
		f, err := c.parse()
		var wrong error
		for s := 0; s < len(states); s += stateWords {
			want := slices.Clone(states[s : s+stateWords])
			n := int(encoding.LittleEndian.Uint16(results))
			for i := range n {
				change := results[2+10*i:]
				want[encoding.LittleEndian.Uint16(change)] = encoding.LittleEndian.Uint64(change[2:])
			}
			results = results[2+10*n:]
			if err == nil && wrong == nil {
				wrong = compareCase(f, states[s:s+stateWords], want)
			}
		}
		if err := errors.Join(err, wrong); err != nil {
			if mistakes++; !failed[c.name] {
				failed[c.name] = true
				t.Errorf("%s: %v", c.text, err)
			}
		}
	}
	total, count := len(vectorRows()), 0
	for name := range builders() {
		if isCompared(name) {
			total++
		}
	}
	for _, n := range ran {
		count += n
	}
	for name := range ran {
		delete(skipped, name)
	}
	t.Logf("on hardware (AVX-512: %v): %d of %d opcodes in %d forms, %d states each; %d forms differ", is512, len(ran), total, count, len(states)/stateWords, mistakes)
	for name := range vectorRows() {
		if ran[name] == 0 && !skipped[name] {
			t.Errorf("no form of %s is taken by the assembler", name)
		}
	}
	for name := range builders() {
		if ran[name] == 0 && !skipped[name] && isCompared(name) {
			t.Errorf("no form of %s is taken by the assembler", name)
		}
	}
	if len(skipped) > 0 {
		t.Logf("not on hardware: %d opcodes", len(skipped))
	}
}

// compareCase runs the first instruction of a file's only function on a state, and returns how the outcome differs.
func compareCase(f *File, state, want []uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	fn := f.functions["c"]
	m := &machine{generalKnown: 0xFFFF, vectorsKnown: math.MaxUint32, masksKnown: 0xFF, flagsKnown: allFlags, hints: make([]int, fn.references+1)}
	buffer := make([]uint64, 80)
	memory := buffer[-addressOf(bytesOf(buffer))%64/8:][:stateWords-memoryWord]
	copy(memory, state[memoryWord:])
	m.ranges = []memoryRange{{addressOf(bytesOf(memory)), bytesOf(memory), true}}
	for i := range m.vectors {
		m.vectors[i] = vector(state[8*i : 8*i+8])
	}
	m.masks = [8]uint64(state[maskWord:])
	copy(m.general[:16], state[generalWord:])
	m.general[6] = uint64(addressOf(bytesOf(memory)))
	m.flags = fromRaw(state[flagsWord])
	fn.code[0].run(m)
	var differences []error
	differ := func(format string, args ...any) { differences = append(differences, fmt.Errorf(format, args...)) }
	for i := range m.vectors {
		if w := vector(want[8*i : 8*i+8]); m.vectors[i] != w {
			differ("register %d is\n%016x, want\n%016x, sources\n%016x\n%016x\n%016x\n%016x", i, m.vectors[i], w, state[:8], state[8:16], state[16:24], state[24:32])
		}
	}
	if m.masks != [8]uint64(want[maskWord:]) {
		differ("masks are %x, want %x", m.masks, want[maskWord:generalWord])
	}
	for i := range 14 {
		if w := want[generalWord+i]; i != 6 && m.generalKnown>>i&1 != 0 && m.general[i] != w {
			differ("%s is %x, want %x", generalNames[i], m.general[i], w)
		}
	}
	if w := fromRaw(want[flagsWord]); (m.flags^w)&m.flagsKnown != 0 {
		differ("flags are %05b, want %05b, known %05b", m.flags, w, m.flagsKnown)
	}
	if !slices.Equal(memory, want[memoryWord:]) {
		differ("memory is\n%x, want\n%x", memory, want[memoryWord:])
	}
	return errors.Join(differences...)
}
