package main

// The weights are made by construction, not by training. Each class has two channels: one sees every pixel sharply, the other
// its neighbourhood.

// channels is how many channels the layers between picture and scores have: those of the sharp evidence for each class, then
// those of the blurred.
const channels = 2 * classes

// filter is the filter of a convolution. The elements are (output channels, size, size, input channels), for groups
// (size, size, output channels).
type filter struct {
	out, in, size, dilation, groups int
	data, bias                      []float32
}

// at returns the index of an element of a filter without groups.
func (f *filter) at(out, y, x, in int) int { return ((out*f.size+y)*f.size+x)*f.in + in }

func newFilter(out, in, size int) filter {
	return filter{out, in, size, 1, 1, make([]float32, out*size*size*in), make([]float32, out)}
}

// colourFilter finds evidence in colours: darkness for the ground, yellow for the sun, blue for the tent.
func colourFilter() filter {
	f := newFilter(channels, 3, 1)
	for c := range channels {
		copy(f.data[f.at(c, 0, 0, 0):], [classes][]float32{{-0.7, -0.7, -0.7}, {1, 0.5, -1}, {-1, 0, 1.2}}[c%classes])
		f.bias[c] = [classes]float32{1, -0.1, 0}[c%classes]
	}
	return f
}

// blurFilter is a filter for each channel by itself: it leaves the sharp ones as they are and blurs the others.
func blurFilter() filter {
	f := filter{channels, channels, 3, 1, channels, make([]float32, 9*channels), make([]float32, channels)}
	for c := range channels {
		if c < classes {
			f.data[4*channels+c] = 1
			continue
		}
		for i, v := range []float32{1, 2, 1, 2, 4, 2, 1, 2, 1} {
			f.data[i*channels+c] = v / 16
		}
	}
	return f
}

// contrast returns mean, variance, scale and bias of the normalization: evidence of about a half becomes one.
func contrast() (mean, variance, scale, bias []float32) {
	for range channels {
		mean, variance = append(mean, 0.25), append(variance, 0.0625)
		scale, bias = append(scale, 0.75), append(bias, 0.25)
	}
	return mean, variance, scale, bias
}

// contestFilter averages each channel over 3×3 positions, which lie apart by the dilation, and takes away a part of what
// speaks for other classes.
func contestFilter(dilation int) filter {
	f := newFilter(channels, channels, 3)
	f.dilation = dilation
	for out := range channels {
		for i := range 9 {
			for in := range channels {
				switch {
				case in == out:
					f.data[f.at(out, i/3, i%3, in)] = 1.0 / 9
				case in%classes != out%classes:
					f.data[f.at(out, i/3, i%3, in)] = -0.25 / 9
				}
			}
		}
	}
	return f
}

// mixFilter adds up the channels of each class with these weights: the coarse ones, which come first, and the fine ones.
func mixFilter(out int, coarse, fine float32) filter {
	f := newFilter(out, 2*channels, 1)
	for o := range out {
		for in := range 2 * channels {
			switch {
			case in%classes != o%classes:
			case in < channels:
				f.data[f.at(o, 0, 0, in)] = coarse / 2
			default:
				f.data[f.at(o, 0, 0, in)] = fine / 2
			}
		}
	}
	return f
}
