package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Format returns the canonical text of a document: four spaces of indentation, one assignment in a line, lines of at most
// 120 columns where a comma or operator allows it, single quotes, the shortest numbers that read back to the same value,
// comments and single empty lines where they were; comments inside of a statement move before it. Reading the
// text gives an equal tree. A tree that no text stands for (an infinite scalar, a name that is no identifier, a tuple
// of one item) gives an error.
func Format(doc *Document) (text []byte, err error) {
	if doc == nil || doc.Graph == nil {
		return nil, errors.New("there is no document: it is nil, or has no graph")
	}
	defer func() {
		if lacking := recover(); lacking != nil {
			text, err = nil, fmt.Errorf("the document is not complete: %v", lacking)
		}
	}()
	f := &formatter{dialect: doc.Dialect, escape: doc.Tract}
	f.document(doc)
	return f.b, f.err
}

// FormatExpr returns an expression, or a pattern, as it is written in the dialect.
func FormatExpr(x Expr, d Dialect) (string, error) {
	f := &formatter{dialect: d}
	f.expr(x, levelSelect)
	return string(f.b), f.err
}

// FormatScalar returns the shortest text of a finite scalar that reads back to the same value. It always holds a point or
// an exponent.
func FormatScalar(v float64) string { return string(appendScalar(nil, v)) }

// Scalars between these bounds are written without an exponent.
const (
	smallScalar = 1e-4
	largeScalar = 1e15
)

// shortExponents takes the plus and the zero out of e+15 and e-06.
var shortExponents = strings.NewReplacer("e+", "e", "e-0", "e-")

func appendScalar(b []byte, v float64) []byte {
	if a := math.Abs(v); a != 0 && (a < smallScalar || a >= largeScalar) {
		return append(b, shortExponents.Replace(strconv.FormatFloat(v, 'e', -1, 64))...)
	}
	from := len(b)
	b = strconv.AppendFloat(b, v, 'f', -1, 64)
	if bytes.IndexByte(b[from:], '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// FormatString returns a string literal in single quotes.
func FormatString(s string) string { return string(appendString(nil, s, '\'')) }

func appendString(b []byte, s string, quote byte) []byte {
	b = append(b, quote)
	for i := range len(s) {
		if s[i] == quote || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, quote)
}

// indent is one level of indentation.
const indent = "    "

// lineWidth is the length from which lines are broken.
const lineWidth = 120

// formatter appends text and remembers the first error.
type formatter struct {
	b       []byte
	dialect Dialect
	escape  bool // names that are no identifiers are written i"name"
	err     error

	breaks []lineBreak // where the statement may be broken
	depth  int         // brackets open in the statement
}

// lineBreak is a space that may become the end of a line.
type lineBreak struct {
	at    int // offset of the space
	depth int // how tightly what it separates belongs together
}

// space writes a space at which the line may be broken.
func (f *formatter) space() {
	f.breaks = append(f.breaks, lineBreak{len(f.b), f.depth * levels})
	f.b = append(f.b, ' ')
}

// open and close write brackets.
func (f *formatter) open(s string)  { f.text(s); f.depth++ }
func (f *formatter) close(s string) { f.text(s); f.depth-- }

// begin starts a construct that wrap may break into lines, and returns where it starts.
func (f *formatter) begin() int {
	f.breaks, f.depth = f.breaks[:0], 0
	return len(f.b)
}

// wrap breaks what was written since begin, at offset from of the text, into lines. Each is broken where what it holds is
// the least tightly joined, as late as possible; the further lines begin with indent.
func (f *formatter) wrap(from int, indent string) {
	if len(f.b)-from <= lineWidth { // Without this what fits would be looked through.
		return
	}
	line := append([]byte(nil), f.b[from:]...)
	f.b = f.b[:from]
	done, used := 0, 0 // bytes of line that were written, and columns of the current line before them
	next := 0
	for used+len(line)-done > lineWidth {
		best := -1
		for i := next; i < len(f.breaks) && (used+f.breaks[i].at-from-done <= lineWidth || best < 0); i++ {
			if best < 0 || f.breaks[i].depth <= f.breaks[best].depth {
				best = i
			}
		}
		if best < 0 {
			break
		}
		at := f.breaks[best].at - from
		f.b = append(f.b, line[done:at]...)
		f.b = append(append(f.b, '\n'), indent...)
		done, used, next = at+1, len(indent), best+1
	}
	f.b = append(f.b, line[done:]...)
}

func (f *formatter) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("nnef text: "+format, args...)
	}
}

func (f *formatter) text(parts ...string) {
	for _, s := range parts {
		f.b = append(f.b, s...)
	}
}

// comments writes comments in lines of their own.
func (f *formatter) comments(list []string, indent string) {
	for _, c := range list {
		if c != "" {
			f.comment(indent, c)
		}
		f.text("\n")
	}
}

func (f *formatter) comment(indent, c string) {
	if strings.Contains(c, "\n") {
		f.fail("the comment %q has more than one line", c)
	}
	if !strings.HasPrefix(c, "#") {
		indent += "# "
	}
	f.text(indent, c)
}

// before writes what stands before a construct, at most one empty line at a time.
func (f *formatter) before(c *Comments, indent string) {
	if c != nil {
		f.comments(c.Before, indent)
	}
}

// endLine writes the comment behind a construct and ends its line.
func (f *formatter) endLine(c *Comments) {
	if c != nil && c.After != "" {
		f.comment(" ", c.After)
	}
	f.text("\n")
}

func (f *formatter) document(doc *Document) {
	f.before(doc.Comments, "")
	f.text("version 1.0")
	if doc.Dialect == Final {
		f.text(";")
	}
	f.endLine(doc.Comments)
	for i := range doc.Extensions {
		if i == 0 {
			f.text("\n")
		}
		f.extension(&doc.Extensions[i])
	}
	for _, fragment := range doc.Fragments {
		f.text("\n")
		f.fragment(fragment)
	}
	f.text("\n")
	f.graph(doc.Graph)
	if doc.Comments != nil && len(doc.Comments.Inner) > 0 {
		f.text("\n")
		f.comments(doc.Comments.Inner, "")
	}
}

func (f *formatter) extension(e *Extension) {
	f.before(e.Comments, "")
	f.text("extension ")
	f.ident(e.Name)
	if e.Text != "" {
		lines := strings.Contains(e.Text, "\n") && !strings.Contains(e.Text, "'")
		if lines || !hasText(e.Name) || extensionText(e.Name, e.Text+";") != len(e.Text) {
			f.fail("the text of extension %s cannot be written", e.Name)
		}
		f.text(" ", e.Text)
	}
	f.text(";")
	f.endLine(e.Comments)
}

func (f *formatter) fragment(g *Fragment) {
	f.before(g.Comments, "")
	start := len(f.b)
	f.fragmentHead(g, false)
	if len(f.b)-start > lineWidth {
		f.b = f.b[:start]
		f.fragmentHead(g, true)
	}
	if g.Body == nil {
		f.text(";")
	} else {
		f.body(g.Body, g.Comments)
	}
	f.endLine(g.Comments)
}

// fragmentHead writes the declaration, in one line or with a line for each parameter.
func (f *formatter) fragmentHead(g *Fragment, broken bool) {
	f.text("fragment ")
	f.name(g.Name)
	if g.Generic != nil {
		f.text("<?")
		if g.Generic.Default != NoPrimitive {
			f.text(" = ", g.Generic.Default.Text(f.dialect))
		}
		f.text(">")
	}
	arrow := " -> "
	switch {
	case len(g.Params) == 0: // as tract declares its properties, and the text form blocks
		f.text("( )")
	case broken:
		arrow = "\n-> "
		f.params(g.Params, "(\n"+indent, ",\n"+indent)
	default:
		f.params(g.Params, "( ", ", ")
	}
	f.text(arrow)
	if len(g.Results) == 0 {
		f.fail("a fragment needs at least one result")
	}
	f.params(g.Results, "( ", ", ")
}

func (f *formatter) params(list []Param, open, separator string) {
	for i := range list {
		f.text(open)
		open = separator
		f.name(list[i].Name)
		f.text(": ", TypeText(list[i].Type, f.dialect))
		if list[i].Default != nil {
			f.text(" = ")
			f.expr(list[i].Default, levelSelect)
		}
	}
	f.text(" )")
}

func (f *formatter) graph(g *Graph) {
	f.before(g.Comments, "")
	start := f.begin()
	f.text("graph ")
	f.name(g.Name)
	f.names(g.Params)
	f.space()
	f.text("-> ")
	f.names(g.Results)
	f.wrap(start, indent)
	f.body(g.Body, g.Comments)
	f.endLine(g.Comments)
}

func (f *formatter) names(list []*Ident) {
	f.open("( ")
	f.list(len(list), func(i int) { f.name(list[i]) })
	f.close(" )")
}

// list writes n items with commas between them, at which the line may be broken.
func (f *formatter) list(n int, item func(i int)) {
	for i := range n {
		if i > 0 {
			f.text(",")
			f.space()
		}
		item(i)
	}
}

func (f *formatter) body(list []Assignment, c *Comments) {
	if len(list) == 0 {
		f.fail("a body needs at least one assignment")
	}
	f.text("\n{\n")
	for i := range list {
		f.assignment(&list[i])
	}
	if c != nil {
		f.comments(c.Inner, indent)
	}
	f.text("}")
}

func (f *formatter) assignment(a *Assignment) {
	f.before(a.Comments, indent)
	start := f.begin()
	f.text(indent)
	if t, ok := a.Left.(*Tuple); ok && len(t.Items) > 1 {
		f.list(len(t.Items), func(i int) { f.expr(t.Items[i], levelSelect) })
	} else {
		f.expr(a.Left, levelSelect)
	}
	f.text(" = ")
	f.expr(a.Right, levelSelect)
	f.text(";")
	f.wrap(start, indent+indent)
	f.endLine(a.Comments)
}

func (f *formatter) name(id *Ident) {
	if id == nil {
		f.fail("a name is missing")
		return
	}
	f.ident(id.Name)
}

func (f *formatter) ident(name string) {
	switch {
	case IsIdentifier(name, f.dialect):
		f.text(name)
	case f.escape && f.content(name):
		f.text("i")
		f.b = appendString(f.b, name, '"')
	default:
		f.fail("%q is no identifier", name)
	}
}

// content checks that a string can be written between quotes.
func (f *formatter) content(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f || s[i] >= 0x80 && !f.escape {
			return false
		}
	}
	return true
}

// exprs writes expressions between brackets.
func (f *formatter) exprs(open string, items []Expr, end string) {
	f.open(open)
	f.list(len(items), func(i int) { f.expr(items[i], levelSelect) })
	f.close(end)
}

// maybe writes an expression that may be left out, behind a word.
func (f *formatter) maybe(word string, x Expr) {
	if x != nil {
		f.text(word)
		f.expr(x, levelSelect)
	}
}

// level returns how tightly the text of an expression binds.
func (f *formatter) level(x Expr) int {
	switch x := x.(type) {
	case *Select:
		return levelSelect
	case *Binary:
		return x.Op.level()
	case *Unary:
		return levelUnary
	case *IntegerLit:
		if x.Value < 0 {
			return levelUnary
		}
	case *ScalarLit:
		if math.Signbit(x.Value) {
			return levelUnary
		}
	}
	return levelPostfix
}

// expr writes an expression, in parentheses if it binds more loosely than least.
func (f *formatter) expr(x Expr, least int) {
	if f.err != nil { // Without this more would be written that nobody gets.
		return
	}
	if f.level(x) < least {
		f.open("(")
		defer f.close(")")
	}
	switch x := x.(type) {
	case *IntegerLit:
		f.b = strconv.AppendInt(f.b, x.Value, 10)
	case *ScalarLit:
		if math.IsInf(x.Value, 0) || math.IsNaN(x.Value) {
			f.fail("%v has no literal", x.Value)
		}
		f.b = appendScalar(f.b, x.Value)
	case *LogicalLit:
		f.b = strconv.AppendBool(f.b, x.Value)
	case *StringLit:
		if !f.content(x.Value) {
			f.fail("%q holds what a string cannot", x.Value)
		}
		f.b = appendString(f.b, x.Value, '\'')
	case *Ident:
		f.ident(x.Name)
	case *Array:
		f.exprs("[", x.Items, "]")
	case *Tuple:
		if len(x.Items) < 2 {
			f.fail("a tuple needs at least two items")
		}
		f.exprs("(", x.Items, ")")
	case *Subscript:
		f.expr(x.X, levelPostfix)
		f.exprs("[", []Expr{x.Index}, "]")
	case *Range:
		f.expr(x.X, levelPostfix)
		f.open("[")
		f.maybe("", x.First)
		f.text(":")
		f.maybe("", x.Last)
		f.close("]")
	case *Unary:
		f.unary(x)
	case *Binary:
		f.expr(x.X, x.Op.level())
		f.text(" ", x.Op.String())
		f.breaks = append(f.breaks, lineBreak{len(f.b), f.depth*levels + x.Op.level()})
		f.b = append(f.b, ' ')
		f.expr(x.Y, x.Op.level()+1)
	case *Select:
		f.expr(x.Then, levelIn)
		f.space()
		f.text("if ")
		f.expr(x.Cond, levelIn)
		f.space()
		f.text("else ")
		f.expr(x.Else, levelSelect)
	case *Comprehension:
		f.comprehension(x)
	case *BuiltinCall:
		f.exprs(x.Func.Text(f.dialect)+"(", []Expr{x.Arg}, ")")
	case *Call:
		f.call(x)
	default:
		f.err = errors.New("nnef text: an expression is missing")
	}
}

// unary writes a sign. A minus before a number that does not belong to the literal needs parentheses.
func (f *formatter) unary(x *Unary) {
	least := levelUnary
	switch x.X.(type) {
	case *IntegerLit, *ScalarLit:
		if x.Op == Minus && f.level(x.X) == levelPostfix {
			least = levelPostfix + 1
		}
	}
	f.text(x.Op.String())
	f.expr(x.X, least)
}

func (f *formatter) comprehension(x *Comprehension) {
	if len(x.Iterators) == 0 {
		f.fail("a comprehension needs an iterator")
	}
	f.open("[")
	if f.dialect == Provisional {
		f.expr(x.Item, levelSelect)
		f.space()
	}
	f.text("for ")
	f.list(len(x.Iterators), func(i int) {
		f.name(x.Iterators[i].Name)
		f.text(" in ")
		f.expr(x.Iterators[i].In, levelIn)
	})
	if x.Cond != nil {
		f.space()
		f.maybe("if ", x.Cond)
	}
	if f.dialect == Final {
		f.space()
		f.text("yield ")
		f.expr(x.Item, levelSelect)
	}
	f.close("]")
}

func (f *formatter) call(x *Call) {
	f.name(x.Name)
	if x.Type != NoPrimitive {
		f.text("<", x.Type.Text(f.dialect), ">")
	}
	f.open("(")
	f.list(len(x.Args), func(i int) {
		if name := x.Args[i].Name; name != nil {
			f.ident(name.Name)
			f.text(" = ")
		}
		f.expr(x.Args[i].Value, levelSelect)
	})
	f.close(")")
}
