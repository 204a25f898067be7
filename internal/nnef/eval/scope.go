package eval

import "slices"

// scope holds the values of a body's identifiers. Few are searched one by one, of many there is an index.
type scope struct {
	names  []string // in the order in which they got values
	values []Value
	params int            // the first ones are parameters
	index  map[string]int // where names stand; nil of few
}

const fewNames = 16

// find returns where a name stands, -1 if it has no value.
func (s *scope) find(name string) int {
	if s.index == nil {
		return slices.Index(s.names, name)
	}
	if i, ok := s.index[name]; ok {
		return i
	}
	return -1
}

// get returns the value of a name, or nil.
func (s *scope) get(name string) Value {
	if i := s.find(name); i >= 0 {
		return s.values[i]
	}
	return nil
}

func (s *scope) isParam(name string) bool { return slices.Contains(s.names[:s.params], name) }

// set gives a name a value.
func (s *scope) set(name string, v Value) {
	if i := s.find(name); i >= 0 {
		s.values[i] = v
		return
	}
	s.add(name, v)
}

// add gives a name without a value one.
func (s *scope) add(name string, v Value) {
	s.names, s.values = append(s.names, name), append(s.values, v)
	switch n := len(s.names); {
	case s.index != nil:
		s.index[name] = n - 1
	case n > fewNames:
		s.index = make(map[string]int, 4*n)
		for i, name := range s.names {
			s.index[name] = i
		}
	}
}

// keep takes all names away but the first n.
func (s *scope) keep(n int) {
	for _, name := range s.names[n:] {
		delete(s.index, name)
	}
	s.names, s.values = s.names[:n], s.values[:n]
}
