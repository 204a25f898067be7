package session

import (
	"sync"

	"github.com/concord-nn/concord/webnn/internal/idl"
)

// operation is a method, attribute or constructor of the interface.
type operation struct {
	iface, name string
	overloads   [][]idl.Argument // an attribute has one without arguments
	async       bool             // it returns a promise
	list        bool             // it returns a sequence
	makes       bool             // it returns an object or a list of them
	attribute   bool
}

// method returns the name that errors have, such as "MLContext.readTensor".
func (o *operation) method() string { return o.iface + "." + o.name }

// constructor is the name of a constructor among the operations of its interface.
const constructor = "constructor"

// operations returns the members of the interface by the names of interface and member, as the standard's WebIDL declares
// them.
var operations = sync.OnceValue(func() map[[2]string]*operation {
	out := make(map[[2]string]*operation)
	for _, i := range idl.WebNN.Interfaces {
		for _, a := range i.Attributes {
			out[[2]string{i.Name, a.Name}] = &operation{iface: i.Name, name: a.Name, overloads: [][]idl.Argument{nil},
				async: a.Type.Name == "Promise", attribute: true}
		}
		for _, o := range i.Operations {
			key := [2]string{i.Name, o.Name}
			if out[key] == nil {
				x := &operation{iface: i.Name, name: o.Name, async: o.Result.Name == "Promise", list: o.Result.Name == "sequence"}
				result := o.Result
				if x.async {
					result = result.Params[0]
				}
				x.makes = x.list || o.Name == constructor || idl.WebNN.Interface(result.Name) != nil
				out[key] = x
			}
			out[key].overloads = append(out[key].overloads, o.Args)
		}
	}
	return out
})
