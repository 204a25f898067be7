package manifest

import "strings"

// Version is the version of the format that this package reads, the value of the key "version".
const Version = 1

// Manifest says how a model's inputs are prepared and what its outputs mean.
type Manifest struct {
	Source  string // the file it was read from, for messages
	Title   string // what the model does, in a few words; may be empty
	Inputs  []Input
	Outputs []Output
	wrong   Errors // with which it was read
	builtIn bool
}

// BuiltIn reports whether it is a part of Concord, for a model as it was published, which [Find] knew by its contents: nobody has written it for the model at
// hand, which may be given other shapes.
func (m *Manifest) BuiltIn() bool { return m != nil && m.builtIn }

// Place is a position in the document: line and column, in characters, both from 1.
type Place struct{ Line, Column int }

// Input tells how one input of the model is prepared. An input that a manifest does not list is a plain tensor.
type Input struct {
	Name  string
	Place Place
	Kind  InputKind // *Image, *Audio, *Tensor or *State
	Note  string    // for people; may be empty
}

// Output tells what one output of the model means. An output that a manifest does not list is a plain tensor.
type Output struct {
	Name  string
	Place Place
	Kind  OutputKind // *Classes, *Boxes, *Track or *Plain
	Note  string     // for people; may be empty
}

// InputKind is one of *Image, *Audio, *Tensor and *State.
type InputKind interface{ inputKind() string }

// OutputKind is one of *Classes, *Boxes, *Track and *Plain.
type OutputKind interface{ outputKind() string }

// InputKindName is the value of the key "kind" of an input, "" for nil.
func InputKindName(k InputKind) string {
	if k == nil {
		return ""
	}
	return k.inputKind()
}

// OutputKindName is the value of the key "kind" of an output, "" for nil.
func OutputKindName(k OutputKind) string {
	if k == nil {
		return ""
	}
	return k.outputKind()
}

func (*Image) inputKind() string    { return "image" }
func (*Audio) inputKind() string    { return "audio" }
func (*Tensor) inputKind() string   { return "tensor" }
func (*State) inputKind() string    { return "state" }
func (*Classes) outputKind() string { return "classes" }
func (*Boxes) outputKind() string   { return "boxes" }
func (*Track) outputKind() string   { return "track" }
func (*Plain) outputKind() string   { return "tensor" }

// Image prepares a picture. In this order: the picture's transparent parts take the colour Pad; it is converted to
// Colour, inverted, cropped, resized to the input's size, rounded; then each value x, 0 … 255, becomes (x - Mean) / Std of its
// channel. For an input of integers the result is rounded to the nearest, ties to even, and clamped to the type's range.
type Image struct {
	Width, Height int     // of the input; 0 for what the tensor's shape says
	Layout        string  // the order of dimensions, a string of Layouts; "" for what the tensor's shape says
	Colour        Colour  // the channels and their order
	Invert        bool    // replace x by 255 - x
	Crop          Crop    // which part of the picture is used
	Margin        float64 // space left around the content on all four sides, as a share of its longer side
	Resize        Resize  // how that part fills the input
	Filter        Filter
	Round         bool      // round resized values to whole numbers, ties to even
	Pad           []float64 // red, green, blue from 0 to 255 (or one value for all) of what lies outside of the picture
	Mean, Std     []float64 // one value, or one for each channel in the order of Colour; Mean from 0 to 255
}

// Colour is the order of a picture's channels.
type Colour string

// The orders of channels.
const (
	RGB  Colour = "rgb"
	BGR  Colour = "bgr"
	Gray Colour = "gray" // one channel: 0.299 red + 0.587 green + 0.114 blue
)

// Channels returns the number of channels.
func (c Colour) Channels() int {
	if c == Gray {
		return 1
	}
	return 3
}

// Layouts lists the orders of dimensions that an image's tensor may have: N is the batch, which is 1, C the channels, H
// the rows, W the columns. Those without a C are for grey pictures.
var Layouts = []string{"NCHW", "NHWC", "CHW", "HWC", "NHW", "HW"}

// Crop says which part of a picture is used.
type Crop string

// The kinds of cropping.
const (
	CropNone    Crop = "none"    // all of it
	CropContent Crop = "content" // the smallest rectangle around the pixels that are, after inversion, nearer to the brightest than to the darkest; all of it if there is only one brightness
)

// Resize says how the cropped part of a picture fills the input.
type Resize string

// The kinds of resizing.
const (
	Stretch Resize = "stretch" // exactly, changing its proportions
	Fit     Resize = "fit"     // completely visible and centred; the rest shows what lies beside the part, and Pad outside of the picture
	Fill    Resize = "fill"    // centred and covering the input; what does not fit is cut off
)

// Filter says how a resized pixel's value comes about.
type Filter string

// The filters.
const (
	Bilinear Filter = "bilinear" // interpolated between the four pixels around its centre; pixel centres lie at +0.5
	Area     Filter = "area"     // the mean of the part of the picture that the pixel covers
)

// Audio cuts a sound into windows, each of which is one run of the model: Context samples before the window, the window
// itself. The channels of the sound are averaged. Samples are in -1 … 1, multiplied by Scale; before the beginning and
// after the end they are zero.
type Audio struct {
	Rate    int     // samples a second; a sound of another rate is resampled
	Window  int     // new samples in each run; 0 for the input's size without Context
	Hop     int     // samples from one window to the next; 0 for the length of the window
	Context int     // samples before the window that are repeated
	Scale   float64 // 1 leaves the range -1 … 1
}

// Tensor is an input that the caller supplies.
type Tensor struct {
	Value []float64 // its value if the caller supplies none: one number for all elements, or all of them in row-major order; nil if the caller must
}

// State is an input that is zero in the first run and the value of an output of the run before in every later one.
type State struct {
	From string // the output
}

// Labels are the names of classes, in the order of the output's elements.
type Labels struct {
	Names []string // nil if the document gives none
	File  string   // where the document says they stand, relative to it; "" if it lists them itself
	place Place
}

// Classes is an output with one value for each class.
type Classes struct {
	Labels
	Logits bool // the values are logits, of which a softmax makes probabilities
	Top    int  // how many of the best are shown; 0 for all
}

// Boxes is an output with a rectangle around each candidate, [1,N,4], beside an output with their scores, [1,N,C]. Of
// candidates of one class that overlap, only the best is kept.
type Boxes struct {
	Labels                 // one for each column of the scores, the background's included
	Scores         string  // the output with the scores
	Background     int     // the column of the scores that means "no object"; -1 if there is none
	Format         Format  // what the four numbers are
	Units          Units   // what they are measured in; for Deltas always Unit
	Priors         *Priors // for Deltas, otherwise nil
	ScoreThreshold float64 // candidates with a lower score are dropped
	IoUThreshold   float64 // candidates that overlap a better one by more than this share (intersection over union) are dropped
	Limit          int     // the greatest number of boxes; 0 for no limit
}

// Format says what the four numbers of a box are.
type Format string

// The formats of boxes.
const (
	Corners Format = "corners" // left, top, right, bottom
	Centre  Format = "centre"  // centre x, centre y, width, height
	Deltas  Format = "ssd"     // differences to a prior, as the single-shot detector (SSD) predicts them
)

// Units says what the coordinates of boxes are measured in.
type Units string

// The units of boxes.
const (
	Unit   Units = "unit"   // shares of the input's width and height
	Pixels Units = "pixels" // pixels of the input
)

// Priors are the boxes that a single-shot detector starts from: for each map, row, column and box, in this order, one
// with the centre ((column+½)/columns, (row+½)/rows) and the size (box width / Width, box height / Height). A prediction
// (dx, dy, dw, dh) then means the centre prior + Variance[0]·(dx, dy)·prior size and the size
// prior size·exp(Variance[1]·(dw, dh)).
type Priors struct {
	Width, Height int // of the picture that box sizes refer to; 0 for the size of the input
	Maps          []PriorMap
	Clamp         bool // limit centre and size of each prior to 0 … 1
	Variance      [2]float64
}

// PriorMap is one feature map of a detector.
type PriorMap struct {
	Columns, Rows int
	Boxes         [][2]float64 // width and height in pixels
}

// Len returns the number of priors.
func (p *Priors) Len() int {
	n := 0
	for _, m := range p.Maps {
		n += m.Columns * m.Rows * len(m.Boxes)
	}
	return n
}

// Track is an output that is one number for each window of a sound, such as the probability of speech.
type Track struct {
	Label     string
	Index     int     // which element of the output it is; -1 for the only one
	Threshold float64 // the value from which on what the label says is taken to be so
}

// Plain is an output without a meaning that Concord knows of.
type Plain struct{}

// Input returns what the manifest says about the input of that name, nil if nothing.
func (m *Manifest) Input(name string) InputKind {
	for i := range m.Inputs {
		if m.Inputs[i].Name == name {
			return m.Inputs[i].Kind
		}
	}
	return nil
}

// Consecutive returns the name of an input for which each run needs the one before it, as that of a sound, which runs window by window, or of a
// state; "" if there is none.
func (m *Manifest) Consecutive() string {
	for i := range m.Inputs {
		switch m.Inputs[i].Kind.(type) {
		case *Audio, *State:
			return m.Inputs[i].Name
		}
	}
	return ""
}

// Output returns what the manifest says about the output of that name, nil if nothing.
func (m *Manifest) Output(name string) OutputKind {
	for i := range m.Outputs {
		if m.Outputs[i].Name == name {
			return m.Outputs[i].Kind
		}
	}
	return nil
}

// Label returns the name of class i, or "class i" if the manifest has no name for it.
func (l *Labels) Label(i int) string {
	if i >= 0 && i < len(l.Names) {
		return l.Names[i]
	}
	return "class " + itoa(i)
}

// list writes names for a message: "a", "b" or "c".
func list(names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(quote(n))
	}
	return b.String()
}
