package engine

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// packs are the constants of a program in the forms that its kernels read. All sessions share them; the first one fills them.
type packs struct {
	list  []*packed
	index map[packKey]int
	plain map[*byte]bool // constants that are read as they are
	once  sync.Once
	err   error // why they could not be filled

	computed map[*byte]*tensor.Tensor // constants that nobody but the program has
}

// packed is one constant in one form.
type packed struct {
	*kernel.Pack
	data []byte       // nil until the first session is made
	left atomic.Int32 // the portions that are not filled
}

// packKey identifies a constant, by its memory, and a form.
type packKey struct {
	at    *byte
	bytes int
	form  string
}

// claim notes which constants of a compiled graph passes have computed, so that nobody has them but the program, and returns their bytes. Pages of
// mapped files that only passes have read are given back to the system.
func (p *packs) claim(given, compiled *graph.Graph) (bytes int64) {
	p.computed = constantsOf(compiled)
	for at, t := range constantsOf(given) {
		if p.computed[at] == nil { // Without this the system keeps more pages.
			mapfile.Forget(t.Bytes())
		}
		delete(p.computed, at)
	}
	for _, t := range p.computed {
		bytes = limits.Add(bytes, int64(len(t.Bytes())))
	}
	return bytes
}

// constantsOf returns the constants of a graph and its blocks by their memory: the longest of those that begin at one place.
func constantsOf(g *graph.Graph) map[*byte]*tensor.Tensor {
	list := make(map[*byte]*tensor.Tensor)
	for b := range g.Graphs() {
		for v := range b.Constants() {
			at := start(v.Const)
			if known := list[at]; at != nil && (known == nil || len(known.Bytes()) < len(v.Const.Bytes())) {
				list[at] = v.Const
			}
		}
	}
	return list
}

// add enters a constant and returns its position.
func (p *packs) add(k *kernel.Pack) int {
	key := packKey{start(k.From), len(k.From.Bytes()), k.Form}
	if i, ok := p.index[key]; ok {
		return i
	}
	if p.index == nil {
		p.index = make(map[packKey]int)
	}
	p.index[key] = len(p.list)
	p.list = append(p.list, &packed{Pack: k})
	return len(p.list) - 1
}

// note enters the constants that a plan for nodes reads unpacked.
func (p *packs) note(nodes []*graph.Node, plan *kernel.Plan) {
	for _, n := range nodes {
		for _, v := range n.In {
			if v == nil || !slices.ContainsFunc(plan.Pack, func(k kernel.Pack) bool { return v.Const != nil && start(k.From) == start(v.Const) }) {
				p.keep(v)
			}
		}
	}
}

// keep enters that a value, if it is a constant, is read as it is.
func (p *packs) keep(v *graph.Value) {
	if v == nil || v.Const == nil {
		return
	}
	if p.plain == nil {
		p.plain = make(map[*byte]bool)
	}
	p.plain[start(v.Const)] = true
}

// bytes returns the size of all packed forms.
func (p *packs) bytes() int64 {
	var sum int64
	for _, k := range p.list {
		sum = limits.Add(sum, aligned(int64(k.Size)))
	}
	return sum
}

// largePacked is from how many bytes on packed constants are kept in large pages.
const largePacked = 1 << 21

// packPart is how many bytes of packed constants one goroutine fills at a time.
const packPart = 1 << 18

// fill makes the packed forms, once, on as many goroutines as there are processors for. It fails if a constant's file cannot be read, then and
// whenever it is called again.
func (p *packs) fill() error {
	p.once.Do(func() {
		type portion struct {
			*packed
			i, n int
		}
		var work []portion
		memory := tensor.AlignedBytes(int(p.bytes()))
		if len(memory) >= largePacked { // Without this it takes longer to read them.
			inLargePages(memory)
		}
		for _, k := range p.list {
			k.data = memory[:k.Size:k.Size]
			memory = memory[aligned(int64(k.Size)):]
			n := 1 + k.Size/packPart
			k.left.Store(int32(n))
			for i := range n {
				work = append(work, portion{k, i, n})
			}
		}
		var next atomic.Int64
		var lost atomic.Pointer[failure]
		var all sync.WaitGroup
		for range min(len(work), runtime.GOMAXPROCS(0)) {
			all.Go(func() {
				mapfile.Watch()
				for i := int(next.Add(1)) - 1; i < len(work); i = int(next.Add(1)) - 1 {
					if err := work[i].fill(work[i].i, work[i].n); err != nil {
						lost.CompareAndSwap(nil, &failure{err})
						return
					}
					// Without this the system keeps more pages.
					if work[i].left.Add(-1) == 0 && !p.plain[start(work[i].From)] {
						mapfile.Forget(work[i].From.Bytes()) // nothing reads it any more but an observer
					}
				}
			})
		}
		all.Wait()
		if f := lost.Load(); f != nil {
			p.err = f.err
			return
		}
		for _, k := range p.list {
			if at := start(k.From); p.computed[at] == k.From && !p.plain[at] {
				k.From.Discard()
			}
		}
		p.index, p.computed = nil, nil // which lead to them
	})
	return p.err
}

// fill fills portion i of n.
func (k *packed) fill(i, n int) (err error) {
	defer guard("the packing of a constant", true, &err)
	k.Fill(k.data, i, n)
	return nil
}

// start returns where the elements of a contiguous tensor begin; nil if there are none.
func start(t *tensor.Tensor) *byte {
	if b := t.Bytes(); len(b) > 0 {
		return &b[0]
	}
	return nil
}
