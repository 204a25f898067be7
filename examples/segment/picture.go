package main

import (
	"image"
	"image/color"
	"math/rand/v2"
)

// side is the width and height of the picture.
const side = 64

// The classes of pixels.
const (
	ground = iota
	sun
	tent
	classes
)

var (
	classNames = [classes]string{"ground", "sun", "tent"}
	colours    = [classes]color.NRGBA{{40, 44, 52, 255}, {236, 190, 70, 255}, {60, 100, 220, 255}}
)

// paint returns a picture of a sun and a tent on dark ground, with heavy grain, and the class of each pixel, row by row.
func paint(seed uint64) (*image.NRGBA, []int32) {
	r := rand.New(rand.NewPCG(seed, side))
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	truth := make([]int32, side*side)
	for y := range side {
		for x := range side {
			class := classAt(x, y)
			truth[y*side+x] = int32(class)
			c := colours[class]
			for i, v := range []uint8{c.R, c.G, c.B} {
				m.Pix[m.PixOffset(x, y)+i] = uint8(min(max(int(v)+r.IntN(121)-60, 0), 255))
			}
			m.Pix[m.PixOffset(x, y)+3] = 255
		}
	}
	return m, truth
}

// classAt says what is painted at a point: a disc at the top on the left, a triangle at the bottom on the right.
func classAt(x, y int) int {
	dx, dy := x-20, y-20
	switch left, right := 44-(y-28)*2/3, 44+(y-28)*2/3; {
	case dx*dx+dy*dy <= 12*12:
		return sun
	case y >= 28 && y < 56 && x >= left && x <= right:
		return tent
	}
	return ground
}

// maskImage returns classes as a picture in their colours.
func maskImage(mask []int32) image.Image {
	palette := make(color.Palette, classes)
	for i, c := range colours {
		palette[i] = c
	}
	m := image.NewPaletted(image.Rect(0, 0, side, side), palette)
	for i, c := range mask {
		m.Pix[i] = uint8(c)
	}
	return m
}
