package syntax

import (
	"errors"
	"fmt"
)

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
	opts.Strict = false
	return read(name, string(text), opts, func(p *parser) *Quantization {
		// The first token is a string in either dialect, so that choosing the keywords now is early enough.
		p.dialect = d
		q := &Quantization{Source: p.src}
		for p.tok.kind != tokEOF {
			var e QuantEntry
			before := p.leading(len(q.Entries) > 0)
			if p.statement(func() { p.quantEntry(&e) }) {
				e.Comments = p.attach(before)
				q.Entries = append(q.Entries, e)
			}
		}
		q.Comments = p.tail(len(q.Entries) > 0)
		return q
	})
}

func (p *parser) quantEntry(e *QuantEntry) {
	e.From = p.tok.from
	if p.tok.kind != tokString {
		p.fail(CodeUnexpected, p.tok.span(), `write "name": operation(…);`, "expected the name of a tensor in quotes, found %s", p.found())
	}
	e.Tensor = p.str()
	p.expect(':', "after the name of a tensor")
	e.Call = p.call(p.ident("the name of a quantization operation"), NoPrimitive, func() Expr {
		if p.tok.kind == tokIdent {
			return p.takeIdent()
		}
		return p.literal()
	})
	if p.tok.kind == ';' {
		p.next()
	} else if p.dialect == Final {
		p.missingSemicolon("every entry of a final document ends with ';'")
	}
	e.To = p.last
}

// FormatQuant returns the canonical text of a quantization file of the final dialect, which is also one of the
// provisional dialect.
func FormatQuant(q *Quantization) ([]byte, error) {
	if q == nil {
		return nil, errors.New("there is no quantization: it is nil")
	}
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
	return f.b, f.err
}
