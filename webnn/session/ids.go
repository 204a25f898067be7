package session

// Reserved says whether every host has an object of that id, so that no call may give it to a result.
func Reserved(id string) bool { return id == entryID || id == hostID }

// References returns the ids to which arguments refer.
func (s *Session) References() map[string]bool {
	used := make(map[string]bool)
	for i := range s.Calls {
		for _, a := range s.Calls[i].Args {
			mapRefs(a, func(r Ref) Ref {
				used[string(r)] = true
				return r
			})
		}
	}
	return used
}

// Rename gives objects other ids, new ones by old ones: where they are made, as receivers and in arguments. Objects that the
// map does not have keep theirs.
func (s *Session) Rename(ids map[string]string) {
	name := func(id string) string {
		if to, ok := ids[id]; ok {
			return to
		}
		return id
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		c.On, c.ID = name(c.On), name(c.ID)
		for k, id := range c.IDs {
			c.IDs[k] = name(id)
		}
		for k, a := range c.Args {
			c.Args[k] = mapRefs(a, func(r Ref) Ref { return Ref(name(string(r))) })
		}
	}
}

// mapRefs returns a value in which each reference is another one.
func mapRefs(v Value, other func(Ref) Ref) Value {
	switch v := v.(type) {
	case Ref:
		return other(v)
	case []Value:
		return values(v, func(x Value) Value { return mapRefs(x, other) })
	case Dict:
		out := make(Dict, len(v))
		for key, x := range v {
			out[key] = mapRefs(x, other)
		}
		return out
	}
	return v
}
