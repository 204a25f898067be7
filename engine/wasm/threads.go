package wasm

import (
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The global variables of an instance, which are those of a thread. A module for one thread has the first one only.
const (
	stackPointer = iota
	threadNumber
	threadRun   // the number of the run that the thread computes
	threadSleep // whether it may sleep
	threadWaits // how often it waits while no thread gets on with the run, until it gives up; 0 if it never does
	threadLost  // whether it has given up the run
	globals
)

// Where threads meet: the words of all shares together, then two of 64 bits for each share, a line of the cache apart.
const (
	meetRun      = 0  // the number of the run
	meetFailed   = 4  // that of the last one that a thread has failed in
	meetHelpers  = 8  // how many helpers are in a run
	meetSleepers = 12 // how many threads sleep, or are about to
	meetUnits    = 16 // how many units, or chunks of such, threads have computed
	meetBytes    = 64 // of these words, and of those of each share:
	shareTaken   = 0  // below the number of the run, how many chunks have been taken,
	shareDone    = 8  // and how many have been computed
)

// share is what is divided at once: a unit, in chunks of so many pieces, or units that one thread computes.
type share struct {
	steps         []*engine.ImageStep
	pieces        int // of a chunk
	chunks        int
	after         []int // the shares that must be over before this one begins
	reads, writes []span
}

// span is a part of the arena, from … to-1.
type span struct{ from, to int }

// Estimates of time, in nanoseconds. They only decide what is divided.
const (
	chunkTime   = 8_000   // the least work worth a chunk of its own
	threadTimes = 4       // chunks of a unit for each thread, so that one that is late holds the others up by little
	worthTime   = 300_000 // the least work in all units that are divided: helpers must be woken for each run
)

// shares divides the units of an image among threads; nil if that does not pay.
func (m *maker) shares(image *engine.Image, threads int) []share {
	if threads < 2 {
		return nil
	}
	var list []share
	divided := 0
	for i := range image.Steps {
		st := &image.Steps[i]
		all := piecesOf(st, -1)
		s := share{steps: []*engine.ImageStep{st}, chunks: 1}
		if n := min(all, m.timeOf(st)/chunkTime, threads*threadTimes); n > 1 && st.Blocks == nil {
			s.pieces = geometry.CeilDiv(all, n)
			s.chunks = geometry.CeilDiv(all, s.pieces)
			divided += m.timeOf(st)
		}
		m.touched(&s, st)
		if k := len(list) - 1; s.chunks == 1 && k >= 0 && list[k].chunks == 1 {
			last := &list[k]
			last.steps, last.reads, last.writes = append(last.steps, st), append(last.reads, s.reads...), append(last.writes, s.writes...)
			continue
		}
		list = append(list, s)
	}
	if divided < worthTime {
		return nil
	}
	order(list)
	return list
}

// timeOf estimates how long a unit takes one thread.
func (m *maker) timeOf(st *engine.ImageStep) int {
	read, written := st.Traffic()
	time := float64(read+written) / 16
	for i := range st.Parts {
		macs, others := 1.0, 0.5 // in a nanosecond
		if st.Parts[i].Code != nil {
			macs, others = 12, 4
			if m.level == Emulated {
				macs = 1.5
			}
		}
		for _, n := range st.Parts[i].Nodes {
			if c, err := op.NodeCost(n); err == nil {
				time += float64(c.MACs)/macs + float64(c.Ops)/others
			}
		}
	}
	return int(min(time, 1e12))
}

// touched adds what a unit reads and writes in the arena.
func (m *maker) touched(s *share, st *engine.ImageStep) {
	for i := range st.Parts {
		for _, t := range st.Parts[i].Call.In {
			s.reads = m.span(s.reads, t)
		}
		for _, t := range st.Parts[i].Call.Out {
			s.writes = m.span(s.writes, t)
		}
	}
	for _, b := range st.Blocks {
		for _, t := range slices.Concat(b.Inputs, b.Outputs) {
			s.writes = m.span(s.writes, t)
		}
		for _, x := range b.Copies {
			s.reads, s.writes = m.span(s.reads, x.From), m.span(s.writes, x.To)
		}
		for i := range b.Steps {
			m.touched(s, &b.Steps[i])
		}
	}
}

func (m *maker) span(list []span, t *tensor.Tensor) []span {
	if t == nil {
		return list
	}
	if at, ok := within(m.image.Arena, t.Bytes()); ok {
		return append(list, span{at, at + len(t.Bytes())})
	}
	return list
}

// within returns where memory lies in a whole.
func within(whole, b []byte) (at int, ok bool) {
	if len(whole) == 0 || len(b) == 0 {
		return 0, false
	}
	first, p := uintptr(unsafe.Pointer(unsafe.SliceData(whole))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return int(p - first), p >= first && p-first+uintptr(len(b)) <= uintptr(len(whole))
}

func meets(a, b []span) bool {
	return slices.ContainsFunc(a, func(x span) bool {
		return slices.ContainsFunc(b, func(y span) bool { return x.from < y.to && y.from < x.to })
	})
}

// mostOpen is how many shares may be under way at once.
const mostOpen = 16

// order finds which shares must be over before others begin: those that write what the others touch, and those that read what the others write.
func order(list []share) {
	var open []int // those that nobody has waited for
	for i := range list {
		s := &list[i]
		left := open[:0:0]
		for k, j := range open {
			o := &list[j]
			if k < len(open)-mostOpen || meets(o.writes, s.reads) || meets(o.writes, s.writes) || meets(o.reads, s.writes) {
				s.after = append(s.after, j)
			} else {
				left = append(left, j)
			}
		}
		open = append(left, i)
	}
}

// meeting makes the functions of a module for several threads, which compute the shares of the image.
func (m *maker) meeting(shares []share) ([]wasmobj.Export, error) {
	t := &meeting{maker: m, at: m.o.AddData(wasmobj.Datum{Align: meetBytes, Size: meetBytes * (1 + len(shares))})}
	t.take, t.finish, t.await = t.taking(), t.finishing(), t.awaiting()
	m.computed = func(code *wasmobj.Code) { t.add(&function{code, m}, meetUnits, 1) }
	compute, err := t.compute(shares)
	if err != nil {
		return nil, err
	}
	return []wasmobj.Export{
		{Name: "run", Func: t.running(compute, shares)},
		{Name: "begin", Func: t.beginning()},
		{Name: "help", Func: t.helping(compute)},
		{Name: "fail", Func: t.failing()},
	}, nil
}

// meeting makes the functions by which threads meet.
type meeting struct {
	*maker
	at                  int // the datum
	take, finish, await int // functions
}

// Instructions of the thread set (Threads, 5.4) and some of integers that only threads use.
const (
	atomicNotify, atomicWait32, atomicWait64     = 0x00, 0x01, 0x02
	atomicLoad32, atomicLoad64                   = 0x10, 0x11
	atomicStore32, atomicAdd32, atomicExchange   = 0x17, 0x1E, 0x49
	opBlock, opBranch                            = 0x02, 0x0C
	i32Eqz, i32Eq, i32LtS, i32GtS, i32GeS, i32Or = 0x45, 0x46, 0x48, 0x4A, 0x4E, 0x72
	i64Eq, i64Or, i64Shl, i64ShrU, i32ShrU       = 0x51, 0x84, 0x86, 0x88, 0x76
	i32Wrap, i64ExtendU                          = 0xA7, 0xAD
	resultI32                                    = 0x7F
)

const (
	spins     = 2_000      // looks at a word before a thread sleeps
	turns     = 1 << 20    // looks that take one that may not sleep about as long as a sleep
	sleepTime = 10_000_000 // nanoseconds until a sleeping thread looks whether another one has failed
)

// word pushes the address of a word.
func (t *meeting) word(f *function, at int) { f.Ref(wasmobj.ToData, t.at, at) }

// load pushes a word of all shares.
func (t *meeting) load(f *function, at int) {
	t.word(f, at)
	f.Atomic(atomicLoad32, 2, 0)
}

// add adds to such a word.
func (t *meeting) add(f *function, at int, x int32) {
	t.word(f, at)
	f.I32(x)
	f.Atomic(atomicAdd32, 2, 0)
	f.Op(opDrop)
}

// tagged pushes a word of a share: the number of the run above a count, which is pushed by a function.
func (f *function) tagged(count func()) {
	f.GlobalGet(threadRun)
	f.Op(i64ExtendU)
	f.I64(32)
	f.Op(i64Shl)
	count()
	f.Op(i64ExtendU, i64Or)
}

// over pushes whether there is nothing more to compute in the run of this thread: it, or another one, has failed, or is over. The order of the two
// looks counts: who has missed the failure sees that there has been another run.
func (t *meeting) over(f *function) {
	t.load(f, meetFailed)
	f.GlobalGet(threadRun)
	f.Op(i32Eq)
	t.load(f, meetRun)
	f.GlobalGet(threadRun)
	f.Op(i32Ne, i32Or)
}

// read reads a word of a share into local w, and the count in it into local n: 0 if it is of a run before. It returns from the function, with what is
// pushed by another one, if the word is of a later run.
func (t *meeting) read(f *function, address, offset, w, n int, late func()) {
	f.Get(address)
	f.Atomic(atomicLoad64, 3, uint64(offset))
	f.Tee(w)
	f.I64(32)
	f.Op(i64ShrU, i32Wrap)
	f.GlobalGet(threadRun)
	f.Op(i32Sub)
	f.Tee(n)
	f.I32(0)
	f.Op(i32GtS, opIf, noResult)
	late()
	f.Op(opReturn, opEnd)
	f.Get(n)
	f.Op(i32Eqz, opIf, resultI32)
	f.Get(w)
	f.Op(i32Wrap, opElse)
	f.I32(0)
	f.Op(opEnd)
	f.Set(n)
}

// count tries to count a word of a share up, and pushes whether it has.
func (t *meeting) count(f *function, address, offset, w, n int) {
	f.Get(address)
	f.Get(w)
	f.tagged(func() { f.Get(n); f.I32(1); f.Op(i32Add) })
	f.Atomic(atomicExchange, 3, uint64(offset))
	f.Get(w)
	f.Op(i64Eq)
}

// shareType is the type of functions of where a share meets, and how many chunks it has.
var shareType = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32, wasmobj.I32}, Results: []wasmobj.ValType{wasmobj.I32}}

// taking makes the function that returns a chunk that nobody has taken, or -1.
func (t *meeting) taking() int {
	f := t.newFunction(shareType)
	address, chunks, w, n := 0, 1, f.Local(wasmobj.I64), f.i32()
	none := func() { f.I32(-1) }
	f.Op(opLoop, noResult)
	t.read(f, address, shareTaken, w, n, none)
	f.Get(n)
	f.Get(chunks)
	f.Op(i32GeS)
	t.over(f)
	f.Op(i32Or, opIf, noResult)
	none()
	f.Op(opReturn, opEnd)
	t.count(f, address, shareTaken, w, n)
	f.Op(opIf, noResult)
	f.Get(n)
	f.Op(opReturn, opEnd)
	f.Uint(opBranch, 0)
	f.Op(opEnd, opUnreachable)
	return t.o.AddFunc(shareType, f.Code)
}

// finishing makes the function that notes that a chunk is computed, and wakes who waits if it was the last one. It returns 0.
func (t *meeting) finishing() int {
	f := t.newFunction(shareType)
	address, chunks, w, n := 0, 1, f.Local(wasmobj.I64), f.i32()
	f.Op(opLoop, noResult)
	t.read(f, address, shareDone, w, n, func() { f.I32(0) })
	t.count(f, address, shareDone, w, n)
	f.Op(i32Eqz)
	f.Uint(opBranchIf, 0)
	f.Op(opEnd)
	f.Get(n)
	f.I32(1)
	f.Op(i32Add)
	f.Get(chunks)
	f.Op(i32Eq, opIf, noResult)
	t.load(f, meetSleepers)
	f.Op(opIf, noResult)
	f.Get(address)
	f.I32(-1)
	f.Atomic(atomicNotify, 2, shareDone)
	f.Op(opDrop, opEnd, opEnd)
	f.I32(0)
	return t.o.AddFunc(shareType, f.Code)
}

// awaiting makes the function that waits until all chunks are computed. It returns 1 if there is nothing more to compute in this run, or if the thread
// gives it up: who has taken a chunk must have ended.
func (t *meeting) awaiting() int {
	f := t.newFunction(shareType)
	address, chunks, w, n, units, seen, looks, waits := 0, 1, f.Local(wasmobj.I64), f.i32(), f.i32(), f.i32(), f.i32(), f.i32()
	one := func() { f.I32(1) }
	f.Op(opLoop, noResult)
	t.read(f, address, shareDone, w, n, one)
	f.Get(n)
	f.Get(chunks)
	f.Op(i32Eq, opIf, noResult)
	f.I32(0)
	f.Op(opReturn, opEnd)
	t.over(f)
	f.Op(opIf, noResult)
	one()
	f.Op(opReturn, opEnd)
	t.load(f, meetUnits)
	f.Tee(units)
	f.Get(seen)
	f.Op(i32Ne, opIf, noResult)
	f.Get(units)
	f.Set(seen)
	f.I32(0)
	f.Set(waits)
	f.Op(opEnd)
	t.wait(f, looks, waits, func() {
		t.add(f, meetSleepers, 1)
		f.Get(address)
		f.Get(w)
		f.I64(sleepTime)
		f.Atomic(atomicWait64, 3, shareDone)
		f.Op(opDrop)
		t.add(f, meetSleepers, -1)
	})
	f.Uint(opBranchIf, 0)
	f.Op(opEnd)
	one()
	f.GlobalSet(threadLost)
	one()
	return t.o.AddFunc(shareType, f.Code)
}

// wait lets a thread look again, after a sleep if it may and has looked often, and pushes whether it still waits. Two locals count.
func (t *meeting) wait(f *function, looks, waits int, sleep func()) {
	f.Get(looks)
	f.I32(1)
	f.Op(i32Add)
	f.Tee(looks)
	f.I32(spins)
	f.I32(turns)
	f.GlobalGet(threadSleep)
	f.Op(opSelect, i32GeS, opIf, resultI32)
	f.GlobalGet(threadSleep)
	f.Op(opIf, noResult)
	sleep()
	f.Op(opElse)
	f.I32(0)
	f.Set(looks)
	f.Op(opEnd)
	f.Get(waits)
	f.I32(1)
	f.Op(i32Add)
	f.Tee(waits)
	f.GlobalGet(threadWaits)
	f.Op(i32Ne, opElse)
	f.I32(1)
	f.Op(opEnd)
}

// pushShare pushes where a share meets, and how many chunks it has.
func (t *meeting) pushShare(f *function, shares []share, i int) {
	t.word(f, meetBytes*(1+i))
	f.I32(int32(shares[i].chunks))
}

// compute makes the function that computes what no other thread has taken. It returns 1 if it leaves before all is taken, as the run is over or has failed.
func (t *meeting) compute(shares []share) (int, error) {
	result := wasmobj.FuncType{Results: []wasmobj.ValType{wasmobj.I32}}
	f := t.newFunction(result)
	chunk, from, to := f.i32(), f.i32(), f.i32()
	for i := range shares {
		s := &shares[i]
		for _, j := range s.after {
			t.pushShare(f, shares, j)
			f.Ref(wasmobj.ToFunc, t.await, 0)
			f.Op(opIf, noResult)
			f.I32(1)
			f.Op(opReturn, opEnd)
		}
		f.Op(opBlock, noResult, opLoop, noResult)
		t.pushShare(f, shares, i)
		f.Ref(wasmobj.ToFunc, t.take, 0)
		f.Tee(chunk)
		f.I32(0)
		f.Op(i32LtS)
		f.Uint(opBranchIf, 1)
		some := whole
		if s.chunks > 1 {
			some = f.someOf(s, chunk, from, to)
		}
		for _, st := range s.steps {
			if err := t.step(f.Code, st, some); err != nil {
				return 0, err
			}
		}
		t.pushShare(f, shares, i)
		f.Ref(wasmobj.ToFunc, t.finish, 0)
		f.Op(opDrop)
		f.Uint(opBranch, 0)
		f.Op(opEnd, opEnd)
	}
	f.I32(0)
	return t.o.AddFunc(result, f.Code), nil
}

// someOf sets locals to the pieces of a chunk of a share, and returns what pushes those of a part.
func (f *function) someOf(s *share, chunk, from, to int) pieces {
	f.Get(chunk)
	f.I32(int32(s.pieces))
	f.Op(i32Mul)
	f.Tee(from)
	f.I32(int32(s.pieces))
	f.Op(i32Add)
	f.Set(to)
	f.I32(int32(piecesOf(s.steps[0], -1))) // the last chunk may have fewer
	f.Get(to)
	f.Get(to)
	f.I32(int32(piecesOf(s.steps[0], -1)))
	f.Op(i32GtS, opSelect)
	f.Set(to)
	return func(code *wasmobj.Code, _, each int) {
		for _, local := range []int{from, to} {
			code.Get(local)
			code.I32(int32(each))
			code.Op(i32Mul)
		}
	}
}

// running makes run.
func (t *meeting) running(compute int, shares []share) int {
	f := t.newFunction(wasmobj.FuncType{})
	f.Ref(wasmobj.ToFunc, compute, 0)
	waited := make(map[int]bool)
	for i := range shares {
		for _, j := range shares[i].after {
			waited[j] = true
		}
	}
	for i := range shares {
		if !waited[i] {
			t.pushShare(f, shares, i)
			f.Ref(wasmobj.ToFunc, t.await, 0)
			f.Op(i32Or)
		}
	}
	f.Op(opIf, noResult, opUnreachable, opEnd)
	t.moves(f.Code, t.image.Copies)
	t.moves(f.Code, t.image.Updates)
	return t.o.AddFunc(wasmobj.FuncType{}, f.Code)
}

// What begin is given: bits, and above them for how many waits nobody need get on.
const (
	maySleep  = 1
	isAlone   = 2 // and need not wait for helpers, which may have ended anywhere
	waitShift = 2
)

var beginType = wasmobj.FuncType{Params: []wasmobj.ValType{wasmobj.I32}, Results: []wasmobj.ValType{wasmobj.I32}}

// beginning makes begin. After a run that has failed it waits until the helpers have left it. It returns 1 if they do not.
func (t *meeting) beginning() int {
	f := t.newFunction(beginType)
	how, n, run, looks, waits := 0, f.i32(), f.i32(), f.i32(), f.i32()
	f.Get(how)
	f.I32(maySleep)
	f.Op(i32And)
	f.GlobalSet(threadSleep)
	f.Get(how)
	f.I32(waitShift)
	f.Op(i32ShrU)
	f.GlobalSet(threadWaits)
	f.I32(0)
	f.GlobalSet(threadLost)
	t.load(f, meetRun)
	f.Tee(run)
	t.load(f, meetFailed)
	f.Op(i32Eq)
	f.Get(how)
	f.I32(isAlone)
	f.Op(i32And, i32Eqz, i32And, opIf, noResult, opLoop, noResult)
	t.load(f, meetHelpers)
	f.Tee(n)
	f.Op(opIf, noResult)
	t.wait(f, looks, waits, func() {
		t.word(f, meetHelpers)
		f.Get(n)
		f.I64(sleepTime / 10)
		f.Atomic(atomicWait32, 2, 0)
		f.Op(opDrop)
	})
	f.Uint(opBranchIf, 1)
	f.I32(1)
	f.Op(opReturn, opEnd, opEnd, opEnd)
	f.Get(run)
	f.I32(1)
	f.Op(i32Add)
	f.GlobalSet(threadRun)
	t.word(f, meetRun)
	f.GlobalGet(threadRun)
	f.Atomic(atomicStore32, 2, 0)
	f.I32(0)
	return t.o.AddFunc(beginType, f.Code)
}

// helping makes help.
func (t *meeting) helping(compute int) int {
	f := t.newFunction(blockType)
	f.Get(0)
	f.GlobalSet(threadNumber)
	f.I32(1)
	f.GlobalSet(threadSleep)
	f.Ref(wasmobj.ToData, t.stack, stackBytes)
	t.own(f.Code, stackBytes)
	f.GlobalSet(stackPointer)
	t.add(f, meetHelpers, 1) // before the look at the run, so that who begins the next one sees that somebody may be in this one
	t.load(f, meetRun)
	f.GlobalSet(threadRun)
	f.Ref(wasmobj.ToFunc, compute, 0)
	f.Op(opDrop)
	t.add(f, meetHelpers, -1)
	return t.o.AddFunc(blockType, f.Code)
}

// failing makes fail, which returns 1 if the thread has given up the run.
func (t *meeting) failing() int {
	result := wasmobj.FuncType{Results: []wasmobj.ValType{wasmobj.I32}}
	f := t.newFunction(result)
	t.word(f, meetFailed)
	f.GlobalGet(threadRun)
	f.Atomic(atomicStore32, 2, 0)
	f.GlobalGet(threadNumber)
	f.Op(opIf, noResult)
	t.add(f, meetHelpers, -1)
	f.Op(opElse)
	f.Ref(wasmobj.ToData, t.stack, stackBytes) // the trap has left it anywhere
	f.GlobalSet(stackPointer)
	f.Op(opEnd)
	f.GlobalGet(threadLost)
	return t.o.AddFunc(result, f.Code)
}
