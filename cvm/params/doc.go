// Package params reads and writes the parameter files of CVM models: named integer arrays in a packed little-endian form.
//
//	list   magic, 8 reserved bytes, N, N × (length, name), N, N × array
//	array  magic, 8 reserved bytes, int32 device type 1, int32 device number, int32 rank,
//	       uint8 type code 0, uint8 bits 8 or 32, uint16 lanes 1, rank × int64, int64 bytes of data, data
//
// Magic numbers, lengths and N are of 8 bytes.
package params
