package syntax

import "fmt"

// Quantization is a quantization file: how the tensors of a graph were or shall be quantized.
type Quantization struct {
	Source   *Source
	Entries  []QuantEntry
	Comments []string // at the end of the file
}

// QuantEntry is one line of a quantization file: "tensor": operation(name = value, …);
type QuantEntry struct {
	Span
	Tensor   *StringLit
	Call     *Call // its arguments are literals, arrays and tuples of them, or identifiers, which are never right
	Comments *Comments
}

// ParseQuant reads a quantization file; an empty one is right. Entries end with a semicolon in the final dialect and
// need none in the provisional one.
func ParseQuant(name string, text []byte, d Dialect, opts Options) (*Quantization, error) {
	p, err := newPartParser(name, string(text), opts)
	if err != nil {
		return nil, err
	}
	// The first token is a string in either dialect, so that choosing the keywords now is early enough.
	p.dialect = d
	q := &Quantization{Source: p.src}
	for p.tok.kind != tokEOF {
		start := p.tok.from
		e := QuantEntry{}
		before := p.leading(len(q.Entries) > 0)
		if !p.quantEntry(&e) {
			p.recover(start)
			if p.tok.from == start {
				p.next()
			}
			continue
		}
		e.Comments = p.attach(before)
		q.Entries = append(q.Entries, e)
	}
	q.Comments = p.tail(len(q.Entries) > 0)
	if err := p.finish().Err(); err != nil {
		return nil, err
	}
	return q, nil
}

func (p *parser) quantEntry(e *QuantEntry) bool {
	e.From = p.tok.from
	if p.tok.kind != tokString {
		p.errorAt(CodeUnexpected, p.tok.span(), `write "name": operation(…);`,
			"expected the name of a tensor in quotes, found %s", p.found())
		return false
	}
	e.Tensor = p.str()
	if !p.expect(tokColon, "after the name of a tensor") {
		return false
	}
	id := p.ident("the name of a quantization operation")
	open := p.tok
	if id == nil || !p.expect(tokLParen, "after the name of an operation") {
		return false
	}
	e.Call = &Call{Name: id}
	for {
		arg := Arg{}
		if p.tok.kind == tokIdent && p.peekAssign() {
			arg.Name = p.takeIdent()
			p.next()
		}
		if p.tok.kind == tokIdent {
			arg.Value = p.takeIdent()
		} else if arg.Value = p.literal(); arg.Value == nil {
			return false
		}
		e.Call.Args = append(e.Call.Args, arg)
		if p.tok.kind != tokComma {
			break
		}
		p.next()
	}
	if !p.closing(open, "or ',' after an argument") {
		return false
	}
	e.Call.Span = Span{id.From, p.last}
	e.To = p.last
	if p.tok.kind == tokSemicolon {
		p.next()
		e.To = p.last
		return true
	}
	if p.dialect == Final {
		p.missingSemicolon("every entry of a final document ends with ';'")
	}
	return true
}

// FormatQuant returns the canonical text of a quantization file of the final dialect, which is also one of the
// provisional dialect.
func FormatQuant(q *Quantization) ([]byte, error) {
	f := &formatter{escape: true}
	for i := range q.Entries {
		e := &q.Entries[i]
		if e.Tensor == nil || e.Call == nil {
			return nil, fmt.Errorf("nnef text: entry %d of the quantization is incomplete", i)
		}
		f.before(e.Comments, "")
		if !f.content(e.Tensor.Value) {
			f.fail("%q holds what a string cannot", e.Tensor.Value)
		}
		start := f.begin()
		f.b = appendString(f.b, e.Tensor.Value, '"')
		f.text(": ")
		f.call(e.Call)
		f.text(";")
		f.wrap(start, indent)
		f.endLine(e.Comments)
	}
	f.comments(q.Comments, "")
	return f.result()
}
