package engine

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// packs are the constants of a program in the forms that its kernels read. All sessions share them, and other programs with the same constants; the
// first session fills them.
type packs struct {
	list  []*packed
	index map[packKey]int
	plain map[*byte]bool // constants that are read as they are
	once  sync.Once
	err   error // why they could not be filled

	computed map[*byte]*tensor.Tensor // constants that nobody but the program has
}

// packed is one constant in one form. It does not change once it is ready.
type packed struct {
	kernel.Pack // without Fill, when it is filled
	key         packKey
	data        []byte
	begun       atomic.Bool   // somebody fills it
	left        atomic.Int32  // the portions that are not filled
	ready       chan struct{} // closed when it is filled, or cannot be
	err         error         // why it cannot
}

// packKey identifies a constant, by its memory and type, and a form.
type packKey struct {
	at   uintptr
	kind string
	form string // with its tier
}

// registry has what programs have packed of the constants of their graphs, as long as one of them can be reached. It has the constants, so that their memory
// is nobody else's.
var registry = struct {
	sync.Mutex
	of map[packKey]weak.Pointer[packed]
}{of: make(map[packKey]weak.Pointer[packed])}

// adopt returns what other programs have in the place of k, or else lets them have k.
func adopt(k *packed) *packed {
	registry.Lock()
	defer registry.Unlock()
	if other := registry.of[k.key].Value(); other != nil {
		return other
	}
	registry.of[k.key] = weak.Make(k)
	runtime.AddCleanup(k, func(key packKey) { disown(key, nil) }, k.key)
	return k
}

// disown lets nobody else have k, or what cannot be reached any more if it is nil.
func disown(key packKey, k *packed) {
	registry.Lock()
	defer registry.Unlock()
	if w, ok := registry.of[key]; ok && w.Value() == k {
		delete(registry.of, key)
	}
}

// Shared returns the bytes that programs take beside their sessions: [Plan.Folded] and [Plan.Packed], of which what several of them have in common counts
// once.
func Shared(programs ...*Program) (bytes int64) {
	counted := make(map[*packed]bool)
	for _, p := range programs {
		if p == nil || p.code == nil {
			continue
		}
		bytes = limits.Add(bytes, p.layout.Folded)
		for _, k := range p.packs.list {
			if !counted[k] {
				counted[k] = true
				bytes = limits.Add(bytes, aligned(int64(k.Size)))
			}
		}
	}
	return bytes
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

// add enters a constant as a kernel, "tier name", reads it, and returns its position.
func (p *packs) add(k *kernel.Pack, by string) int {
	tier, _, _ := strings.Cut(by, " ")
	at := start(k.From)
	key := packKey{uintptr(unsafe.Pointer(at)), k.From.Describe(), tier + " " + k.Form}
	if i, ok := p.index[key]; ok {
		return i
	}
	if p.index == nil {
		p.index = make(map[packKey]int)
	}
	made := &packed{Pack: *k, key: key, ready: make(chan struct{})}
	if p.computed[at] == nil {
		made = adopt(made)
	}
	p.index[key] = len(p.list)
	p.list = append(p.list, made)
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
func (p *packs) bytes() int64 { return sizeOf(p.list) }

func sizeOf(list []*packed) (sum int64) {
	for _, k := range list {
		sum = limits.Add(sum, aligned(int64(k.Size)))
	}
	return sum
}

// largePacked is from how many bytes on packed constants are kept in large pages.
const largePacked = 1 << 21

// packPart is how many bytes of packed constants one goroutine fills at a time.
const packPart = 1 << 18

// fill makes the packed forms that no other program has made, once, on as many goroutines as there are processors for. It fails if a constant's file
// cannot be read, then and whenever it is called again.
func (p *packs) fill() error {
	p.once.Do(func() {
		var common, own []*packed // of which the latter go with the program, so that they lie apart
		for _, k := range p.list {
			if !k.begun.CompareAndSwap(false, true) {
				continue
			}
			if p.computed[start(k.From)] == nil {
				common = append(common, k)
			} else {
				own = append(own, k)
			}
		}
		p.make(common)
		p.make(own)
		for _, k := range p.list {
			if <-k.ready; k.err != nil {
				p.err = k.err
			}
			if at := start(k.From); p.computed[at] == k.From && !p.plain[at] && k.err == nil {
				k.From.Discard()
			}
		}
		p.index, p.computed = nil, nil // which lead to constants
	})
	return p.err
}

// make fills packed forms, which lie together.
func (p *packs) make(list []*packed) {
	memory := tensor.AlignedBytes(int(sizeOf(list)))
	if len(memory) >= largePacked { // Without this it takes longer to read them.
		inLargePages(memory)
	}
	type portion struct {
		*packed
		i, n int
	}
	var work []portion
	for _, k := range list {
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
	for _, k := range list {
		if f := lost.Load(); f != nil {
			k.err = f.err
			disown(k.key, k) // as another time it can perhaps be read
		}
		k.Fill = nil // which leads to the program
		close(k.ready)
	}
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
