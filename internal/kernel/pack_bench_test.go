package kernel

import (
	"testing"

	"github.com/concord-nn/concord/tensor"
)

func BenchmarkPackConvolution(b *testing.B) {
	for _, l := range []convLayer{{512, 512, 7, 3, 1}, {1024, 256, 14, 1, 1}, {256, 1024, 14, 1, 1}} {
		p, _ := l.call(b, false)
		dst := tensor.AlignedBytes(p.Pack[0].Size)
		b.Run(l.String(), func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for range b.N {
				p.Pack[0].Fill(dst, 0, 1)
			}
		})
	}
}

func BenchmarkPrepareConvolution(b *testing.B) {
	for _, l := range []convLayer{{64, 64, 56, 3, 1}, {3, 64, 112, 7, 2}, {256, 64, 56, 1, 1}, {64, 64, 20, 3, 1}, {3, 16, 320, 3, 2}} {
		r := l.region(b, false)
		b.Run(l.String(), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				For(r)
			}
		})
	}
}
