package kernel

// portable is the tier of kernels in plain Go.
var portable = Tier{Name: "portable"}
