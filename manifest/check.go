package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/tensor"
)

// Unknown is the extent of a dimension that is not known before the model runs.
const Unknown = -1

// Type is the type of an input or output of a model: its extents may be Unknown.
type Type struct {
	Name  string
	DType tensor.DType
	Shape tensor.Shape
}

// String writes the type as float32[1,?,4].
func (t Type) String() string {
	return t.DType.String() + strings.ReplaceAll(t.Shape.String(), itoa(Unknown), "?")
}

// Check holds the manifest against the inputs and outputs of a model. It reports every mismatch, as Errors, beside the mistakes with which the manifest was
// read. Of an input or output whose type is not known, which has tensor.Invalid for elements, only the name is checked, and of outputs nothing if they are nil.
func (m *Manifest) Check(inputs, outputs []Type) error {
	m = cmp.Or(m, new(Manifest)) // none says nothing
	c := &checker{m: m, inputs: inputs, outputs: outputs, errs: slices.Clone(m.wrong)}
	for _, in := range m.Inputs {
		if c.at, c.path = in.Place, join("inputs", in.Name); c.known(in.Name, inputs, "input") {
			if t, _ := find(inputs, in.Name); t.DType != tensor.Invalid {
				c.input(in.Kind, t)
			}
		}
	}
	for _, out := range m.Outputs {
		if c.at, c.path = out.Place, join("outputs", out.Name); c.known(out.Name, outputs, "output") {
			if t, _ := find(outputs, out.Name); t.DType != tensor.Invalid {
				c.output(out.Kind, t)
			}
		}
	}
	return c.errs.inOrder()
}

type checker struct {
	m               *Manifest
	inputs, outputs []Type
	at              Place
	path            string
	errs            Errors
}

// fail reports a mismatch that follows from keys, which stand in a list with spaces between them: not if one of those is a mistake itself.
func (c *checker) fail(keys, format string, args ...any) {
	for key := range strings.FieldsSeq(keys) {
		if slices.ContainsFunc(c.m.wrong, func(e *Error) bool { return strings.HasPrefix(e.Path, c.path+"."+key) }) {
			return
		}
	}
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, &Error{c.m.Source, c.at, c.path, fmt.Sprintf(format, args...)})
	}
}

func find(types []Type, name string) (Type, bool) {
	for _, t := range types {
		if t.Name == name {
			return t, true
		}
	}
	return Type{}, false
}

// known reports a name that the model does not have. None is a mistake that was found before.
func (c *checker) known(name string, types []Type, what string) bool {
	switch {
	case name == "":
		return false
	case what == "output" && types == nil:
		return true
	}
	if _, ok := find(types, name); ok {
		return true
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	if len(names) == 0 {
		c.fail("", "the model has no %s %s; it has none at all", what, quote(name))
	} else {
		c.fail("", "the model has no %s %s; it must be %s", what, quote(name), list(names))
	}
	return false
}

func (c *checker) input(kind InputKind, t Type) {
	switch k := kind.(type) {
	case *Image:
		if _, err := k.Grid(t); err != nil {
			c.fail("size layout colour", "%v", err)
		}
	case *Audio:
		if _, err := k.Frame(t); err != nil {
			c.fail("window context", "%v", err)
		}
	case *Tensor:
		if n, ok := size(t.Shape); ok && len(k.Value) > 1 && len(k.Value) != n {
			c.fail("value", "the value has %d numbers; %v needs %d, or one for all", len(k.Value), t, n)
		}
	case *State:
		if !c.known(k.From, c.outputs, "output") {
			return
		}
		if from, _ := find(c.outputs, k.From); from.DType != tensor.Invalid && (from.DType != t.DType || !agree(from.Shape, t.Shape)) {
			c.fail("", "the output %s is %v; to become the state it must be %v", quote(k.From), from, t)
		}
	}
}

func (c *checker) output(kind OutputKind, t Type) {
	if _, plain := kind.(*Plain); !plain && t.DType == tensor.Bool {
		c.fail("", "the output is %v; it must hold numbers", t)
		return
	}
	switch k := kind.(type) {
	case *Classes:
		if n, ok := size(t.Shape); ok {
			c.labels(&k.Labels, n)
		}
	case *Boxes:
		c.boxes(k, t)
	case *Track:
		n, ok := size(t.Shape)
		switch {
		case ok && k.Index < 0 && n != 1:
			c.fail("index", `the output %v has %d elements; "index" must say which of them is the track`, t, n)
		case ok && k.Index >= n:
			c.fail("index", "the index is %d; %v has %d elements", k.Index, t, n)
		}
		if n := count[*Audio](c.m.Inputs); n != 1 {
			c.fail("", "a track needs one input that is audio; there are %d", n)
		}
	}
}

func (c *checker) boxes(k *Boxes, t Type) {
	if !c.known(k.Scores, c.outputs, "output") {
		return
	}
	scores, _ := find(c.outputs, k.Scores)
	if scores.DType == tensor.Invalid {
		return
	}
	n, ok := rows(t.Shape)
	if !ok || !agree(t.Shape[len(t.Shape)-1:], tensor.Shape{4}) {
		c.fail("", "the output is %v; boxes must be [1,N,4]", t)
		return
	}
	m, ok := rows(scores.Shape)
	if !ok || !scores.DType.IsFloat() && !scores.DType.IsInteger() {
		c.fail("", "the scores %s are %v; they must be [1,N,C], numbers", quote(k.Scores), scores)
		return
	}
	if n != Unknown && m != Unknown && n != m {
		c.fail("", "there are %d boxes but scores for %d", n, m)
	}
	if classes := scores.Shape[len(scores.Shape)-1]; classes != Unknown {
		c.labels(&k.Labels, classes)
		if k.Background >= classes {
			c.fail("background", "the background is column %d; the scores have %d columns", k.Background, classes)
		}
	}
	if k.Priors != nil && n != Unknown && n != k.Priors.Len() {
		c.fail("priors", "the maps make %d priors; the output has %d boxes", k.Priors.Len(), n)
	}
	if n := count[*Image](c.m.Inputs); n != 1 {
		c.fail("", "boxes need one input that is an image; there are %d", n)
	}
}

// labels compares the number of labels with the number of classes.
func (c *checker) labels(l *Labels, classes int) {
	if l.Names == nil || len(l.Names) == classes {
		return
	}
	at := c.at
	c.at = l.place
	if len(l.Names) == 1 {
		c.fail("labels", "there is 1 label for %d classes", classes)
	} else {
		c.fail("labels", "there are %d labels for %d classes", len(l.Names), classes)
	}
	c.at = at
}

// count returns the number of inputs of kind K.
func count[K InputKind](inputs []Input) int {
	n := 0
	for _, in := range inputs {
		if _, ok := in.Kind.(K); ok {
			n++
		}
	}
	return n
}

// size returns the number of elements, and false if it is not known.
func size(s tensor.Shape) (int, bool) {
	for _, d := range s {
		if d == Unknown {
			return 0, false
		}
	}
	return s.Len(), s.Check() == nil
}

// rows returns N of a shape [1,N,C] or [N,C], and false if it is neither.
func rows(s tensor.Shape) (int, bool) {
	if len(s) == 3 && (s[0] == 1 || s[0] == Unknown) {
		s = s[1:]
	}
	if len(s) != 2 {
		return 0, false
	}
	return s[0], true
}

// agree reports whether two shapes may be the same.
func agree(a, b tensor.Shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && a[i] != Unknown && b[i] != Unknown {
			return false
		}
	}
	return true
}
