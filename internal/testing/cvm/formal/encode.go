package formal

import "encoding/binary"

// Decode reads the bytes of an input: of one byte each where the precision is at most 8, else of four, little-endian.
func (g *Graph) Decode(input []byte) []int64 {
	in := g.Input()
	var data []int64
	if in.Precision <= 8 {
		for _, b := range input {
			data = append(data, int64(int8(b)))
		}
		return data
	}
	for ; len(input) >= 4; input = input[4:] {
		data = append(data, int64(int32(binary.LittleEndian.Uint32(input))))
	}
	return data
}

// Encode gives the outputs of a run the form in which the original returns them. Errors are *Refusal.
func (g *Graph) Encode(heads []*Tensor) (b []byte, err error) {
	defer catch(&err)
	wide := g.Postprocess == "argmax" || g.Postprocess == "detection"
	for _, h := range heads {
		wide = wide || h.Precision > 8
	}
	put := func(v int64) {
		if wide {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		} else {
			b = append(b, byte(v))
		}
	}
	switch {
	case g.Postprocess == "argmax":
		for _, h := range heads {
			for row := range rows(h) {
				best := int64(0)
				for i := range width(h) {
					if at := row * width(h); int8(h.Data[at+i]) > int8(h.Data[at+best]) {
						best = i
					}
				}
				put(best)
			}
		}
	case g.Postprocess == "detection" || len(heads) > 1:
		check(len(heads) > 1, "detection joins several outputs")
		for _, h := range heads {
			check(rows(h) == rows(heads[0]), "outputs have different numbers of rows")
		}
		n := rows(heads[0])
		if g.Postprocess == "detection" { // whose reported length has the rows of one batch only
			n = 0
			if s := heads[0].Shape; len(s) > 1 {
				n = s[len(s)-2]
			}
		}
		for row := range n {
			for _, h := range heads {
				for i := range width(h) {
					put(h.Data[row*width(h)+i])
				}
			}
		}
	default:
		for _, v := range heads[0].Data {
			put(v)
		}
	}
	return b, nil
}

func width(t *Tensor) int64 { return t.Shape[len(t.Shape)-1] }
func rows(t *Tensor) int64  { return t.Len() / width(t) }
