package openvx

import (
	"slices"
	"strconv"

	"github.com/concord-nn/concord/engine"
)

// Import is what [Context.ImportObjects] has imported (vx_import). It keeps the objects alive, and finds them by their names.
type Import struct {
	object
	listed []Reference
}

// ImportObjects makes the objects that [Context.ExportObjects] has written (vxImportObjectsFromMemory). Refs and uses are as long as the
// lists of the export, and uses the same. What the application supplies (UseApplicationCreate) stands in refs, and must be described by
// the same metadata as what was listed; the other elements are set to the objects that are made, each with one reference of the application.
// The blob is not needed any more.
//
// Graphs are verified, and remain so: calls that would change that fail. Kernels and structures of the application that were used must have
// been registered in this context.
//
// Bytes that are not exported objects are ErrorInvalidFormat; those of another version, objects that do not match the exported ones and
// graphs of a context with another [Context.Compatible] are ErrorNotCompatible; other lists than those of the export are
// ErrorInvalidParameters, and so is a kernel that is not registered. What a blob describes without values is bounded: all of it together
// like one tensor by Options.MaxTensorBytes, and the nodes by Options.Limits. If it fails nothing is made, and refs remain as they are.
func (c *Context) ImportObjects(blob []byte, refs []Reference, uses []Use) (*Import, error) {
	return create(c, c, "Context.ImportObjects", func() (*Import, error) {
		if len(refs) != len(uses) {
			return nil, failed(ErrorInvalidParameters, "%d references and %d uses are given; it must be as many", len(refs), len(uses))
		}
		r, err := unseal(blob)
		if err != nil {
			return nil, err
		}
		x := &importer{
			blobReader: r, c: c, given: refs, uses: uses, budget: c.maxTensorBytes(), nodes: c.opts.Limits.Nodes,
			borrowed: make(map[Reference]bool), delayed: make(map[Reference]bool),
		}
		if x.nodes <= 0 {
			x.nodes = engine.DefaultLimits.Nodes
		}
		c.hold() // verification unlocks the context
		defer c.drop()
		defer x.letGo()
		listed, err := x.read()
		if err != nil {
			return nil, err
		}
		made := &Import{listed: listed}
		c.register(&made.object, made, TypeImport)
		for i, r := range listed {
			r.base().hold()
			if !x.borrowed[r] {
				r.base().external++
			}
			refs[i] = r
		}
		return made, nil
	})
}

func (i *Import) destroy() {
	for _, r := range i.listed {
		r.base().drop()
	}
}

// Reference returns the object of a name among those that were listed, with another reference of the application
// (vxGetImportReferenceByName). The name may have been given before the export or after the import. If there is no such object, or more
// than one, the error is ErrorInvalidParameters.
func (i *Import) Reference(name string) (Reference, error) {
	var found Reference
	err := i.ctx.do(i, "Import.Reference", func() error {
		for _, r := range i.listed {
			switch {
			case name == "" || r.base().name != name || r == found:
			case found != nil:
				return failed(ErrorInvalidParameters, "several objects are named %q", name)
			default:
				found = r
			}
		}
		if found == nil {
			return failed(ErrorInvalidParameters, "no listed object is named %q", name)
		}
		found.base().external++
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// importer reads objects from a blob.
type importer struct {
	blobReader
	c        *Context
	given    []Reference // by the application; nil where the import makes the object
	uses     []Use
	places   []int       // of what is listed, among objects
	objects  []Reference // in the order of the blob
	valued   []valued    // those that have values in the blob
	promised int         // bytes of those values
	graphs   []*Graph
	held     []Reference        // while the import is under way: what it has made and what it was given
	borrowed map[Reference]bool // what the application has supplied
	delayed  map[Reference]bool // slots of delays that have been read, and their components
	budget   int64              // bytes that objects without values may still have
	nodes    int                // that graphs may still have
}

// keep makes an object, which has one reference of the application, the import's own.
func (x *importer) keep(r Reference) {
	r.base().intern()
	x.held = append(x.held, r)
}

// letGo gives up all objects. Those live on that the application or others refer to.
func (x *importer) letGo() {
	for _, r := range slices.Backward(x.held) {
		r.base().drop()
	}
}

// spend takes bytes from the budget.
func (x *importer) spend(bytes int) error {
	if x.budget -= int64(bytes); x.budget < 0 {
		return failed(ErrorNoMemory, "the objects take more than the limit of %d bytes", x.c.maxTensorBytes())
	}
	return nil
}

// read reads the whole blob and returns what is listed. Graphs are verified at the end, when values are there.
func (x *importer) read() ([]Reference, error) {
	if err := x.list(); err != nil {
		return nil, err
	}
	for range x.count(9) { // kind, flags, and a text
		if err := x.object(); err != nil {
			return nil, err
		}
	}
	for _, g := range x.graphs {
		if err := x.graph(g); err != nil {
			return nil, err
		}
	}
	for _, v := range x.valued {
		if data := x.bytes(v.valueBytes()); data != nil {
			if err := v.copyValues(data, WriteOnly); err != nil {
				return nil, err
			}
		}
	}
	if len(x.rest) > 0 {
		x.fail("%d bytes follow the objects", len(x.rest))
	}
	if x.err != nil {
		return nil, x.err
	}
	listed, err := x.listed()
	if err != nil {
		return nil, err
	}
	for _, g := range x.graphs {
		g.imported = true
		if err := g.verify(); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// list reads what was listed, and compares uses.
func (x *importer) list() error {
	n := x.count(8)
	if x.err == nil && n != len(x.uses) {
		return failed(ErrorInvalidParameters, "%d references are given; %d were exported", len(x.uses), n)
	}
	for i := range n {
		use, at := Use(x.number()), x.number()
		if use != 0 && use != x.uses[i] { // graphs have none
			return failed(ErrorInvalidParameters, "use %d is %s; it was %s in the export", i, x.uses[i], use)
		}
		x.places = append(x.places, at)
	}
	return x.err
}

// listed returns the objects that were listed.
func (x *importer) listed() ([]Reference, error) {
	list := make([]Reference, len(x.places))
	for i, at := range x.places {
		if at >= len(x.objects) {
			x.fail("object %d is listed, and there are %d", at, len(x.objects))
			return nil, x.err
		}
		r := x.objects[at]
		if _, graph := r.(*Graph); r.base().scope != nil || !graph && x.borrowed[r] != (x.uses[i] == UseApplicationCreate) {
			x.fail("object %d cannot be listed as %s", at, x.uses[i])
			return nil, x.err
		}
		if x.borrowed[r] && baseOf(x.given[i]) != r.base() {
			return nil, failed(ErrorNotCompatible, "reference %d is not the same object as another reference, or component of one, that it was in the export", i)
		}
		list[i] = r
	}
	return list, checkNames(list)
}

// object reads an object.
func (x *importer) object() error {
	kind, has := Type(x.number()), x.byte()
	if has&^flags != 0 || has&flagSupplied != 0 && has != flagSupplied {
		x.fail("%#x are no flags of an object", has)
	}
	if has&flagSupplied != 0 {
		return x.supplied(kind)
	}
	name := x.text(MaxReferenceName)
	read, ok := readers[kind]
	if !ok {
		x.fail("objects of the kind %s cannot be imported", kind)
	}
	if x.err != nil {
		return x.err
	}
	if err := read(x); err != nil {
		return err
	}
	r := x.held[len(x.held)-1]
	r.base().name = name
	x.objects = append(x.objects, r)
	if g, ok := r.(*Graph); ok {
		x.graphs = append(x.graphs, g)
	}
	if has&flagDelayed != 0 {
		markDelayed(r)
	}
	if err := checkName("an object", name, MaxReferenceName); err != nil {
		return err
	}
	return x.provide(r, has&flagValues != 0)
}

// provide accounts for the values of an object, which stand in the blob or are zeros.
func (x *importer) provide(r Reference, stored bool) error {
	v, ok := r.(valued)
	switch {
	case stored && (!ok || r.base().scope != nil):
		x.fail("a %s cannot have values", r.base().kind.noun())
		return x.err
	case stored:
		x.valued = append(x.valued, v)
		if x.promised += v.valueBytes(); x.promised > len(x.rest) {
			x.fail("%d bytes of values are missing", x.promised-len(x.rest))
		}
		return x.err
	case ok && whole(r) == r:
		return x.spend(v.valueBytes())
	}
	return nil
}

// supplied reads where an object comes from that the application creates.
func (x *importer) supplied(kind Type) error {
	was, entry := x.text(maxMetadata), x.index(len(x.given))
	path := make([]int, x.count(4))
	for i := range path {
		path[i] = x.number()
	}
	if x.err != nil {
		return x.err
	}
	o, err := x.c.check(x.given[entry], "reference "+strconv.Itoa(entry))
	if err != nil {
		return err
	}
	r := o.self
	for _, i := range path {
		parts := components(r)
		if i >= len(parts) {
			return failed(ErrorNotCompatible, "reference %d has no component %d", entry, i)
		}
		r = parts[i]
	}
	e, ok := r.(exportable)
	switch {
	case !ok || o.kind == TypeGraph || o.scope != nil:
		return failed(ErrorInvalidType, "reference %d is a %s that cannot be supplied", entry, o.kind.noun())
	case r.base().kind != kind || e.metadata() != was:
		return failed(ErrorNotCompatible, "reference %d is, or has as a component, a %s; a %s is needed", entry, e.metadata(), was)
	}
	r.base().hold()
	x.held = append(x.held, r)
	x.borrowed[r] = true
	x.objects = append(x.objects, r)
	return nil
}

// part reads a reference to an object that has been read.
func (x *importer) part() Reference {
	i := x.index(len(x.objects))
	if x.err != nil {
		return nil
	}
	return x.objects[i]
}

// references reads a list of such references, at least one.
func (x *importer) references() []Reference {
	list := make([]Reference, x.count(4))
	for i := range list {
		list[i] = x.part()
	}
	if len(list) == 0 {
		x.fail("a list of objects is empty")
	}
	if x.err != nil {
		return nil
	}
	return list
}

// scope reads what a virtual object belongs to.
func (x *importer) scope() *Graph {
	if !x.bool() {
		return nil
	}
	g, ok := x.part().(*Graph)
	if !ok {
		x.fail("a virtual object does not belong to a graph")
	}
	return g
}

// graph reads the nodes, parameters and delays of a graph.
func (x *importer) graph(g *Graph) error {
	if compatible := x.bool(); x.err == nil && compatible != x.c.opts.Compatible {
		return failed(ErrorNotCompatible, "the graph was exported where Compatible was %t; it is %t here", compatible, !compatible)
	}
	n := x.count(36) // two texts, a border, flags, and parameters
	if x.nodes -= n; x.nodes < 0 {
		return failed(ErrorNoResources, "the graphs have more nodes than the limit")
	}
	for range n {
		if err := x.node(g); err != nil {
			return err
		}
	}
	for range x.count(8) {
		n, i := x.index(len(g.nodes)), x.number()
		if x.err != nil {
			return x.err
		}
		if i >= len(g.nodes[n].params) {
			x.fail("%s has no parameter %d", g.nodes[n].place(-1), i)
			return x.err
		}
		g.params = append(g.params, graphParam{g.nodes[n], i})
	}
	for range x.count(4) {
		d, ok := x.part().(*Delay)
		if !ok || slices.Contains(g.delays, d) {
			x.fail("what is to age is no delay, or twice the same")
			return x.err
		}
		d.hold()
		g.delays = append(g.delays, d)
	}
	return x.err
}

// node reads a node.
func (x *importer) node(g *Graph) error {
	kernel, name := x.text(MaxKernelName), x.text(MaxReferenceName)
	border := BorderValue{Mode: Border(x.number())}
	copy(border.Value[:], x.bytes(len(border.Value)))
	var replicated []bool
	if n := x.count(1); n > 0 {
		replicated = make([]bool, n)
		for i := range replicated {
			replicated[i] = x.bool()
		}
	}
	params := make([]Reference, x.count(1))
	for i := range params {
		if x.bool() {
			params[i] = x.part()
		}
	}
	if x.err != nil {
		return x.err
	}
	k := x.c.kernels.byName[kernel]
	switch {
	case k == nil:
		return failed(ErrorInvalidParameters, "there is no kernel named %q in this context; kernels of the application must be registered before", kernel)
	case len(params) != len(k.params) || replicated != nil && len(replicated) != len(params):
		return failed(ErrorNotCompatible, "the kernel %q has %d parameters in this context; a node has %d", kernel, len(k.params), len(params))
	}
	if err := x.spend(k.localSize); err != nil {
		return err
	}
	n, err := g.newNode(k, params)
	if err != nil {
		return err
	}
	n.intern()
	n.drop() // the graph keeps it
	n.name, n.border, n.replicated = name, border, replicated
	n.keepArrays()
	if err := checkName("a node", name, MaxReferenceName); err != nil {
		return err
	}
	return border.check()
}
