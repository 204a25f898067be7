package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
)

func newInspect() *cobra.Command {
	var (
		f                modelFlags
		shown            shownGraph
		asJSON, compiled bool
	)
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Print what a model is made of and what a run of it takes",
		Long: `Print the inputs and outputs of MODEL, how often it uses each operator, its parameters, the
multiply-adds of a run, the memory that a run takes, and its graph as a table.

Of an ONNX model that is run in parts, as what only a run knows decides about its shapes, print the
first part and which node ends it.

Of a CVM model, print instead what admission knows of it: version, gas, storage, lengths of input
and output, the tensors with precision, storage and the type that they are kept in, and the nodes
with attributes and gas. --compiled and --text show it as they show others. A graph without
parameters is inspected, too; in its document they are inputs.

--svg draws the graph: a box for each node, with its operator, its name and the type of its result,
in layers from the inputs down to the outputs, without constants. --dot writes it for Graphviz.
Files are replaced only with --force; - stands for standard output.`,
		Example: `  concord inspect examples/digits/model.nnef
  concord inspect model.nnef.tgz --text          # the graph as an NNEF document
  concord inspect model.nnef.tgz --compiled      # as the engine runs it
  concord inspect model.onnx --svg graph.svg
  concord inspect model.onnx --dot - | dot -Tpdf > graph.pdf
  concord inspect model.nnef --shape x=4,1,28,28`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := shown.check(asJSON, args[0]); err != nil {
				return err
			}
			text := shown.wanted()
			show := func(g *graph.Graph) error { return shown.write(document(c.OutOrStdout()), args[0], g) }
			if !compiled && isLoneGraph(args[0]) {
				return f.inspectLone(printed(c.OutOrStdout()), args[0], text, asJSON, show)
			}
			m, opts, err := f.load(args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			if m.CVM() != nil && !text && !compiled {
				return inspectCVM(printed(c.OutOrStdout()), args[0], m.CVM().Admission(), asJSON)
			}
			if text && !compiled {
				g, err := m.Graph(opts.Shapes)
				if err != nil {
					return f.placed(args[0], err)
				}
				return show(g)
			}
			part, err := m.Part(opts.Shapes)
			if err == nil && (part.Graph == nil && part.Rest == nil || text && part.Rest != nil) {
				_, err = m.Graph(opts.Shapes)
			}
			if err != nil {
				return f.placed(args[0], err)
			}
			r := &modelReport{Model: args[0], Format: m.Format()}
			if part.Graph != nil {
				p, err := engine.Compile(part.Graph, engine.Options{})
				if err != nil {
					return f.placed(args[0], err)
				}
				defer p.Close()
				g := part.Graph
				if compiled {
					g = p.Graph()
				}
				if text {
					return show(g)
				}
				if err := r.fill(g, p); err != nil {
					return err
				}
			}
			if part.Rest != nil {
				if err := r.beginning(m, opts.Shapes, part); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), r)
			}
			return r.write(printed(c.OutOrStdout()))
		},
	}
	flags := c.Flags()
	f.register(flags)
	f.registerCompat(flags)
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	shown.register(flags)
	flags.BoolVar(&compiled, "compiled", false, "show the graph as the engine runs it")
	return c
}

// isLoneGraph tells whether a name is that of a CVM graph without parameters.
func isLoneGraph(name string) bool {
	if !isCVM(name) {
		return false
	}
	_, params, err := cvm.Find(name)
	return err == nil && params == ""
}

// inspectLone prints what is known of a CVM graph without parameters, or the graph as a document, where they are inputs.
func (f *modelFlags) inspectLone(w io.Writer, path string, text, asJSON bool, show func(*graph.Graph) error) error {
	opts := cvm.Options{Compat: f.compat}
	files, err := cvm.Read(path)
	if err != nil {
		return err
	}
	if text {
		g, err := cvm.Network(files, opts)
		if err != nil {
			return err
		}
		return show(g)
	}
	a, err := cvm.Admit(files, opts)
	if err != nil {
		return err
	}
	return inspectCVM(w, path, a, asJSON)
}

// inspectCVM prints what is known of a CVM model.
func inspectCVM(w io.Writer, path string, a *cvm.Admission, asJSON bool) error {
	graph, params, err := cvm.Find(path)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(w, struct {
			Model      string         `json:"model"`
			Format     string         `json:"format"`
			Graph      string         `json:"graph"`
			Parameters string         `json:"parameters,omitempty"` // absent if only the graph is known
			Admission  *cvm.Admission `json:"admission"`
		}{path, "CVM", graph, params, a})
	}
	if err = writeCVM(w, graph, params, a); err == nil {
		err = writeCVMTensors(w, a)
	}
	if err == nil {
		err = writeCVMNodes(w, a)
	}
	return err
}

// modelReport is what inspect prints.
type modelReport struct {
	Model      string        `json:"model"`
	Format     string        `json:"format"`
	Graph      string        `json:"graph"`
	Inputs     []portReport  `json:"inputs"`
	Outputs    []portReport  `json:"outputs"` // of a model in parts, with a type where the first one yields it
	Parts      *partsReport  `json:"parts,omitempty"`
	States     []portReport  `json:"states,omitempty"`
	Operators  []operatorUse `json:"operators"`
	Parameters int64         `json:"parameters"`
	Bytes      int64         `json:"parameterBytes"`
	MACs       int64         `json:"multiplyAdds"`
	Ops        int64         `json:"otherOperations"`
	Units      []unitReport  `json:"units"`
	Memory     memory        `json:"memory"`
	Nodes      []nodeReport  `json:"nodes"`
}

type portReport struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

func (p portReport) text() string {
	if p.Type == "" {
		return escape.Text(p.Name) + ": what a later part yields"
	}
	return escape.Text(p.Name) + ": " + p.Type
}

// partsReport says that a model is run in parts, of which the report describes the first.
type partsReport struct {
	Why   string   `json:"why"`   // which node ends the first part
	Asked []string `json:"asked"` // the values that decide how to go on
}

// operatorUse counts the uses of one operator.
type operatorUse struct {
	Operator string `json:"operator"`
	Count    int    `json:"count"`
	MACs     int64  `json:"multiplyAdds"`
}

// unitReport is what the engine evaluates at once.
type unitReport struct {
	Kernel string   `json:"kernel"`
	Nodes  []string `json:"nodes"` // by their first results in the compiled graph
	Pieces int      `json:"pieces"`
	Packed int64    `json:"packedConstants,omitempty"`
}

func unitReports(units []*engine.Unit) []unitReport {
	list := make([]unitReport, len(units))
	for i, u := range units {
		list[i] = unitReport{Kernel: u.Kernel, Pieces: u.Pieces, Packed: u.Packed}
		for _, n := range u.Nodes {
			list[i].Nodes = append(list[i].Nodes, n.Op+" "+n.Out[0].Name)
		}
	}
	return list
}

type memory struct {
	Arena   int64          `json:"arena"`
	Peak    int64          `json:"peak"`
	Sum     int64          `json:"withoutSharing"`
	Scratch int64          `json:"scratchOfEachWorker,omitempty"`
	Packed  int64          `json:"packedConstants,omitempty"`
	Folded  int64          `json:"foldedConstants"`
	Buffers []bufferReport `json:"buffers"`
}

// bufferReport says where a value lies in the arena, and from which unit to which.
type bufferReport struct {
	Value  string `json:"value,omitempty"`
	Use    string `json:"use"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	First  int    `json:"first"`
	Last   int    `json:"last"`
	In     string `json:"in,omitempty"` // the value in whose memory it lies
}

func planReport(p engine.Plan) memory {
	m := memory{Arena: p.Arena, Peak: p.Peak, Sum: p.Sum, Scratch: p.Scratch, Packed: p.Packed, Folded: p.Folded}
	for _, b := range p.Buffers {
		r := bufferReport{Use: b.Use.String(), Offset: b.Offset, Size: b.Size, First: b.First, Last: b.Last}
		if b.Value != nil {
			r.Value = b.Value.Name
		}
		if b.In != nil {
			r.In = b.In.Name
		}
		m.Buffers = append(m.Buffers, r)
	}
	return m
}

type nodeReport struct {
	Operator string   `json:"operator"`
	Operands []string `json:"operands"`
	Results  []string `json:"results"`
	Types    []string `json:"types"`
	Attrs    string   `json:"attributes,omitempty"`
	Label    string   `json:"label,omitempty"`
	MACs     int64    `json:"multiplyAdds"`
}

// beginning makes the report one of the first part of a model: its inputs and outputs are those of the model.
func (r *modelReport) beginning(m *concord.Model, given model.Shapes, first *model.Part) error {
	shapes, err := m.Complete(given)
	if err != nil {
		return err
	}
	types := make(map[string]string)
	for _, o := range r.Outputs {
		types[o.Name] = o.Type
	}
	r.Parts = &partsReport{strings.TrimPrefix(first.Why, r.Model+": "), first.Asked}
	r.Inputs, r.Outputs = nil, nil
	for _, in := range m.Inputs() {
		if shape, ok := shapes[in.Name]; ok {
			r.Inputs = append(r.Inputs, portReport{in.Name, graph.Type{DType: in.DType, Shape: shape}.String()})
		}
		for i := 0; in.Sequence && shapes[model.Element(in.Name, i)] != nil; i++ {
			name := model.Element(in.Name, i)
			r.Inputs = append(r.Inputs, portReport{name, graph.Type{DType: in.DType, Shape: shapes[name]}.String()})
		}
	}
	for _, name := range m.Outputs() {
		r.Outputs = append(r.Outputs, portReport{name, types[name]})
	}
	return nil
}

// fill describes a graph and its program.
func (r *modelReport) fill(g *graph.Graph, p *concord.Program) error {
	r.Graph, r.Units, r.Memory = g.Name, unitReports(p.Units()), planReport(p.Plan())
	for _, v := range g.Inputs {
		r.Inputs = append(r.Inputs, portReport{v.Name, v.Type.String()})
	}
	for _, o := range g.Outputs {
		r.Outputs = append(r.Outputs, portReport{o.Name, o.Value.Type.String()})
	}
	for _, s := range g.States {
		r.States = append(r.States, portReport{s.Value.Name, s.Value.Type.String()})
	}
	for b := range g.Graphs() {
		for v := range b.Constants() {
			r.Parameters += int64(v.Const.Len())
			r.Bytes += v.Type.Bytes()
		}
	}
	uses := make(map[string]*operatorUse)
	for _, n := range g.Nodes {
		cost, err := op.NodeCost(n)
		if err != nil {
			return err
		}
		u := uses[n.Op]
		if u == nil {
			u = &operatorUse{Operator: n.Op}
			uses[n.Op] = u
		}
		u.Count++
		u.MACs += cost.MACs
		r.MACs += cost.MACs
		r.Ops += cost.Ops
		r.Nodes = append(r.Nodes, reportNode(n, cost))
	}
	for _, u := range slices.SortedFunc(maps.Values(uses), func(a, b *operatorUse) int {
		return cmp.Or(cmp.Compare(b.MACs, a.MACs), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Operator, b.Operator))
	}) {
		r.Operators = append(r.Operators, *u)
	}
	return nil
}

func reportNode(n *graph.Node, cost op.Cost) nodeReport {
	r := nodeReport{Operator: n.Op, Label: n.Label, MACs: cost.MACs}
	for _, v := range n.In {
		name := "-"
		if v != nil {
			name = v.Name
		}
		r.Operands = append(r.Operands, name)
	}
	for _, v := range n.Out {
		r.Results = append(r.Results, v.Name)
		r.Types = append(r.Types, v.Type.String())
	}
	sig, _ := op.Rules.Signature(n.Op)
	var attrs []string
	for _, a := range sig.Attrs {
		if text := a.Literal(n.Attrs.Get(a.Name)); a.Default == nil || text != a.Literal(a.Default) {
			attrs = append(attrs, a.Name+" = "+text)
		}
	}
	r.Attrs = strings.Join(attrs, ", ")
	return r
}

func (r *modelReport) write(w io.Writer) error {
	t := newTable(w, 0)
	fmt.Fprintf(t, "model\t%s (%s, graph %s)\n", escape.Text(r.Model), r.Format, escape.Text(r.Graph))
	ports := func(kind string, list []portReport) {
		for _, p := range list {
			fmt.Fprintf(t, "%s\t%s\n", kind, p.text())
		}
	}
	ports("input", r.Inputs)
	ports("output", r.Outputs)
	ports("state", r.States)
	if r.Parts != nil {
		fmt.Fprintf(t, "parts\t%s; it is run in parts, of which this is the first\n", escape.Text(r.Parts.Why))
	}
	fmt.Fprintf(t, "parameters\t%s (%s)\n", group(r.Parameters), size(r.Bytes))
	fmt.Fprintf(t, "multiply-adds\t%s\n", group(r.MACs))
	fmt.Fprintf(t, "other operations\t%s\n", group(r.Ops))
	fmt.Fprintf(t, "memory of a run\t%s (%s without sharing; folded constants %s)\n", size(r.Memory.Arena), size(r.Memory.Sum), size(r.Memory.Folded))
	t.Flush()

	fmt.Fprintf(w, "\nOPERATORS\n")
	for _, u := range r.Operators {
		fmt.Fprintf(t, "  %s\t%d\t%s multiply-adds\n", u.Operator, u.Count, group(u.MACs))
	}
	t.Flush()

	fmt.Fprintf(w, "\nUNITS (what the engine evaluates at once, in the graph that --compiled shows)\n")
	fmt.Fprintf(t, "  #\tNODES\tKERNEL\tPIECES\n")
	for i, u := range r.Units {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\n", i, escape.Text(strings.Join(u.Nodes, ", ")), u.Kernel, group(int64(u.Pieces)))
	}
	t.Flush()

	fmt.Fprintf(w, "\nMEMORY PLAN (%s; no plan can do with less than %s)\n", size(r.Memory.Arena), size(r.Memory.Peak))
	fmt.Fprintf(t, "  OFFSET\tSIZE\tUNITS\tUSE\tVALUE\n")
	for _, b := range r.Memory.Buffers {
		value := b.Value
		if b.In != "" {
			value += ", in the memory of " + b.In
		}
		fmt.Fprintf(t, "  %d\t%s\t%d–%d\t%s\t%s\n", b.Offset, size(b.Size), b.First, b.Last, b.Use, escape.Text(value))
	}
	t.Flush()

	fmt.Fprintf(w, "\nGRAPH\n")
	fmt.Fprintf(t, "  #\tOPERATOR\tOPERANDS\tRESULTS\tTYPE\tMULTIPLY-ADDS\tATTRIBUTES\n")
	for i, n := range r.Nodes {
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\t%s\t%s\n", i, n.Operator, escape.Text(strings.Join(n.Operands, " ")), escape.Text(strings.Join(n.Results, " ")),
			strings.Join(n.Types, " "), group(n.MACs), n.Attrs)
	}
	return t.Flush()
}

// group writes a number with its digits in groups of three.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes a number of bytes with a unit.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[u])
}
