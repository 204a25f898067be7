package syntax_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

func TestStructure(t *testing.T) {
	doc := mustParse(t, `version 1.0;
extension A B, C;
fragment f<? = scalar>( x: tensor<?>[], p: (integer, (scalar, string)[])[][] = [[(-1, [])]] ) -> ( y: tensor<?>, z: tensor<> );
fragment h( x: tensor<scalar> ) -> ( y: tensor<logical> ) { y = x < 1.0; }
graph net( a, b ) -> ( c )
{
    [p, (q, [r])], s = f(a);
    c = h(b);
}
`, syntax.Options{})
	if len(doc.Extensions) != 3 || doc.Extensions[2].Name != "C" {
		t.Errorf("extensions %+v", doc.Extensions)
	}
	f := doc.Fragments[0]
	if f.Generic == nil || f.Generic.Default != syntax.Scalar || f.Body != nil || len(f.Results) != 2 {
		t.Errorf("fragment %+v", f)
	}
	for i, want := range []string{"tensor<?>[]", "(integer, (scalar, string)[])[][]"} {
		if got := syntax.TypeText(f.Params[i].Type, syntax.Final); got != want {
			t.Errorf("type %s, want %s", got, want)
		}
	}
	if got := syntax.TypeText(f.Results[1].Type, syntax.Final); got != "tensor<>" {
		t.Errorf("type %s", got)
	}
	if got := dump(doc.Graph.Body[0].Left); got != "(tuple [p (tuple q [r])] s)" {
		t.Errorf("left side %s", got)
	}
	if len(doc.Graph.Params) != 2 || doc.Graph.Results[0].Name != "c" {
		t.Errorf("graph %+v", doc.Graph)
	}
	checkRoundTrip(t, doc, syntax.Options{})
	// Every node covers its text.
	syntax.Walk(doc, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && doc.Source.Text[id.From:id.To] != id.Name {
			t.Errorf("%s at %v", id.Name, doc.Source.Position(id.From))
		}
		if n.End() <= n.Pos() {
			t.Errorf("%T is empty", n)
		}
		return true
	})
}

func TestDiagnostics(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "1:1: syntax error [NNEF0201]"},
		{"no version", "graph g( x ) -> ( y ) { y = f(x); }", "1:1: syntax error [NNEF0201]"},
		{"version number", "version x;", "1:9: syntax error [NNEF0201]"},
		{"version exponent", "version 1e0;", "1:9: syntax error [NNEF0201]"},
		{"other version", "version 1.1;", "1:9: extension error [NNEF0301]"},
		{"NNEF 2", "import nn.math;\ngraph g { @input { x: real[] } }", "1:1: syntax error [NNEF0213]"},
		{"keyword", finalGraph("fragment = f(x);"), "4:1: syntax error [NNEF0204]"},
		{"call on the left", finalGraph("f(y) = g(x);"), "4:2: syntax error [NNEF0202]"},
		{"unclosed body", "version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{ y = g(x);\ngraph g( x ) -> ( y ) { y = f(x); }",
			"4:1: syntax error [NNEF0202]"},
		{"unclosed graph", "version 1.0;\ngraph g( x ) -> ( y ) { y = f(x);\n", "3:1: syntax error [NNEF0202]"},
		{"text after", finalGraph("y = f(x);") + "x", "6:1: syntax error [NNEF0202]"},
		{"default name", "version 1.0;\nfragment f( x: integer = y ) -> ( y: tensor<> );\n" + finalGraph("y = f(x);")[13:], "2:26: syntax error [NNEF0202]"},
		{"tuple type", "version 1.0;\nfragment f( x: (integer) ) -> ( y: tensor<> );\n" + finalGraph("y = f(x);")[13:], "2:16: syntax error [NNEF0208]"},
		{"generic default", "version 1.0;\nfragment f<? = ?>( x: integer ) -> ( y: tensor<> );\n" + finalGraph("y = f(x);")[13:], "2:16: syntax error [NNEF0202]"},
		{"no parameters", "version 1.0;\nfragment f() -> ( y: tensor<> );\n" + finalGraph("y = f(x);")[13:], "2:12: syntax error [NNEF0206]"},
		{"two statements in a line", finalGraph("y = f(x) z = g(x);"), "4:10: syntax error [NNEF0202]"},
		{"old: trailing word", oldFragment("y = x if"), "5:1: syntax error [NNEF0202]"},
		{"old: bad operator", oldFragment("y = x : 2"), "4:7: syntax error [NNEF0202]"},
	} {
		list := diagnose(t, c.text, syntax.Options{})
		if got := list[0].Error(); !strings.HasPrefix(got, "test.nnef:"+c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestRecovery reads on after an error and finds the later ones, without inventing any.
func TestRecovery(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`version 1.0;
extension 1 x;
extension 2;
fragment f( x tensor<scalar> ) -> ( y: tensor<scalar> ) { y = 1.2.3; }
graph net( x ) -> ( y )
{
    a = conv(x, [1, 2);
    b = relu(a)
    c = relu(b);
    d = ;
    graph = relu(c);
    y = relu(@d);
}
`, []string{"2:11 NNEF0202", "3:11 NNEF0202", "4:15 NNEF0202", "4:63 NNEF0102", "7:22 NNEF0202", "9:5 NNEF0203", "10:9 NNEF0202", "11:5 NNEF0204", "12:14 NNEF0101"}},
		{"version 1.0;\ngraph g( 1 ) -> ( y )\n{\n    y = ;\n}\n", []string{"2:10 NNEF0202", "4:9 NNEF0202"}},
		{oldFragment("    a = conv(x\n    b = f(a, n = )\n    c = g(b) )\n    y = c"), []string{"5:5 NNEF0202", "5:18 NNEF0202", "6:14 NNEF0202"}},
	} {
		list := diagnose(t, c.text, syntax.Options{})
		var got []string
		for i := range list {
			at := list[i].Position()
			got = append(got, strings.TrimPrefix(at.String(), "test.nnef:")+" "+list[i].Code.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got %q\n%s", got, list.Render())
		}
	}
}

// TestOneMistake has texts with a mistake each, of which nothing else follows.
func TestOneMistake(t *testing.T) {
	graph := finalGraph("y = f(x);")[len("version 1.0;\n"):]
	old := oldFragment("y = x")[len("version 1.0\n"):]
	for _, c := range []struct{ name, text, message, hint string }{
		{"a comment to the end", "version 1.0;\ngraph g( x ) -> ( y ) { y = f(x # z", "expected ')' or ',' after an argument", ""},
		{"extension without an end", "version 1.0;\nextension tract_registry it", "expected ';' after the extension", ""},
		{"no name of an extension", "version 1.0;\nextension 1 x;\n" + graph, "expected the name of an extension", ""},
		{"no semicolon of an extension", "version 1.0;\nextension X\n" + graph, "expected ';' after the name of an extension", ""},
		{"no body", "version 1.0\nfragment h( x: tensor ) -> ( y: tensor );\n" + old, "needs a body", "write the body in braces"},
		{"nothing behind a head", "version 1.0\nfragment h( x: tensor ) -> ( y: tensor )\n" + old, "expected '{': a fragment needs a body", ""},
		{"no type", "version 1.0\nfragment h( x ) -> ( y: tensor ) { y = x }\n" + old, "expected ':' and a type", "write 'x: tensor'"},
		{"no known type", "version 1.0\nfragment h( x: foo ) -> ( y: tensor ) { y = x }\n" + old, "expected a type", "the types are tensor, extent,"},
		{"no name", "version 1.0;\ngraph g( 1 ) -> ( y ) { y = f(x); }\n", "expected the name of a parameter", ""},
		{"no end of a string", finalGraph("y = 'abc\nz = g(x);"), "string without an end", ""},
		{"another name of integers", "version 1.0\nfragment h( x: tensor, n: int ) -> ( y: tensor ) { y = x }\n" + old, "expected a type", "write 'extent'"},
		{"a name with points", finalGraph("y = f(a.b.c);"), "unexpected character '.'", "names hold"},
		{"no text", "net\x00\x01", "this is a binary file", "graph.nnef"},
		{"a tuple of one", finalGraph("(y) = f(x);"), "a tuple needs at least two items", ""},
		{"no operator", oldFragment("y = x : 2"), "expected an operator or a new assignment", ""},
		{"nothing to close", finalGraph("y = f(x));"), "expected ';' after the assignment", "no bracket is open here"},
	} {
		list := diagnose(t, c.text, syntax.Options{})
		if len(list) != 1 || !strings.Contains(list[0].Message, c.message) || !strings.Contains(list[0].Hint, c.hint) {
			t.Errorf("%s: %s", c.name, list.Render())
		}
	}
}

// TestForeignCharacters counts the mistakes of statements with characters beyond ASCII, which are read as what they stand for.
func TestForeignCharacters(t *testing.T) {
	for _, c := range []struct{ body, messages string }{
		{"öl = f(x);", "character 'ö' in a name"},
		{"grö = f(1.2.3);", "character 'ö' in a name|malformed number '1.2.3'"},
		{"graphö = f(x);", "character 'ö' in a name"},
		{"ö = f(x y);", "character 'ö' in a name|expected ')' or ',' after an argument, found 'y'"},
		{"y = f(“a);\nz = g(\"b\" c);",
			"unexpected character '“'|expected ')' or ',' after an argument, found 'a'|expected ')' or ',' after an argument, found 'c'"},
		{"y = f(€（x));", "unexpected character '€'|unexpected character '（'"},
		{"y = f(\xff x);", "byte 0xff is not text"},
		{"y = f('\xff');", "byte 0xff in a string"},
		{"y = " + strings.Repeat("1", 50) + ";", "integer '" + strings.Repeat("1", 40) + "…' is out of range"},
	} {
		var got []string
		for _, d := range diagnose(t, finalGraph(c.body), syntax.Options{}) {
			got = append(got, d.Message)
		}
		if strings.Join(got, "|") != c.messages {
			t.Errorf("%s: %q", c.body, got)
		}
	}
	list := diagnose(t, finalGraph("y = layer/x;"), syntax.Options{Strict: true})
	if len(list) != 1 || !strings.Contains(list[0].Hint, "names hold letters") {
		t.Errorf("%s", list.Render())
	}
}

// TestIncompleteQuantization writes none that no text stands for.
func TestIncompleteQuantization(t *testing.T) {
	call := &syntax.Call{Name: &syntax.Ident{Name: "q"}}
	for _, e := range []syntax.QuantEntry{{}, {Tensor: &syntax.StringLit{Value: "a"}}, {Call: call}, {Tensor: &syntax.StringLit{Value: "a\nb"}, Call: call}} {
		if text, err := syntax.FormatQuant(&syntax.Quantization{Entries: []syntax.QuantEntry{e}}); err == nil {
			t.Errorf("%+v is written as %q", e, text)
		}
	}
}

// TestNoComments holds what has no comments to having nothing for them.
func TestNoComments(t *testing.T) {
	doc, err := syntax.Parse("net", []byte("version 1.0;\nextension tract_registry it's;\n\n"+finalGraph("y = f(x);")[len("version 1.0;\n"):]), syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Comments != nil || doc.Graph.Comments != nil || doc.Graph.Body[0].Comments != nil {
		t.Errorf("%+v, %+v, %+v", doc.Comments, doc.Graph.Comments, doc.Graph.Body[0].Comments)
	}
}

func TestRender(t *testing.T) {
	list := diagnose(t, "version 1.0;\ngraph net( x ) -> ( y )\n{\n\tx = external(shape = [1])\n\ty = relu(x);\n}\n", syntax.Options{})
	want := `test.nnef:5:2: syntax error [NNEF0203]: expected ';' before 'y'
  5 | 	y = relu(x);
    | 	^
  hint: every assignment of a final document ends with ';'; --lenient accepts it
  test.nnef:4:27: the ';' belongs here
  4 | 	x = external(shape = [1])
    | 	                         ^
`
	if got := list.Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	long := diagnose(t, finalGraph("y = f('"+strings.Repeat("a", 100000)+"\x01');"), syntax.Options{})
	if got := long.Render(); len(got) > 1000 || strings.Contains(got, "\x01") {
		t.Errorf("%d bytes: %q", len(got), got[:min(len(got), 500)])
	}
	if list.Err() == nil || (syntax.Diagnostics{{Severity: syntax.Warning}}).Err() != nil {
		t.Error("only errors are errors")
	}
	var one *syntax.Diagnostic
	if !errors.As(error(list), &one) || one.Code != syntax.CodeSemicolon {
		t.Error("a list wraps its diagnostics")
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		body string
		code syntax.Code
	}{
		{"y = f(x, a = [1, -2], b = [(0, 1)], c = 'd', e = true);", 0},
		{"[a, b] = f(x); c, d = g<integer>([a, b], (c, d));", 0},
		{"y = x;", syntax.CodeNeedsOperators}, {"y = 1.0;", syntax.CodeNeedsOperators}, {"y = [a, b];", syntax.CodeNeedsOperators},
		{"y = x + 1.0;", syntax.CodeNeedsOperators}, {"y = f(-x);", syntax.CodeNeedsOperators}, {"y = f(g(x));", syntax.CodeNeedsOperators},
		{"y = f((x));", syntax.CodeNeedsOperators}, {"y = f(x[0]);", syntax.CodeNeedsOperators}, {"y = f(integer(1.0));", syntax.CodeNeedsOperators},
		{"y = f([for i in a yield i]);", syntax.CodeNeedsOperators}, {"y = f(a if b else c);", syntax.CodeNeedsOperators},
		{"y = [f(x), f(x)];", syntax.CodeNeedsOperators},
	} {
		doc, err := syntax.Parse("strict", []byte(finalGraph(c.body)), syntax.Options{Strict: true})
		var list syntax.Diagnostics
		errors.As(err, &list)
		if c.code == 0 && err != nil || c.code != 0 && (len(list) != 1 || list[0].Code != c.code) {
			t.Errorf("%s: %v", c.body, err)
		}
		_ = doc
		mustParse(t, finalGraph(c.body), syntax.Options{})
		extended := strings.Replace(finalGraph(c.body), ";\n", ";\nextension "+syntax.ExtOperators+";\n", 1)
		mustParse(t, extended, syntax.Options{Strict: true})
	}
	list := diagnose(t, "version 1.0;\nfragment f( x: tensor<> ) -> ( y: tensor<> );\n"+finalGraph("y = f(x);")[13:], syntax.Options{Strict: true})
	if len(list) != 1 || list[0].Code != syntax.CodeNeedsFragments {
		t.Error(list)
	}
}

// TestStrictExceptions: documents that say whose they are need no extension statements, and lenient readers warn once.
func TestStrictExceptions(t *testing.T) {
	body := "\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x + 1.0; z = y * x; }\ngraph g( x ) -> ( y ) { y = f(x) + x; }\n"
	for _, extension := range []string{"tract_registry tract_core", syntax.ExtConcord} {
		mustParse(t, "version 1.0;\nextension "+extension+";"+body, syntax.Options{Strict: true})
	}
	mustParse(t, "version 1.0;"+body, syntax.Options{Strict: true, Tract: true})
	list := diagnose(t, "version 1.0;"+body, syntax.Options{Strict: true})
	doc := mustParse(t, "version 1.0;"+body, syntax.Options{Strict: true, Lenient: true})
	for _, found := range []syntax.Diagnostics{list, doc.Warnings} {
		if len(found) != 2 || found[0].Code != syntax.CodeNeedsFragments || found[1].Code != syntax.CodeNeedsOperators {
			t.Error(found.Render())
		}
	}
}

// TestLenient accepts what belongs to the other dialect with a warning each, and refuses it otherwise.
func TestLenient(t *testing.T) {
	old := func(statement string) string {
		return "version 1.0\ngraph g( x ) -> ( y )\n{\n" + statement + "\n}\n"
	}
	for _, c := range []struct {
		text string
		code syntax.Code
	}{
		{finalGraph("y = f(x)\nz = g(y);"), syntax.CodeSemicolon},
		{finalGraph("y = f(x)\n[a, b] = g(y);"), syntax.CodeSemicolon},
		{finalGraph("y = [i for i in a];"), syntax.CodeOtherDialect},
		{finalGraph("y = a, b;"), syntax.CodeOtherDialect},
		{finalGraph("y = constant<extent>(x);"), syntax.CodeOtherDialect},
		{finalGraph("y = f();"), syntax.CodeEmpty},
		{finalGraph(`y = variable(label = 'a\b');`), syntax.CodeEscape},
		{"version 1.0;\nfragment f( x: tensor ) -> ( y: tensor<scalar> );\n" + finalGraph("y = f(x);")[13:], syntax.CodeOtherDialect},
		{"version 1.0;\nfragment f( x: extent ) -> ( y: tensor<scalar> );\n" + finalGraph("y = f(x);")[13:], syntax.CodeOtherDialect},
		{old("y = f(g(x))"), syntax.CodeGraphNotFlat},
		{old("y = x"), syntax.CodeGraphNotFlat},
		{old("y = copy<scalar>(x)"), syntax.CodeOtherDialect},
		{"version 1.0\nextension A;\n" + old("y = f(x)")[12:], syntax.CodeOtherDialect},
		{oldFragment("y = [for i in a, j in b yield i]"), syntax.CodeOtherDialect},
		{oldFragment("y = [i + j for i in a, j in b]"), syntax.CodeOtherDialect},
		{oldFragment("y = x in a"), syntax.CodeOtherDialect},
		{"version 1.0\nfragment f( x: tensor ) -> ( y: tensor );\n" + old("y = f(x)")[12:], syntax.CodeOtherDialect},
		{"version 1.0\nfragment f<?>( x: tensor, n: extent ) -> ( y: tensor ) { y = x }\n" + old("y = f(x)")[12:], syntax.CodeOtherDialect},
		{"version 1.0\nfragment f( x: tensor<scalar>, n: extent ) -> ( y: tensor ) { y = x }\n" + old("y = f(x)")[12:], syntax.CodeOtherDialect},
		{"version 1.0\nfragment f( x: tensor, n: integer ) -> ( y: tensor ) { y = x }\n" + old("y = f(x)")[12:], syntax.CodeOtherDialect},
	} {
		if list := diagnose(t, c.text, syntax.Options{}); list[0].Code != c.code {
			t.Errorf("%s%s", c.text, list.Render())
		}
		doc := mustParse(t, c.text, syntax.Options{Lenient: true})
		if len(doc.Warnings) != 1 || doc.Warnings[0].Code != c.code || doc.Warnings[0].Severity != syntax.Warning {
			t.Errorf("%swarnings:\n%s", c.text, doc.Warnings.Render())
		}
		checkRoundTrip(t, doc, syntax.Options{Lenient: true})
	}
	f := mustParse(t, "version 1.0;\nfragment f( x: tensor ) -> ( y: tensor<scalar> );\n"+finalGraph("y = f(x);")[13:], syntax.Options{Lenient: true}).Fragments[0]
	if got := syntax.TypeText(f.Params[0].Type, syntax.Final); got != "tensor<scalar>" {
		t.Errorf("a tensor of the provisional dialect is a %s", got)
	}
	// A cast of the other dialect has no fixed meaning in a strict reading: it may be an operation.
	for _, text := range []string{finalGraph("y = f(extent(1.0));"), oldFragment("y = f(integer(1.0))")} {
		doc := mustParse(t, text, syntax.Options{Lenient: true})
		if len(doc.Warnings) != 1 {
			t.Errorf("%s%s", text, doc.Warnings.Render())
		}
	}
}

func TestTract(t *testing.T) {
	text := `version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;
extension tract_assert 2*S+1 <= 10;

fragment tract_core_properties( ) -> ( properties: (string, tensor<scalar>)[] )
{
    properties = [('version', '0.21.0')];
}

graph net( i"in/put:0" ) -> ( y )
{
    i"in/put:0" = tract_core_external(shape = [2 * S + 1, 3], datum_type = 'f32');
    i = tract_core_properties();
    y = f(i"in/put:0", name = 'größe');
}
`
	doc := mustParse(t, text, syntax.Options{})
	if len(doc.Extensions) != 3 || doc.Extensions[2].Text != "2*S+1 <= 10" || !doc.Tract {
		t.Errorf("%+v", doc.Extensions)
	}
	out, err := syntax.Format(doc)
	if err != nil || string(out) != text {
		t.Errorf("%v\n%s", err, out)
	}
	checkRoundTrip(t, doc, syntax.Options{})
	plain := strings.ReplaceAll(text, "extension tract", "extension track")
	if list := diagnose(t, plain, syntax.Options{}); list[0].Code != syntax.CodeUnexpected {
		t.Error(list)
	}
	mustParse(t, finalGraph(`i"a \"b\"" = f();`), syntax.Options{Tract: true})
}

func TestLimits(t *testing.T) {
	many := strings.Repeat
	for _, c := range []struct {
		name, text string
		limits     syntax.Limits
		code       syntax.Code
	}{
		{"bytes", finalGraph("y = f(x);"), syntax.Limits{Bytes: 10}, syntax.CodeSize},
		{"tokens", finalGraph("y = f(x);"), syntax.Limits{Tokens: 10}, syntax.CodeSize},
		{"literal", finalGraph("y = f(" + many("a", 100) + ");"), syntax.Limits{Literal: 50}, syntax.CodeLiteralLength},
		{"string", finalGraph("y = f('" + many("a", 100) + "');"), syntax.Limits{Literal: 50}, syntax.CodeLiteralLength},
		{"errors", finalGraph(many("y = ;\n", 100)), syntax.Limits{}, syntax.CodeTooMany},
		{"bad characters", finalGraph(many("@ ", 100000)), syntax.Limits{}, syntax.CodeTooMany},
		{"parentheses", finalGraph("y = " + many("(", 100000)), syntax.Limits{}, syntax.CodeDepth},
		{"arrays", finalGraph("y = " + many("[", 100000)), syntax.Limits{}, syntax.CodeDepth},
		{"calls", finalGraph("y = " + many("f(", 100000)), syntax.Limits{}, syntax.CodeDepth},
		{"signs", finalGraph("y = " + many("-", 100000) + "1;"), syntax.Limits{}, syntax.CodeDepth},
		{"negations", finalGraph("y = " + many("!", 100000) + "x;"), syntax.Limits{}, syntax.CodeDepth},
		{"sum", finalGraph("y = 1" + many(" + 1", 100000) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"subscripts", finalGraph("y = x" + many("[0]", 100000) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"open subscripts", finalGraph("y = x" + many("[x", 100000) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"choices", finalGraph("y = a" + many(" if b else a", 100000) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"conditions", finalGraph("y = a" + many(" if a", 100000) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"comprehensions", finalGraph("y = " + many("[for i in ", 100000)), syntax.Limits{}, syntax.CodeDepth},
		{"left side", finalGraph(many("[", 100000)), syntax.Limits{}, syntax.CodeDepth},
		{"sums in sums", finalGraph("y = " + many("(", 900) + "1" + many(" + 1 + 1)", 900) + ";"), syntax.Limits{}, syntax.CodeDepth},
		{"type", "version 1.0;\nfragment f( x: " + many("(", 100000), syntax.Limits{}, syntax.CodeDepth},
		{"array type", "version 1.0;\nfragment f( x: integer" + many("[]", 100000), syntax.Limits{}, syntax.CodeDepth},
		{"default", "version 1.0;\nfragment f( x: integer = " + many("[", 100000), syntax.Limits{}, syntax.CodeDepth},
		{"old statements", oldFragment(many(" ", 1<<20) + "x = =\n" + many("y\n", 1<<20) + many("\n = ;", 100)), syntax.Limits{}, syntax.CodeTooMany},
		{"old lookahead", oldFragment("y = x" + many("[x", 100000)), syntax.Limits{}, syntax.CodeDepth},
	} {
		list := diagnose(t, c.text, syntax.Options{Limits: c.limits})
		if last := list[len(list)-1]; last.Code != c.code || len(list) > syntax.DefaultLimits.Errors+1 {
			t.Errorf("%s: %d diagnostics, the last is %v", c.name, len(list), last.Error())
		}
	}
	deep := finalGraph("y = " + many("[", 900) + many("]", 900) + ";")
	checkRoundTrip(t, mustParse(t, deep, syntax.Options{}), syntax.Options{})
}

func TestByteOrderMark(t *testing.T) {
	doc := mustParse(t, "\ufeff"+finalGraph("y = f(x);"), syntax.Options{})
	if at := doc.Source.Position(doc.Version.From); at.Line != 1 || at.Offset != 3 {
		t.Errorf("%+v", at)
	}
}

func TestSource(t *testing.T) {
	src := syntax.NewSource("a", "one\r\ntwo\n\nfour")
	for _, c := range []struct {
		pos          syntax.Pos
		line, column int
	}{{0, 1, 1}, {4, 1, 5}, {5, 2, 1}, {8, 2, 4}, {9, 3, 1}, {10, 4, 1}, {14, 4, 5}, {99, 4, 5}} {
		if at := src.Position(c.pos); at.Line != c.line || at.Column != c.column {
			t.Errorf("%d: %v", c.pos, at)
		}
	}
	if src.Line(1) != "one" || src.Line(3) != "" || src.Line(4) != "four" || src.Line(5) != "" {
		t.Error("lines")
	}
}
