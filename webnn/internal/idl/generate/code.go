package main

import (
	"bytes"
	_ "embed" // what the files look like
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

//go:embed code.tmpl
var codeTemplate string

// writer has what the templates of the files of package webnn ask for. Its methods panic with errors, which templates return.
type writer struct {
	doc   *idl.Document
	words words
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// goFile writes the file of package webnn that the template of its name says.
func goFile(doc *idl.Document, text words, name string) ([]byte, error) {
	w := &writer{doc, text}
	t, err := template.New("").Funcs(template.FuncMap{
		"methods": w.methods, "dictionaries": w.dictionaries, "dictionaryDoc": w.dictionaryDoc, "fields": w.fields, "enums": w.enums,
		"types": w.types, "highest": highest, "args": w.args, "options": w.options, "limitsOf": w.limitsOf, "param": w.param,
		"doc": w.document, "text": func(key string) string { return w.words.texts[key] }, "name": func(key string) string { return w.words.names[key] },
		"goName": goName, "list": listName,
	}).Parse(codeTemplate)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, name, doc); err != nil {
		return nil, err
	}
	head := fmt.Sprintf(generated+"package webnn\n\n", "idl.WebNN")
	if bytes.Contains(body.Bytes(), []byte("tensor.")) {
		head += "import \"github.com/concord-nn/concord/tensor\"\n\n"
	}
	return format.Source(append([]byte(head), body.Bytes()...))
}

// document writes the comment of a declaration: its entry behind how it begins, and the section of the standard.
func (w *writer) document(key, begin, anchor string) string {
	text, ok := w.words.texts[key]
	if !ok {
		panic(fmt.Errorf("words.txt says nothing about %s", key))
	}
	if strings.HasPrefix(text, ",") { // in place of the end of the sentence
		begin, _, _ = strings.Cut(begin, ",")
	} else {
		begin += " "
	}
	return comment("", strings.TrimSpace(begin+text)+"\n\nSee https://www.w3.org/TR/webnn/#"+anchor+".")
}

// method is a typed method.
type method struct{ Doc, Name, Params, Result, Call, Args string }

// methods returns the typed methods. One that takes a number or a list has a form for each.
func (w *writer) methods() (list []method) {
	for _, o := range w.doc.Operators() {
		call := "single"
		if o.Result.Name == "sequence" {
			call = "several"
		}
		for form, key := range []string{o.Name, w.words.names[o.Name]} {
			if key == "" {
				continue
			}
			params, args := w.parameters(o, form)
			name := title(key)
			list = append(list, method{w.document(key, name, o.Anchor), name, params, goType(w.doc, o.Result), call, args})
		}
	}
	return list
}

// parameters returns the parameters of a typed method and the arguments of the call that it makes.
func (w *writer) parameters(o idl.Operation, form int) (params, args string) {
	var list []string
	args = fmt.Sprintf("%q, options.dictionary()", o.Name)
	for i, a := range o.Args {
		t := a.Type
		if t.Name == "or" {
			t = t.Params[form]
		}
		typ := " " + goType(w.doc, t)
		if a.Optional {
			list = append(list, a.Name+" *"+typ[1:])
			break // the options are the last argument
		}
		if i > 0 && strings.HasSuffix(list[i-1], typ) { // which stands behind the last of several
			list[i-1] = o.Args[i-1].Name
		}
		list, args = append(list, a.Name+typ), args+", "+a.Name
	}
	return strings.Join(list, ", "), args
}

// dictionaries returns those that are options of operators.
func (w *writer) dictionaries() []idl.Dictionary {
	return slices.DeleteFunc(slices.Clone(w.doc.Dictionaries), func(d idl.Dictionary) bool { return !isOptions(d) })
}

func isOptions(d idl.Dictionary) bool {
	return d.Name == "MLOperatorOptions" || d.Parent == "MLOperatorOptions"
}

// dictionaryDoc writes the comment of options: which methods take them.
func (w *writer) dictionaryDoc(d idl.Dictionary) string {
	begin := goName(d.Name) + " is " + d.Name + ":"
	if d.Parent != "" {
		var users []string
		for _, o := range w.doc.Operators() {
			for _, name := range []string{title(o.Name), w.words.names[o.Name]} {
				if o.Options() == d.Name && name != "" {
					users = append(users, "[GraphBuilder."+name+"]")
				}
			}
		}
		list := strings.Join(users, ", ")
		if last := strings.LastIndex(list, ", "); last >= 0 {
			list = list[:last] + " and" + list[last+1:]
		}
		begin = begin[:len(begin)-1] + ", for " + list + "."
	}
	return w.document(d.Name, begin, d.Anchor)
}

// field is a member of a struct of options, and what stands for it in the dictionary.
type field struct{ Member, Name, Doc, Type, Put, Value string }

// fields returns the fields of options but the label. One is a pointer where the default is not the zero value, which "", tensor.Invalid
// and nil stand for.
func (w *writer) fields(d idl.Dictionary) (list []field) {
	for _, m := range d.Members {
		if m.Name == "label" {
			continue
		}
		name := title(m.Name)
		f := field{m.Name, name, comment("\t", name+" "+w.words.texts[d.Name+"."+m.Name]), goType(w.doc, m.Type), "put", "o." + name}
		if m.Type.Name == "sequence" {
			f.Put = "list"
		}
		switch {
		case m.Type.Name == dataTypes || m.Type.Name == "MLNumber":
		case w.doc.Enum(m.Type.Name) != nil:
			f.Value = "string(" + f.Value + ")"
		case m.Type.Name == "sequence" && w.doc.Enum(m.Type.Params[0].Name) != nil:
			f.Value = "texts(" + f.Value + ")"
		case !slices.Contains([]string{"", "false", "0"}, m.Default):
			f.Type, f.Put = "*"+f.Type, "point"
		}
		list = append(list, f)
	}
	return list
}

// dataTypes is the enumeration that is a type of package tensor.
const dataTypes = "MLOperandDataType"

// enums returns the others.
func (w *writer) enums() []idl.Enum {
	return slices.DeleteFunc(slices.Clone(w.doc.Enums), func(e idl.Enum) bool { return e.Name == dataTypes })
}

// listName is the name of the list of the options of a dictionary.
func listName(dictionary string) string {
	name := goName(dictionary)
	return strings.ToLower(name[:1]) + name[1:]
}

// options is the name of the list of the options of a method.
func (w *writer) options(o idl.Operation) string {
	if d := w.doc.Dictionary(o.Options()); d != nil && d.Parent != "" {
		return listName(d.Name)
	}
	return "nil"
}

// args writes the parameters of a method but the options.
func (w *writer) args(o idl.Operation) string {
	var list []string
	for _, a := range o.Args[:len(o.Args)-1] {
		list = append(list, w.param(a.Name, a.Type, ""))
	}
	return strings.Join(list, ", ")
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
		fallback = must(dataTypeConstant(strings.Trim(fallback, `"`)))
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

// limitsOf is the name of the table of a method.
func (w *writer) limitsOf(method string) string {
	for _, l := range w.doc.Limits {
		if slices.Contains(l.Methods, method) {
			return l.Methods[0] + "Limits"
		}
	}
	panic(fmt.Errorf("%s: there is no table of tensor limits", method))
}

// anyType is what the tables have where all data types are allowed.
const anyType = "any"

// narrower has the operands of which a step of the algorithm lets fewer data types pass than the table, by method.
var narrower = map[string]map[string][]string{"isNaN": {"a": {"float32", "float16"}}}

// types writes the data types of an operand.
func (w *writer) types(method string, r idl.Row) string {
	types := r.Types
	if fewer := narrower[method][r.Operand]; fewer != nil {
		types = fewer
	}
	switch {
	case len(types) == 0:
		return "nil"
	case types[0] == anyType:
		return "DataTypes"
	}
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = must(dataTypeConstant(t))
	}
	return "[]tensor.DType{" + strings.Join(list, ", ") + "}"
}

// highest writes the highest rank of an operand.
func highest(r idl.Row) string {
	if r.Ranks.Max == idl.AnyRank || r.SameRank != "" {
		return "MaxRank"
	}
	return strconv.Itoa(r.Ranks.Max)
}
