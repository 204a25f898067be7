package openvx

import (
	"maps"
	"slices"
	"strconv"
)

// ExportObjects writes objects to a blob of bytes, of which [Context.ImportObjects] makes equal ones, in any context
// (vxExportObjectsToMemory). Graphs, and data objects that are not virtual, can be listed; what graphs use is exported with them. Uses
// has an element for each reference, which is ignored for graphs: whether the application will supply the object when it imports the
// others (UseApplicationCreate), or the import makes it, with the values that it has (UseExportValues) or with zeros (UseNoExportValues).
// An object that is not listed keeps its values unless a node of an exported graph writes them.
//
// Graphs are verified if that is needed. The parameters of a graph must be listed; scalars that stand for arguments of C's node functions
// must not. Kernels of the application are exported by their names, and structures by theirs: whoever imports registers them before. Nodes
// of imported models and nodes with a callback are ErrorNotSupported, a virtual object in the list is ErrorOptimizedAway, an object that
// cannot be listed at all ErrorInvalidType, and other mistakes in the lists are ErrorInvalidParameters. While a graph runs the error is
// ErrorGraphScheduled.
func (c *Context) ExportObjects(refs []Reference, uses []Use) ([]byte, error) {
	var blob []byte
	err := c.do(c, "Context.ExportObjects", func() (err error) {
		w := &exporter{
			uses: make(map[Reference]Use), supplied: make(map[Reference]supply), index: make(map[Reference]int),
			read: make(map[Reference]bool), written: make(map[Reference]bool),
		}
		if w.listed, err = c.checkList(refs, uses); err != nil {
			return err
		}
		c.hold() // verification unlocks the context
		defer c.drop()
		for _, r := range w.listed {
			r.base().hold()
			defer r.base().drop()
		}
		if err := w.verify(); err != nil {
			return err
		}
		blob, err = w.export(uses)
		return err
	})
	return blob, err
}

// checkList checks what is to be exported, and returns the objects themselves.
func (c *Context) checkList(refs []Reference, uses []Use) ([]Reference, error) {
	if len(refs) == 0 || len(refs) != len(uses) {
		return nil, failed(ErrorInvalidParameters, "%d references and %d uses are given; it must be as many, and at least one", len(refs), len(uses))
	}
	listed := make([]Reference, len(refs))
	for i, r := range refs {
		o, err := c.check(r, "reference "+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		if _, ok := o.self.(exportable); !ok {
			return nil, failed(ErrorInvalidType, "reference %d is a %s; graphs and data objects can be exported", i, o.kind.noun())
		}
		if o.scope != nil {
			return nil, failed(ErrorOptimizedAway, "reference %d is a virtual %s, which only its graph can access", i, o.kind.noun())
		}
		if _, ok := useNames[uses[i]]; !ok && o.kind != TypeGraph {
			return nil, failed(ErrorInvalidParameters, "use %d is %s, which is none", i, uses[i])
		}
		listed[i] = o.self
	}
	return listed, checkNames(listed)
}

// checkNames reports two objects of a list that have the same name.
func checkNames(listed []Reference) error {
	named := make(map[string]Reference)
	for i, r := range listed {
		name := r.base().name
		if other, ok := named[name]; ok && name != "" && other != r {
			return failed(ErrorInvalidParameters, "object %d has the name %q, which an object before it has", i, name)
		}
		named[name] = r
	}
	return nil
}

// exporter writes objects to a blob.
type exporter struct {
	blobWriter                      // of the objects
	listed     []Reference          // by the application
	uses       map[Reference]Use    // of those, and of what they consist of
	supplied   map[Reference]supply // those of them that the application will create
	read       map[Reference]bool   // what nodes refer to
	written    map[Reference]bool   // what they write
	objects    []Reference          // that have been written
	index      map[Reference]int    // of an object in that list
}

// supply says where an object comes from that the application creates: it is in its list, or a component of what is in its list.
type supply struct {
	entry int
	path  []int // from an array or a delay to its component, and so on
}

// verify verifies the listed graphs.
func (w *exporter) verify() error {
	for _, r := range w.listed {
		if g, ok := r.(*Graph); ok {
			if err := g.editable(); err != nil {
				return err
			}
			if err := g.prepare(); err != nil {
				return err
			}
		}
	}
	for _, r := range w.listed {
		if g, ok := r.(*Graph); ok && (g.program == nil || g.busy != idle) {
			return failed(ErrorGraphScheduled, "a graph has been changed or run while it was being exported")
		}
	}
	return nil
}

// export writes everything. The graphs are verified, and the context remains locked.
func (w *exporter) export(uses []Use) ([]byte, error) {
	for i, r := range w.listed {
		if r.base().kind == TypeGraph {
			continue
		}
		if use, ok := w.uses[r]; ok && use != uses[i] {
			return nil, failed(ErrorInvalidParameters, "reference %d is listed as %s and as %s", i, use, uses[i])
		}
		w.uses[r] = uses[i]
	}
	if err := w.spread(); err != nil {
		return nil, err
	}
	for _, r := range w.listed {
		if g, ok := r.(*Graph); ok {
			if err := w.survey(g); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range w.listed {
		if err := w.object(r); err != nil {
			return nil, err
		}
		if g, ok := r.(*Graph); ok {
			if err := w.reach(g); err != nil {
				return nil, err
			}
		}
	}
	return w.assemble(uses)
}

// spread makes the use of an array or a delay that of its components, unless they are listed themselves.
func (w *exporter) spread() error {
	listed := maps.Clone(w.uses)
	var within func(r Reference, use Use, from supply) error
	within = func(r Reference, use Use, from supply) error {
		for i, part := range components(r) {
			own, ok := listed[part]
			switch {
			case !ok:
				w.uses[part] = use
			case own != use && (own == UseApplicationCreate || use == UseApplicationCreate):
				return failed(ErrorInvalidParameters, "reference %d is listed as %s, and a component of it as %s", from.entry, use, own)
			}
			its := supply{from.entry, append(slices.Clone(from.path), i)}
			if use == UseApplicationCreate {
				w.supplied[part] = its
			}
			if err := within(part, use, its); err != nil {
				return err
			}
		}
		return nil
	}
	for i, r := range w.listed {
		use, ok := listed[r]
		if !ok { // a graph
			continue
		}
		if _, ok := w.supplied[r]; use == UseApplicationCreate && !ok {
			w.supplied[r] = supply{entry: i}
		}
		if err := within(r, use, supply{entry: i}); err != nil {
			return err
		}
	}
	return nil
}

// survey checks that a graph can be exported, and notes what its nodes read and write.
func (w *exporter) survey(g *Graph) error {
	for _, n := range g.nodes {
		if err := w.surveyNode(n); err != nil {
			return n.failure(err)
		}
	}
	for i := range g.params {
		p, err := g.param(i)
		if err != nil {
			return err
		}
		if r := p.node.params[p.index]; r == nil || !slices.Contains(w.listed, r) {
			return failed(ErrorInvalidParameters, "parameter %d of a graph is not in the list: %s", i, p.node.place(p.index))
		}
	}
	for _, d := range g.delays {
		each(d, func(r Reference) { w.read[r] = true })
	}
	return nil
}

func (w *exporter) surveyNode(n *Node) error {
	switch {
	case n.kernel.model != nil:
		return failed(ErrorNotSupported, "an imported model cannot be exported; import it again where the graph is imported")
	case n.callback != nil:
		return failed(ErrorNotSupported, "a callback of the application cannot be exported; take it away before")
	}
	for i, r := range n.params {
		if r == nil {
			continue
		}
		if _, listed := w.uses[r]; listed && n.kernel.params[i].fixed {
			return failed(ErrorInvalidParameters, "%s is fixed when the node is created; it cannot be listed", n.title(i))
		}
		to := w.read
		if n.kernel.params[i].dir == Output {
			to = w.written
		}
		each(r, func(r Reference) { to[r] = true })
		if a := n.array(i); a != nil {
			if err := a.check(); err != nil {
				return err
			}
			each(a, func(r Reference) { to[r] = true })
		}
	}
	return nil
}

// reach writes what a graph uses.
func (w *exporter) reach(g *Graph) error {
	for _, n := range g.nodes {
		for i, r := range n.params {
			if a := n.array(i); a != nil {
				r = a
			}
			if r == nil {
				continue
			}
			if err := w.object(r); err != nil {
				return n.failure(err)
			}
		}
	}
	for _, d := range g.delays {
		if err := w.object(d); err != nil {
			return err
		}
	}
	return nil
}

// object writes an object, unless it has been written, after those that it is made of.
func (w *exporter) object(r Reference) error {
	if _, ok := w.index[r]; ok {
		return nil
	}
	o, ok := r.(exportable)
	if !ok {
		return failed(ErrorNotSupported, "a %s cannot be exported", r.base().kind.noun())
	}
	from, supplied := w.supplied[r]
	if !supplied {
		for _, part := range o.parts() {
			if _, ok := w.supplied[part]; ok && components(r) != nil {
				return failed(ErrorInvalidParameters, "the application cannot supply a component of a %s that the import makes", r.base().kind.noun())
			}
			if err := w.object(part); err != nil {
				return err
			}
		}
	}
	w.index[r] = len(w.objects)
	w.objects = append(w.objects, r)
	w.number(int(r.base().kind))
	if supplied {
		w.byte(flagSupplied)
		w.text(o.metadata())
		w.number(from.entry)
		w.numbers(from.path)
		return nil
	}
	has := 0
	if w.carries(r) {
		has |= flagValues
	}
	if slices.ContainsFunc(regions(r), func(at region) bool { return at.root.delayed }) {
		has |= flagDelayed
	}
	w.byte(has)
	w.text(r.base().name)
	o.write(w)
	return nil
}

// carries reports whether values are exported with an object.
func (w *exporter) carries(r Reference) bool {
	v, ok := r.(valued)
	if !ok || r.base().scope != nil || !v.hasValues() {
		return false
	}
	all := whole(r)
	if _, ok := w.supplied[all]; ok {
		return false
	}
	if use, ok := w.uses[r]; ok {
		return use == UseExportValues
	}
	_, listed := w.uses[all]
	return w.hidden(r) && (r == all || !listed && !w.hidden(all)) // a part has the values of the whole
}

// hidden reports whether an object that is not listed keeps its values.
func (w *exporter) hidden(r Reference) bool { return w.read[r] && !w.written[r] }

// refer writes where an object stands that has been written; references does so for several, and scope for the graph of a virtual object.
func (w *exporter) refer(r Reference) { w.number(w.index[r]) }

func (w *exporter) references(list []Reference) {
	w.number(len(list))
	for _, r := range list {
		w.refer(r)
	}
}

func (w *exporter) scope(o *object) {
	w.bool(o.scope != nil)
	if o.scope != nil {
		w.refer(o.scope)
	}
}

// graph writes what makes a graph of its objects.
func (w *exporter) graph(g *Graph) {
	w.bool(g.program.compatible)
	w.number(len(g.nodes))
	at := make(map[*Node]int)
	for i, n := range g.nodes {
		at[n] = i
		w.text(n.kernel.kernelName)
		w.text(n.name)
		w.number(int(n.border.Mode))
		w.data = append(w.data, n.border.Value[:]...)
		w.number(len(n.replicated))
		for _, flag := range n.replicated {
			w.bool(flag)
		}
		w.number(len(n.params))
		for _, r := range n.params {
			w.bool(r != nil)
			if r != nil {
				w.refer(r)
			}
		}
	}
	w.number(len(g.params))
	for _, p := range g.params {
		w.number(at[p.node])
		w.number(p.index)
	}
	w.number(len(g.delays))
	for _, d := range g.delays {
		w.refer(d)
	}
}

// assemble puts the blob together, in memory of just its size.
func (w *exporter) assemble(uses []Use) ([]byte, error) {
	objects := w.data
	w.data = nil
	values := 0
	for _, r := range w.objects {
		if g, ok := r.(*Graph); ok {
			w.graph(g)
		}
		if w.carries(r) {
			values += r.(valued).valueBytes()
		}
	}
	graphs := w.data
	w.data = make([]byte, blobHeader, blobHeader+8+8*len(uses)+len(objects)+len(graphs)+values)
	w.number(len(uses))
	for _, r := range w.listed {
		w.number(int(w.uses[r])) // 0 for a graph
		w.refer(r)
	}
	w.number(len(w.objects))
	w.data = append(append(w.data, objects...), graphs...)
	for _, r := range w.objects {
		if !w.carries(r) {
			continue
		}
		v, at := r.(valued), len(w.data)
		w.data = w.data[:at+v.valueBytes()]
		if err := v.copyValues(w.data[at:], ReadOnly); err != nil {
			return nil, err
		}
	}
	w.seal()
	return w.data, nil
}
