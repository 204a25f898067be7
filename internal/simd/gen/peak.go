package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peak builds the routines that measure what a processor does at most.
func peak(f *file) {
	if f.isa.vnni {
		f.peak("PeakInt16", func(r *routine, sum, x, _ reg.VecVirtual) { r.VPDPWSSD(x, x, sum) })
		f.peak("PeakInt8", func(r *routine, sum, x, _ reg.VecVirtual) { r.VPDPBUSD(x, x, sum) })
		return
	}
	f.peak("Peak", func(r *routine, sum, x, _ reg.VecVirtual) { r.VFMADD231PS(x, x, sum) })
	f.peak("PeakInt16", func(r *routine, sum, x, product reg.VecVirtual) {
		r.VPMADDWD(x, x, product)
		r.VPADDD(product, sum, sum)
	})
	f.peakRead()
}

// peak builds a routine that adds to 12 sums, of which none waits for another.
func (f *file) peak(name string, add func(r *routine, sum, x, product reg.VecVirtual)) {
	r := f.routine(name, "PeakArgs")
	rounds := r.load("Rounds")
	sums, x, products := r.vectors(12), r.vector(), r.vectors(3)
	r.clear(append(sums, x)...)
	r.loop("round", rounds, func() {
		for range 8 {
			for i, s := range sums {
				add(r, s, x, products[i%3])
			}
		}
	})
	r.end()
}

// readBytes is simd.ReadBytes.
const readBytes = 512

// peakRead builds a routine that loads memory and leaves it at that.
func (f *file) peakRead() {
	r := f.routine("PeakRead", "ReadArgs")
	from, count := r.load("From"), r.load("Count")
	loaded := r.vectors(4)
	r.loop("read", count, func() {
		for i := range readBytes / f.isa.bytes {
			r.VMOVUPS(at(from, i*f.isa.bytes), loaded[i%4])
		}
		r.ADDQ(operand.U32(readBytes), from)
	})
	r.end()
}
