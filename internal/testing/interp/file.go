package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// File is the functions and read-only data of a file of assembly, ready to run. It does not change.
type File struct {
	name      string
	names     []string
	functions map[string]*function
	data      []memoryRange
}

type function struct {
	name       string
	frame      string // locals and arguments, as in the text: $512-8
	line       int
	code       []instruction
	references int
}

// Functions returns the names of the functions, as Go declares them, in the order of the text.
func (f *File) Functions() []string { return slices.Clone(f.names) }

// Parse reads an assembly file: functions (TEXT) and read-only data (DATA, GLOBL). Directives for the preprocessor other than #include are
// not understood. Errors begin with name:line and say what is not understood, be it an opcode, an operand, a label or a symbol.
func Parse(name string, text []byte) (*File, error) {
	p := parser{file: &File{name: name, functions: map[string]*function{}}, symbols: map[string]*symbol{}}
	for i, line := range strings.Split(string(text), "\n") {
		p.line = i + 1
		if err := p.parseLine(stripComment(line)); err != nil {
			return nil, p.place(p.line, err)
		}
	}
	for _, s := range p.symbols {
		if s.bytes == nil {
			return nil, p.place(s.line, fmt.Errorf("%s has DATA but no GLOBL", s.name))
		}
		p.file.data = append(p.file.data, memoryRange{addressOf(s.bytes), s.bytes, false})
	}
	for _, fn := range p.texts {
		if err := p.decode(fn); err != nil {
			return nil, err
		}
	}
	return p.file, nil
}

// parser collects lines first, as labels and symbols may stand behind their uses.
type parser struct {
	file    *File
	symbols map[string]*symbol
	texts   []*textLines
	line    int
}

type textLines struct {
	*function
	lines  []sourceLine
	labels map[string]int // instruction
}

type sourceLine struct {
	number           int
	opcode, operands string
}

type symbol struct {
	name  string
	line  int
	parts map[int][]byte
	bytes []byte
}

func (p *parser) place(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", p.file.name, line, err)
}

// stripComment cuts a // comment off, but not inside of a string.
func stripComment(line string) string {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(line[i:], "//"):
			return strings.TrimSpace(line[:i])
		}
	}
	return strings.TrimSpace(line)
}

func (p *parser) parseLine(line string) error {
	word, rest := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], strings.TrimSpace(line[i:])
	}
	switch {
	case line == "" || word == "#include":
		return nil
	case word == "TEXT":
		return p.parseText(rest)
	case word == "DATA":
		return p.parseData(rest)
	case word == "GLOBL":
		return p.parseGlobal(rest)
	case strings.HasPrefix(word, "#") || strings.Contains(line, ";"):
		return fmt.Errorf("%q: the preprocessor's directives, and several instructions in a line, are not understood", line)
	}
	if len(p.texts) == 0 {
		return fmt.Errorf("%q stands before any TEXT", line)
	}
	fn := p.texts[len(p.texts)-1]
	if label, ok := strings.CutSuffix(word, ":"); ok {
		if _, twice := fn.labels[label]; twice || !isName(label) || rest != "" {
			return fmt.Errorf("label %q stands twice, is no name, or has something behind it", label)
		}
		fn.labels[label] = len(fn.lines)
		return nil
	}
	fn.lines = append(fn.lines, sourceLine{p.line, word, rest})
	return nil
}

// parseText reads what follows TEXT: ·name(SB), NOSPLIT, $0-8.
func (p *parser) parseText(rest string) error {
	parts := splitOperands(rest)
	name, ok := strings.CutSuffix(parts[0], "(SB)")
	if i := strings.LastIndex(name, "·"); i >= 0 {
		name = name[i+len("·"):]
	}
	if !ok || !isName(name) || len(parts) < 2 {
		return fmt.Errorf("TEXT %s: want TEXT ·name(SB), FLAGS, $frame-arguments", rest)
	}
	if p.file.functions[name] != nil {
		return fmt.Errorf("function %s stands twice", name)
	}
	fn := &function{name: name, frame: parts[len(parts)-1], line: p.line}
	p.file.functions[name] = fn
	p.file.names = append(p.file.names, name)
	p.texts = append(p.texts, &textLines{function: fn, labels: map[string]int{}})
	return nil
}

func (p *parser) symbol(name string) *symbol {
	name = strings.TrimSuffix(name, "<>")
	if p.symbols[name] == nil {
		p.symbols[name] = &symbol{name: name, line: p.line, parts: map[int][]byte{}}
	}
	return p.symbols[name]
}

// parseData reads what follows DATA: name<>+0(SB)/4, $1.
func (p *parser) parseData(rest string) error {
	bad := fmt.Errorf("DATA %s: want DATA name<>+offset(SB)/bytes, $value", rest)
	place, value, ok := strings.Cut(rest, ",")
	place, bytes, ok2 := strings.Cut(place, "(SB)/")
	i := strings.LastIndex(place, "+")
	if !ok || !ok2 || i < 0 {
		return bad
	}
	offset, err := parseInt(place[i+1:])
	size, err2 := parseInt(bytes)
	if err != nil || err2 != nil || offset < 0 || size < 1 || size > 64 {
		return bad
	}
	b, err := parseConstant(strings.TrimSpace(value), int(size))
	if err != nil {
		return fmt.Errorf("DATA %s: %w", rest, err)
	}
	p.symbol(place[:i]).parts[int(offset)] = b
	return nil
}

// parseGlobal reads what follows GLOBL: name<>(SB), RODATA|NOPTR, $32.
func (p *parser) parseGlobal(rest string) error {
	parts := splitOperands(rest)
	name, ok := strings.CutSuffix(parts[0], "(SB)")
	size, err := strconv.Atoi(strings.TrimPrefix(parts[len(parts)-1], "$"))
	switch {
	case !ok || err != nil || size < 1 || size > 1<<24:
		return fmt.Errorf("GLOBL %s: want GLOBL name<>(SB), RODATA|NOPTR, $bytes", rest)
	case !strings.Contains(rest, "RODATA") && !strings.Contains(rest, ", 8") && !strings.Contains(rest, ", 24"):
		return fmt.Errorf("GLOBL %s: only read-only data is understood: RODATA", rest)
	}
	s := p.symbol(name)
	s.bytes = symbolMemory(size)
	for offset, b := range s.parts {
		if offset+len(b) > size {
			return fmt.Errorf("GLOBL %s: DATA at %d does not fit", rest, offset)
		}
		copy(s.bytes[offset:], b)
	}
	s.parts = map[int][]byte{}
	return nil
}

// symbolMemory allocates data of a symbol as Go's linker may place it: aligned to 32 bytes at the most, and here never to more.
func symbolMemory(size int) []byte {
	align := 1
	for align < 32 && align < size {
		align *= 2
	}
	b := make([]byte, size+128)
	skip := int(-addressOf(b)&63) + align
	return b[skip:][:size:size]
}

// splitOperands splits at commas.
func splitOperands(s string) []string {
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// decode makes the instructions of a function.
func (p *parser) decode(fn *textLines) error {
	for _, l := range fn.lines {
		d := decoder{parser: p, fn: fn}
		text := strings.TrimSpace(l.opcode + " " + l.operands)
		run, err := d.decode(l.opcode, l.operands)
		if err != nil {
			return p.place(l.number, fmt.Errorf("%s: %w", text, err))
		}
		fn.code = append(fn.code, instruction{run, l.number, text})
	}
	last := fn.line
	if len(fn.lines) > 0 {
		last = fn.lines[len(fn.lines)-1].number
	}
	end := func(m *machine) { m.fail("runs past the end of the function") }
	fn.code = append(fn.code, instruction{end, last, "(end)"})
	return nil
}

// decoder makes one instruction.
type decoder struct {
	*parser
	fn   *textLines
	name string // without suffixes
	suffixes
}

// suffixes are what stands behind an opcode's points.
type suffixes struct {
	broadcast, zero bool
	round           rounding
	suppress        bool // SAE
}

func (d *decoder) decode(opcode, operandText string) (func(m *machine), error) {
	name, suffix, _ := strings.Cut(opcode, ".")
	d.name = name
	if err := d.parseSuffixes(suffix); err != nil {
		return nil, err
	}
	var ops []operand
	if operandText != "" {
		for _, text := range splitOperands(operandText) {
			o, err := parseOperand(text)
			if err != nil {
				return nil, err
			}
			if err := d.resolve(o.ref); err != nil {
				return nil, err
			}
			ops = append(ops, o)
		}
	}
	if build, ok := builders()[name]; ok {
		return build(d, ops)
	}
	if rows := vectorRows()[name]; rows != nil {
		return d.decodeVector(rows, ops)
	}
	return nil, fmt.Errorf("opcode %s is not known", name)
}

func (d *decoder) parseSuffixes(text string) error {
	d.round = roundNearest
	if text == "" {
		return nil
	}
	for s := range strings.SplitSeq(text, ".") {
		switch s {
		case "BCST":
			d.broadcast = true
		case "Z":
			d.zero = true
		case "SAE", "RN_SAE":
			d.suppress = true
		case "RD_SAE", "RU_SAE", "RZ_SAE":
			d.round = map[byte]rounding{'D': roundDown, 'U': roundUp, 'Z': roundZero}[s[1]]
		default:
			return fmt.Errorf("suffix .%s is not known", s)
		}
	}
	return nil
}

func (d *decoder) resolve(r *reference) error {
	if r == nil {
		return nil
	}
	r.hint = d.fn.references
	d.fn.references++
	if r.symbol == "" {
		return nil
	}
	s := d.symbols[r.symbol]
	if s == nil {
		return fmt.Errorf("symbol %s is not in this file", r.symbol)
	}
	r.disp += addressOf(s.bytes)
	return nil
}
