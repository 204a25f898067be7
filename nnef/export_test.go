package nnef

import "github.com/concord-nn/concord/internal/nnef/flat"

// LowerWithin lowers a document whose graph may have so many nodes.
func LowerWithin(text string, most int) error {
	f, err := OpenText("doc", []byte(text), Options{})
	if err != nil {
		return err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f))
	if err != nil {
		return err
	}
	d := newDocument(f, f.source)
	d.most = most
	_, err = d.build(fg)
	return err
}
