package stage

import (
	"io"
	"runtime"

	"github.com/concord-nn/concord/internal/mapfile"
)

// Pieces is what a file holds: pieces one behind the other, with zeros between them, that lie elsewhere until they are written, and must not change, or are
// computed then.
type Pieces struct {
	Align int // at whose multiples pieces begin
	list  []piece
	end   int
}

// piece is bytes, or as many as fill writes over zeros.
type piece struct {
	at, n   int
	data    []byte
	mapping *mapfile.Mapping // what keeps data in memory, if that is a mapped file
	fill    func(out []byte)
}

// Len returns how many bytes the file has.
func (p *Pieces) Len() int { return p.end }

// Add adds bytes and returns where they lie.
func (p *Pieces) Add(data []byte) (at int) {
	return p.add(piece{n: len(data), data: data, mapping: mapfile.Of(data)})
}

// AddFilled adds n bytes, zeros over which a function writes when they are needed, and returns where they lie.
func (p *Pieces) AddFilled(n int, fill func(out []byte)) (at int) {
	return p.add(piece{n: n, fill: fill})
}

func (p *Pieces) add(x piece) int {
	x.at = (p.end + p.Align - 1) / p.Align * p.Align
	p.list, p.end = append(p.list, x), x.at+x.n
	return x.at
}

// Write writes the file.
func (p *Pieces) Write(w io.Writer) (err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	most := 0
	for _, x := range p.list {
		if x.fill != nil {
			most = max(most, x.n)
		}
	}
	gap, room, end := make([]byte, p.Align), make([]byte, most), 0
	for _, x := range p.list {
		if x.fill != nil {
			x.data = room[:x.n]
			clear(x.data)
			x.fill(x.data)
		}
		if _, err := w.Write(gap[:x.at-end]); err != nil {
			return err
		}
		if _, err := w.Write(x.data); err != nil {
			return err
		}
		end = x.at + x.n
	}
	runtime.KeepAlive(p)
	return nil
}
