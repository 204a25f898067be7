package simd

// PanelArgs are those of CopyPanels and TransposePanel, which bring float32 of a matrix into the panels that Product reads. Distances are in bytes.
//
// CopyPanels copies K rows, FromStep from each other, of Panels times twice as many numbers as a vector has lanes. What is of one panel lies together,
// ToStep from the same of the row above, and PanelStep from that of the next panel.
//
// TransposePanel writes number k of From as number of row k of To, for 8 times Panels rows of From, FromStep from each other, of K numbers each, a
// multiple of 4. Rows of To are ToStep from each other.
type PanelArgs struct {
	To, ToStep, PanelStep uintptr
	From, FromStep        uintptr
	K, Panels             int
}
