// Package manifest reads the document beside a model that says how its inputs are prepared and what its outputs mean.
//
// A manifest is a JSON file: concord.json inside a model's folder, or NAME.concord.json beside a model's file. For every
// input it tells how a picture, a sound or a state becomes a tensor, for every output whether the tensor is a list of
// classes, boxes around objects, one value of a track over time, or just a tensor. docs/manifest.md describes each key
// with an example.
//
// [Find] looks for the manifest of a model, also among the few models that this package knows by their contents; [Open],
// [Load] and [Parse] read one that is given. [Manifest.Check] holds it against the model's inputs and outputs. Package
// media does what a manifest says.
package manifest
