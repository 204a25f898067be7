package graph

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// InlineElements is the greatest number of elements of a constant that Print writes into the text. A larger constant is
// written as a variable, whose elements stand in a file of their own.
const InlineElements = 16

// Print writes g as an NNEF 1.0 document, the same bytes for the same graph. What NNEF cannot say stands in extension
// statements:
//
//	extension concord_operators;          the operators are those of package op: those that NNEF has too may take
//	                                      further attributes, the others are declared as fragments without a body
//	extension concord_type NAME TYPE;     the element type of a value that external, variable or constant yields, where
//	                                      it is not float32, int64 or bool
//	extension concord_name NAME 'TEXT';   the name of an input or output that is not an identifier
//	extension concord_label NAME 'TEXT';  the label of the node whose first result has that name
//
// [QuoteText] says how a TEXT is written that is not of printable ASCII characters.
//
// Attributes that have their default value are left out; the type of each result follows in a comment. A state that no
// run changes is updated with itself. Package nnef reads the document back into an equal graph.
//
// A block is written as a fragment with a body, before the fragments and the graph whose nodes own it. Its name is made of the
// first result of the node and the name that the operator gives the block: y_then. The node names it in a string. Statements on
// values of a block say y_then.NAME; a stored constant of a block that has no label of its own is stored under that name, too.
func Print(w io.Writer, g *Graph, rules Rules) error { return PrintForm(w, g, rules, Form{}) }

// Form says how [PrintForm] writes a graph.
type Form struct {
	// Standard leaves out the extension concord_operators and the labels of nodes, which stand in comments only. It is for
	// graphs whose operators mean what the standard's operations of their names mean, and for rules whose signatures are
	// those of the standard.
	Standard bool

	// Extensions are further extension statements, each what stands between the keyword and the semicolon.
	Extensions []string
}

// PrintForm is [Print] in another form.
func PrintForm(w io.Writer, g *Graph, rules Rules, form Form) error {
	if err := g.Complete(); err != nil {
		return err
	}
	if rules == nil {
		return errNoRules
	}
	p := newPrinter(&document{w: bufio.NewWriter(w), rules: rules, form: form, fragments: make(naming.Set)}, g, "")
	p.whole()
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// Identifiers returns the identifiers that [Print] declares in the graph itself, by the names of their values. Constants that stand
// where they are used have none.
func Identifiers(g *Graph) map[string]string {
	if g.Complete() != nil {
		return nil
	}
	p := newPrinter(nil, g, "")
	names := make(map[string]string, len(p.idents))
	for v, id := range p.idents {
		if !p.literal(v) {
			names[v.Name] = id
		}
	}
	return names
}

// Text returns what Print writes.
func Text(g *Graph, rules Rules) string {
	var b strings.Builder
	if err := Print(&b, g, rules); err != nil {
		return "# " + err.Error()
	}
	return b.String()
}

// document is what the printers of a graph and of all blocks in it share.
type document struct {
	w         *bufio.Writer
	rules     Rules
	form      Form
	fragments naming.Set // the names of blocks
	err       error
}

// printer writes one graph: the whole one or a block.
type printer struct {
	*document
	g        *Graph
	fragment string            // the name of the block; empty for the whole graph
	idents   map[*Value]string // inputs, states, constants and results as they are written
	taken    naming.Set
	outputs  []string             // as they are written
	blocks   map[*Node][]*printer // of the nodes that own graphs
}

func newPrinter(d *document, g *Graph, fragment string) *printer {
	p := &printer{document: d, g: g, fragment: fragment, idents: make(map[*Value]string), taken: make(naming.Set),
		blocks: make(map[*Node][]*printer)}
	p.name()
	return p
}

func (d *document) printf(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

// name gives every value an identifier.
func (p *printer) name() {
	for _, v := range p.g.Inputs {
		p.idents[v] = p.identifier(v.Name)
	}
	// A result that is an output takes the output's name; other outputs are copies under their own names.
	p.outputs = make([]string, len(p.g.Outputs))
	for i, o := range p.g.Outputs {
		p.outputs[i] = p.identifier(o.Name)
		if o.Value.Producer != nil && p.idents[o.Value] == "" {
			p.idents[o.Value] = p.outputs[i]
		}
	}
	for v := range p.g.Values() {
		if p.idents[v] == "" {
			p.idents[v] = p.identifier(v.Name)
		}
	}
}

// enter makes the printers of the blocks, and returns all there are: those of blocks before those of the nodes that own them.
func (p *printer) enter() []*printer {
	var all []*printer
	for _, n := range p.g.Nodes {
		sig, _ := p.rules.Signature(n.Op)
		for i, b := range n.Blocks {
			name := n.Op
			if i < len(sig.Blocks) {
				name = sig.Blocks[i]
			}
			if len(n.Out) > 0 {
				name = p.idents[n.Out[0]] + "_" + name
			}
			inner := newPrinter(p.document, b, p.fragments.Take(Identifier(p.qualify(name, "_"))))
			p.blocks[n] = append(p.blocks[n], inner)
			all = append(all, inner.enter()...)
		}
	}
	return append(all, p)
}

// qualify puts the name of the block before that of something in it.
func (p *printer) qualify(name, separator string) string {
	if p.fragment == "" {
		return name
	}
	return p.fragment + separator + name
}

// copies returns the statements for outputs that are not results or have another name, too.
func (p *printer) copies() []string {
	var copies []string
	for i, o := range p.g.Outputs {
		if p.idents[o.Value] != p.outputs[i] {
			copies = append(copies, fmt.Sprintf("    %s = copy(%s);  # %v\n", p.outputs[i], p.ref(o.Value), o.Value.Type))
		}
	}
	return copies
}

func (p *printer) whole() {
	all := p.enter()
	p.printf("version 1.0;\n\n")
	if !p.form.Standard {
		p.printf("extension concord_operators;\n")
	}
	declarations := p.declarations(all)
	if len(declarations) > 0 {
		p.printf("extension KHR_enable_fragment_definitions;\n")
	}
	for _, q := range all {
		q.types()
	}
	for _, v := range p.g.Inputs {
		if p.idents[v] != v.Name {
			p.printf("extension concord_name %s %s;\n", p.idents[v], QuoteText(v.Name))
		}
	}
	for i, o := range p.g.Outputs {
		if p.outputs[i] != o.Name {
			p.printf("extension concord_name %s %s;\n", p.outputs[i], QuoteText(o.Name))
		}
	}
	for _, q := range all {
		q.labels()
	}
	for _, e := range p.form.Extensions {
		p.printf("extension %s;\n", e)
	}
	if !p.form.Standard || len(p.form.Extensions) > 0 {
		p.printf("\n")
	}
	for _, d := range declarations {
		p.printf("%s\n", d)
	}
	if len(declarations) > 0 {
		p.printf("\n")
	}
	for _, q := range all[:len(all)-1] {
		params := list(q.g.Inputs, func(v *Value) string { return q.idents[v] + ": tensor<" + nnefType(v.Type.DType) + ">" })
		results := make([]string, len(q.outputs))
		for i, o := range q.g.Outputs {
			results[i] = q.outputs[i] + ": tensor<" + nnefType(o.Value.Type.DType) + ">"
		}
		p.printf("fragment %s( %s ) -> ( %s )\n{\n", q.fragment, params[1:len(params)-1], strings.Join(results, ", "))
		q.statements()
		p.printf("}\n\n")
	}
	inputs := make([]string, len(p.g.Inputs))
	for i, v := range p.g.Inputs {
		inputs[i] = p.idents[v]
	}
	p.printf("graph %s( %s ) -> ( %s )\n{\n", Identifier(p.g.Name), strings.Join(inputs, ", "), strings.Join(p.outputs, ", "))
	for _, v := range p.g.Inputs {
		p.printf("    %s = external<%s>(shape = %s);\n", p.idents[v], nnefType(v.Type.DType), extents(v.Type.Shape))
	}
	p.statements()
	p.printf("}\n")
}

// types writes the element types that the types of NNEF do not say. Those of a block's inputs are those of what the node gives it.
func (p *printer) types() {
	for v := range p.g.Values() {
		given := p.fragment != "" && v.Const == nil
		if v.Producer == nil && !given && v.Type.DType != natural(nnefType(v.Type.DType)) {
			p.printf("extension concord_type %s %v;\n", p.qualify(p.idents[v], "."), v.Type.DType)
		}
	}
}

// statements writes what computes the outputs and the next contents of states.
func (p *printer) statements() {
	for _, s := range p.g.States {
		p.variable(s.Value)
	}
	for v := range p.g.Constants() {
		if !p.literal(v) {
			p.constant(v)
		}
	}
	for _, n := range p.g.Nodes {
		p.node(n)
	}
	for _, c := range p.copies() {
		p.w.WriteString(c)
	}
	for _, s := range p.g.States {
		next := s.Next
		if next == nil {
			next = s.Value // a variable without an update would be a constant
		}
		p.printf("    %s = update(%s, %s);\n", p.identifier(p.idents[s.Value]+"_next"), p.idents[s.Value], p.ref(next))
	}
}

// labels writes the labels of nodes. In standard NNEF they stand in the comments alone.
func (p *printer) labels() {
	for _, n := range p.g.Nodes {
		if n.Label != "" && len(n.Out) > 0 && !p.form.Standard {
			p.printf("extension concord_label %s %s;\n", p.qualify(p.idents[n.Out[0]], "."), QuoteText(n.Label))
		}
	}
}

// identifier reserves an identifier like name.
func (p *printer) identifier(name string) string { return p.taken.Take(Identifier(name)) }

// declarations returns a fragment declaration for each operator in use that NNEF does not have, sorted by name.
func (p *printer) declarations(all []*printer) []string {
	used := make(map[string]bool)
	for _, q := range all {
		for _, n := range q.g.Nodes {
			used[n.Op] = true
		}
	}
	var out []string
	for op := range used {
		sig, ok := p.rules.Signature(op)
		if !ok {
			p.err = fmt.Errorf("there is no operator %q", op)
			return nil
		}
		if !sig.Standard {
			out = append(out, Declaration(op, sig))
		}
	}
	sort.Strings(out)
	return out
}

// Declaration returns the declaration of an operator as an NNEF fragment without a body.
func Declaration(op string, sig Signature) string {
	op = Identifier(op)
	var params, results []string
	generic := false
	note := func(t string) string {
		generic = generic || t == "?"
		return t
	}
	for _, o := range sig.Operands {
		t := fmt.Sprintf("%s: tensor<%s>", o.Name, note(o.Type))
		if o.Variadic {
			t += "[]"
		} else if o.Optional {
			t += " = " + map[string]string{"scalar": "0.0", "integer": "0", "logical": "false", "?": "0.0"}[o.Type]
		}
		params = append(params, t)
	}
	for _, a := range sig.Attrs {
		t := fmt.Sprintf("%s: %s", a.Name, a.nnefType())
		if a.Default != nil {
			t += " = " + a.Literal(a.Default)
		}
		params = append(params, t)
	}
	for _, b := range sig.Blocks {
		params = append(params, Identifier(b)+": string")
	}
	for _, r := range sig.Results {
		t := fmt.Sprintf("%s: tensor<%s>", r.Name, note(r.Type))
		if r.Variadic {
			t += "[]"
		}
		results = append(results, t)
	}
	if generic {
		op += "<?>"
	}
	return fmt.Sprintf("fragment %s( %s ) -> ( %s );", op, strings.Join(params, ", "), strings.Join(results, ", "))
}

func (a AttrSig) nnefType() string {
	switch {
	case a.Pairs:
		return "(integer,integer)[]"
	case a.Kind == KindDType:
		return "string"
	}
	return a.Kind.String()
}

// Literal writes a value of the attribute as NNEF does.
func (a AttrSig) Literal(v any) string {
	if list, ok := v.([]int); ok && a.Pairs {
		items := make([]string, len(list)/2)
		for i := range items {
			items[i] = fmt.Sprintf("(%d,%d)", list[2*i], list[2*i+1])
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return Literal(v)
}

// Literal writes an attribute's value as NNEF does.
func Literal(v any) string {
	switch v := v.(type) {
	case float64:
		return scalar(v, 64)
	case string:
		return Quote(v)
	case tensor.DType:
		return Quote(v.String())
	case []int:
		return list(v, strconv.Itoa)
	case []float64:
		return list(v, func(x float64) string { return scalar(x, 64) })
	case []string:
		return list(v, Quote)
	}
	return fmt.Sprint(v)
}

func list[T any](items []T, f func(T) string) string {
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = f(x)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// scalar writes x with the fewest digits that read back as x, and always with a point or an exponent.
func scalar(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

var (
	quoting  = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	escaping = strings.NewReplacer(" ", `\x20`, "'", `\x27`, ";", `\x3b`)
)

// Quote writes s as an NNEF string in single quotes.
func Quote(s string) string {
	return "'" + quoting.Replace(s) + "'"
}

// QuoteText writes any text in an extension statement: as [Quote] does or, if it has characters that NNEF's strings cannot
// hold, as a Go string in double quotes, in which spaces, apostrophes and semicolons are escaped, too.
func QuoteText(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return Quote(s)
	}
	return escaping.Replace(strconv.QuoteToASCII(s))
}

// UnquoteText reads a text that [QuoteText] has written, at the beginning of s, and returns what follows.
func UnquoteText(s string) (text, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		quoted, _ := strconv.QuotedPrefix(s) // "" if there is none, which is no quoted text
		text, err := strconv.Unquote(quoted)
		return text, s[len(quoted):], err == nil
	}
	if !strings.HasPrefix(s, "'") {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\'':
			return b.String(), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", s, false
			}
		}
		b.WriteByte(s[i])
	}
	return "", s, false
}

func extents(s tensor.Shape) string { return list(s, strconv.Itoa) }

// nnefType returns the NNEF type that stands for an element type.
func nnefType(d tensor.DType) string {
	switch {
	case d.IsFloat() || d.IsSmallFloat():
		return "scalar"
	case d.IsInteger():
		return "integer"
	}
	return "logical"
}

// natural returns the element type that an NNEF type has unless an extension says otherwise.
func natural(nnef string) tensor.DType {
	return map[string]tensor.DType{"scalar": tensor.Float32, "integer": tensor.Int64, "logical": tensor.Bool}[nnef]
}

// Stored reports whether Print writes a constant as a variable, whose elements stand in a file of their own under its
// [StorageLabel].
func Stored(v *Value) bool {
	return v != nil && v.Const != nil && (v.Label != "" || !inlinable(v.Const))
}

// literal reports whether a constant is written where it is used: a finite scalar of a natural type.
func (p *printer) literal(v *Value) bool {
	return v.Const != nil && v.Const.Rank() == 0 && v.Label == "" && v.Type.DType == natural(nnefType(v.Type.DType)) && inlinable(v.Const)
}

// inlinable reports whether the elements of t are few and can be written.
func inlinable(t *tensor.Tensor) bool {
	if t.Len() == 0 || t.Len() > InlineElements {
		return false
	}
	if d := t.DType(); d.IsFloat() || d.IsSmallFloat() {
		for _, x := range floats(t) {
			if math.IsInf(x, 0) || math.IsNaN(x) {
				return false
			}
		}
	}
	return t.DType() != tensor.Uint64 || slices.Max(tensor.Data[uint64](t)) <= math.MaxInt64
}

func floats(t *tensor.Tensor) []float64 {
	wide, err := tensor.Cast(t, tensor.Float64)
	if err != nil { // Without this all is the same: each float is one of 64 bits.
		return nil
	}
	return tensor.Data[float64](wide)
}

// elements writes the elements of an inlinable constant.
func elements(t *tensor.Tensor) []string {
	out := make([]string, 0, t.Len())
	switch {
	case t.DType().IsFloat() || t.DType().IsSmallFloat():
		for _, x := range floats(t) {
			out = append(out, scalar(x, max(t.DType().Bits(), 32)))
		}
	case t.DType() == tensor.Bool:
		for _, b := range tensor.Data[bool](t) {
			out = append(out, strconv.FormatBool(b))
		}
	default:
		if wide, err := tensor.Cast(t, tensor.Int64); err == nil {
			for _, x := range tensor.Data[int64](wide) {
				out = append(out, strconv.FormatInt(x, 10))
			}
		}
	}
	return out
}

func (p *printer) constant(v *Value) {
	if Stored(v) {
		p.variable(v)
		return
	}
	p.printf("    %s = constant<%s>(shape = %s, value = [%s]);\n",
		p.idents[v], nnefType(v.Type.DType), extents(v.Type.Shape), strings.Join(elements(v.Const), ", "))
}

func (p *printer) variable(v *Value) {
	p.printf("    %s = variable<%s>(shape = %s, label = %s);\n",
		p.idents[v], nnefType(v.Type.DType), extents(v.Type.Shape), Quote(p.storageLabel(v)))
}

// StorageLabel returns the label under which the elements of a constant or state are stored: its own or else its name.
func StorageLabel(v *Value) string {
	v = cmp.Or(v, new(Value))
	if v.Label != "" {
		return v.Label
	}
	return v.Name
}

func (p *printer) storageLabel(v *Value) string {
	if v.Label == "" {
		return p.qualify(StorageLabel(v), ".")
	}
	return v.Label
}

// Storage is a tensor that [Print] leaves to a file of its own.
type Storage struct {
	Label string // under which the document asks for it
	Value *Value // a constant or a state of the graph or of a block
}

// Storages returns what [Print] leaves to files, blocks included: the states and stored constants.
func Storages(g *Graph, rules Rules) []Storage {
	if g.Complete() != nil {
		return nil
	}
	var list []Storage
	for _, p := range newPrinter(&document{rules: rules, fragments: make(naming.Set)}, g, "").enter() {
		for _, s := range p.g.States {
			list = append(list, Storage{p.storageLabel(s.Value), s.Value})
		}
		for v := range p.g.Constants() {
			if Stored(v) {
				list = append(list, Storage{p.storageLabel(v), v})
			}
		}
	}
	return list
}

// ref writes a value where it is used.
func (p *printer) ref(v *Value) string {
	if p.literal(v) {
		return elements(v.Const)[0]
	}
	return p.idents[v]
}

func (p *printer) node(n *Node) {
	sig, _ := p.rules.Signature(n.Op) // that there is none, declarations has reported
	var args []string
	named, generic := false, ""
	for i, o := range sig.Operands {
		arg := ""
		switch {
		case o.Variadic:
			rest := n.In[min(i, len(n.In)):]
			arg = list(rest, p.ref)
		case i >= len(n.In) || n.In[i] == nil:
			named = true
			continue
		default:
			arg = p.ref(n.In[i])
		}
		if named {
			arg = o.Name + " = " + arg
		}
		args = append(args, arg)
	}
	for _, a := range sig.Attrs {
		v := n.Attrs.Get(a.Name)
		if d, ok := v.(tensor.DType); ok && a.Default == nil && sig.Standard {
			// NNEF has this type as the generic parameter of the operation.
			generic = "<" + nnefType(d) + ">"
			if d == natural(nnefType(d)) {
				continue
			}
		}
		if text := a.Literal(v); a.Default == nil || text != a.Literal(a.Default) {
			args = append(args, a.Name+" = "+text)
		}
	}
	for i, b := range p.blocks[n] {
		if i < len(sig.Blocks) {
			args = append(args, Identifier(sig.Blocks[i])+" = "+Quote(b.fragment))
		}
	}
	p.printf("    %s = %s%s(%s);", p.results(n, sig), Identifier(n.Op), generic, strings.Join(args, ", "))
	p.printf("  # %s", strings.Join(typesOf(n.Out), ", "))
	if n.Label != "" && p.form.Standard { // the text form has a statement for it
		p.printf(" %q", n.Label)
	}
	p.printf("\n")
}

func typesOf(values []*Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.Type.String()
	}
	return out
}

func (p *printer) results(n *Node, sig Signature) string {
	var items []string
	for i, r := range sig.Results {
		if r.Variadic {
			items = append(items, list(n.Out[min(i, len(n.Out)):], func(v *Value) string { return p.idents[v] }))
		} else if i < len(n.Out) {
			items = append(items, p.idents[n.Out[i]])
		}
	}
	if len(items) == 1 {
		return items[0]
	}
	return "(" + strings.Join(items, ", ") + ")"
}
