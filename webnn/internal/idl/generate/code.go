package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// writer writes the declarations of package webnn that follow from the interface.
type writer struct {
	bytes.Buffer
	doc   *idl.Document
	words words
	err   error // the first
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// document writes the comment of a declaration: its entry behind how it begins, and the section of the standard.
func (w *writer) document(key, begin, blank, anchor string) {
	text, ok := w.words.texts[key]
	if !ok {
		w.fail(fmt.Errorf("words.txt says nothing about %s", key))
	}
	if strings.HasPrefix(text, ",") { // in place of the end of the sentence
		begin, _, _ = strings.Cut(begin, ",")
		begin += text
	} else {
		begin += " " + text
	}
	comment(w, "", strings.TrimSpace(begin)+blank)
	w.printf("// See https://www.w3.org/TR/webnn/#%s.\n", anchor)
}

func (w *writer) fail(err error) { w.err = cmp.Or(w.err, err) }

// typ returns the Go type of an argument or member.
func (w *writer) typ(t idl.Type) string {
	s, err := goType(w.doc, t)
	w.fail(err)
	return s
}

// goFile writes a file of package webnn.
func goFile(doc *idl.Document, text words, write func(w *writer)) ([]byte, error) {
	w := &writer{doc: doc, words: text}
	w.printf(generated+"package webnn\n\nimport (\n", "idl.WebNN")
	body := &writer{doc: doc, words: text}
	write(body)
	for _, path := range []string{"math", "github.com/concord-nn/concord/tensor"} {
		if bytes.Contains(body.Bytes(), []byte(path[strings.LastIndexByte(path, '/')+1:]+".")) {
			w.printf("%q\n", path)
		}
	}
	w.printf(")\n\n%s", body.Bytes())
	w.err = body.err
	if w.err != nil {
		return nil, w.err
	}
	return format.Source(w.Bytes())
}

// operators writes the typed methods. One that takes a number or a list has a form for each.
func (w *writer) operators() {
	for _, o := range w.doc.Operators() {
		w.operator(o, title(o.Name), o.Name, 0)
		if second := w.words.names[o.Name]; second != "" {
			w.operator(o, second, second, 1)
		}
	}
}

func (w *writer) operator(o idl.Operation, name, key string, form int) {
	var params, args []string
	for i, a := range o.Args {
		t := a.Type
		if t.Name == "or" {
			t = t.Params[form]
		}
		param := a.Name + " " + w.typ(t)
		switch {
		case a.Optional:
			param = a.Name + " *" + w.typ(t)
		case i+1 < len(o.Args) && o.Args[i+1].Type.Is(t.Name) && !o.Args[i+1].Optional && w.typ(o.Args[i+1].Type) == w.typ(t):
			param = a.Name // the type stands behind the next one
		}
		params, args = append(params, param), append(args, a.Name)
	}
	options := args[len(args)-1]
	args = slices.Insert(args[:len(args)-1], 0, strconv.Quote(o.Name), options+".dictionary()")
	result, call := w.typ(o.Result), "single"
	if o.Result.Name == "sequence" {
		call = "several"
	}
	w.document(key, name, "\n\n", o.Anchor)
	w.printf("func (g *GraphBuilder) %s(%s) (%s, error) {\nreturn g.%s(%s)\n}\n\n", name, strings.Join(params, ", "), result, call, strings.Join(args, ", "))
}

// options writes the option structs, and how each becomes a dictionary.
func (w *writer) options() {
	w.printf("// The options of the builder's methods: for each MLXOptions of the standard a struct XOptions with the same members. A nil\n" +
		"// pointer to it gives every member its default. A member is absent if its field is nil, or has Go's zero value where that\n" +
		"// is the default; members with another default are pointers, which new makes: &webnn.EluOptions{Alpha: new(0.5)}.\n\n")
	for _, d := range w.doc.Dictionaries {
		if !isOptions(d) {
			continue
		}
		name := goName(d.Name)
		begin := name + " is " + d.Name + ":"
		if users := w.users(d.Name); d.Parent != "" {
			begin = name + " is " + d.Name + ", for " + users + "."
		}
		w.document(d.Name, begin, "", d.Anchor)
		var fields, values bytes.Buffer
		fields.WriteString("// Label names the operator in error messages. Empty by default.\nLabel string\n")
		for _, m := range d.Members {
			field, t := title(m.Name), w.fieldType(m)
			value, present := "o."+field, presence(t)
			if e := w.doc.Enum(m.Type.Name); e != nil && present == `!= ""` {
				value = "string(" + value + ")"
			} else if m.Type.Name == "sequence" && w.doc.Enum(m.Type.Params[0].Name) != nil {
				value = "texts(" + value + ")"
			}
			switch {
			case m.Name == "label":
				continue
			case t == "float64": // -0 is present
				fmt.Fprintf(&values, "d.put(%q, math.Float64bits(o.%s) != 0, %s)\n", m.Name, field, value)
			case t[0] == '*' && t != "*Operand":
				fmt.Fprintf(&values, "point(&d, %q, o.%s)\n", m.Name, field)
			default:
				fmt.Fprintf(&values, "d.put(%q, o.%s %s, %s)\n", m.Name, field, present, value)
			}
			comment(&fields, "\t", field+" "+w.words.texts[d.Name+"."+m.Name])
			fmt.Fprintf(&fields, "%s %s\n", field, t)
		}
		w.printf("type %s struct {\n%s}\n\n", name, fields.Bytes())
		w.printf("func (o *%s) dictionary() (d Options) {\nif o == nil {\nreturn nil\n}\nd.put(\"label\", o.Label != \"\", o.Label)\n%sreturn d\n}\n\n", name, values.Bytes())
	}
}

// isOptions tells the dictionaries that are options of operators.
func isOptions(d idl.Dictionary) bool {
	return d.Name == "MLOperatorOptions" || d.Parent == "MLOperatorOptions"
}

// users lists the methods with options of that dictionary.
func (w *writer) users(dictionary string) string {
	var list []string
	for _, o := range w.doc.Operators() {
		if o.Options() != dictionary {
			continue
		}
		for _, name := range []string{title(o.Name), w.words.names[o.Name]} {
			if name != "" {
				list = append(list, "[GraphBuilder."+name+"]")
			}
		}
	}
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// fieldType returns the Go type of the field of a member of an options dictionary: a pointer where the default is not the zero
// value, which "", tensor.Invalid and nil stand for.
func (w *writer) fieldType(m idl.Member) string {
	t := w.typ(m.Type)
	if zero := m.Default == "" || m.Default == "false" || m.Default == "0"; zero || w.doc.Enum(m.Type.Name) != nil || m.Type.Name == "MLNumber" {
		return t
	}
	return "*" + t
}

// presence compares a field of that type with what stands for absence.
func presence(t string) string {
	switch t {
	case "bool":
		return "" // false is absent
	case "int":
		return "!= 0"
	case "tensor.DType":
		return "!= tensor.Invalid"
	}
	if t[0] == '*' || t[0] == '[' || t == "Number" {
		return "!= nil"
	}
	return `!= ""`
}

// dataTypes is the enumeration that is a type of package tensor.
const dataTypes = "MLOperandDataType"

// enumerations writes the enumerations as types of strings.
func (w *writer) enumerations() {
	w.printf("// The enumerations of the standard that options take. The empty string stands for the default of the option.\n\n")
	for _, e := range w.doc.Enums {
		if e.Name == dataTypes {
			continue
		}
		name := goName(e.Name)
		w.document(e.Name, name+" is "+e.Name+":", "", e.Anchor)
		w.printf("type %s string\n\n// The values of %s.\nconst (\n", name, e.Name)
		for _, v := range e.Values {
			key := e.Name + "." + v
			w.printf("%s %s = %q", w.words.names[key], name, v)
			if text := w.words.texts[key]; text != "" {
				w.printf(" // %s", text)
			}
			w.printf("\n")
		}
		w.printf(")\n\n")
	}
}

// tables writes the rows of the methods: arguments, options and limits. What several rows have in common stands there once.
func (w *writer) tables() {
	var enums, options bytes.Buffer
	for _, e := range w.doc.Enums {
		if e.Name == dataTypes {
			continue
		}
		fmt.Fprintf(&enums, "enum%s = &enumeration{%q, %#v}\n", goName(e.Name), e.Name, e.Values)
	}
	for _, d := range w.doc.Dictionaries {
		if isOptions(d) && d.Parent != "" {
			fmt.Fprintf(&options, "%s = []param{\n", listName(d.Name))
			for _, m := range d.Members {
				fmt.Fprintf(&options, "%s,\n", w.param(m.Name, m.Type, m.Default))
			}
			options.WriteString("}\n")
		}
	}
	w.printf("// The enumerations that parameters take.\nvar (\n%s)\n\n// The options of each dictionary, but for the label, which all have.\nvar (\n%s)\n\n", enums.Bytes(), options.Bytes())
	w.limits()
	w.printf("// methods has a row for each method that makes operands from operands, in the order of the specification.\nvar methods = []method{\n")
	for _, o := range w.doc.Operators() {
		list := "nil"
		if d := w.doc.Dictionary(o.Options()); d != nil && d.Parent != "" {
			list = listName(d.Name)
		}
		var args []string
		for _, a := range o.Args[:len(o.Args)-1] {
			args = append(args, w.param(a.Name, a.Type, ""))
		}
		w.printf("{%q, []param{%s}, %s, %s},\n", o.Name, strings.Join(args, ", "), list, w.limitsOf(o.Name))
	}
	w.printf("}\n")
}

// listName is the name of the list of the options of a dictionary.
func listName(dictionary string) string {
	name := goName(dictionary)
	return strings.ToLower(name[:1]) + name[1:]
}

// kinds has the kinds of parameters, by the types of the interface without [EnforceRange].
var kinds = map[string]string{
	"MLOperand": "kindOperand", "sequence<MLOperand>": "kindOperands",
	"unsigned long": "kindInt", "long": "kindLong", "sequence<unsigned long>": "kindInts",
	"(unsigned long or sequence<unsigned long>)": "kindIntOrInts",
	"double": "kindFloat", "sequence<float>": "kindFloats", "MLNumber": "kindNumber",
	"boolean": "kindBool", "MLOperandDataType": "kindType",
}

// param writes a parameter, with its default.
func (w *writer) param(name string, t idl.Type, fallback string) string {
	kind, fields := kinds[strings.ReplaceAll(t.String(), "[EnforceRange] ", "")], ""
	if kind == "" && t.Name == "sequence" {
		kind, fields = "kindEnums", ", enum: enum"+goName(t.Params[0].Name)
	} else if kind == "" {
		kind, fields = "kindEnum", ", enum: enum"+goName(t.Name)
	}
	switch {
	case fallback == "":
	case kind == "kindType":
		fallback = w.dataType(strings.Trim(fallback, `"`))
	case (kind == "kindFloat" || kind == "kindNumber") && !strings.ContainsAny(fallback, ".e"):
		fallback += ".0"
	}
	if fallback != "" {
		fields += ", fallback: " + fallback
	}
	if kind != "kindOperand" { // which is the first one
		fields = ", kind: " + kind + fields
	}
	return fmt.Sprintf("{name: %q%s}", name, fields)
}

func (w *writer) dataType(name string) string {
	d, err := dataTypeConstant(name)
	w.fail(err)
	return d
}

// anyType is what the tables have where all data types are allowed.
const anyType = "any"

// narrower has the operands of which a step of the algorithm lets fewer data types pass than the table, by method.
var narrower = map[string]map[string][]string{"isNaN": {"a": {"float32", "float16"}}}

// limitsOf is the name of the table of a method.
func (w *writer) limitsOf(method string) string {
	for _, l := range w.doc.Limits {
		if slices.Contains(l.Methods, method) {
			return l.Methods[0] + "Limits"
		}
	}
	w.fail(fmt.Errorf("%s: there is no table of tensor limits", method))
	return ""
}

// limits writes the tables of tensor limits. Sets of data types, and tables of several methods, stand there once.
func (w *writer) limits() {
	sets := make(map[string]string) // the data types of a set by its name
	var tables bytes.Buffer
	for _, l := range w.doc.Limits {
		fmt.Fprintf(&tables, "%sLimits = []operandLimits{\n", l.Methods[0])
		for _, r := range l.Rows {
			types := r.Types
			if fewer := narrower[l.Methods[0]][r.Operand]; fewer != nil {
				types = fewer
			}
			high := strconv.Itoa(r.Ranks.Max)
			if r.Ranks.Max == idl.AnyRank || r.SameRank != "" {
				high = "MaxRank"
			}
			fmt.Fprintf(&tables, "{%q, %s, %q, %d, %s, %q},\n", r.Operand, w.typeSet(types, sets), r.SameType, r.Ranks.Min, high, r.SameRank)
		}
		tables.WriteString("}\n")
	}
	w.printf("// Sets of data types that the tables name.\nvar (\n")
	for _, name := range slices.SortedFunc(maps.Keys(sets), func(a, b string) int { return cmp.Or(len(sets[a])-len(sets[b]), strings.Compare(a, b)) }) {
		w.printf("%s = []tensor.DType{%s}\n", name, sets[name])
	}
	w.printf(")\n\n// The specification's tables \"Tensor limits\".\nvar (\n%s)\n\n", tables.Bytes())
}

// typeSet returns the name of a set of data types, such as typesF32F16, which it adds to the sets.
func (w *writer) typeSet(types []string, sets map[string]string) string {
	switch {
	case len(types) == 0:
		return "nil"
	case types[0] == anyType:
		return "DataTypes"
	}
	name, members := "types", make([]string, len(types))
	for i, t := range types {
		members[i] = w.dataType(t)
		d, _ := tensor.ParseDType(t)
		constant := title(d.String())
		name += constant[:1] + strings.TrimLeftFunc(constant, unicode.IsLetter)
	}
	sets[name] = strings.Join(members, ", ")
	return name
}
