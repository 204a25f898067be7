// Package media does what a manifest says: it reads pictures and sounds, prepares them as a model's inputs, reads
// classes, boxes and tracks from its outputs, and draws them.
//
// Pictures are PNG, JPEG or GIF ([OpenPicture]), sounds are WAV ([OpenSound]); both readers are bounded and take hostile
// files. [PrepareImage] and [PrepareAudio] make tensors, the latter with [Resample] from sounds of any rate, [Classes], [Boxes] and [TrackValue] read tensors, and the
// functions in text.go and draw.go show the result.
//
// What happens to the elements of tensors is done by Concord's operators. What happens to pixels and samples before is
// written with sums and products that are rounded one by one. So the same file gives the same bits on every processor.
package media
