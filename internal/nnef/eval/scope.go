package eval

import "slices"

// scope holds the values of a body's identifiers. Few are searched one by one, many are in a map.
type scope struct {
	names  []string
	values []Value
	params int // the first ones are parameters; of a map none is
	many   map[string]Value
}

const fewNames = 16

// get returns the value of a name, or nil.
func (s *scope) get(name string) Value {
	if s.many != nil {
		return s.many[name]
	}
	if i := slices.Index(s.names, name); i >= 0 {
		return s.values[i]
	}
	return nil
}

func (s *scope) isParam(name string) bool {
	i := slices.Index(s.names[:s.params], name)
	return i >= 0
}

// set gives a name a value.
func (s *scope) set(name string, v Value) {
	if s.many == nil {
		if i := slices.Index(s.names, name); i >= 0 {
			s.values[i] = v
			return
		}
		s.names, s.values = append(s.names, name), append(s.values, v)
		if len(s.names) <= fewNames {
			return
		}
		s.grow()
		return
	}
	s.many[name] = v
}

// grow puts the values into a map.
func (s *scope) grow() {
	s.many = make(map[string]Value, 4*len(s.names))
	for i, n := range s.names {
		s.many[n] = s.values[i]
	}
}

// remove takes a name away that was set after the parameters.
func (s *scope) remove(name string) {
	if s.many != nil {
		delete(s.many, name)
		return
	}
	if i := slices.Index(s.names, name); i >= s.params {
		s.names, s.values = slices.Delete(s.names, i, i+1), slices.Delete(s.values, i, i+1)
	}
}

// all returns the names in use.
func (s *scope) all() []string {
	if s.many == nil {
		return s.names
	}
	list := make([]string, 0, len(s.many))
	for name := range s.many {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
