package diff

// ports matches inputs, outputs and states.
func (al *alignment) ports() {
	a, b := al.sides[0], al.sides[1]
	for _, p := range pairPorts(a.net.inputs, b.net.inputs, inputName) {
		if p.a != nil && p.b != nil {
			c := al.class()
			a.values[(*p.a).id], b.values[(*p.b).id] = c, c
		}
	}
	for _, p := range pairPorts(a.net.outputs, b.net.outputs, outputName) {
		if p.a != nil && p.b != nil {
			c := al.class()
			for i, v := range []*value{p.a.value, p.b.value} {
				al.sides[i].outputs[v.id] = append(al.sides[i].outputs[v.id], c)
			}
		}
	}
	for _, p := range pairPorts(a.net.states, b.net.states, stateLabel) {
		if p.a == nil || p.b == nil {
			continue
		}
		c, next := al.class(), al.class()
		a.values[p.a.value.id], b.values[p.b.value.id] = c, c
		for i, v := range []*value{p.a.next, p.b.next} {
			if v != nil {
				al.sides[i].outputs[v.id] = append(al.sides[i].outputs[v.id], next)
			}
		}
	}
}

// port is a pair of inputs, outputs or states, of which one may be missing.
type port[T any] struct{ a, b *T }

// pairPorts pairs items of equal names, and the others in their order.
func pairPorts[T any](a, b []T, name func(T) string) []port[T] {
	byName := make(map[string]*T)
	for i := range b {
		byName[name(b[i])] = &b[i]
	}
	pairs := make([]port[T], 0, len(a))
	taken := make(map[*T]bool)
	for i := range a {
		p := port[T]{a: &a[i]}
		if q := byName[name(a[i])]; q != nil && !taken[q] {
			p.b, taken[q] = q, true
		}
		pairs = append(pairs, p)
	}
	next := 0
	free := func() *T {
		for ; next < len(b); next++ {
			if !taken[&b[next]] {
				next++
				return &b[next-1]
			}
		}
		return nil
	}
	for i := range pairs {
		if pairs[i].b == nil {
			pairs[i].b = free()
		}
	}
	for q := free(); q != nil; q = free() {
		pairs = append(pairs, port[T]{b: q})
	}
	return pairs
}
