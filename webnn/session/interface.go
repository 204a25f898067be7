package session

import (
	"sync"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// operation is a method, attribute or constructor of the interface.
type operation struct {
	iface, name string
	overloads   [][]param // an attribute has one without parameters
	async       bool      // it returns a promise
	list        bool      // it returns a sequence
	makes       bool      // it returns an object or a list of them
	attribute   bool
}

// method returns the name that errors have, such as "MLContext.readTensor".
func (o *operation) method() string { return o.iface + "." + o.name }

// operations returns the members of the interface by the names of interface and member, as the standard's WebIDL declares
// them.
var operations = sync.OnceValue(func() map[[2]string]*operation {
	r := &resolver{document: &idl.WebNN, dictionaries: make(map[string]*typ)}
	out := make(map[[2]string]*operation)
	for _, i := range r.document.Interfaces {
		for _, a := range i.Attributes {
			out[[2]string{i.Name, a.Name}] = &operation{iface: i.Name, name: a.Name, overloads: [][]param{nil},
				async: a.Type.Name == "Promise", attribute: true}
		}
		for _, o := range i.Operations {
			key := [2]string{i.Name, o.Name}
			if out[key] == nil {
				out[key] = r.operation(i.Name, o)
			}
			params := make([]param, len(o.Args))
			for i, a := range o.Args {
				params[i] = param{a.Name, r.resolve(a.Type), a.Optional}
			}
			out[key].overloads = append(out[key].overloads, params)
		}
	}
	return out
})

// operation returns an operation without its overloads.
func (r *resolver) operation(iface string, o idl.Operation) *operation {
	out := &operation{iface: iface, name: o.Name, async: o.Result.Name == "Promise", list: o.Result.Name == "sequence"}
	result := o.Result
	if out.async {
		result = result.Params[0]
	}
	out.makes = out.list || o.Name == constructor || r.document.Interface(result.Name) != nil
	return out
}

// constructor is the name of a constructor among the operations of its interface.
const constructor = "constructor"

// resolver turns the types of the WebIDL into those that values are converted to.
type resolver struct {
	document     *idl.Document
	dictionaries map[string]*typ
}

// plainKinds are the types without a declaration.
var plainKinds = map[string]kind{
	"unsigned long": kindNumeric, "long": kindNumeric, "float": kindNumeric, "double": kindNumeric,
	"unrestricted float": kindNumeric, "unrestricted double": kindNumeric,
	"boolean": kindBoolean, "USVString": kindString, "DOMString": kindString, "AllowSharedBufferSource": kindBuffer,
}

func (r *resolver) resolve(t idl.Type) *typ {
	switch t.Name {
	case "sequence":
		return &typ{kind: kindSequence, item: r.resolve(t.Params[0])}
	case "record":
		return &typ{kind: kindRecord, item: r.resolve(t.Params[1])}
	case "or":
		return r.union(t)
	}
	if k, ok := plainKinds[t.Name]; ok {
		return &typ{kind: k, name: t.Name, enforce: t.EnforceRange}
	}
	for _, d := range r.document.Typedefs {
		if d.Name == t.Name {
			return r.resolve(d.Type)
		}
	}
	if e := r.document.Enum(t.Name); e != nil {
		return &typ{kind: kindEnum, name: t.Name, words: e.Values}
	}
	if d := r.document.Dictionary(t.Name); d != nil {
		return r.dictionary(d)
	}
	return &typ{kind: kindInterface, name: t.Name}
}

// union resolves the unions that the interface has: an MLNumber, and a type or a sequence.
func (r *resolver) union(t idl.Type) *typ {
	out := &typ{kind: kindUnion}
	for _, p := range t.Params {
		switch p.Name {
		case "bigint":
			out.kind = kindBigInt
		case "sequence":
			out.item = r.resolve(p.Params[0])
		default:
			out.alone = r.resolve(p)
		}
	}
	return out
}

func (r *resolver) dictionary(d *idl.Dictionary) *typ {
	if t := r.dictionaries[d.Name]; t != nil {
		return t
	}
	t := &typ{kind: kindDictionary, name: d.Name}
	r.dictionaries[d.Name] = t
	if parent := r.document.Dictionary(d.Parent); parent != nil {
		t.members = append(t.members, r.dictionary(parent).members...)
	}
	for _, m := range d.Members {
		t.members = append(t.members, param{m.Name, r.resolve(m.Type), !m.Required})
	}
	return t
}
