package main

import "math/rand/v2"

// bands is into how many bands of frequency a sound is divided.
const bands = 22

// frame is a moment of the sound, as the network hears it and as it was made.
type frame struct {
	levels [bands]float32 // in units of 100 dB
	voice  [bands]bool    // whether the voice is louder than the noise by more than 10 dB
}

// word is a stretch of voice: its loud bands glide from one set to another.
type word struct {
	from, to int // frames
	formants [][2]int
}

// words is what is spoken.
var words = []word{
	{14, 30, [][2]int{{2, 5}, {9, 6}, {15, 17}}},
	{38, 46, [][2]int{{18, 20}}}, // a hiss
	{46, 60, [][2]int{{3, 1}, {8, 12}}},
	{68, 76, [][2]int{{1, 4}, {6, 9}, {13, 13}}},
}

const length = 84 // frames of the sound

// speak returns the words in noise that is louder in low bands and trembles by 6 dB. All is computed in whole decibels, so
// that it is the same on every processor.
func speak(seed uint64) []frame {
	r := rand.New(rand.NewPCG(seed, 22))
	sound := make([]frame, length)
	for i := range sound {
		f := &sound[i]
		for b := range bands {
			level := 30 - b/2 + r.IntN(7)
			if voice := voiceLevel(i, b); voice > level {
				f.voice[b] = voice > level+10
				level = voice
			}
			f.levels[b] = float32(level) / 100
		}
	}
	return sound
}

// voiceLevel returns the level of the voice in a band, 0 where there is none: 62 dB in the middle of a formant and 12 less in
// each band beside it.
func voiceLevel(i, band int) int {
	level := 0
	for _, w := range words {
		if i < w.from || i >= w.to {
			continue
		}
		for _, f := range w.formants {
			middle := f[0] + (f[1]-f[0])*(i-w.from)/(w.to-w.from)
			level = max(level, 62-12*max(band-middle, middle-band))
		}
	}
	return level
}
