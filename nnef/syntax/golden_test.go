package syntax_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

var update = flag.Bool("update", false, "rewrite the golden files of testdata")

// TestDiagnosticTexts holds what a person sees of every kind of mistake: testdata/diagnostics.txt, which is read in reviews.
func TestDiagnosticTexts(t *testing.T) {
	var b strings.Builder
	for _, c := range badTexts {
		b.WriteString("== " + c.name + "\n")
		b.WriteString(renderParse(c.text, c.opts))
		b.WriteString("\n")
	}
	golden(t, "diagnostics.txt", b.String())
}

// renderParse returns the diagnostics of a text as the commands print them.
func renderParse(text string, opts syntax.Options) string {
	doc, err := syntax.Parse("net.nnef", []byte(text), opts)
	var list syntax.Diagnostics
	switch {
	case err == nil && len(doc.Warnings) == 0:
		return "accepted\n"
	case err == nil:
		list = doc.Warnings
	case !errors.As(err, &list):
		return err.Error() + "\n"
	}
	return list.Render()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	have, expect := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range have {
		if i >= len(expect) || have[i] != expect[i] {
			t.Fatalf("%s:%d: got %q; want %q (go test -update writes the file)", path, i+1, have[i], expect[min(i, len(expect)-1)])
		}
	}
	t.Fatalf("%s: lines are missing at the end", path)
}

// badText is a document with a mistake.
type badText struct {
	name string
	opts syntax.Options
	text string
}

// final and provisional put statements into a graph; inFragment puts them into a fragment of the final dialect.
func bad(name, text string) badText { return badText{name, syntax.Options{Strict: true}, text} }
func badFinal(name, body string) badText {
	return bad(name, "version 1.0;\n\ngraph net( x ) -> ( y )\n{\n"+body+"\n}\n")
}
func badOld(name, body string) badText {
	return bad(name, "version 1.0\n\ngraph net( x ) -> ( y )\n{\n"+body+"\n}\n")
}
func lenient(c badText) badText { c.name += " (lenient)"; c.opts.Lenient = true; return c }
func badHead(name, head string) badText {
	return bad(name, "version 1.0;\nextension KHR_enable_fragment_definitions;\n"+head+"\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = f(x);\n}\n")
}
func badOldHead(name, head string) badText {
	return bad(name, "version 1.0\n"+head+"\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1])\n    y = f(x)\n}\n")
}
func badFragment(name, body string) badText {
	return bad(name, "version 1.0;\nextension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n"+body+
		"\n}\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = f(x);\n}\n")
}
func badOldFragment(name, body string) badText {
	return badOldHead(name, "fragment f( x: tensor ) -> ( y: tensor )\n{\n"+body+"\n}")
}

var badTexts = []badText{
	// The version statement.
	bad("empty text", ""),
	bad("only comments", "# a model\n"),
	bad("no version", "graph net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("misspelt version", "Version 1.0;\n"),
	bad("version without a number", "version;\n"),
	bad("version of three parts", "version 1.0.5;\ngraph net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("integer version", "version 1;\n"),
	bad("another version", "version 1.1;\n"),
	bad("version 2", "version 2.0;\n"),
	bad("quoted version", "version \"1.0\";\n"),
	bad("SkriptND import", "import nn.math;\n\ngraph net {\n    @input { x: real[1]; }\n}\n"),
	bad("SkriptND operator", "operator relu {\n    @dtype { T: num; }\n    @input { x: T[d..(r)]; }\n    @output { y: T[d..(r)]; }\n}\n"),
	bad("SkriptND graph", "# exported\ngraph net {\n    @input { x: real[1,3]; }\n    @output { y: real[1,3]; }\n    @compose { y = nn.relu(x); }\n}\n"),
	bad("XML", "<?xml version=\"1.0\"?>\n"),
	bad("binary file", "N\xef\x01\x00\x10\x00\x00\x00"),
	bad("UTF-16", "\xff\xfev\x00e\x00r\x00s\x00i\x00o\x00n\x00"),
	bad("archive", "\x1f\x8b\x08\x00\x00\x00\x00\x00"),

	// Characters and literals.
	badFinal("two points", "    y = leaky_relu(x, alpha = 1.2.3);"),
	badFinal("no digit after the point", "    y = leaky_relu(x, alpha = 1.);"),
	badFinal("no digit before the point", "    y = leaky_relu(x, alpha = .5);"),
	badFinal("negative number without a digit before the point", "    y = leaky_relu(x, alpha = -.5);"),
	badFinal("exponent without digits", "    y = leaky_relu(x, alpha = 1.0e);"),
	badFinal("exponent of a sign alone", "    y = leaky_relu(x, alpha = 1.0e+);"),
	badFinal("hexadecimal number", "    y = conv(x, w, groups = 0x10);"),
	badFinal("float suffix", "    y = leaky_relu(x, alpha = 0.1f);"),
	badFinal("digit separators", "    y = reshape(x, shape = [1_000]);"),
	badFinal("number and word", "    y = add(1x, x);"),
	badFinal("infinity", "    y = max(x, -inf);"),
	badFinal("integer out of range", "    y = reshape(x, shape = [99999999999999999999]);"),
	badFinal("scalar out of range", "    y = leaky_relu(x, alpha = 1e999);"),
	badFinal("unterminated string", "    w = variable(shape = [1], label = 'w);\n    y = relu(x);"),
	badFinal("unknown escape", "    w = variable(shape = [1], label = 'a\\tb');"),
	badFinal("tab in a string", "    w = variable(shape = [1], label = 'a\tb');"),
	badFinal("umlaut in a string", "    w = variable(shape = [1], label = 'größe');"),
	badFinal("umlaut in an identifier", "    größe = relu(x);"),
	badFinal("smart quotes", "    w = variable(shape = [1], label = ‘w’);"),
	badFinal("no-break space", "    y =\u00a0relu(x);"),
	badFinal("typographic minus", "    y = leaky_relu(x, alpha = −0.1);"),
	badFinal("full-width comma", "    y = add(x，x);"),
	badFinal("slashes in a name", "    block/conv = relu(x);"),
	badFinal("points in a name", "    block.conv = relu(x);"),
	badFinal("colon in a name", "    x:0 = relu(x);"),
	badFinal("C comment", "    // the first layer\n    y = relu(x);"),
	badFinal("block comment", "    /* the first layer */\n    y = relu(x);"),
	badFinal("single ampersand", "    y = a & b;"),
	badFinal("word and", "    y = a and b;"),
	badFinal("word not", "    y = select(not a, x, x);"),
	badFinal("modulo", "    y = a % b;"),
	badFinal("power by two stars", "    y = a ** 2;"),
	badFinal("stray at", "    y = relu(@x);"),
	badFinal("zero byte", "    y = relu(\x00x);"),
	badFinal("Python's True", "    y = sum_reduce(x, axes = [0], normalize = True);"),
	badFinal("Python's None", "    y = conv(x, w, None);"),

	// Statements.
	badFinal("missing semicolon", "    t = relu(x)\n    y = relu(t);"),
	badFinal("missing semicolon, comment behind", "    t = relu(x)   # activation\n\n    y = relu(t);"),
	badFinal("missing semicolon at the end", "    y = relu(x)"),
	badFinal("two statements in a line", "    t = relu(x) y = relu(t);"),
	badFinal("double semicolon", "    y = relu(x);;"),
	badFinal("comma for semicolon", "    t = relu(x),\n    y = relu(t);"),
	badFinal("comparison for assignment", "    y == relu(x);"),
	badFinal("walrus", "    y := relu(x);"),
	badFinal("missing right side", "    y = ;"),
	badFinal("missing left side", "    relu(x);"),
	badFinal("call on the left", "    relu(x) = y;"),
	badFinal("number on the left", "    1 = relu(x);"),
	badFinal("subscript on the left", "    y[0] = relu(x);"),
	badFinal("arrow in a statement", "    relu(x) -> y;"),
	badFinal("keyword on the left", "    graph = relu(x);"),
	badFinal("keyword as operand", "    y = relu(string);"),
	badFinal("keyword as argument name", "    y = f(x, tensor = 1);"),
	badFinal("empty body", ""),
	bad("stray brace", "version 1.0;\n\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = relu(x);\n}\n}\n"),
	bad("missing brace", "version 1.0;\n\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1]);\n    y = relu(x);\n"),
	bad("missing opening brace", "version 1.0;\n\ngraph net( x ) -> ( y )\n    x = external(shape = [1]);\n    y = relu(x);\n}\n"),
	badHead("missing brace of a fragment", "extension KHR_enable_operator_expressions;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = x;\n"),

	// Brackets.
	badFinal("unclosed parenthesis", "    t = relu(x;\n    y = relu(t);"),
	badFinal("unclosed parenthesis at the line's end", "    t = relu(x\n    y = relu(t);"),
	badFinal("unclosed array", "    x = external(shape = [1, 2);\n    y = relu(x);"),
	badFinal("unclosed tuple", "    y = box(x, size = [1, 1], padding = [(0, 0), (1, 1]);"),
	badFinal("superfluous parenthesis", "    y = relu(x));"),
	badFinal("superfluous bracket", "    y = reshape(x, shape = [1, 2]]);"),
	badFinal("wrong closing bracket", "    y = reshape(x, shape = (1, 2]);"),
	badFinal("missing comma between arguments", "    y = conv(x, w border = 'constant');"),
	badFinal("missing comma between items", "    y = reshape(x, shape = [1 2]);"),
	badFinal("trailing comma of arguments", "    y = add(x, x,);"),
	badFinal("trailing comma of an array", "    y = reshape(x, shape = [1, 2,]);"),
	badFinal("colon for equals", "    y = reshape(x, shape: [1, 2]);"),
	badFinal("comparison for a named argument", "    y = reshape(x, shape == [1, 2]);"),
	badFinal("no arguments", "    y = relu();"),
	badFinal("tuple of one item", "    y = box(x, size = [1], padding = [(1)]);"),
	badFinal("empty tuple", "    y = box(x, size = [1], padding = [()]);"),
	badFinal("left side unclosed", "    [a, b = split(x, axis = 1, ratios = [1, 1]);"),
	badFinal("generic without type", "    x = external<>(shape = [1]);"),
	badFinal("generic of no type", "    x = external<float>(shape = [1]);"),
	badFinal("generic of a tensor", "    x = external<tensor>(shape = [1]);"),
	badFinal("unclosed generic", "    x = external<scalar(shape = [1]);"),

	// Expressions.
	badFragment("if without else", "    y = x if true;"),
	badFragment("else-if", "    y = x if a elif b else x;"),
	badFragment("if as in C", "    y = a ? x : x;"),
	badFragment("missing operand", "    y = x + ;"),
	badFragment("two operators", "    y = x + * x;"),
	badFragment("empty subscript", "    y = x[];"),
	badFragment("two subscripts in one", "    y = x[0, 1];"),
	badFragment("step in a range", "    y = x[0:4:2];"),
	badFragment("comprehension without yield", "    y = [for i in a];"),
	badFragment("comprehension without in", "    y = [for i a yield i];"),
	badFragment("Python's range", "    y = [for i in range(3) yield i]\n    z = x;"),
	badFragment("builtin of two arguments", "    y = shape_of(x, x);"),
	badFragment("builtin without argument", "    y = length_of();"),
	badFragment("builtin without parentheses", "    y = shape_of x;"),
	badFragment("parenthesis not closed", "    y = (x + x * x;"),
	badFragment("lambda", "    y = lambda x: x;"),

	// Declarations.
	badHead("missing arrow", "fragment f( x: tensor<scalar> ) ( y: tensor<scalar> );"),
	bad("missing arrow of the graph", "version 1.0;\ngraph net( x ) ( y )\n{\n    y = relu(x);\n}\n"),
	bad("wrong arrow", "version 1.0;\ngraph net( x ) => ( y )\n{\n    y = relu(x);\n}\n"),
	badHead("no parameters", "fragment f() -> ( y: tensor<scalar> );"),
	badHead("no results", "fragment f( x: tensor<scalar> ) -> ();"),
	badHead("parameter without a type", "fragment f( x, y: tensor<scalar> ) -> ( z: tensor<scalar> );"),
	badHead("result without a type", "fragment f( x: tensor<scalar> ) -> ( y );"),
	badHead("type first", "fragment f( tensor<scalar> x ) -> ( y: tensor<scalar> );"),
	badHead("result in no parentheses", "fragment f( x: tensor<scalar> ) -> y: tensor<scalar>;"),
	badHead("unknown type", "fragment f( x: tensor<float> ) -> ( y: tensor<scalar> );"),
	badHead("unknown primitive type", "fragment f( x: tensor<scalar>, n: int ) -> ( y: tensor<scalar> );"),
	badHead("type with capital", "fragment f( x: Tensor<scalar> ) -> ( y: tensor<scalar> );"),
	badHead("array with a length", "fragment f( x: tensor<scalar>, n: integer[2] ) -> ( y: tensor<scalar> );"),
	badHead("tuple type of one item", "fragment f( x: tensor<scalar>, n: (integer) ) -> ( y: tensor<scalar> );"),
	badHead("tensor of tensors", "fragment f( x: tensor<tensor<scalar>> ) -> ( y: tensor<scalar> );"),
	badHead("default of a result", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> = 0.0 );"),
	badHead("expression as default", "fragment f( x: tensor<scalar>, n: integer = 1 + 1 ) -> ( y: tensor<scalar> );"),
	badHead("name as default", "fragment f( x: tensor<scalar>, n: integer = m ) -> ( y: tensor<scalar> );"),
	badHead("generic mark", "fragment f<T>( x: tensor<T> ) -> ( y: tensor<T> );"),
	badHead("generic default", "fragment f<? = ?>( x: tensor<?> ) -> ( y: tensor<?> );"),
	badHead("missing end of a declaration", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )"),
	badHead("keyword as parameter", "fragment f( x: tensor<scalar>, string: string ) -> ( y: tensor<scalar> );"),
	badHead("keyword as fragment", "fragment for( x: tensor<scalar> ) -> ( y: tensor<scalar> );"),
	bad("typed graph parameter", "version 1.0;\ngraph net( x: tensor<scalar> ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("graph without a name", "version 1.0;\ngraph( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("graph name of words", "version 1.0;\ngraph my-net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("graph without parameters", "version 1.0;\ngraph net() -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("graph without results", "version 1.0;\ngraph net( x ) -> ()\n{\n    y = relu(x);\n}\n"),
	bad("no graph", "version 1.0;\n"),
	bad("two graphs", "version 1.0;\ngraph a( x ) -> ( y )\n{\n    y = relu(x);\n}\ngraph b( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("fragment behind the graph", "version 1.0;\nextension KHR_enable_fragment_definitions;\ngraph a( x ) -> ( y )\n{\n    y = relu(x);\n}\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n"),
	bad("text behind the graph", "version 1.0;\ngraph a( x ) -> ( y )\n{\n    y = relu(x);\n}\nend\n"),
	bad("extension behind a fragment", "version 1.0;\nextension KHR_enable_fragment_definitions;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\nextension KHR_enable_operator_expressions;\ngraph a( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("function", "version 1.0;\ndef f(x):\n    return x\n"),

	// Extensions.
	bad("extension without a name", "version 1.0;\nextension ;\ngraph net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("extension without a semicolon", "version 1.0;\nextension KHR_enable_fragment_definitions\ngraph net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("quoted extension", "version 1.0;\nextension 'KHR_enable_fragment_definitions';\ngraph net( x ) -> ( y )\n{\n    y = relu(x);\n}\n"),
	bad("fragment without its extension", "version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\ngraph net( x ) -> ( y )\n{\n    y = f(x);\n}\n"),
	lenient(bad("fragment without its extension", "version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\ngraph net( x ) -> ( y )\n{\n    y = f(x);\n}\n")),
	badFinal("operator without its extension", "    y = x + x * 2.0;"),
	lenient(badFinal("operator without its extension", "    y = x + x * 2.0;\n    z = y;")),
	badFinal("nested call without its extension", "    y = relu(exp(x));"),
	badFinal("identifier on the right without its extension", "    y = x;"),
	badFinal("parentheses without the extension", "    y = add((x), x);"),

	// The other dialect.
	badHead("extent in a final document", "fragment f( x: tensor<scalar>, n: extent[] ) -> ( y: tensor<scalar> );"),
	lenient(badHead("extent in a final document", "fragment f( x: tensor<scalar>, n: extent[] ) -> ( y: tensor<scalar> );")),
	badFragment("cast to extent in a final document", "    y = x * scalar(extent(1.5));"),
	lenient(badFragment("cast to extent in a final document", "    y = x * scalar(extent(1.5));")),
	badFinal("generic extent in a final document", "    x = external<extent>(shape = [1]);"),
	badHead("plain tensor in a final document", "fragment f( x: tensor, w: tensor[] ) -> ( y: tensor );"),
	lenient(badHead("plain tensor in a final document", "fragment f( x: tensor, w: tensor[] ) -> ( y: tensor );")),
	badFragment("provisional comprehension in a final document", "    y = [i for i in x if i > 0];"),
	lenient(badFragment("provisional comprehension in a final document", "    y = [i for i in x if i > 0];")),
	badFragment("bare tuple in a final document", "    a, b = x, x;\n    y = a;"),
	badOldHead("integer in a provisional document", "fragment f( x: tensor, n: integer[] ) -> ( y: tensor ) { y = x }"),
	lenient(badOldHead("integer in a provisional document", "fragment f( x: tensor, n: integer[] ) -> ( y: tensor ) { y = x }")),
	badOldFragment("cast to integer in a provisional document", "    y = x * scalar(integer(1.5))"),
	lenient(badOldFragment("cast to integer in a provisional document", "    y = x * scalar(integer(1.5))")),
	badOldHead("item type in a provisional document", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x }"),
	lenient(badOldHead("item type in a provisional document", "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x }")),
	badOldHead("generic in a provisional document", "fragment f<?>( x: tensor ) -> ( y: tensor ) { y = x }"),
	badOld("generic call in a provisional document", "    x = external<scalar>(shape = [1])\n    y = relu(x)"),
	badOldHead("fragment without a body in a provisional document", "fragment f( x: tensor ) -> ( y: tensor );"),
	lenient(badOldHead("fragment without a body in a provisional document", "fragment f( x: tensor ) -> ( y: tensor );")),
	bad("keyword on the left in a provisional document", "version 1.0\ngraph net( x ) -> ( y )\n{\n    x = external(shape = [1])\n    tensor = relu(x)\n}\n"),
	bad("extension in a provisional document", "version 1.0\nextension KHR_enable_fragment_definitions;\ngraph net( x ) -> ( y )\n{\n    y = relu(x)\n}\n"),
	lenient(bad("extension in a provisional document", "version 1.0\nextension KHR_enable_fragment_definitions;\ngraph net( x ) -> ( y )\n{\n    y = relu(x)\n}\n")),
	badOldFragment("final comprehension in a provisional document", "    y = [for i in x yield i]"),
	badOldFragment("several iterators in a provisional document", "    y = [i + j for i in a, j in b]"),
	badOldFragment("in as an operator in a provisional document", "    y = x if 1 in a else x"),
	badOld("nesting in a provisional graph", "    x = external(shape = [1])\n    y = relu(exp(x))"),
	lenient(badOld("nesting in a provisional graph", "    x = external(shape = [1])\n    y = relu(exp(x))")),
	badOld("missing comma in a provisional document", "    y = add(x x)"),
	badOld("unclosed parenthesis in a provisional document", "    t = relu(x\n    y = relu(t)"),
	badOld("stray word in a provisional document", "    y = relu(x) then\n    z = relu(y)"),
}
