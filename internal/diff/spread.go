package diff

// spread matches unmatched operators of one name that stand in the same slots beside matched ones.
func (al *alignment) spread() {
	a, b := al.sides[0], al.sides[1]
	var queue []*operator
	for _, p := range a.net.ops {
		if a.match[p.id] >= 0 {
			queue = append(queue, p)
		}
	}
	try := func(p, q *operator) {
		if p != nil && q != nil && a.match[p.id] < 0 && b.match[q.id] < 0 && p.name == q.name {
			al.join(p, q, al.class())
			queue = append(queue, p)
		}
	}
	for _, o := range pairPorts(a.net.outputs, b.net.outputs, outputName) {
		if o.a != nil && o.b != nil {
			try(o.a.value.from, o.b.value.from)
		}
	}
	for _, i := range pairPorts(a.net.inputs, b.net.inputs, inputName) {
		if i.a != nil && i.b != nil {
			al.users(*i.a, *i.b, try)
		}
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		q := b.net.ops[a.match[p.id]]
		producers(p, q, try)
		for i := range min(len(p.out), len(q.out)) {
			al.users(p.out[i], q.out[i], try)
		}
	}
}

// producers calls try for those that yield the operands in the same slots.
func producers(p, q *operator, try func(p, q *operator)) {
	from := make(map[slot]*operator)
	q.operands(func(at slot, v *value) {
		if v != nil {
			from[at] = v.from
		}
	})
	p.operands(func(at slot, v *value) {
		if v != nil {
			try(v.from, from[at])
		}
	})
}

// users calls try for unmatched readers of two values, first those that are alike.
func (al *alignment) users(v, w *value, try func(p, q *operator)) {
	type key struct {
		slot  slot
		name  string
		local uint64
	}
	for _, d := range []detail{everything, noElements, nameOnly} {
		left, right := al.selves(al.sides[0], d), al.selves(al.sides[1], d)
		open := make(map[key][]*operator)
		for _, u := range w.uses {
			if al.sides[1].match[u.by.id] < 0 {
				k := key{u.slot, u.by.name, right[u.by.id]}
				open[k] = append(open[k], u.by)
			}
		}
		if len(open) == 0 {
			return
		}
		for _, u := range v.uses {
			if al.sides[0].match[u.by.id] >= 0 {
				continue
			}
			k := key{u.slot, u.by.name, left[u.by.id]}
			if list := open[k]; len(list) > 0 {
				open[k] = list[1:]
				try(u.by, list[0])
			}
		}
	}
}
