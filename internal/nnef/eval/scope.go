package eval

import "slices"

// scope holds the values of a body's identifiers.
type scope struct {
	names  []string // in the order in which they got values
	values map[string]Value
	params int // the first ones are parameters
}

// get returns the value of a name, or nil.
func (s *scope) get(name string) Value { return s.values[name] }

func (s *scope) isParam(name string) bool { return slices.Contains(s.names[:s.params], name) }

// set gives a name a value.
func (s *scope) set(name string, v Value) {
	if s.values == nil {
		s.values = make(map[string]Value)
	}
	if s.values[name] == nil {
		s.names = append(s.names, name)
	}
	s.values[name] = v
}

// keep takes all names away but the first n.
func (s *scope) keep(n int) {
	for _, name := range s.names[n:] {
		delete(s.values, name)
	}
	s.names = s.names[:n]
}
