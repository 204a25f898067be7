package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// source is a document in the form of the standard's, with everything that the parser knows.
const source = `
## One ## {#one}
<script type=idl>
[SecureContext, Exposed=(Window, Worker)]
interface A {
  // A comment; it is space.
  constructor(B b);
  readonly attribute FrozenArray<unsigned long> shape;
  Promise<undefined> run(optional DOptions options = {});
  Promise<undefined> run(sequence<A> a, record<USVString, A> b);
};
interface mixin M {
  [SecureContext, SameObject] readonly attribute A a;
};
Page includes M;
</script>
The words enum E { }; outside of a block are text.
### Two ### {#two}
<script type="idl">
enum E { "x", "y-z" };
typedef (bigint or unrestricted double) N;
dictionary P { USVString label = ""; };
dictionary DOptions : P {
  required sequence<[EnforceRange] unsigned long> sizes;
  ([EnforceRange] long or sequence<float>) either;
  double epsilon = 1e-5;
  E e = "x";
};
partial interface A {
  unsigned long long size();
};
partial dictionary DOptions {
  boolean on = true;
};
</script>
<table id=tensor-limits-run class='data' link-for="MLGraphBuilder/run(a, b), MLGraphBuilder/walk(a)">
  <tr><th>operand</th></tr>
  <tr>
    <td>{{a}}'s [=list/items=]</td><td>[=/any data type|any=]</td><td>{{MLOperandDataType/"int8"}}, {{MLOperandDataType/"int32"}}</td>
    <td>1 to [=/any rank|N=]</td><td>1 to 5</td>
    <td>*outputs[1]* if {{b}} is true</td><td>[=/same type as|same as=] {{a}}</td><td>{{MLOperandDataType/"int8"}}</td>
    <td>[=/same rank as|same as=] {{a}}</td><td>4</td>
  </tr>
</table>
`

func parsed(t *testing.T, text string) *idl.Document {
	t.Helper()
	d, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestParse(t *testing.T) {
	d := parsed(t, source)
	a := d.Interface("A")
	if a == nil {
		t.Fatal("there is no interface A")
	}
	var got []string
	for _, o := range a.Operations {
		got = append(got, o.Anchor+": "+o.String())
	}
	want := []string{
		"one: constructor(B b)",
		"one: Promise<undefined> run(optional DOptions options = {})",
		"one: Promise<undefined> run(sequence<A> a, record<USVString, A> b)",
		"two: unsigned long long size()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the operations are %q; want %q", got, want)
	}
	if a.Operations[2].Key() != "run(a, b)" || a.Operations[1].Options() != "DOptions" || a.Operations[2].Options() != "" {
		t.Errorf("key and options are %q, %q", a.Operations[2].Key(), a.Operations[1].Options())
	}
	if want := []string{"SecureContext", "Exposed=(Window,Worker)"}; !slices.Equal(a.Extended, want) {
		t.Errorf("the extended attributes are %q; want %q", a.Extended, want)
	}
	m := d.Interface("M")
	if !m.Mixin || !slices.Equal(m.IncludedBy, []string{"Page"}) || len(m.Attributes[0].Extended) != 2 {
		t.Errorf("the mixin is %+v", m)
	}

	options := d.Dictionary("DOptions")
	got = nil
	for _, m := range options.Members {
		got = append(got, fmt.Sprintf("%v -> %s", m, m.Default))
	}
	want = []string{
		"required sequence<[EnforceRange] unsigned long> sizes -> ",
		"([EnforceRange] long or sequence<float>) either -> ",
		"double epsilon = 1e-5 -> 1e-5",
		`E e = "x" -> "x"`,
		"boolean on = true -> true",
	}
	if options.Parent != "P" || !slices.Equal(got, want) {
		t.Errorf("the members are %q; want %q", got, want)
	}
	if e := d.Enum("E"); !slices.Equal(e.Values, []string{"x", "y-z"}) || e.Anchor != "two" {
		t.Errorf("the enumeration is %+v", e)
	}
	if d.Interface("B") != nil || d.Dictionary("A") != nil || d.Enum("A") != nil || d.Operators() != nil {
		t.Error("something is found that the text does not have")
	}
}

func TestParseLimits(t *testing.T) {
	d := parsed(t, source)
	want := []idl.Row{
		{Operand: "a", Types: []string{"any"}, RequiredTypes: []string{"int8", "int32"},
			Ranks: idl.Ranks{Min: 1, Max: idl.AnyRank}, RequiredRanks: idl.Ranks{Min: 1, Max: 5}},
		{Operand: "output1", SameType: "a", RequiredTypes: []string{"int8"}, SameRank: "a", RequiredRanks: idl.Ranks{Min: 4, Max: 4}},
	}
	for _, method := range []string{"run", "walk"} {
		if got := d.LimitsOf(method); !reflect.DeepEqual(got, want) {
			t.Errorf("the limits of %s are %+v; want %+v", method, got, want)
		}
	}
	if d.LimitsOf("fly") != nil {
		t.Error("there are limits of no method")
	}
}

func TestParseRejects(t *testing.T) {
	deep := strings.Repeat("sequence<", 40) + "A" + strings.Repeat(">", 40)
	for block, want := range map[string]string{
		`interface A { `:                              "is no definition",
		`interface A { long f(; };`:                   "is no member of an interface",
		`interface A {}; dictionary A {};`:            "A is defined twice",
		`partial interface A {};`:                     "there is no interface A",
		`partial enum A { "x" };`:                     "cannot be partial",
		`enum A { x };`:                               "is no string",
		`enum A { "x };`:                              "is no string",
		`dictionary A { long a = };`:                  "is no declaration",
		`dictionary A { [Clamp] long a; };`:           "is no type",
		`interface A {}; B includes A;`:               "A is no mixin",
		`[SecureContext interface A {};`:              "is no definition",
		`typedef sequence<long A;`:                    "is no type",
		`typedef ` + deep + ` B;`:                     "nested too deep",
		`interface A { readonly long a; };`:           "is no member of an interface",
		`dictionary A { long? a; };`:                  "is no type",
		`callback interface A { undefined f(); }; ;;`: "is no definition",
	} {
		_, err := parse("## X ## {#x}\n<script type=idl>" + block + "</script>")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %q", block, err, want)
		}
	}
	for row, want := range map[string]string{
		"<td>a</td>": "a row has 1 cells; it must have 5",
		"<td>a</td><td>any</td><td>any</td><td>five</td><td>1</td>":   `"five" is no range`,
		"<td>a</td><td>any</td><td>any</td><td>N</td><td>5 to 1</td>": `"5 to 1" is no range`,
		"<td>a</td><td>any</td><td>any</td><td>N</td><td>1 to x</td>": `"1 to x" is no range`,
	} {
		text := `<table id=tensor-limits-x link-for="MLGraphBuilder/x()"><tr>` + row + `</tr></table>`
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %q", row, err, want)
		}
	}
}

func TestTypes(t *testing.T) {
	typ := func(text string) (string, error) {
		d, err := parse("<script type=idl>typedef " + text + " T;</script>")
		if err != nil {
			return "", err
		}
		return d.Typedefs[0].Type.String(), nil
	}
	for _, text := range []string{
		"long", "unsigned long", "unrestricted double", "[EnforceRange] unsigned long", "sequence<[EnforceRange] unsigned long>",
		"Promise<MLGraph>", "record<USVString, MLTensor>", "FrozenArray<unsigned long>", "(bigint or unrestricted double)",
	} {
		if got, err := typ(text); err != nil || got != text {
			t.Errorf("%s reads as %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "sequence", "long long long >", "(a", `"a"`, "a b"} {
		if got, err := typ(text); err == nil {
			t.Errorf("%q reads as %s", text, got)
		}
	}
}

func TestRanks(t *testing.T) {
	for text, want := range map[string]idl.Ranks{
		"N": {Min: 0, Max: idl.AnyRank}, "2 to N": {Min: 2, Max: idl.AnyRank}, "4": {Min: 4, Max: 4}, "0 to 5": {Min: 0, Max: 5},
	} {
		d, err := idl.Parse("# limits of x\na | any | any | " + text + " | 1")
		if err != nil || d.Limits[0].Rows[0].Ranks != want || want.String() != text {
			t.Errorf("%s reads as %+v, %v", text, d, err)
		}
	}
}

// TestData holds the committed data to the standard's source, if the environment names a copy of it, and else to itself.
func TestData(t *testing.T) {
	doc := &idl.WebNN
	if os.Getenv("CONCORD_WEBNN_BS") != "" {
		doc = parsed(t, testdata.WebNN(t))
	}
	golden.Compare(t, filepath.Join(testdata.Root(t), "webnn/internal/idl/webnn.txt"), sections(doc))
}

// TestSectionsAreNamed: an error says in which section it is, whatever that is called.
func TestSectionsAreNamed(t *testing.T) {
	if _, err := idl.Parse("# a\nenum A { \"x\" };\n# 100%d\nx"); err == nil || !strings.HasPrefix(err.Error(), `100%d: "x`) {
		t.Error(err)
	}
}

// FuzzParse: whatever the source is, it is read or refused.
func FuzzParse(f *testing.F) {
	f.Add(source)
	f.Add("<script type=idl>typedef (a or b) c; enum A { \"x\" };</script>")
	f.Add("{#a}<script type=idl>[A=(B,C)] interface D { constructor(); };</script>")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parse(text)
		if err != nil {
			return
		}
		for _, i := range d.Interfaces {
			for _, o := range i.Operations {
				_ = o.String() + o.Key() + o.Options()
			}
		}
		for _, x := range d.Typedefs {
			again, err := parse("<script type=idl>typedef " + x.Type.String() + " T;</script>")
			if err != nil || !reflect.DeepEqual(again.Typedefs[0].Type, x.Type) {
				t.Errorf("%s reads as %v, %v", x.Type, again, err)
			}
		}
	})
}

func TestDepthLimit(t *testing.T) {
	const most = 16
	for _, n := range []int{most, most + 1} {
		typ := strings.Repeat("sequence<", n-1) + "long" + strings.Repeat(">", n-1)
		_, err := parse("## X ## {#x}\n<script type=idl>typedef " + typ + " B;</script>")
		if (err == nil) != (n == most) {
			t.Errorf("%d levels: %v", n, err)
		}
	}
}
