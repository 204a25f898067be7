package operators_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
)

// attribute names an operator and an attribute of it, beside those that must be given.
var attributes = map[*operators.Kind]struct {
	op, attr string
	others   map[string]string
}{
	operators.Int:         {"concatenate", "axis", nil},
	operators.Bool:        {"sum", "keepdims", nil},
	operators.Tuple:       {"transpose", "axes", nil},
	operators.OptionalInt: {"take", "axis", nil},
	operators.Enum:        {"sum", "dtype", nil},
	operators.String:      {"upsampling", "layout", map[string]string{"scale": "2"}},
}

func ref(n int) *int { return &n }

// TestSpellings states how values are spelled. What is not legal has a nil value.
func TestSpellings(t *testing.T) {
	for kind, cases := range map[*operators.Kind]map[string]any{
		operators.Int: {
			"5": 5, "-5": -5, "+5": 5, "007": 7, "-0": 0, " 5": 5, "5 ": 5, "\t\n\v\f\r5\t\n\f\r ": 5,
			"2147483647": math.MaxInt32, "-2147483648": math.MinInt32, "00000000000000000000001": 1,
			"2147483648": nil, "-2147483649": nil, "99999999999999999999": nil,
			"": nil, " ": nil, "-": nil, "+": nil, "+-5": nil, "--5": nil, "- 5": nil, "5L": nil, "5\v": nil, "5\x00": nil, "\xa05": nil,
			"5.0": nil, "1e2": nil, "0x10": nil, "1_000": nil, "1,000": nil, "(5)": nil, "5 5": nil, "None": nil, "true": nil, "٥": nil,
		},
		operators.Bool: {
			"true": true, "True": true, "TRUE": true, "tRuE": true, "1": true, "false": false, "False": false, "FALSE": false, "0": false,
			"": nil, " true": nil, "true ": nil, "2": nil, "-1": nil, "01": nil, "yes": nil, "None": nil, "t": nil,
		},
		operators.Tuple: {
			"()": []int{}, "[]": []int{}, "(]": []int{}, "( )": []int{}, " [ ] ": []int{},
			"(1)": []int{1}, "(1,)": []int{1}, "(1, )": []int{1}, "1": []int{1}, " -1 ": []int{-1}, "\v1": []int{1}, "01": []int{1},
			"(1,2)": []int{1, 2}, "[1, 2]": []int{1, 2}, "(1,2]": []int{1, 2}, "[1,2)": []int{1, 2}, " ( 1 ,\v2 ) ": []int{1, 2}, "(1,2,)": []int{1, 2},
			"(1L,2L)": []int{1, 2}, "(1 L,2)": []int{1, 2}, "(1L,)": []int{1}, "(+1,-2)": []int{1, -2},
			"(9223372036854775807,-9223372036854775808)": []int{math.MaxInt, math.MinInt},
			"(9223372036854775808)":                      nil, "-9223372036854775809": nil,
			"": nil, " ": nil, "(": nil, ")": nil, "(1": nil, "1)": nil, "(1,2": nil, "(,)": nil, "(,1)": nil, "(1,,2)": nil, "(1 2)": nil, "((1))": nil,
			"(1) x": nil, "(1)\v": nil, "(1)(2)": nil, "1L": nil, "+1": nil, "1,": nil, "1,2": nil, "(1L )": nil, "(1LL)": nil, "(1l)": nil, "(1.0)": nil,
			"(-)": nil, "{1}": nil, "None": nil, "(None)": nil, "abc": nil, "-": nil, "(1,2))": nil, "\x00(1)": nil, "(\xff1)": nil,
		},
		operators.OptionalInt: {
			"None": (*int)(nil), "None ": (*int)(nil), "None\n": (*int)(nil), "0": ref(0), "-1": ref(-1), "+12345": ref(12345), " 7 ": ref(7), "7L": ref(7), "12345L ": ref(12345),
			"": nil, " None": nil, "none": nil, "NONE": nil, "Non": nil, "NoneL": nil, "None0": nil, "None\v": nil, "7LL": nil, "L": nil, "7 L": nil, "()": nil,
			"2147483647": ref(math.MaxInt32), "2147483648": nil, "-2147483648": ref(math.MinInt32), "-2147483649L": nil,
		},
		operators.Enum: {
			"int32": "int32", "float16": "float16", "uint64": "uint64",
			"": nil, " int32": nil, "int32 ": nil, "Int32": nil, "4": nil, "bool": nil, "same": nil,
		},
		operators.String: {"NCHW": "NCHW", "": "", " anything at all\x00": " anything at all\x00"},
	} {
		at := attributes[kind]
		o, _ := operators.Lookup(at.op)
		for text, want := range cases {
			dict := map[string]string{at.attr: text}
			for k, v := range at.others {
				dict[k] = v
			}
			values, err := o.ParseAttrs(dict)
			if want == nil {
				isFault(t, err, fault.Runtime, fault.Attrs, at.attr)
				if err == nil {
					t.Errorf("%s %s = %q is %v; want an error", at.op, at.attr, text, values.Get(at.attr))
				}
				continue
			}
			if err != nil || !reflect.DeepEqual(values.Get(at.attr), want) {
				t.Errorf("%s %s = %q is %v, %v; want %v", at.op, at.attr, text, values.Get(at.attr), err, want)
			}
		}
	}
}

// isFault checks the class, stage and part of an error.
func isFault(t *testing.T, err error, class fault.Class, stage fault.Stage, part string) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != class || e.Stage != stage || e.Part != part || e.Node != -1 {
		t.Errorf("the error is %#v; want one of class %s, stage %s, part %q", err, class, stage, part)
	}
}

// TestAttrErrors has the errors that are not of a spelling.
func TestAttrErrors(t *testing.T) {
	for _, c := range []struct {
		op    string
		dict  map[string]string
		class fault.Class
		part  string
	}{
		{"sum", map[string]string{"axes": "1"}, fault.Runtime, "axes"},
		{"sum", map[string]string{"__": "1"}, fault.Runtime, "__"},
		{"sum", map[string]string{"____": "1"}, fault.Runtime, "____"},
		{"sum", map[string]string{"_x__": "1"}, fault.Runtime, "_x__"},
		{"sum", map[string]string{"__x_": "1"}, fault.Runtime, "__x_"},
		{"sum", map[string]string{"": "1"}, fault.Runtime, ""},
		{"sum", map[string]string{"_____": "1", "__x__": "("}, fault.OK, ""},
		{"relu", map[string]string{"__x__": "1"}, fault.Logic, "__x__"},
		{"relu", map[string]string{"b": "1", "a": "1"}, fault.Logic, "a"},
		{"relu", nil, fault.OK, ""},
		{"clip", map[string]string{"a_max": "1"}, fault.Runtime, "a_min"},
		{"clip", map[string]string{"a_min": "1", "a_max": "x"}, fault.Runtime, "a_max"},
		{"dense", map[string]string{"units": "1"}, fault.OK, ""},
		{"dense", map[string]string{"units": "0"}, fault.Runtime, "units"},
		{"dense", map[string]string{"units": "-1"}, fault.Runtime, "units"},
		{"expand_dims", map[string]string{"axis": "0", "num_newaxis": "0"}, fault.Runtime, "num_newaxis"},
		{"expand_dims", map[string]string{"axis": "0", "num_newaxis": "2147483647"}, fault.OK, ""},
		{"slice_like", map[string]string{"axis": "(2147483647,-2147483648)"}, fault.OK, ""},
		{"slice_like", map[string]string{"axis": "(2147483648)"}, fault.Runtime, "axis"},
		{"slice_like", map[string]string{"axis": "-2147483649"}, fault.Runtime, "axis"},
		{"conv2d", map[string]string{"channels": "1", "kernel_size": "()", "out_dtype": "same"}, fault.OK, ""},
		{"conv2d", map[string]string{"channels": "1", "kernel_size": "()", "out_dtype": "-1"}, fault.Runtime, "out_dtype"},
	} {
		o, _ := operators.Lookup(c.op)
		_, err := o.ParseAttrs(c.dict)
		if c.class == fault.OK {
			if err != nil {
				t.Errorf("%s %v: %v", c.op, c.dict, err)
			}
			continue
		}
		isFault(t, err, c.class, fault.Attrs, c.part)
	}
}

// TestAttrErrorsSayWhatIsLegal holds a message, which is for people.
func TestAttrErrorsSayWhatIsLegal(t *testing.T) {
	o, _ := operators.Lookup("dense")
	_, err := o.ParseAttrs(map[string]string{"units": "0"})
	if want := `units: "0" is not legal; want an integer in 1…2147483647`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v; want %s", err, want)
	}
}

// TestFormatAttrs spells random values of every operator and reads them back.
func TestFormatAttrs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for _, o := range operators.All() {
			values := randomValues(r, o)
			back, err := o.ParseAttrs(o.FormatAttrs(values))
			if err != nil || !reflect.DeepEqual(back, values) {
				t.Fatalf("%s: %v is spelled %v and read back as %v, %v", o.Name, values, o.FormatAttrs(values), back, err)
			}
		}
	}
}

func TestFormatAttrsLeavesDefaultsOut(t *testing.T) {
	for _, o := range operators.All() {
		dict := map[string]string{}
		for _, a := range o.Attrs {
			if a.Default == nil {
				dict[a.Name] = "1"
			}
		}
		values, err := o.ParseAttrs(dict)
		if err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		if got := o.FormatAttrs(values); len(got) != len(dict) {
			t.Errorf("%s with %v is spelled %v", o.Name, dict, got)
		}
	}
	o, _ := operators.Lookup("strided_slice")
	got := o.FormatAttrs(graph.AttrsOf("begin", []int{1, -2}, "end", []int{3}, "stride", []int{}))
	if want := map[string]string{"begin": "(1, -2)", "end": "(3,)"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// randomValues returns values that the spellings allow.
func randomValues(r *rand.Rand, o *operators.Operator) graph.Attrs {
	values := graph.Attrs{}
	for _, a := range o.Attrs {
		values = append(values, graph.Attr{Name: a.Name, Value: randomValue(r, a)})
	}
	return values
}

func randomValue(r *rand.Rand, a operators.Attr) any {
	if a.Default != nil && r.IntN(3) == 0 {
		return a.Default
	}
	number := func(least, most int) int {
		if a.Min != 0 || a.Max != 0 {
			least, most = a.Min, a.Max
		}
		common := []int{-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 32, 33, 4096, 4097, 1 << 24, 1<<31 - 1, -1 << 31, math.MaxInt, math.MinInt}
		return min(max(common[r.IntN(len(common))], least), most)
	}
	switch a.Kind {
	case operators.Int:
		return number(math.MinInt32, math.MaxInt32)
	case operators.Bool:
		return r.IntN(2) == 0
	case operators.OptionalInt:
		return ref(number(math.MinInt32, math.MaxInt32))
	case operators.Enum:
		return a.Enum[r.IntN(len(a.Enum))]
	case operators.String:
		return []string{"NCHW", "NHWC", "", "__undef__", "x"}[r.IntN(5)]
	}
	list := make([]int, r.IntN(8))
	for i := range list {
		list[i] = number(math.MinInt, math.MaxInt)
	}
	return list
}

// FuzzParseAttrs reads hostile spellings. What is legal can be spelled again.
func FuzzParseAttrs(f *testing.F) {
	for i, o := range operators.All() {
		for j := range o.Attrs {
			for _, text := range []string{"1", "(1, 2)", "[1L,]", "None", "true", "int32", " -2147483648 ", "(9223372036854775808"} {
				f.Add(uint8(i), uint8(j), text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, op, attr uint8, text string) {
		o := operators.All()[int(op)%len(operators.All())]
		name := "__hidden__"
		if len(o.Attrs) > 0 {
			name = o.Attrs[int(attr)%len(o.Attrs)].Name
		}
		dict := map[string]string{name: text}
		for _, a := range o.Attrs {
			if a.Default == nil && a.Name != name {
				dict[a.Name] = "1"
			}
		}
		values, err := o.ParseAttrs(dict)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Stage != fault.Attrs || e.Part != name {
				t.Fatalf("%s %v: %#v", o.Name, dict, err)
			}
			return
		}
		back, err := o.ParseAttrs(o.FormatAttrs(values))
		if err != nil || !reflect.DeepEqual(back, values) {
			t.Fatalf("%s %v: %v is read back as %v, %v", o.Name, dict, values, back, err)
		}
	})
}
