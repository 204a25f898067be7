package syntax

import (
	"strings"
	"unicode"
)

// What people write who know another language, and what stands for it in this one.

// wordHints are for words, operators and characters where no operand or name can stand.
var wordHints = map[string]string{
	"and":  "the operator is '&&'",
	"or":   "the operator is '||'",
	"not":  "the operator is '!'",
	"elif": "a choice is written 'a if c else b if d else e'",
	"then": "a choice is written 'a if c else b'",
	"?":    "a choice is written 'a if c else b'",
	"->":   "the results stand on the left: 'y = relu(x);'",
	"=>":   "results follow '->'",
	"==":   "an assignment is written with '='",
	":=":   "an assignment is written with '='",
	"//":   "a comment starts with '#'",
	"/*":   "a comment starts with '#'",
	"**":   "the power operator is '^'",
	// Characters that begin no token.
	"%":  "there is no remainder operator",
	"~":  "the operator of negation is '!'",
	"\\": "a statement may go on in the next line as it is",
	"`":  "strings stand in ' or \"",
	"@":  nameHint, "$": nameHint, ".": nameHint,
}

const nameHint = "names hold letters, digits and underscores"

// typeHints name the types that the standard has in place of those of other languages.
var typeHints = map[string]string{
	"float": "scalar", "float16": "scalar", "float32": "scalar", "float64": "scalar", "double": "scalar", "real": "scalar",
	"half": "scalar", "num": "scalar", "int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
	"uint8": "integer", "int8": "integer", "index": "integer", "bool": "logical", "boolean": "logical", "str": "string",
	"Tensor": "tensor",
}

// lookalikes are characters that editors and keyboards put in place of those of the language.
var lookalikes = map[rune]byte{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '“': '"', '”': '"', '„': '"', '«': '"', '»': '"', '−': '-', '–': '-',
	'—': '-',
	'，': ',', '；': ';', '：': ':',
	'（': '(', '）': ')', '［': '[', '］': ']', '｛': '{', '｝': '}', '＝': '=',
	'＋': '+', '＊': '*', '×': '*', '／': '/', '÷': '/', '＜': '<', '＞': '>',
}

// hintAt returns what the current token may have been meant for; the empty string if that is not known.
func (p *parser) hintAt() string {
	text := p.src.Text[p.tok.from:]
	word := p.src.Text[p.tok.from:p.tok.to]
	switch p.tok.kind {
	case tokEOF, tokString:
		return ""
	case '*':
		if p.tok.from > 0 && p.last == p.tok.from && p.src.Text[p.last-1] == '*' {
			return wordHints["**"]
		}
	case ':', '=', '/':
		if len(text) > 1 {
			if hint := wordHints[text[:2]]; hint != "" {
				return hint
			}
		}
	}
	if before := p.src.Text[:p.last]; strings.HasSuffix(before, " not") || strings.HasSuffix(before, "(not") {
		return wordHints["not"]
	}
	if p.last == p.tok.from && strings.Contains("/-:", word) && p.afterName() {
		return nameHint
	}
	return wordHints[word]
}

// afterName tells whether a name, or a keyword, ends directly before the current token.
func (p *parser) afterName() bool {
	from := p.last
	for from > 0 && isWord[p.src.Text[from-1]] {
		from--
	}
	return from < p.last && classOf[p.src.Text[from]] == clsLetter
}

// typeHint returns what to write for a word that is no type.
func (p *parser) typeHint(list string) string {
	word := p.src.Text[p.tok.from:p.tok.to]
	if name, ok := typeHints[word]; ok {
		if name == Integer.Text(Final) {
			name = Integer.Text(p.dialect)
		}
		return "write '" + name + "'"
	}
	return "the types are " + list
}

// binaryKinds are the first bytes of files that people take for texts.
var binaryKinds = []struct{ magic, what, hint string }{
	{"\x1f\x8b", "a gzip archive", "archives of models end in .tgz or .tar.gz"},
	{"N\xef", "a tensor file (.dat)", "the text of a model is its graph.nnef"},
	{"PK\x03\x04", "a zip archive", "models are folders or tar archives"},
	{"\xff\xfe", "a text in UTF-16", "save it as UTF-8 or ASCII"},
	{"\xfe\xff", "a text in UTF-16", "save it as UTF-8 or ASCII"},
}

// binary tells what a text is that is no text; the empty string if it may be one.
func binary(text string) (what, hint string) {
	for _, k := range binaryKinds {
		if strings.HasPrefix(text, k.magic) {
			return k.what, k.hint
		}
	}
	start, _, _ := strings.Cut(text[:min(len(text), 16)], "#") // a comment may hold anything
	if strings.IndexByte(start, 0) >= 0 {
		return "a binary file", "the text of a model is its graph.nnef"
	}
	return "", ""
}

// foreignLetter tells whether a character beyond ASCII may be meant as part of a name.
func foreignLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}
