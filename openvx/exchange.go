package openvx

// changed notes that a parameter of a node has been set to another object. A verified graph stays verified if that is to it what the
// old one was.
func (g *Graph) changed(old, value Reference) {
	if g.course != nil && !g.course.exchange(old, value) {
		g.unverify()
	}
}

// exchange puts one object in the place of another, which a parameter of a node referred to. It reports false if the graph must be
// verified again.
func (p *course) exchange(old, r Reference) bool {
	if !alike(old, r) {
		return false
	}
	was, is := regions(old)[0].root, regions(r)[0].root
	u := p.usage[was]
	if was == is || u.parameters != 1 || p.usage[is].parameters != 0 {
		p.stale = true // other parameters refer to one of them: order and segments may be others
		return true
	}
	delete(p.usage, was)
	delete(p.flow.writes, was) // nobody reads it, and nobody writes it any more
	p.usage[is] = u
	for s := range p.segments {
		replace(s.loads, old, r)
		replace(s.stores, old, r)
	}
	return true
}

func replace(list []port, old, r Reference) {
	for i := range list {
		if Reference(list[i].tensor) == old {
			list[i].tensor = r.(*Tensor)
		}
	}
}
