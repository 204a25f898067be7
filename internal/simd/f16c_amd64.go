package simd

// features returns what CPUID says of leaf 1 in ECX.
func features() uint32

// hasF16C reports whether the processor converts float16, which package cpu does not say.
func hasF16C() bool { return features()>>29&1 == 1 }
