package abi

// SizeOf returns the bytes of a type of the tables on hosts with 64-bit addresses.
func SizeOf(name string) int {
	size, _ := measure(name)
	return size
}

// Offsets returns where the fields of a structure lie on hosts with 64-bit addresses.
func (s Struct) Offsets() []int {
	offsets, _, _ := s.layout()
	return offsets
}

// measure returns the size of a type and its alignment.
func measure(name string) (size, align int) {
	switch name {
	case "char", "int8_t", "uint8_t":
		return 1, 1
	case "int16_t", "uint16_t":
		return 2, 2
	case "int32_t", "uint32_t", "float":
		return 4, 4
	case "int64_t", "uint64_t", "double", "size_t", "uintptr_t":
		return 8, 8
	}
	for _, s := range Scalars {
		if s.Name == name {
			return measure(s.C)
		}
	}
	for _, s := range Structs {
		if s.Name == name {
			_, size, align := s.layout()
			return size, align
		}
	}
	return 8, 8 // a pointer
}

// layout returns the offsets of the fields, the size and the alignment of a structure.
func (s Struct) layout() (offsets []int, size, align int) {
	end := 0
	for _, f := range s.Fields {
		n, a := measure(f.Type)
		align = max(align, a)
		if s.Union {
			end = 0
		}
		end = up(end, a)
		offsets = append(offsets, end)
		end += n * max(f.Length, 1)
		size = max(size, end)
	}
	return offsets, up(size, align), align
}

// up rounds n up to a multiple of to.
func up(n, to int) int { return (n + to - 1) / to * to }
